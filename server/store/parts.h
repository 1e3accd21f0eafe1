/* parts.h - the functions that the files of this room share. Threads and errors: as in
 * store.h. */
#ifndef GZ_STORE_PARTS_H
#define GZ_STORE_PARTS_H

#include <stdatomic.h>
#include <uv.h>

#include "scene/record.h"
#include "store/clean_mark.h"
#include "store/database.h"
#include "store/shipper.h"
#include "store/store.h"

/* Bytes of memory for one read of a file: a scene with its undo history; an answer to one
 * client. */
#define GZ_STATE_BYTES_MAX (SIZE_MAX / 2)
#define GZ_RESULT_BYTES_MAX ((size_t)512 * 1024 * 1024)

/* Closes the drags and sessions that a crash left open and begins an epoch, in one transaction.
 * `has_hook`: as in gz_store_options. */
GZ_MUST_USE enum gz_status gz_recover(sqlite3 *db, double time, bool has_hook,
                                      struct gz_shipper *shipper, uint64_t *epoch,
                                      struct gz_error *error);

/* The number of the epoch that begins now. */
GZ_MUST_USE enum gz_status gz_find_epoch(sqlite3 *db, double time, uint64_t *epoch,
                                         struct gz_error *error);

/* Reads the scene, within the caller's transaction or one of its own; keeps state->read_only. The
 * caller finishes `state` in any case. */
GZ_MUST_USE enum gz_status gz_load(sqlite3 *db, uint64_t epoch, struct gz_scene_state *state,
                                   struct gz_error *error);

/* Reads the assets, without bytes, likewise. */
GZ_MUST_USE enum gz_status gz_load_assets(sqlite3 *db, struct gz_scene_state *state,
                                          struct gz_error *error);
/* Reads the row of the scene, the assets and the nodes that are not deleted, within the caller's
 * transaction. The caller finishes `state`, which was zeroed, in any case. */
GZ_MUST_USE enum gz_status gz_load_present(sqlite3 *db, struct gz_scene_state *state,
                                           struct gz_error *error);

/* Fills the answer to GZ_QUERY_PATH. */
GZ_MUST_USE enum gz_status gz_answer_news(struct gz_db_reader *reader, const struct gz_query *query,
                                          struct gz_answer *answer);
GZ_MUST_USE enum gz_status gz_answer_path(struct gz_db_reader *reader, const struct gz_query *query,
                                          struct gz_answer *answer);

/* ---- check.c ---- */

/* How much is checked. */
enum gz_check_depth {
    GZ_CHECK_PRESENT, /* what is there now: whether the tables that hold it are whole, and each node
                         is as its last edit left it. Takes no longer with a longer history */
    GZ_CHECK_ALL,     /* every promise */
    GZ_CHECK_BESIDE   /* the same, of a file that is written meanwhile: piece by piece, each as of
                         one commit, so that its log can be emptied in between */
};
/* As gz_store_check, with an open reader. */
GZ_MUST_USE enum gz_status gz_check_reader(struct gz_db_reader *reader, enum gz_check_depth depth,
                                           struct gz_store_check *check, struct gz_error *error);

/* ---- inspect.c ---- */

/* What is known of a file before it is served. */
struct gz_inspected {
    char read_only[GZ_ERROR_BYTES_MAX]; /* why the file must not be written; empty if it may */
    bool is_unchecked;                  /* only what is there now was checked (GZ_CHECK_PRESENT) */
    uint64_t epoch;                     /* the last one in the file */
};

/* Checks a file before it is opened: its schema, and its log if it has one, always; what is there
 * now if its mark says that a server crashed with it; every promise without a valid mark. With
 * GZ_OK `reader` is open. GZ_STORAGE for a file that cannot be used at all. */
GZ_MUST_USE enum gz_status gz_inspect(struct gz_db_reader *reader, const char *path,
                                      const struct gz_log *log, struct gz_inspected *inspected,
                                      struct gz_error *error);
/* The mark of the file, if it is still that file: its last epoch is read from `db`. */
GZ_MUST_USE enum gz_status gz_inspect_mark(sqlite3 *db, const char *path,
                                           struct gz_clean_marked *marked, uint64_t *epoch,
                                           struct gz_error *error);
/* Why a file with these faults can only be read. */
void gz_inspect_say(char words[GZ_ERROR_BYTES_MAX], const char *first, uint64_t faults);

/* ---- inspect.c: the whole check of a file while it is served, on a thread of its own ---- */

/* Lets one audit run at a time. Outlives the audits. */
struct gz_store_turns {
    uv_mutex_t mutex;
    uv_cond_t over;
    bool is_taken;
};

enum gz_audit_result {
    GZ_AUDIT_NONE,    /* there is nothing to check */
    GZ_AUDIT_PENDING, /* it runs, or waits; also after an end before its time */
    GZ_AUDIT_WHOLE,   /* no faults */
    GZ_AUDIT_DAMAGED
};

/* Zeroed at first. Does not move in memory while it runs. */
struct gz_audit {
    _Atomic enum gz_audit_result result;
    char damage[GZ_ERROR_BYTES_MAX]; /* with GZ_AUDIT_DAMAGED: why the file can only be read */
    /* private */
    const char *path;
    const struct gz_log *log;
    struct gz_store_turns *turns;
    void (*notify)(void *context);
    void *context;
    uv_thread_t thread;
    bool has_thread;
    atomic_bool is_stopped;
};

/* Checks the file from now on, and then calls `notify`, unless it is NULL, on its thread. The path,
 * the log and `turns`, which may be NULL, outlive it. Without a thread the result stays
 * GZ_AUDIT_PENDING. */
void gz_audit_start(struct gz_audit *audit, const char *path, struct gz_store_turns *turns,
                    const struct gz_log *log, void (*notify)(void *context), void *context);
/* Ends the check within milliseconds of SQLite's work, whether it is done or not. */
void gz_audit_finish(struct gz_audit *audit);

/* ---- files.c ---- */

/* A new name in a directory survives a loss of power once this has returned 0. */
GZ_MUST_USE int gz_feed_directory(const char *path);
/* Deletes SQLite's files beside the database: its logs and their index. Only for a database that
 * this process created or deleted, because a log may hold edits that are nowhere else. */
void gz_delete_beside(const char *path);
/* Makes a name free for a new database; there must be no database of this name, and the caller must
 * own the name. Finishes a deletion that a crash interrupted. GZ_STORAGE if a log with edits stays
 * beside the name. */
GZ_MUST_USE enum gz_status gz_clear_name(const char *path, struct gz_error *error);
/* Makes the database one file without a log; a valid mark stays valid. GZ_STORAGE if the log is
 * damaged, so that some of it would be lost. GZ_BAD_STATE if another program has it open for longer
 * than a second. */
GZ_MUST_USE enum gz_status gz_fold(const char *path, struct gz_error *error);

#endif
