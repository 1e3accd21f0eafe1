/* fault_vfs.h - a SQLite VFS over the real one that makes chosen calls fail: a full disk, a dying
 * one, and a power cut's short writes. It becomes the default when registered, so that the code
 * under test opens files as ever. Threads: any; counters are atomic. */
#ifndef GZ_TEST_FAULT_VFS_H
#define GZ_TEST_FAULT_VFS_H

#include <stdbool.h>

enum fault_call {
    FAULT_WRITE,
    FAULT_SYNC,
    FAULT_TRUNCATE,
    FAULT_READ,
    FAULT_OPEN,
    FAULT_SHM, /* mapping the shared memory of the write-ahead log */
    FAULT_CALL_COUNT
};

/* Registers it as the default VFS; once per process. */
void fault_vfs_register(void);

/* From the n-th such call on (1 is the next), calls of this kind return the SQLite code `code`,
 * until healed; with `once` only that one does. A failing write has by then written the first half
 * of its bytes. */
void fault_vfs_arm(enum fault_call call, int n, int code, bool once);
/* All calls succeed again. Returns whether any had failed since it was armed. */
bool fault_vfs_heal(void);

#endif
