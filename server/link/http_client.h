/* http_client.h - libcurl on a libuv loop: any number of transfers at the same time.
 *
 * Ownership: a transfer is the caller's, which ends it before the courier is closed. Threads: the
 * loop's. A transfer's own callbacks must not call functions of this header, and of libcurl only
 * curl_easy_pause. */
#ifndef GZ_LINK_HTTP_CLIENT_H
#define GZ_LINK_HTTP_CLIENT_H

#include <stdbool.h>
#include <uv.h>

#include "link/curl_library.h"
#include "proto/base/log.h"
#include "proto/base/status.h"

struct gz_http_client;

struct gz_http_client_user {
    const struct gz_log *log;
    void *context;
    /* A transfer, by its CURLOPT_PRIVATE, has ended, with or without success. */
    void (*done)(void *context, void *transfer, CURLcode result);
    /* Transfers have made progress; called outside of their callbacks. */
    void (*went_on)(void *context);
};

/* Call it once libcurl is loaded. NULL without memory. */
struct gz_http_client *gz_http_client_create(uv_loop_t *loop, struct gz_http_client_user user);
/* Closes its handles, which the loop has to run to finish. */
void gz_http_client_close(struct gz_http_client *courier);
/* Call it after the end of the loop. NULL is fine. */
void gz_http_client_destroy(struct gz_http_client *courier);

GZ_MUST_USE bool gz_http_client_begin(struct gz_http_client *courier, CURL *transfer);
/* Ends a transfer, without a call of `done`. Fine for one that has ended. */
void gz_http_client_end(struct gz_http_client *courier, CURL *transfer);

#endif
