/* interests.h - which part of the scene a client asked for: what was asked and is not answered yet,
 * and what the server took. That outlives the connection, so that the client can ask for it again.
 * Ownership: messages are copied. Threads: one at a time. */
#ifndef GZ_CLIENT_INTERESTS_H
#define GZ_CLIENT_INTERESTS_H

#include "proto/message.h"

struct gz_interest_request {
    struct gz_interest_request *next;
    struct gz_message message; /* an `interest` with a rid; its ids are those below */
    uint64_t ids[];
};

struct gz_interests {
    struct gz_interest_request *asked; /* the oldest first */
    struct gz_interest_request *taken; /* NULL: the whole scene */
};

/* False without memory. */
GZ_MUST_USE bool gz_interests_ask(struct gz_interests *interests,
                                  const struct gz_message *interest);
/* The server took, or refused, what had this rid. True if it was the rid of an interest, and the
 * server took it. One that was taken before and is refused now is forgotten. Interests are answered
 * in the order in which they were asked: those before this one, which have no answer, were over the
 * rate and dropped, and are forgotten too. */
bool gz_interests_answer(struct gz_interests *interests, uint64_t rid, bool taken);
/* Drops what was not answered. */
void gz_interests_forget_asked(struct gz_interests *interests);
void gz_interests_clear(struct gz_interests *interests);

#endif
