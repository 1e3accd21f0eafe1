/* commit.h - when a batch goes to the disk, and what happens when it comes back. */
#ifndef GZ_SESSION_COMMIT_H
#define GZ_SESSION_COMMIT_H

#include "session/internal.h"

/* Hands the host the next batch, if it is due. */
void gz_core_commit(struct gz_core *core);
/* Monotonic time at which the next batch is due. */
double gz_core_commit_due(const struct gz_core *core);
/* The answer to host.commit. Stored entries are answered and announced. If the disk refused, all
 * entries that wait are taken back at every viewer and answered with `storage`; without the memory
 * for that they stay, and the sessions that wait for them are ended. */
void gz_core_close_batch(struct gz_core *core, struct gz_batch *batch, enum gz_status status,
                         const char *message);
/* Does the work of gz_core_close_batch that was put off (bulk.h). */
void gz_core_close_put_off(struct gz_core *core);

#endif
