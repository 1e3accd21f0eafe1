/* ship.h - replicates a scene's file to other machines: the store sends each transaction as one
 * change to a log elsewhere before it commits, and an applier writes the changes of the log into
 * another file. Two files with the same place are equal row by row.
 *
 * A change is a changeset of SQLite's session extension. Changes are numbered without gaps. The
 * place of a file is the number of the last change in it: the column scene.log_n, which moves
 * within the transaction of the change. The column scene.log_first is the number of the log's first
 * change, and identifies the log. A copy of a file (gz_store_backup) has the same place; the next
 * number is the first change after it. Place 0 belongs to a file that never was in a log, to an
 * empty scene, and to a file that a store opened without shipping, because it may differ from its
 * log since.
 *
 * A build cannot apply the changes of another schema version.
 *
 * Errors name files, not folders. GZ_STORAGE with SQLite's message, unless said otherwise. */
#ifndef GZ_STORE_SHIP_H
#define GZ_STORE_SHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"

/* Where the changes of an open store go: gz_store_options. */
struct gz_shipping {
    void *context;
    /* A file whose place is not past this one begins a new log, with the next number; any other
     * file continues its log. */
    uint64_t from;
    /* Appends change n, the one after the file's place, to the log. Called before COMMIT, on the
     * thread that writes: the opener's within gz_store_open, else the store's writer. May block.
     * The bytes are the caller's. GZ_OK: the change is in the log for good. If COMMIT then fails,
     * the file lacks a change of the log: the store is_gone, and the batches of the change never
     * come back from gz_store_take, because no client may be told that they failed. GZ_BAD_STATE:
     * another writer has the log, and the change is not in it. Nothing is committed, the batches
     * come back with this error, and the store is_gone. GZ_INTERNAL: it is unknown whether the
     * change is in the log, or will be. Nothing is committed, and the store goes on as after a
     * failed COMMIT. Else: the change is not in the log and will not be. Nothing is committed, the
     * batches come back with this error, as if the disk were full, and the next change has the same
     * n. */
    enum gz_status (*append)(void *context, uint64_t n, const uint8_t *bytes, size_t size,
                             struct gz_error *error);
};

struct gz_place {
    uint64_t n;
    uint64_t first; /* of the log in which the place is; 0 for place 0 */
    int version;    /* of the schema */
};
/* Reads the place of a file, on any thread; a store or an applier may have the file open. If none
 * has, a journal that a crash left is rolled back. GZ_UNKNOWN_SCENE for no file. */
GZ_MUST_USE enum gz_status gz_store_place(const char *path, struct gz_place *place,
                                          struct gz_error *error);

/* Threads: one at a time. An applier owns its file, as a store does. */
struct gz_applier;

/* Checks the file as an opening store does. GZ_STORAGE if a store could only read it;
 * GZ_UNKNOWN_SCENE for no file; GZ_BAD_STATE if another process has it open; GZ_VERSION for another
 * schema. */
GZ_MUST_USE enum gz_status gz_applier_open(struct gz_applier **applier, const char *path,
                                           struct gz_error *error);
struct gz_place gz_applier_place(const struct gz_applier *applier);
/* Whether the file or its write-ahead log was moved or deleted, so that applied changes would be
 * lost. */
bool gz_applier_has_moved(const struct gz_applier *applier);
/* Adds change n to those that are applied together, in one transaction: by gz_applier_flush, or
 * before it once there are many. GZ_BAD_STATE if it is not the next one after those that were
 * added. */
GZ_MUST_USE enum gz_status gz_applier_add(struct gz_applier *applier, uint64_t n,
                                          const uint8_t *bytes, size_t size,
                                          struct gz_error *error);
/* Applies what was added. On a failure the file has all changes before the one that failed, and
 * the rest is dropped: see the place. GZ_CONFLICT, with the table and the row, if the file differs
 * from the one that the change was made for: it has to be replaced by a copy. GZ_STORAGE for bytes
 * that are no change, and as above. A loss of power may take the latest changes; the file is then
 * at an earlier place. */
GZ_MUST_USE enum gz_status gz_applier_flush(struct gz_applier *applier, struct gz_error *error);
/* Closes the file; the applied changes then survive a loss of power, unless another program reads
 * the file. If the file has moved, whatever has its name now is left alone. NULL is fine. */
void gz_applier_close(struct gz_applier *applier);

/* Moves the copy `from`, a file in the same folder, to `path`, and replaces the file there, if
 * there is one. Crash-safe: after a crash or an error `path` is the one file or the other.
 * GZ_STORAGE if `from` is no scene, or one that a store could only read, and if the old file is too
 * damaged to be opened: move it away first; GZ_VERSION for a newer schema; GZ_BAD_STATE if another
 * process has the old file open. */
GZ_MUST_USE enum gz_status gz_store_install(const char *path, const char *from,
                                            struct gz_error *error);

#endif
