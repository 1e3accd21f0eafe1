/* wal_read.c - reads the pages of a log. Its format: sqlite.org/fileformat2.html#walformat. */
#include "store/wal_read.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/status.h"
#include "store/gate.h"

#define HEADER_BYTES 32
#define FRAME_HEADER_BYTES 24
#define PAGE_BYTES_MAX 65536
/* The last bit says whether checksums are of big-endian numbers. */
#define MAGIC 0x377f0682U
/* Places in the header, and in that of a frame. */
#define PAGE_SIZE_AT 8
#define BEGUN_AT 12
#define SALTS_AT 16
#define SUMMED_BYTES 24
#define COMMIT_AT 4
#define FRAME_SALTS_AT 8
#define FRAME_SUMMED_BYTES 8
#define FRAME_SUM_AT 16
#define SALTS_BYTES 8
/* A server that writes meanwhile may begin the log anew. */
#define TRIES 5

struct sum {
    uint32_t a, b;
};

struct wal {
    int file;
    uint64_t frames;
    size_t page_bytes;
    uint8_t header[HEADER_BYTES];
    uint8_t frame[FRAME_HEADER_BYTES + PAGE_BYTES_MAX];
};

static uint32_t number(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static struct sum sum_at(const uint8_t *bytes)
{
    return (struct sum){number(bytes), number(bytes + 4)};
}

static bool is_same(struct sum one, struct sum other)
{
    return one.a == other.a && one.b == other.b;
}

/* `size` is a multiple of eight. */
static struct sum add(const struct wal *wal, struct sum sum, const uint8_t *bytes, size_t size)
{
    const bool is_big = (number(wal->header) & 1) != 0;
    for (size_t i = 0; i < size; i += 8) {
        uint32_t first = number(bytes + i), second = number(bytes + i + 4);
        if (!is_big) {
            first = __builtin_bswap32(first);
            second = __builtin_bswap32(second);
        }
        sum.a += first + sum.b;
        sum.b += second + sum.a;
    }
    return sum;
}

static int open_log(const char *path)
{
    char *name;
    if (asprintf(&name, "%s-wal", path) < 0) return -1;
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    free(name);
    return file;
}

static bool read_header(int file, uint8_t header[HEADER_BYTES])
{
    return pread(file, header, HEADER_BYTES, 0) == HEADER_BYTES;
}

static bool is_header(const struct wal *wal)
{
    const size_t size = number(wal->header + PAGE_SIZE_AT);
    return (number(wal->header) & ~1U) == MAGIC && size >= 512 && size <= PAGE_BYTES_MAX &&
           (size & (size - 1)) == 0 &&
           is_same(add(wal, (struct sum){0, 0}, wal->header, SUMMED_BYTES),
                   sum_at(wal->header + SUMMED_BYTES));
}

/* Counting from 0. */
static bool read_frame(struct wal *wal, uint64_t which)
{
    const size_t size = FRAME_HEADER_BYTES + wal->page_bytes;
    return pread(wal->file, wal->frame, size, (off_t)(HEADER_BYTES + which * size)) ==
           (ssize_t)size;
}

/* The frame that was read: whether it was written since the log began anew; whether it follows what
 * has this sum; whether it ends a commit. */
static bool is_of_log(const struct wal *wal)
{
    return memcmp(wal->frame + FRAME_SALTS_AT, wal->header + SALTS_AT, SALTS_BYTES) == 0;
}

static bool follows(const struct wal *wal, struct sum sum)
{
    sum = add(wal, sum, wal->frame, FRAME_SUMMED_BYTES);
    sum = add(wal, sum, wal->frame + FRAME_HEADER_BYTES, wal->page_bytes);
    return is_of_log(wal) && is_same(sum, sum_at(wal->frame + FRAME_SUM_AT));
}

static bool ends_commit(const struct wal *wal)
{
    return number(wal->frame + COMMIT_AT) != 0;
}

/* The first frame that SQLite will not read. */
static uint64_t find_break(struct wal *wal)
{
    struct sum sum = sum_at(wal->header + SUMMED_BYTES);
    uint64_t which = 0;
    while (which < wal->frames && read_frame(wal, which) && follows(wal, sum)) {
        sum = sum_at(wal->frame + FRAME_SUM_AT);
        which++;
    }
    return which;
}

/* How many commits from this frame on were followed by another one: each begins once the one before
 * is on the disk. Frames that a refused commit left do not follow one another. A commit may end
 * with copies of its last frame, which fill the disk's sector. */
static uint64_t count_lost(struct wal *wal, uint64_t from)
{
    uint8_t last[FRAME_HEADER_BYTES] = {0};
    uint64_t lost = 0;
    bool was_commit = false; /* one that cannot be read */
    if (from > 0 && read_frame(wal, from - 1)) memcpy(last, wal->frame, sizeof last);
    for (uint64_t which = from; which < wal->frames && read_frame(wal, which); which++) {
        if (memcmp(last, wal->frame, FRAME_SUMMED_BYTES) != 0) {
            lost += was_commit && follows(wal, sum_at(last + FRAME_SUM_AT));
            was_commit = is_of_log(wal) && ends_commit(wal);
        }
        memcpy(last, wal->frame, sizeof last);
    }
    return lost;
}

static void check(struct wal *wal, const char *name, char fault[GZ_ERROR_BYTES_MAX])
{
    struct stat info;
    if (!read_header(wal->file, wal->header) || fstat(wal->file, &info) != 0) return;
    if (!is_header(wal)) {
        gz_print(fault, GZ_ERROR_BYTES_MAX, "the header of %s-wal is damaged", name);
        return;
    }
    wal->page_bytes = number(wal->header + PAGE_SIZE_AT);
    wal->frames = ((uint64_t)info.st_size - HEADER_BYTES) / (FRAME_HEADER_BYTES + wal->page_bytes);
    const uint64_t broken = find_break(wal), lost = count_lost(wal, broken);
    if (lost > 0)
        gz_print(fault, GZ_ERROR_BYTES_MAX,
                 "page %llu of %s-wal is damaged, so that %llu commits after it cannot be read",
                 (unsigned long long)broken + 1, name, (unsigned long long)lost);
}

static bool has_begun_anew(const struct wal *wal)
{
    uint8_t now[HEADER_BYTES];
    return !read_header(wal->file, now) || memcmp(now, wal->header, HEADER_BYTES) != 0;
}

void gz_wal_check(const char *path, char fault[GZ_ERROR_BYTES_MAX])
{
    struct wal *wal = calloc(1, sizeof *wal);
    fault[0] = '\0';
    if (wal == NULL) return;
    wal->file = open_log(path);
    bool is_sure = wal->file < 0;
    for (int i = 0; i < TRIES && !is_sure; i++) {
        fault[0] = '\0';
        check(wal, gz_db_file_name(path), fault);
        is_sure = fault[0] == '\0' || !has_begun_anew(wal);
    }
    if (!is_sure) fault[0] = '\0';
    if (wal->file >= 0) close(wal->file);
    free(wal);
}

bool gz_wal_holds(const char *path)
{
    struct stat info;
    char *name;
    if (asprintf(&name, "%s-wal", path) < 0) return true;
    bool holds = lstat(name, &info) == 0 && info.st_size > 0;
    free(name);
    return holds;
}

/* Each time that the log begins anew SQLite adds 1 to the count in its header and to the first
 * salt. */
bool gz_wal_life(const char *path, uint32_t *life)
{
    struct wal *wal = calloc(1, sizeof *wal);
    int file = wal != NULL ? open_log(path) : -1;
    bool is_read = file >= 0 && read_header(file, wal->header) && is_header(wal);
    if (is_read) *life = number(wal->header + SALTS_AT) - number(wal->header + BEGUN_AT);
    if (file >= 0) close(file);
    free(wal);
    return is_read;
}
