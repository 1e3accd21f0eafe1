/* reply.c - answers of HTTP: files of the web folder, and the header. */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conn/connection.h"
#include "front/header.h"
#include "front/state.h"
#include "link/relaying.h"
#include "server/maxima.h"

/* ---- files of the web folder ---- */

/* Finds files of the web folder, their types, tags and compressed copies. */

static const char *type_of(const char *path)
{
    static const struct {
        const char *ending, *type;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".mjs", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".map", "application/json"},
        {".wasm", "application/wasm"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".jpg", "image/jpeg"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
        {".glb", "model/gltf-binary"},
        {".gltf", "model/gltf+json"},
        {".txt", "text/plain; charset=utf-8"},
        {".md", "text/plain; charset=utf-8"},
    };
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending != NULL && i < sizeof types / sizeof types[0]; i++) {
        if (strcasecmp(ending, types[i].ending) == 0) return types[i].type;
    }
    return "application/octet-stream";
}

/* A name with a hash of the content, as esbuild writes them: NAME-HASH.ending, the hash being eight
 * characters of base 32. */
static bool is_hashed(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    for (const char *dash = strchr(name, '-'); dash != NULL; dash = strchr(dash + 1, '-')) {
        if (strspn(dash + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == 8 && dash[9] == '.')
            return true;
    }
    return false;
}

/* The named path of folder/path (a folder means its index), and its real path, which has to be
 * below the folder's, wherever links and dots lead. */
static bool resolve(const char *folder, const char *path, char named[PATH_MAX], char real[PATH_MAX])
{
    char root[PATH_MAX];
    struct stat status;
    if (snprintf(named, PATH_MAX, "%s/%s", folder, path) >= PATH_MAX) return false;
    if (realpath(folder, root) == NULL || realpath(named, real) == NULL) return false;
    if (stat(real, &status) == 0 && S_ISDIR(status.st_mode)) {
        if (strlen(named) + sizeof "/index.html" > PATH_MAX) return false;
        strcat(named, "/index.html");
        if (realpath(named, real) == NULL) return false;
    }
    size_t size = strlen(root);
    return strcmp(root, "/") == 0 || (strncmp(real, root, size) == 0 && real[size] == '/');
}

/* -1 if it is not a file. */
static int open_file(const char *path, struct stat *status)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (file < 0 || (fstat(file, status) == 0 && S_ISREG(status->st_mode))) return file;
    close(file);
    return -1;
}

/* Replaces the file by its compressed copy if the client wants it, unless the copy is older than
 * the file. */
static void take_compressed(const char *real, bool wanted, struct gz_static_file *file,
                            struct stat *status)
{
    char path[PATH_MAX];
    struct stat packed;
    if (snprintf(path, sizeof path, "%s.gz", real) >= (int)sizeof path) return;
    int other = open_file(path, &packed);
    if (other < 0) return;
    file->has_gzip = packed.st_mtime >= status->st_mtime;
    file->is_gzip = file->has_gzip && wanted;
    if (file->is_gzip) {
        close(file->file);
        file->file = other;
        *status = packed;
    } else {
        close(other);
    }
}

/* The time of the last change, not of the last modification, which packages and builds set
 * freely. */
static void print_etag(struct gz_static_file *file, const struct stat *status)
{
    snprintf(file->etag, sizeof file->etag, "\"%jx-%jx.%lx%s\"", (uintmax_t)status->st_size,
             (uintmax_t)status->st_ctim.tv_sec, (unsigned long)status->st_ctim.tv_nsec,
             file->is_gzip ? "-gz" : "");
}

enum gz_status gz_static_open(const char *folder, const char *path, bool takes_gzip,
                              struct gz_static_file *file, struct gz_error *error)
{
    char named[PATH_MAX], real[PATH_MAX];
    struct stat status;
    *file = (struct gz_static_file){.file = -1};
    if (folder != NULL && resolve(folder, path, named, real)) file->file = open_file(real, &status);
    if (file->file < 0) return gz_fail(error, GZ_UNKNOWN_OP, "this path does not exist");
    file->type = type_of(real);
    file->is_immutable = is_hashed(named);
    take_compressed(real, takes_gzip, file, &status);
    print_etag(file, &status);
    return GZ_OK;
}

/* ---- reply ---- */

/* Writes the header of an HTTP answer. */

/* The policy of our pages: load and connect only from here, make images and workers of blobs,
 * compile WebAssembly. "blob:" and "data:" are parts of a glTF that three.js reads. Our own pages
 * and those of allowed origins may frame them. */
#define PAGE_POLICY                                                                                \
    "default-src 'self'; img-src 'self' data: blob:; connect-src 'self' blob: data:; "             \
    "worker-src 'self' blob:; script-src 'self' 'wasm-unsafe-eval'; "                              \
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
/* What no page of ours asks a browser for. */
#define PAGE_PERMISSIONS                                                                           \
    "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()"
/* A year, in which browsers come by TLS alone. */
#define TRANSPORT "max-age=31536000"
#define PAGE_POLICY_BYTES_MAX (sizeof PAGE_POLICY + GZ_ORIGINS_MAX * GZ_ORIGIN_BYTES)
#define HEADER_BYTES_MAX (2048 + PAGE_POLICY_BYTES_MAX)

/* Seconds after which a request that is refused for now may be tried again. */
#define RETRY_SECONDS "5"
/* Seconds for which a browser caches a preflight. */
#define PREFLIGHT_SECONDS "600"

static bool add(struct gz_buffer *out, const char *name, const char *value)
{
    return gz_buffer_append(out, name, strlen(name)) == GZ_OK &&
           gz_buffer_append(out, " ", 1) == GZ_OK &&
           gz_buffer_append(out, value, strlen(value)) == GZ_OK &&
           gz_buffer_append(out, "\r\n", 2) == GZ_OK;
}

/* 204 has no body, and 304 is about the one that the client has: both have no type and no
 * length. */
bool gz_reply_has_body(const struct gz_reply *reply)
{
    return reply->code != 204 && reply->code != 304;
}

static const char *reason_of(int code)
{
    static const struct {
        int code;
        const char *words;
    } reasons[] = {
        {200, "OK"},
        {201, "Created"},
        {204, "No Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {409, "Conflict"},
        {411, "Length Required"},
        {413, "Content Too Large"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
        {507, "Insufficient Storage"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].code == code) return reasons[i].words;
    return "Other";
}

static bool add_beginning(struct gz_buffer *out, const char *server, const struct gz_reply *reply)
{
    bool fits = gz_text_print(out, "HTTP/1.1 %d %s\r\n", reply->code, reason_of(reply->code)) &&
                add(out, "server:", server);
    if (!gz_reply_has_body(reply)) return fits;
    return fits && add(out, "content-type:", reply->type) &&
           (reply->is_stream ||
            gz_text_print(out, "content-length: %" PRIu64 "\r\n", reply->size)) &&
           (!reply->is_gzip || add(out, "content-encoding:", "gzip"));
}

static bool add_caching(struct gz_buffer *out, const struct gz_reply *reply)
{
    return add(out, "cache-control:",
               reply->is_immutable ? "public, max-age=31536000, immutable" : "no-cache") &&
           (reply->etag[0] == '\0' || add(out, "etag:", reply->etag)) &&
           (!reply->has_gzip || add(out, "vary:", "Accept-Encoding"));
}

/* Adds the dropped skins, and lets other sites' pages read the header. */
static bool add_dropped(struct gz_buffer *out, const struct gz_reply *reply)
{
    return reply->dropped[0] == '\0' ||
           (add(out, "gizmod-dropped:", reply->dropped) &&
            add(out, "access-control-expose-headers:", "Gizmod-Dropped"));
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
static bool add_security(struct gz_buffer *out, const struct gz_reply *reply)
{
    return add(out, "x-content-type-options:", "nosniff") &&
           add(out, "cross-origin-resource-policy:", "same-origin") &&
           (reply->page_policy == NULL ||
            (add(out, "referrer-policy:", "no-referrer") &&
             add(out, "cross-origin-opener-policy:", "same-origin") &&
             add(out, "permissions-policy:", PAGE_PERMISSIONS) &&
             add(out, "content-security-policy:", reply->page_policy)));
}

static bool add_preflight(struct gz_buffer *out, const struct gz_reply *reply)
{
    return add(out, "access-control-allow-methods:", reply->allow) &&
           add(out,
               "access-control-allow-headers:", "Authorization, Content-Type, If-None-Match") &&
           add(out, "access-control-max-age:", PREFLIGHT_SECONDS);
}

static bool add_origin(struct gz_buffer *out, const struct gz_reply *reply)
{
    return (!reply->varies_by_origin || add(out, "vary:", "Origin")) &&
           (reply->origin[0] == '\0' || add(out, "access-control-allow-origin:", reply->origin)) &&
           (!reply->is_preflight || add_preflight(out, reply));
}

static bool add_retry(struct gz_buffer *out, const struct gz_reply *reply)
{
    return (reply->code != 429 && reply->code != 503) || add(out, "retry-after:", RETRY_SECONDS);
}

static bool print(struct gz_buffer *out, const char *server, bool is_tls,
                  const struct gz_reply *reply)
{
    return add_beginning(out, server, reply) &&
           (!is_tls || add(out, "strict-transport-security:", TRANSPORT)) &&
           (!reply->is_last || add(out, "connection:", "close")) && add_caching(out, reply) &&
           add_dropped(out, reply) && add_security(out, reply) && add_retry(out, reply) &&
           (reply->allow == NULL || add(out, "allow:", reply->allow)) &&
           (!reply->wants_token || add(out, "www-authenticate:", "Bearer realm=\"gizmod\"")) &&
           add_origin(out, reply) && gz_buffer_append(out, "\r\n", 2) == GZ_OK;
}

bool gz_reply_write_header(struct gz_stream *stream, const char *server,
                           const struct gz_reply *reply)
{
    struct gz_buffer out;
    gz_buffer_init(&out, HEADER_BYTES_MAX, 0);
    const bool is_sent = print(&out, server, gz_stream_is_tls(stream), reply) &&
                         gz_stream_write(stream, out.data, out.size);
    gz_buffer_finish(&out);
    return is_sent;
}
