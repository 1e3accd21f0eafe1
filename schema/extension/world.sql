-- What world.c asks. ?1 is a node, ?2 a seq, ?3 a drag.
-- The transform of a row is always its columns 2 to 11.

-- let trs
{p}tx, {p}ty, {p}tz, {p}rx, {p}ry, {p}rz, {p}rw, {p}sx, {p}sy, {p}sz

-- The node as it is: is it alive, its parent, its transform, the scene's seq.
-- :now
SELECT deleted_seq IS NULL, parent, {trs}, (SELECT seq FROM scene) FROM nodes WHERE id = ?1

-- The node as its latest change up to the seq left it.
-- :then
SELECT did <> 'delete', after_parent, {trs after_}
  FROM changes
 WHERE node = ?1 AND seq <= ?2
 ORDER BY seq DESC, step DESC
 LIMIT 1

-- A drag that was running at the seq has its change later. It is the node's next change, because nobody else changes a node that is
-- held; or the drag is still running. The answer is the drag, and the point of its path before the seq: a sample, or where the drag
-- found the node.
-- :before
WITH drag (edit, step) AS (
    SELECT c.edit, c.step
      FROM changes c JOIN edits e ON e.id = c.edit
     WHERE (c.edit, c.step) =
           (SELECT edit, step FROM (SELECT edit, step FROM changes WHERE node = ?1 AND seq > ?2 ORDER BY seq, step LIMIT 1)
            UNION ALL SELECT edit, step FROM changes WHERE node = ?1 AND seq IS NULL
            LIMIT 1)
       AND e.began_seq < ?2 AND (e.handle IS NOT NULL OR e.kind IN ('wheel', 'pose')))
SELECT edit, seq, {trs}
  FROM (SELECT s.edit, s.seq, {trs s.}
          FROM drag d JOIN samples s ON s.edit = d.edit
         WHERE s.node = ?1 AND s.seq <= ?2
         ORDER BY s.seq DESC
         LIMIT 1)
UNION ALL
SELECT e.id, e.began_seq, {trs c.before_}
  FROM drag d JOIN changes c ON c.edit = d.edit AND c.step = d.step JOIN edits e ON e.id = d.edit
 LIMIT 1

-- The point of the drag's path after the seq: a sample, or where the drag left the node.
-- :after
SELECT edit, seq, {trs}
  FROM (SELECT edit, seq, {trs} FROM samples WHERE edit = ?3 AND node = ?1 AND seq > ?2 ORDER BY seq LIMIT 1)
UNION ALL
SELECT edit, seq, {trs after_} FROM changes WHERE edit = ?3 AND node = ?1 AND seq > ?2
 LIMIT 1

-- Where the kept past begins, if that is after the seq.
-- :since
SELECT since FROM kept
 WHERE ?1 NOTNULL AND since > max(?2, 0) AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE seq = ?2)
