-- How retention.c takes the past away, edit by edit.

-- :begin
BEGIN IMMEDIATE
-- :commit
COMMIT

-- The edit that the horizon comes to next, or has come to without being done with it.
-- :next
SELECT id, seq, ended, (SELECT step FROM kept), seq > (SELECT since FROM kept)
  FROM edits
 WHERE seq > (SELECT swept FROM kept)
 ORDER BY seq
 LIMIT 1
-- :mark
UPDATE kept SET since = max(since, :since), swept = :swept, step = :step
-- :changes
SELECT node, step FROM changes WHERE edit = :edit AND step >= :step ORDER BY step

-- The change that a node had before seq ?2, unless a checkpoint needs it: one in between, or one inside of the drag that made it.
-- :find_earlier
SELECT edit, step
  FROM (SELECT c.edit, c.step, c.seq, e.began_seq
          FROM changes c JOIN edits e ON e.id = c.edit
         WHERE c.node = ?1 AND c.seq < ?2
         ORDER BY c.seq DESC, c.step DESC
         LIMIT 1) p
 WHERE NOT EXISTS (SELECT 1 FROM checkpoints k
                    WHERE (k.seq >= p.seq AND k.seq < ?2) OR (k.seq > p.began_seq AND k.seq < p.seq))
-- :forget_change
DELETE FROM changes WHERE edit = :edit AND step = :step
-- Up to ?2 samples of an edit, unless a checkpoint is inside of it.
-- :forget_samples
DELETE FROM samples
 WHERE edit = ?1 AND (node, seq) IN (SELECT node, seq FROM samples WHERE edit = ?1 LIMIT ?2)
   AND NOT EXISTS (SELECT 1 FROM edits e JOIN checkpoints k ON k.seq > e.began_seq AND k.seq < e.seq WHERE e.id = ?1)
-- :forget_edit
DELETE FROM edits WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM changes WHERE edit = ?1)

-- A file that neither the scene, nor the history after seq ?1, nor a checkpoint has a node of: each of its nodes was deleted by then, and
-- no more than that is known of it.
-- :find_unused
SELECT a.first
  FROM assets a
 WHERE a.bytes IS NOT NULL AND a.seq <= ?1
   AND NOT EXISTS (SELECT 1 FROM nodes n
                    WHERE n.asset >= a.first AND n.asset < a.first + a.count
                      AND (n.deleted_seq IS NULL OR n.deleted_seq > ?1 OR
                           EXISTS (SELECT 1 FROM changes c WHERE c.node = n.id AND c.did <> 'delete')))
 LIMIT 1
-- :forget_bytes
UPDATE assets SET bytes = NULL WHERE first = :first

-- :since
SELECT since FROM kept
-- :count_edits
SELECT count(*) FROM edits WHERE seq > (SELECT since FROM kept)
