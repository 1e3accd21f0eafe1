/* answers.h - the handlers of messages, and answers that wait for the disk. */
#ifndef GZ_CORE_ANSWERS_H
#define GZ_CORE_ANSWERS_H

#include "core/state.h"
#include "proto/message.h"
#include "scene/record.h"

/* ---- handlers ---- */

/* The handlers, one for each message that a client may send. A handler answers the
 * message, or fails: then nothing has changed, and the caller sends the failure. It works in the
 * core's scratch memory, which the caller has emptied. */

struct gz_session;
struct gz_gesture;

typedef enum gz_status gz_handler(struct gz_session *session, const struct gz_message *message,
                                  struct gz_failure *failure);

gz_handler gz_on_camera, gz_on_tool, gz_on_select;              /* setup.c */
gz_handler gz_on_interest;                                      /* setup.c */
gz_handler gz_on_pick;                                          /* pick.c */
gz_handler gz_on_pointer, gz_on_grab, gz_on_wheel;              /* pointer.c */
gz_handler gz_on_hold, gz_on_pose, gz_on_release, gz_on_cancel; /* hold.c */
gz_handler gz_on_set, gz_on_create, gz_on_delete;               /* edit.c */
gz_handler gz_on_undo, gz_on_redo, gz_on_revert;                /* undo.c */
gz_handler gz_on_question, gz_on_restore;                       /* history.c */
gz_handler gz_on_note;                                          /* notes.c */
gz_handler gz_on_checkpoint, gz_on_checkpoints;                 /* notes.c */
gz_handler gz_on_access, gz_on_accesses;                        /* roles.c */
gz_handler gz_on_link;                                          /* token.c */
gz_handler gz_on_token;                                         /* token.c */
gz_handler gz_on_who;                                           /* setup.c */

/* ---- answers ---- */

/* Answers the sessions that wait for an entry of the journal.
 *
 * No answer relies on what is not on the disk. A request that changes something waits for its own
 * entry. A request that changes nothing, because the scene is already as it asks, is answered at
 * once if all that the scene shows is on the disk. Else its answer is an entry too, which writes
 * nothing: it is sent once all that was there before it is on the disk, and is `storage` if the
 * disk refuses that. */

struct gz_failure;

/* Announces a stored edit to every viewer; `sent_at` as for gz_feed_edit. Without memory no viewer
 * is sent it. */
void gz_core_announce_edit(struct gz_core *core, const struct gz_edit_record *edit,
                           uint64_t sent_at);

/* The callback of the core's journal: answers one waiter of an entry. */
void gz_core_answer(void *core, const struct gz_journal_waiter *waiter,
                    const struct gz_journal_outcome *outcome);
/* Appends an entry to the journal; the session that sent `message` waits for it. */
void gz_session_append(struct gz_session *session, const struct gz_message *message,
                       struct gz_journal_entry *entry);
/* Answers `ok` as gz_session_ok, once all that the scene shows now is on the disk. The members of
 * `ok` point to nothing. */
void gz_session_ok_stored(struct gz_session *session, const struct gz_message *request,
                          uint64_t has, const struct gz_ok *ok);
/* The same with the present seq of the scene. NULL: no request. */
void gz_session_ok_seq(struct gz_session *session, const struct gz_message *request);
/* The same for a turn of the session's wheel, once the wheel's edit is on the disk: until then the
 * disk could still take the turn back. */
void gz_session_ok_turn(struct gz_session *session, const struct gz_message *request);
/* The gesture ends: the answers that wait for that now wait for the disk. */
void gz_session_let_answers_go(struct gz_session *session, struct gz_gesture *gesture);
/* The message that ends a gesture has no gesture that runs: an earlier message ended it, or an
 * earlier connection, and the disk may not know yet. Answers, or fails. */
GZ_MUST_USE enum gz_status gz_session_answer_over(struct gz_session *session,
                                                  const struct gz_message *message,
                                                  struct gz_failure *failure);
/* Whether an edit has the key of a message that ends a gesture. If the gesture does not run, the
 * message was sent again, and gets the answer of that edit. A running gesture is another one: the
 * message is refused (*status) and the gesture goes on, so that nothing is lost. */
bool gz_session_end_is_known(struct gz_session *session, const struct gz_message *message,
                             bool runs, enum gz_status *status, struct gz_failure *failure);
/* Whether the refusal of an edit waits, because it may say what an edit brought about that is not
 * on the disk: that a node is gone, a name is taken, there is nothing to undo. Else it is the
 * caller's to send. */
GZ_MUST_USE bool gz_session_refuse_stored(struct gz_session *session, bool has_rid, uint64_t rid,
                                          const struct gz_failure *failure);
/* The session repeated a request whose entry waits already: it waits for the same entry. */
void gz_session_wait(struct gz_session *session, struct gz_journal_entry *entry, bool has_rid,
                     uint64_t rid);

#endif
