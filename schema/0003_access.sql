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

-- Who may what now, by whom and since when.
CREATE VIEW access AS
SELECT glob AS who, role AS may, user AS given_by, strftime('%Y-%m-%dT%H:%M:%fZ', made, 'unixepoch') AS since
  FROM access_changes c
 WHERE role IS NOT NULL AND change = (SELECT max(change) FROM access_changes l WHERE l.glob = c.glob)
 ORDER BY glob;
