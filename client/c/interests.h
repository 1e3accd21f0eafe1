/* interests.h - the interests of a client: requests without an answer, and the one that the server
 * accepted. They outlive the connection, so that the client can ask again. Ownership: messages are
 * copied. Threads: one at a time. */
#ifndef GZ_CLIENT_INTERESTS_H
#define GZ_CLIENT_INTERESTS_H

#include "proto/message.h"

struct gz_interest_request {
    struct gz_interest_request *next;
    struct gz_message message; /* an `interest` with a rid; its ids are stored below */
    uint64_t ids[];
};

struct gz_interests {
    struct gz_interest_request *asked; /* the oldest first */
    struct gz_interest_request *taken; /* NULL: the whole scene */
};

/* False without memory. */
GZ_MUST_USE bool gz_interests_ask(struct gz_interests *interests,
                                  const struct gz_message *interest);
/* The server accepted (`taken`) or refused the request with this rid. True if it was an interest
 * that was accepted. An accepted interest that is refused now is forgotten. Interests are answered
 * in order: earlier ones without an answer were dropped, and are forgotten too. */
bool gz_interests_answer(struct gz_interests *interests, uint64_t rid, bool taken);
/* Drops requests without an answer. */
void gz_interests_forget_asked(struct gz_interests *interests);
void gz_interests_clear(struct gz_interests *interests);

#endif
