/* A scene's file gets another name or is deleted, with what an earlier crash left beside the names,
 * with other programs that have it open, and with kill -9 in between. A power cut is not tried:
 * support/power_vfs.h stands below SQLite and sees neither the renames nor the fsync of the folder,
 * so that a missing one would not show here. */
#include "support/chance.h"
#include "unit/store/scene_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "store/clean_mark.h"
#include "store/file_check.h"

#define KILLS 60
#define LOOKED_AT_RENAMES 20 /* and as many back */

static void write_edits(const char *path, uint64_t count, struct numbered *numbered)
{
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, true, START_TIME, &state);
    for (uint64_t i = 0; i < count; i++) {
        commit(store, numbered_batch(numbered, false));
        commit(store, numbered_batch(numbered, true));
    }
    gz_store_close(store);
    gz_scene_state_finish(&state);
}

static void copy(const char *from, const char *to)
{
    char bytes[65536];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(in >= 0 && out >= 0);
    for (ssize_t size; (size = read(in, bytes, sizeof bytes)) > 0;)
        assert_int_equal(write(out, bytes, (size_t)size), size);
    close(in);
    close(out);
}

/* A database with a write-ahead log beside it, as a kill leaves them. */
static void write_edits_and_die(void **directory, const char *path, const char *log,
                                struct numbered *numbered)
{
    struct gz_scene_state state;
    const char *other = in_directory(directory, "other.db");
    struct gz_store *store = open_scene(other, true, START_TIME, &state);
    commit(store, numbered_batch(numbered, false));
    commit(store, numbered_batch(numbered, true));
    copy(other, path);
    copy(in_directory(directory, "other.db-wal"), log);
    gz_store_close(store);
    gz_scene_state_finish(&state);
    assert_int_equal(gz_store_delete(other, NULL), GZ_OK);
}

static void assert_holds(const char *path, struct numbered numbered)
{
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, false, START_TIME, &state);
    assert_numbered(&state, numbered.edits, &numbered);
    gz_store_close(store);
    gz_scene_state_finish(&state);
}

static void assert_alone(void **directory, const char *name)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal", ".owner"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char file[64];
        snprintf(file, sizeof file, "%s%s", name, endings[i]);
        if (access(in_directory(directory, file), F_OK) == 0) fail_msg("%s is still there", file);
    }
}

TEST_IN_DIRECTORY(test_rename_takes_the_log_along)
{
    const char *a = in_directory(directory, "a.db"), *b = in_directory(directory, "b.db");
    struct numbered numbered = {0};
    write_edits_and_die(directory, a, in_directory(directory, "a.db-wal"), &numbered);
    assert_int_equal(gz_store_rename(a, b, NULL), GZ_OK);
    assert_int_not_equal(access(a, F_OK), 0);
    assert_alone(directory, "a.db");
    assert_alone(directory, "b.db");
    assert_holds(b, numbered);
}

/* A database that was moved by hand has left its log behind: nobody takes that for the log of
 * another, and nobody deletes it. */
TEST_IN_DIRECTORY(test_log_of_a_moved_file_stays)
{
    const char *a = in_directory(directory, "a.db"), *b = in_directory(directory, "b.db");
    struct numbered numbered = {0}, another = {0};
    struct gz_error error;
    struct gz_scene_state state;
    struct gz_store *store;
    struct gz_store_options options = {.path = b, .create = true, .time = START_TIME};
    write_edits(a, 3, &numbered);
    write_edits_and_die(directory, b, in_directory(directory, "b.db-wal"), &another);
    assert_int_equal(rename(b, in_directory(directory, "moved.db")), 0);
    assert_int_equal(gz_store_tidy(in_directory(directory, "moved.db"), NULL), GZ_OK);
    const enum gz_status refusals[] = {gz_store_tidy(b, &error), gz_store_rename(a, b, &error),
                                       gz_store_delete(b, &error),
                                       gz_store_open(&store, &options, &state, &error)};
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        assert_int_equal(refusals[i], GZ_STORAGE);
    assert_non_null(
        strstr(error.message, "b.db-wal is the log of a file that was moved or deleted"));
    assert_int_not_equal(access(b, F_OK), 0);
    assert_holds(a, numbered);
    assert_int_equal(
        rename(in_directory(directory, "b.db-wal"), in_directory(directory, "moved.db-wal")), 0);
    assert_holds(in_directory(directory, "moved.db"), another);
    assert_int_equal(gz_store_rename(a, b, NULL), GZ_OK);
}

/* A file that is moved while it is open takes along what was committed. */
TEST_IN_DIRECTORY(test_file_that_is_moved_takes_its_log_along)
{
    const char *a, *moved = in_directory(directory, "moved.db");
    struct numbered numbered = {0};
    struct gz_store *store = open_new(directory, &a);
    for (int i = 0; i < 6; i++) commit(store, numbered_batch(&numbered, i % 2 == 1));
    assert_int_equal(rename(a, moved), 0);
    gz_store_close(store);
    assert_int_equal(gz_store_tidy(a, NULL), GZ_OK);
    assert_alone(directory, "a.db");
    assert_holds(moved, numbered);
}

/* An empty log, as the daemon leaves it where a file was moved, holds nothing. */
TEST_IN_DIRECTORY(test_empty_log_is_no_hindrance)
{
    const char *a = in_directory(directory, "a.db");
    close(open(in_directory(directory, "a.db-wal"), O_CREAT | O_WRONLY, 0600));
    close(open(in_directory(directory, "a.db-shm"), O_CREAT | O_WRONLY, 0600));
    assert_int_equal(gz_store_tidy(a, NULL), GZ_OK);
    assert_alone(directory, "a.db");
}

/* A crash in the middle of a deletion: what is beside the name goes, whoever wants the name
 * next. */
TEST_IN_DIRECTORY(test_deletion_that_broke_off_is_finished)
{
    struct numbered numbered = {0};
    struct gz_scene_state state;
    write_edits(in_directory(directory, "a.db"), 3, &numbered);
    for (int who = 0; who < 3; who++) {
        const char *a = in_directory(directory, "a.db"), *b = in_directory(directory, "b.db");
        const char *deleted = in_directory(directory, ".deleted-b.db");
        write_edits_and_die(directory, b, in_directory(directory, "b.db-wal"),
                            &(struct numbered){0});
        assert_int_equal(rename(b, deleted), 0);
        if (who == 0) assert_int_equal(gz_store_tidy(b, NULL), GZ_OK);
        if (who == 1) gz_store_close(open_scene(b, true, START_TIME, &state));
        if (who == 1) assert_int_equal(state.seq, 0);
        if (who == 1) gz_scene_state_finish(&state);
        if (who == 1) assert_int_equal(gz_store_delete(b, NULL), GZ_OK);
        if (who == 2) assert_int_equal(gz_store_rename(a, b, NULL), GZ_OK);
        assert_alone(directory, "b.db");
        assert_int_not_equal(access(deleted, F_OK), 0);
    }
    assert_holds(in_directory(directory, "b.db"), numbered);
}

TEST(test_files_beside_a_scene_are_known)
{
    static const struct {
        const char *file, *scene;
    } rows[] = {{"arm.db-wal", "arm"},      {"arm.db-shm", "arm"},    {"arm.db-journal", "arm"},
                {"arm.db.owner", "arm"},    {"arm.db", NULL},         {".deleted-arm.db", "arm"},
                {"arm.db-old", NULL},       {"arm.db-wal.old", NULL}, {"arm-wal", NULL},
                {".deleted-arm.txt", NULL}, {".deleted-.db", NULL},   {".db-wal", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t size = 0;
        const char *scene = gz_store_beside(rows[i].file, &size);
        bool is_right = rows[i].scene == NULL ? scene == NULL
                                              : scene != NULL && size == strlen(rows[i].scene) &&
                                                    memcmp(scene, rows[i].scene, size) == 0;
        if (!is_right) fail_msg("%s", rows[i].file);
    }
}

TEST_IN_DIRECTORY(test_rename_is_refused_and_changes_nothing)
{
    const char *a = in_directory(directory, "a.db"), *b = in_directory(directory, "b.db");
    struct numbered numbered = {0};
    struct gz_error error;
    struct gz_scene_state state;
    assert_int_equal(gz_store_rename(a, b, &error), GZ_UNKNOWN_SCENE);
    write_edits(a, 1, &numbered);
    write_edits(b, 1, &(struct numbered){0});
    assert_int_equal(gz_store_rename(a, b, &error), GZ_CONFLICT);
    assert_int_equal(gz_store_delete(b, &error), GZ_OK);

    sqlite3 *reader;
    assert_int_equal(sqlite3_open(a, &reader), SQLITE_OK);
    assert_int_equal(sqlite3_exec(reader, "SELECT * FROM scene", NULL, NULL, NULL), SQLITE_OK);
    struct gz_store *store = open_scene(a, false, START_TIME, &state); /* its log is in use */
    assert_int_equal(gz_store_rename(a, b, &error), GZ_BAD_STATE);
    assert_int_equal(gz_store_delete(a, &error), GZ_BAD_STATE);
    gz_store_close(store);
    gz_scene_state_finish(&state);
    assert_int_equal(sqlite3_exec(reader, "SELECT * FROM scene", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(gz_store_rename(a, b, &error), GZ_BAD_STATE);
    assert_non_null(strstr(error.message, "a.db is open in another program"));
    sqlite3_close(reader);
    assert_int_not_equal(access(b, F_OK), 0);
    assert_holds(a, numbered);
    assert_int_equal(gz_store_rename(a, b, &error), GZ_OK);
}

struct looker {
    char *names[2];
    atomic_bool is_over;
    int looks;
};

static void look(void *context)
{
    struct looker *looker = context;
    struct gz_store_summary summary;
    for (int at = 0; !atomic_load(&looker->is_over); at = !at)
        looker->looks += gz_store_summary(looker->names[at], &summary, NULL, NULL) == GZ_OK;
}

/* As the start page does, which lists the scenes again and again. */
TEST_IN_DIRECTORY(test_rename_beside_those_who_only_look)
{
    static struct looker looker; /* a failure here leaves the thread behind */
    looker.names[0] = strdup(in_directory(directory, "a.db"));
    looker.names[1] = strdup(in_directory(directory, "b.db"));
    struct numbered numbered = {0};
    uv_thread_t thread;
    write_edits(looker.names[0], 2, &numbered);
    assert_int_equal(uv_thread_create(&thread, look, &looker), 0);
    for (int i = 0; i < 2 * (int)chance_count(LOOKED_AT_RENAMES); i++) {
        struct gz_error error;
        struct gz_scene_state state;
        gz_store_close(open_scene(looker.names[i % 2], false, START_TIME,
                                  &state)); /* in write-ahead mode again */
        gz_scene_state_finish(&state);
        if (gz_store_rename(looker.names[i % 2], looker.names[(i + 1) % 2], &error) != GZ_OK)
            fail_msg("rename %d: %s", i, error.message);
    }
    atomic_store(&looker.is_over, true);
    uv_thread_join(&thread);
    assert_true(looker.looks > 0);
    assert_holds(looker.names[0], numbered);
    free(looker.names[0]);
    free(looker.names[1]);
}

static void give_back(void *owner)
{
    usleep(20000);
    gz_lock_file_finish(owner);
}

/* Who only looks owns the file while it rolls a crash's journal back. */
TEST_IN_DIRECTORY(test_rename_waits_for_a_brief_owner)
{
    const char *a = in_directory(directory, "a.db"), *b = in_directory(directory, "b.db");
    static struct gz_lock_file owner;
    uv_thread_t thread;
    write_edits(a, 1, &(struct numbered){0});
    assert_int_equal(gz_lock_file_init(&owner, a, NULL), GZ_OK);
    assert_int_equal(gz_store_rename(a, b, NULL), GZ_BAD_STATE);
    gz_lock_file_finish(&owner);
    assert_int_equal(gz_lock_file_init_brief(&owner, a, NULL), GZ_OK);
    assert_int_equal(uv_thread_create(&thread, give_back, &owner), 0);
    assert_int_equal(gz_store_rename(a, b, NULL), GZ_OK);
    uv_thread_join(&thread);
}

TEST_IN_DIRECTORY(test_delete_takes_what_is_no_database)
{
    const char *a = in_directory(directory, "a.db");
    close(open(a, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(gz_store_delete(a, NULL), GZ_OK);
    assert_int_not_equal(access(a, F_OK), 0);
    assert_alone(directory, "a.db");
}

TEST_IN_DIRECTORY(test_rename_killed_in_between)
{
    char *names[] = {strdup(in_directory(directory, "a.db")),
                     strdup(in_directory(directory, "b.db"))};
    struct numbered numbered = {0};
    write_edits(names[0], 2, &numbered);
    for (int i = 0; i < (int)chance_count(KILLS); i++) {
        pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            int at = access(names[0], F_OK) == 0 ? 0 : 1;
            for (;; at = !at) {
                struct gz_scene_state state;
                struct gz_store *store;
                struct gz_store_options options = {.path = names[at], .time = START_TIME};
                if (gz_store_open(&store, &options, &state, NULL) != GZ_OK) _exit(2);
                if (state.read_only[0] != '\0') _exit(4);
                gz_store_close(store);
                gz_scene_state_finish(&state);
                if (gz_store_rename(names[at], names[!at], NULL) != GZ_OK) _exit(3);
            }
        }
        usleep((useconds_t)(rand() % 20000));
        kill(child, SIGKILL);
        int result;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFSIGNALED(result));
        bool is_second = access(names[1], F_OK) == 0;
        assert_int_equal(access(names[0], F_OK) == 0, !is_second);
        assert_int_equal(gz_store_tidy(names[!is_second], NULL), GZ_OK);
        assert_alone(directory, is_second ? "a.db" : "b.db");
        assert_int_not_equal(gz_clean_mark_read(names[is_second]).mark, GZ_CLEAN_MARK_NONE);
        assert_holds(names[is_second], numbered);
    }
    free(names[0]);
    free(names[1]);
}
