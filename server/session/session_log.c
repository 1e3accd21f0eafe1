/* session_log.c - entries about sessions and cancelled gestures. See session_log.h. */
#include "session/session_log.h"

#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/pending.h"
#include "session/session.h"

/* ---- gestures that leave no trace ---- */

struct drop {
    struct gz_journal_entry entry;
    uint64_t edit;
};

static bool add_drop(const struct gz_journal_entry *entry, struct gz_batch *batch)
{
    uint64_t *edit =
        gz_arena_add(&batch->arena, &batch->dropped, &batch->dropped_count, sizeof *edit);
    if (edit == NULL) return false;
    *edit = ((const struct drop *)entry)->edit;
    return true;
}

static void free_entry(void *context, struct gz_journal_entry *entry)
{
    (void)context;
    free(entry);
}

/* Urgent, because after a crash a cancelled drag in the file would become an edit. */
static const struct gz_journal_kind drops = {
    .is_urgent = true, .add = add_drop, .free = free_entry};

struct gz_journal_entry *gz_drop_create(uint64_t edit)
{
    struct drop *drop = calloc(1, sizeof *drop);
    if (drop == NULL) return NULL;
    *drop = (struct drop){.entry = {.kind = &drops, .bytes = sizeof *drop}, .edit = edit};
    return &drop->entry;
}

/* ---- joins and leaves ---- */

struct session_entry {
    struct gz_journal_entry entry;
    struct gz_session_record record;
    char user[GZ_USER_BYTES_MAX + 1];
    bool has_left;
};

static bool add_session_entry(const struct gz_journal_entry *entry, struct gz_batch *batch)
{
    const struct session_entry *said = (const struct session_entry *)entry;
    struct gz_session_record *record =
        said->has_left
            ? gz_arena_add(&batch->arena, &batch->left, &batch->left_count, sizeof *record)
            : gz_arena_add(&batch->arena, &batch->joined, &batch->joined_count, sizeof *record);
    if (record == NULL) return false;
    *record = said->record;
    return true;
}

static const struct gz_journal_kind session_entries = {.add = add_session_entry,
                                                       .free = free_entry};

/* An entry that needs a session's row in the file, or that would write it. */
struct trace {
    uint64_t session;
    struct gz_journal_entry *entry; /* for joining or leaving; NULL: an edit */
};

static int compare_traces(const void *a, const void *b)
{
    const struct trace *x = a, *y = b;
    return (x->session > y->session) - (x->session < y->session);
}

/* Collects the traces of waiting edits and of entries in no batch, sorted by session. A session
 * whose joining is in a batch has one trace at most. */
static struct trace *collect_traces(struct gz_core *core, size_t *count)
{
    const struct gz_journal *journal = &core->journal;
    size_t room = journal->others + journal->requests;
    struct trace *traces = gz_arena_take(&core->scratch, room, sizeof *traces);
    struct gz_journal_entry *entry = NULL;
    *count = 0;
    if (traces == NULL) return NULL;
    while ((entry = gz_journal_next(journal, &session_entries, entry)) != NULL) {
        const uint64_t session = ((const struct session_entry *)entry)->record.session;
        if (entry->batch == 0) traces[(*count)++] = (struct trace){session, entry};
    }
    while ((entry = gz_journal_next(journal, &gz_pending_edits, entry)) != NULL) {
        const uint64_t session = ((const struct gz_pending_edit *)entry)->edit.session;
        traces[(*count)++] = (struct trace){session, NULL};
    }
    qsort(traces, *count, sizeof *traces, compare_traces);
    return traces;
}

/* Removes the entries of sessions that joined and left while the disk took nothing, and that have
 * no waiting edit. */
static void forget_sessions(struct gz_core *core)
{
    size_t count;
    struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
    const struct trace *traces = collect_traces(core, &count);
    for (size_t i = 0, next; traces != NULL && i < count; i = next) {
        const struct trace *joined = &traces[i], *left = &traces[i + 1];
        for (next = i + 1; next < count && traces[next].session == joined->session;) next++;
        if (next - i != 2 || joined->entry == NULL || left->entry == NULL) continue;
        gz_journal_forget(&core->journal, joined->entry);
        gz_journal_forget(&core->journal, left->entry);
    }
    gz_arena_go_back(&core->scratch, mark);
}

bool gz_core_log_session(struct gz_core *core, const struct gz_session *session, bool has_left)
{
    if (core->read_only[0] != '\0') return true;
    struct session_entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) return false;
    if (core->journal.others >= GZ_SESSION_ENTRIES_MAX) forget_sessions(core);
    *entry = (struct session_entry){
        .entry = {.kind = &session_entries, .bytes = sizeof *entry},
        .record = {session->id, entry->user, session->role, core->clock.now.unix_s},
        .has_left = has_left};
    memcpy(entry->user, session->user, sizeof entry->user);
    gz_journal_append(&core->journal, &entry->entry);
    return true;
}
