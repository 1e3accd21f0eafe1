-- What query.c asks of the past.

-- The latest undo or redo of an edit, and whether it is an undo.
-- :last_about
SELECT id, kind = 'undo' FROM edits
 WHERE target = ?1 AND kind IN ('undo', 'redo') AND seq > 0
 ORDER BY seq DESC
 LIMIT 1

-- Time goes on with seq: the last seq up to which no edit has an end that compares so; every edit after it has. It is found by halving.
-- let seq_by_time
(WITH RECURSIVE half (seq, step) AS (
    SELECT 0, 1 << 52
    UNION ALL
    SELECT seq + iif(coalesce((SELECT l.ended FROM edits l WHERE l.seq <= half.seq + step ORDER BY l.seq DESC LIMIT 1), -9e999) {p}, 0, step),
           step >> 1
      FROM half
     WHERE step > 0)
 SELECT max(seq) FROM half)
-- After time ?3 and before ?4, where they are not NULL.
-- let between
{p}.seq > max((SELECT since FROM kept), iif(?3 IS NULL, 0, {seq_by_time > ?3})) AND {p}.seq <= iif(?4 IS NULL, 9e18, {seq_by_time >= ?4})

-- The history, newest first: of node ?1 or all, of user ?2 or all, after time ?3 and before ?4, at most ?5 edits.
-- let history
SELECT {edit} FROM edits e WHERE {p} {between e} ORDER BY e.seq DESC LIMIT ?5
-- :history
{history}
-- :history_of_user
{history e.user = ?2 AND}
-- One walk down the index of the node's changes, so that the first page of a long history costs as much as that of a short one.
-- let history_of_node
SELECT {edit}
  FROM changes n CROSS JOIN edits e ON e.id = n.edit
 WHERE n.node = ?1 {p} AND {between n}
 ORDER BY n.seq DESC
 LIMIT ?5
-- :history_of_node
{history_of_node}
-- :history_of_node_by_user
{history_of_node AND e.user = ?2}

-- What a hook was not told of yet: edits, and the other news with the notes as they are now.
-- :told
SELECT told_seq, told_news, (SELECT since FROM kept) FROM scene
-- :edits_after
SELECT {edit} FROM edits e WHERE e.seq > ?1 AND e.seq <= ?2 ORDER BY e.seq LIMIT ?3
-- :news_after
SELECT w.id, w.epoch, w.seq, w.checkpoint, w.named, w.user, w.made, w.gone, {note n.}, n.gone IS NOT NULL
  FROM news w LEFT JOIN notes n ON n.id = w.note
 WHERE w.id > ?1 AND w.id <= ?2
 ORDER BY w.id
 LIMIT ?3

-- :edit
SELECT {edit} FROM edits e WHERE e.id = ?1 AND e.seq IS NOT NULL
-- The latest edit that changed a node after edit ?1 had.
-- :edit_after
SELECT {edit} FROM edits e
 WHERE e.seq = (SELECT max((SELECT l.seq FROM changes l WHERE l.node = c.node AND l.seq > c.seq ORDER BY l.seq DESC LIMIT 1))
                  FROM changes c
                 WHERE c.edit = ?1)

-- A node at seq S is what the latest change up to S made of it. A drag that was running at S has its change later: it is the next change
-- after S of some node that the drag moved, because nobody else changes a node that is held; or the drag is still running. Then the
-- points of its recorded path before and after S say where its nodes were: on the line between them. A drag that is still running has no
-- point after its newest, and its nodes are there.

-- :nodes_at
SELECT n.id, c.seq, {content c.after_}
  FROM nodes n
  JOIN changes c ON c.rowid = (SELECT l.rowid FROM changes l WHERE l.node = n.id AND l.seq <= ?1
                               ORDER BY l.seq DESC, l.step DESC LIMIT 1)
 WHERE c.did <> 'delete' AND n.id > ?2
 ORDER BY n.id
 LIMIT ?3

-- The next edit of each node, or of some, after seq ?1, and the edits that are still running.
-- let next_edits
next (edit) AS (
    SELECT (SELECT c.edit FROM changes c WHERE c.node = n.id AND c.seq > ?1 ORDER BY c.seq, c.step LIMIT 1) FROM nodes n {p}
    UNION
    SELECT id FROM edits WHERE seq IS NULL)

-- The nodes of the drags that ran at seq ?1, or at time ?2 if the question is about a time, and the point before it: a sample, or NULLs
-- and then where the drag found the node. One look into the samples for each node, however long the drag is. Of the nodes from ?3 to ?4.
-- :points_before
WITH {next_edits WHERE n.id BETWEEN ?3 AND ?4},
running (edit, seq, time) AS (
    SELECT e.id, e.began_seq, e.began
      FROM next JOIN edits e ON e.id = next.edit
     WHERE (e.began_seq < ?1 OR e.began <= ?2) AND (e.handle IS NOT NULL OR e.kind IN ('wheel', 'pose')))
SELECT c.node, c.edit, s.seq, s.time, s.until, {trs s.}, r.seq, r.time, NULL, {trs c.before_}
  FROM running r
  JOIN changes c ON c.edit = r.edit
  LEFT JOIN samples s ON s.edit = c.edit AND s.node = c.node
   AND s.seq = (SELECT l.seq FROM samples l WHERE l.edit = c.edit AND l.node = c.node AND l.seq <= ?1 ORDER BY l.seq DESC LIMIT 1)

-- The point after seq ?3 of node ?2 in drag ?1: a sample, or where the drag left the node, which is the node's next change.
-- :point_after
SELECT seq, time, NULL, {trs}
  FROM (SELECT seq, time, {trs} FROM samples WHERE edit = ?1 AND node = ?2 AND seq > ?3 ORDER BY seq LIMIT 1)
UNION ALL
SELECT c.seq, e.ended, NULL, {trs c.after_}
  FROM changes c JOIN edits e ON e.id = c.edit
 WHERE c.node = ?2 AND c.seq > ?3 AND +c.edit = ?1
 LIMIT 1

-- :seq_of_edit_by_time
SELECT seq FROM edits WHERE seq <= {seq_by_time > ?1} ORDER BY seq DESC LIMIT 1

-- The newest sample by time ?2 of the drags that ran after seq ?1. Time goes on with seq, so the samples of a drag's first node around
-- ?2 bound the samples of its other nodes that have to be looked at.
-- :seq_of_sample_by_time
WITH {next_edits},
running (edit, node) AS (
    SELECT e.id, (SELECT c.node FROM changes c WHERE c.edit = e.id LIMIT 1)
      FROM next JOIN edits e ON e.id = next.edit
     WHERE e.began <= ?2),
around (edit, low, high) AS (
    SELECT edit,
           (SELECT max(s.seq) FROM samples s WHERE s.edit = r.edit AND s.node = r.node AND s.time <= ?2),
           (SELECT min(s.seq) FROM samples s WHERE s.edit = r.edit AND s.node = r.node AND s.time > ?2)
      FROM running r)
SELECT max(s.seq)
  FROM around a JOIN changes c ON c.edit = a.edit JOIN samples s ON s.edit = c.edit AND s.node = c.node
 WHERE s.seq >= coalesce(a.low, 0) AND s.seq < coalesce(a.high, 9e18) AND s.time <= ?2

-- The seqs that can be asked for, and when the last was saved.
-- :range
SELECT k.since, s.seq, s.time FROM scene s, kept k
-- :checkpoint
SELECT 1 FROM checkpoints WHERE seq = ?1 LIMIT 1
-- :since
SELECT since FROM kept
