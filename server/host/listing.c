/* listing.c - what is asked of all scenes: the list, the numbers, memory that is given back. */
#include "host/listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "front/header.h"
#include "host/loan.h"
#include "host/scenes.h"
#include "proto/base/text.h"
#include "server/maxima.h"

/* ---- memory that is given back ---- */

/* Forgets what open scenes can spare. */

/* ---- undo ---- */

/* The scene with the oldest edit that can be undone, and when the next oldest one of another scene
 * ended. */
static struct gz_open_scene *oldest_scene(const struct gz_scenes *scenes, double *next_s)
{
    struct gz_open_scene *oldest = NULL, *scene = NULL;
    double oldest_s = INFINITY;
    *next_s = INFINITY;
    while ((scene = gz_scenes_next(scenes, scene)) != NULL) {
        if (scene->net.is_lent) continue;
        const double ended_s = gz_core_oldest_undo_s(gz_net_core(&scene->net));
        *next_s = fmin(*next_s, fmax(oldest_s, ended_s));
        if (ended_s >= oldest_s) continue;
        oldest_s = ended_s;
        oldest = scene;
    }
    return oldest;
}

static uint64_t forget_undo(const struct gz_scenes *scenes, uint64_t bytes)
{
    uint64_t freed = 0;
    double next_s;
    struct gz_open_scene *scene;
    while (freed < bytes && (scene = oldest_scene(scenes, &next_s)) != NULL) {
        struct gz_core *core = gz_net_core(&scene->net);
        do {
            freed += gz_core_forget_undo(core);
        } while (freed < bytes && gz_core_oldest_undo_s(core) < next_s);
    }
    return freed;
}

/* ---- deleted nodes ---- */

static uint64_t forget_graves(const struct gz_scenes *scenes, uint64_t bytes)
{
    uint64_t freed = 0;
    struct gz_open_scene *scene = NULL;
    while (freed < bytes && (scene = gz_scenes_next(scenes, scene)) != NULL) {
        if (!scene->net.is_lent) freed += gz_core_forget_graves(gz_net_core(&scene->net));
    }
    return freed;
}

/* ---- all ---- */

uint64_t gz_scenes_spare(const struct gz_scenes *scenes)
{
    uint64_t bytes = 0;
    const struct gz_open_scene *scene = NULL;
    while ((scene = gz_scenes_next(scenes, scene)) != NULL) {
        if (scene->net.is_lent) continue;
        const struct gz_core_summary summary = gz_core_summary(gz_net_core(&scene->net));
        bytes += summary.undo_bytes + summary.grave_bytes;
    }
    return bytes;
}

uint64_t gz_scenes_relieve(struct gz_scenes *scenes, uint64_t bytes)
{
    uint64_t freed = forget_undo(scenes, bytes);
    if (freed < bytes) freed += forget_graves(scenes, bytes - freed);
    if (freed < bytes) freed += gz_scenes_close_unused(scenes, bytes - freed);
    return freed;
}

/* ---- listing ---- */

/* Lists the scenes of a data folder, from a cache if the files are unchanged. See
 * listing.h. */

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
        if (!known->is_read || (claims != NULL && !may_see(claims, known))) continue;
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

void gz_listing_find_news(struct gz_listing *listing, const struct gz_scene_setting *setting,
                          const char *after, char name[GZ_SCENE_NAME_BYTES_MAX + 1])
{
    struct gz_scene_list list = {.count = 0};
    struct gz_error error;
    size_t i = 0;
    if (gz_listing_read(listing, setting, NULL, &list, &error) != GZ_OK)
        gz_log(setting->log, GZ_WARN, 0, "looking for what the hook was not told: %s",
               error.message);
    while (i < list.count &&
           (!list.scenes[i].summary.has_news || strcmp(list.scenes[i].name, after) <= 0))
        i++;
    gz_print(name, GZ_SCENE_NAME_BYTES_MAX + 1, "%s", i < list.count ? list.scenes[i].name : "");
    gz_scene_list_finish(&list);
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

/* ---- numbers ---- */

/* The host's part of /healthz and /metrics. */

bool gz_scenes_are_healthy(const struct gz_scenes *scenes, struct gz_error *error)
{
    const struct gz_open_scene *scene = NULL;
    while ((scene = gz_scenes_next(scenes, scene)) != NULL) {
        struct gz_store_stats stats = gz_store_stats(scene->store);
        if (stats.last_status != GZ_OK) {
            gz_fail(error, GZ_STORAGE, "%s: the last commit failed", scene->name);
            return false;
        }
        if (stats.last_commit_s > GZ_COMMIT_SECONDS_MAX) {
            gz_fail(error, GZ_STORAGE, "%s: the last commit took %.1f s", scene->name,
                    stats.last_commit_s);
            return false;
        }
    }
    return true;
}

enum measure {
    NODES,
    SEQ,
    SAVED,
    USERS,
    COMMITS,
    ROWS,
    WAL_BYTES,
    COMMIT_SECONDS,
    UNCHECKED,
    READ_ONLY,
    TRIANGLES,
    SURFACE_BYTES,
    UNDO_BYTES,
    DELETED_BYTES,
    MEASURE_COUNT
};

static const struct {
    const char *name, *type, *help;
} lines[MEASURE_COUNT] = {
    [NODES] = {"scene_nodes", "gauge", "Nodes that are not deleted."},
    [SEQ] = {"scene_seq", "gauge", "The seq of the latest change."},
    [SAVED] = {"scene_saved", "gauge", "The seq up to which all is on stable storage."},
    [USERS] = {"scene_users", "gauge", "Sessions in the scene."},
    [COMMITS] = {"scene_commits_total", "counter", "Commits since it was opened."},
    [ROWS] = {"scene_rows_total", "counter", "Rows written since it was opened."},
    [WAL_BYTES] = {"scene_wal_bytes", "gauge", "Bytes in the write-ahead log."},
    [COMMIT_SECONDS] = {"scene_commit_seconds", "gauge",
                        "Duration of the last commit, without the log of a cluster."},
    [UNCHECKED] = {"scene_unchecked", "gauge",
                   "1 while its whole file is still to be checked after a crash."},
    [READ_ONLY] = {"scene_read_only", "gauge", "1 if its file is damaged, or cannot be written."},
    [TRIANGLES] = {"scene_triangles", "gauge",
                   "Triangles that nodes are picked by; 0 until they are loaded."},
    [SURFACE_BYTES] = {"scene_surface_bytes", "gauge",
                       "Bytes of the triangles that nodes are picked by."},
    [UNDO_BYTES] = {"scene_undo_bytes", "gauge", "Bytes of the edits that can be undone."},
    [DELETED_BYTES] = {"scene_deleted_bytes", "gauge",
                       "Bytes of what is known of deleted nodes, for viewers who resume."},
};

static double measure_scene(const struct gz_open_scene *scene, enum measure measure)
{
    struct gz_core_summary summary = gz_open_scene_summary(scene);
    struct gz_store_stats stats = gz_store_stats(scene->store);
    const double values[MEASURE_COUNT] = {
        [NODES] = (double)summary.nodes,
        [SEQ] = (double)summary.seq,
        [SAVED] = (double)summary.saved,
        [USERS] = (double)summary.users,
        [COMMITS] = (double)stats.commits,
        [ROWS] = (double)stats.rows,
        [WAL_BYTES] = (double)stats.wal_bytes,
        [COMMIT_SECONDS] = stats.last_commit_s,
        [UNCHECKED] = stats.is_unchecked,
        [READ_ONLY] = stats.is_read_only,
        [TRIANGLES] = (double)summary.triangles,
        [SURFACE_BYTES] = (double)(summary.surface_bytes + summary.surface_bytes_before),
        [UNDO_BYTES] = (double)summary.undo_bytes,
        [DELETED_BYTES] = (double)summary.grave_bytes};
    return values[measure];
}

static bool measure_disk(const struct gz_disk *disk, struct gz_buffer *out)
{
    return gz_text_print(
        out,
        "# HELP gizmod_disk_free_bytes Bytes that the disk of the data folder has free.\n"
        "# TYPE gizmod_disk_free_bytes gauge\ngizmod_disk_free_bytes %" PRIu64 "\n"
        "# HELP gizmod_disk_short 1 while edits are refused because the disk is nearly full.\n"
        "# TYPE gizmod_disk_short gauge\ngizmod_disk_short %d\n",
        disk->free_bytes, disk->is_short);
}

static bool measure_memory(const struct gz_memory *memory, struct gz_buffer *out)
{
    const struct {
        const char *name, *type, *help;
        uint64_t value;
    } values[] = {{"memory_bytes", "gauge",
                   "Memory of the process' own, with what requests were just allowed to take.",
                   gz_memory_used(memory)},
                  {"memory_max_bytes", "gauge", "The bound that --memory sets; 0 for none.",
                   memory->bytes_max},
                  {"memory_short", "gauge",
                   "1 while nothing more can be forgotten, and large requests are refused.",
                   memory->is_short},
                  {"memory_forgotten_bytes_total", "counter",
                   "Bytes of undo and deleted nodes that were forgotten to keep the bound.",
                   memory->forgotten_bytes},
                  {"memory_refusals_total", "counter",
                   "Requests that were refused to keep the bound.", memory->refusals}};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof values / sizeof values[0]; i++)
        ok = gz_text_print(out, "# HELP gizmod_%s %s\n# TYPE gizmod_%s %s\ngizmod_%s %" PRIu64 "\n",
                           values[i].name, values[i].help, values[i].name, values[i].type,
                           values[i].name, values[i].value);
    return ok;
}

bool gz_scenes_measure(const struct gz_scenes *scenes, struct gz_buffer *out)
{
    bool ok = gz_text_print(
        out,
        "# HELP gizmod_scenes Open scenes.\n# TYPE gizmod_scenes gauge\ngizmod_scenes %zu\n"
        "# HELP gizmod_sqlite_bytes Bytes that SQLite has allocated: a part of gizmod_heap_bytes.\n"
        "# TYPE gizmod_sqlite_bytes gauge\ngizmod_sqlite_bytes %" PRIu64 "\n",
        scenes->count, gz_store_memory());
    if (scenes->setting->disk != NULL) ok = ok && measure_disk(scenes->setting->disk, out);
    if (scenes->setting->memory != NULL) ok = ok && measure_memory(scenes->setting->memory, out);
    for (int i = 0; i < MEASURE_COUNT; i++) {
        ok = ok && gz_text_print(out, "# HELP gizmod_%s %s\n# TYPE gizmod_%s %s\n", lines[i].name,
                                 lines[i].help, lines[i].name, lines[i].type);
        const struct gz_open_scene *scene = NULL;
        while (ok && (scene = gz_scenes_next(scenes, scene)) != NULL)
            ok = gz_text_print(out, "gizmod_%s{scene=\"%s\"} %.17g\n", lines[i].name, scene->name,
                               measure_scene(scene, (enum measure)i));
    }
    return ok;
}

/* ---- the cluster ---- */

/* The scenes whose files are behind. */
static bool measure_lags(struct gz_cluster *cluster, struct gz_buffer *out)
{
    struct gz_cluster_lag lags[GZ_CLUSTER_LAGS_MAX];
    const size_t count = gz_cluster_lags(cluster, lags);
    bool ok = gz_text_print(
        out, "# HELP gizmod_cluster_scene_behind_changes Changes in the log that the file lacks.\n"
             "# TYPE gizmod_cluster_scene_behind_changes gauge\n");
    for (size_t i = 0; ok && i < count; i++)
        ok = gz_text_print(out, "gizmod_cluster_scene_behind_changes{scene=\"%s\"} %" PRIu64 "\n",
                           lags[i].scene, lags[i].changes);
    ok = ok &&
         gz_text_print(
             out,
             "# HELP gizmod_cluster_scene_behind_seconds How long the file has lacked changes.\n"
             "# TYPE gizmod_cluster_scene_behind_seconds gauge\n");
    for (size_t i = 0; ok && i < count; i++)
        ok = gz_text_print(out, "gizmod_cluster_scene_behind_seconds{scene=\"%s\"} %.17g\n",
                           lags[i].scene, lags[i].seconds);
    return ok;
}

bool gz_cluster_measure(struct gz_cluster *cluster, struct gz_buffer *out)
{
    const struct gz_cluster_stats stats = gz_cluster_stats(cluster);
    const struct {
        const char *name, *type, *help;
        double value;
    } values[] = {
        {"claims", "gauge", "Scenes that this member serves.", (double)stats.claims},
        {"scenes", "gauge", "Scenes in the log.", (double)stats.scenes},
        {"behind_changes", "gauge", "Changes in the log that the files of this member lack.",
         (double)stats.behind},
        {"behind_scenes", "gauge", "Scenes whose files lack changes.", (double)stats.behind_scenes},
        {"behind_seconds", "gauge", "How long the most delayed file has lacked changes.",
         stats.behind_s},
        {"leases_total", "counter", "Leases of scenes that were taken.", (double)stats.taken},
        {"fenced_total", "counter", "Leases that another member took from this one.",
         (double)stats.fenced},
        {"appends_total", "counter", "Changes that went into the log.", (double)stats.appends},
        {"append_bytes_total", "counter", "Bytes of the changes that went into the log.",
         (double)stats.append_bytes},
        {"append_seconds_total", "counter", "Time that the log took for all changes.",
         stats.append_s},
        {"append_seconds", "gauge", "Time that the log took for the last change.",
         stats.last_append_s},
        {"silence_seconds", "gauge", "Time since the log last accepted a change.",
         stats.silence_s}};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof values / sizeof values[0]; i++)
        ok = gz_text_print(out,
                           "# HELP gizmod_cluster_%s %s\n# TYPE gizmod_cluster_%s %s\n"
                           "gizmod_cluster_%s %.17g\n",
                           values[i].name, values[i].help, values[i].name, values[i].type,
                           values[i].name, values[i].value);
    return ok && measure_lags(cluster, out);
}
