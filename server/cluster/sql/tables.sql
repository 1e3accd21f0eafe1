-- The tables of a cluster. What a column means is said in log.h.

-- :tables
CREATE TABLE gizmod.members (
    name    TEXT PRIMARY KEY,
    url     TEXT NOT NULL,
    version TEXT NOT NULL,
    process TEXT NOT NULL,         -- which of the processes of this name it is: random
    seen    TIMESTAMPTZ NOT NULL,
    since   TIMESTAMPTZ NOT NULL,  -- renewed without a pause that would end a lease
    behind  BIGINT NOT NULL DEFAULT 0, -- changes that its files lack
    behind_since TIMESTAMPTZ,      -- of the file that lacks some longest
    behind_scene TEXT,
    -- What members say of themselves, and how others know that it is they.
    signature TEXT NOT NULL DEFAULT '',
    trouble   TEXT NOT NULL DEFAULT '',
    refuses   TEXT NOT NULL DEFAULT '',
    unreached TEXT NOT NULL DEFAULT '',
    clock_ms  BIGINT NOT NULL DEFAULT 0,
    lacking   TEXT NOT NULL DEFAULT '*'
);

CREATE TABLE gizmod.scenes (
    name             TEXT PRIMARY KEY,
    life             BIGINT NOT NULL,  -- whose rows in log and copies are the scene's: random, for one life of the scene
    member           TEXT,
    wanted           TEXT,
    epoch            BIGINT NOT NULL,
    first_n          BIGINT NOT NULL,
    n                BIGINT NOT NULL,
    copy_n           BIGINT,           -- of copies, this one is in force
    copy_epoch       BIGINT,
    copy_version     INTEGER,
    copy_bytes       BIGINT NOT NULL DEFAULT 0,
    bytes_since_copy BIGINT NOT NULL DEFAULT 0,
    gone             TIMESTAMPTZ,      -- when it was deleted or renamed
    became           TEXT,
    before_n         BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE gizmod.log (
    life    BIGINT NOT NULL,
    n       BIGINT NOT NULL,
    part    INTEGER NOT NULL,
    epoch   BIGINT NOT NULL,
    version INTEGER NOT NULL,
    size    BIGINT NOT NULL,           -- bytes of all parts
    bytes   BYTEA NOT NULL,
    PRIMARY KEY (life, n, part)
);

CREATE TABLE gizmod.copies (
    life  BIGINT NOT NULL,
    n     BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    part  INTEGER NOT NULL,
    bytes BYTEA NOT NULL,
    PRIMARY KEY (life, n, epoch, part)
)
