/* session_log.h - journal entries that no request made: sessions that joined and left, and
 * cancelled gestures that the file knows as begun. No session waits for them, and the disk cannot
 * refuse them: they stay in the journal until it takes them. */
#ifndef GZ_SESSION_SESSION_LOG_H
#define GZ_SESSION_SESSION_LOG_H

#include "session/internal.h"

struct gz_session;

/* Appends an entry: a session joined or left. False without memory. An edit in the file needs the
 * row of its session. */
bool gz_core_log_session(struct gz_core *core, const struct gz_session *session, bool has_left);
/* An entry that removes the gesture with this id from the file. NULL without memory; free() frees
 * one that was not appended. */
struct gz_journal_entry *gz_drop_create(uint64_t edit);

#endif
