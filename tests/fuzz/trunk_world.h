/* trunk_world.h - a net with one link: an authority with a scene, or an edge with four clients.
 * The room itself is real. Sockets, libwebsockets, the disk and the clock of silence are simulated.
 * Ownership: the world is static; world_end frees what it holds. Threads: one. */
#ifndef GZ_FUZZ_TRUNK_WORLD_H
#define GZ_FUZZ_TRUNK_WORLD_H

#include <stdlib.h>

#include "link/link_server.h"
#include "link/relay.h"

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

enum { WORLD_CLIENTS = 4, WORLD_TRUNKS = 4 };

/* A connection of libwebsockets while it does the handshake; and the struct gz_stream that takes it
 * over. */
struct lws {
    void *opaque;
};
struct world_stream {
    const struct gz_stream_user *user;
    void *context;
    bool is_open, is_full;
    bool has_sent[GZ_TRUNK_SLOTS]; /* the slots that hold a piece */
};

/* A client of the edge, whose socket takes everything or nothing. */
struct world_client {
    struct gz_wire wire; /* first */
    struct gz_connection connection;
    bool is_there, is_full, is_paused, is_killed;
};

struct world {
    bool is_edge;
    struct gz_net net;
    struct gz_net_scene scene;
    struct gz_batch *batch;        /* on its way to the disk */
    struct gz_scene_wait *waiting; /* hellos for a scene that is being opened */
    struct world_client clients[WORLD_CLIENTS];
    struct lws sockets[WORLD_TRUNKS]; /* of the edge */
    struct world_stream streams[WORLD_TRUNKS];
    size_t socket_count, stream_count;
    double now_s;
};
extern struct world world;

void world_begin(bool is_edge);
/* Everything ends, and must be gone. */
void world_end(void);

/* The stream of the latest link; NULL for none. */
struct world_stream *world_stream(void);
/* Opens a link at the authority; answers the edge that opens one. */
void world_connect(void);
/* The link's connection is lost, or cannot be established. */
void world_cut(void);
/* The other member sends these bytes. */
void world_receive(const uint8_t *bytes, size_t size);
/* Bytes of this channel that the other member has not acknowledged. */
size_t world_in_flight(uint16_t channel);

/* The end of the loop's turn, and what libwebsockets and the disk do after it. */
void world_turn(void);
void world_wait(double seconds);
/* The scene that hellos wait for is open, or cannot be opened. */
void world_open_scene(bool is_good);
/* A worker has the core, or gives it back. */
void world_lend(bool is_lent);

/* A client of the edge connects, or is gone. */
void world_enter(size_t who);
void world_leave(size_t who);
void world_say(size_t who, const uint8_t *bytes, size_t size);
/* The client's socket is full, or free again. */
void world_fill(size_t who, bool is_full);

#endif
