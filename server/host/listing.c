/* listing.c - lists the scenes of a data folder, from a cache if the files are unchanged. See
 * listing.h. */
#include "host/listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "host/loan.h"
#include "host/name.h"
#include "net/text.h"
#include "proto/base/text.h"
#include "server/maxima.h"

/* Identifies the content of a file: every write sets `changed`, and nobody can set it back. Zeroed
 * for no file, and for an empty one. */
struct content {
    uint64_t device, inode;
    int64_t size;
    struct timespec changed;
};

struct gz_known_scene {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    bool is_there;   /* in the folder, when it was last read */
    bool is_read;    /* the file could be read; the following is its summary */
    bool is_settled; /* any later write to the file or its log will change `content` */
    struct content file, log;
    struct gz_store_summary summary;
    char *globs; /* the patterns of the file's access, each with its NUL, and one more NUL */
};

struct gz_listed_scene {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    struct gz_store_summary summary;
};

/* ---- the cache ---- */

void gz_listing_init(struct gz_listing *listing)
{
    *listing = (struct gz_listing){.count = 0};
    uv_mutex_init(&listing->mutex);
}

static void forget_all(struct gz_listing *listing)
{
    for (size_t i = 0; i < listing->count; i++) free(listing->scenes[i].globs);
    free(listing->scenes);
    listing->scenes = NULL;
    listing->count = listing->capacity = 0;
}

void gz_listing_finish(struct gz_listing *listing)
{
    forget_all(listing);
    uv_mutex_destroy(&listing->mutex);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct gz_known_scene *)a)->name,
                  ((const struct gz_known_scene *)b)->name);
}

/* Finds the scene among the first `sorted`, or appends it. NULL without memory. */
static struct gz_known_scene *find_scene(struct gz_listing *listing, size_t sorted,
                                         const char *name)
{
    struct gz_known_scene key = {.is_there = true};
    snprintf(key.name, sizeof key.name, "%s", name);
    struct gz_known_scene *found =
        sorted > 0 ? bsearch(&key, listing->scenes, sorted, sizeof key, compare_names) : NULL;
    if (found != NULL) return found;
    if (!gz_grow(&listing->scenes, &listing->capacity, listing->count + 1, sizeof key)) return NULL;
    listing->scenes[listing->count] = key;
    return &listing->scenes[listing->count++];
}

/* Forgets scenes that are not in the folder any more. */
static void forget_gone(struct gz_listing *listing)
{
    size_t kept = 0;
    for (size_t i = 0; i < listing->count; i++) {
        if (listing->scenes[i].is_there)
            listing->scenes[kept++] = listing->scenes[i];
        else
            free(listing->scenes[i].globs);
    }
    listing->count = kept;
}

/* ---- files ---- */

static struct content look_at(int folder, const char *file)
{
    struct stat found;
    if (fstatat(folder, file, &found, AT_SYMLINK_NOFOLLOW) != 0 || found.st_size == 0)
        return (struct content){.size = 0};
    return (struct content){found.st_dev, found.st_ino, found.st_size, found.st_ctim};
}

static bool is_same(const struct content *a, const struct content *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* Whether a later write must change the content: two writes within one tick of the file system's
 * clock leave the same time. */
static bool is_settled(const struct content *content, time_t now_s)
{
    return content->changed.tv_sec < now_s - GZ_FILE_TICK_S;
}

static enum gz_status read_file(const struct gz_scene_setting *setting,
                                struct gz_known_scene *known, struct gz_error *error)
{
    struct gz_buffer globs;
    char *path = gz_scene_path(setting, known->name);
    if (path == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    gz_buffer_init(&globs, GZ_ACCESS_MAX * (GZ_USER_BYTES_MAX + 1), 0);
    enum gz_status status = gz_store_summary(path, &known->summary, &globs, error);
    free(path);
    free(known->globs);
    known->globs = status == GZ_OK ? calloc(globs.size + 1, 1) : NULL;
    known->is_read = known->globs != NULL;
    if (known->is_read && globs.size > 0) memcpy(known->globs, globs.data, globs.size);
    gz_buffer_finish(&globs);
    if (status == GZ_OK && !known->is_read) status = gz_fail(error, GZ_NO_MEMORY, "no memory");
    return status;
}

/* Reads the file unless it is unchanged. */
static void know(struct gz_known_scene *known, int folder, const struct gz_scene_setting *setting)
{
    char file[sizeof known->name + sizeof ".db-wal"];
    struct gz_error error;
    time_t now_s = time(NULL);
    snprintf(file, sizeof file, "%s.db-wal", known->name);
    struct content log = look_at(folder, file);
    file[strlen(file) - strlen("-wal")] = '\0';
    struct content content = look_at(folder, file);
    bool is_known = known->is_read && known->is_settled && is_same(&known->file, &content) &&
                    is_same(&known->log, &log);
    if (is_known) return;
    known->file = content;
    known->log = log;
    known->is_settled = is_settled(&content, now_s) && is_settled(&log, now_s);
    if (read_file(setting, known, &error) != GZ_OK)
        gz_log(setting->log, GZ_WARN, 0, "%s: cannot be listed: %s", known->name, error.message);
}

/* ---- the list ---- */

static bool is_scene_file(const char *file, char name[GZ_SCENE_NAME_BYTES_MAX + 1])
{
    size_t size = strlen(file);
    if (size <= 3 || strcmp(file + size - 3, ".db") != 0 || !gz_scene_name_valid(file, size - 3))
        return false;
    memcpy(name, file, size - 3);
    name[size - 3] = '\0';
    return true;
}

/* Whether the claims, or the access in the scene's file, give a role. The access gives guests
 * none. */
static bool may_see(const struct gz_claims *claims, const struct gz_known_scene *known)
{
    if (gz_claims_give(claims, known->name, GZ_ROLE_VIEWER)) return true;
    const char *glob = claims->is_guest ? "" : known->globs;
    while (*glob != '\0' && !gz_glob_matches(glob, claims->user)) glob += strlen(glob) + 1;
    return *glob != '\0';
}

/* Reads the whole folder, in order. */
static enum gz_status read_folder(struct gz_listing *listing,
                                  const struct gz_scene_setting *setting, DIR *folder)
{
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    const size_t sorted = listing->count;
    for (size_t i = 0; i < sorted; i++) listing->scenes[i].is_there = false;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!is_scene_file(entry->d_name, name)) continue;
        struct gz_known_scene *known = find_scene(listing, sorted, name);
        if (known == NULL) return GZ_NO_MEMORY;
        known->is_there = true;
        know(known, dirfd(folder), setting);
    }
    forget_gone(listing);
    if (listing->count > 0)
        qsort(listing->scenes, listing->count, sizeof *listing->scenes, compare_names);
    return GZ_OK;
}

static enum gz_status copy_seen(const struct gz_listing *listing, const struct gz_claims *claims,
                                struct gz_scene_list *list)
{
    size_t capacity = 0;
    for (size_t i = 0; i < listing->count; i++) {
        const struct gz_known_scene *known = &listing->scenes[i];
        if (!known->is_read || !may_see(claims, known)) continue;
        if (!gz_grow(&list->scenes, &capacity, list->count + 1, sizeof *list->scenes))
            return GZ_NO_MEMORY;
        struct gz_listed_scene *listed = &list->scenes[list->count++];
        memcpy(listed->name, known->name, sizeof listed->name);
        listed->summary = known->summary;
    }
    return GZ_OK;
}

enum gz_status gz_listing_read(struct gz_listing *listing, const struct gz_scene_setting *setting,
                               const struct gz_claims *claims, struct gz_scene_list *list,
                               struct gz_error *error)
{
    DIR *folder = opendir(setting->folder);
    if (folder == NULL)
        return gz_fail(error, GZ_STORAGE, "the folder cannot be read: %s", strerror(errno));
    uv_mutex_lock(&listing->mutex);
    enum gz_status status = read_folder(listing, setting, folder);
    if (status == GZ_OK) status = copy_seen(listing, claims, list);
    /* an unsorted list cannot be searched */
    if (status != GZ_OK || listing->count > GZ_SCENES_REMEMBERED_MAX) forget_all(listing);
    uv_mutex_unlock(&listing->mutex);
    closedir(folder);
    return status == GZ_OK ? GZ_OK : gz_fail(error, status, "no memory for the list");
}

bool gz_scene_list_print(struct gz_scene_list *list, const struct gz_scenes *scenes,
                         struct gz_buffer *out)
{
    bool ok = gz_text_print(out, "[");
    for (size_t i = 0; ok && i < list->count; i++) {
        const struct gz_store_summary *stored = &list->scenes[i].summary;
        const char *name = list->scenes[i].name;
        const struct gz_open_scene *scene = gz_scenes_find_open(scenes, name);
        struct gz_core_summary summary = {.nodes = stored->nodes, .seq = stored->seq};
        if (scene != NULL) summary = gz_open_scene_summary(scene);
        ok = gz_text_print(out,
                           "%s{\"name\":\"%s\",\"nodes\":%" PRIu64 ",\"seq\":%" PRIu64
                           ",\"users\":%" PRIu64 ",\"open\":%s,\"changed\":%.3f}",
                           i > 0 ? ",\n" : "", name, summary.nodes, summary.seq, summary.users,
                           scene != NULL ? "true" : "false", stored->changed);
    }
    return ok && gz_text_print(out, "]\n");
}

void gz_scene_list_finish(struct gz_scene_list *list)
{
    free(list->scenes);
}
