/* clean_mark.h - the mark that the last server left on a scene's file: an extended attribute,
 * which moves with the file and is not copied with it. On a file system without such attributes
 * each opening costs a check. The mark guards against accidents, not against attacks: a user that
 * can write the file can write the mark. Threads: any.
 *
 * A server that opens a file calls gz_clean_mark_turn, has SQLite make the log, and calls
 * gz_clean_mark_open before it writes to it, and again when the log holds the epoch that begins. At
 * the end it empties the log, calls gz_clean_mark_turn, has SQLite delete the log, and calls
 * gz_clean_mark_close. So a crash at any moment leaves a mark that says what the server left. */
#ifndef GZ_STORE_CLEAN_MARK_H
#define GZ_STORE_CLEAN_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/limits.h"

enum gz_clean_mark {
    GZ_CLEAN_MARK_NONE,   /* none that is valid: the file comes from elsewhere, or was changed since
                           */
    GZ_CLEAN_MARK_OPEN,   /* a server had this file and this log open, and crashed */
    GZ_CLEAN_MARK_LEFT,   /* a server left this file without a log, and a crash before that was not
                        followed by a whole check */
    GZ_CLEAN_MARK_CLOSED, /* a server closed this file, which was whole, and it was not written
                             since */
    GZ_CLEAN_MARK_DAMAGED, /* a server closed this file, in which it had found damage */
};

struct gz_clean_marked {
    enum gz_clean_mark mark;
    bool is_synced; /* GZ_CLEAN_MARK_OPEN: each commit was on the disk before the next one began */
    /* GZ_CLEAN_MARK_OPEN: the least and the largest number that the file's last epoch may have;
     * with any other it is another file. */
    uint64_t epoch_least, epoch_most;
    char damage[GZ_ERROR_BYTES_MAX]; /* GZ_CLEAN_MARK_DAMAGED: what was found */
};

struct gz_clean_marked gz_clean_mark_read(const char *path);
/* SQLite is about to give the file a log, or to take its log away. A crash meanwhile leaves
 * GZ_CLEAN_MARK_LEFT. Does nothing if the log holds changes: who takes it away has it emptied
 * first. */
void gz_clean_mark_turn(const char *path);
/* The file has its log. What changes that holds are known to be the server's. With one epoch alone
 * it says that each commit is synchronized from now on. */
void gz_clean_mark_open(const char *path, uint64_t epoch_least, uint64_t epoch_most);
/* The file is closed, and has no log: LEFT, CLOSED, or DAMAGED with what was found. Does nothing if
 * the log still holds changes. */
void gz_clean_mark_close(const char *path, enum gz_clean_mark mark, const char *damage);

#endif
