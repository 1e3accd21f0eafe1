-- What recover.c does when a file is opened.

-- :last_epoch
SELECT max(epoch) FROM epochs

-- A scene that was never opened has no row yet.
-- :scene
INSERT OR IGNORE INTO scene (id, seq, time, next_node, next_edit, created, made_by)
VALUES (1, 0, :time, 1, 1, :created, :made_by)

-- Drags of so many nodes that only their ends are written: they run without a change.
-- :unsampled
SELECT count(*) FROM edits e WHERE ended IS NULL AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.edit = e.id)

-- What a killed server left open. The rows of the nodes are where its drags had come to; each such drag becomes an edit that ended
-- there, just after its last sample, so that no two edits have one time. Samples have the time of their batch, and may be younger than
-- the next edit in it: they and the drag's end are put before that edit, because time goes on with seq. A node that a drag never moved
-- is not part of the edit, and a drag that moved no node never was. The hook may have been told of edits after such an end: it is told of
-- them again, behind it.
-- :close_open
DELETE FROM changes
 WHERE edit IN (SELECT id FROM edits WHERE ended IS NULL)
   AND (SELECT n.seq FROM nodes n WHERE n.id = node) <= (SELECT e.began_seq FROM edits e WHERE e.id = edit);
DELETE FROM samples
 WHERE edit IN (SELECT id FROM edits WHERE ended IS NULL)
   AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.edit = samples.edit);
DELETE FROM edits
 WHERE ended IS NULL AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.edit = edits.id);
UPDATE changes
   SET ({content after_}) = (SELECT {content n.} FROM nodes n WHERE n.id = node),
       seq = (SELECT max(n.seq) FROM changes c JOIN nodes n ON n.id = c.node WHERE c.edit = changes.edit)
 WHERE edit IN (SELECT id FROM edits WHERE ended IS NULL);
UPDATE samples
   SET time = (SELECT l.ended FROM edits l WHERE l.seq > samples.seq ORDER BY l.seq LIMIT 1)
            - 1e-6 * (SELECT 1 + count(*) FROM edits WHERE ended IS NULL)
 WHERE edit IN (SELECT id FROM edits WHERE ended IS NULL)
   AND time >= (SELECT l.ended FROM edits l WHERE l.seq > samples.seq ORDER BY l.seq LIMIT 1);
UPDATE scene SET told_seq = o.seq - 1
  FROM (SELECT min(c.seq) AS seq FROM changes c WHERE c.edit IN (SELECT id FROM edits WHERE ended IS NULL)) o
 WHERE told_seq >= o.seq;
UPDATE edits
   SET seq = o.seq,
       ended = max(began, min(
           1e-6 * o.place + max(began, coalesce(
               (SELECT coalesce(s.until, s.time) FROM samples s WHERE s.edit = edits.id ORDER BY s.seq DESC LIMIT 1),
               (SELECT time FROM scene))),
           coalesce((SELECT l.ended FROM edits l WHERE l.seq > o.seq ORDER BY l.seq LIMIT 1) - 1e-6 * o.place_from_end, 9e999)))
  FROM (SELECT edit, max(seq) AS seq, row_number() OVER (ORDER BY max(seq)) AS place,
               row_number() OVER (ORDER BY max(seq) DESC) AS place_from_end
          FROM changes
         WHERE edit IN (SELECT id FROM edits WHERE ended IS NULL)
         GROUP BY edit) o
 WHERE o.edit = edits.id;
UPDATE sessions SET left = max(joined, (SELECT time FROM scene))
 WHERE left IS NULL AND epoch IN (SELECT epoch FROM epochs ORDER BY epoch DESC LIMIT 2);

-- A drag of which only the end is written never was if a crash cut it off. Viewers may have seen it move any of the nodes, also at a seq
-- up to which they saw what was saved: each node takes a seq of the new epoch, so that they are told where it is.
-- :renew
UPDATE nodes
   SET seq = (SELECT seq FROM scene) + r.place
  FROM (SELECT id, row_number() OVER (ORDER BY seq) AS place FROM nodes WHERE deleted_seq IS NULL) r
 WHERE r.id = nodes.id;
UPDATE scene SET seq = seq + changes();

-- A hook is told of what happens from the first opening with one on.
-- :told
UPDATE scene SET told_seq = seq, told_news = (SELECT coalesce(max(id), 0) FROM news) WHERE told_seq IS NULL

-- :epoch
INSERT INTO epochs (epoch, began, began_seq, server) SELECT :epoch, :began, seq, :server FROM scene
