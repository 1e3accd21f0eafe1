/* folder.h - the data folder as a whole: the list of its scenes, and what a crash left in it.
 * Threads: as said at each function. */
#ifndef GZ_HOST_FOLDER_H
#define GZ_HOST_FOLDER_H

#include "host/scenes.h"

/* Backups are made in the data folder, under names that no scene has, and are deleted once they are
 * open. */
#define GZ_BACKUP_PREFIX ".backup-"

struct gz_scene_list {
    struct gz_listed_scene *scenes;
    size_t count;
};

/* Reads the files of the folder, ordered by name; one that cannot be read is left out with a line
 * in the log, and what somebody with these claims may not see without one. Any thread. GZ_STORAGE,
 * GZ_NO_MEMORY; `list` is to be finished in any case. */
GZ_MUST_USE enum gz_status gz_folder_list(const struct gz_scene_setting *setting,
                                          const struct gz_claims *claims,
                                          struct gz_scene_list *list, struct gz_error *error);
/* Appends the list as JSON, with what is known better of the scenes that are open. The loop's
 * thread. False without memory. */
bool gz_scene_list_print(struct gz_scene_list *list, const struct gz_scenes *scenes,
                         struct gz_buffer *out);
void gz_scene_list_finish(struct gz_scene_list *list);

/* Deletes what a crash in the middle of a backup, or of deleting or renaming a scene, left in the
 * folder. Before a scene is opened. */
void gz_folder_tidy(const struct gz_scenes *scenes);

#endif
