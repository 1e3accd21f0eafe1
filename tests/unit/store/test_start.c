/* What a start costs, counted in reads of the file: it does not grow with the history, after a
 * clean end or a crash. What a server left is trusted only as far as it is what that server left,
 * and the rest is found while the scene is open. */
#include "unit/store/scene_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/clean_mark.h"
#include "store/ship.h"
#include "support/chance.h"
#include "support/long_history.h"
#include "support/shim_vfs.h"

#define NODES 200
#define FEW 2000
#define MANY 40000

/* ---- reads and changes of the files ---- */

static struct {
    sqlite3_vfs vfs, *real;
    sqlite3_io_methods methods;
    atomic_long reads;
    atomic_long changes_left; /* after the last one the process is killed, unless it was 0 */
} shim;

static int count_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    atomic_fetch_add(&shim.reads, 1);
    return shim_real(file)->pMethods->xRead(shim_real(file), bytes, size, offset);
}

/* After a change of a file, or of the folder. */
static int count_change(int rc)
{
    if (atomic_fetch_sub(&shim.changes_left, 1) == 1) kill(getpid(), SIGKILL);
    return rc;
}

static int count_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    return count_change(shim_real(file)->pMethods->xWrite(shim_real(file), bytes, size, offset));
}

static int count_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return count_change(shim_real(file)->pMethods->xTruncate(shim_real(file), size));
}

static int count_delete(sqlite3_vfs *vfs, const char *name, int is_synced)
{
    (void)vfs;
    return count_change(shim.real->xDelete(shim.real, name, is_synced));
}

static int open_counted(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                        int *out_flags)
{
    (void)vfs;
    int rc = shim_open(shim.real, name, file, flags, out_flags);
    if (rc == SQLITE_OK) file->pMethods = &shim.methods;
    return rc;
}

static int register_shim(void **state)
{
    (void)state;
    shim.real = shim_copy(&shim.vfs, "counted");
    shim.vfs.xOpen = open_counted;
    shim.methods = shim_methods;
    shim.methods.xRead = count_read;
    shim.vfs.xDelete = count_delete;
    shim.methods.xWrite = count_write;
    shim.methods.xTruncate = count_truncate;
    return sqlite3_vfs_register(&shim.vfs, 1) == SQLITE_OK ? 0 : -1;
}

/* ---- scenes ---- */

/* Edit `n` moves its node, or makes all if it is the first. */
static void edit(struct gz_store *store, uint64_t n, uint64_t seq)
{
    static struct gz_node_record nodes[NODES];
    static struct gz_change changes[NODES];
    struct gz_edit_record record = {.id = n,
                                    .kind = n == 1 ? GZ_EDIT_CREATE : GZ_EDIT_SET,
                                    .user = "anna",
                                    .began = START_TIME + (double)n,
                                    .ended = START_TIME + (double)n,
                                    .changes = changes};
    struct gz_batch *batch = gz_batch_create();
    const size_t count = n == 1 ? NODES : 1;
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct gz_node_record){.id = i + 1, .seq = seq + i};
        nodes[i].content = some_content(0, "node", (double)n);
        changes[i] = (struct gz_change){
            .node = i + 1, .existed = n > 1, .exists = true, .after = nodes[i].content};
        changes[i].before = some_content(0, "node", (double)n - 1);
    }
    record.began_seq = seq - 1;
    record.seq = batch->seq = seq + count - 1;
    record.change_count = batch->node_count = count;
    batch->nodes = nodes;
    batch->ended = &record;
    batch->ended_count = 1;
    batch->time = record.ended;
    batch->next_node = NODES + 1;
    batch->next_edit = n + 1;
    commit(store, batch);
}

static void make_scene(const char *path, uint64_t edits)
{
    struct gz_store *store = open_only(path, true, START_TIME);
    edit(store, 1, 1);
    gz_store_close(store);
    long_history_add(path, NODES, edits, START_TIME + 10);
    gz_store_close(open_only(path, false, START_TIME + 1e6));
}

/* Another server has the scene open, makes so many edits, and is killed. */
static void kill_server(const char *path, uint64_t edits)
{
    int result;
    pid_t child = fork();
    if (child == 0) {
        struct gz_scene_state state;
        struct gz_error error;
        struct gz_store *store;
        struct gz_store_options options = {.path = path, .time = START_TIME + 2e6};
        if (gz_store_open(&store, &options, &state, &error) != GZ_OK) _exit(1);
        if (gz_store_start(store, &error) != GZ_OK) _exit(2);
        for (uint64_t i = 0; i < edits; i++) edit(store, state.next_edit + i, state.seq + 1 + i);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
}

static long count_reads(const char *path, const struct gz_retention_rule *kept)
{
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error;
    struct gz_store_options options = {.path = path, .time = START_TIME + 3e6, .kept = *kept};
    atomic_store(&shim.reads, 0);
    if (gz_store_open(&store, &options, &state, &error) != GZ_OK) fail_msg("%s", error.message);
    long reads = atomic_load(&shim.reads);
    assert_string_equal(state.read_only, "");
    gz_store_close(store);
    gz_scene_state_finish(&state);
    return reads;
}

/* ---- the tests ---- */

TEST_IN_DIRECTORY(test_start_does_not_grow_with_the_history)
{
    const struct gz_retention_rule all = {0}, some = {.edits = 100000};
    const char *paths[] = {in_directory(directory, "few.db"), in_directory(directory, "many.db")};
    long closed[2], keeping[2], killed[2];
    for (int i = 0; i < 2; i++) {
        make_scene(paths[i], i == 0 ? FEW : MANY);
        closed[i] = count_reads(paths[i], &all);
        keeping[i] = count_reads(paths[i], &some);
        kill_server(paths[i], 0);
        killed[i] = count_reads(paths[i], &all);
    }
    print_message("reads of a start with %d and %d edits: %ld and %ld; after a crash %ld and %ld\n",
                  FEW, MANY, closed[0], closed[1], killed[0], killed[1]);
    assert_true(closed[1] < 2 * closed[0]);
    assert_true(keeping[1] < 2 * keeping[0]);
    assert_true(killed[1] < 2 * killed[0]);
}

/* ---- what a server left ---- */

/* A store that is open for a moment; its state is the caller's. */
static enum gz_status look(const char *path, struct gz_scene_state *state, struct gz_error *error)
{
    struct gz_store *store;
    struct gz_store_options options = {.path = path, .time = START_TIME + 4e6};
    *error = (struct gz_error){0};
    enum gz_status status = gz_store_open(&store, &options, state, error);
    gz_store_close(store);
    return status;
}

/* With "" it can be edited. */
static void expect_read_only(const char *path, const char *words)
{
    struct gz_scene_state state;
    struct gz_error error;
    if (look(path, &state, &error) != GZ_OK) fail_msg("%s", error.message);
    if (words[0] == '\0') assert_string_equal(state.read_only, "");
    if (strstr(state.read_only, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", state.read_only, words);
    gz_scene_state_finish(&state);
}

/* Into the file that is there, or into a new one. */
static void copy_file(const char *from, const char *to, bool in_place)
{
    uint8_t bytes[65536];
    size_t size;
    if (!in_place) unlink(to);
    FILE *source = fopen(from, "rb"), *copy = fopen(to, "wb");
    assert_non_null(source);
    assert_non_null(copy);
    while ((size = fread(bytes, 1, sizeof bytes, source)) > 0)
        assert_int_equal(fwrite(bytes, 1, size, copy), size);
    assert_int_equal(fclose(copy), 0);
    fclose(source);
}

/* A scene whose past alone is damaged. */
static void make_damaged(const char *path)
{
    make_scene(path, FEW);
    tell(path, "UPDATE changes SET after_ty = 77.0 WHERE edit = 5");
}

/* What was checked after a crash as far as it is there now is checked as a whole in the end, also
 * if the server ends before. */
TEST_IN_DIRECTORY(test_file_stays_unchecked_until_it_was_checked)
{
    const char *path = in_directory(directory, "a.db");
    struct gz_scene_state state;
    struct gz_error error;
    make_scene(path, FEW);
    assert_int_equal(gz_clean_mark_read(path).mark, GZ_CLEAN_MARK_CLOSED);
    kill_server(path, 0);
    assert_int_equal(gz_clean_mark_read(path).mark, GZ_CLEAN_MARK_OPEN);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(look(path, &state, &error), GZ_OK);
        gz_scene_state_finish(&state);
        assert_int_equal(gz_clean_mark_read(path).mark, GZ_CLEAN_MARK_LEFT);
    }
    assert_int_equal(gz_store_rename(path, in_directory(directory, "b.db"), &error), GZ_OK);
    path = in_directory(directory, "b.db");
    assert_int_equal(gz_clean_mark_read(path).mark, GZ_CLEAN_MARK_LEFT);
    struct gz_store *store;
    struct gz_store_options options = {.path = path, .time = START_TIME + 5e6};
    assert_int_equal(gz_store_open(&store, &options, &state, &error), GZ_OK);
    assert_int_equal(gz_store_start(store, &error), GZ_OK);
    while (gz_store_stats(store).is_unchecked) usleep(1000);
    assert_false(gz_store_stats(store).is_damaged);
    gz_scene_state_finish(&state);
    gz_store_close(store);
    assert_int_equal(gz_clean_mark_read(path).mark, GZ_CLEAN_MARK_CLOSED);
}

/* After a crash somebody copies another file over the scene's, which keeps its inode and mark. */
TEST_IN_DIRECTORY(test_other_file_in_the_place_of_a_crashed_one_is_checked_first)
{
    const char *path = in_directory(directory, "a.db"), *other = in_directory(directory, "o.db");
    make_damaged(other);
    make_scene(path, FEW);
    kill_server(path, 0);
    assert_int_equal(truncate(in_directory(directory, "a.db-wal"), 0), 0);
    copy_file(other, path, true);
    assert_int_equal(gz_clean_mark_read(path).mark, GZ_CLEAN_MARK_OPEN);
    expect_read_only(path, "its file is damaged: ");
}

/* The log of another scene, in a new file or in the old one. */
TEST_IN_DIRECTORY(test_other_log_beside_a_crashed_file_is_noticed)
{
    static const char *const names[][2] = {{"a.db", "b.db"}, {"c.db", "d.db"}};
    for (int in_place = 0; in_place < 2; in_place++) {
        char log[32], other_log[32];
        const char *path = in_directory(directory, names[in_place][0]),
                   *other = in_directory(directory, names[in_place][1]);
        make_scene(path, FEW);
        make_scene(other, FEW);
        kill_server(path, 0);
        kill_server(other, 0);
        assert_int_equal(gz_clean_mark_read(path).mark, GZ_CLEAN_MARK_OPEN);
        snprintf(log, sizeof log, "%s-wal", names[in_place][0]);
        snprintf(other_log, sizeof other_log, "%s-wal", names[in_place][1]);
        copy_file(in_directory(directory, other_log), in_directory(directory, log), in_place != 0);
        assert_int_equal(gz_clean_mark_read(path).mark, GZ_CLEAN_MARK_NONE);
    }
}

/* ---- a kill at each moment ---- */

static int serve(const char *path, const char *other)
{
    struct gz_scene_state state;
    struct gz_store *store;
    struct gz_store_options options = {.path = path, .time = START_TIME + 2e6};
    (void)other;
    if (gz_store_open(&store, &options, &state, NULL) != GZ_OK) return 1;
    if (gz_store_start(store, NULL) != GZ_OK) return 2;
    edit(store, state.next_edit, state.seq + 1);
    gz_store_close(store);
    return 0;
}

/* As a server that ends before it begins to serve. */
static int open_alone(const char *path, const char *other)
{
    struct gz_scene_state state;
    struct gz_error error;
    (void)other;
    return look(path, &state, &error) == GZ_OK ? 0 : 1;
}

static int apply(const char *path, const char *other)
{
    struct gz_applier *applier;
    (void)other;
    if (gz_applier_open(&applier, path, NULL) != GZ_OK) return 1;
    gz_applier_close(applier);
    return 0;
}

static int rename_it(const char *path, const char *other)
{
    return gz_store_rename(path, other, NULL) == GZ_OK ? 0 : 1;
}

/* Does it in another process, which is killed after so many changes of its files. False if it came
 * to its end. */
static bool is_killed(int (*doing)(const char *path, const char *other), const char *path,
                      const char *other, long changes)
{
    int result;
    pid_t child = fork();
    if (child == 0) {
        atomic_store(&shim.changes_left, changes);
        _exit(doing(path, other));
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    if (WIFEXITED(result)) assert_int_equal(WEXITSTATUS(result), 0);
    return WIFSIGNALED(result);
}

enum before { RENAMED, CLOSED, CRASHED, BEFORE_COUNT };

static void put(const char *path, const char *other, const char *good, enum before before)
{
    struct gz_scene_state state;
    struct gz_error error;
    assert_int_equal(gz_store_delete(path, NULL), GZ_OK);
    assert_int_equal(gz_store_delete(other, NULL), GZ_OK);
    copy_file(good, path, false);
    gz_clean_mark_close(path, GZ_CLEAN_MARK_CLOSED, "");
    if (before == CRASHED) kill_server(path, 2);
    if (before != CLOSED) return;
    assert_int_equal(look(path, &state, &error), GZ_OK);
    gz_scene_state_finish(&state);
}

/* So that the next start does not read the whole history. */
TEST_IN_DIRECTORY(test_kill_at_each_moment_leaves_a_mark)
{
    static int (*const doings[])(const char *path, const char *other) = {serve, open_alone, apply,
                                                                         rename_it};
    static const char *const names[] = {"serve", "open", "apply", "rename"}, *const befores[] = {
                                                                                 "renamed",
                                                                                 "closed",
                                                                                 "crashed"};
    char *path = strdup(in_directory(directory, "a.db")),
         *other = strdup(in_directory(directory, "b.db")),
         *good = strdup(in_directory(directory, "good.db"));
    make_scene(path, 20);
    assert_int_equal(gz_store_rename(path, good, NULL), GZ_OK);
    for (int i = 0; i < 4 * BEFORE_COUNT; i++) {
        const char *doing = names[i / BEFORE_COUNT], *before = befores[i % BEFORE_COUNT];
        long changes = 0;
        bool was_killed;
        do {
            put(path, other, good, (enum before)(i % BEFORE_COUNT));
            was_killed = is_killed(doings[i / BEFORE_COUNT], path, other, ++changes);
            const char *now = access(path, F_OK) == 0 ? path : other;
            if (gz_clean_mark_read(now).mark == GZ_CLEAN_MARK_NONE)
                fail_msg("%s, %s before: no mark after change %ld", doing, before, changes);
            expect_read_only(now, "");
        } while (was_killed);
        print_message("%s, %s before: %ld changes\n", doing, before, changes - 1);
    }
    free(path);
    free(other);
    free(good);
}

/* What is known to be damaged is not served before it was checked again. */
TEST_IN_DIRECTORY(test_kill_in_a_rename_of_a_damaged_file)
{
    const char *path = in_directory(directory, "a.db"), *other = in_directory(directory, "b.db");
    long changes = 0;
    bool was_killed;
    make_damaged(path);
    do {
        gz_clean_mark_close(path, GZ_CLEAN_MARK_DAMAGED, "its file is damaged: as is known");
        was_killed = is_killed(rename_it, path, other, ++changes);
        if (access(path, F_OK) != 0) assert_int_equal(rename(other, path), 0);
        expect_read_only(path, "its file is damaged: ");
        tell(path, "PRAGMA journal_mode = WAL");
    } while (was_killed);
    assert_true(changes > 2);
}

/* ---- bits of the log ---- */

#define FLIPS 150
#define LOG_HEADER_BYTES 32
#define FRAME_BYTES (24 + 1024)

/* Where the last commit in a log begins: damage from there on looks like a crash. */
static uint64_t last_commit_in(const char *wal)
{
    uint8_t header[8];
    uint64_t last = 0, before = 0, at = LOG_HEADER_BYTES;
    FILE *file = fopen(wal, "rb");
    assert_non_null(file);
    while (fseek(file, (long)at, SEEK_SET) == 0 && fread(header, 1, 8, file) == 8) {
        at += FRAME_BYTES;
        if ((header[4] | header[5] | header[6] | header[7]) == 0) continue;
        before = last;
        last = at;
    }
    fclose(file);
    return before;
}

static void flip(const char *path, uint64_t bit)
{
    uint8_t byte;
    int file = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(file, &byte, 1, (off_t)(bit / 8)), 1);
    byte ^= (uint8_t)(1u << bit % 8);
    assert_int_equal(pwrite(file, &byte, 1, (off_t)(bit / 8)), 1);
    close(file);
}

/* The log has to be read up to its end: SQLite drops what comes after damage without a word. */
TEST_IN_DIRECTORY(test_flipped_bit_in_a_log_costs_no_commit_unsaid)
{
    const char *path = in_directory(directory, "a.db"), *wal = in_directory(directory, "a.db-wal"),
               *good = in_directory(directory, "good"), *good_wal = in_directory(directory, "wal"),
               *index = in_directory(directory, "a.db-shm");
    uint64_t chance = chance_seed(1), seq = 0;
    size_t refused = 0, read_only = 0;
    struct gz_scene_state state;
    struct gz_error error;
    print_message("GIZMOD_SEED=%llu\n", (unsigned long long)chance);
    make_scene(path, FEW);
    kill_server(path, 20);
    const uint64_t bits = 8 * last_commit_in(wal), epoch = gz_clean_mark_read(path).epoch_most;
    copy_file(path, good, true);
    copy_file(wal, good_wal, true);
    for (size_t i = 0; i <= chance_count(FLIPS); i++) {
        copy_file(good, path, true);
        copy_file(good_wal, wal, true);
        unlink(index);
        gz_clean_mark_open(path, epoch, epoch);
        if (i > 0) flip(wal, chance_below(&chance, bits));
        if (look(path, &state, &error) != GZ_OK) {
            refused++;
            continue;
        }
        if (i == 0) seq = state.seq;
        read_only += state.read_only[0] != '\0';
        if (state.read_only[0] == '\0' && state.seq != seq)
            fail_msg("seq %llu is served instead of %llu", (unsigned long long)state.seq,
                     (unsigned long long)seq);
        gz_scene_state_finish(&state);
    }
    print_message("refused %zu, read-only %zu\n", refused, read_only);
    assert_true(read_only > 0);
}

int main(void)
{
    /* no waiting for a disk */
    setenv("TMPDIR", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", 0);
    return test_run(register_shim, NULL);
}
