/* Kill -9 at random moments while people drag, set, make, undo, delete and write notes.
 * What they were told is in the log of a driver of its own (driver.c); after each kill the file is
 * held against it: every edit answered `ok` is there once, with the answer that its key has, and
 * whole; what was `saved` is there; a drag lost at most 50 ms and one commit of its motion.
 * GIZMOD_TIMES scales the 20 kills (1,000 in the long suite), GIZMOD_SEED chooses when. */
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver_log.h"
#include "fault_stage.h"
#include "support/chance.h"

#define ROUNDS 20
/* A round is at most so long after everybody is back, seconds. */
#define ROUND_S_MAX 0.5
/* Seconds of motion that a crash may cost beside one commit. */
#define MOTION_S_MAX 0.05
#define USERS_MAX 16

struct driver {
    pid_t pid;
    int input; /* it ends when this is closed */
    char path[128];
    int log;
    const struct driver_entry *entries;
    size_t count, mapped_bytes;
};

/* What of the log was not looked at yet, and what is still open of what was. */
struct judge {
    size_t next;
    struct driver_entry asked[USERS_MAX]; /* kind 0: nothing is open */
    double lost_s_max;
    uint64_t edits, notes, open_done, open_lost;
};

/* ---- the driver ---- */

static void start_driver(struct driver *driver, const struct test_daemon *daemon)
{
    int ends[2];
    snprintf(driver->path, sizeof driver->path, "%s/driver.log", daemon->directory);
    driver->log = open(driver->path, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(driver->log >= 0);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    driver->pid = fork();
    assert_int_not_equal(driver->pid, -1);
    if (driver->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[0], STDIN_FILENO);
        execl(GZ_DRIVER_PATH, GZ_DRIVER_PATH, daemon->url, driver->path, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    driver->input = ends[1];
}

static void stop_driver(struct driver *driver)
{
    int status;
    close(driver->input);
    assert_int_equal(waitpid(driver->pid, &status, 0), driver->pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail_msg("the driver found something");
    munmap((void *)(uintptr_t)driver->entries, driver->mapped_bytes);
    close(driver->log);
}

/* Its log as it is now. */
static void read_log(struct driver *driver)
{
    struct stat info;
    int status;
    if (waitpid(driver->pid, &status, WNOHANG) != 0) fail_msg("the driver ended");
    assert_int_equal(fstat(driver->log, &info), 0);
    if (driver->entries != NULL) munmap((void *)(uintptr_t)driver->entries, driver->mapped_bytes);
    driver->entries = NULL;
    driver->count = (size_t)info.st_size / sizeof *driver->entries;
    driver->mapped_bytes = (size_t)info.st_size;
    if (info.st_size == 0) return;
    void *map = mmap(NULL, driver->mapped_bytes, PROT_READ, MAP_SHARED, driver->log, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    driver->entries = map;
}

/* Waits until everybody is back and was answered since `from`: then a round is under way. */
static void await_work(struct driver *driver, size_t from)
{
    for (double until = now_s() + STAGE_SECONDS; now_s() < until; usleep(2000)) {
        uint64_t busy = 0;
        read_log(driver);
        for (size_t i = from; i < driver->count; i++) {
            const struct driver_entry *entry = &driver->entries[i];
            if (entry->kind == DRIVER_OK || entry->kind == DRIVER_GRABBED ||
                entry->kind == DRIVER_SEEN)
                busy |= UINT64_C(1) << entry->user;
        }
        if (busy == 0x7F) return;
    }
    fail_msg("the driver does not come to work");
}

/* Waits until it has noticed the kill; nothing that it was told before is then still on its way. */
static void await_loss(struct driver *driver, size_t from)
{
    for (double until = now_s() + STAGE_SECONDS; now_s() < until; usleep(2000)) {
        size_t lost = 0;
        read_log(driver);
        for (size_t i = from; i < driver->count; i++)
            lost += driver->entries[i].kind == DRIVER_LOST;
        if (lost == 7) return;
    }
    fail_msg("the driver does not notice the kill");
}

/* ---- the file ---- */

/* One row of numbers; what is not there is 0. */
static void ask_row(sqlite3 *db, const char *sql, const struct driver_entry *entry, double *row,
                    int columns)
{
    char user[16], key[48];
    sqlite3_stmt *statement;
    snprintf(user, sizeof user, "u%llu", (unsigned long long)entry->user);
    snprintf(key, sizeof key, "%s-%llu", user, (unsigned long long)entry->number);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_bind_text(statement, 1, user, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, key, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)entry->ids[0]);
    bool is_there = sqlite3_step(statement) == SQLITE_ROW;
    for (int i = 0; i < columns; i++) row[i] = is_there ? sqlite3_column_double(statement, i) : 0;
    sqlite3_finalize(statement);
}

static const char edit_sql[] =
    "SELECT count(DISTINCT e.id), max(e.id), max(e.seq), max(e.target), count(c.node), "
    "min(c.after_tx), "
    "max(c.after_tx),"
    " count(DISTINCT c.did), max(c.did = 'create'), max(c.did = 'delete'), max(e.kind = 'undo')"
    " FROM edits e LEFT JOIN changes c ON c.edit = e.id WHERE e.user = ?1 AND e.key = ?2 AND "
    "e.ended IS NOT NULL";
enum { COUNT, ID, SEQ, TARGET, CHANGES, X_MIN, X_MAX, KINDS, IS_MADE, IS_GONE, IS_UNDO, COLUMNS };

static void judge_failed(const struct driver_entry *entry, const char *what, const double *row)
{
    fail_msg("u%llu-%llu (op %u, edit %llu, seq %llu, x %g): %s: %g edits, id %g, seq %g, %g "
             "changes, x %g to %g",
             (unsigned long long)entry->user, (unsigned long long)entry->number, entry->op,
             (unsigned long long)entry->edit, (unsigned long long)entry->seq, entry->x, what,
             row[COUNT], row[ID], row[SEQ], row[CHANGES], row[X_MIN], row[X_MAX]);
}

/* All of its changes, and nothing but them. */
static bool is_whole(const struct driver_entry *entry, const double *row)
{
    bool all_x = row[X_MIN] == entry->x && row[X_MAX] == entry->x;
    if (row[KINDS] != 1) return false;
    switch ((enum driver_op)entry->op) {
    case DRIVER_CREATE: return row[IS_MADE] == 1 && all_x && row[CHANGES] >= 1;
    case DRIVER_SET: return row[CHANGES] == DRIVER_SET_NODES && all_x;
    case DRIVER_LIFT: return row[CHANGES] == 1 && all_x;
    case DRIVER_UNDO:
        return row[CHANGES] == 1 && row[IS_UNDO] == 1 && row[TARGET] == (double)entry->target;
    case DRIVER_DELETE: return row[CHANGES] == DRIVER_MADE_NODES && row[IS_GONE] == 1;
    case DRIVER_UP: return row[CHANGES] == 1;
    case DRIVER_NOTE: break;
    }
    return false;
}

static void judge_note(sqlite3 *db, const struct driver_entry *entry, bool is_answered)
{
    double row[3];
    char sql[256];
    snprintf(sql, sizeof sql,
             "SELECT count(*), max(n.id), max(n.text = 'note %llu') FROM note_keys k JOIN notes n "
             "ON n.id = k.note"
             " WHERE k.user = ?1 AND k.key = ?2",
             (unsigned long long)entry->number);
    ask_row(db, sql, entry, row, 3);
    bool is_right = row[0] == 1 && row[2] == 1 && (!is_answered || row[1] == (double)entry->edit);
    if (!is_right && (is_answered || row[0] != 0))
        fail_msg("note %llu: there %g times", (unsigned long long)entry->number, row[0]);
}

static void judge_answered(struct judge *judge, sqlite3 *db, const struct driver_entry *entry)
{
    double row[COLUMNS];
    if (entry->op == DRIVER_NOTE) {
        judge_note(db, entry, true);
        judge->notes++;
        return;
    }
    ask_row(db, edit_sql, entry, row, COLUMNS);
    if (entry->edit == 0) { /* the `up` of a drag that the lost connection had ended */
        if (entry->op != DRIVER_UP || row[COUNT] != 0)
            judge_failed(entry, "it was answered as none", row);
        return;
    }
    if (row[COUNT] != 1 || row[ID] != (double)entry->edit || row[SEQ] != (double)entry->seq)
        judge_failed(entry, "it was acknowledged", row);
    if (!is_whole(entry, row)) judge_failed(entry, "it is not whole", row);
    judge->edits++;
}

/* What was on its way may be there or not: once, and whole. */
static void judge_open(struct judge *judge, sqlite3 *db, const struct driver_entry *entry)
{
    double row[COLUMNS];
    if (entry->op == DRIVER_NOTE) {
        judge_note(db, entry, false);
        return;
    }
    ask_row(db, edit_sql, entry, row, COLUMNS);
    if (row[COUNT] > 1 || (row[COUNT] == 1 && !is_whole(entry, row)))
        judge_failed(entry, "it was on its way", row);
    if (row[COUNT] == 1) judge->open_done++;
    if (row[COUNT] == 0) judge->open_lost++;
}

/* ---- motion ---- */

struct motion {
    uint64_t node;
    double way, grabbed_s;  /* of the drag that ran last; 0: none since the connection was made */
    double first_s, last_s; /* when it was seen to move, first and last */
    double at_file_s;       /* when it was first seen as far as the file has it */
    double saved_x;         /* where it was when the server said that it was saved */
    bool is_saved;
};

/* As far along its way as this, or further. */
static bool is_past(const struct motion *motion, double x, double than)
{
    return motion->way > 0 ? x >= than : x <= than;
}

/* The slowest commit that the driver waited for since it was back, or is still waiting for. */
static double slowest_commit_s(const struct driver *driver, size_t from, double end_s)
{
    double asked_s[USERS_MAX] = {0}, slowest_s = 0;
    for (size_t i = from; i < driver->count; i++) {
        const struct driver_entry *entry = &driver->entries[i];
        if (entry->kind == DRIVER_ASKED) asked_s[entry->user] = entry->clock_s;
        if (entry->kind != DRIVER_OK || asked_s[entry->user] == 0) continue;
        slowest_s = fmax(slowest_s, entry->clock_s - asked_s[entry->user]);
        asked_s[entry->user] = 0;
    }
    for (size_t user = 0; user < USERS_MAX; user++)
        if (asked_s[user] != 0) slowest_s = fmax(slowest_s, end_s - asked_s[user]);
    return slowest_s;
}

/* Where the watcher joined last, and what it was told to be saved since. */
static size_t last_epoch(const struct driver *driver, uint64_t *saved)
{
    size_t from = 0;
    for (size_t i = 0; i < driver->count; i++)
        if (driver->entries[i].kind == DRIVER_JOINED) from = i;
    *saved = 0;
    for (size_t i = from; i < driver->count; i++)
        if (driver->entries[i].kind == DRIVER_SAVED && driver->entries[i].seq > *saved)
            *saved = driver->entries[i].seq;
    return from;
}

static void follow(struct motion *motion, const struct driver_entry *entry, double file_x,
                   uint64_t saved)
{
    if (entry->kind == DRIVER_GRABBED && entry->ids[0] == motion->node)
        *motion =
            (struct motion){.node = motion->node, .way = entry->x, .grabbed_s = entry->clock_s};
    if (entry->kind != DRIVER_SEEN || entry->ids[0] != motion->node || motion->grabbed_s == 0)
        return;
    if (motion->first_s == 0) motion->first_s = entry->clock_s;
    motion->last_s = entry->clock_s;
    if (motion->at_file_s == 0 && is_past(motion, entry->x, file_x))
        motion->at_file_s = entry->clock_s;
    if (entry->seq > saved) return;
    motion->saved_x = entry->x;
    motion->is_saved = true;
}

static void judge_motion(struct judge *judge, sqlite3 *db, const struct driver *driver,
                         uint64_t node)
{
    uint64_t saved;
    size_t from = last_epoch(driver, &saved);
    double file_x, file_seq;
    ask_row(db, "SELECT tx FROM nodes WHERE id = ?3", &(struct driver_entry){.ids = {node}},
            &file_x, 1);
    ask_row(db, "SELECT seq FROM scene", &(struct driver_entry){0}, &file_seq, 1);
    if (file_seq < (double)saved)
        fail_msg("saved was seq %llu, there is %g", (unsigned long long)saved, file_seq);
    struct motion motion = {.node = node};
    for (size_t i = from; i < driver->count; i++)
        follow(&motion, &driver->entries[i], file_x, saved);
    if (motion.is_saved && !is_past(&motion, file_x, motion.saved_x))
        fail_msg("node %llu: saved at x %.17g, there at %.17g", (unsigned long long)node,
                 motion.saved_x, file_x);
    if (motion.last_s == 0) return;
    /* Further than anybody was told: nothing is lost. */
    double lost_s = motion.at_file_s != 0 ? motion.last_s - motion.at_file_s : 0;
    double commit_s = slowest_commit_s(driver, from, driver->entries[driver->count - 1].clock_s);
    judge->lost_s_max = fmax(judge->lost_s_max, lost_s);
    if (lost_s > MOTION_S_MAX + commit_s)
        fail_msg("node %llu: %.0f ms of motion are lost, the slowest commit took %.0f ms",
                 (unsigned long long)node, lost_s * 1000, commit_s * 1000);
}

/* ---- a round ---- */

static void judge_file(struct judge *judge, const struct driver *driver, const char *path)
{
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    for (; judge->next < driver->count; judge->next++) {
        const struct driver_entry *entry = &driver->entries[judge->next];
        if (entry->kind == DRIVER_ASKED) judge->asked[entry->user] = *entry;
        if (entry->kind != DRIVER_OK) continue;
        judge->asked[entry->user].kind = 0;
        judge_answered(judge, db, entry);
    }
    for (size_t i = 0; i < USERS_MAX; i++)
        if (judge->asked[i].kind != 0) judge_open(judge, db, &judge->asked[i]);
    uint64_t dragged[2] = {0};
    for (size_t i = 0; i < driver->count; i++)
        if (driver->entries[i].kind == DRIVER_GRABBED)
            dragged[driver->entries[i].user] = driver->entries[i].ids[0];
    for (size_t i = 0; i < 2; i++)
        if (dragged[i] != 0) judge_motion(judge, db, driver, dragged[i]);
    sqlite3_close(db);
}

/* Everything again, and that there is nothing else: no edit twice under another key. */
static void judge_whole(const struct driver *driver, const char *path)
{
    struct judge again = {0};
    judge_file(&again, driver, path);
    int64_t keyed = ask_file(path, "SELECT count(*) FROM edits WHERE key IS NOT NULL");
    assert_int_equal(keyed, again.edits + again.open_done);
    assert_int_equal(
        ask_file(path, "SELECT count(*) FROM edits WHERE key IS NULL AND kind <> 'translate'"), 0);
    assert_int_equal(ask_file(path, "SELECT count(*) FROM notes") - (int64_t)again.notes > 1, 0);
    assert_int_equal(
        ask_file(path,
                 "SELECT count(*) FROM (SELECT 1 FROM notes GROUP BY text HAVING count(*) > 1)"),
        0);
    print_message("%llu edits and %llu notes acknowledged, %lld edits in the file\n",
                  (unsigned long long)again.edits, (unsigned long long)again.notes,
                  (long long)keyed);
}

static void test_kill_at_any_moment_loses_and_doubles_nothing(void **state)
{
    struct stage *stage = *state;
    struct driver driver = {0};
    struct judge judge = {0};
    long rounds = (long)chance_count(ROUNDS);
    srand48((long)chance_seed(1));
    start_driver(&driver, &stage->daemon);
    for (long round = 0; round < rounds; round++) {
        size_t from = driver.count;
        await_work(&driver, from);
        usleep((useconds_t)(drand48() * ROUND_S_MAX * 1e6));
        read_log(&driver);
        from = driver.count;
        test_daemon_kill(&stage->daemon);
        await_loss(&driver, from);
        judge_file(&judge, &driver, scene_file(stage, DRIVER_SCENE));
        assert_file_is_whole(scene_file(stage, DRIVER_SCENE));
        test_daemon_start(&stage->daemon, NULL, NULL);
    }
    await_work(&driver, driver.count);
    test_daemon_end(&stage->daemon);
    read_log(&driver);
    judge_whole(&driver, scene_file(stage, DRIVER_SCENE));
    print_message("%ld kills; of what was on its way %llu were done, %llu not; at most %.0f ms of "
                  "motion lost\n",
                  rounds, (unsigned long long)judge.open_done, (unsigned long long)judge.open_lost,
                  judge.lost_s_max * 1000);
    stop_driver(&driver);
    test_daemon_start(&stage->daemon, NULL, NULL);
    assert_true(
        is_in_file(stage_join(stage, DRIVER_SCENE, "after"), scene_file(stage, DRIVER_SCENE)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kill_at_any_moment_loses_and_doubles_nothing,
                                        stage_setup, stage_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
