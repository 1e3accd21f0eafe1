/* schema.h - the numbered SQL files of this directory, as the library carries them.
 * File number n takes a database of user_version n - 1 to n. Threads: constant, any. */
#ifndef GZ_SCHEMA_H
#define GZ_SCHEMA_H

/* gz_schema_sql[0] is the file that makes version 1. */
extern const char *const gz_schema_sql[];
/* How many there are: the version that this build writes. */
extern const int gz_schema_version;

/* SQLite's application_id of a scene file, "GzSc". */
#define GZ_APPLICATION_ID 0x477A5363

#endif
