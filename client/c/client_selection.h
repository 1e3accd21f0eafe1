/* client_selection.h - this client's selection: as expected from its messages, and as the server
 * last sent it. Ownership: finish frees the lists; a zeroed struct is an empty selection. Memory:
 * without it nothing is selected. Threads: one at a time. */
#ifndef GZ_CLIENT_CLIENT_SELECTION_H
#define GZ_CLIENT_CLIENT_SELECTION_H

#include "proto/message.h"

struct gz_client_selection_list {
    uint64_t *ids; /* in the order of selection */
    size_t count, capacity;
};

struct gz_client_selection {
    struct gz_client_selection_list expected, told;
    uint64_t version; /* grows with each possible change of the expected ids */
    uint64_t rid;     /* of the latest message that selects; 0 once it is answered */
    bool is_press;    /* that message is a press, whose answer names the node */
    bool adds;        /* the press adds the node */
};

/* This client has sent a `select`; or a press or a grab, which will be answered. */
void gz_client_selection_change(struct gz_client_selection *chosen, struct gz_ids named,
                                enum gz_how how);
void gz_client_selection_await(struct gz_client_selection *chosen, uint64_t rid);
void gz_client_selection_press(struct gz_client_selection *chosen, uint64_t rid, bool adds);

/* Take received messages. The server's selection counts once no message awaits an answer. */
void gz_client_selection_tell(struct gz_client_selection *chosen, struct gz_ids ids);
void gz_client_selection_answer(struct gz_client_selection *chosen,
                                const struct gz_message *message);
/* No answers will come: the server's selection is expected. */
void gz_client_selection_give_up(struct gz_client_selection *chosen);

void gz_client_selection_clear(struct gz_client_selection *chosen);
void gz_client_selection_finish(struct gz_client_selection *chosen);

#endif
