/* What a gizmo tells besides its place: the frames of its handles, and of the drag that runs how
 * far it has gone, and from where. The camera looks along -z at 10 m: a metre in the plane of the
 * node is 30 px. */
#include <math.h>
#include <string.h>

#include "support/cmocka.h"
#include "unit/core/saying.h"

#define DISTANCE 10.0
#define METRE METRE_PX(DISTANCE)

struct scene {
    struct host host;
    struct client *a, *b; /* editors; a has a camera */
    uint64_t node;        /* at the origin */
};

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    assert_ok(ask_camera(s->a, DISTANCE));
    s->node = create_node(s->a, "box", 0, 0, 0, 0);
}

CLOSE_SCENE_AS_USUAL

static const struct gz_message *move_to(struct client *client, double metres_right,
                                        double metres_up)
{
    return ask_pointer(client, GZ_PHASE_MOVE, MIDDLE_X + metres_right * METRE,
                       MIDDLE_Y - metres_up * METRE);
}

static const struct gz_message *grab_at(struct scene *s, enum gz_handle handle, double metres_right,
                                        double metres_up)
{
    return ask_grab(s->a, handle, s->node, MIDDLE_X + metres_right * METRE,
                    MIDDLE_Y - metres_up * METRE);
}

static const struct gz_message *type(struct scene *s, enum gz_handle handle, double value)
{
    struct gz_message grab = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_VALUE | GZ_HAS_POINTER_NODES};
    grab.pointer = (struct gz_pointer_message){
        .handle = handle, .nodes = {&s->node, 1}, .value = {{value, 0}, 1}};
    return client_ask(s->a, &grab);
}

static void set_snap(struct scene *s, double metres, double radians)
{
    struct gz_message tool = {.op = GZ_OP_TOOL,
                              .has = GZ_HAS_TOOL_SNAP | GZ_HAS_TOOL_SNAP_T | GZ_HAS_TOOL_SNAP_R |
                                     GZ_HAS_TOOL_SNAP_ON};
    tool.tool.snap_t = metres;
    tool.tool.snap_r = radians;
    tool.tool.snap_on = true;
    assert_ok(client_ask(s->a, &tool));
}

static void assert_value(const struct scene *s, uint32_t count, double first, double second)
{
    const struct gz_message *message = client_last(s->a, GZ_OP_GIZMO);
    assert_true(message->has & GZ_HAS_GIZMO_VALUE);
    assert_int_equal(message->gizmo.value.count, count);
    assert_true(fabs(message->gizmo.value.numbers[0] - first) < 1e-9);
    if (count > 1) assert_true(fabs(message->gizmo.value.numbers[1] - second) < 1e-9);
}

TEST(test_readout_is_in_the_terms_of_the_handle)
{
    static const struct {
        enum gz_handle handle;
        double from[2], to[2]; /* metres about the node, right and up */
        uint32_t count;
        double still, value[2];
    } cases[] = {
        {GZ_TX, {1, 0}, {3, 1}, 1, 0, {2, 0}},
        {GZ_TXY, {1, 0}, {3, 1}, 2, 0, {2, 1}},
        {GZ_TV, {0, 0}, {-2, 0.5}, 2, 0, {-2, 0.5}},
        {GZ_RZ, {2, 0}, {0, 2}, 1, 0, {M_PI / 2, 0}},
        {GZ_RV, {2, 0}, {0, -2}, 1, 0, {-M_PI / 2, 0}},
        {GZ_SX, {1, 0}, {3, 0}, 1, 1, {3, 0}},
        {GZ_SU, {1, 0}, {0, 2.5}, 1, 1, {2.5, 0}},
        {GZ_BXP, {0.5, 0}, {1.5, 0}, 1, 1, {2, 0}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene s;
        open_scene(&s);
        assert_ok(ask_select(s.a, s.node));
        assert_false(client_last(s.a, GZ_OP_GIZMO)->has &
                     (GZ_HAS_GIZMO_VALUE | GZ_HAS_GIZMO_START));
        assert_ok(grab_at(&s, cases[i].handle, cases[i].from[0], cases[i].from[1]));
        assert_value(&s, cases[i].count, cases[i].still, cases[i].still);
        assert_ok(move_to(s.a, cases[i].to[0], cases[i].to[1]));
        assert_value(&s, cases[i].count, cases[i].value[0], cases[i].value[1]);
        assert_true(client_last(s.a, GZ_OP_GIZMO)->has & GZ_HAS_GIZMO_START);
        assert_near(client_last(s.a, GZ_OP_GIZMO)->gizmo.start, 0, 0, 0);
        assert_ok(ask_pointer(s.a, GZ_PHASE_CANCEL, MIDDLE_X, MIDDLE_Y));
        assert_false(client_last(s.a, GZ_OP_GIZMO)->has &
                     (GZ_HAS_GIZMO_VALUE | GZ_HAS_GIZMO_START | GZ_HAS_GIZMO_ARM));
        close_scene(&s);
    }
}

SCENE_TEST(test_readout_of_a_ball_is_its_angle)
{
    assert_ok(grab_at(s, GZ_RB, 0, 0));
    assert_ok(move_to(s->a, 2, 1));
    gz_quat r = host_node(&s->host, s->node).trs.r;
    double angle = 2 * atan2(gz_length((gz_vec3){r.x, r.y, r.z}), r.w);
    assert_true(angle > 0.1);
    assert_value(s, 1, angle, 0);
    assert_false(client_last(s->a, GZ_OP_GIZMO)->has & GZ_HAS_GIZMO_ARM);
}

SCENE_TEST(test_readout_is_snapped_and_typed_values_are_not)
{
    set_snap(s, 0.5, M_PI / 12);
    assert_ok(grab_at(s, GZ_TX, 1, 0));
    assert_ok(move_to(s->a, 2.3, 0));
    assert_value(s, 1, 1.5, 0);
    assert_ok(type(s, GZ_TX, 0.321));
    assert_value(s, 1, 0.321, 0);
    assert_near(client_last(s->a, GZ_OP_GIZMO)->gizmo.start, 0, 0, 0);
    assert_near(client_last(s->a, GZ_OP_GIZMO)->gizmo.origin, 0.321, 0, 0);
    assert_ok(ask_pointer(s->a, GZ_PHASE_UP, MIDDLE_X, MIDDLE_Y));
    assert_ok(grab_at(s, GZ_RZ, 2, 0));
    assert_near(client_last(s->a, GZ_OP_GIZMO)->gizmo.start, 0.321, 0, 0);
    assert_ok(move_to(s->a, 0.321, 2));
    assert_value(s, 1, M_PI / 2, 0);
}

/* Three quarters of a turn three times: the value goes on, and the arm turned by it is where the
 * pointer is. */
SCENE_TEST(test_readout_of_a_ring_counts_turns_from_its_arm)
{
    static const double way[][2] = {{0, 2},  {-2, 0}, {0, -2}, {2, 0}, {0, 2},
                                    {-2, 0}, {0, -2}, {2, 0},  {0, 2}};
    assert_ok(grab_at(s, GZ_RZ, 2, 0));
    for (size_t i = 0; i < COUNT(way); i++) assert_ok(move_to(s->a, way[i][0], way[i][1]));
    assert_value(s, 1, COUNT(way) * M_PI / 2, 0);
    const struct gz_message *message = client_last(s->a, GZ_OP_GIZMO);
    assert_true(message->has & GZ_HAS_GIZMO_ARM && message->has & GZ_HAS_GIZMO_AXIS);
    assert_near(message->gizmo.arm, 1, 0, 0);
    assert_near(message->gizmo.axis, 0, 0, 1);
}

SCENE_TEST(test_readout_is_told_when_it_changes)
{
    assert_ok(grab_at(s, GZ_RZ, 2, 0));
    size_t told = client_count(s->a, GZ_OP_GIZMO);
    assert_ok(move_to(s->a, 2, 1)); /* no place of the gizmo changes, what it says does */
    assert_int_equal(client_count(s->a, GZ_OP_GIZMO), told + 1);
    assert_ok(move_to(s->a, 2, 1));
    assert_int_equal(client_count(s->a, GZ_OP_GIZMO), told + 1);
    assert_ok(type(s, GZ_RZ, 7));
    assert_int_equal(client_count(s->a, GZ_OP_GIZMO), told + 2);
    assert_value(s, 1, 7, 0);
}

static const struct gz_message *gizmo_of(struct scene *s, enum gz_mode mode, enum gz_space space)
{
    struct gz_message tool = {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE | GZ_HAS_TOOL_SPACE};
    tool.tool.mode = mode;
    tool.tool.space = space;
    assert_ok(client_ask(s->a, &tool));
    return client_last(s->a, GZ_OP_GIZMO);
}

static void set_trs(struct scene *s, uint64_t node, gz_quat r, gz_vec3 scale)
{
    struct gz_set_node change = {
        .has = GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_S, .id = node, .trs = {.r = r, .s = scale}};
    struct gz_message set = {.op = GZ_OP_SET, .set = {&change, 1}};
    assert_ok(client_ask(s->a, &set));
}

SCENE_TEST(test_readout_tells_frames_that_are_not_the_axes)
{
    static const uint64_t turn = GZ_HAS_GIZMO_TURN_AXES, scale = GZ_HAS_GIZMO_SCALE_AXES;
    static const struct {
        enum gz_mode mode;
        enum gz_space space;
        uint64_t told;
    } cases[] = {
        {GZ_MODE_TRANSLATE, GZ_SPACE_LOCAL, 0},     {GZ_MODE_ROTATE, GZ_SPACE_WORLD, 0},
        {GZ_MODE_SCALE, GZ_SPACE_WORLD, scale},     {GZ_MODE_SCALE, GZ_SPACE_LOCAL, 0},
        {GZ_MODE_UNIVERSAL, GZ_SPACE_WORLD, scale}, {GZ_MODE_ROTATE, GZ_SPACE_LOCAL, turn},
        {GZ_MODE_UNIVERSAL, GZ_SPACE_LOCAL, turn},
    };
    uint64_t child = create_node(s->a, "child", s->node, 0, 0, 0);
    set_trs(s, s->node, (gz_quat){0, 0, 0, 1}, (gz_vec3){4, 1, 1});
    set_trs(s, child, (gz_quat){0, 0, sin(M_PI / 8), cos(M_PI / 8)}, (gz_vec3){1, 1, 1});
    assert_ok(ask_select(s->a, child));
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct gz_message *message = gizmo_of(s, cases[i].mode, cases[i].space);
        assert_int_equal(message->has & (turn | scale), cases[i].told);
        /* The child's own x, stretched by what it hangs below: sheared, while the turn stays
         * square. */
        const gz_vec3 *sheared =
            cases[i].told & scale ? message->gizmo.scale_axes : message->gizmo.axes;
        if (cases[i].mode != GZ_MODE_ROTATE || cases[i].space == GZ_SPACE_LOCAL)
            assert_near(sheared[0], 4 / sqrt(17), 1 / sqrt(17), 0);
        if (cases[i].told & turn) assert_near(message->gizmo.turn_axes[0], M_SQRT1_2, M_SQRT1_2, 0);
    }
}

SCENE_TEST(test_readout_tells_the_box_as_it_moves)
{
    assert_ok(ask_select(s->a, s->node));
    assert_false(gizmo_of(s, GZ_MODE_SCALE, GZ_SPACE_WORLD)->has & GZ_HAS_GIZMO_BOX);
    const struct gz_message *message = gizmo_of(s, GZ_MODE_BOUNDS, GZ_SPACE_WORLD);
    assert_true(message->has & GZ_HAS_GIZMO_BOX);
    assert_near(message->gizmo.box[0], 0, 0, 0);
    assert_near(message->gizmo.box[2], 0, 0.5, 0);
    size_t told = client_count(s->a, GZ_OP_GIZMO);
    set_trs(s, s->node, (gz_quat){0, 0, 0, 1}, (gz_vec3){1, 3, 1});
    message = client_last(s->a, GZ_OP_GIZMO);
    assert_int_equal(client_count(s->a, GZ_OP_GIZMO), told + 1);
    assert_near(message->gizmo.box[2], 0, 1.5, 0);
    assert_ok(ask_move(s->b, s->node, 0, 0, 2));
    assert_near(client_last(s->a, GZ_OP_GIZMO)->gizmo.box[0], 0, 0, 2);
}

/* A place that no message can hold, of a node below another one that is far away. */
SCENE_TEST(test_readout_of_a_drag_that_began_beyond_what_can_be_said)
{
    const uint64_t far = create_node(s->a, "far", 0, 0, 0, -9e14);
    const uint64_t farther = create_node(s->a, "farther", far, 0, 0, -9e14);
    s->node = farther;
    assert_ok(type(s, GZ_TZ, 9e14));
    const struct gz_message *told = client_last(s->a, GZ_OP_GIZMO);
    assert_int_equal(told->gizmo.active, GZ_TZ);
    assert_true(told->gizmo.origin.z > -1e15);
    assert_int_equal(told->has & GZ_HAS_GIZMO_START, 0);
    assert_ok(ask_pointer(s->a, GZ_PHASE_CANCEL, 0, 0));
}
