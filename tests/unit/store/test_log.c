/* The write-ahead log under somebody who reads and does not go, and after they went. */
#include "support/chance.h"
#include "unit/store/scene_file.h"

#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/shim_vfs.h"

#define LOG_BYTES_MAX (64 << 20)
/* 200 MiB of log. With GIZMOD_TIMES the commits are more and smaller: 600 is an hour of drags. */
#define COMMITS 300
#define NODES 200
#define NODES_MAX 1000
/* Looks at the log afterwards, half a second apart. Where a few people go on, a batch of one node
 * comes before each. */
#define LOOKS_MAX 120
/* From so many bytes on the log is copied, and again after so many seconds. */
#define LOG_BYTES_COPIED (12 << 20)
#define LOG_SECONDS 3
/* Soon after so many it is copied, however few commits it has. */
#define LOG_BYTES_LONG (8 << 20)
#define LOG_COMMITS_FEW 100

struct fixture {
    void *directory;
    const char *path, *wal;
    struct gz_store *store;
    uint64_t seq, edit, nodes, commits;
    FILE *log;
    char *said;
    size_t said_size;
};

static void handle_nothing(void *context)
{
    (void)context;
}

static int make_scene(void **state)
{
    static struct gz_log log;
    struct fixture *fixture = calloc(1, sizeof *fixture);
    *state = fixture;
    if (make_directory(&fixture->directory) != 0) return -1;
    fixture->path = strdup(in_directory(&fixture->directory, "a.db"));
    fixture->wal = strdup(in_directory(&fixture->directory, "a.db-wal"));
    fixture->commits = chance_count(COMMITS);
    fixture->nodes = fixture->commits < COMMITS * NODES ? COMMITS * NODES / fixture->commits : 1;
    fixture->log = open_memstream(&fixture->said, &fixture->said_size);
    log = (struct gz_log){.stream = fixture->log, .level = GZ_INFO};
    struct gz_scene_state scene;
    struct gz_error error;
    struct gz_store_options options = {.path = fixture->path,
                                       .create = true,
                                       .time = START_TIME,
                                       .notify = handle_nothing,
                                       .log = &log};
    if (gz_store_open(&fixture->store, &options, &scene, &error) != GZ_OK) return -1;
    gz_scene_state_finish(&scene);
    return gz_store_start(fixture->store, &error) == GZ_OK ? 0 : -1;
}

static int remove_scene(void **state)
{
    struct fixture *fixture = *state;
    gz_store_close(fixture->store);
    fclose(fixture->log);
    free(fixture->said);
    free((char *)fixture->path);
    free((char *)fixture->wal);
    int result = remove_directory(&fixture->directory);
    free(fixture);
    return result;
}

/* One edit that leaves the first `count` nodes where it says; what became of it. */
static enum gz_status try_move(struct fixture *fixture, uint64_t count)
{
    static struct gz_change changes[NODES_MAX];
    static struct gz_node_record nodes[NODES_MAX];
    assert_true(count <= NODES_MAX);
    bool existed = fixture->edit > 0;
    struct gz_edit_record edit = {.id = ++fixture->edit,
                                  .kind = existed ? GZ_EDIT_SET : GZ_EDIT_CREATE,
                                  .user = "u",
                                  .began = START_TIME,
                                  .ended = START_TIME,
                                  .began_seq = fixture->seq,
                                  .changes = changes,
                                  .change_count = count};
    for (uint64_t i = 0; i < count; i++) {
        struct gz_content before = some_content(0, "n", (double)edit.id - 1),
                          after = some_content(0, "n", (double)edit.id);
        changes[i] = (struct gz_change){
            .node = i + 1, .existed = existed, .exists = true, .before = before, .after = after};
        nodes[i] = (struct gz_node_record){.id = i + 1, .seq = ++fixture->seq, .content = after};
    }
    edit.seq = fixture->seq;
    struct gz_batch *batch = gz_batch_create();
    *batch = (struct gz_batch){.arena = batch->arena, .seq = fixture->seq, .time = START_TIME};
    batch->next_node = fixture->nodes + 1;
    batch->next_edit = fixture->edit + 1;
    batch->nodes = nodes;
    batch->node_count = count;
    batch->ended = &edit;
    batch->ended_count = 1;
    enum gz_status status;
    struct gz_error error;
    gz_store_submit(fixture->store, batch);
    gz_batch_destroy(wait_for(fixture->store, &status, &error));
    return status;
}

static void move(struct fixture *fixture, uint64_t count)
{
    assert_int_equal(try_move(fixture, count), GZ_OK);
}

static off_t size_of(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? file.st_size : 0;
}

static sqlite3 *begin_reading(const char *path)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT count(*) FROM nodes", NULL, NULL, NULL),
                     SQLITE_OK);
    return db;
}

static bool has_said(struct fixture *fixture, const char *words)
{
    fflush(fixture->log);
    return strstr(fixture->said, words) != NULL;
}

static bool is_small_again(struct fixture *fixture)
{
    return gz_store_stats(fixture->store).wal_bytes < LOG_BYTES_MAX &&
           size_of(fixture->wal) < LOG_BYTES_MAX && has_said(fixture, "MiB again");
}

/* While the reader is there edits go on, and it is said; afterwards the log is small, whether a few
 * edits go on or none. */
static void stick_and_go(struct fixture *fixture, bool edits_go_on)
{
    move(fixture, fixture->nodes);
    sqlite3 *reader = begin_reading(fixture->path);
    for (uint64_t i = 0; i < fixture->commits; i++) move(fixture, fixture->nodes);
    off_t large = size_of(fixture->wal);
    assert_true(large > LOG_BYTES_MAX);
    assert_true(gz_store_stats(fixture->store).wal_bytes > LOG_BYTES_MAX);
    assert_true(has_said(fixture, "a program reads an old state"));
    assert_false(has_said(fixture, "MiB again"));
    assert_int_equal(sqlite3_close(reader), SQLITE_OK);
    for (int i = 0; i < LOOKS_MAX && !is_small_again(fixture); i++) {
        if (edits_go_on) move(fixture, 1);
        usleep(500000);
    }
    print_message("%lld MiB, and afterwards %lld\n", (long long)large >> 20,
                  (long long)size_of(fixture->wal) >> 20);
    assert_true(size_of(fixture->wal) < LOG_BYTES_MAX);
    assert_true(gz_store_stats(fixture->store).wal_bytes < LOG_BYTES_MAX);
    assert_true(has_said(fixture, "MiB again"));
    assert_int_equal(ask(fixture->path, "SELECT count(*) FROM edits"), fixture->edit);
}

TEST_BETWEEN(test_log_is_small_again_after_a_stuck_reader, make_scene, remove_scene)
{
    stick_and_go(*state, false);
}

TEST_BETWEEN(test_log_is_small_again_while_few_edits_go_on, make_scene, remove_scene)
{
    stick_and_go(*state, true);
}

/* SQLite has emptied an index of a log, as it does for the first connection to a file. */
static atomic_int emptied;
static int (*truncate_file)(int, off_t);

static int count_truncation(int file, off_t size)
{
    if (size < 4) emptied++;
    return truncate_file(file, size);
}

/* The new file takes the name while the log waits for its reader, and is due to be copied again. To
 * open the file would empty the index of the log that the old file's connections use. */
TEST_BETWEEN(test_file_that_took_the_name_is_not_opened, make_scene, remove_scene)
{
    struct fixture *fixture = *state;
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    struct gz_scene_state scene;
    const char *other = in_directory(&fixture->directory, "other.db");
    gz_store_close(open_scene(other, true, START_TIME, &scene));
    gz_scene_state_finish(&scene);
    move(fixture, NODES);
    sqlite3 *reader = begin_reading(fixture->path);
    while (size_of(fixture->wal) < LOG_BYTES_COPIED) move(fixture, NODES);
    sleep(LOG_SECONDS);
    assert_int_equal(rename(other, fixture->path), 0);
    truncate_file = (int (*)(int, off_t))vfs->xGetSystemCall(vfs, "ftruncate");
    vfs->xSetSystemCall(vfs, "ftruncate", (sqlite3_syscall_ptr)count_truncation);
    assert_int_equal(try_move(fixture, 1), GZ_STORAGE);
    usleep(500000);
    assert_int_equal(emptied, 0);
    vfs->xSetSystemCall(vfs, "ftruncate", NULL);
    sqlite3_close(reader);
}

/* ---- who synchronizes the database ---- */

/* The writer is the thread that writes to the log. */
static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    sqlite3_io_methods database, log;
    pthread_mutex_t mutex;
    pthread_t writer;
    int written;         /* pages of the database, since it was synchronized */
    int synchronized[2]; /* such pages, by other threads and by the writer */
} watch = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int write_log(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    pthread_mutex_lock(&watch.mutex);
    watch.writer = pthread_self();
    pthread_mutex_unlock(&watch.mutex);
    return shim_methods.xWrite(file, bytes, size, offset);
}

static int write_database(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    pthread_mutex_lock(&watch.mutex);
    watch.written++;
    pthread_mutex_unlock(&watch.mutex);
    return shim_methods.xWrite(file, bytes, size, offset);
}

static int synchronize_database(sqlite3_file *file, int flags)
{
    pthread_mutex_lock(&watch.mutex);
    watch.synchronized[pthread_equal(watch.writer, pthread_self()) != 0] += watch.written;
    watch.written = 0;
    pthread_mutex_unlock(&watch.mutex);
    return shim_methods.xSync(file, flags);
}

static int open_watched(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                        int *out_flags)
{
    (void)vfs;
    int rc = shim_open(watch.real, name, file, flags, out_flags);
    if (rc != SQLITE_OK) return rc;
    file->pMethods = (flags & SQLITE_OPEN_MAIN_DB) != 0 ? &watch.database
                     : (flags & SQLITE_OPEN_WAL) != 0   ? &watch.log
                                                        : &shim_methods;
    return rc;
}

static void watch_files(void)
{
    watch.real = shim_copy(&watch.vfs, "watch");
    watch.vfs.xOpen = open_watched;
    watch.database = watch.log = shim_methods;
    watch.database.xWrite = write_database;
    watch.database.xSync = synchronize_database;
    watch.log.xWrite = write_log;
    sqlite3_vfs_register(&watch.vfs, 1);
}

static int count_synchronized(bool by_writer)
{
    pthread_mutex_lock(&watch.mutex);
    int pages = watch.synchronized[by_writer];
    pthread_mutex_unlock(&watch.mutex);
    return pages;
}

/* Every edit in flight waits for the writer while it synchronizes the database. What is committed
 * while a long log is copied is all that the writer has to write. */
TEST_BETWEEN(test_long_log_is_synchronized_beside_the_writer, make_scene, remove_scene)
{
    struct fixture *fixture = *state;
    const int beside = count_synchronized(false), by_writer = count_synchronized(true);
    while (size_of(fixture->wal) < LOG_BYTES_LONG) move(fixture, NODES);
    while (count_synchronized(true) == by_writer) move(fixture, 1);
    assert_in_range(count_synchronized(false) - beside, LOG_BYTES_LONG / 4096, INT_MAX);
    assert_in_range(count_synchronized(true) - by_writer, 1, LOG_BYTES_LONG / 16384);
}

/* The writer pauses for each copy. */
TEST_BETWEEN(test_log_of_few_commits_is_not_copied, make_scene, remove_scene)
{
    struct fixture *fixture = *state;
    const int beside = count_synchronized(false), by_writer = count_synchronized(true);
    for (int i = 0; i < LOG_COMMITS_FEW; i++) move(fixture, NODES / 5);
    assert_in_range(size_of(fixture->wal), LOG_BYTES_LONG / 2, LOG_BYTES_LONG);
    assert_int_equal(count_synchronized(false), beside);
    assert_int_equal(count_synchronized(true), by_writer);
}

int main(void)
{
    watch_files();
    return test_run(NULL, NULL);
}
