/* origin.h - which web pages may use this daemon. A browser says from which page a request comes
 * (Origin, Sec-Fetch-Site) and by which name it found the server (Host). Other programs can send
 * any value, so these rules protect users of browsers, not the data. Pure: no I/O, no allocation.
 * Threads: any. */
#ifndef GZ_NET_ORIGIN_H
#define GZ_NET_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

/* "https://", a host name, a colon and a port, with the terminator. */
#define GZ_ORIGIN_BYTES (8 + 255 + 6 + 1)

struct gz_origin_rules {
    const char *const *allowed; /* origins, e.g. "https://editor.example", besides our own */
    size_t allowed_count;
    const char
        *address; /* that the daemon listens on, a name or an address; IPv6 without brackets */
};

/* Whether `text` is an origin as a browser writes it: scheme://host[:port], http or https, nothing
 * after it. "null", the origin of every sandboxed page and of files, is not valid. */
bool gz_origin_valid(const char *text);

/* Whether a page of this origin may use the daemon. The daemon's own pages may: their origin is the
 * Host, by https if the request came by TLS (`is_secure`) and by http otherwise. If `host` is NULL
 * the daemon has no pages of its own. */
bool gz_origin_allowed(const struct gz_origin_rules *rules, const char *origin, const char *host,
                       bool is_secure);

/* Whether `host` is host or host:port, and nothing else. */
bool gz_host_valid(const char *host);

/* Whether this Host is a name of ours: an IP address, a name of loopback, the name that the daemon
 * listens on, or the host of an allowed origin. Any other name could be made to point here (DNS
 * rebinding), and its pages would be "the same host". If the daemon listens on loopback, only
 * loopback's addresses are ours. */
bool gz_host_allowed(const struct gz_origin_rules *rules, const char *host);

/* Whether a host without port, an IPv6 address with or without brackets, is this machine's
 * loopback. */
bool gz_host_is_loopback(const char *host);

/* Whether Sec-Fetch-Site says that the request comes from another site's page. NULL: no such
 * header. */
bool gz_site_is_foreign(const char *site);

#endif
