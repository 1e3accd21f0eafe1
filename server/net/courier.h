/* courier.h - libcurl on a libuv loop: any number of transfers at the same time.
 *
 * Ownership: a transfer is the caller's, which ends it before the courier is closed. Threads: the
 * loop's. A transfer's own callbacks must not call functions of this header, and of libcurl only
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
    /* A transfer, by its CURLOPT_PRIVATE, has ended, with or without success. */
    void (*done)(void *context, void *transfer, CURLcode result);
    /* Transfers have made progress; called outside of their callbacks. */
    void (*went_on)(void *context);
};

/* Call it once libcurl is loaded. NULL without memory. */
struct gz_courier *gz_courier_create(uv_loop_t *loop, struct gz_courier_user user);
/* Closes its handles, which the loop has to run to finish. */
void gz_courier_close(struct gz_courier *courier);
/* Call it after the end of the loop. NULL is fine. */
void gz_courier_destroy(struct gz_courier *courier);

GZ_MUST_USE bool gz_courier_begin(struct gz_courier *courier, CURL *transfer);
/* Ends a transfer, without a call of `done`. Fine for one that has ended. */
void gz_courier_end(struct gz_courier *courier, CURL *transfer);

#endif
