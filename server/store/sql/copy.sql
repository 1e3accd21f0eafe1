-- What copy.c reads of a scene as a whole.

-- :last_asset
SELECT max(id) FROM assets
-- When the file was made, which of its assets is the newest, and when that was imported, in microseconds.
-- :asset_tag
SELECT printf('%x-%x-%x', s.created * 1e6, a.id, e.ended * 1e6)
  FROM scene s, assets a LEFT JOIN edits e ON e.seq = a.seq AND e.kind = 'import'
 ORDER BY a.id DESC
 LIMIT 1
-- :summary
SELECT (SELECT count(*) FROM nodes) - (SELECT count(*) FROM nodes WHERE deleted_seq IS NOT NULL), seq,
       coalesce((SELECT ended FROM edits WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1), created), EXISTS (SELECT 1 FROM assets)
  FROM scene
-- The patterns that have a role now.
-- :access
SELECT glob FROM access_changes c
 WHERE role IS NOT NULL AND change = (SELECT max(change) FROM access_changes l WHERE l.glob = c.glob)
