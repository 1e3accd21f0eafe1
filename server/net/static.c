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

/* The real place of folder/path, which must be below the folder's own, wherever links and dots lead. */
static bool resolve(const char *folder, const char *path, char real[PATH_MAX])
{
    char joined[PATH_MAX], root[PATH_MAX];
    struct stat status;
    if (snprintf(joined, sizeof joined, "%s/%s", folder, path) >= (int)sizeof joined) return false;
    if (realpath(folder, root) == NULL || realpath(joined, real) == NULL) return false;
    if (stat(real, &status) == 0 && S_ISDIR(status.st_mode)) {
        if (strlen(joined) + sizeof "/index.html" > sizeof joined) return false;
        strcat(joined, "/index.html");
        if (realpath(joined, real) == NULL) return false;
    }
    size_t size = strlen(root);
    return strcmp(root, "/") == 0 || (strncmp(real, root, size) == 0 && real[size] == '/');
}

enum gz_status gz_static_open(const char *folder, const char *path, int *file, const char **type,
                              struct gz_error *error)
{
    char real[PATH_MAX];
    struct stat status;
    if (folder == NULL || !resolve(folder, path, real)) goto nothing;
    *file = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*file < 0) goto nothing;
    if (fstat(*file, &status) == 0 && S_ISREG(status.st_mode)) {
        *type = type_of(real);
        return GZ_OK;
    }
    close(*file);
nothing:
    *file = -1;
    return gz_fail(error, GZ_UNKNOWN_OP, "there is nothing at this path");
}
