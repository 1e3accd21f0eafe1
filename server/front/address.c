/* address.c - addresses of clients, origins of pages, and connections by address. */
#include "front/address.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- addresses ---- */

/* IP addresses, ranges of them, and the client that X-Forwarded-For names. */

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

/* A hash of the address; without the seed nobody can construct addresses with the same one. */
static uint64_t hash_of(const struct gz_address *address, uint64_t seed)
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

/* ---- what proxies say ---- */

static bool is_token_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* A port, or what stands for one: "_" and letters. */
static bool is_port(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    if (*text != '_') return digits > 0 && digits <= 5 && text[digits] == '\0';
    const char *c = text + 1;
    while (is_token_letter(*c)) c++;
    return c > text + 1 && *c == '\0';
}

/* ADDRESS, ADDRESS:PORT of IPv4, [ADDRESS], [ADDRESS]:PORT of IPv6. */
static bool parse_node(char *text, struct gz_address *address)
{
    char *port = strchr(text, ':');
    *address = gz_address_nobody;
    if (*text == '[') {
        char *close = strchr(text, ']');
        if (close == NULL || (close[1] != '\0' && (close[1] != ':' || !is_port(close + 2))))
            return false;
        *close = '\0';
        return strchr(text + 1, ':') != NULL && gz_address_parse(text + 1, address);
    }
    if (port != NULL && strchr(port + 1, ':') == NULL) {
        if (!is_port(port + 1)) return false;
        *port = '\0';
    }
    return gz_address_parse(text, address);
}

/* An address between blanks. */
static bool parse_item(const char *start, const char *end, struct gz_address *address)
{
    char text[GZ_ADDRESS_TEXT_BYTES + 32];
    while (start < end && (*start == ' ' || *start == '\t')) start++;
    while (start < end && (end[-1] == ' ' || end[-1] == '\t')) end--;
    size_t size = (size_t)(end - start);
    if (size >= sizeof text) return false;
    memcpy(text, start, size);
    text[size] = '\0';
    return parse_node(text, address);
}

static const char *skip_back(const char *list, const char *end)
{
    while (end > list && (end[-1] == ',' || end[-1] == ' ' || end[-1] == '\t')) end--;
    return end;
}

/* Empty items do not count (RFC 9110, 5.6.1). */
bool gz_forwarded_client(const struct gz_address_ranges *proxies, const char *list,
                         struct gz_address *client)
{
    const char *end = skip_back(list, list + strlen(list));
    *client = gz_address_nobody;
    while (end > list) {
        const char *start = end;
        while (start > list && start[-1] != ',') start--;
        if (!parse_item(start, end, client)) return false;
        end = skip_back(list, start);
        if (!gz_address_is_in(proxies, client)) return true;
    }
    return client->bits != 0;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* Copies a word or a quoted text; NULL if there is none, or if it does not fit. */
static const char *read_value(const char *at, char *value, size_t size)
{
    size_t used = 0;
    const bool is_quoted = *at == '"';
    if (is_quoted) at++;
    while (is_quoted ? *at != '"' && *at != '\0' : is_token_letter(*at)) {
        if (is_quoted && *at == '\\' && *++at == '\0') return NULL;
        if (used + 1 >= size) return NULL;
        value[used++] = *at++;
    }
    value[used] = '\0';
    if (is_quoted && *at++ != '"') return NULL;
    return used > 0 ? at : NULL;
}

/* Reads the parameters of one element; *value is what the one with this name says. NULL if they are
 * none. */
static const char *read_element(const char *at, const char *parameter, char *value, size_t size)
{
    bool is_known = false;
    snprintf(value, size, "unknown");
    for (;; at++) {
        char other[256];
        at = skip_blanks(at);
        const char *name = at;
        while (is_token_letter(*at)) at++;
        const size_t length = (size_t)(at - name);
        const bool is_it = length == strlen(parameter) && strncasecmp(name, parameter, length) == 0;
        if (length == 0 || *at != '=' || (is_it && is_known)) return NULL;
        is_known = is_known || is_it;
        at = read_value(at + 1, is_it ? value : other, is_it ? size : sizeof other);
        if (at == NULL) return NULL;
        at = skip_blanks(at);
        if (*at != ';') return at;
    }
}

bool gz_forwarded_values(const char *forwarded, const char *parameter, char *list, size_t size)
{
    size_t used = 0;
    const char *at = forwarded;
    for (;; at++) {
        char value[GZ_ADDRESS_TEXT_BYTES + 32];
        at = skip_blanks(at);
        if (*at != ',' && *at != '\0') {
            at = read_element(at, parameter, value, sizeof value);
            if (at == NULL || strpbrk(value, ", \t") != NULL) return false;
            const int count =
                snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", value);
            if (count < 0 || (size_t)count >= size - used) return false;
            used += (size_t)count;
        }
        if (*at == '\0') return used > 0;
        if (*at != ',') return false;
    }
}

/* ---- origins of pages ---- */

/* Checks the Host and the Origin of a request. */

#define HOST_BYTES_MAX 256

struct authority {
    char host[HOST_BYTES_MAX]; /* with brackets if it is an IPv6 address */
    int port;                  /* 0 if the text names none */
};

static bool is_host_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

static size_t host_size(const char *text)
{
    if (*text == '[') {
        size_t inside = strspn(text + 1, "0123456789abcdefABCDEF:.");
        return inside > 0 && text[1 + inside] == ']' ? inside + 2 : 0;
    }
    size_t size = 0;
    while (is_host_character(text[size])) size++;
    return size;
}

/* host or host:port, and nothing else. */
static bool parse_authority(const char *text, struct authority *authority)
{
    size_t size = host_size(text);
    if (size == 0 || size >= sizeof authority->host) return false;
    memcpy(authority->host, text, size);
    authority->host[size] = '\0';
    authority->port = 0;
    if (text[size] == '\0') return true;
    const char *digits = text + size + 1;
    size_t count = strspn(digits, "0123456789");
    if (text[size] != ':' || count == 0 || count > 5 || digits[count] != '\0') return false;
    for (size_t i = 0; i < count; i++) authority->port = authority->port * 10 + (digits[i] - '0');
    return authority->port > 0 && authority->port <= 65535;
}

/* Parses an origin into its authority, with the scheme's port if it names none, and the scheme's
 * port. */
static bool parse_origin(const char *origin, struct authority *authority, int *scheme_port)
{
    if (strncasecmp(origin, "http://", 7) == 0) {
        *scheme_port = 80;
        origin += 7;
    } else if (strncasecmp(origin, "https://", 8) == 0) {
        *scheme_port = 443;
        origin += 8;
    } else {
        return false;
    }
    if (!parse_authority(origin, authority)) return false;
    if (authority->port == 0) authority->port = *scheme_port;
    return true;
}

bool gz_origin_valid(const char *text)
{
    struct authority authority;
    int scheme_port;
    return parse_origin(text, &authority, &scheme_port);
}

static bool same_origin(const char *origin, const char *other)
{
    struct authority a, b;
    int a_scheme, b_scheme;
    return parse_origin(origin, &a, &a_scheme) && parse_origin(other, &b, &b_scheme) &&
           a_scheme == b_scheme && a.port == b.port && strcasecmp(a.host, b.host) == 0;
}

static bool is_own(const char *origin, const char *host, bool is_secure)
{
    struct authority from, ours;
    int scheme_port, our_scheme_port = is_secure ? 443 : 80;
    if (!parse_origin(origin, &from, &scheme_port) || !parse_authority(host, &ours)) return false;
    if (ours.port == 0) ours.port = our_scheme_port;
    return scheme_port == our_scheme_port && from.port == ours.port &&
           strcasecmp(from.host, ours.host) == 0;
}

bool gz_origin_allowed(const struct gz_origin_rules *rules, const char *origin, const char *host,
                       bool is_secure)
{
    for (size_t i = 0; i < rules->allowed_count; i++) {
        if (same_origin(origin, rules->allowed[i])) return true;
    }
    return host != NULL && is_own(origin, host, is_secure);
}

bool gz_host_valid(const char *host)
{
    struct authority authority;
    return parse_authority(host, &authority);
}

/* Parses a host without port as an address; false if it is a name. */
static bool parse_literal(const char *host, struct gz_address *address)
{
    char bare[HOST_BYTES_MAX];
    size_t size = strlen(host);
    if (size >= sizeof bare) return false;
    memcpy(bare, host, size + 1);
    if (size > 2 && bare[0] == '[' && bare[size - 1] == ']') {
        memmove(bare, bare + 1, size - 2);
        bare[size - 2] = '\0';
    }
    return gz_address_parse(bare, address);
}

bool gz_host_is_loopback(const char *host)
{
    struct gz_address address;
    return parse_literal(host, &address) ? gz_address_is_loopback(&address)
                                         : strcasecmp(host, "localhost") == 0;
}

static bool is_of_allowed_origin(const struct gz_origin_rules *rules, const char *host)
{
    struct authority allowed;
    int scheme_port;
    for (size_t i = 0; i < rules->allowed_count; i++) {
        if (parse_origin(rules->allowed[i], &allowed, &scheme_port) &&
            strcasecmp(allowed.host, host) == 0)
            return true;
    }
    return false;
}

bool gz_host_allowed(const struct gz_origin_rules *rules, const char *host)
{
    struct authority ours;
    struct gz_address address;
    if (!parse_authority(host, &ours)) return false;
    if (gz_host_is_loopback(ours.host) || is_of_allowed_origin(rules, ours.host)) return true;
    if (gz_host_is_loopback(rules->address)) return false;
    return parse_literal(ours.host, &address) || strcasecmp(ours.host, rules->address) == 0;
}

bool gz_site_is_foreign(const char *site)
{
    return site != NULL && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
}

/* ---- connections by address ---- */

/* The connections of a server by address and activity. */

/* An address with connections. */
struct gz_peer_address {
    struct gz_address network;
    size_t count;
    struct gz_peer_address *next; /* in its bucket */
};

void gz_peers_init(struct gz_peers *peers, size_t per_address, uint64_t seed)
{
    *peers = (struct gz_peers){.per_address = per_address, .seed = seed};
}

/* ---- addresses ---- */

static struct gz_peer_address **bucket_of(struct gz_peers *peers, const struct gz_address *network)
{
    return &peers->buckets[hash_of(network, peers->seed) % GZ_PEER_BUCKETS];
}

/* The link to this address, or to the end of its bucket. */
static struct gz_peer_address **find(struct gz_peers *peers, const struct gz_address *network)
{
    struct gz_peer_address **hook = bucket_of(peers, network);
    while (*hook != NULL && !gz_address_equal(&(*hook)->network, network)) hook = &(*hook)->next;
    return hook;
}

void gz_peer_uncount(struct gz_peers *peers, struct gz_peer *peer)
{
    struct gz_peer_address *address = peer->address;
    peer->address = NULL;
    if (address == NULL || --address->count > 0) return;
    *find(peers, &address->network) = address->next;
    free(address);
}

bool gz_peer_count(struct gz_peers *peers, struct gz_peer *peer, const struct gz_address *address)
{
    gz_peer_uncount(peers, peer);
    if (gz_address_is_loopback(address)) return true;
    struct gz_address network = gz_address_network(address);
    struct gz_peer_address **hook = find(peers, &network);
    if (*hook == NULL) {
        struct gz_peer_address *made = calloc(1, sizeof *made);
        if (made == NULL) return false;
        made->network = network;
        *hook = made;
    } else if ((*hook)->count >= peers->per_address) {
        return false;
    }
    peer->address = *hook;
    peer->address->count++;
    return true;
}

/* ---- kinds ---- */

static void link_peer(struct gz_peers *peers, struct gz_peer *peer, enum gz_peer_kind kind)
{
    struct gz_peer_list *list = &peers->kinds[kind];
    peer->kind = kind;
    peer->next = NULL;
    peer->previous = list->last;
    *(list->last != NULL ? &list->last->next : &list->first) = peer;
    list->last = peer;
    list->count++;
}

static void unlink_peer(struct gz_peers *peers, struct gz_peer *peer)
{
    struct gz_peer_list *list = &peers->kinds[peer->kind];
    *(peer->previous != NULL ? &peer->previous->next : &list->first) = peer->next;
    *(peer->next != NULL ? &peer->next->previous : &list->last) = peer->previous;
    list->count--;
}

void gz_peer_enter(struct gz_peers *peers, struct gz_peer *peer)
{
    peer->address = NULL;
    link_peer(peers, peer, GZ_PEER_SILENT);
}

void gz_peer_become(struct gz_peers *peers, struct gz_peer *peer, enum gz_peer_kind kind)
{
    unlink_peer(peers, peer);
    link_peer(peers, peer, kind);
}

void gz_peer_leave(struct gz_peers *peers, struct gz_peer *peer)
{
    unlink_peer(peers, peer);
    gz_peer_uncount(peers, peer);
}

struct gz_peer *gz_peers_oldest(const struct gz_peers *peers, enum gz_peer_kind kind)
{
    return peers->kinds[kind].first;
}
