-- What people write in the scene. Notes are no edits: they take no seq, and nothing undoes them.

-- Every note that ever was, as it was left last. A deleted one keeps its row.
CREATE TABLE notes (
    id INTEGER PRIMARY KEY,
    user TEXT NOT NULL,          -- who wrote it
    text TEXT NOT NULL,
    node INTEGER REFERENCES nodes,  -- what it is pinned to, perhaps deleted since; NULL for none
    x ANY, y ANY, z ANY,         -- where, in the node's own space, or without a node in the world; ANY as transforms are
    reply INTEGER REFERENCES notes,  -- the note that it answers
    done INTEGER NOT NULL CHECK (done IN (0, 1)),
    made REAL NOT NULL,
    changed REAL NOT NULL,       -- when it was changed last, or else made
    changed_by TEXT NOT NULL,
    gone REAL,                   -- when it was deleted; NULL while it is there
    CHECK (typeof(x) IN ('real', 'null') AND typeof(y) = typeof(x) AND typeof(z) = typeof(x)),
    CHECK (gone IS NULL OR gone = changed)
) STRICT;
CREATE INDEX notes_there ON notes (id) WHERE gone IS NULL;

-- The clients' own names for what they asked for: the same key again is the same request.
CREATE TABLE note_keys (
    user TEXT NOT NULL,
    key TEXT NOT NULL,
    note INTEGER NOT NULL REFERENCES notes,
    PRIMARY KEY (user, key)
) STRICT, WITHOUT ROWID;

-- Who wrote what about which node, newest first.
CREATE VIEW notes_in_words AS
SELECT w.user AS who, w.text,
       coalesce(n.name || iif(n.deleted_seq IS NULL, '', ' (deleted)'), iif(w.x IS NULL, 'the scene', 'a place')) AS about,
       iif(w.x IS NULL, '', printf('(%.3f, %.3f, %.3f) m', round(w.x, 3) + 0.0, round(w.y, 3) + 0.0, round(w.z, 3) + 0.0)) AS place,
       r.user AS answers,
       CASE WHEN w.gone IS NOT NULL THEN 'deleted by ' || w.changed_by WHEN w.done THEN 'done' ELSE 'open' END AS state,
       strftime('%Y-%m-%dT%H:%M:%fZ', w.made, 'unixepoch') AS made,
       strftime('%Y-%m-%dT%H:%M:%fZ', w.changed, 'unixepoch') AS changed,
       w.id AS note, w.node AS node_id, w.reply
  FROM notes w
  LEFT JOIN nodes n ON n.id = w.node
  LEFT JOIN notes r ON r.id = w.reply
 ORDER BY w.id DESC;
