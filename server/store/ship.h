/* ship.h - how a scene's file gets to other machines: each transaction of the store leaves as one
 * change before it is committed, for a log that stands elsewhere, and an applier writes changes of
 * the log into another file. Two files that have the same place are equal row by row.
 *
 * A change is what SQLite's session extension calls a changeset. Changes are numbered without gaps.
 * The place of a file is the number of the last change in it: it stands in the file, in the column
 * scene.log_n, and moves within the transaction of the change. Beside it, in scene.log_first, is
 * the number of the log's first change, which stays: it says which log that is. A copy of a file
 * (gz_store_backup) has both of the file; the first change after it is the next number. Place 0 is
 * that of a file which never was in a log, of an empty scene, and of a file that a store opened
 * without shipping: it has had a life of its own since.
 *
 * A migration of the schema is no change: an applier brings its file to the schema of its own
 * build, as a store does. A build cannot apply the changes of a newer schema.
 *
 * Errors name files, not folders. GZ_STORAGE with SQLite's words, unless said otherwise. */
#ifndef GZ_STORE_SHIP_H
#define GZ_STORE_SHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"

/* Where the changes of an open store go: gz_store_options. */
struct gz_shipping {
    void *context;
    /* A file whose place is not past this one begins a log, with the next number; else its log goes
     * on. */
    uint64_t from;
    /* Change n of the file, which is the change after the file's place. Called before COMMIT, on
     * the thread that writes: the opener's within gz_store_open, else the store's writer. May
     * block. The bytes are the caller's.
     * GZ_OK: the change is in the log for good. If COMMIT fails then, the file lacks what the log
     * has: the store is_gone, and the batches of the change never come back from gz_store_take,
     * because nobody may be told that they failed.
     * GZ_BAD_STATE: another writer has the log now, and the change is not in it. Nothing is
     * committed, the batches come back with this error, and the store is_gone.
     * GZ_INTERNAL: nobody knows whether the change is in the log, or comes into it. Nothing is
     * committed, and the rest is as after a COMMIT that failed.
     * Else: the change is not in the log and will not be. Nothing is committed, the batches come
     * back with this error, as they do if the disk is full, and the next change has the same n. */
    enum gz_status (*append)(void *context, uint64_t n, const uint8_t *bytes, size_t size,
                             struct gz_error *error);
};

struct gz_place {
    uint64_t n;
    uint64_t first; /* of the log in which the place is; 0 for place 0 */
    int version;    /* of the schema */
};
/* Any thread; a store or an applier may have the file open. If nobody has it, a journal that a
 * crash left is rolled back. GZ_UNKNOWN_SCENE for no file. */
GZ_MUST_USE enum gz_status gz_store_place(const char *path, struct gz_place *place,
                                          struct gz_error *error);

/* One thread at a time. Owns the file as a store does. */
struct gz_applier;

/* Looks at the file as an opening store does: GZ_STORAGE in words if a store could only read it.
 * Brings its schema up to date. GZ_UNKNOWN_SCENE for no file; GZ_BAD_STATE if somebody has it open;
 * GZ_VERSION for a newer schema. */
GZ_MUST_USE enum gz_status gz_applier_open(struct gz_applier **applier, const char *path,
                                           struct gz_error *error);
struct gz_place gz_applier_place(const struct gz_applier *applier);
/* The file, or its write-ahead log, was moved or deleted: nobody would find what is applied. */
bool gz_applier_has_moved(const struct gz_applier *applier);
/* Applies change n, all of it or nothing. GZ_BAD_STATE if it is not the one after the place.
 * GZ_CONFLICT if the file is not as the change found its own, with the table and the row: the file
 * has to be replaced by a copy. GZ_STORAGE for bytes that are no change, and as above. The file may
 * lose the latest changes with the power, and is then at an earlier place. */
GZ_MUST_USE enum gz_status gz_applier_apply(struct gz_applier *applier, uint64_t n,
                                            const uint8_t *bytes, size_t size,
                                            struct gz_error *error);
/* What was applied outlasts a loss of power from now on, unless somebody else reads the file. What
 * stands at the name of a file that has moved is left alone. NULL is fine. */
void gz_applier_close(struct gz_applier *applier);

/* Puts the copy `from`, a file in the same folder, in the place of the file, or where there is
 * none; `from` is gone then. Crash-safe: the file is the one or the other. GZ_STORAGE if `from` is
 * no scene, or one that a store could only read, and if the file is too damaged to be opened: move
 * it away first; GZ_VERSION for a newer schema; GZ_BAD_STATE if somebody has the file open. After
 * an error, too, the file is the one or the other. */
GZ_MUST_USE enum gz_status gz_store_install(const char *path, const char *from,
                                            struct gz_error *error);

#endif
