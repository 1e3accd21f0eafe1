/* commit.h - the way to the disk and back: when a batch leaves, and what becomes of it. */
#ifndef GZ_SESSION_COMMIT_H
#define GZ_SESSION_COMMIT_H

#include "session/internal.h"

/* Hands the host what is to be saved, if it is time. */
void gz_core_commit(struct gz_core *core);
/* Monotonic time at which it will be. */
double gz_core_commit_due(const struct gz_core *core);
/* The answer to host.commit. What was stored is answered and announced. If the disk refused, all
 * that waits is taken back at everybody and answered with `storage`; without the memory for that it
 * stays, and the sessions that wait for it are ended. */
void gz_core_close_batch(struct gz_core *core, struct gz_batch *batch, enum gz_status status,
                         const char *message);
/* Does what was put off of that (bulk.h). */
void gz_core_close_put_off(struct gz_core *core);

#endif
