/* Finds files of the web folder, their types, tags and compressed copies. */
#include "net/internal.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

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
