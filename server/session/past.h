/* past.h - the open questions of a session about the past, and the answer that it is being sent:
 * piece by piece, each once the session has taken the one before, so that a large answer neither
 * fills the outbox nor holds up a turn.
 *
 * Many hits of a pick are sent in the same way.
 *
 * history.c asks the questions. Ownership: the caller owns the struct; stop frees what it holds. */
#ifndef GZ_SESSION_PAST_H
#define GZ_SESSION_PAST_H

#include "proto/message.h"
#include "scene/record.h"
#include "session/hits.h"
#include "session/host.h"

struct gz_past {
    int open;         /* questions without an answer yet */
    bool asking;      /* the host is asked one of them */
    bool takes_turns; /* the next frame is a piece of the answer, not one for all sessions */
    bool tells_hits;  /* hits are among the answers; later messages wait for their end */
    struct gz_outgoing_answer *answer; /* being sent, and those after it; NULL for none */
};

/* Whether the host may be asked another question: one at a time, and none while an answer is being
 * sent, because answers are large. */
bool gz_past_may_ask(const struct gz_past *past);
/* Takes the answer over and sends it for request `rid`; `answer` is then empty. GZ_NO_MEMORY: it
 * stays the caller's. Answers are sent one after the other. */
GZ_MUST_USE enum gz_status gz_past_send(struct gz_past *past, uint64_t rid,
                                        const struct gz_query *query, struct gz_answer *answer);
/* The same for hits; `hits` is then empty. */
GZ_MUST_USE enum gz_status gz_past_send_hits(struct gz_past *past, uint64_t rid,
                                             struct gz_hits *hits);
/* The next piece of the answer that is being sent, as an `ok`; it is the last one unless
 * piece->ok.more. It is made in `arena` and valid until the answer is stopped. False without
 * memory; piece->rid is set all the same. */
GZ_MUST_USE bool gz_past_next_piece(struct gz_past *past, uint64_t epoch, struct gz_arena *arena,
                                    struct gz_message *piece);
/* Stops sending the answer, and lets the host free it. The one after it is next. */
void gz_past_stop(struct gz_past *past, const struct gz_core_host *host);

#endif
