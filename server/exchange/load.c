/* Loads a glTF from disk and embeds the files that it refers to. */
#include "exchange/internal.h"
#include "proto/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct loader {
    struct gz_gltf gltf;
    char *folder;  /* absolute, without links; ends with no slash but for "/" itself */
    size_t loaded; /* bytes embedded so far: many URIs can name one large file */
    bool embedded; /* the JSON is no longer what the file has */
    struct gz_error *error;
};

/* Opens without blocking, and reads plain files only: a pipe would wait for ever. Closes
 * `descriptor`. */
static enum gz_status read_descriptor(struct gz_buffer *out, int descriptor)
{
    struct stat facts;
    enum gz_status status = GZ_STORAGE;
    if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode)) {
        status = facts.st_size <= GZ_ASSET_BYTES_MAX
                     ? gz_buffer_reserve(out, (size_t)facts.st_size + 1)
                     : GZ_TOO_LARGE;
    } else if (errno == 0) {
        errno = EINVAL;
    }
    while (status == GZ_OK) {
        status = gz_buffer_reserve(out, 1);
        if (status != GZ_OK) break;
        ssize_t size = read(descriptor, out->data + out->size, out->capacity - out->size);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) status = GZ_STORAGE;
        if (size <= 0) break;
        out->size += (size_t)size;
    }
    int problem = errno;
    (void)close(descriptor);
    errno = problem;
    return status;
}

static enum gz_status read_file(struct gz_buffer *out, const char *path)
{
    errno = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return descriptor < 0 ? GZ_STORAGE : read_descriptor(out, descriptor);
}

static enum gz_status fail_read(struct gz_error *error, enum gz_status status, const char *where,
                                const char *path)
{
    if (status == GZ_TOO_LARGE) {
        return gz_fail(error, status, "%slarger than %d bytes: %s", where, GZ_ASSET_BYTES_MAX,
                       path);
    }
    if (status == GZ_NO_MEMORY) return gz_fail(error, status, "%sno memory for %s", where, path);
    return gz_fail(error, status, "%s%s: %s", where,
                   errno == EINVAL ? "not a file" : strerror(errno), path);
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Percent-decodes in place. False for a broken escape, or for a NUL. */
static bool decode_percents(char *text)
{
    char *out = text;
    for (const char *in = text; *in != '\0'; in++) {
        *out = *in;
        if (*in == '%') {
            int high = hex_value(in[1]);
            int low = high >= 0 ? hex_value(in[2]) : -1;
            if (low < 0 || high + low == 0) return false;
            *out = (char)(high << 4 | low);
            in += 2;
        }
        out++;
    }
    *out = '\0';
    return true;
}

/* RFC 3986: a letter, then letters, digits, "+-.", then ":". */
static bool has_scheme(const char *uri)
{
    size_t size = strspn(uri, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-.");
    return size > 0 && uri[size] == ':';
}

static bool climbs(const char *path)
{
    while (path != NULL) {
        size_t size = strcspn(path, "/");
        if (size == 2 && path[0] == '.' && path[1] == '.') return true;
        path = path[size] == '/' ? path + size + 1 : NULL;
    }
    return false;
}

/* What is wrong with a URI as the name of a file beside the glTF or below it, or NULL. `path`
 * becomes the name. */
static const char *find_flaw(const char *uri, char *path)
{
    if (strlen(uri) >= PATH_MAX) return "too long";
    if (has_scheme(uri)) return "a URI with a scheme";
    (void)strcpy(path, uri);
    if (!decode_percents(path)) return "a bad percent escape";
    if (path[0] == '\0') return "empty";
    if (path[0] == '/') return "an absolute path";
    return climbs(path) ? "a path that leaves the folder" : NULL;
}

/* A link may lead anywhere, so the path is checked after all links were followed. */
static bool inside_folder(const struct loader *loader, const char *real)
{
    size_t size = strlen(loader->folder);
    if (size == 1) return true;
    return strncmp(real, loader->folder, size) == 0 && real[size] == '/';
}

static enum gz_status load_uri(struct loader *loader, const char *where, const char *uri,
                               struct gz_buffer *bytes)
{
    char name[PATH_MAX], path[2 * PATH_MAX], real[PATH_MAX];
    const char *flaw = find_flaw(uri, name);
    if (flaw != NULL) return gz_fail(loader->error, GZ_BAD_VALUE, "%sis %s: %s", where, flaw, uri);
    (void)stpcpy(stpcpy(stpcpy(path, loader->folder), "/"), name);
    if (realpath(path, real) == NULL) return fail_read(loader->error, GZ_STORAGE, where, name);
    if (!inside_folder(loader, real)) {
        return gz_fail(loader->error, GZ_BAD_VALUE, "%sis a link that leaves the folder: %s", where,
                       uri);
    }
    enum gz_status status = read_file(bytes, real);
    if (status == GZ_OK && bytes->size > GZ_ASSET_BYTES_MAX - loader->loaded) status = GZ_TOO_LARGE;
    if (status != GZ_OK) return fail_read(loader->error, status, where, name);
    loader->loaded += bytes->size;
    return GZ_OK;
}

/* The type of an image by its first bytes: its name need not say it. */
static const char *image_type(const struct gz_buffer *bytes)
{
    static const struct {
        const char *start;
        size_t offset, size;
        const char *type;
    } types[] = {{"\x89PNG", 0, 4, "image/png"},
                 {"\xFF\xD8\xFF", 0, 3, "image/jpeg"},
                 {"WEBP", 8, 4, "image/webp"},
                 {"KTX 20", 1, 6, "image/ktx2"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (bytes->size < types[i].offset + types[i].size) continue;
        if (memcmp(bytes->data + types[i].offset, types[i].start, types[i].size) == 0)
            return types[i].type;
    }
    return "application/octet-stream";
}

static enum gz_status embed(struct loader *loader, const char *list, size_t index)
{
    json_t *json = gz_gltf_item(&loader->gltf, list, index);
    const char *uri = json_string_value(json_object_get(json, "uri"));
    if (uri == NULL || gz_uri_is_data(uri)) return GZ_OK;
    char where[64];
    (void)snprintf(where, sizeof where, "%s[%zu].uri: ", list, index);
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_ASSET_BYTES_MAX + 1, 0);
    enum gz_status status = load_uri(loader, where, uri, &bytes);
    if (status == GZ_OK) {
        const char *type =
            strcmp(list, "images") == 0 ? image_type(&bytes) : "application/octet-stream";
        json_t *data = gz_data_uri_encode(type, bytes.data, bytes.size);
        loader->embedded = true;
        if (json_object_set_new_nocheck(json, "uri", data) != 0) {
            status = gz_fail(loader->error, GZ_NO_MEMORY, "%sno memory", where);
        }
    }
    gz_buffer_finish(&bytes);
    return status;
}

static enum gz_status embed_all(struct loader *loader)
{
    static const char *const lists[] = {"buffers", "images"};
    enum gz_status status = GZ_OK;
    for (size_t list = 0; list < 2; list++) {
        for (size_t i = 0; i < gz_gltf_count(&loader->gltf, lists[list]) && status == GZ_OK; i++) {
            status = embed(loader, lists[list], i);
        }
    }
    return status;
}

/* The folder that holds `path`. If `path` is a link to a glTF, it is the folder of the link. */
static char *find_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return realpath(".", NULL);
    char *name = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    if (name == NULL) return NULL;
    char *folder = realpath(name, NULL);
    free(name);
    return folder;
}

/* A file that refers to no other file is kept to the byte. */
static enum gz_status load(struct loader *loader, struct gz_buffer *out, const char *path,
                           struct gz_buffer *file)
{
    enum gz_status status = read_file(file, path);
    if (status != GZ_OK) return fail_read(loader->error, status, "", path);
    loader->folder = find_folder(path);
    if (loader->folder == NULL) return fail_read(loader->error, GZ_STORAGE, "", path);
    status = gz_gltf_open(&loader->gltf, file->data, file->size, loader->error);
    if (status == GZ_OK) status = embed_all(loader);
    if (status != GZ_OK) return status;
    if (loader->embedded) return gz_gltf_write(out, &loader->gltf, loader->error);
    status = gz_buffer_append(out, file->data, file->size);
    return status == GZ_OK ? GZ_OK : fail_read(loader->error, status, "", path);
}

enum gz_status gz_gltf_load(struct gz_buffer *out, const char *path, struct gz_error *error)
{
    struct loader loader = {.error = error};
    struct gz_buffer file;
    gz_buffer_init(&file, GZ_ASSET_BYTES_MAX + 1, 0);
    enum gz_status status = load(&loader, out, path, &file);
    gz_gltf_close(&loader.gltf);
    free(loader.folder);
    gz_buffer_finish(&file);
    return status;
}
