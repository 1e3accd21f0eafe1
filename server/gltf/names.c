/* Which file a URI of a glTF names. Programs write names in many ways, so the first of these that
 * is there is taken, as the editor does with the files that are dropped on it (its gltffiles.ts;
 * both are tested with tests/data/names/cases.json):
 *
 * 1. the URI without its percent escapes, if they are whole and UTF-8; then the URI as it stands;
 * 2. the same without a query or fragment ("?", "#");
 * 3. each of these with backslashes for slashes.
 *
 * Letters are compared as they are first, and then without regard to ASCII's case, if only one file
 * is so called. Last comes the file beside the glTF of the same name without its folders: for
 * absolute paths, and for addresses. No name leaves the folder. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "gltf/file.h"
#include "proto/base/text.h"

#define READINGS_MAX 8

/* A URI as the text of a path. */
struct reading {
    char text[PATH_MAX];
};

struct search {
    const char *folder;
    struct reading readings[READINGS_MAX];
    size_t count;
    char *path; /* what was found */
};

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte of the escape at `text`; -1 if there is none. */
static int read_escape(const char *text, size_t left)
{
    if (left < 3 || text[0] != '%') return -1;
    int high = hex_value(text[1]), low = hex_value(text[2]);
    return high >= 0 && low >= 0 ? high << 4 | low : -1;
}

size_t gz_percent_decode(char *out, const char *text, size_t size)
{
    size_t written = 0;
    for (size_t i = 0; i < size; i++) {
        int byte = read_escape(text + i, size - i);
        out[written++] = byte >= 0 ? (char)byte : text[i];
        if (byte >= 0) i += 2;
    }
    return written;
}

/* Whether every percent sign begins an escape. */
static bool is_encoded(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '%' && read_escape(text + i, size - i) < 0) return false;
    return true;
}

static void add_reading(struct search *search, const char *text, size_t size)
{
    if (search->count == READINGS_MAX || size >= PATH_MAX || memchr(text, '\0', size) != NULL)
        return;
    char *copy = search->readings[search->count].text;
    memcpy(copy, text, size);
    copy[size] = '\0';
    for (size_t i = 0; i < search->count; i++)
        if (strcmp(search->readings[i].text, copy) == 0) return;
    search->count++;
}

static void add_readings(struct search *search, const char *text, size_t size)
{
    char decoded[PATH_MAX];
    if (size >= PATH_MAX) return;
    if (is_encoded(text, size)) {
        size_t length = gz_percent_decode(decoded, text, size);
        if (gz_text_is_utf8(decoded, length)) add_reading(search, decoded, length);
    }
    add_reading(search, text, size);
}

static void add_slashes(struct search *search)
{
    for (size_t i = 0, count = search->count; i < count; i++) {
        char text[PATH_MAX];
        (void)strcpy(text, search->readings[i].text);
        for (char *c = text; *c != '\0'; c++)
            if (*c == '\\') *c = '/';
        add_reading(search, text, strlen(text));
    }
}

/* The only entry of the folder of that name without regard to case. */
static bool find_entry(const char *folder, const char *name, size_t size, char *found)
{
    DIR *entries = opendir(folder);
    size_t count = 0;
    if (entries == NULL) return false;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strlen(entry->d_name) != size || strncasecmp(entry->d_name, name, size) != 0) continue;
        (void)strcpy(found, entry->d_name);
        count++;
    }
    (void)closedir(entries);
    return count == 1;
}

static bool append(char *path, const char *name, size_t size)
{
    size_t used = strlen(path);
    if (used + size + 2 > PATH_MAX) return false;
    if (used > 0) path[used++] = '/';
    memcpy(path + used, name, size);
    path[used + size] = '\0';
    return true;
}

/* The path below the folder in its simplest form; false if it leaves the folder. */
static bool simplify(const char *text, char *path)
{
    path[0] = '\0';
    for (const char *at = text; *at != '\0';) {
        size_t size = strcspn(at, "/");
        if (size == 2 && at[0] == '.' && at[1] == '.') {
            char *slash = strrchr(path, '/');
            if (path[0] == '\0') return false;
            *(slash != NULL ? slash : path) = '\0';
        } else if (size > 0 && !(size == 1 && at[0] == '.')) {
            if (!append(path, at, size)) return false;
        }
        at += size + (at[size] == '/');
    }
    return path[0] != '\0';
}

static bool exists(const struct search *search, const char *path)
{
    char whole[2 * PATH_MAX];
    struct stat facts;
    (void)snprintf(whole, sizeof whole, "%s/%s", search->folder, path);
    return stat(whole, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* Turns a path into the one that differs from it by case. */
static bool find_by_case(const struct search *search, const char *wanted, char *path)
{
    path[0] = '\0';
    for (const char *at = wanted; *at != '\0';) {
        char folder[2 * PATH_MAX], found[NAME_MAX + 1];
        size_t size = strcspn(at, "/");
        (void)snprintf(folder, sizeof folder, "%s/%s", search->folder, path);
        if (!find_entry(folder, at, size, found) || !append(path, found, strlen(found)))
            return false;
        at += size + (at[size] == '/');
    }
    return exists(search, path);
}

static bool try_path(const struct search *search, const char *text, bool by_case)
{
    char path[PATH_MAX];
    if (!simplify(text, path)) return false;
    if (by_case) return find_by_case(search, path, search->path);
    (void)strcpy(search->path, path);
    return exists(search, path);
}

static const char *base_name(const char *text)
{
    const char *slash = strrchr(text, '/');
    return slash != NULL ? slash + 1 : text;
}

bool gz_name_resolve(const char *folder, struct gz_json_text uri, char *path)
{
    struct search search = {.folder = folder, .path = path};
    size_t cut = 0;
    while (cut < uri.size && uri.at[cut] != '?' && uri.at[cut] != '#') cut++;
    add_readings(&search, uri.at, uri.size);
    add_readings(&search, uri.at, cut);
    add_slashes(&search);
    for (int way = 0; way < 4; way++) {
        for (size_t i = 0; i < search.count; i++) {
            const char *text = search.readings[i].text;
            if (try_path(&search, way < 2 ? text : base_name(text), way % 2 == 1)) return true;
        }
    }
    return false;
}
