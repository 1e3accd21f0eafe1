-- What copy.c reads of a scene as a whole.

-- The file that has the glTF node ?1; without a number, the one of the first node that is there, or else the latest.
-- :asset
SELECT first, count, seq, sha256, bytes IS NOT NULL
  FROM assets
 WHERE first <= coalesce(?1, (SELECT asset FROM nodes WHERE deleted_seq IS NULL AND asset IS NOT NULL ORDER BY id LIMIT 1),
                         (SELECT max(first) FROM assets))
 ORDER BY first DESC
 LIMIT 1
-- :summary
SELECT (SELECT count(*) FROM nodes) - (SELECT count(*) FROM nodes WHERE deleted_seq IS NOT NULL), seq,
       coalesce((SELECT ended FROM edits WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1), created), EXISTS (SELECT 1 FROM assets),
       told_seq IS NOT NULL AND
       (EXISTS (SELECT 1 FROM edits e WHERE e.seq > told_seq) OR EXISTS (SELECT 1 FROM news WHERE id > told_news) OR
        EXISTS (SELECT 1 FROM edits WHERE ended IS NULL))
  FROM scene
-- The patterns that have a role now.
-- :access
SELECT glob FROM access_changes c
 WHERE role IS NOT NULL AND change = (SELECT max(change) FROM access_changes l WHERE l.glob = c.glob)
