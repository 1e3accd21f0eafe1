/* origin.h - which web pages may talk to this daemon. A browser sends along the page that a request
 * comes from (Origin) and the name by which it found us (Host); other programs may send any header,
 * so this protects people at browsers, not the data. Pure: no I/O, no allocation. Threads: any. */
#ifndef GZ_NET_ORIGIN_H
#define GZ_NET_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

struct gz_origin_rules {
    const char *const *allowed; /* origins, e.g. "https://editor.example", beside our own */
    size_t allowed_count;
    /* We listen on loopback. Any name can be made to point there, so that a foreign page would be
     * "the same host": only loopback's own names are then ours, and those of allowed origins. */
    bool loopback;
};

/* Whether `text` is an origin as a browser would write it: scheme://host[:port], http or https,
 * nothing after it. */
bool gz_origin_valid(const char *text);

/* Whether a request with this Origin may change anything or open a WebSocket. NULL: there was none,
 * which no browser omits there. */
bool gz_origin_allowed(const struct gz_origin_rules *rules, const char *origin, const char *host);

/* Whether this Host is a name of ours. NULL: there was none. */
bool gz_host_allowed(const struct gz_origin_rules *rules, const char *host);

/* Whether a host without port, an IPv6 address with or without brackets, is the loopback of this
 * machine. */
bool gz_host_is_loopback(const char *host);

#endif
