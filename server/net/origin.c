/* Checks the Host and the Origin of a request. See origin.h. */
#include "net/origin.h"

#include <string.h>
#include <strings.h>

#include "net/address.h"

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
