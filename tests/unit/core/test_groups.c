/* The bounds of a node without any are those of what is below it. The camera looks along -z at 10
 * m: a metre in the plane of the group is 30 px. */
#include <math.h>
#include <string.h>

#include "core/session.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define DISTANCE 10.0
#define METRE METRE_PX(DISTANCE)
#define NOTHING 0 /* selected */

struct scene {
    struct host host;
    struct client *a, *b;       /* editors; a has a camera */
    uint64_t group, left, deep; /* left hangs from the group, deep two below it */
};

static uint64_t create_group(struct client *client, uint64_t parent, gz_trs trs)
{
    struct gz_create_node node = {.has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_R |
                                         GZ_HAS_CREATE_NODE_S,
                                  .name = {"group", 5},
                                  .trs = trs};
    if (parent != 0) node.has |= GZ_HAS_CREATE_NODE_PARENT;
    node.parent = parent;
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {&node, 1}};
    const struct gz_message *answer = client_ask(client, &message);
    assert_ok(answer);
    return answer->ok.ids.ids[0];
}

static gz_trs at(double x, double y, double z)
{
    return (gz_trs){{x, y, z}, {0, 0, 0, 1}, {1, 1, 1}};
}

/* A box about -3, 0, 0 and one about 4, 2, 0, both a metre wide. */
static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    assert_ok(ask_camera(s->a, DISTANCE));
    s->group = create_group(s->b, 0, at(1, 0, 0));
    s->left = create_node(s->b, "left", s->group, -4, 0, 0);
    s->deep = create_node(s->b, "deep", create_group(s->b, s->group, at(1, 1, 0)), 2, 1, 0);
}

CLOSE_SCENE_AS_USUAL

/* The box that client a is shown: its middle and the way from there to its sides. */
static void assert_box(const struct scene *s, gz_vec3 middle, gz_vec3 half)
{
    const struct gz_message *message = client_last(s->a, GZ_OP_GIZMO);
    assert_true(message->has & GZ_HAS_GIZMO_BOX);
    assert_near(message->gizmo.box[0], middle.x, middle.y, middle.z);
    assert_near(message->gizmo.box[1], half.x, 0, 0);
    assert_near(message->gizmo.box[2], 0, half.y, 0);
    assert_near(message->gizmo.box[3], 0, 0, half.z);
}

static void show_bounds(struct scene *s)
{
    assert_ok(ask_select(s->a, s->group));
    assert_ok(ask_mode(s->a, GZ_MODE_BOUNDS));
}

SCENE_TEST(test_group_has_handles_about_all_below_it)
{
    show_bounds(s);
    assert_true(client_last(s->a, GZ_OP_GIZMO)->gizmo.handles & GZ_HANDLE_BIT(GZ_BXP));
    assert_box(s, (gz_vec3){0.5, 1, 0}, (gz_vec3){4, 1.5, 0.5});
}

SCENE_TEST(test_group_has_its_box_with_the_smallest_slices)
{
    s->host.core->slice_nodes = 1;
    show_bounds(s);
    assert_box(s, (gz_vec3){0.5, 1, 0}, (gz_vec3){4, 1.5, 0.5});
}

SCENE_TEST(test_group_box_is_along_its_own_axes)
{
    gz_trs turned = at(0, 0, 0);
    turned.r = gz_quat_about((gz_vec3){0, 0, 1}, M_PI / 4);
    s->group = create_group(s->b, 0, turned);
    create_node(s->b, "child", s->group, 2, 0, 0);
    show_bounds(s);
    const gz_vec3 *box = client_last(s->a, GZ_OP_GIZMO)->gizmo.box;
    assert_near(box[0], M_SQRT2, M_SQRT2, 0);
    assert_near(box[1], M_SQRT1_2 / 2, M_SQRT1_2 / 2, 0);
}

SCENE_TEST(test_group_without_anything_below_it_has_no_box)
{
    s->group = create_group(s->b, 0, at(0, 0, 0));
    create_group(s->b, s->group, at(1, 0, 0));
    show_bounds(s);
    assert_false(client_last(s->a, GZ_OP_GIZMO)->has & GZ_HAS_GIZMO_BOX);
    assert_refused(ask_grab(s->a, GZ_BXP, s->group, MIDDLE_X, MIDDLE_Y), GZ_BAD_VALUE);
}

SCENE_TEST(test_group_box_follows_what_others_do_below_it)
{
    show_bounds(s);
    assert_ok(ask_move(s->b, s->left, -6, 0, 0));
    assert_box(s, (gz_vec3){-0.5, 1, 0}, (gz_vec3){5, 1.5, 0.5});
    assert_ok(ask_delete(s->b, s->left));
    assert_box(s, (gz_vec3){4, 2, 0}, (gz_vec3){0.5, 0.5, 0.5});
    assert_ok(ask_hang(s->b, s->deep, 0));
    assert_false(client_last(s->a, GZ_OP_GIZMO)->has & GZ_HAS_GIZMO_BOX);
}

SCENE_TEST(test_group_is_scaled_by_a_face_with_the_opposite_one_still)
{
    show_bounds(s);
    /* The right face is at x 4.5, the left one at -3.5: 8 m more are twice the width. */
    assert_ok(ask_grab(s->a, GZ_BXP, s->group, MIDDLE_X + 4.5 * METRE, MIDDLE_Y - METRE));
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + 12.5 * METRE, MIDDLE_Y - METRE));
    gz_trs trs = host_node(&s->host, s->group).trs;
    assert_near(trs.s, 2, 1, 1);
    assert_near(trs.t, 5.5, 0, 0);
    assert_box(s, (gz_vec3){4.5, 1, 0}, (gz_vec3){8, 1.5, 0.5});
    assert_ok(ask_pointer(s->a, GZ_PHASE_CANCEL, MIDDLE_X, MIDDLE_Y));
    assert_near(host_node(&s->host, s->group).trs.s, 1, 1, 1);
}

/* In a mode that shows no handles on bounds, as a client with widgets of its own does it. */
SCENE_TEST(test_group_handle_on_bounds_is_grabbed_by_its_name)
{
    assert_ok(ask_select(s->a, s->group));
    assert_ok(ask_move(s->b, s->left, -6, 0, 0));
    struct gz_message grab = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_VALUE};
    grab.pointer = (struct gz_pointer_message){.handle = GZ_BXN, .value = {{2, 0}, 1}};
    assert_ok(client_ask(s->a, &grab));
    assert_near(host_node(&s->host, s->group).trs.t, -2.5, 0, 0);
    assert_box(s, (gz_vec3){-5.5, 1, 0}, (gz_vec3){10, 1.5, 0.5});
}

SCENE_TEST(test_group_among_several_counts_with_what_is_below_it)
{
    uint64_t both[] = {s->group, create_node(s->b, "far", 0, 9, 0, 0)};
    struct gz_message select = {.op = GZ_OP_SELECT, .select = {.nodes = {both, 2}}};
    assert_ok(client_ask(s->a, &select));
    assert_ok(ask_mode(s->a, GZ_MODE_BOUNDS));
    assert_box(s, (gz_vec3){3, 1, 0}, (gz_vec3){6.5, 1.5, 0.5});
}

SCENE_TEST(test_group_pivot_bounds_is_the_middle_of_what_is_below)
{
    struct gz_message tool = {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_PIVOT};
    tool.tool.pivot = GZ_PIVOT_BOUNDS;
    assert_ok(client_ask(s->a, &tool));
    assert_ok(ask_select(s->a, s->group));
    assert_near(client_last(s->a, GZ_OP_GIZMO)->gizmo.origin, 0.5, 1, 0);
}

/* What is below is not looked through at each move of the pointer, nor while the group itself is
 * dragged. */
SCENE_TEST(test_group_is_looked_through_once)
{
    show_bounds(s);
    gz_box *found = s->a->session->groups.boxes;
    uint64_t seq = s->a->session->groups.seq;
    found[0].max.x += 1; /* a look would put this right */
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X, MIDDLE_Y));
    assert_box(s, (gz_vec3){1, 1, 0}, (gz_vec3){4.5, 1.5, 0.5});
    assert_ok(ask_grab(s->a, GZ_TY, s->group, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X, MIDDLE_Y - METRE));
    assert_box(s, (gz_vec3){1, 2, 0}, (gz_vec3){4.5, 1.5, 0.5});
    assert_int_equal(s->a->session->groups.seq, seq);
    assert_ok(ask_pointer(s->a, GZ_PHASE_CANCEL, MIDDLE_X, MIDDLE_Y));
    assert_box(s, (gz_vec3){0.5, 1, 0}, (gz_vec3){4, 1.5, 0.5});
    assert_ok(ask_mode(s->a, GZ_MODE_TRANSLATE));
    assert_null(s->a->session->groups.boxes);
    assert_ok(ask_select(s->a, NOTHING));
}

/* Two large groups, selected in turn: each time all below is looked at again. */
SCENE_TEST(test_groups_looked_at_count_against_the_rate)
{
    uint64_t other = create_group(s->b, 0, at(0, 0, 0));
    for (int i = 0; i < 300; i++) {
        create_node(s->b, "box", s->group, i, 0, 0);
        create_node(s->b, "box", other, 0, i, 0);
    }
    assert_ok(ask_mode(s->a, GZ_MODE_BOUNDS));
    struct gz_session *session = s->host.core->sessions;
    while (session != NULL && strcmp(session->user, "ann") != 0) session = session->next;
    assert_non_null(session);
    double tokens = session->work.tokens, now_s = s->host.now.mono_s;
    for (int i = 0; i < 8; i++) assert_ok(ask_select(s->a, i % 2 == 0 ? s->group : other));
    assert_true(s->host.now.mono_s == now_s);
    assert_true(tokens - session->work.tokens > messages(8 * 300) - 1e-6);
}
