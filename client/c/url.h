/* url.h - the addresses of daemons: parses one URL, or a list of several. Private to the client
 * library. Pure. */
#ifndef GZ_CLIENT_URL_H
#define GZ_CLIENT_URL_H

#include <stdbool.h>

#include "proto/base/buffer.h"

#define GZ_URL_BYTES_MAX 1024
#define GZ_URLS_MAX 16 /* in a list */

struct gz_url {
    bool tls;
    int port;
    char host[256];               /* without the brackets of an IPv6 address */
    char authority[300];          /* HOST:PORT, as in a Host header */
    char path[GZ_URL_BYTES_MAX];  /* of the WebSocket, ends in "/ws" */
    char base[GZ_URL_BYTES_MAX];  /* the same without "/ws": the prefix of the HTTP paths */
    char login[GZ_URL_BYTES_MAX]; /* USER:PASSWORD, decoded; empty for none */
    char shown[GZ_URL_BYTES_MAX]; /* the URL without user and password, for errors */
};

/* Parses ws://[USER:PASSWORD@]HOST[:PORT]/[...]ws or wss://..., or the page's http:// or https://
 * with /ws at the end or without; else GZ_BAD_VALUE. `size`: of `text`. */
GZ_MUST_USE enum gz_status gz_url_parse(struct gz_url *url, const char *text, size_t size,
                                        struct gz_error *error);

/* The addresses of one service: the members of a cluster. Begins as {0}. */
struct gz_urls {
    struct gz_url *all; /* owned */
    size_t count;
    size_t at;           /* which one to use; below `count` */
    struct gz_url named; /* tried once before them, if is_named: a server said where to go */
    bool is_named;
    bool goes_on; /* a server said so since the last attempt began */
};

/* Parses a list with commas or white space between the URLs. The caller frees the list, also after
 * an error. GZ_BAD_VALUE; GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_urls_parse(struct gz_urls *urls, const char *text,
                                         struct gz_error *error);
void gz_urls_free(struct gz_urls *urls);
const struct gz_url *gz_urls_here(const struct gz_urls *urls);
/* An attempt at the present address begins. */
void gz_urls_begin(struct gz_urls *urls);
/* The server at the present address said where to go. What is no URL, or gives up TLS, is ignored.
 */
void gz_urls_name(struct gz_urls *urls, const char *text, size_t size);
/* The attempt failed: goes on to where its server said, else to the next one, behind the last to
 * the first. After a named one the present one of the list is next. */
void gz_urls_next(struct gz_urls *urls);

#endif
