/* url.h - where a daemon is. Private to the client library. Pure. */
#ifndef GZ_CLIENT_URL_H
#define GZ_CLIENT_URL_H

#include <stdbool.h>

#include "proto/base/buffer.h"

#define GZ_URL_BYTES_MAX 1024

struct gz_url {
    bool tls;
    int port;
    char host[256];              /* without the brackets of an IPv6 address */
    char authority[300];         /* HOST:PORT as a Host header says it */
    char path[GZ_URL_BYTES_MAX]; /* of the WebSocket, ends in "/ws" */
    char base[GZ_URL_BYTES_MAX]; /* the same without "/ws": what the HTTP paths follow */
};

/* Reads ws://HOST[:PORT]/[...]ws or wss://. GZ_BAD_VALUE with words if it is none. */
GZ_MUST_USE enum gz_status gz_url_parse(struct gz_url *url, const char *text,
                                        struct gz_error *error);

#endif
