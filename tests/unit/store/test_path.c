/* The paths of drags as they are kept: thinned, and never further from where a node was than is
 * promised. */
#include "unit/store/scene_file.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "store/path.h"
#include "support/fault_vfs.h"

#define SAMPLES 500
#define STEP_S (GZ_SAMPLE_MS_MIN / 1000.0)
#define TOLERANCE_M 0.002

/* What can be said of a motion: where it has a node after so many seconds. */
typedef gz_trs motion(double seconds);

static gz_trs stand(double seconds)
{
    (void)seconds;
    return gz_trs_identity;
}

static gz_trs glide(double seconds)
{
    return (gz_trs){{0.3 * seconds, -0.1 * seconds, 2}, gz_quat_identity, {1, 1, 1}};
}

/* A hand that follows a curve, and trembles. */
static gz_trs scribble(double seconds)
{
    gz_trs trs = gz_trs_identity;
    trs.t = (gz_vec3){sin(1.7 * seconds) + 0.0004 * sin(61 * seconds), 0.5 * sin(2.9 * seconds),
                      0.2 * cos(seconds)};
    return trs;
}

static gz_trs turn(double seconds)
{
    gz_trs trs = gz_trs_identity;
    trs.r = gz_quat_about((gz_vec3){0, 0.6, 0.8}, 4 * sin(seconds) + 0.3 * sin(7 * seconds));
    return trs;
}

/* Through whole turns, where the quaternion's sign changes. */
static gz_trs spin(double seconds)
{
    gz_trs trs = gz_trs_identity;
    trs.r = gz_quat_about((gz_vec3){1, 0, 0}, 9 * seconds);
    if (((int)(seconds * 10) & 1) != 0) trs.r = (gz_quat){-trs.r.x, -trs.r.y, -trs.r.z, -trs.r.w};
    return trs;
}

static gz_trs grow(double seconds)
{
    gz_trs trs = gz_trs_identity;
    trs.s = (gz_vec3){exp(seconds / 3), -2 + sin(seconds), 1e-6 * (1 + seconds)};
    return trs;
}

static gz_trs jump(double seconds)
{
    gz_trs trs = gz_trs_identity;
    trs.t.x = floor(seconds * 3) * 1e3;
    return trs;
}

static const struct {
    const char *name;
    motion *at;
    size_t points_max; /* of SAMPLES; a motion that is thinned worse than this is a mistake
                          somewhere */
} motions[] = {
    {"stand", stand, 1}, {"glide", glide, 1}, {"scribble", scribble, 250}, {"turn", turn, 150},
    {"spin", spin, 250}, {"grow", grow, 100}, {"jump", jump, 90},
};
#define MOTIONS (sizeof motions / sizeof motions[0])

/* The path as the writer keeps it: which samples stay. */
static size_t thin(motion *at, const double times[SAMPLES], bool kept[SAMPLES])
{
    struct gz_path_recorder path;
    gz_trs start = at(0);
    size_t newest = SAMPLES, count = 0;
    gz_path_recorder_begin(&path, 0, &start);
    for (size_t i = 0; i < SAMPLES; i++) {
        gz_trs trs = at(times[i]);
        if (newest < SAMPLES && !gz_path_recorder_needs_last(&path, times[i], &trs))
            kept[newest] = false;
        gz_path_recorder_extend(&path, TOLERANCE_M, i + 1, times[i], &trs);
        kept[newest = i] = true;
    }
    for (size_t i = 0; i < SAMPLES; i++) count += kept[i];
    return count;
}

static double angle_between(gz_quat a, gz_quat b)
{
    gz_quat turned = gz_quat_multiply(gz_quat_conjugate(a), b);
    return 2 * atan2(sqrt(turned.x * turned.x + turned.y * turned.y + turned.z * turned.z),
                     fabs(turned.w));
}

static void assert_near(const char *name, double seconds, const gz_trs *read, const gz_trs *was)
{
    double off_m = gz_length(gz_sub(read->t, was->t));
    double off_degrees = angle_between(read->r, was->r) * (180 / M_PI);
    double off_factor = 0;
    for (int i = 0; i < 3; i++) {
        double factor = gz_component(was->s, i);
        off_factor = fmax(off_factor, fabs(gz_component(read->s, i) - factor) / fabs(factor));
    }
    /* A few last bits of the numbers that are added up, and no more. */
    double bits = 1e-12 * (1 + gz_length(was->t));
    if (off_m > TOLERANCE_M + bits || off_degrees > GZ_PATH_DEGREES * (1 + 1e-9) ||
        off_factor > GZ_PATH_SCALE * (1 + 1e-9))
        fail_msg("%s at %.3f s: %g m, %g degrees, %g of the scale off", name, seconds, off_m,
                 off_degrees, off_factor);
}

/* Reads the path back at each moment that was sampled. */
static void assert_path_near(size_t which, const double times[SAMPLES], const bool kept[SAMPLES])
{
    motion *at = motions[which].at;
    gz_trs from = at(0);
    double from_s = 0;
    size_t next = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        if (i > 0 && kept[i - 1]) {
            from = at(times[i - 1]);
            from_s = times[i - 1];
        }
        for (next = i; !kept[next]; next++) assert_true(next + 1 < SAMPLES);
        gz_trs to = at(times[next]), was = at(times[i]);
        gz_trs read = gz_trs_between(&from, &to, (times[i] - from_s) / (times[next] - from_s));
        assert_near(motions[which].name, times[i], &read, &was);
    }
}

TEST(test_path_is_near_at_every_sample_and_ends_exact)
{
    double times[SAMPLES];
    bool kept[SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++)
        times[i] = STEP_S * (double)(i + 1) * (1 + 0.3 * sin((double)i));
    for (size_t i = 1; i < SAMPLES; i++) times[i] = fmax(times[i], times[i - 1] + 0.001);
    for (size_t which = 0; which < MOTIONS; which++) {
        size_t count = thin(motions[which].at, times, kept);
        print_message("%-8s %zu of %d samples stay\n", motions[which].name, count, SAMPLES);
        assert_true(kept[SAMPLES - 1]);
        assert_true(count <= motions[which].points_max);
        assert_path_near(which, times, kept);
    }
}

TEST(test_path_of_a_clock_set_back_keeps_what_has_no_line)
{
    struct gz_path_recorder path;
    gz_trs at = glide(0);
    gz_path_recorder_begin(&path, 10, &at);
    gz_path_recorder_extend(&path, TOLERANCE_M, 1, 9, &at);
    assert_true(gz_path_recorder_needs_last(&path, 9.02, &at));
    gz_path_recorder_extend(&path, TOLERANCE_M, 2, 9.02, &at);
    assert_false(gz_path_recorder_needs_last(&path, 9.04, &at));
    assert_true(gz_path_recorder_needs_last(&path, 9.01, &at));
    assert_true(gz_path_recorder_needs_last(&path, NAN, &at));
}

TEST(test_path_between_keeps_to_the_shorter_turn)
{
    gz_trs a = gz_trs_identity, b = gz_trs_identity;
    b.r = gz_quat_about((gz_vec3){0, 0, 1}, 0.2);
    gz_trs minus = b;
    minus.r = (gz_quat){-b.r.x, -b.r.y, -b.r.z, -b.r.w};
    gz_trs halfway = gz_trs_between(&a, &minus, 0.5);
    assert_true(angle_between(halfway.r, gz_quat_about((gz_vec3){0, 0, 1}, 0.1)) < 1e-12);
    halfway = gz_trs_between(&a, &minus, 0);
    assert_true(gz_trs_same(&halfway, &a));
    halfway = gz_trs_between(&a, &minus, 1);
    assert_true(gz_trs_same(&halfway, &minus)); /* the ends as they are, their sign too */
}

/* ---- in a file ---- */

struct drag {
    const char *path;
    struct gz_store *store;
    uint64_t seq;
    double time;
    gz_trs start;
};

static void begin(struct drag *drag, const gz_trs *start)
{
    struct gz_content content = {.name = "piston", .trs = *start, .asset = -1};
    struct gz_node_record node = {.id = 1, .seq = 1, .content = content};
    struct gz_change made = {.node = 1, .exists = true, .after = content};
    struct gz_change held = {.node = 1, .existed = true, .exists = true, .before = content};
    struct gz_edit_record create = {.id = 1,
                                    .kind = GZ_EDIT_CREATE,
                                    .user = "u",
                                    .seq = 1,
                                    .changes = &made,
                                    .change_count = 1};
    struct gz_edit_record dragged = {.id = 2,
                                     .handle = GZ_TX,
                                     .user = "u",
                                     .began_seq = 1,
                                     .began = drag->time,
                                     .changes = &held,
                                     .change_count = 1,
                                     .path_m = TOLERANCE_M};
    create.ended = create.began = drag->time;
    struct gz_batch *batch = gz_batch_create();
    batch->nodes = &node;
    batch->ended = &create;
    batch->begun = &dragged;
    batch->node_count = batch->ended_count = batch->begun_count = 1;
    batch->seq = drag->seq = 1;
    batch->time = drag->time;
    batch->next_node = 2;
    batch->next_edit = 3;
    commit(drag->store, batch);
}

/* One commit of the drag; false where the disk refused it. */
static bool move(struct drag *drag, double time, const gz_trs *trs, bool ends)
{
    struct gz_content content = {.name = "piston", .trs = *trs, .asset = -1};
    struct gz_node_record node = {.id = 1, .seq = drag->seq + 1, .content = content};
    struct gz_sample_record sample = {2, 1, drag->seq + 1, time, *trs};
    struct gz_change change = {.node = 1, .existed = true, .exists = true, .after = content};
    change.before = (struct gz_content){.name = "piston", .trs = drag->start, .asset = -1};
    struct gz_edit_record edit = {.id = 2,
                                  .handle = GZ_TX,
                                  .user = "u",
                                  .began_seq = 1,
                                  .began = drag->time,
                                  .seq = drag->seq + 2,
                                  .ended = time,
                                  .changes = &change,
                                  .change_count = 1};
    struct gz_batch *batch = gz_batch_create();
    batch->nodes = &node;
    batch->samples = &sample;
    batch->ended = &edit;
    batch->node_count = batch->sample_count = 1;
    batch->ended_count = ends ? 1 : 0;
    batch->seq = drag->seq + (ends ? 2 : 1);
    batch->time = time;
    batch->next_node = 2;
    batch->next_edit = 3;
    enum gz_status status;
    gz_store_submit(drag->store, batch);
    gz_batch_destroy(wait_for(drag->store, &status, NULL));
    if (status == GZ_OK) drag->seq++;
    return status == GZ_OK;
}

static void open_drag(struct drag *drag, void **directory, enum gz_recorded recorded, motion *at)
{
    struct gz_scene_state state;
    char name[32];
    snprintf(name, sizeof name, "%d.db", (int)recorded);
    *drag = (struct drag){.path = in_directory(directory, name), .time = START_TIME};
    drag->store = open_recording(drag->path, true, START_TIME, recorded, &state);
    gz_scene_state_finish(&state);
    drag->start = at(0);
    begin(drag, &drag->start);
}

static gz_trs ask_at(const char *path, double time)
{
    struct gz_query query = {.kind = GZ_QUERY_AT, .by_time = true, .time = time};
    struct gz_answer answer;
    gz_store_query(path, &query, &answer);
    if (answer.status != GZ_OK) fail_msg("at: %s", answer.error.message);
    assert_int_equal(answer.node_count, 1);
    gz_trs trs = answer.nodes[0].content.trs;
    gz_answer_finish(&answer);
    return trs;
}

#define DRAGGED 150

TEST_IN_DIRECTORY(test_recorded_path_answers_for_every_moment)
{
    static const struct {
        enum gz_recorded recorded;
        int64_t least, most;
    } cases[] = {{GZ_RECORD_THIN, 2, DRAGGED / 2},
                 {GZ_RECORD_ALL, DRAGGED, DRAGGED},
                 {GZ_RECORD_ENDS, 0, 0}};
    for (size_t which = 0; which < 3; which++) {
        struct drag drag;
        open_drag(&drag, directory, cases[which].recorded, scribble);
        for (int i = 1; i <= DRAGGED; i++) {
            gz_trs trs = scribble(i * STEP_S);
            assert_true(move(&drag, START_TIME + i * STEP_S, &trs, i == DRAGGED));
        }
        int64_t samples = ask(drag.path, "SELECT count(*) FROM samples");
        print_message("%lld rows\n", (long long)samples);
        assert_in_range(samples, cases[which].least, cases[which].most);
        for (int i = 1; i <= DRAGGED && cases[which].recorded != GZ_RECORD_ENDS; i++) {
            gz_trs read = ask_at(drag.path, START_TIME + i * STEP_S), was = scribble(i * STEP_S);
            /* Unix time in seconds has a last bit of a quarter of a microsecond. */
            if (gz_length(gz_sub(read.t, was.t)) > TOLERANCE_M + 1e-6)
                fail_msg("%d: %g m off at sample %d", (int)cases[which].recorded,
                         gz_length(gz_sub(read.t, was.t)), i);
        }
        gz_trs end = ask_at(drag.path, START_TIME + DRAGGED * STEP_S + 1),
               was = scribble(DRAGGED * STEP_S);
        assert_true(gz_trs_same(&end, &was));
        gz_store_close(drag.store);
    }
}

/* Recorded by its ends alone it is told so: while it runs, the place where the drag found its node
 * is the newest. */
TEST_IN_DIRECTORY(test_path_of_a_running_drag_recorded_by_its_ends_has_its_beginning)
{
    for (int which = 0; which < 2; which++) {
        struct drag drag;
        enum gz_recorded recorded = which == 0 ? GZ_RECORD_THIN : GZ_RECORD_ENDS;
        open_drag(&drag, directory, recorded, glide);
        gz_trs found = glide(0), now = glide(1);
        assert_true(move(&drag, START_TIME + 1, &now, false));
        struct gz_query query = {
            .kind = GZ_QUERY_PATH, .node = 1, .since = START_TIME - 1, .before = NAN};
        struct gz_answer answer;
        gz_store_query(drag.path, &query, &answer);
        assert_int_equal(answer.status, GZ_OK);
        const struct gz_point_record *last = &answer.points[answer.point_count - 1];
        assert_int_equal(last->edit, 2);
        assert_int_equal(last[-1].edit == 2, recorded == GZ_RECORD_THIN);
        assert_true(gz_trs_same(&last->trs, recorded == GZ_RECORD_ENDS ? &found : &now));
        gz_answer_finish(&answer);
        gz_store_close(drag.store);
    }
}

/* A node that rested does not creep: before the first motion, in the middle, and before the end. */
TEST_IN_DIRECTORY(test_recorded_path_rests_where_the_node_rested)
{
    static const double moves[] = {5, 5.02, 5.04, 60, 60.02};
    for (enum gz_recorded recorded = GZ_RECORD_THIN; recorded <= GZ_RECORD_ALL; recorded++) {
        struct drag drag;
        open_drag(&drag, directory, recorded, stand);
        gz_trs trs = gz_trs_identity;
        for (size_t i = 0; i < 5; i++) {
            trs.t.x = 1 + (double)i;
            assert_true(move(&drag, START_TIME + moves[i], &trs, false));
        }
        assert_true(move(&drag, START_TIME + 90, &trs, true));
        static const double cases[][2] = {{1, 0},    {4.9, 0},   {5.04, 3}, {6, 3},
                                          {59.9, 3}, {60.02, 5}, {75, 5},   {90, 5}};
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
            assert_float_equal(ask_at(drag.path, START_TIME + cases[i][0]).t.x, cases[i][1], 1e-4);
        gz_store_close(drag.store);
    }
}

/* A commit that the disk refuses leaves the path as it was, as it leaves the file. */
TEST_IN_DIRECTORY(test_recorded_path_survives_commits_that_fail)
{
    struct drag drag;
    open_drag(&drag, directory, GZ_RECORD_THIN, scribble);
    size_t refused = 0;
    for (int i = 1; i <= DRAGGED; i++) {
        gz_trs trs = scribble(i * STEP_S);
        bool fails = i % 7 == 3;
        if (fails) fault_vfs_arm(FAULT_WRITE, 1, SQLITE_FULL, false);
        bool taken = move(&drag, START_TIME + i * STEP_S, &trs, false);
        (void)fault_vfs_heal();
        if (taken) continue;
        refused++;
        assert_true(move(&drag, START_TIME + i * STEP_S, &trs, false));
    }
    assert_true(refused > 5);
    for (int i = 1; i <= DRAGGED; i++) {
        gz_trs read = ask_at(drag.path, START_TIME + i * STEP_S), was = scribble(i * STEP_S);
        assert_true(gz_length(gz_sub(read.t, was.t)) <= TOLERANCE_M + 1e-6);
    }
    gz_store_close(drag.store);
}

int main(void)
{
    fault_vfs_register();
    return test_run(NULL, NULL);
}
