/* session_log.h - what the file is told besides what people ask for: which sessions joined and
 * left, and which gestures that it knows as begun were cancelled. Nobody waits for these entries of
 * the journal, and the disk cannot refuse them: they stay until it takes them. */
#ifndef GZ_SESSION_SESSION_LOG_H
#define GZ_SESSION_SESSION_LOG_H

#include "session/internal.h"

struct gz_session;

/* That a session joined or left; false without memory. An edit in the file needs its session
 * there. */
bool gz_core_log_session(struct gz_core *core, const struct gz_session *session, bool has_left);
/* An entry that says: the gesture with this id, which the file knows, is to leave no trace in it.
 * NULL without memory; free() takes back one that was not appended. */
struct gz_journal_entry *gz_drop_create(uint64_t edit);

#endif
