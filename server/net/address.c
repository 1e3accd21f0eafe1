/* IP addresses, ranges of them, and the client that X-Forwarded-For names. */
#include "net/address.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define V4_BITS 32
#define V6_BITS 128
/* The bits of an IPv6 address that identify one customer's network. */
#define NETWORK_BITS 64
/* ::ffff:0:0/96 are the IPv4 addresses. */
#define MAPPED_BITS (V6_BITS - V4_BITS)

static bool is_mapped(const uint8_t bytes[16])
{
    static const uint8_t start[MAPPED_BITS / 8] = {[10] = 0xff, [11] = 0xff};
    return memcmp(bytes, start, sizeof start) == 0;
}

static struct gz_address from_v4(const uint8_t bytes[V4_BITS / 8])
{
    struct gz_address address = {.bits = V4_BITS};
    memcpy(address.bytes, bytes, V4_BITS / 8);
    return address;
}

static struct gz_address from_v6(const uint8_t bytes[V6_BITS / 8])
{
    struct gz_address address = {.bits = V6_BITS};
    if (is_mapped(bytes)) return from_v4(bytes + MAPPED_BITS / 8);
    memcpy(address.bytes, bytes, sizeof address.bytes);
    return address;
}

bool gz_address_parse(const char *text, struct gz_address *address)
{
    uint8_t bytes[V6_BITS / 8];
    *address = (struct gz_address){0};
    if (inet_pton(AF_INET, text, bytes) == 1)
        *address = from_v4(bytes);
    else if (inet_pton(AF_INET6, text, bytes) == 1)
        *address = from_v6(bytes);
    return address->bits != 0;
}

struct gz_address gz_address_of(const struct sockaddr_storage *end)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)end;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)end;
    if (end->ss_family == AF_INET) return from_v4((const uint8_t *)&v4->sin_addr);
    if (end->ss_family == AF_INET6) return from_v6(v6->sin6_addr.s6_addr);
    return (struct gz_address){0};
}

void gz_address_print(const struct gz_address *address, char text[GZ_ADDRESS_TEXT_BYTES])
{
    int family = address->bits == V4_BITS ? AF_INET : AF_INET6;
    if (address->bits == 0 ||
        inet_ntop(family, address->bytes, text, GZ_ADDRESS_TEXT_BYTES) == NULL)
        snprintf(text, GZ_ADDRESS_TEXT_BYTES, "?");
}

bool gz_address_is_loopback(const struct gz_address *address)
{
    static const uint8_t v6[16] = {[15] = 1};
    if (address->bits == V4_BITS) return address->bytes[0] == 127;
    return address->bits == V6_BITS && memcmp(address->bytes, v6, sizeof v6) == 0;
}

bool gz_address_equal(const struct gz_address *a, const struct gz_address *b)
{
    return a->bits == b->bits && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

struct gz_address gz_address_network(const struct gz_address *address)
{
    struct gz_address network = *address;
    if (gz_address_is_loopback(address)) return network;
    memset(network.bytes + NETWORK_BITS / 8, 0, sizeof network.bytes - NETWORK_BITS / 8);
    return network;
}

/* The finaliser of MurmurHash3: every bit of the value changes half of the bits of the result. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 33) * UINT64_C(0xff51afd7ed558ccd);
    value = (value ^ value >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return value ^ value >> 33;
}

uint64_t gz_address_hash(const struct gz_address *address, uint64_t seed)
{
    uint64_t halves[2];
    static_assert(sizeof halves == sizeof address->bytes, "an address is two halves");
    memcpy(halves, address->bytes, sizeof halves);
    return mix(mix(seed ^ halves[0]) ^ halves[1]);
}

static bool is_bit_set(const uint8_t *bytes, int bit)
{
    return (bytes[bit / 8] >> (7 - bit % 8) & 1) != 0;
}

/* The number after the slash, for an address that is written in `most` bits; -1 for nonsense. */
static int parse_bits(const char *text, int most)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 3 || text[digits] != '\0') return -1;
    int bits = atoi(text);
    return bits <= most ? bits : -1;
}

bool gz_address_range_parse(const char *text, struct gz_address_range *range)
{
    char address[GZ_ADDRESS_TEXT_BYTES];
    size_t size = strcspn(text, "/");
    if (size >= sizeof address) return false;
    memcpy(address, text, size);
    address[size] = '\0';
    if (!gz_address_parse(address, &range->first)) return false;
    range->bits = range->first.bits;
    if (text[size] == '\0') return true;
    int written = strchr(address, ':') != NULL ? V6_BITS : V4_BITS;
    range->bits = parse_bits(text + size + 1, written) - (written - range->first.bits);
    if (range->bits < 0) return false;
    for (int bit = range->bits; bit < range->first.bits; bit++) {
        if (is_bit_set(range->first.bytes, bit)) return false;
    }
    return true;
}

static bool has(const struct gz_address_range *range, const struct gz_address *address)
{
    int bytes = range->bits / 8, rest = range->bits % 8;
    if (address->bits != range->first.bits ||
        memcmp(address->bytes, range->first.bytes, (size_t)bytes) != 0)
        return false;
    return rest == 0 || (address->bytes[bytes] ^ range->first.bytes[bytes]) >> (8 - rest) == 0;
}

bool gz_address_is_in(const struct gz_address_ranges *ranges, const struct gz_address *address)
{
    for (size_t i = 0; i < ranges->count; i++) {
        if (has(&ranges->list[i], address)) return true;
    }
    return false;
}

/* An address between blanks. */
static bool parse_item(const char *start, const char *end, struct gz_address *address)
{
    char text[GZ_ADDRESS_TEXT_BYTES];
    while (start < end && (*start == ' ' || *start == '\t')) start++;
    while (start < end && (end[-1] == ' ' || end[-1] == '\t')) end--;
    size_t size = (size_t)(end - start);
    if (size >= sizeof text) return false;
    memcpy(text, start, size);
    text[size] = '\0';
    return gz_address_parse(text, address);
}

bool gz_forwarded_client(const struct gz_address_ranges *proxies, const char *list,
                         struct gz_address *client)
{
    const char *end = list + strlen(list);
    for (;;) {
        const char *start = end;
        while (start > list && start[-1] != ',') start--;
        if (!parse_item(start, end, client)) return false;
        if (start == list || !gz_address_is_in(proxies, client)) return true;
        end = start - 1;
    }
}
