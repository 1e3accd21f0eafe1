-- A scene's tables, their indexes and triggers. Once this file is released it is never edited (README.md, How it changes).
--
-- An edit writes to few pages, and a page is as small as a change is (PAGE_BYTES in server/store/database.c). The words of a CHECK of
-- each edit and change are compared one by one: for `x IN (...)` with three words and more SQLite makes a table of the words for each
-- row that it checks, which was three quarters of the work for an edit.
--
-- Metres, radians, Unix seconds. Transforms are local to the parent: translation tx ty tz, rotation quaternion rx ry rz rw,
-- scale sx sy sz. Their columns are ANY with a check, not REAL, because REAL stores -0.0 as 0 and a scene comes back bit by bit.
PRAGMA application_id = 0x477A5363; -- "GzSc"

-- One row: where the scene stands. Its file can be one of several that are equal, on several machines: each transaction goes to a log,
-- and from there into the other files.
CREATE TABLE scene (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,        -- the last change that is saved
    time REAL NOT NULL,          -- when that was
    next_node INTEGER NOT NULL,  -- the next free ids
    next_edit INTEGER NOT NULL,
    created REAL NOT NULL,
    made_by TEXT NOT NULL,       -- the server that made the file
    log_n INTEGER NOT NULL DEFAULT 0,     -- how far into the log the file is; 0 if it is in none
    log_first INTEGER NOT NULL DEFAULT 0, -- where that log began; 0 if the file is in none
    told_seq INTEGER,            -- how far the hook was told: the edits up to this seq,
    told_news INTEGER,           -- and the news up to this one; both NULL if the scene was never opened with a hook
    CHECK ((told_seq IS NULL) = (told_news IS NULL))
) STRICT;

-- One row for each time that a server opened the file. Everything up to began_seq was saved before the epoch began.
CREATE TABLE epochs (
    epoch INTEGER PRIMARY KEY,   -- milliseconds since 1970 when it began, or the next free number
    began REAL NOT NULL,
    began_seq INTEGER NOT NULL,
    server TEXT NOT NULL
) STRICT;

-- Every visit of a user.
CREATE TABLE sessions (
    epoch INTEGER NOT NULL REFERENCES epochs,
    session INTEGER NOT NULL,
    user TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'editor', 'admin')),
    joined REAL NOT NULL,
    left REAL,                   -- NULL while the user is there
    PRIMARY KEY (epoch, session)
) STRICT, WITHOUT ROWID;

-- Every node that ever was, as it is now; a deleted node as it was at its end.
CREATE TABLE nodes (
    id INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,        -- the node's last change
    deleted_seq INTEGER,         -- NULL while alive
    parent INTEGER REFERENCES nodes DEFERRABLE INITIALLY DEFERRED,  -- NULL under the root
    name TEXT NOT NULL,
    tx ANY NOT NULL, ty ANY NOT NULL, tz ANY NOT NULL,
    rx ANY NOT NULL, ry ANY NOT NULL, rz ANY NOT NULL, rw ANY NOT NULL,
    sx ANY NOT NULL, sy ANY NOT NULL, sz ANY NOT NULL,
    min_x ANY, min_y ANY, min_z ANY, max_x ANY, max_y ANY, max_z ANY,  -- in its own frame; NULL without a body
    asset INTEGER,               -- the number of the glTF node that it came from (assets); never changed
    CHECK (deleted_seq IS NULL OR deleted_seq = seq),
    CHECK (typeof(tx) = 'real' AND typeof(ty) = 'real' AND typeof(tz) = 'real' AND
           typeof(rx) = 'real' AND typeof(ry) = 'real' AND typeof(rz) = 'real' AND typeof(rw) = 'real' AND
           typeof(sx) = 'real' AND typeof(sy) = 'real' AND typeof(sz) = 'real'),
    CHECK (typeof(min_x) IN ('real', 'null') AND typeof(min_y) = typeof(min_x) AND typeof(min_z) = typeof(min_x) AND
           typeof(max_x) = typeof(min_x) AND typeof(max_y) = typeof(min_x) AND typeof(max_z) = typeof(min_x))
) STRICT;
CREATE INDEX nodes_by_parent ON nodes (parent);
CREATE INDEX nodes_deleted ON nodes (deleted_seq) WHERE deleted_seq IS NOT NULL;

-- What people did. A drag that is still running has neither ended nor seq.
CREATE TABLE edits (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind = 'translate' OR kind = 'rotate' OR kind = 'scale' OR kind = 'ball' OR kind = 'wheel'
               OR kind = 'set' OR kind = 'create' OR kind = 'delete' OR kind = 'undo' OR kind = 'redo'
               OR kind = 'restore' OR kind = 'import' OR kind = 'pose'),
    handle TEXT CHECK (handle IS NULL OR handle = 'tx' OR handle = 'ty' OR handle = 'tz' OR handle = 'txy' OR handle = 'tyz'
               OR handle = 'tzx' OR handle = 'tv' OR handle = 'rx' OR handle = 'ry' OR handle = 'rz'
               OR handle = 'rv' OR handle = 'rb' OR handle = 'sx' OR handle = 'sy' OR handle = 'sz'
               OR handle = 'sxy' OR handle = 'syz' OR handle = 'szx' OR handle = 'su' OR handle = 'bxn'
               OR handle = 'bxp' OR handle = 'byn' OR handle = 'byp' OR handle = 'bzn'
               OR handle = 'bzp' OR handle = 'bnnn' OR handle = 'bnnp' OR handle = 'bnpn'
               OR handle = 'bnpp' OR handle = 'bpnn' OR handle = 'bpnp' OR handle = 'bppn'
               OR handle = 'bppp'),
    epoch INTEGER NOT NULL REFERENCES epochs,
    session INTEGER,             -- NULL if no session made the edit: an import over HTTP
    user TEXT NOT NULL,
    key TEXT,                    -- the client's own name for the edit: the same key again is the same edit
    target INTEGER,              -- undo, redo: the edit that was undone or redone; restore: the seq that was restored
    began REAL NOT NULL,
    ended REAL,
    began_seq INTEGER NOT NULL,  -- before the edit's first change
    seq INTEGER,                 -- the edit's last change
    residual REAL NOT NULL,      -- the part of the motion that translation, rotation and scale could not represent, relative
    typed ANY,                   -- the value of a drag if it was typed: metres, radians or a factor; ANY as transforms are
    typed2 ANY,                  -- the value along the second axis of a plane
    FOREIGN KEY (epoch, session) REFERENCES sessions (epoch, session),
    CHECK ((seq IS NULL) = (ended IS NULL)),
    CHECK (typeof(typed) IN ('real', 'null') AND typeof(typed2) IN ('real', 'null')),
    CHECK (typed IS NOT NULL OR typed2 IS NULL)
) STRICT;
CREATE UNIQUE INDEX edits_by_key ON edits (user, key) WHERE key IS NOT NULL;
CREATE INDEX edits_by_seq ON edits (seq);
-- Time goes on with seq, so that the edits until a time are found by halving: no index by time. Running drags are few.
CREATE INDEX edits_by_user ON edits (user, seq);
CREATE INDEX edits_running ON edits (began) WHERE ended IS NULL;
-- Whether an edit is undone, and by whom, is found by the edits whose target it is.
CREATE INDEX edits_by_target ON edits (target, seq) WHERE kind IN ('undo', 'redo');

-- What each edit did to each node: the node before and after. The after columns are NULL while the drag is running. With a row id,
-- because the rows of a tree WITHOUT ROWID must be small: in pages of 1 KiB a change would take two.
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
-- Time travel: the latest change of a node up to a seq is one step into this index.
CREATE INDEX changes_by_node ON changes (node, seq, step, edit);

-- The path of each drag: the points where it had a node. A point is left out if the straight line past it tells as much; `until` is set
-- if the node rested at the point until then, because the line would have the node creep.
CREATE TABLE samples (
    edit INTEGER NOT NULL REFERENCES edits DEFERRABLE INITIALLY DEFERRED,
    node INTEGER NOT NULL REFERENCES nodes,
    seq INTEGER NOT NULL,
    time REAL NOT NULL,
    tx ANY NOT NULL, ty ANY NOT NULL, tz ANY NOT NULL,
    rx ANY NOT NULL, ry ANY NOT NULL, rz ANY NOT NULL, rw ANY NOT NULL,
    sx ANY NOT NULL, sy ANY NOT NULL, sz ANY NOT NULL, until REAL,
    PRIMARY KEY (edit, node, seq),
    CHECK (typeof(tx) = 'real' AND typeof(ty) = 'real' AND typeof(tz) = 'real' AND
           typeof(rx) = 'real' AND typeof(ry) = 'real' AND typeof(rz) = 'real' AND typeof(rw) = 'real' AND
           typeof(sx) = 'real' AND typeof(sy) = 'real' AND typeof(sz) = 'real')
) STRICT, WITHOUT ROWID;

-- The glTF files that nodes came from, each content once. The nodes of all files are numbered through: those of a file have the numbers
-- first, first + 1 and so on, in the order of its list "nodes". No number is given twice.
CREATE TABLE assets (
    first INTEGER PRIMARY KEY CHECK (first >= 0),
    count INTEGER NOT NULL CHECK (count > 0),
    seq INTEGER NOT NULL,        -- of the edit that brought the file first
    media_type TEXT NOT NULL CHECK (media_type IN ('model/gltf-binary', 'model/gltf+json')),
    sha256 TEXT NOT NULL,        -- of the bytes
    bytes BLOB                   -- NULL once neither the scene nor the kept history has a node of the file
) STRICT;

-- What people write in the scene. Notes are no edits: they take no seq, and nothing undoes them.
-- Every note that ever was, as it was left last. A deleted note keeps its row.
CREATE TABLE notes (
    id INTEGER PRIMARY KEY,
    user TEXT NOT NULL,          -- who wrote it
    text TEXT NOT NULL,
    node INTEGER REFERENCES nodes,  -- the node that the note is pinned to, perhaps deleted since; NULL for none
    x ANY, y ANY, z ANY,         -- the place, in the node's own space or, without a node, in the world; ANY as transforms are
    reply INTEGER REFERENCES notes,  -- the note that this one answers
    done INTEGER NOT NULL CHECK (done IN (0, 1)),
    made REAL NOT NULL,
    changed REAL NOT NULL,       -- when the note was changed last, or else made
    changed_by TEXT NOT NULL,
    gone REAL,                   -- when the note was deleted; NULL while it is there
    CHECK (typeof(x) IN ('real', 'null') AND typeof(y) = typeof(x) AND typeof(z) = typeof(x)),
    CHECK (gone IS NULL OR gone = changed)
) STRICT;
CREATE INDEX notes_there ON notes (id) WHERE gone IS NULL;

-- The clients' own names for requests about notes: the same key again is the same request.
CREATE TABLE note_keys (
    user TEXT NOT NULL,
    key TEXT NOT NULL,
    note INTEGER NOT NULL REFERENCES notes,
    PRIMARY KEY (user, key)
) STRICT, WITHOUT ROWID;

-- Names for states of the scene: a name stands wherever a seq does. The part of the history that a checkpoint needs is never removed.
CREATE TABLE checkpoints (
    name TEXT PRIMARY KEY CHECK (name GLOB '*[^0-9]*'),  -- digits alone would be a seq
    seq INTEGER NOT NULL CHECK (seq >= 0),
    user TEXT NOT NULL,          -- who gave the name
    made REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX checkpoints_by_seq ON checkpoints (seq);

-- What happened besides edits, in its order: each change of a note, each checkpoint that was given or removed.
CREATE TABLE news (
    id INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL REFERENCES epochs,
    seq INTEGER NOT NULL CHECK (seq >= 0),  -- the scene's then: its place among the edits
    note INTEGER REFERENCES notes,   -- the note, as it is now: NULL for a checkpoint
    checkpoint TEXT,                 -- the name; NULL for a note
    named INTEGER,                   -- the seq that the name stood for
    user TEXT,                       -- who gave or removed the name
    made REAL,                       -- when that was
    gone INTEGER CHECK (gone IN (0, 1)),  -- whether the name was removed
    CHECK ((note IS NULL) = (checkpoint IS NOT NULL)),
    CHECK ((checkpoint IS NULL) = (named IS NULL) AND (checkpoint IS NULL) = (user IS NULL) AND
           (checkpoint IS NULL) = (made IS NULL) AND (checkpoint IS NULL) = (gone IS NULL))
) STRICT;

-- One row: how much of the past is there. If a server was told to keep only a part, each node has exactly one change at `since` or
-- before it, the latest one then; everything after `since` is whole.
CREATE TABLE kept (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    since INTEGER NOT NULL,      -- the scene can be read at this seq and at every later one; 0: from the beginning
    swept INTEGER NOT NULL,      -- everything that the edits up to this seq made useless is removed
    step INTEGER NOT NULL,       -- and what the first so many changes of the next edit made useless
    CHECK (swept <= since)
) STRICT;
INSERT INTO kept VALUES (1, 0, 0, 0);

-- A checkpoint may have needed a part of the past before `since`: without the checkpoint that part is looked at again.
CREATE TRIGGER checkpoint_gone AFTER DELETE ON checkpoints BEGIN
    UPDATE kept SET swept = 0, step = 0 WHERE OLD.seq < since;
END;

-- No checkpoint is made for a state that is no longer kept.
CREATE TRIGGER checkpoint_made BEFORE INSERT ON checkpoints
WHEN NEW.seq < (SELECT since FROM kept) BEGIN
    SELECT RAISE(ABORT, 'the state of a checkpoint is no longer kept');
END;

-- A scene's own access: which users may what in it, beside what their tokens give them.
-- Every change of the access that ever was: a role that was given to the users whose names a pattern matches, or taken from them.
-- In a pattern `*` is any characters or none, `?` is one character. The latest change of a pattern counts.
CREATE TABLE access_changes (
    change INTEGER PRIMARY KEY,
    glob TEXT NOT NULL CHECK (glob <> ''),
    role TEXT CHECK (role IN ('viewer', 'editor', 'admin')),  -- NULL: what the pattern had is taken away
    user TEXT NOT NULL,          -- who made the change
    made REAL NOT NULL
) STRICT;
CREATE INDEX access_changes_by_glob ON access_changes (glob, change);
