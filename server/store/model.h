/* model.h - compares the schema of a file with that of an empty scene in memory, made by
 * the SQL files of schema/. Threads: those of the connections. */
#ifndef GZ_STORE_MODEL_H
#define GZ_STORE_MODEL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "proto/base/status.h"

/* Whether the file has the schema of this build to the letter; also false after an error. */
bool gz_model_is(sqlite3 *db);
/* An empty scene; the caller closes it, after an error too. */
GZ_MUST_USE enum gz_status gz_model_open(sqlite3 **model, struct gz_error *error);
/* Calls `say` with a sentence for each table, index, view and trigger that the file has in addition
 * to the model, lacks, or has in another form. Ignores SQLite's own tables. */
GZ_MUST_USE enum gz_status gz_model_compare(sqlite3 *db, sqlite3 *model,
                                            void (*say)(void *context, const char *words),
                                            void *context, struct gz_error *error);
/* Makes a model and compares: GZ_STORAGE with the first sentence if there is a difference. A file
 * that is still empty passes. */
GZ_MUST_USE enum gz_status gz_model_require(sqlite3 *db, struct gz_error *error);

#endif
