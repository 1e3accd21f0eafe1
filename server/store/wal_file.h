/* wal_file.h - gathers what SQLite writes to the log of one connection. SQLite writes a page as two
 * pieces, its header and its bytes; here these become whole blocks of the file. A block that is not
 * whole is written before the file is synchronized, read, or asked about. The connection must
 * synchronize each commit (synchronous = FULL), because from then on other connections read its
 * pages. Threads: those of the connection. */
#ifndef GZ_STORE_WAL_FILE_H
#define GZ_STORE_WAL_FILE_H

#include <sqlite3.h>
#include <stddef.h>

/* A block is written at once. It is a page of the kernel, which counts what is written in pages. */
#define GZ_WAL_BLOCK_BYTES 4096

struct gz_wal_file {
    sqlite3_io_methods methods;    /* first: the file of SQLite points to it */
    sqlite3_file *file;            /* SQLite's; NULL: nothing is gathered */
    const sqlite3_io_methods *own; /* the methods that the file had before */
    /* The last bytes that SQLite wrote, which are in no block that is whole. */
    size_t size;
    sqlite3_int64 offset;
    unsigned char bytes[GZ_WAL_BLOCK_BYTES];
};

/* The connection has opened its log. `wal` must not move in memory until it is finished, which
 * comes before the connection is closed. */
void gz_wal_file_init(struct gz_wal_file *wal, sqlite3 *db);
void gz_wal_file_finish(struct gz_wal_file *wal);

#endif
