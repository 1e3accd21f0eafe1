/* One client cannot hurt another: viewers that stop reading, one that says far too much, and very
 * many that come at once. GIZMOD_TIMES scales the 24 viewers and 200 joins, up to 240 and 2,000,
 * which the long suite takes. What is asked are counts and bytes; the times are measured by
 * crowd_bench. */
#include "server/net/net_fixture.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>

#include "server/maxima.h"
#include "support/chance.h"
#include "support/crowd.h"

#define SCENE "crowd"
#define VIEWERS_MAX 240
#define JOINS_MAX 2000
#define GROUPS 8
#define GROUP_NODES 25
#define MOVES 60
#define PATIENCE_S 60.0
#define RECEIVE_BYTES                                                                              \
    4096 /* small, so that a stalled viewer soon fills what the daemon's side may hold */
#define MEMORY_BYTES_MAX (64 * 1024)
#define PING "--ping-seconds=1"
#define SILENCE "--silence-seconds=6" /* in which a crowd on a busy machine gets its turn */
#define NEVER "--silence-seconds=3600"

struct stage {
    struct net_fixture fixture;
    struct crowd crowd;
    struct crowd_member *mover;
    uint64_t moves; /* the last n */
    size_t viewers;
};

/* ---- the stage: one who moves, many who watch ---- */

static size_t at_most(size_t count, size_t max)
{
    return count < max ? count : max;
}

static void open_stage(struct stage *stage, const char *first, const char *second)
{
    *stage = (struct stage){.viewers = at_most(chance_count(24), VIEWERS_MAX)};
    net_fixture_start(&stage->fixture, first, second);
    int maker = net_fixture_join(&stage->fixture, SCENE, "maker");
    net_fixture_create_nodes(maker, GROUPS * GROUP_NODES);
    close(maker);
    crowd_init(&stage->crowd, stage->fixture.daemon.port);
    stage->mover = crowd_enter(&stage->crowd, SCENE, GZ_ROLE_EDITOR, 0);
}

static void close_stage(struct stage *stage)
{
    crowd_finish(&stage->crowd);
    net_fixture_renew_witness(&stage->fixture);
    net_fixture_stop(&stage->fixture);
}

/* Every fourth has a small buffer: those will stall. */
static bool is_in_quarter(size_t i)
{
    return i % 4 == 0;
}

static struct crowd_member **let_in_viewers(struct stage *stage)
{
    struct crowd_member **viewers = calloc(stage->viewers, sizeof *viewers);
    assert_non_null(viewers);
    for (size_t i = 0; i < stage->viewers; i++)
        viewers[i] =
            crowd_enter(&stage->crowd, SCENE, GZ_ROLE_VIEWER, is_in_quarter(i) ? RECEIVE_BYTES : 0);
    assert_int_equal(crowd_gather(&stage->crowd, PATIENCE_S), stage->viewers + 1);
    return viewers;
}

static bool is_acknowledged(void *context)
{
    const struct stage *stage = context;
    return stage->mover->acknowledged == stage->moves;
}

/* A move of one group, and what it did has come back. */
static void move_group(struct stage *stage, uint64_t group)
{
    uint64_t ids[GROUP_NODES];
    for (uint64_t i = 0; i < GROUP_NODES; i++) ids[i] = 1 + group * GROUP_NODES + i;
    struct gz_message grab = {
        .op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE | GZ_HAS_POINTER_N};
    grab.pointer = (struct gz_pointer_message){.phase = GZ_PHASE_DOWN,
                                               .handle = GZ_TX,
                                               .n = ++stage->moves,
                                               .nodes = {ids, GROUP_NODES},
                                               .value = {{(double)stage->moves}, 1}};
    crowd_send(stage->mover, &grab);
    assert_true(crowd_until(&stage->crowd, is_acknowledged, stage, PATIENCE_S));
}

static void release(struct stage *stage)
{
    struct gz_message up = {.op = GZ_OP_POINTER, .pointer.phase = GZ_PHASE_UP};
    crowd_send(stage->mover, &up);
}

static void move_everything(struct stage *stage)
{
    for (uint64_t group = 0; group < GROUPS; group++) {
        for (int i = 0; i < MOVES; i++) move_group(stage, group);
        release(stage);
    }
}

static bool is_everybody_up_to_date(void *context)
{
    const struct stage *stage = context;
    for (const struct crowd_member *member = stage->crowd.members; member != NULL;
         member = member->next) {
        if (member->state == CROWD_JOINED && !member->stalled && member->seq < stage->mover->seq)
            return false;
    }
    return true;
}

static void catch_up(struct stage *stage)
{
    assert_true(crowd_until(&stage->crowd, is_everybody_up_to_date, stage, PATIENCE_S));
}

/* ---- what the daemon holds ---- */

/* The least of a second's looks: what is being sent or committed is freed meanwhile. Without
 * SQLite's, whose pages become more while the file grows, up to a bound. */
static long heap_bytes(const struct net_fixture *fixture)
{
    const int port = fixture->daemon.port;
    long least = LONG_MAX;
    for (int look = 0; look < 10; look++) {
        long bytes = net_fixture_memory(port).own;
        if (bytes < least) least = bytes;
        usleep(100000);
    }
    return least;
}

static size_t users(const struct stage *stage)
{
    return (size_t)net_fixture_measure(stage->fixture.daemon.port, SCENE, "users");
}

static size_t descriptors(const struct net_fixture *fixture)
{
    char path[64];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)fixture->daemon.pid);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder) != NULL) count++;
    closedir(folder);
    return count;
}

/* The largest number of bytes that the kernel holds to be sent for one of the daemon's
 * connections. */
static unsigned long kernel_bytes_max(const struct net_fixture *fixture)
{
    char line[512];
    unsigned long most = 0, waiting;
    unsigned port;
    FILE *file = fopen("/proc/net/tcp", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, " %*d: %*x:%x %*x:%*x %*x %lx:", &port, &waiting) != 2) continue;
        if (port == (unsigned)fixture->daemon.port && waiting > most) most = waiting;
    }
    fclose(file);
    return most;
}

/* A sanitizer's own heap says nothing about ours. */
static bool heap_can_be_told(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#else
    return true;
#endif
}

/* ---- those who stop reading ---- */

/* Stalls a quarter of the viewers until hear_all, and returns how many those are. */
static size_t move_while_some_are_stalled(struct stage *stage, struct crowd_member **viewers)
{
    size_t stalled = 0;
    for (size_t i = 0; i < stage->viewers; i++) {
        crowd_stall(viewers[i], is_in_quarter(i));
        stalled += is_in_quarter(i);
    }
    move_everything(stage);
    catch_up(stage);
    return stalled;
}

static void hear_all(struct stage *stage, struct crowd_member **viewers)
{
    for (size_t i = 0; i < stage->viewers; i++) crowd_stall(viewers[i], false);
    catch_up(stage);
}

static void wait_until_saved(const struct stage *stage)
{
    const int port = stage->fixture.daemon.port;
    const double end_s = now_s() + PATIENCE_S;
    while (net_fixture_measure(port, SCENE, "saved") < net_fixture_measure(port, SCENE, "seq")) {
        assert_true(now_s() < end_s);
        usleep(10000);
    }
}

/* What the daemon holds after those who were stalled have left. */
static long heap_without_stalled(struct stage *stage, struct crowd_member **viewers)
{
    const double end_s = now_s() + PATIENCE_S;
    size_t left = stage->viewers + 1;
    for (size_t i = 0; i < stage->viewers; i++) {
        if (!is_in_quarter(i)) continue;
        crowd_leave(viewers[i]);
        left--;
    }
    while (users(stage) > left && now_s() < end_s) crowd_run(&stage->crowd, 0.01);
    assert_int_equal(users(stage), left);
    return heap_bytes(&stage->fixture);
}

TEST(test_stalled_viewers_cost_little_and_get_fewer_larger_deltas)
{
    struct stage stage;
    open_stage(&stage, NEVER, NULL);
    struct crowd_member **viewers = let_in_viewers(&stage);
    move_while_some_are_stalled(&stage, viewers); /* buffers that all share grow now */
    hear_all(&stage, viewers);
    for (size_t i = 0; i < stage.viewers; i++) crowd_forget(viewers[i]);
    const size_t stalled = move_while_some_are_stalled(&stage, viewers);
    wait_until_saved(&stage);
    const long heap = heap_bytes(&stage.fixture);
    const unsigned long kernel = kernel_bytes_max(&stage.fixture);
    assert_true(kernel < MEMORY_BYTES_MAX / 2);

    hear_all(&stage, viewers);
    assert_int_equal(crowd_count(&stage.crowd, CROWD_ENDED), 0);
    const struct crowd_member *slow = viewers[0], *healthy = viewers[1];
    print_message("frames %zu of %zu, bytes %zu of %zu, nodes of the largest delta %zu and %zu\n",
                  slow->frames, healthy->frames, slow->bytes, healthy->bytes, slow->nodes_max,
                  healthy->nodes_max);
    for (size_t i = 0; i < stage.viewers; i++) {
        if (is_in_quarter(i)) {
            assert_true(viewers[i]->deltas < GROUPS * MOVES / 2);
            assert_true(viewers[i]->bytes < healthy->bytes / 2);
            assert_true(viewers[i]->nodes_max > 2 * GROUP_NODES);
        } else {
            assert_true(viewers[i]->deltas >= GROUPS * MOVES * 9 / 10);
            assert_true(viewers[i]->nodes_max <= 2 * GROUP_NODES);
        }
    }
    const long each = (heap - heap_without_stalled(&stage, viewers)) / (long)stalled;
    print_message("a stalled viewer: %ld bytes of the daemon's and %lu of the kernel's\n", each,
                  kernel);
    if (heap_can_be_told()) assert_true(each < MEMORY_BYTES_MAX / 2);
    free(viewers);
    close_stage(&stage);
}

/* One who comes back at once reads why; who comes later finds what the kernels held for it,
 * and the end. */
TEST(test_stalled_viewers_are_ended_and_the_others_are_not)
{
    struct stage stage;
    open_stage(&stage, PING, SILENCE);
    struct crowd_member **viewers = let_in_viewers(&stage);
    size_t stalled = 0, told = 0;
    for (size_t i = 0; i < stage.viewers; i++) {
        crowd_stall(viewers[i], is_in_quarter(i));
        stalled += is_in_quarter(i);
    }
    double end_s = now_s() + PATIENCE_S;
    do {
        for (int i = 0; i < MOVES; i++) {
            move_group(&stage, 0);
            crowd_run(&stage.crowd, 0.001); /* within the rate of messages */
        }
    } while (users(&stage) > stage.viewers + 1 - stalled && now_s() < end_s);
    assert_int_equal(users(&stage), stage.viewers + 1 - stalled);
    for (size_t i = 0; i < stage.viewers; i++) {
        if (i % 8 == 0) crowd_stall(viewers[i], false);
    }
    crowd_run(&stage.crowd, 2 * GZ_FAREWELL_SECONDS);
    for (size_t i = 0; i < stage.viewers; i++) crowd_stall(viewers[i], false);
    crowd_run(&stage.crowd, 1);
    catch_up(&stage);
    for (size_t i = 0; i < stage.viewers; i++) {
        assert_int_equal(viewers[i]->state, is_in_quarter(i) ? CROWD_ENDED : CROWD_JOINED);
        if (!viewers[i]->bye) continue;
        assert_string_equal(viewers[i]->reason, "you sent nothing and took nothing");
        told++;
    }
    print_message("%zu of %zu that were ended read why\n", told, stalled);
    assert_true(told > 0);
    free(viewers);
    close_stage(&stage);
}

/* ---- one who says too much ---- */

#define RATE 100
#define FLOOD_MESSAGES 1000 /* a hundred times the rate, in ten parts a second */

struct flood {
    struct stage *stage;
    struct crowd_member *sender;
    struct gz_buffer frame; /* a ping */
};

static void flood(struct flood *flood)
{
    for (int i = 0; i < FLOOD_MESSAGES && crowd_unsent(flood->sender) == 0; i++)
        crowd_send_frame(flood->sender, flood->frame.data, flood->frame.size);
}

TEST(test_sender_far_over_its_rate_is_told_and_ended_and_the_others_go_on)
{
    struct stage stage;
    struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 1};
    open_stage(&stage, "--messages-per-s=100", NULL);
    struct crowd_member **viewers = let_in_viewers(&stage);
    struct flood sender = {.stage = &stage,
                           .sender = crowd_enter(&stage.crowd, SCENE, GZ_ROLE_VIEWER, 0)};
    assert_int_equal(crowd_gather(&stage.crowd, PATIENCE_S), stage.viewers + 2);
    gz_buffer_init(&sender.frame, GZ_MESSAGE_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&sender.frame, &ping), GZ_OK);
    for (size_t i = 0; i < stage.viewers; i++) crowd_forget(viewers[i]);
    uint64_t first = stage.moves;
    double began_s = now_s();
    while (sender.sender->state != CROWD_ENDED && now_s() < began_s + PATIENCE_S) {
        flood(&sender);
        move_group(&stage, 0);
        crowd_run(&stage.crowd, 0.1);
    }
    size_t seconds = (size_t)(now_s() - began_s);
    uint64_t moves = stage.moves - first;
    print_message("ended after %zu s: %zu rate_limited, %zu ok, %llu moves of another\n", seconds,
                  sender.sender->errors[GZ_RATE_LIMITED], sender.sender->oks,
                  (unsigned long long)moves);
    assert_int_equal(sender.sender->state, CROWD_ENDED);
    assert_true(sender.sender->fatal);
    assert_true(seconds >= GZ_RATE_SECONDS_MAX);
    assert_in_range(sender.sender->errors[GZ_RATE_LIMITED], GZ_RATE_SECONDS_MAX, seconds + 2);
    assert_in_range(sender.sender->oks, RATE * GZ_RATE_SECONDS_MAX, RATE * (seconds + 2));
    catch_up(&stage);
    for (size_t i = 0; i < stage.viewers; i++) {
        assert_int_equal(viewers[i]->state, CROWD_JOINED);
        assert_true(viewers[i]->deltas >= moves * 9 / 10);
        assert_int_equal(viewers[i]->errors[GZ_RATE_LIMITED], 0);
    }
    assert_int_equal(stage.mover->errors[GZ_RATE_LIMITED], 0);
    gz_buffer_finish(&sender.frame);
    free(viewers);
    close_stage(&stage);
}

/* ---- very many at once ---- */

struct storm {
    struct stage *stage;
    size_t descriptors; /* of the daemon, before */
};

static bool is_over(void *context)
{
    const struct storm *storm = context;
    return users(storm->stage) == 1 && descriptors(&storm->stage->fixture) <= storm->descriptors;
}

/* What leaks leaks in each storm; what is larger in one of them is a buffer that grew: there are
 * more storms than frames that a scene keeps for others, each in a buffer of its own. */
TEST(test_join_storm_lets_everybody_in_and_leaves_nothing_behind)
{
    enum { STORMS = 10 };
    struct stage stage;
    struct storm before = {&stage, SIZE_MAX};
    size_t joins = at_most(chance_count(200), JOINS_MAX);
    long heap = 0, least = LONG_MAX; /* what a storm leaves behind, at the least */
    open_stage(&stage, NULL, NULL);
    assert_int_equal(crowd_gather(&stage.crowd, PATIENCE_S), 1);
    assert_true(crowd_until(&stage.crowd, is_over, &before, PATIENCE_S));
    before.descriptors = descriptors(&stage.fixture);
    for (int storm = 0; storm < STORMS; storm++) {
        for (size_t i = 0; i < joins; i++) crowd_enter(&stage.crowd, SCENE, GZ_ROLE_VIEWER, 0);
        assert_int_equal(crowd_gather(&stage.crowd, PATIENCE_S), joins + 1);
        move_group(&stage, 0); /* the one who was there goes on */
        release(&stage);
        crowd_disperse(&stage.crowd, stage.mover);
        assert_true(crowd_until(&stage.crowd, is_over, &before, PATIENCE_S));
        assert_int_equal(crowd_count(&stage.crowd, CROWD_JOINED), 1);
        long before_it = heap;
        heap = heap_bytes(&stage.fixture);
        if (storm > 0 && heap - before_it < least) least = heap - before_it;
    }
    print_message("a storm of %zu left %ld bytes behind\n", joins, least);
    if (heap_can_be_told()) assert_true(least < 1024 * (long)joins);
    close_stage(&stage);
}

/* ---- very many who only watch ---- */

static bool is_everybody_counted(void *context)
{
    const struct crowd *crowd = context;
    for (const struct crowd_member *member = crowd->members; member != NULL;
         member = member->next) {
        if (member->here != crowd->count) return false;
    }
    return true;
}

/* What so many joins of people who only watch cost, all that everybody is sent, for each. */
static double bytes_of_joins(size_t joins)
{
    struct net_fixture fixture;
    struct crowd crowd;
    size_t bytes = 0;
    net_fixture_start(&fixture, NULL, NULL);
    crowd_init(&crowd, fixture.daemon.port);
    crowd_enter(&crowd, SCENE, GZ_ROLE_EDITOR, 0);
    assert_int_equal(crowd_gather(&crowd, PATIENCE_S), 1);
    for (size_t i = 0; i < joins; i++) crowd_enter(&crowd, SCENE, GZ_ROLE_VIEWER, 0);
    assert_int_equal(crowd_gather(&crowd, PATIENCE_S), joins + 1);
    assert_true(crowd_until(&crowd, is_everybody_counted, &crowd, PATIENCE_S));
    for (const struct crowd_member *member = crowd.members; member != NULL; member = member->next) {
        assert_in_range(member->people, 1, GZ_PRESENCE_FEW + 1);
        bytes += member->bytes;
    }
    crowd_finish(&crowd);
    net_fixture_renew_witness(&fixture);
    net_fixture_stop(&fixture);
    return (double)bytes / (double)joins;
}

/* Told of by name, four times as many would cost four times the bytes each. How often the number of
 * people is told follows the time that the joins take. */
TEST(test_join_of_one_who_watches_costs_the_same_however_many_there_are)
{
    const size_t joins = at_most(chance_count(400), 1600);
    const double few = bytes_of_joins(joins / 4), many = bytes_of_joins(joins);
    print_message("bytes a join of %zu and of %zu: %.0f and %.0f\n", joins / 4, joins, few, many);
    assert_true(many < 2.5 * few);
}

/* Of the daemon's heap, once the sessions have fallen asleep. */
#define IDLE_BYTES_MAX 4000

TEST(test_viewer_who_only_watches_takes_one_descriptor_and_few_bytes)
{
    struct net_fixture fixture;
    struct crowd crowd;
    const size_t joins = at_most(chance_count(400), 1600);
    net_fixture_start(&fixture, NULL, NULL);
    crowd_init(&crowd, fixture.daemon.port);
    crowd_enter(&crowd, SCENE, GZ_ROLE_EDITOR, 0);
    assert_int_equal(crowd_gather(&crowd, PATIENCE_S), 1);
    const long heap = heap_bytes(&fixture);
    const size_t before = descriptors(&fixture);
    for (size_t i = 0; i < joins; i++) crowd_enter(&crowd, SCENE, GZ_ROLE_VIEWER, 0);
    assert_int_equal(crowd_gather(&crowd, PATIENCE_S), joins + 1);
    assert_true(crowd_until(&crowd, is_everybody_counted, &crowd, PATIENCE_S));
    const double end_s = now_s() + PATIENCE_S;
    long each;
    do each = (heap_bytes(&fixture) - heap) / (long)joins;
    while (heap_can_be_told() && each >= IDLE_BYTES_MAX && now_s() < end_s);
    print_message("a viewer of %zu: %ld bytes of the daemon's\n", joins, each);
    assert_int_equal(descriptors(&fixture), before + joins);
    if (heap_can_be_told()) assert_true(each < IDLE_BYTES_MAX);
    crowd_finish(&crowd);
    net_fixture_renew_witness(&fixture);
    net_fixture_stop(&fixture);
}
