/* url.c - parses addresses of daemons: scheme, user and password, host, port, path prefix. */
#include "url.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATORS ", \t\r\n"

static const struct scheme {
    const char *text;
    bool tls, page; /* page: an address of HTTP, where the path may lack its "/ws" */
} schemes[] = {{"ws://", .tls = false, .page = false},
               {"wss://", .tls = true, .page = false},
               {"http://", .tls = false, .page = true},
               {"https://", .tls = true, .page = true}};

static const struct scheme *find_scheme(const char *text)
{
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (strncmp(text, schemes[i].text, strlen(schemes[i].text)) == 0) return &schemes[i];
    return NULL;
}

/* The size of "USER:PASSWORD@", 0 if there is none. The last @ before the path ends it. */
static size_t login_size(const char *at)
{
    size_t size = strcspn(at, "/?#");
    while (size > 0 && at[size - 1] != '@') size--;
    return size;
}

static int hex_of(char c)
{
    if (!isxdigit((unsigned char)c)) return -1;
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Decodes %XX. False for a bad escape, a control character, or a user without a colon. */
static bool take_login(struct gz_url *url, const char *at, size_t size)
{
    size_t used = 0;
    bool has_colon = false;
    for (size_t i = 0; i < size; i++) {
        char c = at[i];
        has_colon |= c == ':';
        if (c == '%') {
            int high = i + 2 < size ? hex_of(at[i + 1]) : -1;
            int low = high >= 0 ? hex_of(at[i + 2]) : -1;
            if (low < 0) return false;
            c = (char)(high * 16 + low);
            i += 2;
            if (c == ':' && !has_colon) return false; /* a user of Basic cannot have one */
        }
        if (iscntrl((unsigned char)c) || used + 1 == sizeof url->login) return false;
        url->login[used++] = c;
    }
    url->login[used] = '\0';
    return has_colon;
}

/* Fills host and returns its end; NULL if there is none. */
static const char *take_host(struct gz_url *url, const char *at)
{
    bool bracket = *at == '[';
    const char *begin = at + bracket;
    size_t size = strcspn(begin, bracket ? "]" : ":/?#");
    if (size == 0 || size >= sizeof url->host || (bracket && begin[size] != ']')) return NULL;
    memcpy(url->host, begin, size);
    url->host[size] = '\0';
    return begin + size + bracket;
}

static const char *take_port(struct gz_url *url, const char *at)
{
    url->port = url->tls ? 443 : 80;
    if (*at != ':') return at;
    if (at[1] < '0' || at[1] > '9') return NULL;
    char *end;
    unsigned long port = strtoul(at + 1, &end, 10);
    if (port < 1 || port > 65535) return NULL;
    url->port = (int)port;
    return end;
}

/* Fills the paths. False if the path is not one of a WebSocket, or has a query or another URL. */
static bool take_path(struct gz_url *url, const struct scheme *scheme, const char *at)
{
    size_t size = strlen(at);
    if (strcspn(at, "?#") != size || strstr(at, "://") != NULL || (size > 0 && at[0] != '/'))
        return false;
    bool is_root = size == 0 || strcmp(at, "/") == 0;
    if (scheme->page)
        while (size > 0 && at[size - 1] == '/') size--;
    bool is_socket = size >= 3 && memcmp(at + size - 3, "/ws", 3) == 0;
    if (is_socket) size -= 3;
    if (is_root) size = 0;
    if (!is_socket && !is_root && !scheme->page) return false;
    snprintf(url->base, sizeof url->base, "%.*s", (int)size, at);
    return (size_t)snprintf(url->path, sizeof url->path, "%s/ws", url->base) < sizeof url->path;
}

static enum gz_status parse(struct gz_url *url, const char *text, struct gz_error *error)
{
    const struct scheme *scheme = find_scheme(text);
    const char *slashes = strstr(text, "//"); /* an unknown scheme may have a password, too */
    const char *at = slashes != NULL ? slashes + 2 : text;
    size_t login = login_size(at);
    gz_print(url->shown, sizeof url->shown, "%.*s%s", (int)(at - text), text, at + login);
    for (const char *c = text; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            return gz_fail(error, GZ_BAD_VALUE, "a server URL has a control character");
    if (scheme == NULL)
        return gz_fail(error, GZ_BAD_VALUE,
                       "server URL \"%s\" does not begin with ws://, wss://, http:// or https://",
                       url->shown);
    url->tls = scheme->tls;
    if (login > 0 && !take_login(url, at, login - 1))
        return gz_fail(error, GZ_BAD_VALUE,
                       "server URL \"%s\": what stands before the @ is not USER:PASSWORD, with "
                       "special characters as %%XX",
                       url->shown);
    if ((at = take_host(url, at + login)) == NULL)
        return gz_fail(error, GZ_BAD_VALUE, "server URL \"%s\" has no host", url->shown);
    if ((at = take_port(url, at)) == NULL)
        return gz_fail(error, GZ_BAD_VALUE,
                       "server URL \"%s\" has no port from 1 to 65535 after its host", url->shown);
    if (!take_path(url, scheme, at))
        return gz_fail(error, GZ_BAD_VALUE, "server URL \"%s\" does not end in /ws", url->shown);
    bool bracket = strchr(url->host, ':') != NULL;
    snprintf(url->authority, sizeof url->authority, bracket ? "[%s]:%d" : "%s:%d", url->host,
             url->port);
    return GZ_OK;
}

enum gz_status gz_url_parse(struct gz_url *url, const char *text, size_t size,
                            struct gz_error *error)
{
    *url = (struct gz_url){0};
    char copy[GZ_URL_BYTES_MAX];
    if (size >= sizeof copy)
        return gz_fail(error, GZ_BAD_VALUE, "a server URL is longer than %d bytes",
                       GZ_URL_BYTES_MAX - 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return parse(url, copy, error);
}

enum gz_status gz_urls_parse(struct gz_urls *urls, const char *text, struct gz_error *error)
{
    urls->all = calloc(GZ_URLS_MAX, sizeof *urls->all);
    if (urls->all == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    for (const char *at = text + strspn(text, SEPARATORS); *at != '\0';) {
        if (urls->count == GZ_URLS_MAX)
            return gz_fail(error, GZ_BAD_VALUE, "more than %d server URLs", GZ_URLS_MAX);
        size_t size = strcspn(at, SEPARATORS);
        enum gz_status status = gz_url_parse(&urls->all[urls->count++], at, size, error);
        if (status != GZ_OK) return status;
        at += size;
        at += strspn(at, SEPARATORS);
    }
    return urls->count > 0 ? GZ_OK : gz_fail(error, GZ_BAD_VALUE, "the server URL is empty");
}

void gz_urls_free(struct gz_urls *urls)
{
    free(urls->all);
    *urls = (struct gz_urls){0};
}

const struct gz_url *gz_urls_here(const struct gz_urls *urls)
{
    return urls->is_named ? &urls->named : &urls->all[urls->at];
}

void gz_urls_begin(struct gz_urls *urls)
{
    urls->goes_on = false;
}

void gz_urls_next(struct gz_urls *urls)
{
    if (urls->goes_on) return;
    if (!urls->is_named) urls->at = (urls->at + 1) % urls->count;
    urls->is_named = false;
}

static bool is_same(const struct gz_url *one, const struct gz_url *other)
{
    return one->tls == other->tls && strcmp(one->authority, other->authority) == 0 &&
           strcmp(one->path, other->path) == 0;
}

void gz_urls_name(struct gz_urls *urls, const char *text, size_t size)
{
    struct gz_url named;
    struct gz_error unsaid;
    if (gz_url_parse(&named, text, size, &unsaid) != GZ_OK || named.login[0] != '\0' ||
        (gz_urls_here(urls)->tls && !named.tls))
        return;
    urls->goes_on = true;
    urls->is_named = false;
    for (size_t i = 0; i < urls->count; i++) {
        if (!is_same(&urls->all[i], &named)) continue;
        urls->at = i;
        return;
    }
    urls->named = named;
    urls->is_named = true;
}
