/* url.h - parses the URL of a daemon. Private to the client library. Pure. */
#ifndef GZ_CLIENT_URL_H
#define GZ_CLIENT_URL_H

#include <stdbool.h>

#include "proto/base/buffer.h"

#define GZ_URL_BYTES_MAX 1024

struct gz_url {
    bool tls;
    int port;
    char host[256];              /* without the brackets of an IPv6 address */
    char authority[300];         /* HOST:PORT, as in a Host header */
    char path[GZ_URL_BYTES_MAX]; /* of the WebSocket, ends in "/ws" */
    char base[GZ_URL_BYTES_MAX]; /* the same without "/ws": the prefix of the HTTP paths */
};

/* Parses ws://HOST[:PORT]/[...]ws or wss://; else GZ_BAD_VALUE. */
GZ_MUST_USE enum gz_status gz_url_parse(struct gz_url *url, const char *text,
                                        struct gz_error *error);

#endif
