/* Drags, wheels and orbits: from the pointer to the edit, who may hold what, and what the gizmo
 * shows meanwhile. The camera looks along -z at 10 m: a metre in the plane of the node is 30 px.
 * Most of it is in stories/drag.txt; here is what takes more than a sentence. */
#include <math.h>
#include <string.h>

#include "core/session.h"
#include "feed/state.h"
#include "support/cmocka.h"
#include "unit/core/story.h"

#define DISTANCE 10.0
#define METRE METRE_PX(DISTANCE)

static gz_vec3 place(struct scene *s, uint64_t id)
{
    return host_node(s->host, id).trs.t;
}

/* Takes hold of the node's plane handle where the node is: it then goes where the pointer goes. */
static const struct gz_message *take(struct client *client, uint64_t node)
{
    return ask_grab(client, GZ_TXY, node, MIDDLE_X, MIDDLE_Y);
}

static bool was_acknowledged(const struct client *client, uint64_t session, uint64_t n)
{
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            const struct gz_message *message = &heard->messages[i];
            if (message->op != GZ_OP_DELTA) continue;
            for (size_t j = 0; j < message->delta.ack_count; j++) {
                if (message->delta.acks[j].session == session && message->delta.acks[j].n == n)
                    return true;
            }
        }
    }
    return false;
}

STORY_TEST(test_drag_tells_how_far_the_pointer_was_followed)
{
    client_come_as(s->watcher, false);
    client_come_as(s->b, false);
    assert_ok(take(s->a, s->node));
    struct gz_message move = pointer_message(GZ_PHASE_MOVE, MIDDLE_X + 30, MIDDLE_Y, 41);
    client_say(s->a, &move);
    move.pointer.n = 42;
    client_say(s->a, &move); /* the same place: its turn comes all the same */
    host_turn(s->host);
    assert_true(was_acknowledged(s->watcher, s->a->id, 42));
    move.pointer.n = 43;
    client_say(s->a, &move);
    host_turn(s->host);
    assert_true(was_acknowledged(s->b, s->a->id, 43));
    (void)create_node(s->b, "other", 0, 0, 0, 0);
    assert_int_equal(client_last(s->b, GZ_OP_DELTA)->delta.ack_count, 0); /* said once */
}

STORY_TEST(test_pointers_of_who_left_are_forgotten)
{
    const struct gz_message move = pointer_message(GZ_PHASE_MOVE, MIDDLE_X + 30, MIDDLE_Y, 41);
    assert_ok(take(s->a, s->node));
    client_say(s->a, &move);
    host_turn(s->host);
    assert_int_equal(s->host->core->feed->acks.count, 1);
    client_leave(s->a);
    host_turn(s->host);
    assert_int_equal(s->host->core->feed->acks.count, 0);
}

STORY_TEST(test_drag_needs_a_camera_for_pixels)
{
    struct client *blind = client_join(s->host, "eve", GZ_ROLE_EDITOR);
    assert_refused(ask_pointer(blind, GZ_PHASE_DOWN, 1, 1), GZ_BAD_STATE);
    assert_refused(take(blind, s->node), GZ_BAD_STATE);
    struct gz_message grab = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_RAY | GZ_HAS_POINTER_NODES};
    grab.pointer = (struct gz_pointer_message){.phase = GZ_PHASE_DOWN,
                                               .handle = GZ_TXY,
                                               .nodes = {&s->node, 1},
                                               .ray = {0, 0, 5, 0, 0, -1}};
    assert_ok(client_ask(blind, &grab));
    struct gz_message move = {
        .op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_RAY, .pointer.phase = GZ_PHASE_UP};
    const double ray[6] = {2, 1, 5, 0, 0, -3};
    memcpy(move.pointer.ray, ray, sizeof ray);
    assert_ok(client_ask(blind, &move));
    assert_near(place(s, s->node), 2, 1, 0);
}

static void assert_size(const struct client *client, double size)
{
    assert_true(fabs(client_last(client, GZ_OP_GIZMO)->gizmo.size - size) <= 1e-9 * size);
}

/* A hand without a camera is shown a gizmo of the same angle from anywhere, and takes what it aims
 * at. */
STORY_TEST(test_a_hand_has_the_gizmo_at_its_own_angle)
{
    static const double distances[] = {0.5, 20, 1000};
    struct client *hand = client_join(s->host, "eve", GZ_ROLE_EDITOR);
    assert_ok(ask_select(hand, s->node));
    for (size_t i = 0; i < COUNT(distances); i++) {
        const double away = distances[i], size = 0.096 * away;
        struct gz_message message = {.op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_RAY};
        message.pointer =
            (struct gz_pointer_message){.phase = GZ_PHASE_HOVER, .ray = {0, 0, away, 0.1, 0, -1}};
        assert_ok(client_ask(hand, &message));
        assert_size(hand, size);
        message.pointer.phase = GZ_PHASE_DOWN;
        memcpy(message.pointer.ray, (double[]){0, 0, 2 * away, 1.8 * size, 0, -2 * away},
               sizeof message.pointer.ray);
        const struct gz_message *answer = client_ask(hand, &message);
        assert_ok(answer);
        assert_int_equal(answer->ok.handle, GZ_TX);
        message.pointer.phase = GZ_PHASE_CANCEL;
        assert_ok(client_ask(hand, &message));
        assert_size(hand, 2 * size);
    }
}

/* ---- wheel and orbit ---- */

STORY_TEST(test_wheel_beyond_reason_keeps_the_last_good_scale)
{
    static const double notches[] = {1e6, -1e6, 4000, -4000, 1e15};
    assert_ok(ask_select(s->a, s->node));
    for (size_t i = 0; i < COUNT(notches); i++) {
        assert_null(ask_wheel(s->a, notches[i]));
        host_advance(s->host, 1);
        double scale = host_node(s->host, s->node).trs.s.x;
        assert_true(isfinite(scale) && scale >= GZ_SCALE_MIN && scale <= GZ_COORDINATE_MAX);
    }
}

STORY_TEST(test_orbit_moves_the_view_and_nothing_else)
{
    uint64_t seq = s->a->mirror.seq;
    assert_ok(ask_mode(s->watcher, GZ_MODE_ORBIT)); /* a viewer may */
    assert_refused(ask_wheel(s->watcher, 1), GZ_BAD_STATE);
    assert_ok(ask_camera(s->watcher, DISTANCE));
    assert_ok(ask_pointer(s->watcher, GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s->watcher, GZ_PHASE_MOVE, MIDDLE_X + 50, MIDDLE_Y));
    const struct gz_message *view = client_last(s->watcher, GZ_OP_VIEW);
    assert_non_null(view);
    assert_true(view->view[0] < 0.999);
    assert_true(fabs(view->view[14] + DISTANCE) < 1e-9); /* the node stays where it was in view */
    assert_ok(ask_pointer(s->watcher, GZ_PHASE_CANCEL, 0, 0));
    assert_true(client_last(s->watcher, GZ_OP_VIEW)->view[0] == 1);
    assert_ok(ask_wheel(s->watcher, 1));
    assert_true(fabs(client_last(s->watcher, GZ_OP_VIEW)->view[14] + 0.9 * DISTANCE) < 1e-9);
    assert_int_equal(s->a->mirror.seq, seq);
    assert_null(client_last(s->a, GZ_OP_VIEW));
}

static const struct gz_message *ask_camera_to(struct client *client, gz_vec3 target)
{
    struct gz_message message = camera_message(DISTANCE);
    message.has = GZ_HAS_CAMERA_TARGET;
    message.camera.target = target;
    return client_ask(client, &message);
}

/* The view of the world's point, in its own space. */
static gz_vec3 seen(const struct client *client, gz_vec3 point)
{
    gz_affine view = gz_affine_from_matrix(client_last(client, GZ_OP_VIEW)->view);
    return gz_affine_apply(&view, point);
}

STORY_TEST(test_orbit_by_turntable_stays_level)
{
    struct gz_message tool = {
        .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_ORBIT, .tool.orbit = GZ_ORBIT_TURNTABLE};
    assert_ok(client_ask(s->a, &tool));
    struct gz_message down = pointer_message(GZ_PHASE_DOWN, MIDDLE_X + 90, MIDDLE_Y + 90, 0);
    down.pointer.mods = 1u << GZ_MOD_ORBIT;
    assert_ok(client_ask(s->a, &down));
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + 90 + 600 / 8, MIDDLE_Y + 90 + 600 / 12));
    const double *view = client_last(s->a, GZ_OP_VIEW)->view;
    assert_true(fabs(view[4]) < 1e-15); /* the world's up is not to the side */
    assert_true(fabs(view[0] - cos(M_PI / 4)) <
                1e-12); /* an eighth of a turn for an eighth of the height */
    assert_true(fabs(view[6] - sin(M_PI / 6)) < 1e-12);
    assert_near(seen(s->a, (gz_vec3){0, 0, 0}), 0, 0, -DISTANCE);
}

STORY_TEST(test_orbit_turns_about_the_cameras_target)
{
    const gz_vec3 target = {1, 0.5, 4};
    assert_ok(ask_select(s->a, s->node));
    assert_ok(ask_mode(s->a, GZ_MODE_ORBIT));
    assert_ok(ask_camera_to(s->a, target));
    assert_ok(ask_pointer(s->a, GZ_PHASE_DOWN, MIDDLE_X + 10, MIDDLE_Y));
    assert_ok(ask_pointer(s->a, GZ_PHASE_UP, MIDDLE_X + 70, MIDDLE_Y + 30));
    assert_near(seen(s->a, target), 1, 0.5, 4 - DISTANCE);
    assert_true(fabs(seen(s->a, (gz_vec3){0, 0, 0}).x) > 0.1);
    assert_ok(ask_wheel(
        s->a, 1)); /* 0.9 of the way to it; a view that the server made keeps the target */
    assert_near(seen(s->a, target), 0.9, 0.45, 0.9 * (4 - DISTANCE));
    assert_ok(ask_camera(s->a, DISTANCE)); /* without one: the selection again */
    assert_ok(ask_wheel(s->a, 1));
    assert_near(seen(s->a, (gz_vec3){0, 0, 0}), 0, 0, -0.9 * DISTANCE);
}

/* ---- the gizmo ---- */

static const struct gz_gizmo_message *gizmo_of(const struct client *client)
{
    const struct gz_message *message = client_last(client, GZ_OP_GIZMO);
    return message != NULL ? &message->gizmo : NULL;
}

/* Half a metre beyond the middle, begun a metre before it. */
static void scale_past_the_middle(struct scene *s)
{
    assert_ok(ask_grab(s->a, GZ_SX, s->node, MIDDLE_X + METRE, MIDDLE_Y));
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X - 0.5 * METRE, MIDDLE_Y));
}

STORY_TEST(test_scale_mirrors_where_the_tool_lets_it)
{
    struct gz_message tool = {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MIRROR, .tool.mirror = true};
    scale_past_the_middle(s);
    assert_true(fabs(host_node(s->host, s->node).trs.s.x - GZ_FACTOR_MIN) < 1e-12);
    assert_ok(ask_pointer(s->a, GZ_PHASE_CANCEL, 0, 0));
    assert_ok(client_ask(s->a, &tool));
    scale_past_the_middle(s);
    assert_true(fabs(host_node(s->host, s->node).trs.s.x + 0.5) < 1e-12);
    assert_ok(ask_pointer(s->a, GZ_PHASE_CANCEL, 0, 0));
    tool.tool.mirror = false;
    assert_ok(client_ask(s->a, &tool));
    scale_past_the_middle(s);
    assert_true(host_node(s->host, s->node).trs.s.x > 0);
}

STORY_TEST(test_refused_grab_of_other_nodes_leaves_the_gizmo_where_it_was)
{
    const uint64_t other = create_node(s->b, "other", 0, 2, 1, 0);
    assert_ok(ask_select(s->a, s->node));
    assert_near(gizmo_of(s->a)->origin, 0, 0, 0);
    assert_refused(ask_grab(s->a, GZ_TZ, other, MIDDLE_X, MIDDLE_Y), GZ_BAD_VALUE);
    assert_near(gizmo_of(s->a)->origin, 0, 0, 0);
    assert_ok(ask_pointer(s->a, GZ_PHASE_DOWN, MIDDLE_X + 50, MIDDLE_Y));
    assert_ok(ask_pointer(s->a, GZ_PHASE_UP, MIDDLE_X + 50 + METRE, MIDDLE_Y));
    assert_near(place(s, s->node), 1, 0, 0);
    assert_near(place(s, other), 2, 1, 0);
}

STORY_TEST(test_gizmo_shows_what_can_be_grabbed)
{
    assert_null(gizmo_of(s->a));
    assert_ok(ask_select(s->a, s->node));
    const struct gz_gizmo_message *gizmo = gizmo_of(s->a);
    assert_non_null(gizmo);
    assert_true(gizmo->handles & (1u << GZ_TX) && gizmo->handles & (1u << GZ_TXY));
    assert_false(gizmo->handles & (1u << GZ_TZ)); /* along the line of sight */
    assert_false(gizmo->handles & (1u << GZ_RX));
    assert_true(fabs(gizmo->size - 96 / METRE) < 1e-9);
    assert_ok(ask_pointer(s->a, GZ_PHASE_HOVER, MIDDLE_X + 50, MIDDLE_Y));
    assert_int_equal(gizmo_of(s->a)->hover, GZ_TX);
    assert_ok(ask_pointer(s->a, GZ_PHASE_DOWN, MIDDLE_X + 50, MIDDLE_Y));
    assert_int_equal(gizmo_of(s->a)->active, GZ_TX);
    assert_ok(ask_pointer(s->a, GZ_PHASE_UP, MIDDLE_X + 50 + METRE, MIDDLE_Y));
    assert_int_equal(gizmo_of(s->a)->active, GZ_HANDLE_NONE);
    assert_near(gizmo_of(s->a)->origin, 1, 0, 0);
    assert_ok(ask_move(s->b, s->node, 0, 2, 0)); /* by somebody else */
    assert_near(gizmo_of(s->a)->origin, 0, 2, 0);
    assert_ok(ask_mode(s->a, GZ_MODE_ROTATE));
    assert_true(gizmo_of(s->a)->handles & (1u << GZ_RZ));
    assert_ok(ask_select(s->a, 0));
    assert_int_equal(gizmo_of(s->a)->handles, 0);
    size_t told = client_count(s->a, GZ_OP_GIZMO);
    assert_ok(ask_camera(s->a, 2 * DISTANCE));
    assert_ok(ask_move(s->b, s->node, 0, 3, 0));
    assert_int_equal(client_count(s->a, GZ_OP_GIZMO), told); /* nothing to tell */
    assert_null(gizmo_of(s->b));
}

STORY_TEST(test_gizmo_goes_with_its_node)
{
    assert_ok(ask_select(s->a, s->node));
    assert_ok(ask_select(s->watcher, s->node));
    assert_null(gizmo_of(s->watcher)); /* a viewer cannot use one */
    assert_ok(ask_delete(s->b, s->node));
    assert_int_equal(gizmo_of(s->a)->handles, 0);
}

STORY_TEST(test_gizmo_brings_lines_to_who_draws_them)
{
    struct client *drawing = client_join_drawing(s->host, "dan");
    assert_ok(ask_camera(drawing, DISTANCE));
    assert_ok(ask_select(drawing, s->node));
    assert_true(gizmo_of(drawing)->line_count > 10);
    assert_ok(ask_select(s->a, s->node));
    assert_int_equal(client_last(s->a, GZ_OP_GIZMO)->has & GZ_HAS_GIZMO_LINES, 0);
    assert_ok(ask_select(drawing, 0));
    assert_int_equal(gizmo_of(drawing)->line_count, 0);
}

STORY_TEST(test_gizmo_beyond_what_can_be_said_is_not_there)
{
    uint64_t far = create_node(s->a, "far", 0, 0, 0, -0.9 * GZ_COORDINATE_MAX);
    uint64_t farther = create_node(s->a, "farther", far, 0, 0, -0.9 * GZ_COORDINATE_MAX);
    struct client *drawing = client_join_drawing(s->host, "dan");
    struct gz_message pick = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {0, 0, 800, 600}};
    assert_ok(ask_camera(drawing, DISTANCE));
    assert_ok(ask_select(drawing, far));
    assert_true(gizmo_of(drawing)->handles != 0);
    assert_ok(ask_select(drawing, farther));
    assert_int_equal(gizmo_of(drawing)->handles, 0);
    struct gz_set_node large = {.has = GZ_HAS_SET_NODE_S, .id = far, .trs.s = {1e15, 1e15, 1e15}};
    struct gz_message set = {.op = GZ_OP_SET, .set = {&large, 1, 0}};
    for (int depth = 0; depth < 25; depth++) { /* as deep as leaves the doubles */
        assert_ok(client_ask(s->a, &set));
        large.id = create_node(s->a, "deeper", large.id == far ? farther : large.id, 0, 0, -1);
        assert_ok(client_ask(drawing, &pick));
    }
    assert_ok(ask_select(drawing, large.id));
}

int main(void)
{
    return stories_run("drag.txt");
}
