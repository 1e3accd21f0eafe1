/* answers.h - answers the sessions that wait for an entry of the journal. */
#ifndef GZ_SESSION_ANSWERS_H
#define GZ_SESSION_ANSWERS_H

#include "session/internal.h"

struct gz_session;

/* Announces a stored edit to every viewer; `sent_at` as for gz_sync_edit. Without memory no viewer
 * is sent it. */
void gz_core_announce_edit(struct gz_core *core, const struct gz_edit_record *edit,
                           uint64_t sent_at);

/* The callback of the core's journal: answers one waiter of an entry. */
void gz_core_answer(void *core, const struct gz_journal_waiter *waiter,
                    const struct gz_journal_outcome *outcome);
/* Appends an entry to the journal; the session that sent `message` waits for it. */
void gz_session_append(struct gz_session *session, const struct gz_message *message,
                       struct gz_journal_entry *entry);
/* The session repeated a request whose entry waits already: it waits for the same entry. */
void gz_session_wait(struct gz_session *session, struct gz_journal_entry *entry, bool has_rid,
                     uint64_t rid);

#endif
