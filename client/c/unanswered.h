/* unanswered.h - the drags, wheels and typed edits that this client has sent and that the server's
 * state does not show yet, each with where it is expected to leave its nodes. Ownership: the mirror
 * is the caller's; clear frees the rest. Threads: one at a time. */
#ifndef GZ_CLIENT_UNANSWERED_H
#define GZ_CLIENT_UNANSWERED_H

#include "foreseen.h"

/* At once: a second of typed values at 60 a second. With more the oldest is given up. */
#define GZ_UNANSWERED_MAX 64

struct gz_sent {
    uint64_t number;       /* counts up; 0: nothing */
    uint64_t rid, end_rid; /* of its first message, and of the one whose answer is the last */
    uint64_t end_n;        /* the pointer that ends it; 0 for none */
    uint64_t ended;        /* counts up as they end; UINT64_MAX while it runs */
    enum gz_handle handle; /* that the answer to the first has to name; GZ_HANDLE_NONE for none */
    bool is_done;          /* the server has done all of it */
    uint64_t seq;          /* of the state that shows this */
};

struct gz_unanswered {
    struct gz_foreseen foreseen;
    struct gz_sent list[GZ_UNANSWERED_MAX];
    uint64_t count, ended; /* of all that there ever were */
    uint64_t corrections;
};

struct gz_sent *gz_unanswered_add(struct gz_unanswered *unanswered, uint64_t rid);
/* The message with this rid is the last one of it, so far. */
void gz_unanswered_end(struct gz_unanswered *unanswered, struct gz_sent *sent, uint64_t rid);
/* A `set`: expects its nodes where it puts them. A node that is unknown, that also gets another
 * parent, or that the server will refuse is expected where it is. */
void gz_unanswered_set(struct gz_unanswered *unanswered, const struct gz_message *message);

/* What came: the nodes of what is over are expected where the server has them. The server does one
 * thing after the other, so all that ended before is over too. */
void gz_unanswered_answer(struct gz_unanswered *unanswered, const struct gz_message *message);
void gz_unanswered_acknowledge(struct gz_unanswered *unanswered, uint64_t n);
void gz_unanswered_look(struct gz_unanswered *unanswered); /* the mirror has another state */

void gz_unanswered_drop(struct gz_unanswered *unanswered, struct gz_sent *sent);
void gz_unanswered_drop_all(struct gz_unanswered *unanswered);
/* A new session knows nothing of it: no correction is counted. */
void gz_unanswered_clear(struct gz_unanswered *unanswered);

#endif
