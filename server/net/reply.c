/* Writes the header of an HTTP answer. */
#include <string.h>

#include "net/internal.h"
#include "net/text.h"
#include "server/maxima.h"

/* The policy of our pages: load and connect only from here, make images and workers of blobs,
 * compile WebAssembly. "blob:" and "data:" are parts of a glTF that three.js reads. Our own pages
 * and those of allowed origins may frame them. */
#define PAGE_POLICY                                                                                \
    "default-src 'self'; img-src 'self' data: blob:; connect-src 'self' blob: data:; "             \
    "worker-src 'self' blob:; script-src 'self' 'wasm-unsafe-eval'; "                              \
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
#define PAGE_POLICY_BYTES_MAX (sizeof PAGE_POLICY + GZ_ORIGINS_MAX * GZ_ORIGIN_BYTES)
#define HEADER_BYTES_MAX (2048 + PAGE_POLICY_BYTES_MAX)

/* Seconds after which a request that is refused for now may be tried again. */
#define RETRY_SECONDS "5"
/* Seconds for which a browser caches a preflight. */
#define PREFLIGHT_SECONDS "600"

struct cursor {
    struct lws *wsi;
    unsigned char *at, *end;
};

static bool add(struct cursor *cursor, const char *name, const char *value)
{
    return lws_add_http_header_by_name(cursor->wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value),
                                       &cursor->at, cursor->end) == 0;
}

/* 204 has no body, and 304 is about the one that the client has: both have no type and no
 * length. */
bool gz_reply_has_body(const struct gz_reply *reply)
{
    return reply->code != 204 && reply->code != 304;
}

static bool add_beginning(struct cursor *cursor, const struct gz_reply *reply)
{
    if (!gz_reply_has_body(reply))
        return lws_add_http_header_status(cursor->wsi, (unsigned)reply->code, &cursor->at,
                                          cursor->end) == 0;
    return lws_add_http_common_headers(cursor->wsi, (unsigned)reply->code, reply->type, reply->size,
                                       &cursor->at, cursor->end) == 0 &&
           (!reply->is_gzip || add(cursor, "content-encoding:", "gzip"));
}

static bool add_caching(struct cursor *cursor, const struct gz_reply *reply)
{
    return add(cursor, "cache-control:",
               reply->is_immutable ? "public, max-age=31536000, immutable" : "no-cache") &&
           (reply->etag[0] == '\0' || add(cursor, "etag:", reply->etag)) &&
           (!reply->has_gzip || add(cursor, "vary:", "Accept-Encoding"));
}

/* Adds the dropped skins, and lets other sites' pages read the header. */
static bool add_dropped(struct cursor *cursor, const struct gz_reply *reply)
{
    return reply->dropped[0] == '\0' ||
           (add(cursor, "gizmod-dropped:", reply->dropped) &&
            add(cursor, "access-control-expose-headers:", "Gizmod-Dropped"));
}

bool gz_page_policy_print(struct gz_buffer *policy, const struct gz_origin_rules *rules)
{
    gz_buffer_init(policy, PAGE_POLICY_BYTES_MAX, 0);
    bool fits = gz_text_print(policy, "%s", PAGE_POLICY);
    for (size_t i = 0; fits && i < rules->allowed_count; i++)
        fits = gz_text_print(policy, " %s", rules->allowed[i]);
    return fits && gz_buffer_append(policy, "", 1) == GZ_OK;
}

/* Other sites' pages may not use an answer as an image or a script, nor keep a reference to a
 * window of ours; pages of allowed origins use fetch. */
static bool add_security(struct cursor *cursor, const struct gz_reply *reply)
{
    return add(cursor, "x-content-type-options:", "nosniff") &&
           add(cursor, "cross-origin-resource-policy:", "same-origin") &&
           (reply->page_policy == NULL ||
            (add(cursor, "referrer-policy:", "no-referrer") &&
             add(cursor, "cross-origin-opener-policy:", "same-origin") &&
             add(cursor, "content-security-policy:", reply->page_policy)));
}

static bool add_preflight(struct cursor *cursor, const struct gz_reply *reply)
{
    return add(cursor, "access-control-allow-methods:", reply->allow) &&
           add(cursor,
               "access-control-allow-headers:", "Authorization, Content-Type, If-None-Match") &&
           add(cursor, "access-control-max-age:", PREFLIGHT_SECONDS);
}

static bool add_origin(struct cursor *cursor, const struct gz_reply *reply)
{
    return (!reply->varies_by_origin || add(cursor, "vary:", "Origin")) &&
           (reply->origin[0] == '\0' ||
            add(cursor, "access-control-allow-origin:", reply->origin)) &&
           (!reply->is_preflight || add_preflight(cursor, reply));
}

static bool add_retry(struct cursor *cursor, const struct gz_reply *reply)
{
    return (reply->code != 429 && reply->code != 503) || add(cursor, "retry-after:", RETRY_SECONDS);
}

bool gz_reply_write_header(struct lws *wsi, const struct gz_reply *reply)
{
    unsigned char bytes[LWS_PRE + HEADER_BYTES_MAX], *start = bytes + LWS_PRE;
    struct cursor cursor = {wsi, start, bytes + sizeof bytes};
    if (!add_beginning(&cursor, reply)) return false;
    /* Before a request is known to be no upgrade libwebsockets answers with HTTP/1.0, which clients
     * such as Python's websockets refuse. */
    memcpy(start, "HTTP/1.1", strlen("HTTP/1.1"));
    return (!reply->is_last || add(&cursor, "connection:", "close")) &&
           add_caching(&cursor, reply) && add_dropped(&cursor, reply) &&
           add_security(&cursor, reply) && add_retry(&cursor, reply) &&
           (reply->allow == NULL || add(&cursor, "allow:", reply->allow)) &&
           (!reply->wants_token || add(&cursor, "www-authenticate:", "Bearer realm=\"gizmod\"")) &&
           add_origin(&cursor, reply) &&
           lws_finalize_write_http_header(wsi, start, &cursor.at, cursor.end) == 0;
}
