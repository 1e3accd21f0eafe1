/* pending.h - edits that were applied and are not on the disk yet. */
#ifndef GZ_SESSION_PENDING_H
#define GZ_SESSION_PENDING_H

#include "proto/message.h"
#include "scene/failure.h"
#include "scene/record.h"
#include "session/edit_request.h"
#include "session/waiter.h"

struct gz_core;
struct gz_core_import;
struct gz_surfaces;

/* Its arena holds all of it. */
struct gz_pending {
    struct gz_pending *next;
    struct gz_arena arena;
    size_t bytes; /* of it, without the waiters that came later */
    struct gz_edit_record edit;
    struct gz_ids created;
    struct gz_waiter *waiters;
    bool in_batch;
    bool begun; /* the store may know it as a drag that runs */
    uint8_t *asset;
    size_t asset_size;
    uint64_t asset_seq_before;
    struct gz_surfaces *surfaces_before;
    void (*done)(void *context, enum gz_status status, const char *message);
    void *context;
};

/* Whether the request is answered by its key: the edit with that key is known, and its answer is
 * sent now or after its COMMIT; or the disk does not say whether it is known, which is refused. */
bool gz_core_answer_known(struct gz_session *session, const struct gz_edit_request *request);
/* The same for the key of a message. */
bool gz_core_answer_key(struct gz_session *session, const struct gz_message *message);
/* The edit that has the key of this message, or 0 in *id. Nobody is answered. GZ_STORAGE if the
 * disk does not say. */
GZ_MUST_USE enum gz_status gz_core_edit_of_key(struct gz_session *session,
                                               const struct gz_message *message, uint64_t *id,
                                               struct gz_failure *failure);
/* GZ_TOO_MANY while too many edits and notes, or too large ones, wait for the disk. */
GZ_MUST_USE enum gz_status gz_core_check_room(const struct gz_core *core,
                                              struct gz_failure *failure);
/* Applies `changes` as one edit and answers after COMMIT. */
GZ_MUST_USE enum gz_status gz_core_edit(struct gz_core *core, const struct gz_edit_request *request,
                                        const struct gz_change *changes, size_t count,
                                        struct gz_failure *failure);
/* The same for the import, which brings its file and is answered by a call. */
GZ_MUST_USE enum gz_status gz_core_edit_import(struct gz_core *core,
                                               const struct gz_core_import *import,
                                               const struct gz_change *changes, size_t count,
                                               struct gz_failure *failure);
/* Remembers a gesture, which was applied by posing; `edit` says what `request` does not: id,
 * handle, value, beginning, seqs, changes. `begun`: the file may know it already. */
GZ_MUST_USE enum gz_status gz_core_complete(struct gz_core *core,
                                            const struct gz_edit_request *request,
                                            const struct gz_edit_record *edit, bool begun);
void gz_pending_destroy(struct gz_pending *pending);
void gz_core_free_pending(struct gz_core *core);
/* Answers an edit that is stored. */
void gz_session_edit_ok(struct gz_session *session, uint64_t rid, const struct gz_edit_record *edit,
                        struct gz_ids created);
/* The file may know a gesture that is to leave no trace: it is told so. */
void gz_core_drop(struct gz_core *core, uint64_t edit);

#endif
