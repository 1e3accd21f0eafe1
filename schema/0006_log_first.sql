-- Where a log began says which log it is, and so which scene the file is of.

CREATE TABLE scene_before AS SELECT * FROM scene;
DROP TABLE scene;
CREATE TABLE scene (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,        -- the last change that is saved
    time REAL NOT NULL,          -- when that was
    next_node INTEGER NOT NULL,  -- the next free ids
    next_edit INTEGER NOT NULL,
    created REAL NOT NULL,
    made_by TEXT NOT NULL,       -- the server that made the file
    log_n INTEGER NOT NULL DEFAULT 0,     -- how far into the log the file is; 0 if it is in none
    log_first INTEGER NOT NULL DEFAULT 0  -- where that log began; 0 if the file is in none
) STRICT;
-- Some builds wrote log_first into files of version 13 already, others did not. Where scene_before has no such column, the name
-- means the 0 around it. A file that does not know its log is in none.
INSERT INTO scene
SELECT id, seq, time, next_node, next_edit, created, made_by, iif(first = 0, 0, log_n), first
  FROM scene_before, (SELECT (SELECT log_first FROM scene_before) AS first FROM (SELECT 0 AS log_first));
DROP TABLE scene_before;
