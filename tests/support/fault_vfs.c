#include "support/fault_vfs.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>

/* SQLite gives no context to a file that is not opened yet: the state is the VFS's, and there is
 * one VFS. */
static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    atomic_int call, left, code, fired;
    atomic_bool is_once;
} shim;

struct file {
    sqlite3_file base;
    sqlite3_file *real; /* behind this struct */
};

static sqlite3_file *real(sqlite3_file *file)
{
    return ((struct file *)file)->real;
}

/* SQLITE_OK, or what this call is to fail with. */
static int strike(enum fault_call call)
{
    if (atomic_load(&shim.call) != (int)call) return SQLITE_OK;
    int left = atomic_fetch_sub(&shim.left, 1);
    if (left > 1 || (left < 1 && atomic_load(&shim.is_once))) return SQLITE_OK;
    atomic_fetch_add(&shim.fired, 1);
    return atomic_load(&shim.code);
}

static int file_close(sqlite3_file *file)
{
    return real(file)->pMethods->xClose(real(file));
}

static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    int rc = strike(FAULT_READ);
    return rc != SQLITE_OK ? rc : real(file)->pMethods->xRead(real(file), bytes, size, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    int rc = strike(FAULT_WRITE);
    if (rc == SQLITE_OK) return real(file)->pMethods->xWrite(real(file), bytes, size, offset);
    (void)real(file)->pMethods->xWrite(real(file), bytes, size / 2, offset);
    return rc;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int rc = strike(FAULT_TRUNCATE);
    return rc != SQLITE_OK ? rc : real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags)
{
    int rc = strike(FAULT_SYNC);
    return rc != SQLITE_OK ? rc : real(file)->pMethods->xSync(real(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int lock)
{
    return real(file)->pMethods->xLock(real(file), lock);
}

static int file_unlock(sqlite3_file *file, int lock)
{
    return real(file)->pMethods->xUnlock(real(file), lock);
}

static int file_check_lock(sqlite3_file *file, int *result)
{
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument)
{
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector(sqlite3_file *file)
{
    return real(file)->pMethods->xSectorSize(real(file));
}

static int file_device(sqlite3_file *file)
{
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory)
{
    int rc = strike(FAULT_SHM);
    return rc != SQLITE_OK ? rc
                           : real(file)->pMethods->xShmMap(real(file), page, size, extend, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file)
{
    real(file)->pMethods->xShmBarrier(real(file));
}

static int file_shm_unmap(sqlite3_file *file, int remove)
{
    return real(file)->pMethods->xShmUnmap(real(file), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_device,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                    int *out_flags)
{
    struct file *ours = (struct file *)file;
    (void)vfs;
    ours->base.pMethods = NULL;
    ours->real = (sqlite3_file *)(ours + 1);
    int rc = strike(FAULT_OPEN);
    if (rc == SQLITE_OK) rc = shim.real->xOpen(shim.real, name, ours->real, flags, out_flags);
    if (rc == SQLITE_OK) ours->base.pMethods = &methods;
    return rc;
}

void fault_vfs_register(void)
{
    shim.real = sqlite3_vfs_find(NULL);
    shim.vfs = *shim.real;
    shim.vfs.zName = "fault";
    shim.vfs.szOsFile = (int)sizeof(struct file) + shim.real->szOsFile;
    shim.vfs.xOpen = vfs_open;
    atomic_store(&shim.call, -1);
    sqlite3_vfs_register(&shim.vfs, 1);
}

void fault_vfs_arm(enum fault_call call, int n, int code, bool once)
{
    atomic_store(&shim.fired, 0);
    atomic_store(&shim.left, n);
    atomic_store(&shim.code, code);
    atomic_store(&shim.is_once, once);
    atomic_store(&shim.call, (int)call);
}

bool fault_vfs_heal(void)
{
    atomic_store(&shim.call, -1);
    return atomic_load(&shim.fired) > 0;
}
