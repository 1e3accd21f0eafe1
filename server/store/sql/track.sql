-- Where the node ?1 was, point by point, after time ?2 and before ?3, at most ?4 points.

-- One kind of point of each kept edit that changed the node begins so.
-- let kept_changes
FROM changes c JOIN edits e ON e.id = c.edit {p} WHERE c.node = ?1 AND (c.seq IS NULL OR c.seq > (SELECT since FROM kept))

-- Of one seq the step orders them: where an edit ended, where the next drag began, then samples and rests. A sample at the seq of its
-- edit's end is that end; a rest is two points.
-- :points
SELECT *
  FROM (SELECT c.seq AS seq, 0 AS step, e.ended AS time, e.id AS edit, c.after_parent AS parent, {trs c.after_}
          {kept_changes} AND c.seq IS NOT NULL AND c.did <> 'delete'
        UNION ALL
        SELECT e.began_seq, 1, e.began, e.id, c.before_parent, {trs c.before_}
          {kept_changes} AND (e.handle IS NOT NULL OR e.kind IN ('wheel', 'pose'))
        UNION ALL
        SELECT s.seq, 2, s.time, e.id, c.before_parent, {trs s.}
          {kept_changes JOIN samples s ON s.edit = c.edit AND s.node = c.node} AND (c.seq IS NULL OR s.seq < c.seq)
        UNION ALL
        SELECT s.seq, 3, s.until, e.id, c.before_parent, {trs s.}
          {kept_changes JOIN samples s ON s.edit = c.edit AND s.node = c.node} AND s.until IS NOT NULL)
 WHERE time > coalesce(?2, -9e999) AND time < coalesce(?3, 9e999)
 ORDER BY seq, step, time
 LIMIT ?4

-- :node
SELECT 1 FROM nodes WHERE id = ?1
