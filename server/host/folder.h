/* folder.h - cleans up the data folder after a crash. Threads: the loop's. */
#ifndef GZ_HOST_FOLDER_H
#define GZ_HOST_FOLDER_H

#include "host/scenes.h"

/* The prefix of backups, which are made in the data folder and deleted once they are open. */
#define GZ_BACKUP_PREFIX ".backup-"

/* Deletes what a crash during a backup, or during deleting or renaming a scene, left in the folder.
 * Call it before a scene is opened. */
void gz_folder_tidy(const struct gz_scenes *scenes);

#endif
