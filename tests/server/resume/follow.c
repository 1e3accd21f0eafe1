/* follow URL SCENE - a client that follows a scene and says what it was told: the C client library,
 * as the tests of following see it. They may be run on any other client instead; tests/README.md
 * says what such a program reads and writes. */
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dump.h"

#define WAIT_S 0.002 /* for news, before the orders are looked at again */
#define JOIN_S 2.0

struct follower {
    struct gz_client_options options;
    struct gz_client *client;
    bool joined;
    bool asked;      /* to write its state */
    uint64_t wanted; /* from this seq on */
    char line[64];   /* an order, as far as it was read */
    size_t line_size;
};

/* ---- being there ---- */

static void say_joined(struct follower *follower)
{
    const struct gz_welcome *welcome = gz_client_welcome(follower->client);
    printf("joined %" PRIu64 " %" PRIu64 " %s\n", welcome->epoch, welcome->seq,
           welcome->resumed ? "resumed" : "anew");
    follower->joined = true;
}

static void join(struct follower *follower)
{
    struct gz_error error;
    enum gz_status status = follower->client == NULL
                                ? gz_client_create(&follower->client, &follower->options, &error)
                                : gz_client_reconnect(follower->client, &error);
    if (status == GZ_OK)
        say_joined(follower);
    else
        poll(NULL, 0, (int)(1000 * WAIT_S)); /* nobody there at the moment, perhaps */
}

static void say_message(const struct gz_message *message)
{
    const struct gz_delta *delta = &message->delta;
    if (message->op == GZ_OP_DELTA)
        printf("delta %" PRIu64 " %" PRIu64 " %s\n", delta->from, delta->seq,
               delta->more ? "more" : "whole");
    if (message->op == GZ_OP_EDIT) printf("edit %" PRIu64 "\n", message->edit.seq);
}

static void listen_to(struct follower *follower)
{
    const struct gz_message *message = gz_client_next(follower->client, WAIT_S);
    for (; message != NULL; message = gz_client_next(follower->client, 0)) say_message(message);
    if (gz_client_is_open(follower->client)) return;
    printf("lost %s\n", gz_client_reason(follower->client));
    follower->joined = false;
}

static void say_state(struct follower *follower)
{
    const struct gz_mirror *mirror =
        follower->client != NULL ? gz_client_mirror(follower->client) : NULL;
    if (!follower->asked || mirror == NULL || !follower->joined) return;
    if (!gz_mirror_is_complete(mirror) || gz_mirror_seq(mirror) < follower->wanted) return;
    printf("state %" PRIu64 "\n", gz_mirror_seq(mirror));
    dump_mirror(stdout, mirror);
    printf("end\n");
    follower->asked = false;
}

/* ---- orders ---- */

static void obey(struct follower *follower)
{
    if (strcmp(follower->line, "cut") == 0 && follower->client != NULL)
        gz_client_cut(follower->client);
    if (strncmp(follower->line, "state ", 6) != 0) return;
    follower->asked = true;
    follower->wanted = strtoull(follower->line + 6, NULL, 10);
}

/* False at the end of them. */
static bool read_orders(struct follower *follower)
{
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    while (poll(&ready, 1, 0) > 0) {
        char *at = &follower->line[follower->line_size];
        if (read(STDIN_FILENO, at, 1) != 1) return false;
        if (*at != '\n') {
            if (follower->line_size + 1 < sizeof follower->line) follower->line_size++;
            continue;
        }
        *at = '\0';
        follower->line_size = 0;
        obey(follower);
    }
    return true;
}

int main(int count, char **words)
{
    if (count != 3) {
        fprintf(stderr, "usage: %s URL SCENE\n", words[0]);
        return 2;
    }
    struct follower follower = {.options = {.url = words[1],
                                            .scene = words[2],
                                            .user = "follower",
                                            .has_role = true,
                                            .role = GZ_ROLE_VIEWER,
                                            .timeout_s = JOIN_S}};
    while (read_orders(&follower)) {
        if (follower.joined)
            listen_to(&follower);
        else
            join(&follower);
        say_state(&follower);
        fflush(stdout);
    }
    gz_client_destroy(follower.client);
    return 0;
}
