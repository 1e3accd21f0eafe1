/* journal.h - the queue of everything that waits for the disk.
 *
 * The core applies an edit, or accepts a note, long before the disk has it. Until then it is an
 * entry in this queue, and the session that sent the request waits:
 *
 *   gz_journal_append   something happened that the disk is to have
 *   gz_journal_wait     one more waiter for the same entry: the request was sent twice
 *   gz_journal_follow   an answer that stands on what waits: it goes the way of what is before it
 *   gz_journal_add      all entries that are in no batch yet are written into one, for the disk
 *   gz_journal_accept   the disk has the oldest batch: its entries leave the queue, oldest first
 *   gz_journal_refuse   the disk refused: all entries are taken back, newest first, because what
 *                       came later stands on what came before, in the batch or after it
 *   gz_journal_skip     a batch came back that left before an earlier one was refused
 *
 * While the disk commits a batch, the next ones leave already, so that the disk never waits for the
 * core. Only entries that somebody waits for make such a batch: the rest goes along with them, or
 * when the disk has nothing to do. Batches come back in their order.
 *
 * An entry is of a kind, which is a row of functions; what is special about edits, notes or
 * checkpoints is in their rows. The journal knows no session either: a waiter is a pair of numbers,
 * and what became of an entry goes back to each of its waiters by one callback.
 *
 * Ownership: an entry is the first member of the struct that its kind allocates; the journal owns
 * it from gz_journal_append on and gives it to `free` in the end. A batch points into the entries
 * instead of copying them: from gz_journal_append until `free` the content of an entry stays as it
 * is, and the journal must outlive a batch that is with the disk. Threads: one; the thread that
 * stores a batch reads what the entries hold. Times: monotonic seconds. */
#ifndef GZ_CORE_JOURNAL_H
#define GZ_CORE_JOURNAL_H

#include "proto/message.h"
#include "scene/record.h"

struct gz_journal_entry;

/* A session that is answered when the disk has decided. */
struct gz_journal_waiter {
    struct gz_journal_waiter *next;
    uint64_t session; /* 0: nobody */
    uint64_t rid;     /* of the request, if it has one */
    bool has_rid;
};

/* The outcome of an entry: `ok` if the status of `error` is GZ_OK. It may point into the entry.
 * GZ_NO_MEMORY: the outcome is not known yet, because there was no memory to take the entry back.
 * Waiters must not be told that the request failed, because the disk may store the entry later. */
struct gz_journal_outcome {
    struct gz_error error;
    struct gz_ids nodes; /* that the error is about */
    struct gz_ok ok;
    uint64_t has; /* the members of `ok` that are set */
};

/* The functions get the context of the journal. */
struct gz_journal_kind {
    /* The entry is to leave at once; else it goes with the next batch. */
    bool is_urgent;
    /* Writes the entry into the batch. False without memory. NULL: it writes nothing, and waits for
     * what is before it (gz_journal_follow). */
    bool (*add)(const struct gz_journal_entry *entry, struct gz_batch *batch);
    /* The disk has the entry. NULL: there is nothing to do or to answer. */
    void (*accept)(void *context, struct gz_journal_entry *entry, const struct gz_batch *batch,
                   struct gz_journal_outcome *outcome);
    /* Takes back what is visible of the entry. `why` is the disk's reason. False without the memory
     * for that: then nothing has changed, and the entry and all older ones stay in the queue. NULL:
     * entries of this kind cannot be refused, and stay until the disk takes them. */
    bool (*refuse)(void *context, struct gz_journal_entry *entry, const char *why,
                   struct gz_journal_outcome *outcome);
    void (*free)(void *context, struct gz_journal_entry *entry);
};

/* The creator of an entry sets the kind, the waiter, the bytes, the rows and the key. */
struct gz_journal_entry {
    const struct gz_journal_kind *kind;
    struct gz_journal_waiter waiter; /* the first one; the journal allocates the others */
    size_t bytes;                    /* of memory that the entry takes */
    size_t rows, *row_count; /* of the file, about; the journal adds `rows` to this count while it
                                has the entry; NULL: no count */
    const char *user, *key;  /* of the request; key: NULL for none */
    /* The journal's own. */
    struct gz_journal_entry *older, *newer;
    uint64_t batch; /* the number of the batch that it is in; 0: of none */
};

/* Everything in it is for reading. */
struct gz_journal {
    void (*answer)(void *context, const struct gz_journal_waiter *waiter,
                   const struct gz_journal_outcome *outcome);
    void *context;
    struct gz_journal_entry *oldest, *newest;
    size_t requests; /* entries that can be refused */
    size_t resent;   /* waiters beyond the first one of each entry */
    size_t others;   /* entries that cannot be refused and are in no batch */
    size_t bytes;    /* of all entries */
    size_t urgent;   /* urgent entries in no batch */
    size_t awaited;  /* urgent entries, in a batch or not */
    size_t batches;  /* that may be with the disk at the same time */
    /* Batches are numbered from 1 on. */
    uint64_t sent;    /* the newest batch that left */
    uint64_t settled; /* the newest batch that came back; those after it are with the disk */
    uint64_t void_to; /* batches up to this one went back with an earlier one that was refused */
    bool is_refused;  /* the last batch was refused, or could not be made */
    double tried_s;   /* when that was begun */
};

/* An empty journal. At most `batches` are with the disk at the same time. `answer` is called with
 * the outcome of an entry, once for each waiter. */
void gz_journal_init(struct gz_journal *journal, size_t batches,
                     void (*answer)(void *context, const struct gz_journal_waiter *waiter,
                                    const struct gz_journal_outcome *outcome),
                     void *context);
/* Frees the entries; nobody is answered. */
void gz_journal_finish(struct gz_journal *journal);

/* Needs no memory. */
void gz_journal_append(struct gz_journal *journal, struct gz_journal_entry *entry);
/* Appends an entry that writes nothing. It is accepted or refused with all that is before it.
 * `is_ahead`: what it stands on is more than the batches on their way and the entries in none hold:
 * it then waits for the next batch. */
void gz_journal_follow(struct gz_journal *journal, struct gz_journal_entry *entry, bool is_ahead);
/* Takes an entry out, which is not in a batch, and frees it. */
void gz_journal_forget(struct gz_journal *journal, struct gz_journal_entry *entry);
/* One more waiter for an entry. GZ_TOO_MANY while GZ_REQUESTS_RESENT_MAX such waiters wait;
 * GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_journal_wait(struct gz_journal *journal,
                                           struct gz_journal_entry *entry,
                                           struct gz_journal_waiter waiter, struct gz_error *error);
/* GZ_TOO_MANY while GZ_PENDING_EDITS_MAX requests wait, or entries of GZ_EDIT_BYTES_MAX bytes. */
GZ_MUST_USE enum gz_status gz_journal_check_room(const struct gz_journal *journal,
                                                 struct gz_error *error);

/* The oldest entry of this kind that is newer than `after` (NULL: of all); NULL if there is
 * none. */
struct gz_journal_entry *gz_journal_next(const struct gz_journal *journal,
                                         const struct gz_journal_kind *kind,
                                         const struct gz_journal_entry *after);
/* The entry of this kind that this user asked for with this key; NULL if there is none. */
struct gz_journal_entry *gz_journal_find(const struct gz_journal *journal,
                                         const struct gz_journal_kind *kind, const char *user,
                                         const char *key);

/* How many batches are with the disk. */
size_t gz_journal_with_disk(const struct gz_journal *journal);
/* When the next batch is to be made; INFINITY for not now. `is_ahead`: there is more to store than
 * the entries. `is_waiting`: the newest batch has not left yet, because it waits for this one.
 * -INFINITY: at once. After a refusal the batches on their way come back, and GZ_RETRY_MS pass
 * before the next try. */
double gz_journal_due(const struct gz_journal *journal, bool is_ahead, bool is_waiting);
/* Writes all entries that are in no batch into this one. False without memory. */
GZ_MUST_USE bool gz_journal_add(const struct gz_journal *journal, struct gz_batch *batch);
/* A try at that time: the batch of these entries goes to the disk now, or could not be made. */
void gz_journal_tried(struct gz_journal *journal, double mono_s, bool is_sent);
/* Whether the batch that comes back now left before an earlier one was refused: the disk has not
 * taken it, and what was in it went back with the earlier one. */
GZ_MUST_USE bool gz_journal_skip(struct gz_journal *journal);
/* The disk has the batch. */
void gz_journal_accept(struct gz_journal *journal, const struct gz_batch *batch);
/* The disk refused the batch. Without the memory to take an entry back, that entry and all older
 * ones stay for the next batch, because newer entries may depend on older ones; their waiters are
 * told GZ_NO_MEMORY, so that they do not wait for the next try. */
void gz_journal_refuse(struct gz_journal *journal, const char *why);

#endif
