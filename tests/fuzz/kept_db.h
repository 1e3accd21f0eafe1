/* kept_db.h - has the store work on one connection, in a transaction that is taken back, with
 * statements that are prepared once: to open a file and to prepare all that is asked of it takes
 * far longer than to answer. The program is linked so that some calls of the store come here
 * (CMakeLists.txt). Threads: one. */
#ifndef GZ_FUZZ_KEPT_DB_H
#define GZ_FUZZ_KEPT_DB_H

#include <sqlite3.h>

/* From here to the end each reader that the store opens reads this connection, whatever its path,
 * and a transaction of the store on it is a part of this one. Its schema must not change. */
void kept_db_begin(sqlite3 *db);
/* Takes back what was written. The statements are kept for the next time. */
void kept_db_end(void);

#endif
