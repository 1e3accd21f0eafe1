-- Views that answer in words, metres and degrees, in plain sqlite3.
--
-- Degrees are turns about x, then the new y, then the new z (intrinsic XYZ): m = Rx * Ry * Rz, with
--   m00 = 1 - 2(yy + zz)   m01 = 2(xy - zw)   m02 = 2(xz + yw)   m12 = 2(yz - xw)   m22 = 1 - 2(xx + yy)
-- and where y is at 90 degrees, so that x and z turn about one line, z is said to be 0.

-- Both sides of each change, one under the other, as numbers; turns in degrees.
CREATE VIEW sides AS
SELECT edit, step, node, side, name, parent, tx, ty, tz, moved, turned, scaled, renamed, rehung, sx, sy, sz,
       CASE WHEN sqrt(m00 * m00 + m01 * m01) > 4e-15 THEN degrees(atan2(-m12, m22)) ELSE degrees(atan2(m21, m11)) END AS rx_deg,
       degrees(atan2(m02, sqrt(m00 * m00 + m01 * m01))) AS ry_deg,
       CASE WHEN sqrt(m00 * m00 + m01 * m01) > 4e-15 THEN degrees(atan2(-m01, m00)) ELSE 0.0 END AS rz_deg
  FROM (SELECT *,
               1 - 2 * (ry * ry + rz * rz) AS m00, 2 * (rx * ry - rz * rw) AS m01, 2 * (rx * rz + ry * rw) AS m02,
               1 - 2 * (rx * rx + rz * rz) AS m11, 2 * (ry * rz - rx * rw) AS m12,
               2 * (ry * rz + rx * rw) AS m21, 1 - 2 * (rx * rx + ry * ry) AS m22
          FROM (SELECT edit, step, node, did, side,
                       iif(side = 'before', before_name, after_name) AS name,
                       iif(side = 'before', before_parent, after_parent) AS parent,
                       iif(side = 'before', before_tx, after_tx) AS tx,
                       iif(side = 'before', before_ty, after_ty) AS ty,
                       iif(side = 'before', before_tz, after_tz) AS tz,
                       iif(side = 'before', before_rx, after_rx) AS rx,
                       iif(side = 'before', before_ry, after_ry) AS ry,
                       iif(side = 'before', before_rz, after_rz) AS rz,
                       iif(side = 'before', before_rw, after_rw) AS rw,
                       iif(side = 'before', before_sx, after_sx) AS sx,
                       iif(side = 'before', before_sy, after_sy) AS sy,
                       iif(side = 'before', before_sz, after_sz) AS sz,
                       (before_tx, before_ty, before_tz) IS NOT (after_tx, after_ty, after_tz) AS moved,
                       (coalesce(before_rx, 0), coalesce(before_ry, 0), coalesce(before_rz, 0), coalesce(before_rw, 1)) <>
                       (coalesce(after_rx, 0), coalesce(after_ry, 0), coalesce(after_rz, 0), coalesce(after_rw, 1)) AS turned,
                       CASE did WHEN 'change' THEN (before_sx, before_sy, before_sz) <> (after_sx, after_sy, after_sz)
                                -- A matrix's columns are 1 to the last bit but one: not worth a word.
                                ELSE (round(coalesce(before_sx, after_sx), 3), round(coalesce(before_sy, after_sy), 3),
                                      round(coalesce(before_sz, after_sz), 3)) <> (1.0, 1.0, 1.0) END AS scaled,
                       did = 'change' AND before_name <> after_name AS renamed,
                       did = 'change' AND before_parent IS NOT after_parent AS rehung
                  FROM changes, (SELECT 'before' AS side UNION ALL SELECT 'after')));

-- The parts of a node that an edit changed, in words: one row for before, one for after.
CREATE VIEW sides_in_words AS
SELECT edit, step, node, side,
       CASE WHEN name IS NULL THEN '-' ELSE
            trim(iif(moved, printf('(%.3f, %.3f, %.3f) m', round(tx, 3) + 0.0, round(ty, 3) + 0.0, round(tz, 3) + 0.0), '')
              || iif(turned, printf(' (%.2f, %.2f, %.2f)°', round(rx_deg, 2) + 0.0, round(ry_deg, 2) + 0.0, round(rz_deg, 2) + 0.0), '')
              || iif(scaled, printf(' ×(%.3f, %.3f, %.3f)', sx, sy, sz), '')
              || iif(renamed, ' "' || name || '"', '')
              || iif(rehung, ' under ' || coalesce((SELECT p.name FROM nodes p WHERE p.id = sides.parent), 'the root'), ''))
       END AS words
  FROM sides;

-- Who did what to which node, newest first. A node has the name that it had when the edit began. `seq > 0` means the same as
-- `seq IS NOT NULL`, but lets SQLite walk the index from its end instead of sorting a million rows to show five.
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
           WHEN 'pose' THEN 'posed'
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

-- The scene as it is: each node alive with its path from the root. Local transforms.
CREATE VIEW tree AS
WITH RECURSIVE walk(id, depth, path) AS (
    SELECT id, 1, '/' || name FROM nodes WHERE parent IS NULL AND deleted_seq IS NULL
    UNION ALL
    SELECT n.id, w.depth + 1, w.path || '/' || n.name
      FROM walk w JOIN nodes n ON n.parent = w.id AND n.deleted_seq IS NULL)
SELECT id, depth, path, tx, ty, tz,
       CASE WHEN sqrt(m00 * m00 + m01 * m01) > 4e-15 THEN degrees(atan2(-m12, m22)) ELSE degrees(atan2(m21, m11)) END AS rx_deg,
       degrees(atan2(m02, sqrt(m00 * m00 + m01 * m01))) AS ry_deg,
       CASE WHEN sqrt(m00 * m00 + m01 * m01) > 4e-15 THEN degrees(atan2(-m01, m00)) ELSE 0.0 END AS rz_deg,
       sx, sy, sz, seq
  FROM (SELECT w.id, w.depth, w.path, n.tx, n.ty, n.tz, n.sx, n.sy, n.sz, n.seq,
               1 - 2 * (ry * ry + rz * rz) AS m00, 2 * (rx * ry - rz * rw) AS m01, 2 * (rx * rz + ry * rw) AS m02,
               1 - 2 * (rx * rx + rz * rz) AS m11, 2 * (ry * rz - rx * rw) AS m12,
               2 * (ry * rz + rx * rw) AS m21, 1 - 2 * (rx * rx + ry * ry) AS m22
          FROM walk w JOIN nodes n ON n.id = w.id)
 ORDER BY path, id;

-- Each drag: who, which handle, how many nodes, how long, how often it was sampled.
CREATE VIEW drags AS
SELECT e.id AS edit, e.user AS who, e.kind, e.handle,
       (SELECT count(*) FROM changes c WHERE c.edit = e.id) AS nodes,
       (SELECT count(*) FROM samples s WHERE s.edit = e.id) AS samples,
       strftime('%Y-%m-%dT%H:%M:%fZ', e.began, 'unixepoch') AS began,
       strftime('%Y-%m-%dT%H:%M:%fZ', e.ended, 'unixepoch') AS ended,
       round(e.ended - e.began, 3) AS seconds
  FROM edits e
 WHERE e.handle IS NOT NULL OR e.kind IN ('wheel', 'pose');

-- The path of each drag, node by node: its start, the recorded points, its end; between two points the node went in a straight line.
-- A rest is two points. seconds count from the drag's beginning. The unary + makes SQLite use the index of changes by node: an edit may
-- have 100,000 changes.
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
                 WHERE c.did = 'change' AND (e.handle IS NOT NULL OR e.kind IN ('wheel', 'pose'))
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
                 WHERE c.did = 'change' AND c.seq IS NOT NULL AND (e.handle IS NOT NULL OR e.kind IN ('wheel', 'pose'))) p
          JOIN edits e ON e.id = p.edit)
 ORDER BY edit, node_id, seq, time;

-- Who was here, newest first.
CREATE VIEW visits AS
SELECT session, user AS who, role,
       strftime('%Y-%m-%dT%H:%M:%fZ', joined, 'unixepoch') AS joined,
       strftime('%Y-%m-%dT%H:%M:%fZ', left, 'unixepoch') AS left,
       round((left - joined) / 60, 1) AS minutes,
       (SELECT count(*) FROM edits e WHERE e.epoch = s.epoch AND e.session = s.session) AS edits
  FROM sessions s
 ORDER BY s.joined DESC, session DESC;

-- Who wrote what about which node, newest first.
CREATE VIEW notes_in_words AS
SELECT w.user AS who, w.text,
       coalesce(n.name || iif(n.deleted_seq IS NULL, '', ' (deleted)'), iif(w.x IS NULL, 'the scene', 'a place')) AS about,
       iif(w.x IS NULL, '', printf('(%.3f, %.3f, %.3f) m', round(w.x, 3) + 0.0, round(w.y, 3) + 0.0, round(w.z, 3) + 0.0)) AS place,
       r.user AS answers,
       CASE WHEN w.gone IS NOT NULL THEN 'deleted by ' || w.changed_by WHEN w.done THEN 'done' ELSE 'open' END AS state,
       strftime('%Y-%m-%dT%H:%M:%fZ', w.made, 'unixepoch') AS made,
       strftime('%Y-%m-%dT%H:%M:%fZ', w.changed, 'unixepoch') AS changed,
       w.id AS note, w.node AS node_id, w.reply
  FROM notes w
  LEFT JOIN nodes n ON n.id = w.node
  LEFT JOIN notes r ON r.id = w.reply
 ORDER BY w.id DESC;

-- Each checkpoint: which state its name stands for, and how much was done since. The newest state first.
CREATE VIEW checkpoints_in_words AS
SELECT c.name, c.user AS who, strftime('%Y-%m-%dT%H:%M:%fZ', c.made, 'unixepoch') AS made,
       (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', e.ended, 'unixepoch') FROM edits e
         WHERE e.seq <= c.seq ORDER BY e.seq DESC LIMIT 1) AS as_of,
       (SELECT count(*) FROM edits e WHERE e.seq > c.seq) AS edits_since,
       c.seq
  FROM checkpoints c
 ORDER BY c.seq DESC, c.made DESC;

-- Who may what now, by whom and since when.
CREATE VIEW access AS
SELECT glob AS who, role AS may, user AS given_by, strftime('%Y-%m-%dT%H:%M:%fZ', made, 'unixepoch') AS since
  FROM access_changes c
 WHERE role IS NOT NULL AND change = (SELECT max(change) FROM access_changes l WHERE l.glob = c.glob)
 ORDER BY glob;
