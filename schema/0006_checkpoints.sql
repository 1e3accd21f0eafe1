-- Names for states of the scene, which stand wherever a seq does. What one needs of the history is never removed.
CREATE TABLE checkpoints (
    name TEXT PRIMARY KEY CHECK (name GLOB '*[^0-9]*'),  -- of digits alone it would be a seq
    seq INTEGER NOT NULL CHECK (seq >= 0),
    user TEXT NOT NULL,          -- who gave it
    made REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- Whether an edit is undone, and by whom, is found by what is about it.
CREATE INDEX edits_by_target ON edits (target, seq) WHERE kind IN ('undo', 'redo');

-- Each checkpoint: what its name stands for, and how much was done since. The newest state first.
CREATE VIEW checkpoints_in_words AS
SELECT c.name, c.user AS who, strftime('%Y-%m-%dT%H:%M:%fZ', c.made, 'unixepoch') AS made,
       (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', e.ended, 'unixepoch') FROM edits e
         WHERE e.seq <= c.seq ORDER BY e.seq DESC LIMIT 1) AS as_of,
       (SELECT count(*) FROM edits e WHERE e.seq > c.seq) AS edits_since,
       c.seq
  FROM checkpoints c
 ORDER BY c.seq DESC, c.made DESC;
