/* What proto/README.md says of where handles can be pressed, in parts of the gizmo's length, and of
 * presses without a camera. */
#include <string.h>

#include "support/cmocka.h"
#include "unit/core/saying.h"

#define SIZE_PX 100.0
#define TOLERANCE_PX 0.1

struct scene {
    struct host host;
    struct client *ann;
    uint64_t node;
};

/* A node at the origin without bounds, seen along -z: x is to the right, y up. */
static void open_scene(struct scene *s)
{
    struct gz_create_node node = {.name = {"piston", 6}};
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {&node, 1}};
    host_init(&s->host);
    s->ann = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->node = client_ask(s->ann, &create)->ok.ids.ids[0];
}

/* The handle that a press takes so many parts of the length to the right of the middle and above
 * it. */
static enum gz_handle press(struct scene *s, double right, double up)
{
    assert_ok(ask_select(s->ann, s->node));
    const struct gz_message *ok =
        ask_pointer(s->ann, GZ_PHASE_DOWN, MIDDLE_X + right * SIZE_PX, MIDDLE_Y - up * SIZE_PX);
    assert_ok(ok);
    enum gz_handle handle = (ok->has & GZ_HAS_OK_HANDLE) != 0 ? ok->ok.handle : GZ_HANDLE_NONE;
    assert_ok(ask_pointer(s->ann, GZ_PHASE_CANCEL, 0, 0));
    return handle;
}

/* A line that leaves the middle, and between which parts of the length it meets the handle. */
static const struct {
    enum gz_mode mode;
    enum gz_handle handle;
    double right, up, from, to;
} reaches[] = {
    {GZ_MODE_TRANSLATE, GZ_TX, 1, 0, 0.12, 1},    {GZ_MODE_TRANSLATE, GZ_TY, 0, 1, 0.12, 1},
    {GZ_MODE_TRANSLATE, GZ_TXY, 1, 1, 0.5, 0.75}, {GZ_MODE_TRANSLATE, GZ_TV, 0.6, 0.8, 0, 0.08},
    {GZ_MODE_SCALE, GZ_SX, 1, 0, 0.12, 1},        {GZ_MODE_SCALE, GZ_SXY, 1, 1, 0.5, 0.75},
    {GZ_MODE_SCALE, GZ_SU, 0.6, 0.8, 0, 0.12},    {GZ_MODE_ROTATE, GZ_RZ, 0.6, 0.8, 1, 1},
    {GZ_MODE_ROTATE, GZ_RV, 0.6, 0.8, 1.2, 1.2},  {GZ_MODE_UNIVERSAL, GZ_SX, 1, 0, 1.06, 1.14},
};

TEST(test_handles_reach_from_where_to_where_it_says)
{
    struct scene s;
    open_scene(&s);
    assert_ok(ask_camera(s.ann, 10));
    for (size_t i = 0; i < COUNT(reaches); i++) {
        struct gz_message tool = {
            .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE | GZ_HAS_TOOL_SIZE | GZ_HAS_TOOL_TOLERANCE};
        tool.tool = (struct gz_tool_message){
            .mode = reaches[i].mode, .size = SIZE_PX, .tolerance = TOLERANCE_PX};
        assert_ok(client_ask(s.ann, &tool));
        double x = reaches[i].right, y = reaches[i].up, from = reaches[i].from, to = reaches[i].to;
        double pad = from < to ? 0.002 : 0; /* its neighbour may begin where it ends */
        const double inside[] = {from + pad, (from + to) / 2, to - pad},
                     outside[] = {from - 0.015, to + 0.015};
        for (size_t j = 0; j < COUNT(inside); j++) {
            if (press(&s, inside[j] * x, inside[j] * y) != reaches[i].handle)
                fail_msg("row %zu: not at %g", i, inside[j]);
        }
        for (size_t j = 0; j < COUNT(outside); j++) {
            if (outside[j] > 0 && press(&s, outside[j] * x, outside[j] * y) == reaches[i].handle)
                fail_msg("row %zu: still at %g", i, outside[j]);
        }
    }
    host_finish(&s.host);
}

TEST(test_rays_need_no_camera)
{
    struct scene s;
    open_scene(&s);
    struct gz_message grab = {.op = GZ_OP_GRAB,
                              .has = GZ_HAS_POINTER_RAY | GZ_HAS_POINTER_NODES,
                              .pointer = {.handle = GZ_TX}};
    grab.pointer.phase = GZ_PHASE_DOWN;
    grab.pointer.nodes = (struct gz_ids){&s.node, 1};
    memcpy(grab.pointer.ray, (double[]){0, 0, 5, 0, 0, -1}, sizeof grab.pointer.ray);
    assert_ok(client_ask(s.ann, &grab)); /* by name */
    struct gz_message up = {
        .op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_RAY, .pointer = {.phase = GZ_PHASE_UP}};
    memcpy(up.pointer.ray, (double[]){1, 0, 5, 0, 0, -1}, sizeof up.pointer.ray);
    assert_ok(client_ask(s.ann, &up));
    assert_true(host_node(&s.host, s.node).trs.t.x > 0.99);
    up.pointer.phase = GZ_PHASE_DOWN; /* by what is under it */
    const struct gz_message *down = client_ask(s.ann, &up);
    assert_ok(down);
    assert_int_equal(down->ok.handle, GZ_TV);
    assert_refused(ask_pointer(s.ann, GZ_PHASE_DOWN, 400, 300), GZ_BAD_STATE);
    host_finish(&s.host);
}
