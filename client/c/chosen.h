/* chosen.h - this client's selection: as expected from its messages, and as the server last sent
 * it. Ownership: finish frees the lists; a zeroed struct is an empty selection. Memory: without it
 * nothing is selected. Threads: one at a time. */
#ifndef GZ_CLIENT_CHOSEN_H
#define GZ_CLIENT_CHOSEN_H

#include "proto/message.h"

struct gz_chosen_list {
    uint64_t *ids; /* in the order of selection */
    size_t count, capacity;
};

struct gz_chosen {
    struct gz_chosen_list expected, told;
    uint64_t version; /* grows with each possible change of the expected ids */
    uint64_t rid;     /* of the latest message that selects; 0 once it is answered */
    bool is_press;    /* that message is a press, whose answer names the node */
    bool adds;        /* the press adds the node */
};

/* This client has sent a `select`; or a press or a grab, which will be answered. */
void gz_chosen_change(struct gz_chosen *chosen, struct gz_ids named, enum gz_how how);
void gz_chosen_await(struct gz_chosen *chosen, uint64_t rid);
void gz_chosen_press(struct gz_chosen *chosen, uint64_t rid, bool adds);

/* Take received messages. The server's selection counts once no message awaits an answer. */
void gz_chosen_tell(struct gz_chosen *chosen, struct gz_ids ids);
void gz_chosen_answer(struct gz_chosen *chosen, const struct gz_message *message);
/* No answers will come: the server's selection is expected. */
void gz_chosen_give_up(struct gz_chosen *chosen);

void gz_chosen_clear(struct gz_chosen *chosen);
void gz_chosen_finish(struct gz_chosen *chosen);

#endif
