/* history.h - questions about the past. The file answers them, so each waits until the state that
 * it is about is saved; the answer comes later. */
#ifndef GZ_CORE_HISTORY_H
#define GZ_CORE_HISTORY_H

#include "core/edit_request.h"
#include "core/state.h"
#include "scene/record.h"

/* What a `history`, `at` or `path` asks the file, and the seq that has to be saved before. */
GZ_MUST_USE enum gz_status gz_question_of(const struct gz_core *core,
                                          const struct gz_message *message, struct gz_query *query,
                                          uint64_t *after, struct gz_failure *failure);
/* Opens the question of a message; it is asked once the state up to `after` is saved. */
GZ_MUST_USE enum gz_status gz_session_ask(struct gz_session *session,
                                          const struct gz_message *message,
                                          const struct gz_query *query, uint64_t after,
                                          gz_answer_handler *on_answer, struct gz_failure *failure);
/* Brings the scene back to the state in the answer, as an edit. */
gz_answer_handler gz_session_restore;
/* The request for the edit that an answered question leads to. */
struct gz_edit_request gz_ticket_request(struct gz_session *session, const struct gz_ticket *ticket,
                                         enum gz_edit_kind kind, uint64_t target);
/* Asks the host the questions whose state is saved. */
void gz_core_send_tickets(struct gz_core *core);
/* Drops the open questions of a session that leaves. */
void gz_session_withdraw_questions(struct gz_session *session);
/* Whether gz_core_send_tickets would ask the host a question. */
bool gz_core_has_tickets_to_send(const struct gz_core *core);
/* Handles the answer to the question with this number, and closes the question. */
void gz_core_close_ticket(struct gz_core *core, uint64_t number, struct gz_answer *answer);
/* Handles the answers that were put off (bulk.h). */
void gz_core_close_answered_tickets(struct gz_core *core);
/* Puts the next piece of the session's answer, if one is being sent, into its outbox. */
void gz_session_send_piece(struct gz_session *session);

#endif
