-- The columns of records, in the order in which rows.c binds and reads them. {name PREFIX} puts them into a statement.

-- let trs
{p}tx, {p}ty, {p}tz, {p}rx, {p}ry, {p}rz, {p}rw, {p}sx, {p}sy, {p}sz

-- A node's content: where it hangs, and what it is by itself.
-- let own
{p}name, {trs {p}}, {p}min_x, {p}min_y, {p}min_z, {p}max_x, {p}max_y, {p}max_z, {p}asset
-- let content
{p}parent, {own {p}}

-- An edit `e`, how many changes it has, and whether it undid another user's edit. The last step says how many changes there are: to count
-- 100,000 takes longer.
-- let edit
e.id, e.kind, e.handle, e.session, e.epoch, e.user, e.key, e.target, e.began, e.ended, e.began_seq, e.seq,
e.residual, e.typed, e.typed2, (SELECT max(c.step) + 1 FROM changes c WHERE c.edit = e.id),
e.kind = 'undo' AND EXISTS (SELECT 1 FROM edits t WHERE t.id = e.target AND t.user <> e.user)

-- What gz_read_note reads.
-- let note
{p}id, {p}user, {p}text, {p}node, {p}x, {p}y, {p}z, {p}reply, {p}done, {p}made, {p}changed, {p}changed_by

-- What gz_read_change reads.
-- let change
node, did, {content before_}, {content after_}

-- The changes of one edit.
-- :changes
SELECT {change} FROM changes WHERE edit = ?1 ORDER BY step
-- The change of node ?2 by edit ?1, which is of seq ?3. The unary + leaves SQLite the index of the node's changes.
-- :change_of_node
SELECT {change} FROM changes WHERE +edit = ?1 AND node = ?2 AND seq = ?3

-- The nodes that one edit changed, and the name of the first.
-- :nodes
SELECT node, iif(step = 0, coalesce(after_name, before_name), NULL) FROM changes WHERE edit = ?1 ORDER BY step
-- :node
SELECT node, coalesce(after_name, before_name) FROM changes WHERE +edit = ?1 AND node = ?2 AND seq = ?3
