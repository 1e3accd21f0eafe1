-- What writer.c writes. The names of parameters say what is bound; they are bound in this order.

-- What most edits do to a node: no index changes, and no key has to be looked for.
-- :changed
UPDATE nodes SET (seq, {own}) = (:seq, {own :}) WHERE id = :id AND parent IS :parent AND deleted_seq IS NULL
-- :node
INSERT INTO nodes (id, seq, deleted_seq, {content}) VALUES (:id, :seq, :deleted_seq, {content :})
    ON CONFLICT (id) DO UPDATE
   SET (seq, deleted_seq, {content}) = (excluded.seq, excluded.deleted_seq, {content excluded.})

-- A drag that begins has NULL for its end, which is written over it later.
-- let end_of_edit
{p}kind, {p}handle, {p}key, {p}target, {p}began, {p}ended, {p}seq, {p}residual, {p}typed, {p}typed2
-- :edit
INSERT INTO edits (id, kind, handle, epoch, session, user, key, target, began, ended, began_seq, seq, residual, typed, typed2)
VALUES (:id, :kind, :handle, :epoch, :session, :user, :key, :target, :began, :ended, :began_seq, :seq, :residual, :typed, :typed2)
    ON CONFLICT (id) DO UPDATE SET ({end_of_edit}) = ({end_of_edit excluded.})
-- :change
INSERT INTO changes (edit, step, node, seq, did, {content before_}, {content after_})
VALUES (:edit, :step, :node, :seq, :did, {content :before_}, {content :after_})

-- :sample
INSERT INTO samples (edit, node, seq, time, {trs}) VALUES (:edit, :node, :seq, :time, {trs :})

-- :begin
BEGIN IMMEDIATE
-- :commit
COMMIT
-- :rollback
ROLLBACK

-- :scene
UPDATE scene SET seq = :seq, time = :time, next_node = :next_node, next_edit = :next_edit

-- :joined
INSERT INTO sessions (epoch, session, user, role, joined) VALUES (:epoch, :session, :user, :role, :joined)
-- :left
UPDATE sessions SET left = :left WHERE epoch = :epoch AND session = :session

-- :rest
UPDATE samples SET until = :until WHERE edit = :edit AND node = :node AND seq = :seq
-- :forget_sample
DELETE FROM samples WHERE edit = :edit AND node = :node AND seq = :seq

-- :forget_changes
DELETE FROM changes WHERE edit = :edit
-- :forget_samples
DELETE FROM samples WHERE edit = :edit
-- :forget_unchanged
DELETE FROM samples WHERE edit = :edit AND node NOT IN (SELECT node FROM changes WHERE edit = :edit)
-- :forget_edit
DELETE FROM edits WHERE id = :edit

-- let latest_of_note
{p}text, {p}node, {p}x, {p}y, {p}z, {p}done, {p}changed, {p}changed_by, {p}gone
-- :note
INSERT INTO notes (id, user, text, node, x, y, z, reply, done, made, changed, changed_by, gone)
VALUES (:id, :user, :text, :node, :x, :y, :z, :reply, :done, :made, :changed, :changed_by, :gone)
    ON CONFLICT (id) DO UPDATE SET ({latest_of_note}) = ({latest_of_note excluded.})
-- :note_key
INSERT INTO note_keys (user, key, note) VALUES (:user, :key, :note)

-- :checkpoint
INSERT INTO checkpoints (name, seq, user, made) VALUES (:name, :seq, :user, :made)
-- :forget_checkpoint
DELETE FROM checkpoints WHERE name = :name
-- :kept_since
SELECT since FROM kept
-- :news
INSERT INTO news (epoch, seq, note, checkpoint, named, user, made, gone)
VALUES (:epoch, :seq, :note, :checkpoint, :named, :user, :made, :gone)
-- :told
UPDATE scene SET told_seq = :seq, told_news = :news

-- :access
INSERT INTO access_changes (glob, role, user, made) VALUES (:glob, :role, :user, :made)

-- A file that the scene had before comes again with its numbers.
-- :asset
INSERT INTO assets (first, count, seq, media_type, sha256, bytes) VALUES (:first, :count, :seq, :media_type, :sha256, :bytes)
    ON CONFLICT (first) DO UPDATE SET bytes = excluded.bytes WHERE bytes IS NULL
