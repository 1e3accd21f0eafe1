/* load.c - glTF files in one piece: all that belongs to one is read, or one form is made of
 * another. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gltf/file.h"
#include "proto/limits.h"

/* ---- convert ---- */

/* Turns a .glb into a .gltf, and a .gltf into a .glb. */

static enum gz_status out_of_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_NO_MEMORY, "not enough memory for this file");
}

/* The first buffer: the one that the BIN chunk of a .glb holds. */
static size_t bin_size_of(const struct gz_json *buffer, size_t at_hand)
{
    uint64_t size = gz_json_natural(buffer, "byteLength", 0);
    return size < at_hand ? (size_t)size : at_hand;
}

static enum gz_status embed_bin(struct gz_gltf *gltf, struct gz_error *error)
{
    struct gz_json *buffer = gz_gltf_item(gltf, "buffers", 0);
    if (buffer == NULL || gltf->bin == NULL || gz_json_has(buffer, "uri")) return GZ_OK;
    struct gz_json *uri = gz_data_uri_encode(&gltf->document, "application/octet-stream", gltf->bin,
                                             bin_size_of(buffer, gltf->bin_size));
    enum gz_status status = gz_json_set(&gltf->document, buffer, "uri", uri);
    return status == GZ_OK ? GZ_OK : out_of_memory(error);
}

/* A first buffer that is a data URI becomes the BIN chunk; the caller frees *bytes. */
static enum gz_status extract_bin(struct gz_gltf *gltf, uint8_t **bytes, struct gz_error *error)
{
    struct gz_json *buffer = gz_gltf_item(gltf, "buffers", 0);
    struct gz_json_text uri = gz_json_text(gz_json_get(buffer, "uri"));
    size_t size;
    if (uri.at == NULL || !gz_uri_is_data(uri)) return GZ_OK;
    enum gz_status status = gz_data_uri_decode(uri, bytes, &size);
    if (status == GZ_BAD_VALUE) return GZ_OK; /* it cannot be read: it may stay where it is */
    if (status != GZ_OK) return out_of_memory(error);
    gltf->new_bin = *bytes;
    gltf->new_bin_size = bin_size_of(buffer, size);
    gz_json_remove(buffer, "uri");
    return GZ_OK;
}

enum gz_status gz_gltf_convert(struct gz_buffer *out, const uint8_t *bytes, size_t size,
                               bool binary, struct gz_error *error)
{
    struct gz_gltf gltf;
    enum gz_status status = gz_gltf_open(&gltf, bytes, size, error);
    if (status != GZ_OK) return status;
    uint8_t *bin = NULL;
    if (gltf.binary != binary)
        status = binary ? extract_bin(&gltf, &bin, error) : embed_bin(&gltf, error);
    gltf.binary = binary;
    if (status == GZ_OK) status = gz_gltf_write(out, &gltf, error);
    gz_gltf_close(&gltf);
    free(bin);
    return status;
}

/* ---- all of a file ---- */

/* Loads a glTF from disk and embeds the files that it refers to. */

struct loader {
    struct gz_gltf gltf;
    char *folder;           /* absolute, without links; ends with no slash but for "/" itself */
    size_t loaded;          /* bytes embedded so far: many URIs can name one large file */
    bool embedded;          /* the JSON is no longer what the file has */
    struct gz_gltf missing; /* its flaws alone: the files that could not be had */
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

/* A link may lead anywhere, so the path is checked after all links were followed. */
static bool inside_folder(const struct loader *loader, const char *real)
{
    size_t size = strlen(loader->folder);
    if (size == 1) return true;
    return strncmp(real, loader->folder, size) == 0 && real[size] == '/';
}

/* A file that cannot be had is a flaw: `bytes` stays empty, and *found false. */
static enum gz_status load_uri(struct loader *loader, const char *where, struct gz_json_text uri,
                               struct gz_buffer *bytes, bool *found)
{
    char name[PATH_MAX], path[2 * PATH_MAX], real[PATH_MAX];
    int size = (int)uri.size;
    if (!gz_name_resolve(loader->folder, uri, name)) {
        gz_gltf_flaw(&loader->missing, "%sthere is no file %.*s in its folder or below", where,
                     size, uri.at);
        return GZ_OK;
    }
    (void)stpcpy(stpcpy(stpcpy(path, loader->folder), "/"), name);
    if (realpath(path, real) == NULL || !inside_folder(loader, real)) {
        gz_gltf_flaw(&loader->missing, "%sis a link that leaves the folder: %.*s", where, size,
                     uri.at);
        return GZ_OK;
    }
    enum gz_status status = read_file(bytes, real);
    if (status == GZ_OK && bytes->size > GZ_ASSET_BYTES_MAX - loader->loaded) status = GZ_TOO_LARGE;
    if (status == GZ_STORAGE) {
        gz_gltf_flaw(&loader->missing, "%s%s: %s", where, strerror(errno), name);
        return GZ_OK;
    }
    if (status != GZ_OK) return fail_read(loader->error, status, where, name);
    loader->loaded += bytes->size;
    *found = true;
    return GZ_OK;
}

static enum gz_status embed(struct loader *loader, const char *list, size_t index)
{
    struct gz_json *json = gz_gltf_item(&loader->gltf, list, index);
    struct gz_json_text uri = gz_json_text(gz_json_get(json, "uri"));
    if (uri.at == NULL || gz_uri_is_data(uri)) return GZ_OK;
    char where[64];
    (void)snprintf(where, sizeof where, "%s[%zu].uri: ", list, index);
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_ASSET_BYTES_MAX + 1, 0);
    bool found = false;
    enum gz_status status = load_uri(loader, where, uri, &bytes, &found);
    if (status == GZ_OK && found) {
        const char *type = strcmp(list, "images") == 0 ? gz_image_type(bytes.data, bytes.size)
                                                       : "application/octet-stream";
        struct gz_json_document *document = &loader->gltf.document;
        struct gz_json *data = gz_data_uri_encode(document, type, bytes.data, bytes.size);
        loader->embedded = true;
        status = gz_json_set(document, json, "uri", data);
        if (status != GZ_OK) gz_fail(loader->error, status, "%sno memory", where);
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

enum gz_status gz_gltf_load(struct gz_buffer *out, const char *path, struct gz_flaws *flaws,
                            struct gz_error *error)
{
    struct loader loader = {.error = error};
    struct gz_buffer file;
    gz_buffer_init(&file, GZ_ASSET_BYTES_MAX + 1, 0);
    enum gz_status status = load(&loader, out, path, &file);
    if (flaws != NULL) *flaws = loader.missing.flaws;
    gz_gltf_close(&loader.gltf);
    free(loader.folder);
    gz_buffer_finish(&file);
    return status;
}
