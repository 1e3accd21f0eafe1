/* hook.h - posts bodies to the one address that the operator gave, signed as Standard Webhooks
 * says: the headers webhook-id, webhook-timestamp and webhook-signature, which has HMAC-SHA256 of
 * "ID.TIMESTAMP.BODY" with each secret. libcurl posts (http_client.h), one request at a time.
 *
 * The certificate of https is verified. Redirections are failures, no proxy of the environment is
 * used, and of an answer only its status counts. Ownership: the url and the body are the caller's,
 * and outlive the hook and the request. Threads: the loop's. */
#ifndef GZ_LINK_HOOK_H
#define GZ_LINK_HOOK_H

#include <uv.h>

#include "proto/base/buffer.h"
#include "proto/base/log.h"
#include "proto/base/status.h"

struct gz_hook;

/* What became of a request. */
struct gz_hook_result {
    int code;        /* of the answer; 0: there was none */
    double after_s;  /* until the receiver wants the next one; 0: it does not say */
    const char *why; /* in words, without the address */
};

/* A secret is a line of `secrets`: "whsec_" and the base64 of 24 to 64 bytes. There are 1 to
 * GZ_HOOK_SECRETS_MAX. GZ_BAD_VALUE; GZ_BAD_STATE without libcurl; GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_hook_create(struct gz_hook **hook, uv_loop_t *loop,
                                          const struct gz_log *log, const char *url,
                                          const uint8_t *secrets, size_t size,
                                          struct gz_error *error);
/* Whether the secrets can be read. GZ_BAD_VALUE. */
GZ_MUST_USE enum gz_status gz_hook_check_secrets(const uint8_t *secrets, size_t size,
                                                 struct gz_error *error);
/* Takes other secrets; after an error those that it had stay. GZ_BAD_VALUE. */
GZ_MUST_USE enum gz_status gz_hook_take_secrets(struct gz_hook *hook, const uint8_t *secrets,
                                                size_t size, struct gz_error *error);

/* Posts the body; `done` is called once, later. False without memory. */
GZ_MUST_USE bool gz_hook_post(struct gz_hook *hook, const char *id, double unix_s,
                              const struct gz_buffer *body,
                              void (*done)(void *context, const struct gz_hook_result *result),
                              void *context);
/* Ends what is being posted, without a call of `done`. The loop has to run to finish. */
void gz_hook_close(struct gz_hook *hook);
/* After the end of the loop. NULL is fine. */
void gz_hook_destroy(struct gz_hook *hook);

#endif
