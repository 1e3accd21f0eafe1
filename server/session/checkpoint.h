/* checkpoint.h - checkpoints that are made or taken away, and are not on the disk yet. */
#ifndef GZ_SESSION_CHECKPOINT_H
#define GZ_SESSION_CHECKPOINT_H

#include "proto/message.h"
#include "scene/checkpoints.h"
#include "scene/failure.h"
#include "session/waiter.h"

struct gz_core;

struct gz_pending_checkpoint {
    struct gz_pending_checkpoint *next;
    struct gz_checkpoint_entry *entry;
    struct gz_waiter waiter;
    bool in_batch;
};

/* The seq that a checkpoint stands for; GZ_BAD_VALUE where none of this name is stored. */
GZ_MUST_USE enum gz_status gz_core_find_checkpoint(const struct gz_core *core, struct gz_text name,
                                                   uint64_t *seq, struct gz_failure *failure);
/* As with notes: into a batch (false without memory), after it was stored but for those of a seq
 * before `kept_since`, and after it was refused. */
GZ_MUST_USE bool gz_core_add_checkpoints(const struct gz_core *core, struct gz_batch *batch);
void gz_core_accept_checkpoints(struct gz_core *core, uint64_t kept_since);
void gz_core_refuse_checkpoints(struct gz_core *core, const char *why);
void gz_core_free_checkpoints(struct gz_core *core);

#endif
