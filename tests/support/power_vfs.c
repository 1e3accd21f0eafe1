/* power_vfs.c - a SQLite VFS that loses power. See power_vfs.h. */
#include "support/power_vfs.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/grow.h"
#include "support/shim_vfs.h"

#define DISKS_MAX 8

/* A write (`bytes` is not NULL) or a truncation to `offset` that was not synced yet. */
struct operation {
    unsigned char *bytes;
    sqlite3_int64 offset;
    int size;
};

/* The bytes of one file that are on the disk, and the writes that are not synced yet. */
struct disk {
    char *path;
    unsigned char *bytes;
    size_t size, capacity;
    struct operation *pending;
    size_t pending_count, pending_capacity;
};

static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    sqlite3_io_methods methods;
    pthread_mutex_t mutex;
    struct disk disks[DISKS_MAX];
    int left; /* calls until the cut; 0 for none */
    bool is_cut, is_kept_beside;
} power = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Whether this call still has power. */
static bool spend(void)
{
    if (power.left > 0 && --power.left == 0) power.is_cut = true;
    return !power.is_cut;
}

static void resize(struct disk *disk, size_t size)
{
    if (size > disk->capacity || disk->bytes == NULL) {
        disk->capacity = 2 * size + 4096;
        disk->bytes = realloc(disk->bytes, disk->capacity);
        assert(disk->bytes != NULL);
    }
    if (size > disk->size) memset(disk->bytes + disk->size, 0, size - disk->size);
    disk->size = size;
}

static void put(struct disk *disk, const unsigned char *bytes, size_t size, size_t offset)
{
    if (offset + size > disk->size) resize(disk, offset + size);
    memcpy(disk->bytes + offset, bytes, size);
}

static void forget_pending(struct disk *disk)
{
    for (size_t i = 0; i < disk->pending_count; i++) free(disk->pending[i].bytes);
    disk->pending_count = 0;
}

static void remember(struct disk *disk, const void *bytes, int size, sqlite3_int64 offset)
{
    disk->pending = grow(disk->pending, &disk->pending_capacity, disk->pending_count + 1,
                         sizeof *disk->pending);
    struct operation operation = {.offset = offset, .size = size};
    if (bytes != NULL) {
        operation.bytes = malloc((size_t)size + 1);
        assert(operation.bytes != NULL);
        memcpy(operation.bytes, bytes, (size_t)size);
    }
    disk->pending[disk->pending_count++] = operation;
}

static void apply(struct disk *disk, const struct operation *operation)
{
    if (operation->bytes != NULL)
        put(disk, operation->bytes, (size_t)operation->size, (size_t)operation->offset);
    else
        resize(disk, (size_t)operation->offset);
}

static void sync_disk(struct disk *disk)
{
    for (size_t i = 0; i < disk->pending_count; i++) apply(disk, &disk->pending[i]);
    forget_pending(disk);
}

/* ---- the file's methods ---- */

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    struct disk *disk = ((struct shim_file *)file)->own;
    pthread_mutex_lock(&power.mutex);
    bool was_on = !power.is_cut, has_power = spend();
    /* A part of the write during which the power goes may be on the disk. */
    if (disk != NULL && was_on) remember(disk, bytes, size, offset);
    pthread_mutex_unlock(&power.mutex);
    return has_power ? shim_real(file)->pMethods->xWrite(shim_real(file), bytes, size, offset)
                     : SQLITE_IOERR_WRITE;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct disk *disk = ((struct shim_file *)file)->own;
    pthread_mutex_lock(&power.mutex);
    bool has_power = spend();
    if (disk != NULL && has_power) remember(disk, NULL, 0, size);
    pthread_mutex_unlock(&power.mutex);
    return has_power ? shim_real(file)->pMethods->xTruncate(shim_real(file), size)
                     : SQLITE_IOERR_TRUNCATE;
}

static int file_sync(sqlite3_file *file, int flags)
{
    (void)flags;
    struct disk *disk = ((struct shim_file *)file)->own;
    pthread_mutex_lock(&power.mutex);
    bool has_power = spend();
    if (disk != NULL && has_power) sync_disk(disk);
    pthread_mutex_unlock(&power.mutex);
    return has_power ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

static int file_device(sqlite3_file *file)
{
    (void)file;
    return power.is_kept_beside ? SQLITE_IOCAP_POWERSAFE_OVERWRITE : 0;
}

/* ---- the VFS ---- */

static struct disk *find_disk(const char *path)
{
    for (size_t i = 0; i < DISKS_MAX; i++)
        if (power.disks[i].path != NULL && strcmp(power.disks[i].path, path) == 0)
            return &power.disks[i];
    return NULL;
}

/* A file that is seen for the first time is on the disk as it is. */
static struct disk *add_disk(const char *path)
{
    for (size_t i = 0; i < DISKS_MAX; i++) {
        struct disk *disk = &power.disks[i];
        if (disk->path != NULL) continue;
        disk->path = strdup(path);
        FILE *file = fopen(path, "rb");
        unsigned char bytes[4096];
        size_t size;
        while (file != NULL && (size = fread(bytes, 1, sizeof bytes, file)) > 0)
            put(disk, bytes, size, disk->size);
        if (file != NULL) fclose(file);
        return disk;
    }
    assert(!"too many files");
    return NULL;
}

static void remove_disk(struct disk *disk)
{
    forget_pending(disk);
    free(disk->pending);
    free(disk->bytes);
    free(disk->path);
    *disk = (struct disk){0};
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                    int *out_flags)
{
    (void)vfs;
    int rc = shim_open(power.real, name, file, flags, out_flags);
    if (rc != SQLITE_OK) return rc;
    file->pMethods = &power.methods;
    pthread_mutex_lock(&power.mutex);
    if (name != NULL &&
        (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0) {
        struct disk *disk = find_disk(name);
        ((struct shim_file *)file)->own = disk != NULL ? disk : add_disk(name);
    }
    pthread_mutex_unlock(&power.mutex);
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int feed)
{
    (void)vfs;
    pthread_mutex_lock(&power.mutex);
    bool has_power = spend();
    struct disk *disk = find_disk(name);
    if (has_power && disk != NULL) remove_disk(disk);
    pthread_mutex_unlock(&power.mutex);
    return has_power ? power.real->xDelete(power.real, name, feed) : SQLITE_IOERR_DELETE;
}

void power_vfs_register(void)
{
    power.real = shim_copy(&power.vfs, "power");
    power.methods = shim_methods;
    power.methods.xWrite = file_write;
    power.methods.xTruncate = file_truncate;
    power.methods.xSync = file_sync;
    power.methods.xDeviceCharacteristics = file_device;
    power.vfs.xOpen = vfs_open;
    power.vfs.xDelete = vfs_delete;
    sqlite3_vfs_register(&power.vfs, 1);
}

void power_vfs_promise(bool is_kept_beside)
{
    power.is_kept_beside = is_kept_beside;
}

void power_vfs_cut_at(int n)
{
    pthread_mutex_lock(&power.mutex);
    power.left = n;
    pthread_mutex_unlock(&power.mutex);
}

bool power_vfs_is_cut(void)
{
    pthread_mutex_lock(&power.mutex);
    bool is_cut = power.is_cut;
    pthread_mutex_unlock(&power.mutex);
    return is_cut;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Keeps random sectors of one write. A truncation is kept as a whole, or not at all. */
static void apply_in_part(struct disk *disk, const struct operation *operation, uint64_t *random,
                          unsigned sector)
{
    if (operation->bytes == NULL) {
        if (next_random(random) % 2 == 0) resize(disk, (size_t)operation->offset);
        return;
    }
    size_t at = (size_t)operation->offset, end = at + (size_t)operation->size;
    while (at < end) {
        size_t stop = (at / sector + 1) * sector < end ? (at / sector + 1) * sector : end;
        if (next_random(random) % 2 == 0)
            put(disk, operation->bytes + (at - (size_t)operation->offset), stop - at, at);
        at = stop;
    }
}

static void settle_disk(struct disk *disk, uint64_t *random, unsigned sector)
{
    for (size_t i = disk->pending_count; i > 1; i--) {
        size_t other = next_random(random) % i;
        struct operation swap = disk->pending[i - 1];
        disk->pending[i - 1] = disk->pending[other];
        disk->pending[other] = swap;
    }
    for (size_t i = 0; i < disk->pending_count; i++)
        apply_in_part(disk, &disk->pending[i], random, sector);
    FILE *file = fopen(disk->path, "wb");
    assert(file != NULL);
    size_t written = disk->size > 0 ? fwrite(disk->bytes, 1, disk->size, file) : 0;
    assert(written == disk->size);
    (void)written;
    fclose(file);
}

void power_vfs_settle(uint64_t seed, unsigned sector_bytes)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (size_t i = 0; i < DISKS_MAX; i++) {
        struct disk *disk = &power.disks[i];
        if (disk->path == NULL) continue;
        if (power.is_cut) settle_disk(disk, &random, sector_bytes);
        remove_disk(disk);
    }
    power.is_cut = false;
    power.left = 0;
}
