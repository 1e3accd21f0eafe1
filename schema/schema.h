/* schema.h - the numbered SQL files of this directory, as the library carries them: gz_sql_schema.
 * Threads: constant, any. */
#ifndef GZ_SCHEMA_H
#define GZ_SCHEMA_H

#include "schema/sql.h" /* made from the files by embed.awk */

/* SQLite's application_id of a scene's file, "GzSc". */
#define GZ_APPLICATION_ID 0x477A5363

/* SQLite's user_version of a scene's file says how far it has come: file number n, which is
 * gz_sql_schema[n - 1], takes a file from version GZ_SCHEMA_BASE + n - 1 to GZ_SCHEMA_BASE + n. A
 * new file, of version 0, begins at GZ_SCHEMA_BASE. The versions 1 to GZ_SCHEMA_BASE were written
 * by builds before the first release; they are refused. */
#define GZ_SCHEMA_BASE 8
/* The version that this build writes. */
#define GZ_SCHEMA_VERSION (GZ_SCHEMA_BASE + GZ_SQL_SCHEMA_COUNT)

#endif
