/* batch.h - makes one batch of everything that the disk does not have yet. */
#ifndef GZ_SESSION_BATCH_H
#define GZ_SESSION_BATCH_H

#include "session/internal.h"

/* Marks the gestures that are in a batch for the first time as GZ_EDIT_SENT. NULL without memory;
 * some gestures may be marked even then. */
struct gz_batch *gz_core_batch(struct gz_core *core);
/* An upper bound of the nodes that the batch would hold, plus a tenth of the nodes that are only
 * looked at to make it; or any number above `most`. */
size_t gz_core_count_batch(const struct gz_core *core, size_t most);

#endif
