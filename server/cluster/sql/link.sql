-- What a connection says when it is new, and what makes the tables.

-- Who waits for a row longer than this, or leaves a transaction open, has given up or is dead. Milliseconds.
-- :lock_timeout
SELECT set_config('lock_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $1, false)
-- :version
SELECT version FROM gizmod.version

-- :create_schema
CREATE SCHEMA IF NOT EXISTS gizmod
-- :create_version
CREATE TABLE IF NOT EXISTS gizmod.version (id INTEGER PRIMARY KEY, version INTEGER NOT NULL)
-- :begin_version
INSERT INTO gizmod.version (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING
-- Holds up whoever else is at it; then finds nothing to do.
-- :set_version
UPDATE gizmod.version SET version = $1::integer WHERE id = 1 AND version = 0
-- :begin
BEGIN
-- :commit
COMMIT
-- :rollback
ROLLBACK
