/* address.h - addresses of clients, origins of pages, and connections by address. */
#ifndef GZ_FRONT_ADDRESS_H
#define GZ_FRONT_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* ---- addresses ---- */

/* IP addresses, ranges of them, and the client that X-Forwarded-For or Forwarded names.
 * IPv4 addresses that are written as IPv6, ::ffff:192.0.2.1, are IPv4 addresses here. Pure: no I/O,
 * no allocation. Threads: any. */

#define GZ_ADDRESS_TEXT_BYTES 48

struct gz_address {
    int bits; /* 32 for IPv4, 128 for IPv6, 0 for an unknown address */
    uint8_t bytes[16];
};

/* All addresses with the same first `bits` as `first`. */
struct gz_address_range {
    struct gz_address first;
    int bits;
};

struct gz_address_ranges {
    const struct gz_address_range *list;
    size_t count;
};

/* Whoever a proxy does not name: all of these share what one address may have. Printed as "?". */
static const struct gz_address gz_address_nobody = {.bits = 0};

/* Reads an address as inet_pton does: no name, no brackets, no zone, no port. On false *address is
 * unknown. */
bool gz_address_parse(const char *text, struct gz_address *address);
/* The address of a socket's end; unknown if it is no IP address. */
struct gz_address gz_address_of(const struct sockaddr_storage *end);
/* Writes "192.0.2.1", "2001:db8::1", or "?" for an unknown address. */
void gz_address_print(const struct gz_address *address, char text[GZ_ADDRESS_TEXT_BYTES]);
bool gz_address_is_loopback(const struct gz_address *address);
bool gz_address_equal(const struct gz_address *a, const struct gz_address *b);
/* The network that one customer usually has: the IPv4 address, or the first 64 bits of the IPv6
 * address, the rest 0. */
struct gz_address gz_address_network(const struct gz_address *address);

/* Reads ADDRESS/BITS, or ADDRESS for a single one. False too if the address has bits beyond BITS:
 * 10.1.2.3/8 is more likely a mistake than 10.0.0.0/8. */
bool gz_address_range_parse(const char *text, struct gz_address_range *range);
/* Whether the address is in one of the ranges. No IPv4 address is in a range of IPv6. */
bool gz_address_is_in(const struct gz_address_ranges *ranges, const struct gz_address *address);

/* The client behind trusted proxies: in `list`, the value of X-Forwarded-For, the rightmost address
 * that is no proxy, or the leftmost one if all are proxies. An address may have a port, and IPv6
 * may be in brackets, which it has to be with a port. False if the part that is read is no list of
 * addresses, such as "unknown": then *client is invalid. */
bool gz_forwarded_client(const struct gz_address_ranges *proxies, const char *list,
                         struct gz_address *client);
/* Writes what the elements of Forwarded (RFC 7239) say for a parameter, in lower case, as a list
 * with ", " between them; an element without it is "unknown". False if `forwarded` is no such
 * header, or the list does not fit. */
bool gz_forwarded_values(const char *forwarded, const char *parameter, char *list, size_t size);

/* ---- origins of pages ---- */

/* Which web pages may use this daemon. A browser says from which page a request comes
 * (Origin, Sec-Fetch-Site) and by which name it found the server (Host). Other programs can send
 * any value, so these rules protect users of browsers, not the data. Pure: no I/O, no allocation.
 * Threads: any. */

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

/* ---- connections by address ---- */

/* The connections of a server by address and activity: how many an address has, and which
 * are inactive, so that they can make room for others.
 *
 * An address is an IPv4 address, or the first 64 bits of an IPv6 address, which one customer
 * usually has; those that a proxy does not name are one address. Loopback is not counted. Pure: no
 * I/O; it knows no libwebsockets. Threads: one at a time. Ownership: a peer is the caller's,
 * embedded or allocated, and has to leave before it is freed. */

enum gz_peer_kind {
    GZ_PEER_SILENT,   /* it has not sent a byte yet */
    GZ_PEER_IDLE,     /* it has no complete request */
    GZ_PEER_NAMELESS, /* a WebSocket without a session */
    GZ_PEER_RELAYED,  /* the same of a client of another member */
    GZ_PEER_BUSY,     /* a request, or a session */
    GZ_PEER_KINDS
};

struct gz_peer {
    struct gz_peer_address *address; /* NULL: not counted */
    enum gz_peer_kind kind;
    struct gz_peer *next, *previous; /* of the same kind, in the order of becoming it */
};

struct gz_peer_list {
    struct gz_peer *first, *last; /* the first has been of this kind for the longest time */
    size_t count;
};

/* Each of GZ_RELAYED_MAX clients may come from an address of its own. */
#define GZ_PEER_BUCKETS 8192
struct gz_peers {
    size_t per_address; /* connections of one address, at most */
    uint64_t seed;      /* random, so that nobody can choose addresses that share a bucket */
    struct gz_peer_list kinds[GZ_PEER_KINDS];
    struct gz_peer_address *buckets[GZ_PEER_BUCKETS];
};

void gz_peers_init(struct gz_peers *peers, size_t per_address, uint64_t seed);
/* Adds a silent connection, which is not counted for an address. */
void gz_peer_enter(struct gz_peers *peers, struct gz_peer *peer);
/* Counts it for this address instead of the one before. False if the address has too many, or
 * without memory: then it is not counted. */
bool gz_peer_count(struct gz_peers *peers, struct gz_peer *peer, const struct gz_address *address);
void gz_peer_uncount(struct gz_peers *peers, struct gz_peer *peer);
/* Makes it the latest of this kind. */
void gz_peer_become(struct gz_peers *peers, struct gz_peer *peer, enum gz_peer_kind kind);
void gz_peer_leave(struct gz_peers *peers, struct gz_peer *peer);
/* The one that has been of this kind for the longest time; NULL for none. */
struct gz_peer *gz_peers_oldest(const struct gz_peers *peers, enum gz_peer_kind kind);

#endif
