/* courier.h - libcurl on a libuv loop: any number of transfers at once, each told when it is done.
 *
 * Ownership: a transfer is the caller's, who ends it before the courier is closed. Threads: the
 * loop's. A transfer's own callbacks may call nothing here and nothing of libcurl but
 * curl_easy_pause. */
#ifndef GZ_NET_COURIER_H
#define GZ_NET_COURIER_H

#include <stdbool.h>
#include <uv.h>

#include "net/curl_library.h"
#include "proto/base/log.h"
#include "proto/base/status.h"

struct gz_courier;

struct gz_courier_user {
    const struct gz_log *log;
    void *context;
    /* A transfer, by its CURLOPT_PRIVATE, is through, well or not. */
    void (*done)(void *context, void *transfer, CURLcode result);
    /* Transfers have gone on: outside of their callbacks. */
    void (*went_on)(void *context);
};

/* Once libcurl is loaded. NULL without memory. */
struct gz_courier *gz_courier_create(uv_loop_t *loop, struct gz_courier_user user);
/* Closes its handles; the loop has to run to finish that. */
void gz_courier_close(struct gz_courier *courier);
/* After the end of the loop. NULL is fine. */
void gz_courier_destroy(struct gz_courier *courier);

GZ_MUST_USE bool gz_courier_begin(struct gz_courier *courier, CURL *transfer);
/* It is not told of any more. Fine for one that is done. */
void gz_courier_end(struct gz_courier *courier, CURL *transfer);

#endif
