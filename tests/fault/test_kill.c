/* Kill -9 at random moments while people drag, set, make, undo, delete and write notes.
 * What they were told is in the log of a driver of its own (driver.c); after each kill the file is
 * held against it: every edit answered `ok` is there once, with the answer that its key has, and
 * whole; what was `saved` is there; a drag lost at most 50 ms and one commit of its motion.
 * GIZMOD_TIMES scales the 20 kills (1,000 in the long suite), GIZMOD_SEED chooses when. */
#include <math.h>
#include <unistd.h>

#include "driven.h"
#include "fault_stage.h"
#include "support/chance.h"

#define ROUNDS 20
/* A round is at most so long after everybody is back, seconds. */
#define ROUND_S_MAX 0.5
/* Seconds of motion that a crash may cost beside one commit. */
#define MOTION_S_MAX 0.05

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

/* How long the driver saw nothing of anybody: then neither it nor the server had a processor. */
static double longest_pause_s(const struct driver *driver, size_t from)
{
    double longest_s = 0;
    for (size_t i = from + 1; i < driver->count; i++)
        longest_s = fmax(longest_s, driver->entries[i].clock_s - driver->entries[i - 1].clock_s);
    return longest_s;
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
    judge_ask(db, "SELECT tx FROM nodes WHERE id = ?3", &(struct driver_entry){.ids = {node}},
              &file_x, 1);
    judge_ask(db, "SELECT seq FROM scene", &(struct driver_entry){0}, &file_seq, 1);
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
    double pause_s = longest_pause_s(driver, from);
    judge->lost_s_max = fmax(judge->lost_s_max, lost_s);
    if (lost_s > MOTION_S_MAX + commit_s + pause_s)
        fail_msg("node %llu: %.0f ms of motion are lost, the slowest commit took %.0f ms, and the "
                 "longest pause of all %.0f ms",
                 (unsigned long long)node, lost_s * 1000, commit_s * 1000, pause_s * 1000);
}

/* ---- a round ---- */

static void judge_file(struct judge *judge, const struct driver *driver, const char *path)
{
    sqlite3 *db = judge_open_file(path);
    judge_driven(judge, db, driver);
    uint64_t dragged[2] = {0};
    for (size_t i = 0; i < driver->count; i++)
        if (driver->entries[i].kind == DRIVER_GRABBED)
            dragged[driver->entries[i].user] = driver->entries[i].ids[0];
    for (size_t i = 0; i < 2; i++)
        if (dragged[i] != 0) judge_motion(judge, db, driver, dragged[i]);
    sqlite3_close(db);
}

TEST_ON_STAGE(test_kill_at_any_moment_loses_and_doubles_nothing)
{
    struct stage *stage = *state;
    struct driver driver = {0};
    struct judge judge = {0};
    long rounds = (long)chance_count(ROUNDS);
    srand48((long)chance_seed(1));
    const char *const urls[] = {stage->daemon.url, NULL};
    driver_start(&driver, stage->daemon.directory, urls);
    for (long round = 0; round < rounds; round++) {
        size_t from = driver.count;
        driver_await_work(&driver, from);
        usleep((useconds_t)(drand48() * ROUND_S_MAX * 1e6));
        driver_read(&driver);
        from = driver.count;
        test_daemon_kill(&stage->daemon);
        driver_await_loss(&driver, from);
        judge_file(&judge, &driver, scene_file(stage, DRIVER_SCENE));
        assert_file_is_whole(scene_file(stage, DRIVER_SCENE));
        test_daemon_start(&stage->daemon, NULL, NULL);
    }
    driver_await_work(&driver, driver.count);
    test_daemon_end(&stage->daemon);
    driver_end(&driver);
    judge_whole(&driver, scene_file(stage, DRIVER_SCENE));
    print_message("%ld kills; of what was on its way %llu were done, %llu not; at most %.0f ms of "
                  "motion lost\n",
                  rounds, (unsigned long long)judge.open_done, (unsigned long long)judge.open_lost,
                  judge.lost_s_max * 1000);
    driver_finish(&driver);
    test_daemon_start(&stage->daemon, NULL, NULL);
    assert_true(
        is_in_file(stage_join(stage, DRIVER_SCENE, "after"), scene_file(stage, DRIVER_SCENE)));
}
