/* past.h - answers from the past, and long answers, piece by piece. */
#ifndef GZ_CORE_PAST_H
#define GZ_CORE_PAST_H

#include "core/callbacks.h"
#include "proto/message.h"
#include "scene/record.h"

/* ---- pieces of an answer ---- */

/* The hits of a pick, in the order in which they are sent: by distance, then by id. They
 * are a heap, so that neither adding a hit nor taking the next one goes through all of them.
 *
 * Ownership: the caller owns the struct; finish frees what it holds and is fine on a zeroed one. */

struct gz_hits {
    struct gz_hit *heap; /* hit i comes before hits 2i + 1 and 2i + 2 */
    size_t count, capacity;
};

/* Compares two hits, for qsort. */
int gz_hit_compare(const void *a, const void *b);
/* False without memory. */
GZ_MUST_USE bool gz_hits_add(struct gz_hits *hits, const struct gz_hit *hit);
/* Takes the first hit out; there must be one. */
struct gz_hit gz_hits_take(struct gz_hits *hits);
void gz_hits_finish(struct gz_hits *hits);

/* ---- answers from the past ---- */

/* The open questions of a session about the past, and the answer that it is being sent:
 * piece by piece, each once the session has taken the one before, so that a large answer neither
 * fills the outbox nor holds up a turn.
 *
 * Many hits of a pick are sent in the same way.
 *
 * history.c asks the questions. Ownership: the caller owns the struct; stop frees what it holds. */

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
/* All of an answer, as the fields of one `ok`, in JSON. GZ_TOO_LARGE, GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_past_print(const struct gz_query *query,
                                         const struct gz_answer *answer, uint64_t epoch,
                                         struct gz_buffer *out, struct gz_error *error);
/* Stops sending the answer, and lets the host free it. The one after it is next. */
void gz_past_stop(struct gz_past *past, const struct gz_core_host *host);

#endif
