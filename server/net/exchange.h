/* exchange.h - one HTTP request and its answer, as the files about HTTP share it.
 *
 * - exchange.c: its life, its place among large requests, its answer, refusals and their line in
 * the log
 * - upload.c: its body
 * - forward.c: another member of the cluster answers it
 * - http.c: what is at which path, who may, and what libwebsockets says
 *
 * Threads: the loop's. */
#ifndef GZ_NET_EXCHANGE_H
#define GZ_NET_EXCHANGE_H

#include "net/internal.h"

/* Bytes of a path that the log shows. */
#define GZ_PATH_LOG_BYTES 128
#define GZ_JSON_TYPE "application/json"

enum gz_method {
    METHOD_GET,
    METHOD_HEAD,
    METHOD_PUT,
    METHOD_PATCH,
    METHOD_DELETE,
    METHOD_OPTIONS,
    METHOD_OTHER
};

/* One request and its answer. It belongs to its connection, or, once the host has it, to the host
 * until that has answered. */
struct gz_exchange {
    struct gz_http_request request; /* first: the host gives it back */
    struct gz_net *net;
    struct lws *wsi; /* NULL once the client has gone */
    enum gz_method method;
    bool is_job; /* it is in the list of jobs */
    struct gz_exchange *next_job;
    bool deciding; /* the host looks whether its body may come, or writes what has come */
    bool has_come; /* all of it did meanwhile: it is short */
    bool expects;  /* the client waits to be told that its body may come */
    bool reading;  /* its body is coming */
    /* How fast it is: bytes that were taken since this time, by gz_awake_now, without the time in
     * which the host had it, or its client waited for the next piece from another member. */
    double paced_s, held_s;
    uint64_t paced_bytes;
    struct gz_forward *forward; /* another member answers it; NULL: none */
    bool with_host, waits;      /* since held_s: for the host, or for the next piece */
    bool stopped;               /* its socket is not read */
    bool answered, began, done; /* there is an answer; its header was sent; all was sent */
    bool hang_up;               /* the connection cannot be used again */
    struct gz_address from;     /* what one customer has: gz_address_network */
    char peer[GZ_ADDRESS_TEXT_BYTES];
    char path[GZ_PATH_LOG_BYTES];     /* for the log: its beginning, without the query */
    char name[GZ_USER_BYTES_MAX + 1]; /* that the client gives itself; valid UTF-8 */
    struct gz_reply reply;
    struct gz_buffer body;
    int file;
    uint64_t sent;
};

/* ---- exchange.c ---- */
void gz_exchange_destroy(struct gz_exchange *exchange);
const char *gz_method_word(enum gz_method method);
void gz_exchange_answer(struct gz_exchange *exchange, const struct gz_http_answer *with);
/* A JSON error; `code` 0 is the one that goes with the status. */
void gz_exchange_refuse(struct gz_exchange *exchange, int code, const struct gz_error *error);
void gz_exchange_refuse_with(struct gz_exchange *exchange, int code, enum gz_status status,
                             const char *message);
/* {code, message} with the protocol's words. Without memory nothing is sent. */
struct gz_buffer gz_error_body(const struct gz_error *error);
/* A place among the large requests; if it has none, it is refused. */
bool gz_exchange_become_job(struct gz_exchange *exchange);
/* The host has it: bytes that come before the answer belong to the next request. */
void gz_exchange_hand_over(struct gz_exchange *exchange);
void gz_exchange_serve(struct gz_exchange *exchange);
/* The host is done with it; whether there is still somebody to be answered. */
bool gz_exchange_take_back(struct gz_exchange *exchange);
/* Counts bytes that its client has sent, or taken. False if that is too slow. */
bool gz_exchange_pace(struct gz_exchange *exchange, size_t bytes);
/* The next piece has come, if its client waits for one. */
void gz_exchange_go_on(struct gz_exchange *exchange);
/* For LWS_CALLBACK_HTTP_WRITEABLE: what that returns. */
int gz_exchange_send(struct gz_exchange *exchange);

/* ---- upload.c ---- */
uint64_t gz_content_length(struct lws *wsi, bool *known);
/* Whether its body may come is looked into. */
void gz_upload_begin(struct gz_exchange *exchange);
int gz_upload_take(struct gz_exchange *exchange, const void *bytes, size_t size);
void gz_upload_end(struct gz_exchange *exchange);
/* A client that asks first (Expect: 100-continue) is asked to go on, instead of waiting. */
void gz_upload_encourage(struct gz_exchange *exchange);

/* ---- forward.c ---- */
/* A piece of the body of an exchange that is forwarded. */
void gz_forward_take(struct gz_exchange *exchange, const void *bytes, size_t size);
/* Whether the exchange is forwarded, and the next piece of its answer has not come yet. */
bool gz_forward_is_awaited(const struct gz_exchange *exchange);
/* The next piece of the answer goes to the client. False if the rest of it will not come. */
GZ_MUST_USE bool gz_forward_send(struct gz_exchange *exchange);
/* It is forwarded no more, for whatever reason. Fine for an exchange that never was. */
void gz_forward_end(struct gz_exchange *exchange);

#endif
