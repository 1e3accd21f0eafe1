/* batch.h - from the core to the disk: everything since the last batch, as one. */
#ifndef GZ_SESSION_BATCH_H
#define GZ_SESSION_BATCH_H

#include "session/internal.h"

struct gz_session;

/* That a session joined or left, for the file; false without memory. An edit in the file needs its
 * session there. Not in the middle of a message. */
bool gz_core_log_session(struct gz_core *core, const struct gz_session *session, bool left);
/* Hands the host what is to be saved, if it is time. */
void gz_core_commit(struct gz_core *core);
/* Monotonic time at which it will be. */
double gz_core_commit_due(const struct gz_core *core);

#endif
