/* patch.h - applies changesets of SQLite's session extension with statements that are kept, in a
 * fraction of the time that sqlite3changeset_apply takes, which prepares its statements anew for
 * each changeset and copies each value twice. It knows one answer to what it did not expect: that
 * the transaction has to be rolled back. sqlite3changeset_apply then says what is wrong.
 *
 * Threads: those of the connection. */
#ifndef GZ_STORE_PATCH_H
#define GZ_STORE_PATCH_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"

struct gz_patcher;

/* For a connection whose schema stays as it is; NULL without memory. */
struct gz_patcher *gz_patcher_create(sqlite3 *db);
/* Before the connection is closed. NULL is fine. */
void gz_patcher_destroy(struct gz_patcher *patcher);

/* Reads the whole changeset. GZ_STORAGE if its form is not that of a changeset, or for a table that
 * the file does not have, or has with other columns, which sqlite3changeset_apply would skip. */
GZ_MUST_USE enum gz_status gz_patcher_check(struct gz_patcher *patcher, const uint8_t *bytes,
                                            size_t size, struct gz_error *error);
/* Applies it, in the transaction that has begun. False if a row is not as it was where the
 * changeset was made, and for any other failure: roll back. Foreign keys are looked at by COMMIT.
 */
GZ_MUST_USE bool gz_patcher_apply(struct gz_patcher *patcher, const uint8_t *bytes, size_t size);

#endif
