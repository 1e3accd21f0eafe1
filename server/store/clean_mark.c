/* clean_mark.c - writes and reads the marks of a file and its log. See clean_mark.h. */
#include "store/clean_mark.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "proto/base/status.h"
#include "store/file_check.h"
#include "store/wal.h"

#define ATTRIBUTE "user.gizmod"
#define MARK_BYTES (128 + GZ_ERROR_BYTES_MAX)

static const char *const closed_words[] = {[GZ_CLEAN_MARK_LEFT] = "left",
                                           [GZ_CLEAN_MARK_CLOSED] = "closed",
                                           [GZ_CLEAN_MARK_DAMAGED] = "damaged"};

/* False if there is no such file. The inode detects a replaced file; the size and the time detect a
 * changed one. */
static bool describe_closed(const char *path, enum gz_clean_mark mark, char words[MARK_BYTES])
{
    struct stat file;
    if (lstat(path, &file) != 0) return false;
    snprintf(words, MARK_BYTES, "%s %llu %lld %lld.%09ld", closed_words[mark],
             (unsigned long long)file.st_ino, (long long)file.st_size,
             (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
    return true;
}

/* SQLite changes one page of a file to give it a log, or to take it away. */
static bool describe_turning(const char *path, char words[MARK_BYTES])
{
    struct stat file;
    if (lstat(path, &file) != 0) return false;
    snprintf(words, MARK_BYTES, "turning %llu %lld", (unsigned long long)file.st_ino,
             (long long)file.st_size);
    return true;
}

/* Also detects a log that belongs to another file, or was written to by another program. `is_held`:
 * the log holds changes, so that what they begin with is known. */
static bool describe_log(const char *path, bool is_held, char words[MARK_BYTES])
{
    struct stat file;
    uint32_t life = 0;
    if (lstat(path, &file) != 0 || (is_held && !gz_wal_life(path, &life))) return false;
    int size = snprintf(words, MARK_BYTES, "log of %llu", (unsigned long long)file.st_ino);
    if (is_held) snprintf(words + size, MARK_BYTES - (size_t)size, " %" PRIu32, life);
    return true;
}

/* False if there is none. `ending` is that of the file beside the database, or "". */
static bool get(const char *path, const char *ending, char words[MARK_BYTES])
{
    char *file;
    if (asprintf(&file, "%s%s", path, ending) < 0) return false;
    ssize_t size = lgetxattr(file, ATTRIBUTE, words, MARK_BYTES - 1);
    free(file);
    words[size > 0 ? size : 0] = '\0';
    return size > 0;
}

/* If this fails, the file is checked the next time. */
static void set(const char *path, const char *ending, const char *words)
{
    char *file;
    if (asprintf(&file, "%s%s", path, ending) < 0) return;
    (void)lsetxattr(file, ATTRIBUTE, words, strlen(words), 0);
    free(file);
}

/* Whether the log is the one that the server had open. Until its first commit was marked, and if
 * its header is damaged, it is only known to belong to the file. */
static bool has_its_log(const char *path)
{
    char found[MARK_BYTES], words[MARK_BYTES];
    if (!get(path, "-wal", found)) return false;
    if (describe_log(path, false, words) && strcmp(words, found) == 0) return true;
    const size_t size = strlen(words);
    uint32_t life;
    if (!gz_wal_life(path, &life)) return strncmp(words, found, size) == 0 && found[size] == ' ';
    return describe_log(path, true, words) && strcmp(words, found) == 0;
}

static bool read_open(const char *path, const char *words, struct gz_clean_marked *marked)
{
    struct stat file;
    unsigned long long inode;
    if (sscanf(words, "open %llu %" SCNu64 " %" SCNu64, &inode, &marked->epoch_least,
               &marked->epoch_most) != 3 ||
        lstat(path, &file) != 0 || inode != file.st_ino || !has_its_log(path))
        return false;
    marked->mark = GZ_CLEAN_MARK_OPEN;
    marked->is_synced = marked->epoch_least == marked->epoch_most;
    return true;
}

/* A file without changes in its log. While it was turning there may be a journal, which is rolled
 * back. `words` end where the damage begins. */
static void read_closed(const char *path, char *words, struct gz_clean_marked *marked)
{
    char now[MARK_BYTES];
    char *damage = strchr(words, '\n');
    if (damage != NULL) *damage++ = '\0';
    if (describe_turning(path, now) && strcmp(now, words) == 0) marked->mark = GZ_CLEAN_MARK_LEFT;
    if (gz_log_holds(path)) return;
    for (int mark = GZ_CLEAN_MARK_LEFT; mark <= GZ_CLEAN_MARK_DAMAGED; mark++) {
        if (!describe_closed(path, (enum gz_clean_mark)mark, now) || strcmp(now, words) != 0)
            continue;
        marked->mark = (enum gz_clean_mark)mark;
        gz_print(marked->damage, sizeof marked->damage, "%s", damage != NULL ? damage : "");
    }
}

struct gz_clean_marked gz_clean_mark_read(const char *path)
{
    struct gz_clean_marked marked = {.mark = GZ_CLEAN_MARK_NONE};
    char words[MARK_BYTES];
    if (!get(path, "", words) || read_open(path, words, &marked)) return marked;
    if (!gz_wal_holds(path)) read_closed(path, words, &marked);
    return marked;
}

void gz_clean_mark_turn(const char *path)
{
    char words[MARK_BYTES];
    if (!gz_wal_holds(path) && describe_turning(path, words)) set(path, "", words);
}

void gz_clean_mark_open(const char *path, uint64_t epoch_least, uint64_t epoch_most)
{
    char words[MARK_BYTES];
    struct stat file;
    if (lstat(path, &file) != 0) return;
    if (describe_log(path, gz_wal_holds(path), words)) set(path, "-wal", words);
    snprintf(words, sizeof words, "open %llu %" PRIu64 " %" PRIu64, (unsigned long long)file.st_ino,
             epoch_least, epoch_most);
    set(path, "", words);
}

void gz_clean_mark_close(const char *path, enum gz_clean_mark mark, const char *damage)
{
    char words[MARK_BYTES];
    if (gz_log_holds(path) || !describe_closed(path, mark, words)) return;
    size_t size = strlen(words);
    if (mark == GZ_CLEAN_MARK_DAMAGED) snprintf(words + size, sizeof words - size, "\n%s", damage);
    set(path, "", words);
}
