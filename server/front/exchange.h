/* exchange.h - one HTTP request and its answer, for the files about HTTP.
 *
 * - caller.h: the connection; request.h: the head of the request
 * - exchange.c: its lifetime, its place among large requests, its answer, refusals and their log
 * - receive.c: its body
 * - forward.c: another member of the cluster answers it
 * - http.c: the paths and the rights
 *
 * Threads: the loop's. */
#ifndef GZ_FRONT_EXCHANGE_H
#define GZ_FRONT_EXCHANGE_H

#include "conn/connection.h"
#include "front/state.h"
#include "link/relaying.h"

/* Bytes of a path in the log. */
#define GZ_PATH_LOG_BYTES 128
#define GZ_JSON_TYPE "application/json"

enum gz_method {
    METHOD_GET,
    METHOD_HEAD,
    METHOD_PUT,
    METHOD_POST,
    METHOD_PATCH,
    METHOD_DELETE,
    METHOD_OPTIONS,
    METHOD_OTHER
};

/* One request and its answer. It belongs to its connection, or, while the host has it, to the
 * host. */
struct gz_exchange {
    struct gz_http_request request; /* first, so that a request is its exchange */
    struct gz_net *net;
    struct gz_caller *caller; /* NULL once the client has gone */
    enum gz_method method;
    bool is_job; /* it is in the list of jobs */
    struct gz_exchange *next_job;
    bool deciding; /* the host decides whether its body may come, or writes a part of it */
    bool expects;  /* the client waits for 100 Continue */
    bool reading;  /* its body is coming */
    /* For its speed: bytes since this time, by gz_awake_now, without the time in which the host had
     * it, or the client waited for the next piece from another member. */
    double paced_s, held_s;
    uint64_t paced_bytes;
    struct gz_events *events;   /* if its client is told events; else NULL */
    struct gz_forward *forward; /* if another member answers it; else NULL */
    bool with_host, waits;      /* since held_s: it waits for the host; for the next piece */
    bool stopped;               /* its socket is not read */
    bool answered, began, done; /* it has an answer; the header is sent; all is sent */
    bool hang_up;               /* the connection cannot be reused */
    struct gz_address from;     /* the client's network (gz_address_network) */
    char peer[GZ_ADDRESS_TEXT_BYTES];
    char path[GZ_PATH_LOG_BYTES];     /* the beginning, for the log, without the query */
    char name[GZ_USER_BYTES_MAX + 1]; /* that the client chooses; valid UTF-8 */
    struct gz_reply reply;
    struct gz_buffer body;
    int file;
    uint64_t sent;
};

/* ---- exchange.c ---- */
/* The exchange of the caller's request, whose head was read, or cannot be. NULL without memory. */
struct gz_exchange *gz_exchange_create(struct gz_caller *caller, bool is_read);
void gz_exchange_destroy(struct gz_exchange *exchange);
/* The client is gone, or has its answer: the exchange ends, at once or when the host is done. */
void gz_exchange_leave(struct gz_exchange *exchange);
const char *gz_method_word(enum gz_method method);
bool gz_method_has_body(enum gz_method method);
void gz_exchange_answer(struct gz_exchange *exchange, const struct gz_http_answer *with);
/* Answers with a JSON error; `code` 0: the code of the status. */
void gz_exchange_refuse(struct gz_exchange *exchange, int code, const struct gz_error *error);
void gz_exchange_refuse_with(struct gz_exchange *exchange, int code, enum gz_status status,
                             const char *message);
/* Takes a place among the large requests; refuses the request if there is none. */
bool gz_exchange_become_job(struct gz_exchange *exchange);
/* Logs a change and its user; a refusal follows on a line of its own. */
void gz_exchange_log_change(const struct gz_exchange *exchange);
/* Gives it to the host: bytes that come before the answer belong to the next request. */
void gz_exchange_hand_over(struct gz_exchange *exchange);
void gz_exchange_serve(struct gz_exchange *exchange);
/* The host is done with it; whether the client is still there. */
bool gz_exchange_take_back(struct gz_exchange *exchange);
/* Counts bytes that the client has sent or taken. False if it is too slow. */
bool gz_exchange_pace(struct gz_exchange *exchange, size_t bytes);
/* The next piece has come, if the client waits for one. */
void gz_exchange_go_on(struct gz_exchange *exchange);
/* The socket takes more: sends the next chunk. -1 if the connection has to be closed. */
int gz_exchange_send(struct gz_exchange *exchange);

/* The HTTP status for an error; 200 for GZ_OK. */
int gz_exchange_code(const struct gz_error *error);

/* ---- http.c ---- */
/* The word behind a scene's path, such as "asset"; NULL for what has no such word. */
const char *gz_http_part(enum gz_http_what what);

/* ---- edits.c ---- */
/* The body has come: makes its edits, and answers once they are on the disk. */
void gz_edits_begin(struct gz_exchange *exchange);

/* ---- events.c ---- */
/* Tells its client what happens in the scene, until either ends it. */
void gz_events_begin(struct gz_exchange *exchange);
/* The answer has begun, or its socket takes more. */
void gz_events_go_on(struct gz_exchange *exchange);
/* Its client is gone: the exchange ends in the loop's next turn. */
void gz_events_leave(struct gz_exchange *exchange);

/* ---- receive.c ---- */
/* Decides, or lets the host decide, whether the body may come. */
void gz_upload_begin(struct gz_exchange *exchange);
/* -1 if the connection has to be closed. */
int gz_upload_take(struct gz_exchange *exchange, const void *bytes, size_t size);
void gz_upload_end(struct gz_exchange *exchange);
/* Sends 100 Continue to a client that waits for it. */
void gz_upload_encourage(struct gz_exchange *exchange);

/* ---- forward.c ---- */
/* Takes a piece of the body of a forwarded exchange. */
void gz_forward_take(struct gz_exchange *exchange, const void *bytes, size_t size);
/* Whether the exchange is forwarded, and the next piece of its answer has not come yet. */
bool gz_forward_is_awaited(const struct gz_exchange *exchange);
/* Sends the next piece of the answer to the client. False if the rest will not come. */
GZ_MUST_USE bool gz_forward_send(struct gz_exchange *exchange);
/* Ends the forwarding. Fine for an exchange that is not forwarded. */
void gz_forward_end(struct gz_exchange *exchange);

#endif
