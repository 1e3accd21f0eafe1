-- A scene's file can be one of several that are equal, on several machines: each transaction goes to a log, and from there into the
-- other files.

-- How far into the log the file is; 0 if it is in none.
ALTER TABLE scene ADD COLUMN log_n INTEGER NOT NULL DEFAULT 0;

-- The log says of each row which one it is, by the primary key, and `changes` had none. Its rows now stand in the order of the edits,
-- where an index stood before: one tree less to write to. The views stay as they are, by the old way of renaming.
PRAGMA legacy_alter_table = ON;
ALTER TABLE changes RENAME TO changes_before;
PRAGMA legacy_alter_table = OFF;
DROP INDEX changes_by_edit;
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
) STRICT, WITHOUT ROWID;
INSERT INTO changes SELECT * FROM changes_before ORDER BY edit, step;
DROP TABLE changes_before;
-- Time travel: the latest change of a node up to a seq is one step into this index.
CREATE INDEX changes_by_node ON changes (node, seq, step, edit);
