/* tickets.h - the open questions to the past, in the order in which they were asked. */
#ifndef GZ_SESSION_TICKETS_H
#define GZ_SESSION_TICKETS_H

#include "proto/limits.h"
#include "scene/failure.h"
#include "scene/record.h"

struct gz_session;
struct gz_ticket;

/* What is done with the answer to a question, which the past could give. The answer is its own to
 * empty. A failure is sent to the session. */
typedef enum gz_status gz_answer_handler(struct gz_session *session, const struct gz_ticket *ticket,
                                         struct gz_answer *answer, struct gz_failure *failure);

/* One open question. */
struct gz_ticket {
    struct gz_ticket *next;
    uint64_t number, session, rid;
    bool has_rid, has_key, is_sent;
    bool force; /* of a revert */
    char key[GZ_KEY_BYTES_MAX + 1];
    uint64_t after; /* the file is asked once the state up to here is saved */
    struct gz_query query;
    gz_answer_handler *on_answer;
    bool is_answered; /* what is done with `answer` is put off: bulk.h */
    struct gz_answer answer;
};

/* Zeroed, it has no ticket. */
struct gz_tickets {
    struct gz_ticket *first;
    uint64_t latest; /* the number of the newest ticket; numbers are never used again */
};

/* Appends a copy under the next number. False without memory. */
GZ_MUST_USE bool gz_tickets_add(struct gz_tickets *tickets, const struct gz_ticket *ticket);
/* The ticket with this number; NULL if there is none. */
struct gz_ticket *gz_tickets_find(const struct gz_tickets *tickets, uint64_t number);
/* Takes the ticket with this number out, for the caller to free; NULL if there is none. */
struct gz_ticket *gz_tickets_take(struct gz_tickets *tickets, uint64_t number);
void gz_tickets_finish(struct gz_tickets *tickets);

#endif
