/* checkpoint.h - finds stored checkpoints by name. */
#ifndef GZ_SESSION_CHECKPOINT_H
#define GZ_SESSION_CHECKPOINT_H

#include "proto/message.h"
#include "scene/failure.h"

struct gz_core;

/* The seq that a checkpoint stands for; GZ_BAD_VALUE if no checkpoint of this name is stored. */
GZ_MUST_USE enum gz_status gz_core_find_checkpoint(const struct gz_core *core, struct gz_text name,
                                                   uint64_t *seq, struct gz_failure *failure);

#endif
