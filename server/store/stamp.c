/* stamp.c - writes and reads the stamp of a file. See stamp.h. */
#include "store/stamp.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "store/gate.h"

#define ATTRIBUTE "user.gizmod"
#define STAMP_BYTES 128

/* False if there is no such file. The inode detects a replaced file; the size and the time detect a
 * changed one. */
static bool describe(const char *path, enum gz_stamp stamp, char words[STAMP_BYTES])
{
    struct stat file;
    if (lstat(path, &file) != 0) return false;
    unsigned long long inode = file.st_ino;
    if (stamp == GZ_STAMP_OPEN)
        snprintf(words, STAMP_BYTES, "open %llu", inode);
    else
        snprintf(words, STAMP_BYTES, "closed %llu %lld %lld.%09ld", inode, (long long)file.st_size,
                 (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
    return true;
}

static bool has(const char *path, enum gz_stamp stamp, const char *found)
{
    char words[STAMP_BYTES];
    return describe(path, stamp, words) && strcmp(words, found) == 0;
}

enum gz_stamp gz_stamp_read(const char *path)
{
    char found[STAMP_BYTES];
    ssize_t size = lgetxattr(path, ATTRIBUTE, found, sizeof found - 1);
    if (size < 0) return GZ_STAMP_NONE;
    found[size] = '\0';
    if (gz_has_log(path) && has(path, GZ_STAMP_OPEN, found)) return GZ_STAMP_OPEN;
    bool is_closed = !gz_log_holds(path) && has(path, GZ_STAMP_CLOSED, found);
    return is_closed ? GZ_STAMP_CLOSED : GZ_STAMP_NONE;
}

/* If this fails, the file is checked the next time. */
static void write_stamp(const char *path, enum gz_stamp stamp)
{
    char words[STAMP_BYTES];
    if (describe(path, stamp, words)) (void)lsetxattr(path, ATTRIBUTE, words, strlen(words), 0);
}

void gz_stamp_open(const char *path)
{
    write_stamp(path, GZ_STAMP_OPEN);
}

void gz_stamp_close(const char *path)
{
    if (!gz_log_holds(path)) write_stamp(path, GZ_STAMP_CLOSED);
}
