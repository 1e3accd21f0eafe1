/* batch.h - all that the disk does not have yet, as one batch. */
#ifndef GZ_SESSION_BATCH_H
#define GZ_SESSION_BATCH_H

#include "session/internal.h"

/* Gestures that the batch says to the file for the first time are GZ_EDIT_SENT from now on. NULL
 * without memory; some gestures may be marked as sent even then. */
struct gz_batch *gz_core_batch(struct gz_core *core);

#endif
