/* audit.c - checks a whole file while it is served, at the lowest priority of the process. Stores
 * of one process take turns, because a check reads all of the file. */
#include <stdlib.h>
#include <sys/resource.h>

#include "store/internal.h"
#include "store/store.h"

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
    enum gz_status status = gz_db_reader_open(&reader, audit->path, GZ_GATE_OURS, error);
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
