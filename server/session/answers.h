/* answers.h - how sessions learn what became of what waited for the disk. */
#ifndef GZ_SESSION_ANSWERS_H
#define GZ_SESSION_ANSWERS_H

#include "session/internal.h"

struct gz_session;

/* Announces an edit that is stored to every viewer; `sent_at` as for gz_sync_edit. Without memory
 * nobody hears of it. */
void gz_core_announce_edit(struct gz_core *core, const struct gz_edit_record *edit,
                           uint64_t sent_at);

/* The callback of the core's journal: answers somebody who waits for an entry. */
void gz_core_answer(void *core, const struct gz_journal_waiter *waiter,
                    const struct gz_journal_outcome *outcome);
/* Appends an entry to the journal; the session that sent `message` waits for it. */
void gz_session_append(struct gz_session *session, const struct gz_message *message,
                       struct gz_journal_entry *entry);
/* The session asked for something that waits already, and waits with it. */
void gz_session_wait(struct gz_session *session, struct gz_journal_entry *entry, bool has_rid,
                     uint64_t rid);

#endif
