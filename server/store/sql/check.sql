-- What is promised of a scene's file. Each statement is one promise of check.c: its rows are sentences about what breaks it. ?1 is the
-- most of something that there may be.

-- :integrity
SELECT 'SQLite: ' || replace(integrity_check, char(10), '; ') FROM pragma_integrity_check(?1) WHERE integrity_check <> 'ok'
-- The tables that are read as a whole when a scene is opened, and none that grows with the history.
-- :quick
SELECT 'SQLite: ' || t.name || ': ' || replace(quick_check, char(10), '; ')
  FROM (SELECT 'scene' AS name UNION ALL VALUES ('nodes'), ('notes'), ('checkpoints'), ('access_changes'), ('kept')) t
  JOIN sqlite_schema s ON s.name = t.name AND s.type = 'table'
  JOIN pragma_quick_check(s.name)
 WHERE quick_check <> 'ok'
-- :foreign_keys
SELECT coalesce('row ' || rowid, 'a row') || ' of ' || "table" || ' names a row of ' || parent || ' that is not there'
  FROM pragma_foreign_key_check
-- A file that no server ever opened has no row yet.
-- :one_scene
SELECT 'the table scene has ' || count(*) || ' rows, not one' FROM scene HAVING count(*) > 1 OR count(*) = 0 AND EXISTS (SELECT 1 FROM epochs)

-- Ids and seqs are below what is given out next.

-- let node
'node ' || n.id || ' (' || n.name || ')'
-- :node_ids
SELECT {node} || ' has an id that was never given out: the next is ' || s.next_node
  FROM nodes n, scene s
 WHERE n.id < 1 OR n.id >= s.next_node
-- :edit_ids
SELECT 'edit ' || e.id || ' has an id that was never given out: the next is ' || s.next_edit
  FROM edits e, scene s
 WHERE e.id < 1 OR e.id >= s.next_edit
-- :node_seqs
SELECT {node} || ' changed at seq ' || n.seq || ', the scene has come to ' || s.seq
  FROM nodes n, scene s
 WHERE n.seq < 1 OR n.seq > s.seq
-- :edit_seqs
SELECT 'edit ' || e.id || ' is of seq ' || coalesce(e.seq, e.began_seq) || ', the scene has come to ' || s.seq
  FROM edits e, scene s
 WHERE e.seq > s.seq OR e.began_seq > s.seq
-- :counters
SELECT 'scene, row ' || id || ': its seq ' || seq || ', next_node ' || next_node || ' or next_edit ' || next_edit || ' is invalid'
  FROM scene
 WHERE max(seq, next_node, next_edit) > ?1 OR min(seq, next_node, next_edit) < 0
-- :log_place
SELECT 'scene, row ' || id || ': its log_n ' || log_n || ' or log_first ' || log_first || ' is invalid'
  FROM scene
 WHERE log_n NOT BETWEEN 0 AND ?1 OR log_first NOT BETWEEN (log_n > 0) AND log_n
-- :told_place
SELECT 'scene, row ' || id || ': its told_seq ' || told_seq || ' or told_news ' || told_news || ' is invalid'
  FROM scene
 WHERE told_seq NOT BETWEEN 0 AND seq OR told_news NOT BETWEEN 0 AND (SELECT coalesce(max(n.id), 0) FROM news n)
-- :news_seqs
SELECT 'news ' || n.id || ' are of seq ' || n.seq || ', the scene has come to ' || s.seq
  FROM news n, scene s
 WHERE n.seq > s.seq
-- :asset_seqs
SELECT 'asset ' || a.first || ' is of seq ' || a.seq || ', the scene has come to ' || s.seq
  FROM assets a, scene s
 WHERE a.seq > s.seq
-- :asset_numbers
SELECT 'asset ' || first || ' has the number ' || first || ', which asset ' || last || ' has'
  FROM (SELECT first, lag(first) OVER (ORDER BY first) AS last, lag(first + count) OVER (ORDER BY first) AS free FROM assets)
 WHERE first < free
-- :assets_there
SELECT {node} || ' is of asset ' || a.first || ', whose bytes are gone'
  FROM assets a JOIN nodes n ON n.asset >= a.first AND n.asset < a.first + a.count
 WHERE a.bytes IS NULL AND n.deleted_seq IS NULL
-- :node_seqs_differ
SELECT 'nodes ' || min(id) || ' and ' || max(id) || ' changed at one seq, ' || seq FROM nodes GROUP BY seq HAVING count(*) > 1
-- :edit_seqs_differ
SELECT 'edits ' || min(id) || ' and ' || max(id) || ' ended at one seq, ' || seq
  FROM edits
 WHERE seq IS NOT NULL
 GROUP BY seq
HAVING count(*) > 1

-- The tree.

-- :parents_alive
SELECT {node} || ' is alive, but its parent ' || p.id || ' is deleted'
  FROM nodes n JOIN nodes p ON p.id = n.parent
 WHERE n.deleted_seq IS NULL AND p.deleted_seq IS NOT NULL
-- :no_circle
WITH RECURSIVE walk(id) AS (
    SELECT id FROM nodes n
     WHERE deleted_seq IS NULL AND (parent IS NULL OR NOT EXISTS
           (SELECT 1 FROM nodes p WHERE p.id = n.parent AND p.deleted_seq IS NULL))
    UNION ALL
    SELECT n.id FROM walk w JOIN nodes n ON n.parent = w.id WHERE n.deleted_seq IS NULL)
SELECT {node} || ' hangs in a circle' FROM nodes n WHERE n.deleted_seq IS NULL AND n.id NOT IN walk
-- :depth
WITH RECURSIVE walk(id, depth) AS (
    SELECT id, 1 FROM nodes WHERE parent IS NULL AND deleted_seq IS NULL
    UNION ALL
    SELECT n.id, w.depth + 1 FROM walk w JOIN nodes n ON n.parent = w.id WHERE n.deleted_seq IS NULL)
SELECT 'node ' || id || ' is ' || depth || ' deep, the most is ' || ?1 FROM walk WHERE depth > ?1
-- :node_count
SELECT 'there are ' || count(*) || ' nodes, the most is ' || ?1 FROM nodes WHERE deleted_seq IS NULL HAVING count(*) > ?1

-- Where samples are. What nodes are, now and on both sides of each change, is looked at where the history is.

-- A rotation's square may be as far from 1 as the scene lets it be. 
-- let no_rotation
abs({p}rx * {p}rx + {p}ry * {p}ry + {p}rz * {p}rz + {p}rw * {p}rw - 1) > 1e-6
-- As the scene lets them be: a scale may be 0.
-- let out_of_range
(max(abs({p}tx), abs({p}ty), abs({p}tz), abs({p}sx), abs({p}sy), abs({p}sz)) > 1e15 OR min(iif({p}sx = 0, 1, abs({p}sx)), iif({p}sy = 0, 1, abs({p}sy)), iif({p}sz = 0, 1, abs({p}sz))) < 1e-15)
-- let fault_of_trs
iif({no_rotation {p}}, 'a rotation that is no unit quaternion', 'a number that is not finite, too large or too small')
-- let wrong_trs
({no_rotation {p}} OR {out_of_range {p}})
-- :sample_transforms
SELECT 'edit ' || edit || ' has a sample of node ' || node || ' at seq ' || seq || ' with ' || {fault_of_trs}
  FROM samples
 WHERE {wrong_trs}

-- Epochs and sessions, one after the other.

-- :epochs_ascend
SELECT 'epoch ' || epoch || ' began at seq ' || began_seq || ', before the one before it did, at ' || last
  FROM (SELECT epoch, began_seq, lag(began_seq, 1, 0) OVER (ORDER BY epoch) AS last FROM epochs)
 WHERE began_seq < last
-- :epoch_seqs
SELECT 'epoch ' || epoch || ' began at seq ' || began_seq || ', the scene has come to ' || s.seq
  FROM epochs e, scene s
 WHERE e.began_seq > s.seq
-- :sessions_left
SELECT 'session ' || session || ' (' || user || ') never left epoch ' || epoch || ', which is over'
  FROM sessions
 WHERE left IS NULL AND epoch < (SELECT max(epoch) FROM epochs)

-- Edits.

-- :edits_advance
SELECT 'edit ' || id || ' ended at seq ' || seq || ', which is not after ' || began_seq || ', where it began'
  FROM edits
 WHERE seq <= began_seq OR began_seq < 0
-- :edits_last
SELECT 'edit ' || id || ' ended ' || round(began - ended, 3) || ' s before it began' FROM edits WHERE ended < began
-- :edits_in_epochs
SELECT 'edit ' || e.id || ', from seq ' || e.began_seq || coalesce(' to ' || e.seq, ' on') || ', is not of its epoch ' || e.epoch
  FROM (SELECT epoch, began_seq AS low, lead(began_seq) OVER (ORDER BY epoch) AS high FROM epochs) p
  JOIN edits e ON e.epoch = p.epoch
 WHERE e.began_seq < p.low OR e.seq > p.high
-- :drags_end
SELECT 'edit ' || id || ' runs since epoch ' || epoch || ', which is over'
  FROM edits
 WHERE ended IS NULL AND epoch < (SELECT max(epoch) FROM epochs)
-- :drags_drag
SELECT 'edit ' || id || ' runs, but it is a ' || kind || ', which nobody drags'
  FROM edits
 WHERE ended IS NULL AND handle IS NULL AND kind NOT IN ('wheel', 'pose')
-- :undo_targets
SELECT 'edit ' || id || iif(kind = 'undo', ' undid ', ' redid ') || coalesce('edit ' || target, 'nothing') || ', which was not before it'
  FROM edits
 WHERE kind IN ('undo', 'redo') AND coalesce(target >= id, true)
-- :restore_targets
SELECT 'edit ' || id || ' restored seq ' || target || ', which was not before it'
  FROM edits
 WHERE kind = 'restore' AND target > began_seq

-- What edits did.

-- :change_seqs
SELECT 'edit ' || c.edit || ' is of seq ' || coalesce(e.seq, 'nothing yet') || ', its change of node ' || c.node ||
       ' of ' || coalesce(c.seq, 'nothing yet')
  FROM changes c JOIN edits e ON e.id = c.edit
 WHERE c.seq IS NOT e.seq
-- :sample_seqs
SELECT 'edit ' || s.edit || ' has samples of node ' || s.node || ' from seq ' || s.low || ' to ' || s.high ||
       ', it went from ' || e.began_seq || ' to ' || coalesce(e.seq, c.seq)
  FROM (SELECT edit, node, min(seq) AS low, max(seq) AS high FROM samples GROUP BY edit, node) s
  JOIN edits e ON e.id = s.edit, scene c
 WHERE s.low < e.began_seq OR s.high > coalesce(e.seq, c.seq)
-- :sample_nodes
SELECT 'edit ' || s.edit || ' has samples of node ' || s.node || ', which it did not change'
  FROM (SELECT DISTINCT edit, node FROM samples) s JOIN edits e ON e.id = s.edit
 WHERE NOT EXISTS (SELECT 1 FROM changes c WHERE c.node = s.node AND c.seq IS e.seq AND +c.edit = s.edit)

-- How much of the past is kept.

-- :one_kept
SELECT 'the table kept has ' || count(*) || ' rows, not one' FROM kept HAVING count(*) <> 1
-- :kept_since
SELECT 'the past is kept from seq ' || k.since || ' on, the scene has come to ' || s.seq
  FROM kept k, scene s
 WHERE k.since < 0 OR k.since > s.seq

-- Notes.

-- :note_replies
SELECT 'note ' || id || ' answers note ' || reply || ', which was not before it' FROM notes WHERE reply >= id
-- :note_texts
SELECT 'note ' || id || ' has a text of ' || length(CAST(text AS BLOB)) || ' bytes'
  FROM notes
 WHERE length(CAST(text AS BLOB)) > ?1
-- :note_places
SELECT 'note ' || id || ' is at a place that is not finite' FROM notes WHERE 9e999 IN (abs(x), abs(y), abs(z))
-- :note_count
SELECT 'there are ' || count(*) || ' notes, the most is ' || ?1 FROM notes WHERE gone IS NULL HAVING count(*) > ?1

-- Checkpoints.

-- :checkpoint_seqs
SELECT 'checkpoint ' || c.name || ' is for seq ' || c.seq || ', the scene has come to ' || s.seq
  FROM checkpoints c, scene s
 WHERE c.seq > s.seq
-- :checkpoint_names
SELECT 'checkpoint ' || name || ' has a name of ' || length(CAST(name AS BLOB)) || ' bytes'
  FROM checkpoints
 WHERE length(CAST(name AS BLOB)) > ?1
-- :checkpoint_count
SELECT 'there are ' || count(*) || ' checkpoints, the most is ' || ?1 FROM checkpoints HAVING count(*) > ?1

-- Access.

-- :access_globs
SELECT 'change ' || change || ' of the access is of a pattern of ' || length(CAST(glob AS BLOB)) || ' bytes'
  FROM access_changes
 WHERE length(CAST(glob AS BLOB)) > ?1
-- :access_count
SELECT 'the access has ' || count(*) || ' patterns, the most is ' || ?1
  FROM access_changes c
 WHERE role IS NOT NULL AND change = (SELECT max(change) FROM access_changes l WHERE l.glob = c.glob)
HAVING count(*) > ?1

-- What the functions of check.c ask.

-- What SQLite makes for itself is its own business: the indexes of PRIMARY KEY and UNIQUE have no SQL, and the tables that ANALYZE leaves
-- are no harm.
-- :schema
SELECT name, type, sql
  FROM sqlite_schema
 WHERE NOT (type = 'index' AND sql IS NULL) AND NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4'))
 ORDER BY name
-- The tables, their SQL, and for each an expression that names a row: "row 7", or by its primary key "row (edit 7, step 0)"; and the
-- order of the rows.
-- :tables
SELECT s.name, s.sql,
       iif(l.keyed, (SELECT '''row ('' || ' || group_concat('''' || name || ' '' || "' || name || '"', ' || '', '' || ') || ' || '')'''
                       FROM (SELECT name FROM pragma_table_info(s.name) WHERE pk > 0 ORDER BY pk)),
           '''row '' || rowid'),
       iif(l.keyed, (SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_table_info(s.name) WHERE pk > 0 ORDER BY pk)), 'rowid')
  FROM sqlite_schema s
  JOIN (SELECT name, wr OR (SELECT max(pk) > 1 FROM pragma_table_info(t.name)) AS keyed
          FROM pragma_table_list t WHERE schema = 'main') l ON l.name = s.name
 WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite!_%' ESCAPE '!'
-- :nodes
SELECT id, deleted_seq IS NOT NULL, {content} FROM nodes WHERE id > ?1 ORDER BY id
-- Each node, whether a drag has moved it, and its last change.
-- :latest
SELECT n.id, n.deleted_seq IS NOT NULL,
       EXISTS (SELECT 1 FROM changes r JOIN edits e ON e.id = r.edit WHERE r.node = n.id AND r.seq IS NULL AND n.seq > e.began_seq), c.edit,
       {content n.}, {content c.before_}, {content c.after_}
  FROM nodes n LEFT JOIN changes c ON (c.edit, c.step) =
       (SELECT l.edit, l.step FROM changes l
         WHERE l.node = n.id AND l.seq IS NOT NULL ORDER BY l.seq DESC, l.step DESC LIMIT 1)
-- :history
SELECT {change}, edit, seq FROM changes WHERE node = ?1 AND seq IS NOT NULL ORDER BY seq, step
-- The running drag of a node, and whether it has moved it.
-- :running
SELECT {change}, edit, (SELECT n.seq FROM nodes n WHERE n.id = node) > (SELECT e.began_seq FROM edits e WHERE e.id = edit)
  FROM changes WHERE node = ?1 AND seq IS NULL
-- :since
SELECT since FROM kept
-- :count_nodes
SELECT count(*) FROM nodes WHERE deleted_seq IS NULL
-- :count_edits
SELECT count(*) FROM edits
-- :last_seq
SELECT seq FROM scene
