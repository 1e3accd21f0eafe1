-- Paths are thinned: a sample is left out where the line past it tells as much. So a node that rested in the middle of its drag needs
-- to have that said, or the line would have it creep.
ALTER TABLE samples ADD COLUMN until REAL;  -- it stayed there until then; NULL where it went on at once

DROP VIEW paths;
-- The path of each drag, node by node: its start, the points that were kept of it, its end; between two of them the node went in a straight
-- line. A rest is two points. seconds count from the drag's beginning.
CREATE VIEW paths AS
SELECT edit, who, node_id, node, seq, strftime('%Y-%m-%dT%H:%M:%fZ', time, 'unixepoch') AS at,
       round(time - began, 3) AS seconds, tx, ty, tz,
       CASE WHEN sqrt(m00 * m00 + m01 * m01) > 4e-15 THEN degrees(atan2(-m12, m22)) ELSE degrees(atan2(m21, m11)) END AS rx_deg,
       degrees(atan2(m02, sqrt(m00 * m00 + m01 * m01))) AS ry_deg,
       CASE WHEN sqrt(m00 * m00 + m01 * m01) > 4e-15 THEN degrees(atan2(-m01, m00)) ELSE 0.0 END AS rz_deg,
       sx, sy, sz
  FROM (SELECT e.id AS edit, e.user AS who, n.id AS node_id, n.name AS node, e.began, p.seq, p.time,
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
          JOIN edits e ON e.id = p.edit
          JOIN nodes n ON n.id = p.node)
 ORDER BY edit, node_id, seq, time;
