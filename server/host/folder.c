/* The data folder as a whole: its list of scenes, and what a crash left in it. */
#include "host/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/loan.h"
#include "host/name.h"
#include "net/text.h"

struct gz_listed_scene {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    struct gz_store_summary summary;
};

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

/* What the claims do not give, the access in the scene's file may; to guests it gives nothing. */
static bool may_see(const struct gz_claims *claims, const char *name, const char *path)
{
    return gz_claims_give(claims, name, GZ_ROLE_VIEWER) ||
           (!claims->is_guest && gz_store_gives_access(path, claims->user));
}

static enum gz_status add_scene(const struct gz_scene_setting *setting,
                                const struct gz_claims *claims, struct gz_scene_list *list,
                                size_t *capacity, const char *name)
{
    struct gz_listed_scene listed;
    struct gz_error error;
    char *path = gz_scene_path(setting, name);
    if (path == NULL) return GZ_NO_MEMORY;
    bool is_seen = may_see(claims, name, path);
    enum gz_status status = is_seen ? gz_store_summary(path, &listed.summary, &error) : GZ_OK;
    free(path);
    if (!is_seen) return GZ_OK;
    if (status != GZ_OK) {
        gz_log(setting->log, GZ_WARN, 0, "%s: cannot be listed: %s", name, error.message);
        return GZ_OK;
    }
    if (!gz_grow(&list->scenes, capacity, list->count + 1, sizeof listed)) return GZ_NO_MEMORY;
    memcpy(listed.name, name, sizeof listed.name);
    list->scenes[list->count++] = listed;
    return GZ_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct gz_listed_scene *)a)->name,
                  ((const struct gz_listed_scene *)b)->name);
}

enum gz_status gz_folder_list(const struct gz_scene_setting *setting,
                              const struct gz_claims *claims, struct gz_scene_list *list,
                              struct gz_error *error)
{
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    enum gz_status status = GZ_OK;
    size_t capacity = 0;
    DIR *folder = opendir(setting->folder);
    if (folder == NULL)
        return gz_fail(error, GZ_STORAGE, "the folder cannot be read: %s", strerror(errno));
    for (struct dirent *entry; status == GZ_OK && (entry = readdir(folder)) != NULL;) {
        if (is_scene_file(entry->d_name, name))
            status = add_scene(setting, claims, list, &capacity, name);
    }
    closedir(folder);
    if (status != GZ_OK) return gz_fail(error, status, "no memory for the list");
    if (list->count > 0) qsort(list->scenes, list->count, sizeof *list->scenes, compare_names);
    return GZ_OK;
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

/* ---- after a crash ---- */

/* What stands beside NAME.db if that is gone: a crash came between, or the file was moved. */
static void tidy_scene(const struct gz_scenes *scenes, DIR *folder, const char *file)
{
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    const struct gz_log *log = scenes->setting->log;
    struct gz_error error;
    size_t size;
    const char *of = gz_store_beside(file, &size);
    if (of == NULL || !gz_scene_name_valid(of, size)) return;
    snprintf(name, sizeof name, "%.*s", (int)size, of);
    if (of == file && gz_scenes_have(scenes, name)) return;
    char *path = gz_scene_path(scenes->setting, name);
    enum gz_status status = path != NULL ? gz_store_tidy(path, &error) : GZ_NO_MEMORY;
    if (faccessat(dirfd(folder), file, F_OK, 0) != 0)
        gz_log(log, GZ_INFO, 0, "deleted %s, which a crash had left", file);
    else if (status == GZ_STORAGE)
        gz_log(log, GZ_WARN, 0, "%s", error.message);
    free(path);
}

void gz_folder_tidy(const struct gz_scenes *scenes)
{
    DIR *folder = opendir(scenes->setting->folder);
    if (folder == NULL) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (faccessat(dirfd(folder), entry->d_name, F_OK, 0) == 0)
            tidy_scene(scenes, folder, entry->d_name);
        if ((strncmp(entry->d_name, GZ_BACKUP_PREFIX, strlen(GZ_BACKUP_PREFIX)) == 0 ||
             strncmp(entry->d_name, GZ_BODY_PREFIX, strlen(GZ_BODY_PREFIX)) == 0) &&
            unlinkat(dirfd(folder), entry->d_name, 0) == 0)
            gz_log(scenes->setting->log, GZ_INFO, 0, "deleted %s, which a crash had left",
                   entry->d_name);
    }
    closedir(folder);
}
