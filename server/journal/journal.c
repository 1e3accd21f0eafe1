/* The queue of what waits for the disk, and what becomes of it. */
#include "journal/journal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

/* ---- the queue ---- */

void gz_journal_init(struct gz_journal *journal,
                     void (*answer)(void *context, const struct gz_journal_waiter *waiter,
                                    const struct gz_journal_outcome *outcome),
                     void *context)
{
    *journal = (struct gz_journal){.answer = answer, .context = context, .tried_s = -INFINITY};
}

void gz_journal_append(struct gz_journal *journal, struct gz_journal_entry *entry)
{
    entry->older = journal->newest;
    entry->newer = NULL;
    entry->in_batch = false;
    *(entry->older != NULL ? &entry->older->newer : &journal->oldest) = entry;
    journal->newest = entry;
    journal->bytes += entry->bytes;
    journal->urgent += entry->kind->is_urgent;
    if (entry->kind->refuse == NULL) {
        journal->others++;
        return;
    }
    journal->requests++;
}

static void take_out(struct gz_journal *journal, struct gz_journal_entry *entry)
{
    *(entry->older != NULL ? &entry->older->newer : &journal->oldest) = entry->newer;
    *(entry->newer != NULL ? &entry->newer->older : &journal->newest) = entry->older;
    journal->bytes -= entry->bytes;
    journal->urgent -= entry->kind->is_urgent;
    if (entry->kind->refuse == NULL) {
        if (!entry->in_batch) journal->others--;
        return;
    }
    journal->requests--;
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
    assert(!entry->in_batch);
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
                       "key: %zu requests that were sent again wait for the disk: ask again later",
                       journal->resent);
    struct gz_journal_waiter *later = malloc(sizeof *later);
    if (later == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory to answer it");
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
    return gz_fail(error, GZ_TOO_MANY, "%zu requests wait for the disk already: ask again later",
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

double gz_journal_due(const struct gz_journal *journal, bool is_ahead)
{
    if (journal->is_with_disk || (journal->oldest == NULL && !is_ahead)) return INFINITY;
    if (journal->is_refused) return journal->tried_s + GZ_RETRY_MS / 1000.0;
    return journal->urgent > 0 ? -INFINITY : journal->tried_s + GZ_SAMPLE_MS_MIN / 1000.0;
}

bool gz_journal_add(const struct gz_journal *journal, struct gz_batch *batch)
{
    const struct gz_journal_entry *entry = journal->oldest;
    while (entry != NULL && entry->kind->add(entry, batch)) entry = entry->newer;
    return entry == NULL;
}

void gz_journal_tried(struct gz_journal *journal, double mono_s, bool is_sent)
{
    journal->tried_s = mono_s;
    journal->is_with_disk = is_sent;
    if (!is_sent) {
        journal->is_refused = true;
        return;
    }
    journal->others = 0;
    for (struct gz_journal_entry *entry = journal->oldest; entry != NULL; entry = entry->newer)
        entry->in_batch = true;
}

/* ---- and back ---- */

static void answer(const struct gz_journal *journal, const struct gz_journal_entry *entry,
                   const struct gz_journal_outcome *outcome)
{
    for (const struct gz_journal_waiter *waiter = &entry->waiter; waiter != NULL;
         waiter = waiter->next) {
        if (waiter->session != 0) journal->answer(journal->context, waiter, outcome);
    }
}

void gz_journal_accept(struct gz_journal *journal, const struct gz_batch *batch)
{
    journal->is_with_disk = journal->is_refused = false;
    while (journal->oldest != NULL && journal->oldest->in_batch) {
        struct gz_journal_entry *entry = journal->oldest;
        struct gz_journal_outcome outcome = {.has = 0};
        take_out(journal, entry);
        if (entry->kind->accept != NULL)
            entry->kind->accept(journal->context, entry, batch, &outcome);
        answer(journal, entry, &outcome);
        release(journal, entry);
    }
}

/* The entry stays, and nobody waits for it any more. */
static void give_up(struct gz_journal *journal, struct gz_journal_entry *entry)
{
    struct gz_journal_outcome outcome = {.has = 0};
    gz_fail(&outcome.error, GZ_NO_MEMORY, "no memory to answer it");
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

/* The batch is gone: none of its entries is in it any more. */
static void take_batch_apart(struct gz_journal *journal)
{
    for (struct gz_journal_entry *entry = journal->oldest; entry != NULL; entry = entry->newer) {
        if (entry->in_batch && entry->kind->refuse == NULL) journal->others++;
        entry->in_batch = false;
    }
}

/* What is called here may append entries, which are newer and are not met, and forget others. */
void gz_journal_refuse(struct gz_journal *journal, const char *why)
{
    struct gz_journal_entry *older;
    bool is_stuck = false;
    journal->is_with_disk = false;
    journal->is_refused = true;
    take_batch_apart(journal);
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
