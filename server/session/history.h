/* history.h - questions to the past. They are asked of the file, so each waits until what it is
 * about is saved; the answer comes later. */
#ifndef GZ_SESSION_HISTORY_H
#define GZ_SESSION_HISTORY_H

#include "scene/failure.h"
#include "session/edit_request.h"
#include "session/internal.h"

/* Opens a question of this message, to be asked once all up to `after` is saved. */
GZ_MUST_USE enum gz_status gz_session_ask(struct gz_session *session,
                                          const struct gz_message *message,
                                          const struct gz_query *query, uint64_t after,
                                          gz_answer_handler *on_answer, struct gz_failure *failure);
/* Brings the scene back to the state in the answer, as an edit. */
gz_answer_handler gz_session_restore;
/* The edit that a message asked for whose answer had to wait for the past. */
struct gz_edit_request gz_ticket_request(struct gz_session *session, const struct gz_ticket *ticket,
                                         enum gz_edit_kind kind, uint64_t target);
/* Asks the host the questions whose state is saved by now. */
void gz_core_send_tickets(struct gz_core *core);
/* Nobody waits for the answers to this session's questions any more. */
void gz_session_withdraw_questions(struct gz_session *session);
/* Whether that would ask something: a session has taken its last answer since. */
bool gz_core_has_tickets_to_send(const struct gz_core *core);
/* The answer to the question with this number, which is then closed. */
void gz_core_close_ticket(struct gz_core *core, uint64_t number, struct gz_answer *answer);
/* Does what was put off with answers (bulk.h). */
void gz_core_close_answered_tickets(struct gz_core *core);
/* Puts the next piece of the answer that the session is being sent, if there is one, into its
 * outbox. */
void gz_session_send_piece(struct gz_session *session);

#endif
