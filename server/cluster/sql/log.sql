-- What the log asks of the database: plain SQL, which others that speak PostgreSQL's protocol know too.

-- Whether member `m` is alive; $1 is how long after it was seen, in seconds.
-- let alive
m.trouble = '' AND m.seen > now() - $1::double precision * INTERVAL '1 second'
-- Whether member `m` could take the scene of the statement at once.
-- let ready
m.refuses = '' AND m.lacking <> '*' AND position(' ' || gizmod.scenes.name || ' ' IN m.lacking) = 0
-- Whether member $3 may take the scene $2 from whoever has it. When the database was away nobody could renew: who is back first
-- leaves the others as much time as a lease has.
-- let free
name = $2 AND gone IS NULL AND (member IS NULL OR member = $3
    OR NOT EXISTS (SELECT 1 FROM gizmod.members m WHERE m.name = gizmod.scenes.member AND ({alive}
        OR EXISTS (SELECT 1 FROM gizmod.members t WHERE t.name = $3 AND t.since > now() - $1::double precision * INTERVAL '1 second'))))
-- A scene, as scene_of reads it.
-- let scene
name, life, member, wanted, epoch, first_n, n, copy_n, copy_epoch, copy_version, copy_bytes, bytes_since_copy, gone IS NOT NULL, became, before_n

-- :enter
INSERT INTO gizmod.members (name, url, version, process, seen, since, signature, trouble, clock_ms)
VALUES ($1, $2, $3, $4, now(), now(), $5, $6, $7::bigint - (extract(epoch FROM now()) * 1000)::bigint)
ON CONFLICT (name) DO UPDATE SET url = excluded.url, version = excluded.version, process = excluded.process, seen = now(), since = now(),
    signature = excluded.signature, trouble = excluded.trouble, clock_ms = excluded.clock_ms, refuses = '', unreached = '',
    behind = 0, behind_since = NULL, behind_scene = NULL, lacking = '*'
-- :renew
UPDATE gizmod.members SET seen = now(),
    since = CASE WHEN seen > now() - $1::double precision * INTERVAL '1 second' THEN since ELSE now() END,
    trouble = $4, refuses = $5, unreached = $6, clock_ms = $7::bigint - (extract(epoch FROM now()) * 1000)::bigint
WHERE name = $2 AND process = $3
-- :leave
DELETE FROM gizmod.members WHERE name = $1 AND process = $2
-- :report
UPDATE gizmod.members SET behind = $3, behind_since = now() - $4::bigint * INTERVAL '1 millisecond', behind_scene = $5,
    lacking = $6
WHERE name = $1 AND process = $2
-- :members
SELECT name, url, version, extract(epoch FROM now() - seen)::double precision, behind,
    coalesce(extract(epoch FROM now() - behind_since)::double precision, 0), coalesce(behind_scene, ''), lacking,
    signature, trouble, refuses, unreached, clock_ms FROM gizmod.members ORDER BY name

-- A scene of this name, if there is none. Its numbers begin at the milliseconds of the clock, and after the place $3: the clock of
-- another database may have been ahead.
-- :make
INSERT INTO gizmod.scenes AS s (name, life, epoch, first_n, n)
SELECT $1::text, $2::bigint, 0, c.n, c.n FROM (SELECT greatest((extract(epoch FROM now()) * 1000)::bigint, $3::bigint + 1) AS n) AS c
ON CONFLICT (name) DO UPDATE SET life = excluded.life, member = NULL, wanted = NULL,
    first_n = greatest(excluded.first_n, s.n + 1, s.before_n + 1), n = greatest(excluded.first_n, s.n + 1, s.before_n + 1),
    before_n = greatest(s.n, s.before_n),
    copy_n = NULL, copy_epoch = NULL, copy_version = NULL, copy_bytes = 0, bytes_since_copy = 0, gone = NULL, became = NULL
WHERE s.gone IS NOT NULL
-- :take
UPDATE gizmod.scenes SET member = $3, epoch = epoch + 1, wanted = nullif(wanted, $3)
WHERE {free}
RETURNING {scene}
-- The file of member $3 is at place $4 of the log that began at $5; $6: it takes no scenes at all; $7: the number of changes that
-- are soon caught up with. If it could not take the scene at once, and another member could, that one gets it.
-- :defer
UPDATE gizmod.scenes SET epoch = epoch + 1, wanted = NULL,
    member = (SELECT min(m.name) FROM gizmod.members m WHERE m.name <> $3 AND {alive} AND {ready})
WHERE {free} AND copy_n IS NOT NULL AND ($6::bigint = 1 OR first_n <> $5 OR n - $4::bigint > $7::bigint)
    AND EXISTS (SELECT 1 FROM gizmod.members m WHERE m.name <> $3 AND {alive} AND {ready})
-- :scene
SELECT {scene}, m.url, m.signature FROM gizmod.scenes LEFT JOIN (SELECT name AS who, url, signature FROM gizmod.members) m ON m.who = member
WHERE name = $1
-- :scenes
SELECT {scene} FROM gizmod.scenes ORDER BY name
-- :give
UPDATE gizmod.scenes SET member = (SELECT m.name FROM gizmod.members m WHERE m.name = gizmod.scenes.wanted AND {alive}), wanted = NULL
WHERE name = $2 AND epoch = $3 AND member = $4
-- Of a member that is alive the scene is asked back; else it is given right away.
-- :want
UPDATE gizmod.scenes SET wanted = nullif($3, member)
WHERE name = $2 AND gone IS NULL AND EXISTS (SELECT 1 FROM gizmod.members m WHERE m.name = gizmod.scenes.member AND {alive})
    AND EXISTS (SELECT 1 FROM gizmod.members m WHERE m.name = $3 AND {alive} AND (m.name = gizmod.scenes.member OR {ready}))
-- :assign
UPDATE gizmod.scenes SET member = $3, wanted = NULL, epoch = epoch + 1
WHERE name = $2 AND gone IS NULL AND NOT EXISTS (SELECT 1 FROM gizmod.members m WHERE m.name = gizmod.scenes.member AND {alive})
    AND EXISTS (SELECT 1 FROM gizmod.members m WHERE m.name = $3 AND {alive} AND (m.name = gizmod.scenes.member OR {ready}))
-- Why the member got no scene.
-- :unready
SELECT m.refuses, m.lacking FROM gizmod.members m WHERE m.name = $2 AND {alive}

-- The fence: the row of the scene is changed where the lease is still mine. A taking of the lease that is under way is waited
-- for, and changes what is found.
-- :append
WITH fence AS (
    UPDATE gizmod.scenes SET n = n + 1, bytes_since_copy = bytes_since_copy + $6
    WHERE name = $1 AND epoch = $2 AND member = $3 AND gone IS NULL AND n = $4::bigint - 1
    RETURNING life)
INSERT INTO gizmod.log (life, n, part, epoch, version, size, bytes)
SELECT life, $4, 0, $2, $5::integer, $6, $7 FROM fence
RETURNING life
-- :append_part
INSERT INTO gizmod.log (life, n, part, epoch, version, size, bytes) VALUES ($1, $2, $3, $4, $5, $6, $7)
-- Whether a change is in the log, from the same hand. The first part will do, as all parts come in one transaction.
-- PostgreSQL may have been killed when only its own disk had the change: a commit that changes nothing waits for the standby.
-- :appended
UPDATE gizmod.scenes SET n = gizmod.scenes.n FROM gizmod.log l
WHERE gizmod.scenes.life = l.life AND gizmod.scenes.name = $1 AND l.epoch = $2 AND l.n = $3 AND l.part = 0 AND l.size = $4 AND l.bytes = $5
RETURNING l.n
-- :changes
SELECT n, part, epoch, version, size, bytes FROM gizmod.log WHERE life = $1 AND n > $2 ORDER BY n, part

-- Copies that were begun and not ended, or that are not in force any more. Those of a later authority are its own: this
-- statement may come late.
-- :drop_copies
DELETE FROM gizmod.copies WHERE life = $1 AND epoch <= $2 AND NOT EXISTS (
    SELECT 1 FROM gizmod.scenes s WHERE s.life = $1 AND s.copy_n = gizmod.copies.n AND s.copy_epoch = gizmod.copies.epoch)
-- :copy_part
INSERT INTO gizmod.copies (life, n, epoch, part, bytes)
SELECT s.life, $4, $2, $5::integer, $6 FROM gizmod.scenes s WHERE s.name = $1 AND s.epoch = $2 AND s.member = $3
-- Only with all of its parts.
-- :copy_end
UPDATE gizmod.scenes SET copy_n = $4, copy_epoch = $2, copy_version = $5, copy_bytes = $6, bytes_since_copy = (
    SELECT coalesce(sum(l.size), 0)::bigint FROM gizmod.log l WHERE l.life = gizmod.scenes.life AND l.part = 0 AND l.n > $4)
WHERE name = $1 AND epoch = $2 AND member = $3 AND gone IS NULL AND EXISTS (
    SELECT 1 FROM gizmod.copies c WHERE c.life = $8 AND c.n = $4 AND c.epoch = $2
    HAVING count(*) = $7 AND coalesce(sum(length(c.bytes)), 0) = $6)
-- :drop_changes
DELETE FROM gizmod.log WHERE life = $1 AND n <= $2
-- :copy
SELECT part, bytes FROM gizmod.copies WHERE life = $1 AND n = $2 AND epoch = $3 ORDER BY part

-- :leave_name
UPDATE gizmod.scenes SET gone = now(), became = $4, member = NULL, wanted = NULL, epoch = epoch + 1
WHERE name = $1 AND epoch = $2 AND member = $3 AND gone IS NULL
RETURNING life
-- :drop_log
DELETE FROM gizmod.log WHERE life = $1
-- :drop_all_copies
DELETE FROM gizmod.copies WHERE life = $1
-- :drop_gone
DELETE FROM gizmod.scenes WHERE gone < now() - $1::double precision * INTERVAL '1 day'
-- The epoch of a name never falls, or who had a lease of this name before would not find out that it is lost.
-- :take_name
INSERT INTO gizmod.scenes AS s (name, life, member, wanted, epoch, first_n, n, copy_n, copy_epoch, copy_version, copy_bytes, bytes_since_copy)
SELECT $4::text, life, member, wanted, epoch, first_n, n, copy_n, copy_epoch, copy_version, copy_bytes, bytes_since_copy
FROM gizmod.scenes WHERE name = $1 AND epoch = $2 AND member = $3 AND gone IS NULL
ON CONFLICT (name) DO UPDATE SET life = excluded.life, member = excluded.member, wanted = excluded.wanted, epoch = greatest(excluded.epoch, s.epoch),
    first_n = excluded.first_n, n = excluded.n, copy_n = excluded.copy_n, copy_epoch = excluded.copy_epoch,
    copy_version = excluded.copy_version, copy_bytes = excluded.copy_bytes, bytes_since_copy = excluded.bytes_since_copy,
    gone = NULL, became = NULL, before_n = greatest(s.n, s.before_n)
WHERE s.gone IS NOT NULL
RETURNING epoch
