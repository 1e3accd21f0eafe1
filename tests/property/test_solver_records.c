/* Six hundred recorded drags of ten classes, each point against its exact answer, as seen on the
 * screen. */
#include <stdio.h>
#include <string.h>

#include "property/solver_records.h"
#include "property/solver_reference.h"
#include "support/cmocka.h"

static const struct bound {
    const char *kind;
    double px_max;
} bounds[] = {
    {"typical", 1e-6}, {"offhandle", 1e-6}, {"proj", 1e-6},  {"scale", 1e-6}, {"distant", 1e-6},
    {"vanish", 1e-6},  {"steep", 1e-4},     {"large", 1e-3}, {"wild", 1e-3},  {"extreme", 1e-2},
};
#define KINDS ((int)(sizeof bounds / sizeof *bounds))

static int kind_of(const struct record *record)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(bounds[i].kind, record->kind) == 0) return i;
    fail_msg("record %d has the unknown class %s", record->id, record->kind);
    return 0;
}

/* From the pivot to the grabbed point. How exactly it is known does not matter: it is the same for
 * both answers. */
static quad3 find_arm(const struct record *record, const struct reference *reference)
{
    const struct gz_replay_case *replay = &record->replay;
    gz_mat3 axes = gz_mat3_from_quat(replay->object.r);
    if (replay->space == GZ_SPACE_WORLD && replay->handle < GZ_SX) axes = gz_affine_identity.linear;
    const gz_vec3 columns[3] = {axes.x, axes.y, axes.z};
    quad3 p = quad3_from(replay->object.t), hit;
    struct gz_camera camera;
    assert_true(gz_camera_prepare(&camera, &replay->camera, NULL));
    gz_vec3 normal = camera.backward;
    quad t;
    switch (replay->handle) {
    case GZ_TX:
    case GZ_TY:
    case GZ_TZ:
    case GZ_SX:
    case GZ_SY:
    case GZ_SZ: {
        quad3 axis = quad3_from(
            columns[replay->handle >= GZ_SX ? replay->handle - GZ_SX : replay->handle - GZ_TX]);
        assert_true(reference_on_axis(reference, p, axis, replay->start, &t));
        return quad3_scale(axis, t);
    }
    case GZ_TXY:
    case GZ_TYZ:
    case GZ_TZX: normal = columns[(replay->handle - GZ_TXY + 2) % 3]; break;
    case GZ_RX:
    case GZ_RY:
    case GZ_RZ: normal = columns[replay->handle - GZ_RX]; break;
    default: break;
    }
    assert_true(reference_on_plane(reference, p, quad3_from(normal), replay->start, &hit));
    return quad3_sub(hit, p);
}

static quad3 place_of(const struct record *record, const double row[GZ_REPLAY_ROW], quad3 arm)
{
    const gz_trs *start = &record->replay.object;
    const quad3 at = {{row[0], row[1], row[2]}};
    enum gz_handle handle = record->replay.handle;
    if (handle >= GZ_RX && handle <= GZ_RB) {
        gz_quat turned = {row[3], row[4], row[5], row[6]};
        return quad3_add(at, quad3_turn(turned, quad3_turn(gz_quat_conjugate(start->r), arm)));
    }
    int axis = handle == GZ_SY ? 1 : handle == GZ_SZ ? 2 : 0;
    if (handle >= GZ_SX) arm = quad3_scale(arm, (quad)row[7 + axis] / gz_component(start->s, axis));
    return quad3_add(at, arm);
}

static double error_px(const struct record *record, const struct reference *reference, quad3 arm,
                       int i, const double row[GZ_REPLAY_ROW])
{
    quad want[2], got[2];
    assert_true(reference_project(reference, place_of(record, record->rows[i], arm), want));
    if (!reference_project(reference, place_of(record, row, arm), got)) return HUGE_VAL;
    quad dx = want[0] - got[0], dy = want[1] - got[1];
    return (double)quad_sqrt(dx * dx + dy * dy);
}

struct tally {
    double px;
    int id, drags, points, unanswered, grabs;
};

static void check_repeats(const struct record *record, double (*rows)[GZ_REPLAY_ROW])
{
    size_t count = record->replay.path_count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            if (memcmp(record->path[i], record->path[j], sizeof record->path[i]) != 0) continue;
            bool same = memcmp(rows[i], rows[j], sizeof rows[i]) == 0;
            if (!same)
                fail_msg("record %d: points %zu and %zu are one, their rows are not", record->id, j,
                         i);
        }
    double start[GZ_REPLAY_ROW];
    memcpy(start, &record->replay.object, sizeof start);
    for (size_t i = 0; i < count; i++) {
        if (memcmp(record->path[i], record->replay.start, sizeof record->path[i]) != 0) continue;
        if (memcmp(rows[i], start, sizeof start) != 0)
            fail_msg("record %d: not the start's bits at its place", record->id);
    }
}

static void check_record(const struct record *record, struct tally *tally)
{
    double rows[RECORD_POINTS_MAX][GZ_REPLAY_ROW];
    struct reference reference;
    struct gz_replay_result result = gz_replay_run(&record->replay, rows);
    if (!result.answered) fail_msg("record %d: %s", record->id, result.why);
    assert_true(reference_init(&reference, &record->replay.camera));
    quad3 arm = find_arm(record, &reference);
    tally->drags++;
    tally->grabs += result.grabbed == record->replay.handle;
    for (int i = 0; i < (int)record->replay.path_count; i++) {
        for (int k = 0; k < GZ_REPLAY_ROW; k++) assert_true(isfinite(rows[i][k]));
        tally->points++;
        if (!record->has_row[i]) {
            tally->unanswered++;
            continue;
        }
        double px = error_px(record, &reference, arm, i, rows[i]);
        if (px > tally->px) {
            tally->px = px;
            tally->id = record->id;
        }
    }
    check_repeats(record, rows);
}

TEST(test_recorded_drags_match_their_exact_answers)
{
    static struct records records;
    static struct record record;
    struct tally tallies[KINDS] = {{0}};
    int count = 0;
    assert_true(records_open(&records, GZ_TEST_DATA "/drags"));
    for (; records_next(&records, &record); count++)
        check_record(&record, &tallies[kind_of(&record)]);
    records_close(&records);
    print_message("%-10s %6s %7s %9s %9s %9s %6s %7s\n", "class", "drags", "points", "no answer",
                  "worst px", "allowed", "drag", "picked");
    for (int k = 0; k < KINDS; k++) {
        const struct tally *t = &tallies[k];
        print_message("%-10s %6d %7d %9d %9.1e %9.0e %6d %7d\n", bounds[k].kind, t->drags,
                      t->points, t->unanswered, t->px, bounds[k].px_max, t->id, t->grabs);
    }
    for (int k = 0; k < KINDS; k++) assert_true(tallies[k].px <= bounds[k].px_max);
    assert_int_equal(count, 600);
    /* Of the other four, two press the half of a ring that is not drawn, and two are nearer to
     * another axis or quad. */
    int grabs = 0;
    for (int k = 0; k < KINDS; k++) grabs += tallies[k].grabs;
    assert_int_equal(grabs, 596);
}

/* FNV-1a of the rows of every drag that moves or scales along axes and planes: their laws are
 * additions, products, quotients and square roots, which every build has to round alike. A change
 * of this number is a change of the solver's arithmetic. */
#define GOLDEN UINT64_C(0x5186c562c90245b2)

TEST(test_recorded_drags_have_the_same_bits_in_every_build)
{
    static struct records records;
    static struct record record;
    double rows[RECORD_POINTS_MAX][GZ_REPLAY_ROW];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    assert_true(records_open(&records, GZ_TEST_DATA "/drags"));
    while (records_next(&records, &record)) {
        enum gz_handle handle = record.replay.handle;
        bool arithmetic = handle <= GZ_TV || (handle >= GZ_SX && handle <= GZ_SZ);
        if (!arithmetic) continue;
        (void)gz_replay_run(&record.replay, rows);
        const uint8_t *bytes = (const uint8_t *)rows;
        for (size_t i = 0; i < record.replay.path_count * sizeof rows[0]; i++)
            hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    records_close(&records);
    if (hash != GOLDEN) fail_msg("the rows hash to 0x%016llx", (unsigned long long)hash);
}
