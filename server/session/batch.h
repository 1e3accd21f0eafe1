/* batch.h - all that the disk does not have yet, as one batch. */
#ifndef GZ_SESSION_BATCH_H
#define GZ_SESSION_BATCH_H

#include "session/internal.h"

/* Gestures that the batch says to the file for the first time are GZ_EDIT_SENT from now on. NULL
 * without memory; some gestures may be marked as sent even then. */
struct gz_batch *gz_core_batch(struct gz_core *core);
/* How many nodes the batch would have at most, and a tenth of those that are only looked at for it;
 * or more than `most`. */
size_t gz_core_count_batch(const struct gz_core *core, size_t most);

#endif
