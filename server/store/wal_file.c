/* wal_file.c - the methods that SQLite calls for the log's file. See wal_file.h. */
#include "store/wal_file.h"

#include <string.h>

static struct gz_wal_file *wal_of(sqlite3_file *file)
{
    return (struct gz_wal_file *)(void *)file->pMethods;
}

/* Bytes from this place to the end of its block. */
static size_t room_after(sqlite3_int64 offset)
{
    return GZ_WAL_BLOCK_BYTES - (size_t)(offset % GZ_WAL_BLOCK_BYTES);
}

/* What could not be written is dropped: SQLite does not commit it. */
static int write_gathered(struct gz_wal_file *wal)
{
    const size_t size = wal->size;
    wal->size = 0;
    return size > 0 ? wal->own->xWrite(wal->file, wal->bytes, (int)size, wal->offset) : SQLITE_OK;
}

/* Adds bytes that end in the block in which they begin. */
static int gather(struct gz_wal_file *wal, const void *bytes, size_t size, sqlite3_int64 offset)
{
    int rc = SQLITE_OK;
    if (offset != wal->offset + (sqlite3_int64)wal->size) rc = write_gathered(wal);
    if (rc != SQLITE_OK) return rc;
    if (wal->size == 0) wal->offset = offset;
    memcpy(wal->bytes + wal->size, bytes, size);
    wal->size += size;
    return room_after(offset) == size ? write_gathered(wal) : SQLITE_OK;
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    const unsigned char *from = bytes;
    size_t left = (size_t)size;
    int rc = SQLITE_OK;
    while (rc == SQLITE_OK && left > 0) {
        const size_t room = room_after(offset), part = left < room ? left : room;
        rc = gather(wal_of(file), from, part, offset);
        from += part;
        offset += (sqlite3_int64)part;
        left -= part;
    }
    return rc;
}

static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    struct gz_wal_file *wal = wal_of(file);
    int rc = write_gathered(wal);
    return rc == SQLITE_OK ? wal->own->xRead(file, bytes, size, offset) : rc;
}

static int file_sync(sqlite3_file *file, int flags)
{
    struct gz_wal_file *wal = wal_of(file);
    int rc = write_gathered(wal);
    return rc == SQLITE_OK ? wal->own->xSync(file, flags) : rc;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    struct gz_wal_file *wal = wal_of(file);
    int rc = write_gathered(wal);
    return rc == SQLITE_OK ? wal->own->xFileSize(file, size) : rc;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct gz_wal_file *wal = wal_of(file);
    int rc = write_gathered(wal);
    return rc == SQLITE_OK ? wal->own->xTruncate(file, size) : rc;
}

void gz_wal_file_init(struct gz_wal_file *wal, sqlite3 *db)
{
    sqlite3_file *file = NULL;
    wal->file = NULL;
    wal->size = 0;
    wal->offset = 0;
    int rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (rc != SQLITE_OK || file == NULL || file->pMethods == NULL) return;
    /* Without this promise SQLite writes on after it has synchronized a commit. */
    const int device = file->pMethods->xDeviceCharacteristics(file);
    if ((device & SQLITE_IOCAP_POWERSAFE_OVERWRITE) == 0) return;
    wal->file = file;
    wal->own = file->pMethods;
    wal->methods = *wal->own;
    wal->methods.xRead = file_read;
    wal->methods.xWrite = file_write;
    wal->methods.xTruncate = file_truncate;
    wal->methods.xSync = file_sync;
    wal->methods.xFileSize = file_size;
    file->pMethods = &wal->methods;
}

void gz_wal_file_finish(struct gz_wal_file *wal)
{
    if (wal->file == NULL) return;
    (void)write_gathered(wal);
    wal->file->pMethods = wal->own;
    wal->file = NULL;
}
