/* The recorded drags by a client's prediction: each point is where the solver has it, to
 * the last bit. */
#include <string.h>

#include "client/predict/predict.h"
#include "property/solver_records.h"
#include "support/cmocka.h"

static struct gz_tool tool_of(const struct gz_replay_case *replay)
{
    struct gz_tool tool = gz_tool_default;
    tool.space = replay->space;
    tool.size_px = replay->gizmo_px;
    tool.ball = replay->ball;
    tool.edge_rad = 0;
    memcpy(tool.ball_circle, replay->ball_circle, sizeof tool.ball_circle);
    return tool;
}

static void begin(struct gz_predict *predict, const struct gz_replay_case *replay)
{
    const struct gz_tool tool = tool_of(replay);
    const struct gz_target target = {.local = replay->object, .parent = gz_affine_identity};
    assert_true(gz_predict_camera(predict, &replay->camera, NULL));
    gz_predict_tool(predict, &tool);
    assert_true(gz_predict_targets(predict, &target, 1, 0));
}

static void check(struct gz_predict *predict, const struct record *record)
{
    const struct gz_replay_case *replay = &record->replay;
    double rows[RECORD_POINTS_MAX][GZ_REPLAY_ROW];
    const struct gz_pointer start = {.at = {replay->start[0], replay->start[1]}};
    struct gz_replay_result result = gz_replay_run(replay, rows);
    begin(predict, replay);
    bool begun = gz_predict_press(predict, replay->handle, &start, 0) == GZ_SOLVE_OK;
    assert_int_equal(begun, result.answered);
    for (size_t i = 0; i < replay->path_count; i++) {
        const struct gz_pointer pointer = {.at = {replay->path[i][0], replay->path[i][1]}};
        if (begun) (void)gz_predict_move(predict, &pointer, 0);
        gz_trs pose = predict->poses[0];
        pose.r = gz_replay_turn(replay, pose.r);
        if (memcmp(&pose, rows[i], sizeof rows[i]) != 0)
            fail_msg("drag %d, point %zu: another place", record->id, i);
    }
    gz_predict_end(predict);
}

TEST(test_recorded_drags)
{
    struct records records;
    struct record record;
    struct gz_predict predict;
    int count = 0;
    gz_predict_init(&predict);
    assert_true(records_open(&records, GZ_TEST_DATA "/drags"));
    for (; records_next(&records, &record); count++) check(&predict, &record);
    records_close(&records);
    gz_predict_finish(&predict);
    assert_int_equal(count, 600);
}
