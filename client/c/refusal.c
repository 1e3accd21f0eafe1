/* refusal.c - turns an HTTP refusal into an error. See refusal.h. */
#include "refusal.h"

#include <string.h>

#include "proto/base/json.h"

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

/* ---- the daemon's {code, message} ---- */

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n", *at) != NULL) at++;
    return at;
}

/* A text between `from` and `to`, behind its opening quote and at its closing one. */
struct span {
    const char *from, *to;
};

/* Goes over a text at *at; false if there is none. */
static bool take_text(const char **at, const char *end, struct span *text)
{
    bool is_plain;
    if (*at >= end || **at != '"') return false;
    text->from = ++*at;
    if (gz_json_skip_text(at, end, &is_plain) != NULL) return false;
    text->to = (*at)++;
    return true;
}

/* Goes over a value up to the comma or the end of the object that it is in. */
static bool skip_value(const char **at, const char *end)
{
    struct span text;
    for (int depth = 0; *at < end;) {
        const char byte = **at;
        if (depth == 0 && (byte == ',' || byte == '}')) return true;
        if (byte == '"' && !take_text(at, end, &text)) return false;
        if (byte == '"') continue;
        depth += (byte == '{' || byte == '[') - (byte == '}' || byte == ']');
        if (depth < 0) return false;
        ++*at;
    }
    return false;
}

/* Copies the text of this name in the object; false if it has none, or is no object. */
static bool read_member(const struct gz_buffer *body, const char *name, char *out, size_t size)
{
    const char *at = (const char *)body->data, *end = at != NULL ? at + body->size : NULL;
    struct span key, value = {NULL, NULL};
    at = skip_blanks(at, end);
    for (char before = '{'; at < end && *at == before; before = ',') {
        at = skip_blanks(at + 1, end);
        if (!take_text(&at, end, &key)) return false;
        at = skip_blanks(at, end);
        if (at >= end || *at++ != ':') return false;
        at = skip_blanks(at, end);
        const bool is_text = take_text(&at, end, &value);
        if (!skip_value(&at, end)) return false;
        if (!is_text || (size_t)(key.to - key.from) != strlen(name) ||
            memcmp(key.from, name, strlen(name)) != 0)
            continue;
        if ((size_t)(value.to - value.from) >= size) return false;
        out[gz_json_read_text(value.from, value.to, GZ_JSON_MENDED, out)] = '\0';
        return true;
    }
    return false;
}

enum gz_status gz_refusal(struct gz_error *error, unsigned status, const struct gz_buffer *body,
                          const struct gz_url *url, const char *path)
{
    char code[64], message[GZ_REFUSAL_BYTES_MAX];
    if (read_member(body, "code", code, sizeof code) &&
        read_member(body, "message", message, sizeof message)) {
        enum gz_status result = gz_status_from_word(code, strlen(code));
        return gz_fail(error, result != GZ_OK ? result : GZ_INTERNAL, "%s", message);
    }
    return gz_fail(error, meaning_of(status), "HTTP status %u (%s)%s, from %s://%s%s%.*s", status,
                   phrase_of(status), advice_of(status), url->tls ? "https" : "http",
                   url->authority, url->base, (int)strcspn(path, "?"), path);
}
