/* internal.h - what the files of this room need of each other. Threads and errors: as in
 * store.h. */
#ifndef GZ_STORE_INTERNAL_H
#define GZ_STORE_INTERNAL_H

#include "scene/record.h"
#include "store/database.h"

/* Bytes that what is read of a file for one use may take: a scene with its undo history, an answer
 * to one client. */
#define GZ_STATE_BYTES_MAX (SIZE_MAX / 2)
#define GZ_RESULT_BYTES_MAX ((size_t)512 * 1024 * 1024)

/* Closes the drags and sessions that a crash left open and begins an epoch, in one transaction. */
GZ_MUST_USE enum gz_status gz_recover(sqlite3 *db, double time, uint64_t *epoch,
                                      struct gz_error *error);

/* Reads the scene; `state` is to be finished by the caller in any case. */
GZ_MUST_USE enum gz_status gz_load(sqlite3 *db, uint64_t epoch, struct gz_scene_state *state,
                                   struct gz_error *error);

/* Fills the answer to GZ_QUERY_PATH. */
GZ_MUST_USE enum gz_status gz_answer_path(struct gz_db_reader *reader, const struct gz_query *query,
                                          struct gz_answer *answer);

/* ---- files.c ---- */

/* A new name in a directory is safe once this has returned 0. */
GZ_MUST_USE int gz_sync_directory(const char *path);
/* Deletes what SQLite may have kept beside the database of this path: its logs and their index. For
 * a database that this process made or deleted: a log may hold edits that are nowhere else. */
void gz_delete_beside(const char *path);
/* Makes a name free for a new database: no database of this name is there, and the caller owns it.
 * Finishes a deletion that a crash broke off. GZ_STORAGE if a log that holds edits stays beside the
 * name. */
GZ_MUST_USE enum gz_status gz_clear_name(const char *path, struct gz_error *error);
/* Whether the file, and what SQLite keeps beside it, can be written by this process. */
bool gz_can_write(const char *path);
/* Whether changes may stand beside the file that are not in it: another program has it open, or was
 * stopped in the middle. */
bool gz_has_log(const char *path);

#endif
