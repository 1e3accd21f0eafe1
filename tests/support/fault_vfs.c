/* fault_vfs.c - a SQLite VFS in which chosen calls fail. See fault_vfs.h. */
#include "support/fault_vfs.h"

#include <stdatomic.h>
#include <stddef.h>

#include "support/shim_vfs.h"

/* SQLite gives no context to a file that is not opened yet: the state is the VFS's, and there is
 * one VFS. */
static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    sqlite3_io_methods methods;
    atomic_int call, left, code, fired;
    atomic_bool is_once;
} shim;

/* SQLITE_OK, or what this call is to fail with. */
static int strike(enum fault_call call)
{
    if (atomic_load(&shim.call) != (int)call) return SQLITE_OK;
    int left = atomic_fetch_sub(&shim.left, 1);
    if (left > 1 || (left < 1 && atomic_load(&shim.is_once))) return SQLITE_OK;
    atomic_fetch_add(&shim.fired, 1);
    return atomic_load(&shim.code);
}

static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    int rc = strike(FAULT_READ);
    return rc != SQLITE_OK ? rc
                           : shim_real(file)->pMethods->xRead(shim_real(file), bytes, size, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    int rc = strike(FAULT_WRITE);
    if (rc == SQLITE_OK)
        return shim_real(file)->pMethods->xWrite(shim_real(file), bytes, size, offset);
    (void)shim_real(file)->pMethods->xWrite(shim_real(file), bytes, size / 2, offset);
    return rc;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int rc = strike(FAULT_TRUNCATE);
    return rc != SQLITE_OK ? rc : shim_real(file)->pMethods->xTruncate(shim_real(file), size);
}

static int file_sync(sqlite3_file *file, int flags)
{
    int rc = strike(FAULT_SYNC);
    return rc != SQLITE_OK ? rc : shim_real(file)->pMethods->xSync(shim_real(file), flags);
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory)
{
    int rc = strike(FAULT_SHM);
    return rc != SQLITE_OK
               ? rc
               : shim_real(file)->pMethods->xShmMap(shim_real(file), page, size, extend, memory);
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                    int *out_flags)
{
    (void)vfs;
    file->pMethods = NULL;
    int rc = strike(FAULT_OPEN);
    if (rc == SQLITE_OK) rc = shim_open(shim.real, name, file, flags, out_flags);
    if (rc == SQLITE_OK) file->pMethods = &shim.methods;
    return rc;
}

void fault_vfs_register(void)
{
    shim.real = shim_copy(&shim.vfs, "fault");
    shim.vfs.xOpen = vfs_open;
    shim.methods = shim_methods;
    shim.methods.xRead = file_read;
    shim.methods.xWrite = file_write;
    shim.methods.xTruncate = file_truncate;
    shim.methods.xSync = file_sync;
    shim.methods.xShmMap = file_shm_map;
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
