/* inspect.c - the check of a file when it is opened, and of its past while it is open. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "server/maxima.h"
#include "store/clean_mark.h"
#include "store/model.h"
#include "store/parts.h"
#include "store/store.h"
#include "store/wal.h"

/* ---- of the past ---- */

/* Checks a whole file while it is served, at the lowest priority of the process. Stores
 * of one process take turns, because a check reads all of the file. */

/* Everybody else goes first. */
#define NICE 19

/* False if the audit was stopped before its turn. */
static bool take_turn(struct gz_audit *audit)
{
    struct gz_store_turns *turns = audit->turns;
    if (turns == NULL) return !atomic_load(&audit->is_stopped);
    uv_mutex_lock(&turns->mutex);
    while (turns->is_taken && !atomic_load(&audit->is_stopped))
        uv_cond_wait(&turns->over, &turns->mutex);
    bool is_ours = !atomic_load(&audit->is_stopped);
    if (is_ours) turns->is_taken = true;
    uv_mutex_unlock(&turns->mutex);
    return is_ours;
}

static void end_turn(struct gz_audit *audit)
{
    struct gz_store_turns *turns = audit->turns;
    if (turns == NULL) return;
    uv_mutex_lock(&turns->mutex);
    turns->is_taken = false;
    uv_cond_broadcast(&turns->over);
    uv_mutex_unlock(&turns->mutex);
}

/* Keeps the first sentence. */
static void keep(void *context, const char *words)
{
    char *first = context;
    if (first[0] == '\0') gz_print(first, GZ_ERROR_BYTES_MAX, "%s", words);
}

static enum gz_status check(struct gz_audit *audit, char first[GZ_ERROR_BYTES_MAX],
                            uint64_t *faults, struct gz_error *error)
{
    struct gz_db_reader reader;
    struct gz_store_check said = {.handle_fault = keep, .context = first};
    enum gz_status status = gz_db_reader_open(&reader, audit->path, GZ_FILE_OURS, error);
    if (status != GZ_OK) return status;
    reader.deadline_ns = UINT64_MAX;
    reader.is_stopped = &audit->is_stopped;
    status = gz_check_reader(&reader, GZ_CHECK_BESIDE, &said, error);
    gz_db_reader_close(&reader);
    *faults = said.faults;
    return status;
}

static void conclude(struct gz_audit *audit, const char *first, uint64_t faults, double seconds)
{
    const char *name = gz_db_file_name(audit->path);
    if (faults == 0) {
        gz_log(audit->log, GZ_INFO, 0, "%s: checked as a whole for %.1f s, no faults", name,
               seconds);
    } else {
        gz_inspect_say(audit->damage, first, faults);
        gz_log(audit->log, GZ_ERROR, 0, "%s: %s", name, audit->damage);
    }
    atomic_store(&audit->result, faults == 0 ? GZ_AUDIT_WHOLE : GZ_AUDIT_DAMAGED);
    if (audit->notify != NULL) audit->notify(audit->context);
}

/* Looks twice before it says that a file is damaged: it may have been the disk, or the memory, for
 * a moment. What could not be checked is checked after the next opening. */
static void run(void *context)
{
    struct gz_audit *audit = context;
    struct gz_error error;
    char first[GZ_ERROR_BYTES_MAX] = "";
    uint64_t faults = 0;
    (void)setpriority(PRIO_PROCESS, 0, NICE);
    if (!take_turn(audit)) return;
    const uint64_t began_ns = uv_hrtime();
    enum gz_status status = check(audit, first, &faults, &error);
    if (status == GZ_OK && faults > 0) {
        first[0] = '\0';
        status = check(audit, first, &faults, &error);
    }
    end_turn(audit);
    if (atomic_load(&audit->is_stopped)) return;
    if (status == GZ_OK)
        conclude(audit, first, faults, (double)(uv_hrtime() - began_ns) * 1e-9);
    else
        gz_log(audit->log, GZ_WARN, 0, "%s: it could not be checked: %s",
               gz_db_file_name(audit->path), error.message);
}

struct gz_store_turns *gz_store_turns_create(void)
{
    struct gz_store_turns *turns = calloc(1, sizeof *turns);
    if (turns == NULL) return NULL;
    (void)uv_mutex_init(&turns->mutex); /* neither can fail on Linux */
    (void)uv_cond_init(&turns->over);
    return turns;
}

void gz_store_turns_destroy(struct gz_store_turns *turns)
{
    if (turns == NULL) return;
    uv_cond_destroy(&turns->over);
    uv_mutex_destroy(&turns->mutex);
    free(turns);
}

void gz_audit_start(struct gz_audit *audit, const char *path, struct gz_store_turns *turns,
                    const struct gz_log *log, void (*notify)(void *context), void *context)
{
    audit->path = path;
    audit->turns = turns;
    audit->log = log;
    audit->notify = notify;
    audit->context = context;
    atomic_store(&audit->result, GZ_AUDIT_PENDING);
    audit->has_thread = uv_thread_create(&audit->thread, run, audit) == 0;
}

void gz_audit_finish(struct gz_audit *audit)
{
    if (!audit->has_thread) return;
    struct gz_store_turns *turns = audit->turns;
    if (turns != NULL) uv_mutex_lock(&turns->mutex);
    atomic_store(&audit->is_stopped, true);
    if (turns != NULL) {
        uv_cond_broadcast(&turns->over);
        uv_mutex_unlock(&turns->mutex);
    }
    uv_thread_join(&audit->thread);
    audit->has_thread = false;
}

/* ---- inspect ---- */

/* Checks a file before it is served: whether it can be written, its schema, and its
 * promises, as far as it is not known that a server left it as it is. */

#define READ_ONLY "this scene is read-only: "

/* Keeps the first sentence. */
static void inspect_keep(void *context, const char *words)
{
    char *first = context;
    if (first[0] == '\0') gz_print(first, GZ_ERROR_BYTES_MAX, "%s", words);
}

void gz_inspect_say(char words[GZ_ERROR_BYTES_MAX], const char *first, uint64_t faults)
{
    gz_print(words, GZ_ERROR_BYTES_MAX, READ_ONLY "its file is damaged: %s%s", first,
             faults > 1 ? " (and more; run gizmoctl check on it)" : "");
}

/* Nanoseconds that a check of the file may take. */
static uint64_t patience_ns(const char *path)
{
    struct stat file;
    uint64_t bytes = stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
    return (GZ_CHECK_SECONDS + bytes / GZ_CHECK_BYTES_PER_S) * UINT64_C(1000000000);
}

static enum gz_status inspect_check(struct gz_db_reader *reader, const char *path,
                                    enum gz_check_depth depth, char read_only[GZ_ERROR_BYTES_MAX],
                                    struct gz_error *error)
{
    char first[GZ_ERROR_BYTES_MAX] = "";
    struct gz_store_check said = {.handle_fault = inspect_keep, .context = first};
    /* Processor time, because a busy machine must not make a file fail. */
    reader->is_by_processor = true;
    reader->deadline_ns = gz_db_reader_now(reader) + patience_ns(path);
    enum gz_status status = gz_check_reader(reader, depth, &said, error);
    bool is_late = gz_db_reader_now(reader) > reader->deadline_ns;
    reader->is_by_processor = false;
    reader->deadline_ns = uv_hrtime() + (uint64_t)GZ_QUERY_MS_MAX * 1000000;
    if (status != GZ_OK || said.faults == 0) return status;
    if (is_late)
        gz_print(read_only, GZ_ERROR_BYTES_MAX,
                 READ_ONLY "its file could not be checked in time; run gizmoctl check on it");
    else
        gz_inspect_say(read_only, first, said.faults);
    return GZ_OK;
}

enum gz_status gz_inspect_mark(sqlite3 *db, const char *path, struct gz_clean_marked *marked,
                               uint64_t *epoch, struct gz_error *error)
{
    int64_t last = 0;
    *marked = gz_clean_mark_read(path);
    enum gz_status status =
        gz_db_integer(db, gz_sql_recover[GZ_SQL_RECOVER_LAST_EPOCH], &last, error);
    *epoch = (uint64_t)last;
    if (marked->mark == GZ_CLEAN_MARK_OPEN &&
        (*epoch < marked->epoch_least || *epoch > marked->epoch_most))
        marked->mark = GZ_CLEAN_MARK_NONE; /* or its log is damaged, which is still the server's */
    return status;
}

/* SQLite would drop what comes after damage in a log, and go on without it. */
static bool is_log_whole(const char *path, const struct gz_clean_marked *marked,
                         char read_only[GZ_ERROR_BYTES_MAX])
{
    char fault[GZ_ERROR_BYTES_MAX] = "";
    if (marked->is_synced && gz_wal_holds(path)) gz_wal_check(path, fault);
    if (fault[0] != '\0') gz_inspect_say(read_only, fault, 1);
    return fault[0] == '\0';
}

static const char *describe(enum gz_clean_mark mark)
{
    switch (mark) {
    case GZ_CLEAN_MARK_OPEN: return "a server that had it open crashed";
    case GZ_CLEAN_MARK_LEFT: return "it was not checked as a whole since a server crashed";
    default: return "it comes from elsewhere, or was written to since a server closed it";
    }
}

static enum gz_status look(struct gz_db_reader *reader, const char *path, const struct gz_log *log,
                           struct gz_inspected *inspected, struct gz_error *error)
{
    char *read_only = inspected->read_only;
    struct gz_clean_marked marked;
    enum gz_status status = gz_model_require(reader->db, error);
    if (status == GZ_OK)
        status = gz_inspect_mark(reader->db, path, &marked, &inspected->epoch, error);
    if (status != GZ_OK || marked.mark == GZ_CLEAN_MARK_CLOSED ||
        !is_log_whole(path, &marked, read_only))
        return status;
    if (marked.mark == GZ_CLEAN_MARK_DAMAGED) {
        gz_print(read_only, GZ_ERROR_BYTES_MAX, "%s", marked.damage);
        return GZ_OK;
    }
    uint64_t began_ns = uv_hrtime();
    bool is_ours = marked.mark == GZ_CLEAN_MARK_OPEN || marked.mark == GZ_CLEAN_MARK_LEFT;
    status =
        inspect_check(reader, path, is_ours ? GZ_CHECK_PRESENT : GZ_CHECK_ALL, read_only, error);
    bool is_well = status == GZ_OK && read_only[0] == '\0';
    inspected->is_unchecked = is_ours && is_well;
    gz_log(log, GZ_INFO, 0, "%s: %s; %schecked for %.1f s%s%s", gz_db_file_name(path),
           describe(marked.mark), is_ours ? "what is there now was " : "",
           (double)(uv_hrtime() - began_ns) * 1e-9, is_well ? ", no faults" : "",
           inspected->is_unchecked ? "; its past is checked while it is open" : "");
    return status;
}

enum gz_status gz_inspect(struct gz_db_reader *reader, const char *path, const struct gz_log *log,
                          struct gz_inspected *inspected, struct gz_error *error)
{
    *inspected = (struct gz_inspected){.is_unchecked = false};
    enum gz_status status = gz_db_reader_open(reader, path, GZ_FILE_OWNED, error);
    if (status != GZ_OK) return status;
    if (!gz_can_write(path))
        gz_print(inspected->read_only, GZ_ERROR_BYTES_MAX,
                 READ_ONLY "its file cannot be written (%s)", strerror(errno));
    status = look(reader, path, log, inspected, error);
    if (status != GZ_OK) gz_db_reader_close(reader);
    return status;
}
