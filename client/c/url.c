/* url.c - parses the URL of a daemon: scheme, host, port, path prefix. */
#include "url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_scheme(struct gz_url *url, const char *text)
{
    url->tls = strncmp(text, "wss://", 6) == 0;
    if (url->tls) return text + 6;
    return strncmp(text, "ws://", 5) == 0 ? text + 5 : NULL;
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

enum gz_status gz_url_parse(struct gz_url *url, const char *text, struct gz_error *error)
{
    const char *at = skip_scheme(url, text);
    if (at == NULL)
        return gz_fail(error, GZ_BAD_VALUE, "server URL \"%s\" does not begin with ws:// or wss://",
                       text);
    if ((at = take_host(url, at)) == NULL)
        return gz_fail(error, GZ_BAD_VALUE, "server URL \"%s\" has no host", text);
    if ((at = take_port(url, at)) == NULL)
        return gz_fail(error, GZ_BAD_VALUE,
                       "server URL \"%s\" has no port from 1 to 65535 after its host", text);

    if (at[0] == '\0' || strcmp(at, "/") == 0) at = "/ws";
    size_t size = strlen(at);
    if (at[0] != '/' || size < 3 || size >= sizeof url->path || strcmp(at + size - 3, "/ws") != 0)
        return gz_fail(error, GZ_BAD_VALUE, "server URL \"%s\" does not end in /ws", text);
    snprintf(url->path, sizeof url->path, "%s", at);
    snprintf(url->base, sizeof url->base, "%.*s", (int)size - 3, at);
    bool bracket = strchr(url->host, ':') != NULL;
    snprintf(url->authority, sizeof url->authority, bracket ? "[%s]:%d" : "%s:%d", url->host,
             url->port);
    return GZ_OK;
}
