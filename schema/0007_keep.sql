-- One row: how much of the past is there. Where a server was told to keep a part of it only, each node has one change at `since` or before
-- it, its latest one then; what came after is whole.
CREATE TABLE kept (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    since INTEGER NOT NULL,      -- the scene can be asked for at this seq and after it; 0: from its beginning on
    swept INTEGER NOT NULL,      -- of what was before the edits up to here, nothing is left that is not needed
    step INTEGER NOT NULL,       -- nor before so many changes of the edit after those
    CHECK (swept <= since)
) STRICT;
INSERT INTO kept VALUES (1, 0, 0, 0);

-- What a checkpoint needed of the past before `since` is looked at again once it is gone.
CREATE TRIGGER checkpoint_gone AFTER DELETE ON checkpoints BEGIN
    UPDATE kept SET swept = 0, step = 0 WHERE OLD.seq < since;
END;

-- None is made for a state that is there no more.
CREATE TRIGGER checkpoint_made BEFORE INSERT ON checkpoints
WHEN NEW.seq < (SELECT since FROM kept) BEGIN
    SELECT RAISE(ABORT, 'the state of a checkpoint is no longer kept');
END;
CREATE INDEX checkpoints_by_seq ON checkpoints (seq);
