-- What shipper.c and applier.c ask and write.

-- The last change of the log that is in the file, and the first one. A scene that was never opened has no row yet.
-- :place
SELECT log_n, log_first FROM scene
-- :set_place
UPDATE scene SET log_n = :n, log_first = :first

-- The numbers of a row before a transaction. They are set to 1 where they are 0, so that another sign of 0 is another number.
-- :node
SELECT {trs}, min_x, min_y, min_z, max_x, max_y, max_z FROM nodes WHERE id = :id
-- :set_node
UPDATE nodes
   SET tx = iif(tx = 0, 1.0, tx), ty = iif(ty = 0, 1.0, ty), tz = iif(tz = 0, 1.0, tz),
       rx = iif(rx = 0, 1.0, rx), ry = iif(ry = 0, 1.0, ry), rz = iif(rz = 0, 1.0, rz), rw = iif(rw = 0, 1.0, rw),
       sx = iif(sx = 0, 1.0, sx), sy = iif(sy = 0, 1.0, sy), sz = iif(sz = 0, 1.0, sz),
       min_x = iif(min_x = 0, 1.0, min_x), min_y = iif(min_y = 0, 1.0, min_y), min_z = iif(min_z = 0, 1.0, min_z),
       max_x = iif(max_x = 0, 1.0, max_x), max_y = iif(max_y = 0, 1.0, max_y), max_z = iif(max_z = 0, 1.0, max_z)
 WHERE id = :id
-- :note
SELECT x, y, z FROM notes WHERE id = :id
-- :set_note
UPDATE notes SET x = iif(x = 0, 1.0, x), y = iif(y = 0, 1.0, y), z = iif(z = 0, 1.0, z) WHERE id = :id
-- The nodes of a drag that began.
-- :changed_nodes
SELECT node FROM changes WHERE edit = :edit ORDER BY step
-- :forget_changes
DELETE FROM changes WHERE edit = :edit

-- For each column of a table, whether it belongs to the primary key, and its name; no row for a table of SQLite.
-- :columns
SELECT pk > 0, name FROM pragma_table_info(?1) WHERE substr(?1, 1, 7) <> 'sqlite_' ORDER BY cid
