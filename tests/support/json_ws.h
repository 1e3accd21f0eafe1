/* json_ws.h - a client that speaks JSON, on the sockets of raw_ws.h: it says texts, and finds its
 * answers in what it reads. Everything here fails the test that called it when nothing comes for a
 * minute. */
#ifndef TESTS_SUPPORT_JSON_WS_H
#define TESTS_SUPPORT_JSON_WS_H

#include <jansson.h>

#include "support/raw_ws.h"

struct json_client {
    int socket;
    json_t *frame; /* the last one, and how many of its messages were read */
    size_t taken;
};

/* Has shaken hands; and has joined as an editor. */
struct json_client json_open(int port);
struct json_client json_join(int port, const char *scene, const char *user);
/* Closes the socket, too. */
void json_leave(struct json_client *client);
/* A frame as it is written. */
void json_say(struct json_client *client, const char *text);
/* Reads on until a message of this op (NULL: any) comes, with this member if `key` is not NULL. A
 * new reference. */
json_t *json_hear(struct json_client *client, const char *op, const char *key, json_int_t value);
/* Says the text, and reads until the answer with this rid comes. */
json_t *json_ask(struct json_client *client, const char *text, json_int_t rid);
/* Creates so many nodes with the name "a" in a scene. Returns once they are saved. */
void json_create_nodes(int port, const char *scene, size_t count);
/* Gives a node a name, which is written as in JSON. Returns the seq at which that is saved. */
json_int_t json_set_name(struct json_client *client, json_int_t node, const char *name);
/* A member that is a text; "" if there is none. Borrowed. */
const char *json_word(const json_t *message, const char *key);

#endif
