/* power_vfs.h - a SQLite VFS over the real one that can lose power: of what was written since a
 * file's last feed, each sector is kept or lost on its own, in any order. A removed file is gone at
 * once. Nothing is synced to the real disk, so that ten thousand cuts take minutes. It becomes the
 * default when registered. Threads: any. */
#ifndef GZ_TEST_POWER_VFS_H
#define GZ_TEST_POWER_VFS_H

#include <stdbool.h>
#include <stdint.h>

/* Registers it as the default VFS; once per process. */
void power_vfs_register(void);

/* Whether the device promises that a write leaves the bytes beside it intact, as SQLite assumes of
 * real ones; false at first. For files that are opened from now on. */
void power_vfs_promise(bool is_kept_beside);

/* At the n-th write, feed or truncation from now (1 is the next) the power goes: that call and all
 * later ones fail. 0: never. */
void power_vfs_cut_at(int n);
bool power_vfs_is_cut(void);

/* To be called when every file is closed: leaves in the files what a disk with sectors of this size
 * may have after the cut, and turns the power on again. Without a cut the files stay as they
 * are. */
void power_vfs_settle(uint64_t seed, unsigned sector_bytes);

#endif
