/* internal.h - what the files of this room need of each other. Threads and errors: as in
 * store.h. */
#ifndef GZ_STORE_INTERNAL_H
#define GZ_STORE_INTERNAL_H

#include "scene/record.h"
#include "store/database.h"
#include "store/shipper.h"
#include "store/store.h"

/* Bytes that what is read of a file for one use may take: a scene with its undo history, an answer
 * to one client. */
#define GZ_STATE_BYTES_MAX (SIZE_MAX / 2)
#define GZ_RESULT_BYTES_MAX ((size_t)512 * 1024 * 1024)

/* Closes the drags and sessions that a crash left open and begins an epoch, in one transaction. */
GZ_MUST_USE enum gz_status gz_recover(sqlite3 *db, double time, struct gz_shipper *shipper,
                                      uint64_t *epoch, struct gz_error *error);

/* The number of the epoch that begins now. */
GZ_MUST_USE enum gz_status gz_find_epoch(sqlite3 *db, double time, uint64_t *epoch,
                                         struct gz_error *error);

/* Reads the scene, in the transaction that there is or in one of its own; what stands in
 * state->read_only stays. `state` is to be finished by the caller in any case. */
GZ_MUST_USE enum gz_status gz_load(sqlite3 *db, uint64_t epoch, struct gz_scene_state *state,
                                   struct gz_error *error);

/* Fills the answer to GZ_QUERY_PATH. */
GZ_MUST_USE enum gz_status gz_answer_path(struct gz_db_reader *reader, const struct gz_query *query,
                                          struct gz_answer *answer);

/* ---- check.c ---- */

/* What is looked at: every promise, or whether each node is as the last edit left it. The second is
 * for a file that only our own crash left open: what SQLite had not finished, it finishes. */
enum gz_check_depth { GZ_CHECK_PRESENT, GZ_CHECK_ALL };
/* As gz_store_check, of a file that is open. */
GZ_MUST_USE enum gz_status gz_check_reader(struct gz_db_reader *reader, enum gz_check_depth depth,
                                           struct gz_store_check *check, struct gz_error *error);

/* ---- inspect.c ---- */

/* Looks at a file that is to be opened, as far as is due: at its schema always, at all that it
 * promises unless the last server that had it open closed it, or crashed. `reader` is open on it
 * with GZ_OK, and says in `read_only` why nothing is to be written to it; empty: nothing keeps us
 * from that. GZ_STORAGE for a file that is not used at all. */
GZ_MUST_USE enum gz_status gz_inspect(struct gz_db_reader *reader, const char *path,
                                      const struct gz_log *log, char read_only[GZ_ERROR_BYTES_MAX],
                                      struct gz_error *error);

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
/* Makes the database one file, without a log. GZ_BAD_STATE if another program has it open, for
 * longer than a second. */
GZ_MUST_USE enum gz_status gz_fold(const char *path, struct gz_error *error);

#endif
