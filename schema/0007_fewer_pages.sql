-- An edit writes to fewer pages, and a page is as small as a change is (PAGE_BYTES in server/store/database.c).

-- Time goes on with seq, so that the edits until a time are found by halving: no index by time. Running drags are few. Where an earlier
-- server put an edit's end before that of an edit before it (the clock was put back, or a crash ended a drag), it is put after that.
UPDATE edits
   SET ended = l.latest + 1e-6 * l.place
  FROM (SELECT id, latest, row_number() OVER (PARTITION BY latest ORDER BY seq) - 1 AS place
          FROM (SELECT id, seq, max(ended) OVER (ORDER BY seq) AS latest FROM edits WHERE seq IS NOT NULL)) l
 WHERE l.id = edits.id AND l.place > 0;
DROP INDEX edits_by_time;
DROP INDEX edits_by_user;
CREATE INDEX edits_by_user ON edits (user, seq);
CREATE INDEX edits_running ON edits (began) WHERE ended IS NULL;

-- The rows of a tree WITHOUT ROWID must be small: in pages of 1 KiB a change would take two. Its rows were moved about, too, with each
-- page that became full.
PRAGMA legacy_alter_table = ON;
ALTER TABLE changes RENAME TO changes_before;
PRAGMA legacy_alter_table = OFF;
DROP INDEX changes_by_node;
CREATE TABLE changes (
    edit INTEGER NOT NULL REFERENCES edits,
    step INTEGER NOT NULL,       -- the order of the edit's changes, from 0
    node INTEGER NOT NULL REFERENCES nodes,
    seq INTEGER,                 -- the edit's
    did TEXT NOT NULL CHECK (did = 'create' OR did = 'change' OR did = 'delete'),
    before_parent INTEGER REFERENCES nodes, before_name TEXT,
    before_tx ANY, before_ty ANY, before_tz ANY,
    before_rx ANY, before_ry ANY, before_rz ANY, before_rw ANY,
    before_sx ANY, before_sy ANY, before_sz ANY,
    before_min_x ANY, before_min_y ANY, before_min_z ANY, before_max_x ANY, before_max_y ANY, before_max_z ANY,
    before_asset INTEGER,
    after_parent INTEGER REFERENCES nodes, after_name TEXT,
    after_tx ANY, after_ty ANY, after_tz ANY,
    after_rx ANY, after_ry ANY, after_rz ANY, after_rw ANY,
    after_sx ANY, after_sy ANY, after_sz ANY,
    after_min_x ANY, after_min_y ANY, after_min_z ANY, after_max_x ANY, after_max_y ANY, after_max_z ANY,
    after_asset INTEGER,
    CHECK ((before_name IS NULL) = (did = 'create')),
    CHECK ((after_name IS NULL) = (did = 'delete' OR seq IS NULL)),
    CHECK (typeof(before_tx) = iif(before_name IS NULL, 'null', 'real') AND
           typeof(before_ty) = typeof(before_tx) AND typeof(before_tz) = typeof(before_tx) AND
           typeof(before_rx) = typeof(before_tx) AND typeof(before_ry) = typeof(before_tx) AND
           typeof(before_rz) = typeof(before_tx) AND typeof(before_rw) = typeof(before_tx) AND
           typeof(before_sx) = typeof(before_tx) AND typeof(before_sy) = typeof(before_tx) AND
           typeof(before_sz) = typeof(before_tx)),
    CHECK (typeof(after_tx) = iif(after_name IS NULL, 'null', 'real') AND
           typeof(after_ty) = typeof(after_tx) AND typeof(after_tz) = typeof(after_tx) AND
           typeof(after_rx) = typeof(after_tx) AND typeof(after_ry) = typeof(after_tx) AND
           typeof(after_rz) = typeof(after_tx) AND typeof(after_rw) = typeof(after_tx) AND
           typeof(after_sx) = typeof(after_tx) AND typeof(after_sy) = typeof(after_tx) AND
           typeof(after_sz) = typeof(after_tx)),
    PRIMARY KEY (edit, step)
) STRICT;
INSERT INTO changes SELECT * FROM changes_before ORDER BY edit, step;
DROP TABLE changes_before;
-- Time travel: the latest change of a node up to a seq is one step into this index.
CREATE INDEX changes_by_node ON changes (node, seq, step, edit);
