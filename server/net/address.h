/* address.h - IP addresses, ranges of them, and the client that X-Forwarded-For or Forwarded names.
 * IPv4 addresses that are written as IPv6, ::ffff:192.0.2.1, are IPv4 addresses here. Pure: no I/O,
 * no allocation. Threads: any. */
#ifndef GZ_NET_ADDRESS_H
#define GZ_NET_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

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
/* A hash of the address; without the seed nobody can construct addresses with the same one. */
uint64_t gz_address_hash(const struct gz_address *address, uint64_t seed);

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

#endif
