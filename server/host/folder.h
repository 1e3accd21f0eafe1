/* folder.h - what a crash left in the data folder. Threads: the loop's. */
#ifndef GZ_HOST_FOLDER_H
#define GZ_HOST_FOLDER_H

#include "host/scenes.h"

/* Backups are made in the data folder, under names that no scene has, and are deleted once they are
 * open. */
#define GZ_BACKUP_PREFIX ".backup-"

/* Deletes what a crash in the middle of a backup, or of deleting or renaming a scene, left in the
 * folder. Before a scene is opened. */
void gz_folder_tidy(const struct gz_scenes *scenes);

#endif
