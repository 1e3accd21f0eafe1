/* shim_vfs.c - a SQLite VFS that hands each call on. See shim_vfs.h. */
#include "support/shim_vfs.h"

#include <stddef.h>

sqlite3_file *shim_real(sqlite3_file *file)
{
    return ((struct shim_file *)file)->real;
}

static int file_close(sqlite3_file *file)
{
    return shim_real(file)->pMethods->xClose(shim_real(file));
}

static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    return shim_real(file)->pMethods->xRead(shim_real(file), bytes, size, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    return shim_real(file)->pMethods->xWrite(shim_real(file), bytes, size, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return shim_real(file)->pMethods->xTruncate(shim_real(file), size);
}

static int file_sync(sqlite3_file *file, int flags)
{
    return shim_real(file)->pMethods->xSync(shim_real(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return shim_real(file)->pMethods->xFileSize(shim_real(file), size);
}

static int file_lock(sqlite3_file *file, int lock)
{
    return shim_real(file)->pMethods->xLock(shim_real(file), lock);
}

static int file_unlock(sqlite3_file *file, int lock)
{
    return shim_real(file)->pMethods->xUnlock(shim_real(file), lock);
}

static int file_check_lock(sqlite3_file *file, int *result)
{
    return shim_real(file)->pMethods->xCheckReservedLock(shim_real(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument)
{
    return shim_real(file)->pMethods->xFileControl(shim_real(file), operation, argument);
}

static int file_sector(sqlite3_file *file)
{
    return shim_real(file)->pMethods->xSectorSize(shim_real(file));
}

static int file_device(sqlite3_file *file)
{
    return shim_real(file)->pMethods->xDeviceCharacteristics(shim_real(file));
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory)
{
    return shim_real(file)->pMethods->xShmMap(shim_real(file), page, size, extend, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return shim_real(file)->pMethods->xShmLock(shim_real(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file)
{
    shim_real(file)->pMethods->xShmBarrier(shim_real(file));
}

static int file_shm_unmap(sqlite3_file *file, int remove)
{
    return shim_real(file)->pMethods->xShmUnmap(shim_real(file), remove);
}

const sqlite3_io_methods shim_methods = {
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

sqlite3_vfs *shim_copy(sqlite3_vfs *vfs, const char *name)
{
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    *vfs = *real;
    vfs->zName = name;
    vfs->szOsFile = (int)sizeof(struct shim_file) + real->szOsFile;
    return real;
}

int shim_open(sqlite3_vfs *real, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
    struct shim_file *ours = (struct shim_file *)file;
    *ours = (struct shim_file){.real = (sqlite3_file *)(ours + 1)};
    return real->xOpen(real, name, ours->real, flags, out_flags);
}
