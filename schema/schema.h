/* schema.h - the numbered SQL files of this directory, as the library carries them: gz_sql_schema.
 * Threads: constant, any. */
#ifndef GZ_SCHEMA_H
#define GZ_SCHEMA_H

#include "schema/sql.h" /* made from the files by embed.awk */

/* SQLite's application_id of a scene's file, "GzSc". */
#define GZ_APPLICATION_ID 0x477A5363

/* SQLite's user_version of a scene's file: the version of its schema, which all files of
 * gz_sql_schema together make. Files of other versions are refused, with words that say what to do.
 */
#define GZ_SCHEMA_VERSION 17

#endif
