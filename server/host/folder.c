/* folder.c - deletes what a crash left in the data folder. See folder.h. */
#include "host/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/name.h"

/* Whether a crash may have come before NAME.db became a scene. */
static bool may_be_unmade(DIR *folder, const char *file, size_t *size)
{
    struct stat info;
    const size_t whole = strlen(file), ending = strlen(".db");
    *size = whole > ending ? whole - ending : 0;
    return *size > 0 && strcmp(file + *size, ".db") == 0 &&
           fstatat(dirfd(folder), file, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
           info.st_size <= GZ_UNMADE_BYTES_MAX;
}

/* Deletes what did not become a scene, and files beside a NAME.db that is gone, because of a crash
 * or because it was moved. */
static void tidy_scene(const struct gz_scenes *scenes, DIR *folder, const char *file)
{
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    const struct gz_log *log = scenes->setting->log;
    struct gz_error error;
    size_t size;
    const bool is_unmade = may_be_unmade(folder, file, &size);
    const char *of = is_unmade ? file : gz_store_beside(file, &size);
    if (of == NULL || !gz_scene_name_valid(of, size)) return;
    snprintf(name, sizeof name, "%.*s", (int)size, of);
    if (of == file && !is_unmade && gz_scenes_have(scenes, name)) return;
    char *path = gz_scene_path(scenes->setting, name);
    enum gz_status status = path != NULL ? gz_store_tidy(path, &error) : GZ_NO_MEMORY;
    if (faccessat(dirfd(folder), file, F_OK, 0) != 0)
        gz_log(log, GZ_INFO, 0, "deleted %s, left over from a crash", file);
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
            gz_log(scenes->setting->log, GZ_INFO, 0, "deleted %s, left over from a crash",
                   entry->d_name);
    }
    closedir(folder);
}
