/* caller.h - a connection that speaks HTTP. It belongs to its arrival, until the connection ends or
 * is a WebSocket. Threads: the loop's. */
#ifndef GZ_FRONT_CALLER_H
#define GZ_FRONT_CALLER_H

#include "conn/connection.h"
#include "front/request.h"
#include "front/state.h"
#include "link/relaying.h"

struct gz_exchange;

struct gz_caller {
    struct gz_net *net;
    struct gz_arrival *arrival;
    struct gz_stream *stream;
    struct gz_buffer head;        /* of the request, or what has come of it */
    struct gz_request *request;   /* the latest one, into `head`; NULL before its head is whole */
    struct gz_exchange *exchange; /* the same, until its answer is sent; else NULL */
    uint64_t body_left;           /* bytes of its body that are still to come */
    double due_s;                 /* by gz_awake_now: it is closed then; 0 for no time */
    bool is_parted;               /* its last answer is sent */
    bool is_closed;               /* the loop frees it soon */
    bool is_upgraded;             /* its stream is a WebSocket's */
    struct gz_caller *next, **hook;
};

/* What becomes of requests: http.c. */
struct gz_talk {
    /* A head has come, whole, or too much of it. */
    void (*begin)(struct gz_caller *caller, bool is_whole);
    /* A piece of the body has come; there is an exchange. */
    void (*take)(struct gz_caller *caller, const uint8_t *bytes, size_t size);
    /* The socket takes more, which the exchange has asked for. */
    void (*go_on)(struct gz_caller *caller);
    /* The exchange, if there is one, is left. */
    void (*leave)(struct gz_caller *caller);
};

/* Takes the arrival's socket. False without memory: then the socket is still the caller's of this
 * function. */
GZ_MUST_USE bool gz_caller_begin(struct gz_net *net, struct gz_arrival *arrival);
/* The answer is sent: the next request may come. If it was the last one, the connection ends, and
 * what still comes is dropped. */
void gz_caller_next(struct gz_caller *caller, bool is_last);
/* Ends it without a word; the loop then ends its arrival. Once more is fine. */
void gz_caller_close(struct gz_caller *caller);
/* It is closed in so many seconds, unless this is called again; 0: it is not. */
void gz_caller_allow(struct gz_caller *caller, double seconds);

#endif
