/* tickets.h - the open questions about the past, oldest first. */
#ifndef GZ_SESSION_TICKETS_H
#define GZ_SESSION_TICKETS_H

#include "proto/limits.h"
#include "scene/failure.h"
#include "scene/record.h"

struct gz_session;
struct gz_ticket;

/* Handles a successful answer, and may take parts out of it. A failure is sent to the session. */
typedef enum gz_status gz_answer_handler(struct gz_session *session, const struct gz_ticket *ticket,
                                         struct gz_answer *answer, struct gz_failure *failure);

/* One open question. */
struct gz_ticket {
    struct gz_ticket *next;
    uint64_t number, session, rid;
    bool has_rid, has_key, is_sent;
    bool force; /* of a revert */
    char key[GZ_KEY_BYTES_MAX + 1];
    uint64_t after; /* the seq that has to be saved before the file is asked */
    struct gz_query query;
    gz_answer_handler *on_answer;
    bool is_answered; /* `answer` is put off (bulk.h) */
    struct gz_answer answer;
};

/* Zero: no tickets. */
struct gz_tickets {
    struct gz_ticket *first;
    uint64_t latest; /* the number of the newest ticket; numbers are never reused */
};

/* Appends a copy under the next number. False without memory. */
GZ_MUST_USE bool gz_tickets_add(struct gz_tickets *tickets, const struct gz_ticket *ticket);
/* The ticket with this number; NULL if there is none. */
struct gz_ticket *gz_tickets_find(const struct gz_tickets *tickets, uint64_t number);
/* Takes the ticket with this number out; the caller frees it. NULL if there is none. */
struct gz_ticket *gz_tickets_take(struct gz_tickets *tickets, uint64_t number);
void gz_tickets_finish(struct gz_tickets *tickets);

#endif
