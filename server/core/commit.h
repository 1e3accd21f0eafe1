/* commit.h - to the disk and back: entries of sessions, batches, and what a commit answers. */
#ifndef GZ_CORE_COMMIT_H
#define GZ_CORE_COMMIT_H

#include "core/state.h"

/* ---- entries of sessions ---- */

/* Journal entries that no request made: sessions that joined and left, and
 * cancelled gestures that the file knows as begun. No session waits for them, and the disk cannot
 * refuse them: they stay in the journal until it takes them. */

struct gz_session;

/* Appends an entry: a session joined or left. False without memory. An edit in the file needs the
 * row of its session. */
bool gz_core_log_session(struct gz_core *core, const struct gz_session *session, bool has_left);

/* ---- what a commit answers ---- */

/* When a batch goes to the disk, and what happens when it comes back. */

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
