-- A row of the past names its node as the node was called when the edit began, not as it is called now: who renamed it can be read
-- in the history itself. The unary + leaves SQLite the index of changes by node: an edit may have 100,000 changes.
DROP VIEW history;
-- Who did what to which node, newest first.
CREATE VIEW history AS
SELECT e.user AS who,
       coalesce(c.before_name, c.after_name) AS node,
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
 WHERE e.seq > 0
 ORDER BY e.seq DESC, e.id DESC, c.step;

DROP VIEW paths;
-- The path of each drag, node by node: its start, the points that were kept of it, its end; between two of them the node went
-- in a straight line. A rest is two points. seconds count from the drag's beginning.
CREATE VIEW paths AS
SELECT edit, who, node_id, node, seq, strftime('%Y-%m-%dT%H:%M:%fZ', time, 'unixepoch') AS at,
       round(time - began, 3) AS seconds, tx, ty, tz,
       CASE WHEN sqrt(m00 * m00 + m01 * m01) > 4e-15 THEN degrees(atan2(-m12, m22)) ELSE degrees(atan2(m21, m11)) END AS rx_deg,
       degrees(atan2(m02, sqrt(m00 * m00 + m01 * m01))) AS ry_deg,
       CASE WHEN sqrt(m00 * m00 + m01 * m01) > 4e-15 THEN degrees(atan2(-m01, m00)) ELSE 0.0 END AS rz_deg,
       sx, sy, sz
  FROM (SELECT e.id AS edit, e.user AS who, p.node AS node_id,
               (SELECT d.before_name FROM changes d
                 WHERE d.node = p.node AND d.seq IS e.seq AND +d.edit = e.id) AS node, e.began, p.seq, p.time,
               p.tx, p.ty, p.tz, p.sx, p.sy, p.sz,
               1 - 2 * (p.ry * p.ry + p.rz * p.rz) AS m00, 2 * (p.rx * p.ry - p.rz * p.rw) AS m01,
               2 * (p.rx * p.rz + p.ry * p.rw) AS m02,
               1 - 2 * (p.rx * p.rx + p.rz * p.rz) AS m11, 2 * (p.ry * p.rz - p.rx * p.rw) AS m12,
               2 * (p.ry * p.rz + p.rx * p.rw) AS m21, 1 - 2 * (p.rx * p.rx + p.ry * p.ry) AS m22
          FROM (SELECT c.edit, c.node, e.began_seq AS seq, e.began AS time, before_tx AS tx, before_ty AS ty, before_tz AS tz,
                       before_rx AS rx, before_ry AS ry, before_rz AS rz, before_rw AS rw,
                       before_sx AS sx, before_sy AS sy, before_sz AS sz
                  FROM changes c JOIN edits e ON e.id = c.edit
                 WHERE c.did = 'change' AND (e.handle IS NOT NULL OR e.kind = 'wheel')
                UNION ALL
                SELECT s.edit, s.node, s.seq, s.time, tx, ty, tz, rx, ry, rz, rw, sx, sy, sz
                  FROM samples s JOIN edits e ON e.id = s.edit
                 WHERE e.seq IS NULL OR s.seq < e.seq
                UNION ALL
                SELECT s.edit, s.node, s.seq, s.until, tx, ty, tz, rx, ry, rz, rw, sx, sy, sz
                  FROM samples s JOIN edits e ON e.id = s.edit
                 WHERE s.until IS NOT NULL
                UNION ALL
                SELECT c.edit, c.node, c.seq, e.ended, after_tx, after_ty, after_tz,
                       after_rx, after_ry, after_rz, after_rw, after_sx, after_sy, after_sz
                  FROM changes c JOIN edits e ON e.id = c.edit
                 WHERE c.did = 'change' AND c.seq IS NOT NULL AND (e.handle IS NOT NULL OR e.kind = 'wheel')) p
          JOIN edits e ON e.id = p.edit)
 ORDER BY edit, node_id, seq, time;
