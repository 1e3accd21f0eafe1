/* refusal.c - turns an HTTP refusal into an error. See refusal.h. */
#include "refusal.h"

#include <jansson.h>
#include <string.h>

/* The phrases of RFC 9110. */
static const char *phrase_of(unsigned status)
{
    static const struct {
        unsigned status;
        const char *phrase;
    } phrases[] = {
        {301, "Moved Permanently"},   {302, "Found"},
        {307, "Temporary Redirect"},  {308, "Permanent Redirect"},
        {400, "Bad Request"},         {401, "Unauthorized"},
        {403, "Forbidden"},           {404, "Not Found"},
        {405, "Method Not Allowed"},  {407, "Proxy Authentication Required"},
        {408, "Request Timeout"},     {411, "Length Required"},
        {413, "Content Too Large"},   {426, "Upgrade Required"},
        {429, "Too Many Requests"},   {500, "Internal Server Error"},
        {501, "Not Implemented"},     {502, "Bad Gateway"},
        {503, "Service Unavailable"}, {504, "Gateway Timeout"},
    };
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++)
        if (phrases[i].status == status) return phrases[i].phrase;
    return "no standard phrase";
}

/* What the status of a server that is no daemon means to the caller. */
static enum gz_status meaning_of(unsigned status)
{
    switch (status) {
    case 401:
    case 403:
    case 407: return GZ_FORBIDDEN;
    case 413: return GZ_TOO_LARGE;
    case 429: return GZ_RATE_LIMITED;
    case 502:
    case 503:
    case 504: return GZ_UNREACHABLE;
    default: return GZ_INTERNAL;
    }
}

static const char *advice_of(unsigned status)
{
    if (status == 413)
        return ": a proxy before the daemon accepts no file of this size (nginx: "
               "client_max_body_size)";
    if (status == 401 || status == 407)
        return ": a proxy before the daemon asks for a user and a password (USER:PASSWORD@ in the "
               "address)";
    if (status >= 300 && status < 400) return ": redirects are not followed";
    return "";
}

enum gz_status gz_refusal(struct gz_error *error, unsigned status, const struct gz_buffer *body,
                          const struct gz_url *url, const char *path)
{
    json_t *json = json_loadb((const char *)body->data, body->size, 0, NULL);
    const char *code = json_string_value(json_object_get(json, "code"));
    const char *message = json_string_value(json_object_get(json, "message"));
    enum gz_status result = code != NULL ? gz_status_from_word(code, strlen(code)) : GZ_INTERNAL;
    if (result == GZ_OK) result = GZ_INTERNAL;
    if (code != NULL && message != NULL)
        result = gz_fail(error, result, "%s", message);
    else
        result = gz_fail(error, meaning_of(status), "HTTP status %u (%s)%s, from %s://%s%s%.*s",
                         status, phrase_of(status), advice_of(status), url->tls ? "https" : "http",
                         url->authority, url->base, (int)strcspn(path, "?"), path);
    json_decref(json);
    return result;
}
