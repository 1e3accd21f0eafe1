/* checkpointer.c - the thread that copies a log. See checkpointer.h. */
#include "store/checkpointer.h"

#include "store/database.h"

/* Whether the connection, which opens its files by name, has those of the writer. Before it reads
 * it has opened the database only: with another file of that name it would go on to empty the index
 * of the log, which the writer uses. */
static bool has_files(const struct gz_checkpointer *checkpointer, sqlite3 *db)
{
    int moved = 0;
    return sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved == 0 && gz_named_file_is_there(&checkpointer->file, NULL) &&
           gz_named_file_is_there(&checkpointer->log, NULL);
}

static void pass(sqlite3 *db)
{
    (void)sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

/* SQLite synchronizes the database only with the last page of the log, which the writer copies. */
static void synchronize(sqlite3 *db)
{
    sqlite3_file *file = NULL;
    int rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (rc == SQLITE_OK && file != NULL && file->pMethods != NULL)
        (void)file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

static void copy(const struct gz_checkpointer *checkpointer, sqlite3 *db)
{
    struct gz_error error;
    int64_t version; /* read so that SQLite opens the log */
    if (!has_files(checkpointer, db) ||
        gz_db_integer(db, "PRAGMA schema_version", &version, &error) != GZ_OK ||
        !has_files(checkpointer, db))
        return;
    pass(db);
    if (checkpointer->has_much) synchronize(db);
    pass(db); /* what was committed meanwhile */
}

/* After a failure the writer's own checkpoint copies everything. */
static void run(void *context)
{
    struct gz_checkpointer *checkpointer = context;
    struct gz_error error;
    sqlite3 *db;
    if (gz_db_open(checkpointer->file.path, SQLITE_OPEN_READWRITE, &db, &error) == GZ_OK) {
        sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        copy(checkpointer, db);
        sqlite3_close(db);
    }
    atomic_store(&checkpointer->is_over, true);
}

bool gz_checkpointer_start(struct gz_checkpointer *checkpointer, bool has_much)
{
    if (checkpointer->has_thread) return true;
    checkpointer->has_much = has_much;
    atomic_store(&checkpointer->is_over, false);
    checkpointer->has_thread = uv_thread_create(&checkpointer->thread, run, checkpointer) == 0;
    return checkpointer->has_thread;
}

void gz_checkpointer_finish(struct gz_checkpointer *checkpointer)
{
    if (checkpointer->has_thread) uv_thread_join(&checkpointer->thread);
    checkpointer->has_thread = false;
}
