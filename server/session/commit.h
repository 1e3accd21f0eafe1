/* commit.h - what follows from what the disk said of a batch. */
#ifndef GZ_SESSION_COMMIT_H
#define GZ_SESSION_COMMIT_H

#include "session/internal.h"

/* Announces an edit that is stored to every viewer; `told` as for gz_sync_edit. Without memory
 * nobody hears of it. */
void gz_core_announce_edit(struct gz_core *core, const struct gz_edit_record *edit, uint64_t told);
/* The answer to host.commit. */
void gz_core_close_batch(struct gz_core *core, struct gz_batch *batch, enum gz_status status,
                         const char *message);
/* What waits for the disk is taken back at everybody and answered with `storage`. Without the
 * memory for that it stays, and the sessions that wait for it are ended. */
void gz_core_refuse_batch(struct gz_core *core, const char *why);

#endif
