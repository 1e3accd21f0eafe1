/* crowd.h - many WebSocket clients of a daemon in one thread: raw sockets that do not block, and
 * epoll. Received messages are decoded and counted; a stalled client leaves them in the kernel. The
 * crowd only moves inside of crowd_run, crowd_until and the functions that send. Everything fails
 * the test that called it when the network cannot be used; what the server does is reported.
 * Threads: one. */
#ifndef TESTS_SUPPORT_CROWD_H
#define TESTS_SUPPORT_CROWD_H

#include "proto/limits.h"
#include "proto/message.h"

enum crowd_state {
    CROWD_CONNECTING,
    CROWD_SHAKING, /* hands: the upgrade is asked for */
    CROWD_JOINING, /* hello is said */
    CROWD_JOINED,  /* it had its whole first state */
    CROWD_ENDED    /* its socket is closed */
};

struct crowd_member {
    struct crowd *crowd;
    struct crowd_member *next;
    int socket;
    enum crowd_state state;
    enum gz_role role;
    /* The caller may change these until the connection is made. `path`: of the request to become a
     * WebSocket. */
    const char *scene, *user, *path;
    bool packed; /* likewise: it reads the packed form */
    bool stalled, writing;
    uint64_t mark; /* the caller's own */
    struct gz_buffer in, out;
    /* what it heard */
    uint64_t session, seq, acknowledged;     /* acknowledged: the last n of anybody */
    uint64_t here;                           /* people in the scene, as it was told last */
    size_t people;                           /* records of people */
    size_t frames, bytes, deltas, nodes_max; /* nodes of its largest delta */
    size_t oks, errors[GZ_STATUS_COUNT];
    bool fatal, bye;
    char reason[GZ_ERROR_BYTES_MAX]; /* of the fatal error, or of the bye */
    int close_code;                  /* 0: none came */
};

/* How to speak with a server that is not gizmod. `greet`: the socket became a WebSocket. `hear` is
 * given each frame with data, and sets the member's state to CROWD_JOINED. */
struct crowd_protocol {
    bool text; /* frames that are sent are text */
    void (*greet)(struct crowd_member *member);
    void (*hear)(struct crowd_member *member, const uint8_t *bytes, size_t size, double came_s);
};

struct crowd {
    const struct crowd_protocol *protocol; /* NULL: gizmod's protocol */
    int port, epoll;
    struct crowd_member *members; /* the latest first; stay until crowd_finish */
    size_t count;
    struct gz_arena arena;
    uint8_t *piece;
    /* Is told every message; may be NULL. `came_s` is when the kernel had the last byte, in Unix
     * seconds. */
    void (*handle)(void *context, struct crowd_member *member, const struct gz_message *message,
                   double came_s);
    void *context;
};

void crowd_init(struct crowd *crowd, int port);
/* Hangs up on everybody. */
void crowd_finish(struct crowd *crowd);

/* A connection that is on its way to join. `receive_bytes`: of its kernel's buffer, 0 for as many
 * as the kernel likes. */
struct crowd_member *crowd_enter(struct crowd *crowd, const char *scene, enum gz_role role,
                                 int receive_bytes);
/* Hangs up. */
void crowd_leave(struct crowd_member *member);
/* All members that came after `earlier` hang up and are freed; NULL: all. */
void crowd_disperse(struct crowd *crowd, struct crowd_member *earlier);
/* Stops reading, or reads again. */
void crowd_stall(struct crowd_member *member, bool stalled);
/* Forgets what was counted. */
void crowd_forget(struct crowd_member *member);
size_t crowd_count(const struct crowd *crowd, enum crowd_state state);

/* Sends what the socket takes; the rest goes when there is room. */
void crowd_send(struct crowd_member *member, const struct gz_message *message);
void crowd_send_frame(struct crowd_member *member, const void *bytes, size_t size);
/* Bytes that the socket has not taken yet. */
size_t crowd_unsent(const struct crowd_member *member);

/* Reads what comes within this time. */
void crowd_run(struct crowd *crowd, double seconds);
/* The same until `is_done` returns true; false if the time is over before. */
bool crowd_until(struct crowd *crowd, bool (*is_done)(void *context), void *context,
                 double seconds);
/* Runs until all members are joined or ended, or until nobody made progress for this time. Returns
 * how many are joined. */
size_t crowd_gather(struct crowd *crowd, double seconds);

double crowd_unix_s(void);

#endif
