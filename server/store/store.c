/* store.c - opens and closes a store, runs the writer's thread, and searches for keys. The writer
 * commits batches, and in between keeps the write-ahead log small and removes the past that is no
 * longer kept. */
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "proto/base/histogram.h"
#include "schema/schema.h"
#include "server/maxima.h"
#include "store/clean_mark.h"
#include "store/database.h"
#include "store/file_check.h"
#include "store/model.h"
#include "store/parts.h"
#include "store/retention.h"
#include "store/rows.h"
#include "store/ship.h"
#include "store/shipper.h"
#include "store/wal.h"
#include "store/writer.h"

/* From this size of the log on the checkpointer copies it into the database, if it has many
 * commits. A log is written to faster where it has been before, so that it is to begin anew soon;
 * but the writer pauses for each copy, which few commits are to wait for. */
#define WAL_CHECKPOINT_BYTES (2 * 1024 * 1024)
#define WAL_CHECKPOINT_COMMITS 128
/* At WAL_MUCH times the size the copy is made in such a way that the writer pauses for less long,
 * which writes more. */
#define WAL_MUCH 2
/* At WAL_LONG times the size the log is copied, however few commits it has. At WAL_TOO_LONG times
 * the writer waits for the copy: edits come faster than the disk takes them, or a reader keeps the
 * log from being copied. */
#define WAL_LONG 4
#define WAL_TOO_LONG 8
/* After so many seconds that is tried again for a log that could not be emptied. */
#define WAL_CHECKPOINT_SECONDS 2
/* Seconds without a batch after which the log is emptied. */
#define IDLE_SECONDS 1
/* Seconds between looks for edits that have become too old to be kept, while nothing else
 * happens. */
#define RETENTION_SECONDS 60
#define FOREVER UINT64_MAX
/* Nanoseconds that how far the hook was told waits for a batch to go along with: a crash then has
 * the events of that time posted again. */
#define TOLD_NS UINT64_C(1000000000)
/* Milliseconds that an opening waits for the lock of another program or of the list of scenes; it
 * is short, because the worker that opens has other scenes to serve. */
#define OPENING_BUSY_MS 500
/* From so many bytes of the log on, a reader that blocks it is reported. */
#define WAL_BYTES_REPORTED (64 * 1024 * 1024)

/* Batches, the oldest first. */
struct batches {
    struct gz_batch *first, *last;
};

struct gz_store {
    void (*notify)(void *context);
    void *context;
    const struct gz_log *log;
    struct gz_lock_file owner;
    char *path, *wal_path;
    const char
        *unfinished_path; /* a file that this opening created, deleted after a failure; else NULL */

    /* the opener's */
    sqlite3 *keys_db;
    sqlite3_stmt *find_key[GZ_SQL_KEYS_COUNT], *rows[GZ_SQL_ROWS_COUNT];

    /* the writer thread's, once it runs */
    struct gz_shipper shipper;
    struct gz_writer writer;
    struct gz_retention retention;
    struct gz_retention_clock retention_clock;
    /* When the log is copied into the database next: at so many pages or, if it has more than
     * wal_checkpoint_pages, at this time. */
    int wal_checkpoint_pages, wal_checkpoint_at;
    int wal_pages_seen; /* after the commit before */
    int wal_commits;    /* in the log */
    uint64_t wal_checkpoint_at_ns;
    bool is_wal_reported, is_loss_reported;

    bool is_unchecked; /* by the opening; the audit checks the rest */
    struct gz_store_turns *turns;
    struct gz_audit audit;

    bool is_writable; /* it is open for writing */
    uv_thread_t thread;
    bool has_thread;
    uv_mutex_t mutex; /* guards the members below */
    uv_cond_t wake;
    bool has_mutex, has_wake;
    bool is_closing;
    struct batches queued, done; /* for the writer; to be taken */
    bool has_told;               /* for the writer: */
    struct gz_told told;
    uint64_t told_due_ns;    /* when a transaction of its own is made for it */
    size_t away;             /* batches that were submitted and not taken yet */
    bool is_refusing;        /* a batch failed, and `away` was not 0 since */
    uint64_t commit_from_ns; /* start of the running commit, by disk_clock_ns; 0 for none */
    struct gz_store_stats stats;
    struct gz_histogram *commits;
};

static void append(struct batches *list, struct gz_batch *batch)
{
    batch->next = NULL;
    *(list->last != NULL ? &list->last->next : &list->first) = batch;
    list->last = batch;
}

static struct batches take_all(struct batches *list)
{
    struct batches taken = *list;
    *list = (struct batches){NULL, NULL};
    return taken;
}

static struct gz_batch *take_first(struct batches *list)
{
    struct gz_batch *first = list->first;
    if (first == NULL) return NULL;
    list->first = first->next;
    if (list->first == NULL) list->last = NULL;
    return first;
}

/* ---- the writer's thread ---- */

static uint64_t wal_bytes(const struct gz_store *store)
{
    struct stat file;
    return stat(store->wal_path, &file) == 0 ? (uint64_t)file.st_size : 0;
}

static uint64_t count_rows(const struct gz_batch *batch)
{
    uint64_t rows = batch->joined_count + batch->left_count + batch->node_count +
                    batch->sample_count + batch->begun_count + batch->ended_count +
                    batch->note_count + batch->checkpoint_count + batch->access_count;
    for (size_t i = 0; i < batch->begun_count; i++) rows += batch->begun[i].change_count;
    for (size_t i = 0; i < batch->ended_count; i++) rows += batch->ended[i].change_count;
    return rows;
}

/* Whether the opened file can no longer be written. A log without a name is lost with this process,
 * so the scene stays open until all of the log is in the file. */
static bool is_cut_off(struct gz_store *store)
{
    return gz_writer_has_moved(&store->writer) ||
           (gz_writer_has_lost_log(&store->writer) && gz_writer_save_log(&store->writer));
}

/* Logs it once; each refused edit names it too. */
static void report_lost_log(struct gz_store *store, const struct gz_error *error)
{
    if (store->is_loss_reported || !gz_writer_has_lost_log(&store->writer)) return;
    store->is_loss_reported = true;
    gz_log(store->log, GZ_ERROR, 0,
           "%s. The files of a scene that is open belong together: move or delete none of them",
           error->message);
}

/* Gives the batches their result and puts them into `done`. */
static void finish(struct gz_store *store, struct batches *list, const struct gz_error *error)
{
    struct gz_batch *batch;
    while ((batch = take_first(list)) != NULL) {
        batch->status = error->status;
        batch->error = *error;
        append(&store->done, batch);
    }
}

/* Refuses the queued batches too, because they depend on the refused ones. */
static void refuse_queued(struct gz_store *store, const struct gz_error *error)
{
    store->is_refusing = true;
    finish(store, &store->queued, error);
}

static void count_commit(struct gz_store *store, const struct gz_batch *first)
{
    store->stats.commits++;
    for (; first != NULL; first = first->next) {
        store->stats.rows += count_rows(first);
        store->stats.news += first->ended_count + first->note_count + first->checkpoint_count;
        gz_retention_count(&store->retention, first->ended_count);
    }
}

/* Notes the result of a transaction for the statistics. */
static void note(struct gz_store *store, const struct gz_error *error, bool is_gone)
{
    const bool is_behind = store->shipper.is_behind;
    store->stats.last_status = error->status;
    store->stats.is_gone = is_gone;
    store->stats.keeps_batches = is_behind;
    if (is_behind)
        gz_log(store->log, GZ_ERROR, 0,
               "%s: it may lack a change that the log has, and is brought up to the log when it "
               "is opened anew: %s",
               gz_db_file_name(store->path), error->message);
}

/* The log may have a change that the file lacks, so that it is unknown whether its edits are done
 * until the scene is opened again. Neither these batches nor those that depend on them are given
 * back. */
static void keep_back(struct gz_store *store, struct batches *list)
{
    list->last->next = store->queued.first;
    if (store->queued.last == NULL) store->queued.last = list->last;
    store->queued.first = list->first;
    *list = (struct batches){NULL, NULL};
}

/* A clock that stands still while the store waits for the log of ship.h. */
static uint64_t disk_clock_ns(const struct gz_store *store)
{
    const uint64_t now_ns = uv_hrtime();
    return now_ns - gz_shipper_waited_ns(&store->shipper);
}

static double seconds_of_commit(const struct gz_store *store, uint64_t now_ns)
{
    const uint64_t from_ns = store->commit_from_ns;
    return from_ns != 0 && now_ns > from_ns ? (double)(now_ns - from_ns) * 1e-9 : 0;
}

/* Ends the timing of a commit; the next one begins at once if a batch waits. */
static void time_commit(struct gz_store *store)
{
    const uint64_t now_ns = disk_clock_ns(store);
    store->stats.last_commit_s = seconds_of_commit(store, now_ns);
    gz_histogram_add(store->commits, store->stats.last_commit_s);
    store->commit_from_ns = store->queued.first != NULL ? now_ns : 0;
}

static void commit(struct gz_store *store, struct batches list)
{
    struct gz_error error = {0};
    error.status = gz_writer_commit(&store->writer, list.first, &error);
    bool is_committed = error.status == GZ_OK;
    const struct gz_shipper *shipper = &store->shipper;
    bool is_gone = !is_committed && (shipper->is_fenced || shipper->is_behind || is_cut_off(store));
    if (!is_committed) report_lost_log(store, &error);
    uv_mutex_lock(&store->mutex);
    note(store, &error, is_gone);
    store->stats.wal_bytes = store->writer.wal_bytes;
    if (is_committed) count_commit(store, list.first);
    if (shipper->is_behind) {
        keep_back(store, &list);
    } else {
        finish(store, &list, &error);
        if (!is_committed) refuse_queued(store, &error);
    }
    time_commit(store);
    uv_mutex_unlock(&store->mutex);
    if (store->notify != NULL) store->notify(store->context);
}

/* A reader that does not end keeps the log from being emptied. Logs the beginning and the end of
 * that. */
static void report_wal(struct gz_store *store, uint64_t bytes)
{
    bool is_large = bytes > WAL_BYTES_REPORTED;
    if (is_large && !store->is_wal_reported)
        gz_log(store->log, GZ_WARN, 0,
               "%s has %llu MiB: a program reads an old state and keeps it from being emptied",
               store->wal_path, (unsigned long long)(bytes >> 20));
    if (!is_large && store->is_wal_reported)
        gz_log(store->log, GZ_INFO, 0, "%s has %llu MiB again", store->wal_path,
               (unsigned long long)(bytes >> 20));
    store->is_wal_reported = is_large;
}

static void wal_checkpoint(struct gz_store *store)
{
    (void)gz_writer_wal_checkpoint(&store->writer, false);
    store->wal_checkpoint_at = store->writer.wal_pages + 2 * store->wal_checkpoint_pages;
    store->wal_checkpoint_at_ns = uv_hrtime() + (uint64_t)WAL_CHECKPOINT_SECONDS * 1000000000;
}

static bool is_wal_checkpoint_due(struct gz_store *store)
{
    const int pages = store->writer.wal_pages, least = store->wal_checkpoint_pages;
    if (pages < least) store->wal_checkpoint_at = least;
    const bool was_tried = store->wal_checkpoint_at > least;
    if (was_tried && uv_hrtime() >= store->wal_checkpoint_at_ns) return pages >= least;
    const bool has_many = store->wal_commits >= WAL_CHECKPOINT_COMMITS;
    return pages >= store->wal_checkpoint_at && (has_many || pages >= WAL_LONG * least);
}

/* Has the log copied beside the writer, whose own checkpoint afterwards is short, so that SQLite
 * begins the log anew. */
static void wal_checkpoint_if_due(struct gz_store *store)
{
    struct gz_checkpointer *checkpointer = &store->writer.checkpointer;
    const int pages = store->writer.wal_pages, least = store->wal_checkpoint_pages;
    const bool is_large = pages >= WAL_TOO_LONG * least, has_much = pages >= WAL_MUCH * least;
    store->wal_commits = pages < store->wal_pages_seen ? 1 : store->wal_commits + 1;
    store->wal_pages_seen = pages;
    if (checkpointer->has_thread) {
        if (is_large || atomic_load(&checkpointer->is_over)) wal_checkpoint(store);
    } else if (is_wal_checkpoint_due(store)) {
        if (is_large || !gz_checkpointer_start(checkpointer, has_much)) wal_checkpoint(store);
    }
    report_wal(store, store->writer.wal_bytes);
}

/* Empties the log of an idle store; whether there is nothing left to do until the next batch. */
static bool rest(struct gz_store *store)
{
    if (wal_bytes(store) > 0 && gz_writer_wal_checkpoint(&store->writer, true))
        store->writer.wal_pages = 0;
    uint64_t bytes = wal_bytes(store);
    report_wal(store, bytes);
    uv_mutex_lock(&store->mutex);
    store->stats.wal_bytes = bytes;
    uv_mutex_unlock(&store->mutex);
    return bytes == 0;
}

static double monotonic_s(void)
{
    return (double)uv_hrtime() * 1e-9;
}

/* Removes a little of the past. False if there is nothing to remove, or if it has to wait: removals
 * are written to the log, which must not grow while a reader keeps it from being emptied. */
static bool forget(struct gz_store *store)
{
    struct gz_error error = {.status = GZ_OK};
    const struct gz_shipper *shipper = &store->shipper;
    bool more = false;
    if (!gz_retention_is_on(&store->retention) || shipper->is_fenced ||
        store->writer.wal_pages > WAL_LONG * store->wal_checkpoint_pages)
        return false;
    const double now = gz_db_now();
    if (!gz_retention_trusts(&store->retention_clock, now, monotonic_s())) return false;
    error.status = gz_retention_step(&store->retention, now, &more, &error);
    bool is_gone = shipper->is_fenced || shipper->is_behind;
    if (error.status != GZ_OK && !shipper->is_behind)
        gz_log(store->log, GZ_WARN, 0, "removing old history: %s", error.message);
    uv_mutex_lock(&store->mutex);
    store->stats.kept_since = store->retention.since;
    if (is_gone) note(store, &error, true);
    uv_mutex_unlock(&store->mutex);
    if (is_gone && store->notify != NULL) store->notify(store->context);
    return more;
}

/* Remembers how far the hook was told, in a transaction of its own. */
static void tell(struct gz_store *store)
{
    struct gz_error error = {.status = GZ_OK};
    const struct gz_shipper *shipper = &store->shipper;
    error.status = gz_writer_commit(&store->writer, NULL, &error);
    if (error.status == GZ_OK) return;
    const bool is_gone = shipper->is_fenced || shipper->is_behind || is_cut_off(store);
    gz_log(store->log, GZ_WARN, 0, "how far the hook was told is not saved: %s", error.message);
    uv_mutex_lock(&store->mutex);
    if (is_gone) note(store, &error, true);
    uv_mutex_unlock(&store->mutex);
    if (is_gone && store->notify != NULL) store->notify(store->context);
}

/* Nanoseconds to wait for a batch, or FOREVER. */
static uint64_t time_to_wait(const struct gz_store *store, uint64_t wait_s)
{
    const uint64_t wait_ns = wait_s == FOREVER ? FOREVER : wait_s * 1000000000;
    const uint64_t now_ns = uv_hrtime();
    if (!store->has_told) return wait_ns;
    const uint64_t left_ns = store->told_due_ns > now_ns ? store->told_due_ns - now_ns : 0;
    return left_ns < wait_ns ? left_ns : wait_ns;
}

/* Takes the queued batches, and how far the hook was told, and waits up to `wait_s` for the first
 * of them; none after that, or at the end. */
static struct batches take_queued(struct gz_store *store, uint64_t wait_s, bool *has_told,
                                  bool *is_ending)
{
    uv_mutex_lock(&store->mutex);
    int timeout = wait_s == 0;
    while (store->queued.first == NULL && !store->is_closing && timeout == 0) {
        const uint64_t wait_ns = time_to_wait(store, wait_s);
        if (wait_ns == FOREVER)
            uv_cond_wait(&store->wake, &store->mutex);
        else
            timeout = uv_cond_timedwait(&store->wake, &store->mutex, wait_ns);
    }
    struct batches taken = take_all(&store->queued);
    *is_ending = store->is_closing && taken.first == NULL && !store->has_told;
    *has_told = store->has_told &&
                (taken.first != NULL || store->is_closing || uv_hrtime() >= store->told_due_ns);
    if (*has_told) {
        store->writer.told = store->told;
        store->writer.has_told = true;
        store->has_told = false;
    }
    uv_mutex_unlock(&store->mutex);
    return taken;
}

/* Does the work between batches, after `wait_s` without one; returns how long to wait next. */
static uint64_t work_alone(struct gz_store *store, uint64_t wait_s)
{
    if (forget(store)) {
        wal_checkpoint_if_due(store);
        return 0;
    }
    if (wait_s == 0 || !rest(store)) return IDLE_SECONDS;
    return gz_retention_is_on(&store->retention) ? RETENTION_SECONDS : FOREVER;
}

static void handle_thread(void *context)
{
    struct gz_store *store = context;
    bool is_ending = false, has_told;
    uint64_t wait_s = IDLE_SECONDS;
    while (!is_ending && !store->shipper.is_behind) {
        struct batches list = take_queued(store, wait_s, &has_told, &is_ending);
        if (list.first != NULL) {
            commit(store, list);
            wal_checkpoint_if_due(store);
            wait_s = gz_retention_is_on(&store->retention) ? 0 : IDLE_SECONDS;
        } else if (has_told) {
            tell(store);
            wal_checkpoint_if_due(store);
            wait_s = IDLE_SECONDS;
        } else if (!is_ending) {
            wait_s = work_alone(store, wait_s);
        }
    }
}

/* ---- opening and closing ---- */

/* Prepares a database; one that was empty was not inspected. */
static enum gz_status prepare_database(struct gz_store *store, sqlite3 *db,
                                       const struct gz_store_options *options,
                                       struct gz_scene_state *state,
                                       const struct gz_inspected *inspected, struct gz_error *error)
{
    uint64_t epoch;
    enum gz_status status = gz_db_identify(db, error);
    if (status == GZ_OK && inspected == NULL) status = gz_model_require(db, error);
    if (status == GZ_OK) gz_db_trust_triggers(db);
    gz_clean_mark_turn(options->path);
    if (status == GZ_OK) status = gz_db_use_wal(db, error);
    if (status == GZ_OK)
        gz_clean_mark_open(options->path, inspected != NULL ? inspected->epoch : 0, GZ_COUNTER_MAX);
    /* The log is copied into the database between commits, not within one. */
    sqlite3_wal_autocheckpoint(db, 0);
    if (status == GZ_OK) status = gz_db_make(db, error);
    if (status == GZ_OK) status = gz_db_exec(db, "PRAGMA synchronous = FULL", error);
    if (status == GZ_OK) status = gz_shipper_init(&store->shipper, db, options->shipping, error);
    if (status == GZ_OK)
        status = gz_recover(db, options->time, options->has_hook, &store->shipper, &epoch, error);
    /* From here on the file is a scene without its log, too: gz_store_tidy deletes none. */
    if (status == GZ_OK && inspected == NULL) gz_db_empty_log(db);
    if (status == GZ_OK) gz_clean_mark_open(options->path, epoch, epoch);
    if (status == GZ_OK) status = gz_load(db, epoch, state, error);
    return status;
}

static enum gz_status measure_pages(struct gz_store *store, sqlite3 *db, struct gz_error *error)
{
    int64_t bytes = 0;
    enum gz_status status = gz_db_integer(db, "PRAGMA page_size", &bytes, error);
    if (status == GZ_OK)
        store->wal_checkpoint_at = store->wal_checkpoint_pages = WAL_CHECKPOINT_BYTES / (int)bytes;
    return status;
}

static enum gz_status open_writer(struct gz_store *store, const struct gz_store_options *options,
                                  const struct gz_inspected *inspected,
                                  struct gz_scene_state *state, struct gz_error *error)
{
    sqlite3 *db;
    int flags = SQLITE_OPEN_READWRITE | (options->create ? SQLITE_OPEN_CREATE : 0);
    enum gz_status status = gz_db_open(options->path, flags, &db, error);
    if (status != GZ_OK) return status;
    sqlite3_busy_timeout(db, OPENING_BUSY_MS);
    status = prepare_database(store, db, options, state, inspected, error);
    if (status == GZ_OK)
        status = gz_retention_init(&store->retention, &store->shipper, options->kept, error);
    store->retention_clock.ahead_s = gz_db_now() - monotonic_s();
    store->stats.kept_since = store->retention.since;
    if (status == GZ_OK) status = measure_pages(store, db, error);
    if (status == GZ_OK)
        status = gz_writer_init(&store->writer, &store->shipper, store->wal_path, state->epoch,
                                options->recorded, error);
    if (status != GZ_OK) {
        gz_retention_finish(&store->retention);
        gz_shipper_finish(&store->shipper);
        sqlite3_close(db);
    }
    return status;
}

static enum gz_status open_keys(struct gz_store *store, const char *path, struct gz_error *error)
{
    enum gz_status status = gz_db_open(path, SQLITE_OPEN_READONLY, &store->keys_db, error);
    if (status != GZ_OK) return status;
    sqlite3_busy_timeout(store->keys_db, OPENING_BUSY_MS);
    status =
        gz_db_prepare_all(store->keys_db, gz_sql_keys, GZ_SQL_KEYS_COUNT, store->find_key, error);
    return status == GZ_OK ? gz_db_prepare_all(store->keys_db, gz_sql_rows, GZ_SQL_ROWS_COUNT,
                                               store->rows, error)
                           : status;
}

/* Reads a scene that cannot be edited. Nothing is written, so it has no owner, and no epoch in its
 * file. */
static enum gz_status read_scene(struct gz_store *store, sqlite3 *db, double time,
                                 struct gz_scene_state *state, struct gz_error *error)
{
    uint64_t epoch;
    int64_t since = 0;
    enum gz_status status = gz_db_integer(db, gz_sql_check[GZ_SQL_CHECK_SINCE], &since, error);
    if (status == GZ_OK) status = gz_find_epoch(db, time, &epoch, error);
    if (status == GZ_OK) status = gz_load(db, epoch, state, error);
    store->stats.kept_since = (uint64_t)since;
    return status;
}

/* Becomes the owner of the name, which has no file yet if the scene is to be created. */
static enum gz_status become_owner(struct gz_store *store, const char *path, bool is_there,
                                   struct gz_error *error)
{
    enum gz_status status = gz_lock_file_init(&store->owner, path, error);
    if (status != GZ_OK || is_there) return status;
    status = gz_clear_name(path, error);
    if (status == GZ_OK) store->unfinished_path = path;
    return status;
}

static enum gz_status open_writable(struct gz_store *store, const struct gz_store_options *options,
                                    const struct gz_inspected *inspected,
                                    struct gz_scene_state *state, struct gz_error *error)
{
    enum gz_status status = open_writer(store, options, inspected, state, error);
    if (status == GZ_OK) status = open_keys(store, options->path, error);
    store->is_writable = status == GZ_OK;
    return status;
}

/* Opens a file after gz_inspect, and fills an empty one. */
static enum gz_status open_inspected(struct gz_store *store, const struct gz_store_options *options,
                                     struct gz_scene_state *state, struct gz_error *error)
{
    struct gz_db_reader reader;
    struct gz_inspected inspected;
    enum gz_status status = gz_inspect(&reader, options->path, options->log, &inspected, error);
    if (status == GZ_UNKNOWN_SCENE) return open_writable(store, options, NULL, state, error);
    if (status != GZ_OK) return status;
    memcpy(state->read_only, inspected.read_only, sizeof state->read_only);
    store->is_unchecked = inspected.is_unchecked;
    bool is_read_only = state->read_only[0] != '\0';
    if (is_read_only) status = read_scene(store, reader.db, options->time, state, error);
    gz_db_reader_close(&reader);
    return is_read_only ? status : open_writable(store, options, &inspected, state, error);
}

static enum gz_status open_store(struct gz_store *store, const struct gz_store_options *options,
                                 struct gz_scene_state *state, struct gz_error *error)
{
    struct stat file;
    store->has_mutex = uv_mutex_init(&store->mutex) == 0;
    store->has_wake = uv_cond_init(&store->wake) == 0;
    if (asprintf(&store->wal_path, "%s-wal", options->path) < 0) store->wal_path = NULL;
    store->path = strdup(options->path);
    if (store->wal_path == NULL || store->path == NULL || !store->has_mutex || !store->has_wake)
        return gz_fail(error, GZ_NO_MEMORY, "no memory");
    bool is_there = lstat(options->path, &file) == 0 || errno != ENOENT;
    if (!options->create && !is_there)
        return gz_fail(error, GZ_UNKNOWN_SCENE, "there is no file %s",
                       gz_db_file_name(options->path));
    enum gz_status status = GZ_OK;
    if (!is_there || gz_can_write(options->path))
        status = become_owner(store, options->path, is_there, error);
    if (status != GZ_OK) return status;
    return is_there && file.st_size > 0 ? open_inspected(store, options, state, error)
                                        : open_writable(store, options, NULL, state, error);
}

enum gz_status gz_store_open(struct gz_store **store, const struct gz_store_options *options,
                             struct gz_scene_state *state, struct gz_error *error)
{
    *state = (struct gz_scene_state){0};
    *store = calloc(1, sizeof **store);
    if (*store == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    (*store)->notify = options->notify;
    (*store)->commits = options->commits;
    (*store)->context = options->context;
    (*store)->log = options->log;
    (*store)->turns = options->turns;
    (*store)->owner.descriptor = -1;
    enum gz_status status = open_store(*store, options, state, error);
    if (status != GZ_OK) {
        gz_store_close(*store);
        *store = NULL;
        gz_scene_state_finish(state);
        return status;
    }
    (*store)->unfinished_path = NULL;
    return GZ_OK;
}

enum gz_status gz_store_start(struct gz_store *store, struct gz_error *error)
{
    if (!store->is_writable) return GZ_OK;
    store->has_thread = uv_thread_create(&store->thread, handle_thread, store) == 0;
    if (store->has_thread && store->is_unchecked)
        gz_audit_start(&store->audit, store->path, store->turns, store->log, store->notify,
                       store->context);
    return store->has_thread
               ? GZ_OK
               : gz_fail(error, GZ_INTERNAL, "the writer's thread could not be started");
}

static void end_thread(struct gz_store *store)
{
    atomic_store(&store->writer.is_ending, true);
    uv_mutex_lock(&store->mutex);
    store->is_closing = true;
    uv_cond_signal(&store->wake);
    uv_mutex_unlock(&store->mutex);
    uv_thread_join(&store->thread);
}

/* The audit has ended. */
static enum gz_clean_mark find_mark(const struct gz_store *store)
{
    const enum gz_audit_result result = atomic_load(&store->audit.result);
    if (result == GZ_AUDIT_WHOLE) return GZ_CLEAN_MARK_CLOSED;
    if (result == GZ_AUDIT_DAMAGED) return GZ_CLEAN_MARK_DAMAGED;
    return store->is_unchecked ? GZ_CLEAN_MARK_LEFT : GZ_CLEAN_MARK_CLOSED;
}

/* A file that was moved takes along what its log holds. */
static void finish_writer(struct gz_store *store)
{
    if (store->is_writable) (void)rest(store);
    const bool is_closed = store->is_writable && !gz_writer_has_moved(&store->writer);
    const enum gz_clean_mark mark = find_mark(store);
    if (is_closed && mark != GZ_CLEAN_MARK_DAMAGED) gz_clean_mark_turn(store->path);
    gz_retention_finish(&store->retention);
    gz_writer_finish(&store->writer);
    if (is_closed) gz_clean_mark_close(store->path, mark, store->audit.damage);
}

void gz_store_close(struct gz_store *store)
{
    if (store == NULL) return;
    gz_audit_finish(&store->audit); /* its reader would keep the log from being emptied */
    if (store->has_thread) end_thread(store);
    for (int i = 0; i < GZ_SQL_KEYS_COUNT; i++) sqlite3_finalize(store->find_key[i]);
    for (int i = 0; i < GZ_SQL_ROWS_COUNT; i++) sqlite3_finalize(store->rows[i]);
    sqlite3_close(store->keys_db);
    finish_writer(store);
    if (store->unfinished_path != NULL) {
        unlink(store->unfinished_path);
        gz_delete_beside(store->unfinished_path);
    }
    gz_lock_file_finish(&store->owner);
    gz_batches_destroy(store->done.first);
    gz_batches_destroy(store->queued.first);
    if (store->has_wake) uv_cond_destroy(&store->wake);
    if (store->has_mutex) uv_mutex_destroy(&store->mutex);
    free(store->wal_path);
    free(store->path);
    free(store);
}

/* ---- the opener's thread ---- */

void gz_store_submit(struct gz_store *store, struct gz_batch *batch)
{
    uv_mutex_lock(&store->mutex);
    assert(store->has_thread);
    store->away++;
    if (store->commit_from_ns == 0) store->commit_from_ns = disk_clock_ns(store);
    append(&store->queued, batch);
    const bool is_refusing = store->is_refusing;
    if (is_refusing) refuse_queued(store, &store->done.last->error);
    uv_mutex_unlock(&store->mutex);
    uv_cond_signal(&store->wake); /* the writer finds the mutex free */
    if (is_refusing && store->notify != NULL) store->notify(store->context);
}

void gz_store_tell(struct gz_store *store, struct gz_told told)
{
    uv_mutex_lock(&store->mutex);
    if (!store->has_told) store->told_due_ns = uv_hrtime() + TOLD_NS;
    store->has_told = true;
    store->told = told;
    uv_mutex_unlock(&store->mutex);
    uv_cond_signal(&store->wake);
}

struct gz_batch *gz_store_take(struct gz_store *store, enum gz_status *status,
                               struct gz_error *error)
{
    uv_mutex_lock(&store->mutex);
    struct gz_batch *batch = take_first(&store->done);
    store->away -= batch != NULL;
    if (store->away == 0) store->is_refusing = false;
    uv_mutex_unlock(&store->mutex);
    if (batch == NULL) return NULL;
    *status = batch->status;
    if (error != NULL) *error = batch->error;
    return batch;
}

/* ---- keys: on the opener's thread ---- */

static struct gz_ask ask_for_key(struct gz_store *store, enum gz_sql_keys which, const char *user,
                                 const char *key)
{
    struct gz_ask ask = gz_ask_begin(store->find_key[which]);
    gz_bind_text(&ask, user);
    gz_bind_text(&ask, key);
    return ask;
}

/* Reports and logs a failed search, which is not the same as a missing key. */
static enum gz_status end_key(struct gz_store *store, struct gz_ask *ask, enum gz_status status,
                              struct gz_error *error)
{
    bool is_memory = ask->rc == SQLITE_NOMEM;
    status = gz_ask_end(ask, status, error, "the key");
    if (is_memory && status != GZ_OK) status = GZ_NO_MEMORY;
    if (status != GZ_OK) gz_log(store->log, GZ_ERROR, 0, "looking for a key: %s", error->message);
    return status;
}

enum gz_status gz_store_find_key(struct gz_store *store, const char *user, const char *key,
                                 struct gz_arena *arena, struct gz_edit_record *edit)
{
    struct gz_error error = {0};
    enum gz_status status = GZ_OK;
    edit->id = 0;
    struct gz_ask ask = ask_for_key(store, GZ_SQL_KEYS_EDIT, user, key);
    if (gz_ask_row(&ask))
        status =
            gz_read_edit(ask.statement, store->rows[GZ_SQL_ROWS_CHANGES], 0, arena, edit, &error);
    return end_key(store, &ask, status, &error);
}

enum gz_status gz_store_find_note_key(struct gz_store *store, const char *user, const char *key,
                                      uint64_t *note)
{
    struct gz_error error = {0};
    struct gz_ask ask = ask_for_key(store, GZ_SQL_KEYS_NOTE, user, key);
    *note = gz_ask_row(&ask) ? (uint64_t)sqlite3_column_int64(ask.statement, 0) : 0;
    return end_key(store, &ask, GZ_OK, &error);
}

struct gz_store_stats gz_store_stats(struct gz_store *store)
{
    uv_mutex_lock(&store->mutex);
    struct gz_store_stats stats = store->stats;
    const double running_s = seconds_of_commit(store, disk_clock_ns(store));
    if (running_s > stats.last_commit_s) stats.last_commit_s = running_s;
    const enum gz_audit_result result = atomic_load(&store->audit.result);
    stats.is_read_only = !store->is_writable;
    stats.is_unchecked = result == GZ_AUDIT_PENDING;
    stats.is_damaged = result == GZ_AUDIT_DAMAGED;
    uv_mutex_unlock(&store->mutex);
    return stats;
}
