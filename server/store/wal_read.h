/* wal_read.h - looks at the write-ahead log of a database as SQLite will read it after a crash. It
 * reads the log's file itself, which no lock of SQLite is on. Paths are those of the database,
 * which the gate has accepted. Threads: any. */
#ifndef GZ_STORE_WAL_READ_H
#define GZ_STORE_WAL_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/limits.h"

/* Whether there is a log that holds anything. */
bool gz_wal_holds(const char *path);
/* A number that the log keeps from its first change until it is deleted, however often it begins
 * anew, and that another log has by chance only. It changes if another program than the server
 * begins the log anew. False if the log has no header, or a damaged one. */
bool gz_wal_life(const char *path, uint32_t *life);
/* SQLite reads a log up to the first page that is not as it was written, because a crash leaves
 * such pages at the end. Puts a sentence into `fault` if there are commits after that page; else it
 * is empty. They were acknowledged if each commit of the log was synchronized; if not, a loss of
 * power leaves such logs, too. Damage in the last commit looks like a crash. */
void gz_wal_check(const char *path, char fault[GZ_ERROR_BYTES_MAX]);

#endif
