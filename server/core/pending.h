/* pending.h - edits that are applied and wait for the disk.
 *
 * An edit is applied at once, visible to every viewer, and answered after its batch was committed.
 * A request that is sent again with the same key is the same edit, at any time. If the disk refuses
 * the edit, it is taken back at every viewer. Ownership: the journal owns them. Threads: the
 * core's. */
#ifndef GZ_CORE_PENDING_H
#define GZ_CORE_PENDING_H

#include "core/edit_request.h"
#include "core/journal.h"
#include "core/state.h"
#include "scene/record.h"

struct gz_core;
struct gz_gesture;

struct gz_pending_edit {
    struct gz_journal_entry entry;
    struct gz_arena arena; /* what the edit points to */
    struct gz_edit_record edit;
    struct gz_ids created;
    double asked_s;                /* monotonic */
    struct gz_journal_entry *drop; /* to append if the edit is refused, because the file may know of
                                      the gesture; NULL: it does not */
    struct gz_pending_import import; /* zero unless it is an import */
};

extern const struct gz_journal_kind gz_pending_edits;

/* Whether the key answers the request: an edit with that key exists, and its answer is sent now or
 * after its COMMIT; or the file could not be searched, and the request is refused. */
bool gz_core_answer_known(struct gz_session *session, const struct gz_edit_request *request);
/* The same for the key of a message. */
bool gz_core_answer_key(struct gz_session *session, const struct gz_message *message);
/* Finds the edit with the key of this message; *id is 0 if there is none. Answers nothing.
 * GZ_STORAGE if the file could not be searched. */
GZ_MUST_USE enum gz_status gz_core_edit_of_key(struct gz_session *session,
                                               const struct gz_message *message, uint64_t *id,
                                               struct gz_failure *failure);

/* Takes the bytes that these changes will add to the file, and `bytes` more, from the share of
 * `payer`, as gz_host_spend. */
GZ_MUST_USE enum gz_status gz_core_spend(const struct gz_core *core, const char *payer,
                                         uint64_t bytes, const struct gz_change *changes,
                                         size_t count, struct gz_error *error);
/* Applies `changes` as one edit and answers after COMMIT. */
GZ_MUST_USE enum gz_status gz_core_edit(struct gz_core *core, const struct gz_edit_request *request,
                                        const struct gz_change *changes, size_t count,
                                        struct gz_failure *failure);
/* Makes an edit of a gesture, whose nodes were moved already. `edit` has the rest: id, handle,
 * value, beginning, seqs, changes. */
GZ_MUST_USE enum gz_status gz_core_complete(struct gz_core *core,
                                            const struct gz_edit_request *request,
                                            const struct gz_edit_record *edit,
                                            struct gz_gesture *gesture);

/* The two steps of gz_core_edit. The first one allocates all memory; NULL without it. */
struct gz_pending_edit *gz_pending_create(struct gz_core *core,
                                          const struct gz_edit_request *request,
                                          const struct gz_change *changes, size_t count);
/* With GZ_OK the edit is applied and in the journal; else it stays the caller's. */
GZ_MUST_USE enum gz_status gz_pending_apply(struct gz_core *core, struct gz_pending_edit *pending,
                                            uint64_t actor, struct gz_failure *failure);
void gz_pending_destroy(struct gz_pending_edit *pending); /* NULL is fine */

#endif
