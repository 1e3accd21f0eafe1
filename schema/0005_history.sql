-- The newest rows of a long history come first, and at once: `seq > 0` says of edits that are done what `seq IS NOT NULL` does, and lets SQLite
-- walk them by their index from its end, where it would otherwise put a million into order to show five.
DROP VIEW history;
-- Who did what to which node, newest first.
CREATE VIEW history AS
SELECT e.user AS who,
       n.name AS node,
       CASE e.kind
           WHEN 'translate' THEN CASE e.handle
               WHEN 'tx' THEN 'moved along x' WHEN 'ty' THEN 'moved along y' WHEN 'tz' THEN 'moved along z'
               WHEN 'txy' THEN 'moved in the xy plane' WHEN 'tyz' THEN 'moved in the yz plane'
               WHEN 'tzx' THEN 'moved in the zx plane' WHEN 'tv' THEN 'moved in the view plane' ELSE 'moved' END
           WHEN 'rotate' THEN CASE e.handle
               WHEN 'rx' THEN 'turned about x' WHEN 'ry' THEN 'turned about y' WHEN 'rz' THEN 'turned about z'
               WHEN 'rv' THEN 'turned about the view axis' ELSE 'turned' END
           WHEN 'ball' THEN 'turned freely'
           WHEN 'scale' THEN CASE e.handle
               WHEN 'sx' THEN 'scaled along x' WHEN 'sy' THEN 'scaled along y' WHEN 'sz' THEN 'scaled along z'
               WHEN 'sxy' THEN 'scaled in the xy plane' WHEN 'syz' THEN 'scaled in the yz plane'
               WHEN 'szx' THEN 'scaled in the zx plane' WHEN 'su' THEN 'scaled evenly'
               WHEN 'bxn' THEN 'scaled along x' WHEN 'bxp' THEN 'scaled along x' WHEN 'byn' THEN 'scaled along y'
               WHEN 'byp' THEN 'scaled along y' WHEN 'bzn' THEN 'scaled along z' WHEN 'bzp' THEN 'scaled along z'
               ELSE iif(e.handle LIKE 'b___', 'scaled evenly', 'scaled') END
           WHEN 'wheel' THEN 'scaled by wheel'
           WHEN 'set' THEN (
               SELECT coalesce(nullif(substr(
                          iif(s.moved, ', set position', '') || iif(s.turned, ', set rotation', '') ||
                          iif(s.scaled, ', set scale', '') || iif(s.renamed, ', renamed', '') ||
                          iif(s.rehung, ', reparented', ''), 3), ''), 'set')
                 FROM sides s WHERE s.edit = c.edit AND s.step = c.step AND s.side = 'before')
           WHEN 'create' THEN 'created'
           WHEN 'delete' THEN 'deleted'
           WHEN 'undo' THEN 'undid edit ' || e.target
           WHEN 'redo' THEN 'redid edit ' || e.target
           WHEN 'restore' THEN 'restored seq ' || e.target
           WHEN 'import' THEN CASE c.did WHEN 'delete' THEN 'replaced by import' ELSE 'imported' END
       END || coalesce(' (' || e.handle || ')', '')
           || CASE WHEN e.typed IS NULL THEN ''
                   WHEN e.typed2 IS NOT NULL THEN printf(' by exactly (%.15g, %.15g) m', e.typed, e.typed2)
                   WHEN e.kind = 'rotate' THEN printf(' by exactly %.12g°', degrees(e.typed))
                   WHEN e.kind = 'scale' THEN printf(' by exactly %.15g', e.typed)
                   ELSE printf(' by exactly %.15g m', e.typed) END AS action,
       (SELECT words FROM sides_in_words w WHERE w.edit = c.edit AND w.step = c.step AND w.side = 'before') AS before,
       (SELECT words FROM sides_in_words w WHERE w.edit = c.edit AND w.step = c.step AND w.side = 'after') AS after,
       strftime('%Y-%m-%dT%H:%M:%fZ', e.ended, 'unixepoch') AS ended,
       round(e.ended - e.began, 3) AS seconds,
       e.id AS edit, c.step AS step, c.node AS node_id, e.seq AS seq
  FROM edits e
  JOIN changes c ON c.edit = e.id
  JOIN nodes n ON n.id = c.node
 WHERE e.seq > 0
 ORDER BY e.seq DESC, e.id DESC, c.step;
