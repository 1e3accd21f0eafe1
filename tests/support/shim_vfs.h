/* shim_vfs.h - a VFS of SQLite that hands each call on to the one that was there before. A test
 * copies `shim_methods` and puts functions of its own where it wants to do something else. */
#ifndef TESTS_SUPPORT_SHIM_VFS_H
#define TESTS_SUPPORT_SHIM_VFS_H

#include <sqlite3.h>

struct shim_file {
    sqlite3_file base;
    sqlite3_file *real; /* behind this struct */
    void *own;          /* the test's, NULL at first */
};

/* Every method calls that of the real file. */
extern const sqlite3_io_methods shim_methods;

sqlite3_file *shim_real(sqlite3_file *file);

/* Makes `vfs` a copy of the default VFS under another name, with room for a shim_file, and returns
 * the real one. The caller sets xOpen and registers it. */
sqlite3_vfs *shim_copy(sqlite3_vfs *vfs, const char *name);

/* Opens the real file behind `file`; the caller sets pMethods if this is SQLITE_OK. */
int shim_open(sqlite3_vfs *real, const char *name, sqlite3_file *file, int flags, int *out_flags);

#endif
