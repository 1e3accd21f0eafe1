/* wish.h - which part of the scene a client asked for: what was asked and is not answered yet, and
 * what the server took. That outlives the connection, so that the client can ask for it again.
 * Ownership: messages are copied. Threads: one at a time. */
#ifndef GZ_CLIENT_WISH_H
#define GZ_CLIENT_WISH_H

#include "proto/message.h"

struct gz_wish {
    struct gz_wish *next;
    struct gz_message message; /* an `interest` with a rid; its ids are those below */
    uint64_t ids[];
};

struct gz_wishes {
    struct gz_wish *asked; /* the oldest first */
    struct gz_wish *taken; /* NULL: the whole scene */
};

/* False without memory. */
GZ_MUST_USE bool gz_wishes_ask(struct gz_wishes *wishes, const struct gz_message *interest);
/* The server took, or refused, what had this rid. True where it was a wish, and taken. One that was
 * taken before and is refused now is forgotten. */
bool gz_wishes_answer(struct gz_wishes *wishes, uint64_t rid, bool taken);
/* Drops what was not answered. */
void gz_wishes_forget_asked(struct gz_wishes *wishes);
void gz_wishes_clear(struct gz_wishes *wishes);

#endif
