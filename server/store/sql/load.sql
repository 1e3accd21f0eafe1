-- What load.c reads of a scene that is opened.

-- The scene's time is that of the latest thing in it.
-- :scene
SELECT seq, next_node, next_edit,
       max(time, coalesce((SELECT ended FROM edits WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1), time), coalesce((SELECT max(changed) FROM notes), time),
           coalesce((SELECT max(made) FROM checkpoints), time),
           coalesce((SELECT max(made) FROM access_changes), time))
  FROM scene

-- Everything that was saved when an epoch ended is where the next one began. The latest ones first.
-- :epochs
SELECT epoch, ended_seq
  FROM (SELECT e.epoch, (SELECT n.began_seq FROM epochs n WHERE n.epoch > e.epoch ORDER BY n.epoch LIMIT 1) AS ended_seq
          FROM epochs e)
 WHERE ended_seq IS NOT NULL
 ORDER BY epoch DESC
 LIMIT :count

-- :alive
SELECT id, seq, deleted_seq, {content} FROM nodes WHERE deleted_seq IS NULL ORDER BY id
-- The seq after which there are :count deleted nodes.
-- :tombstones_from
SELECT deleted_seq FROM nodes WHERE deleted_seq IS NOT NULL ORDER BY deleted_seq DESC LIMIT 1 OFFSET :count
-- :deleted
SELECT id, seq, deleted_seq, {content} FROM nodes WHERE deleted_seq > :from ORDER BY deleted_seq

-- :asset_count
SELECT count(*) FROM assets
-- :assets
SELECT first, count, seq, sha256, coalesce(length(bytes), 0) FROM assets ORDER BY first

-- How many changes each of the latest edits has.
-- :change_counts
SELECT (SELECT count(*) FROM changes c WHERE c.edit = e.id)
  FROM edits e
 WHERE e.seq IS NOT NULL
 ORDER BY e.seq DESC, e.id DESC
 LIMIT :count
-- :edits
SELECT {edit} FROM edits e WHERE e.seq IS NOT NULL ORDER BY e.seq DESC, e.id DESC LIMIT :count

-- :note_count
SELECT count(*) FROM notes WHERE gone IS NULL
-- :last_note
SELECT max(id) FROM notes
-- :notes
SELECT {note} FROM notes WHERE gone IS NULL ORDER BY id

-- :checkpoint_count
SELECT count(*) FROM checkpoints
-- :checkpoints
SELECT name, seq, user, made FROM checkpoints ORDER BY seq, made

-- The latest change of each pattern.
-- let access_in_force
FROM access_changes c
 WHERE role IS NOT NULL AND change = (SELECT max(change) FROM access_changes l WHERE l.glob = c.glob)
-- :access_count
SELECT count(*) {access_in_force}
-- :access
SELECT glob, role, user, made {access_in_force} ORDER BY glob
