/* The queue of entries that wait for the disk. See journal.h. */
#include "core/journal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

/* ---- the queue ---- */

void gz_journal_init(struct gz_journal *journal, size_t batches,
                     void (*answer)(void *context, const struct gz_journal_waiter *waiter,
                                    const struct gz_journal_outcome *outcome),
                     void *context)
{
    *journal = (struct gz_journal){
        .answer = answer, .context = context, .batches = batches, .tried_s = -INFINITY};
}

static bool has_unsent(const struct gz_journal *journal)
{
    return journal->newest != NULL && journal->newest->batch == 0;
}

/* Counts an entry that is in no batch. */
static void count_in(struct gz_journal *journal, const struct gz_journal_entry *entry)
{
    journal->urgent += entry->kind->is_urgent;
    journal->others += entry->kind->refuse == NULL;
}

void gz_journal_append(struct gz_journal *journal, struct gz_journal_entry *entry)
{
    entry->older = journal->newest;
    entry->newer = NULL;
    entry->batch = 0;
    *(entry->older != NULL ? &entry->older->newer : &journal->oldest) = entry;
    journal->newest = entry;
    journal->bytes += entry->bytes;
    journal->requests += entry->kind->refuse != NULL;
    journal->awaited += entry->kind->is_urgent;
    if (entry->row_count != NULL) *entry->row_count += entry->rows;
    count_in(journal, entry);
}

/* Uncounts an entry that is in no batch. */
static void count_out(struct gz_journal *journal, const struct gz_journal_entry *entry)
{
    journal->urgent -= entry->kind->is_urgent;
    journal->others -= entry->kind->refuse == NULL;
}

void gz_journal_follow(struct gz_journal *journal, struct gz_journal_entry *entry, bool is_ahead)
{
    const bool is_sent = !is_ahead && !has_unsent(journal);
    gz_journal_append(journal, entry);
    if (!is_sent) return;
    count_out(journal, entry);
    entry->batch = journal->sent;
}

static void take_out(struct gz_journal *journal, struct gz_journal_entry *entry)
{
    *(entry->older != NULL ? &entry->older->newer : &journal->oldest) = entry->newer;
    *(entry->newer != NULL ? &entry->newer->older : &journal->newest) = entry->older;
    journal->bytes -= entry->bytes;
    journal->awaited -= entry->kind->is_urgent;
    if (entry->kind->refuse != NULL) journal->requests--;
    if (entry->row_count != NULL) *entry->row_count -= entry->rows;
    if (entry->batch == 0) count_out(journal, entry);
}

static void forget_later_waiters(struct gz_journal *journal, struct gz_journal_entry *entry)
{
    while (entry->waiter.next != NULL) {
        struct gz_journal_waiter *next = entry->waiter.next->next;
        free(entry->waiter.next);
        entry->waiter.next = next;
        journal->resent--;
    }
}

static void release(struct gz_journal *journal, struct gz_journal_entry *entry)
{
    forget_later_waiters(journal, entry);
    entry->kind->free(journal->context, entry);
}

static void remove_entry(struct gz_journal *journal, struct gz_journal_entry *entry)
{
    take_out(journal, entry);
    release(journal, entry);
}

void gz_journal_forget(struct gz_journal *journal, struct gz_journal_entry *entry)
{
    assert(entry->batch == 0);
    remove_entry(journal, entry);
}

void gz_journal_finish(struct gz_journal *journal)
{
    while (journal->newest != NULL) remove_entry(journal, journal->newest);
}

enum gz_status gz_journal_wait(struct gz_journal *journal, struct gz_journal_entry *entry,
                               struct gz_journal_waiter waiter, struct gz_error *error)
{
    if (journal->resent >= GZ_REQUESTS_RESENT_MAX)
        return gz_fail(error, GZ_TOO_MANY,
                       "key: %zu repeated requests wait for the disk: try again later",
                       journal->resent);
    struct gz_journal_waiter *later = malloc(sizeof *later);
    if (later == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for the answer");
    *later = waiter;
    later->next = entry->waiter.next;
    entry->waiter.next = later;
    journal->resent++;
    return GZ_OK;
}

enum gz_status gz_journal_check_room(const struct gz_journal *journal, struct gz_error *error)
{
    if (journal->requests < GZ_PENDING_EDITS_MAX && journal->bytes < GZ_EDIT_BYTES_MAX)
        return GZ_OK;
    return gz_fail(error, GZ_TOO_MANY, "%zu requests wait for the disk: try again later",
                   journal->requests);
}

struct gz_journal_entry *gz_journal_next(const struct gz_journal *journal,
                                         const struct gz_journal_kind *kind,
                                         const struct gz_journal_entry *after)
{
    struct gz_journal_entry *entry = after != NULL ? after->newer : journal->oldest;
    while (entry != NULL && entry->kind != kind) entry = entry->newer;
    return entry;
}

struct gz_journal_entry *gz_journal_find(const struct gz_journal *journal,
                                         const struct gz_journal_kind *kind, const char *user,
                                         const char *key)
{
    struct gz_journal_entry *entry = NULL;
    while ((entry = gz_journal_next(journal, kind, entry)) != NULL) {
        if (entry->key != NULL && strcmp(entry->key, key) == 0 && strcmp(entry->user, user) == 0)
            return entry;
    }
    return NULL;
}

/* ---- to the disk ---- */

size_t gz_journal_with_disk(const struct gz_journal *journal)
{
    return (size_t)(journal->sent - journal->settled);
}

double gz_journal_due(const struct gz_journal *journal, bool is_ahead, bool is_waiting)
{
    const size_t with_disk = gz_journal_with_disk(journal) - is_waiting;
    bool waits = with_disk > 0 && (journal->urgent == 0 || journal->is_refused);
    if (waits || with_disk >= journal->batches) return INFINITY;
    if (!has_unsent(journal) && !is_ahead && !is_waiting) return INFINITY;
    if (journal->is_refused) return journal->tried_s + GZ_RETRY_MS / 1000.0;
    return journal->urgent > 0 ? -INFINITY : journal->tried_s + GZ_SAMPLE_MS_MIN / 1000.0;
}

/* The oldest entry that is in no batch: all newer ones are in none either. */
static struct gz_journal_entry *first_unsent(const struct gz_journal *journal)
{
    struct gz_journal_entry *first = NULL;
    for (struct gz_journal_entry *entry = journal->newest; entry != NULL && entry->batch == 0;
         entry = entry->older)
        first = entry;
    return first;
}

bool gz_journal_add(const struct gz_journal *journal, struct gz_batch *batch)
{
    const struct gz_journal_entry *entry = first_unsent(journal);
    while (entry != NULL && (entry->kind->add == NULL || entry->kind->add(entry, batch)))
        entry = entry->newer;
    return entry == NULL;
}

void gz_journal_tried(struct gz_journal *journal, double mono_s, bool is_sent)
{
    journal->tried_s = mono_s;
    if (!is_sent) {
        journal->is_refused = true;
        return;
    }
    journal->sent++;
    journal->others = journal->urgent = 0;
    for (struct gz_journal_entry *entry = first_unsent(journal); entry != NULL;
         entry = entry->newer)
        entry->batch = journal->sent;
}

/* ---- back from the disk ---- */

static void answer(const struct gz_journal *journal, const struct gz_journal_entry *entry,
                   const struct gz_journal_outcome *outcome)
{
    for (const struct gz_journal_waiter *waiter = &entry->waiter; waiter != NULL;
         waiter = waiter->next) {
        if (waiter->session != 0) journal->answer(journal->context, waiter, outcome);
    }
}

bool gz_journal_skip(struct gz_journal *journal)
{
    const bool is_void = journal->settled < journal->void_to;
    journal->settled += is_void;
    return is_void;
}

/* Counts the oldest batch as back, if one is on its way: a batch that could not be made is refused,
 * too. */
static void settle(struct gz_journal *journal)
{
    journal->settled += journal->settled < journal->sent;
}

void gz_journal_accept(struct gz_journal *journal, const struct gz_batch *batch)
{
    settle(journal);
    journal->is_refused = false;
    while (journal->oldest != NULL && journal->oldest->batch != 0 &&
           journal->oldest->batch <= journal->settled) {
        struct gz_journal_entry *entry = journal->oldest;
        struct gz_journal_outcome outcome = {.has = 0};
        take_out(journal, entry);
        if (entry->kind->accept != NULL)
            entry->kind->accept(journal->context, entry, batch, &outcome);
        answer(journal, entry, &outcome);
        release(journal, entry);
    }
}

/* The entry stays, but has no waiters any more. */
static void give_up(struct gz_journal *journal, struct gz_journal_entry *entry)
{
    struct gz_journal_outcome outcome = {.has = 0};
    gz_fail(&outcome.error, GZ_NO_MEMORY, "no memory for the answer");
    answer(journal, entry, &outcome);
    forget_later_waiters(journal, entry);
    entry->waiter.session = 0;
}

static bool take_back(struct gz_journal *journal, struct gz_journal_entry *entry, const char *why)
{
    struct gz_journal_outcome outcome = {.has = 0};
    if (!entry->kind->refuse(journal->context, entry, why, &outcome)) return false;
    answer(journal, entry, &outcome);
    return true;
}

/* Takes all entries out of the refused batches. */
static void take_batches_apart(struct gz_journal *journal)
{
    for (struct gz_journal_entry *entry = journal->oldest; entry != NULL; entry = entry->newer) {
        if (entry->batch == 0) continue;
        entry->batch = 0;
        count_in(journal, entry);
    }
}

/* The functions called here may append entries, which are newer and not visited, and may forget
 * others. */
void gz_journal_refuse(struct gz_journal *journal, const char *why)
{
    struct gz_journal_entry *older;
    bool is_stuck = false;
    settle(journal);
    journal->void_to = journal->sent;
    journal->is_refused = true;
    take_batches_apart(journal);
    for (struct gz_journal_entry *entry = journal->newest; entry != NULL; entry = older) {
        const bool is_request = entry->kind->refuse != NULL;
        const bool is_taken_back = is_request && !is_stuck && take_back(journal, entry, why);
        older = entry->older;
        if (is_taken_back) {
            remove_entry(journal, entry);
        } else if (is_request) {
            is_stuck = true;
            give_up(journal, entry);
        }
    }
}
