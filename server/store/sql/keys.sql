-- What a client's key was about.

-- :edit
SELECT {edit} FROM edits e WHERE e.user = :user AND e.key = :key AND e.ended IS NOT NULL
-- :note
SELECT note FROM note_keys WHERE user = :user AND key = :key
