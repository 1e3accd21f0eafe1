/* Drags that are told as motions: in how few bytes, how near to what is so, and exactly again once
 * they are over, whatever happens meanwhile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/gesture.h"
#include "core/session.h"
#include "core/state.h"
#include "feed/state.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define NODES 600
#define STEPS 40
/* What the protocol promises of a preview: a part of the larger of where the node was and is. */
#define NEARLY 1e-9

struct scene {
    struct host host;
    struct client *ann, *bob; /* editors that read the plain form */
    struct client *cleo;      /* a viewer that reads the packed form, and so is told motions */
    struct client *dan;       /* one that reads the plain form */
    uint64_t parents[4];      /* 0: the root; turned and larger; mirrored; sheared */
    uint64_t ids[10000];
    size_t count;
    gz_trs starts[10000]; /* when a drag began */
};

enum { ROOT, TURNED, MIRRORED, UNEVEN };

static void create_parents(struct scene *s)
{
    const gz_quat turn = gz_quat_about((gz_vec3){0.6, 0, 0.8}, 0.7);
    const struct gz_create_node nodes[3] = {
        {.has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_R | GZ_HAS_CREATE_NODE_S,
         .name = {"turned", 6},
         .trs = {{1, 2, -3}, turn, {2, 2, 2}}},
        {.has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_R | GZ_HAS_CREATE_NODE_S,
         .name = {"mirrored", 8},
         .trs = {{-4, 0.5, 1}, gz_quat_conjugate(turn), {-1.5, 1.5, 1.5}}},
        {.has = GZ_HAS_CREATE_NODE_R | GZ_HAS_CREATE_NODE_S,
         .name = {"uneven", 6},
         .trs = {{0, 0, 0}, turn, {1, 2, 3}}}};
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, 3}};
    const struct gz_message *answer = client_ask(s->ann, &create);
    assert_ok(answer);
    memcpy(s->parents + 1, answer->ok.ids.ids, 3 * sizeof *s->parents);
}

/* Nodes in the parents of these numbers by turns, somewhere, and turned in some way. */
static void create_nodes(struct scene *s, size_t count, const int *kinds, size_t kind_count)
{
    struct gz_create_node *nodes = calloc(count, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < count; i++) {
        const double a = 0.37 * (double)i;
        nodes[i] = (struct gz_create_node){
            .has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_R | GZ_HAS_CREATE_NODE_PARENT,
            .parent = s->parents[kinds[i % kind_count]],
            .name = {"n", 1},
            .trs = {{3 * sin(a), 2 * cos(2 * a), sin(3 * a)},
                    gz_quat_about((gz_vec3){sin(a), 0, cos(a)}, 5 * a),
                    {1, 1, 1}}};
    }
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, count}};
    const struct gz_message *answer = client_ask(s->ann, &create);
    if (answer == NULL) { /* it is made by a worker */
        host_advance(&s->host, 1);
        answer = client_last(s->ann, GZ_OP_OK);
    }
    assert_ok(answer);
    assert_int_equal(answer->ok.ids.count, count);
    memcpy(s->ids, answer->ok.ids.ids, count * sizeof *s->ids);
    s->count = count;
    free(nodes);
}

static void open_scene(struct scene *s)
{
    *s = (struct scene){.count = 0};
    host_init_limited(&s->host, 1e6);
    s->ann = client_join_as(&s->host, "ann", GZ_ROLE_EDITOR, false);
    s->bob = client_join_as(&s->host, "bob", GZ_ROLE_EDITOR, false);
    s->cleo = client_join_as(&s->host, "cleo", GZ_ROLE_VIEWER, true);
    s->dan = client_join_as(&s->host, "dan", GZ_ROLE_VIEWER, false);
    assert_ok(ask_camera(s->ann, 10));
    assert_ok(ask_camera(s->bob, 10));
    create_parents(s);
}

CLOSE_SCENE_AS_USUAL

/* ---- dragging ---- */

static void grab(struct scene *s, struct client *client, enum gz_handle handle, size_t first,
                 size_t count)
{
    struct gz_message message = pointer_message(GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y, 0);
    message.op = GZ_OP_GRAB;
    message.pointer.handle = handle;
    message.has |= GZ_HAS_POINTER_NODES;
    message.pointer.nodes = (struct gz_ids){s->ids + first, count};
    for (size_t i = 0; i < s->count; i++)
        s->starts[i] = gz_scene_find(s->host.core->scene, s->ids[i])->trs;
    client_say(client, &message);
    host_advance(&s->host, 1);
    assert_true(client->session->gesture.interaction != NULL);
}

static void say_move(struct client *client, size_t step)
{
    const double turn = 0.31 * (double)(step + 1);
    struct gz_message move = pointer_message(GZ_PHASE_MOVE, MIDDLE_X + 90 * sin(turn),
                                             MIDDLE_Y + 70 * cos(turn), step + 1);
    client_say(client, &move);
}

static void move(struct scene *s, struct client *client, size_t step)
{
    say_move(client, step);
    host_advance(&s->host, 1.0 / 30);
}

static void let_go(struct scene *s, struct client *client)
{
    assert_ok(ask_pointer(client, GZ_PHASE_UP, MIDDLE_X + 20, MIDDLE_Y - 30));
    host_assert_equal(&s->host);
}

static bool is_told_as_motion(const struct client *of)
{
    return of->session->gesture.parts != NULL;
}

static double largest(gz_vec3 v)
{
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

/* How far the client has the nodes from where they are, at most. */
static double error_of(const struct scene *s, const struct client *client)
{
    double worst = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct mirror_node *node = mirror_find(&client->mirror, s->ids[i]);
        const gz_trs *told = &node->content.trs;
        const gz_trs *exact = &gz_scene_find(s->host.core->scene, s->ids[i])->trs;
        const double size = fmax(largest(exact->t), largest(s->starts[i].t));
        const gz_quat *a = &told->r, *b = &exact->r;
        assert_memory_equal(&told->s, &exact->s, sizeof told->s);
        worst = fmax(worst, largest(gz_sub(told->t, exact->t)) / size);
        worst = fmax(worst, fmax(fmax(fabs(a->x - b->x), fabs(a->y - b->y)),
                                 fmax(fabs(a->z - b->z), fabs(a->w - b->w))));
    }
    return worst;
}

static size_t previews_of(const struct client *client)
{
    size_t count = 0;
    for (size_t i = 0; i < client->mirror.count; i++) count += client->mirror.nodes[i].in_motion;
    return count;
}

static const int at_root[] = {ROOT}, in_three[] = {ROOT, TURNED, MIRRORED},
                 in_uneven[] = {ROOT, UNEVEN};

/* ---- what it costs ---- */

struct cost {
    size_t frames, bytes;
};

static struct cost heard(const struct client *client)
{
    return (struct cost){client->frames_heard, client->bytes_heard};
}

static double per_frame(struct cost before, struct cost after)
{
    return (double)(after.bytes - before.bytes) / (double)(after.frames - before.frames);
}

/* The bytes of a frame in the middle of a drag: of who is told motions, and who is not. */
static void measure(size_t count, enum gz_handle handle, double *with, double *without)
{
    struct scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    open_scene(s);
    create_nodes(s, count, at_root, 1);
    grab(s, s->ann, handle, 0, count);
    move(s, s->ann, 0);
    const struct cost cleo = heard(s->cleo), dan = heard(s->dan);
    for (size_t i = 1; i <= 10; i++) move(s, s->ann, i);
    *with = per_frame(cleo, heard(s->cleo));
    *without = per_frame(dan, heard(s->dan));
    print_message("%5zu nodes, %s: %.0f bytes a frame in %zu frames, else %.0f in %zu\n", count,
                  gz_vocabulary_word(&gz_handle_words, (int)handle), *with,
                  s->cleo->frames_heard - cleo.frames, *without, s->dan->frames_heard - dan.frames);
    let_go(s, s->ann);
    close_scene(s);
    free(s);
}

TEST(test_large_motion_frame_takes_as_many_bytes_for_any_number_of_nodes)
{
    const size_t counts[] = {10, 100, 501, 1000, 10000};
    for (size_t i = 0; i < COUNT(counts); i++) {
        double with, without;
        measure(counts[i], GZ_TX, &with, &without);
        if (counts[i] >= GZ_MOTION_NODES_MIN) assert_true(with <= 64);
        measure(counts[i], GZ_RZ, &with, &without);
        if (counts[i] >= GZ_MOTION_NODES_MIN) assert_true(with <= 128);
    }
}

/* ---- what is told ---- */

static void drag_and_compare(struct scene *s, enum gz_handle handle)
{
    double worst = 0;
    grab(s, s->ann, handle, 0, s->count);
    for (size_t i = 0; i < STEPS; i++) {
        move(s, s->ann, i);
        assert_true(is_told_as_motion(s->ann));
        assert_true(error_of(s, s->dan) == 0);
        worst = fmax(worst, error_of(s, s->cleo));
    }
    print_message("%s: %.3g\n", gz_vocabulary_word(&gz_handle_words, (int)handle), worst);
    assert_true(worst <= NEARLY);
    assert_int_equal(previews_of(s->cleo), s->count);
    let_go(s, s->ann);
    assert_true(error_of(s, s->cleo) == 0);
    assert_int_equal(previews_of(s->cleo), 0);
}

SCENE_TEST(test_motion_is_near_while_it_runs_and_exact_after)
{
    const enum gz_handle handles[] = {GZ_TX, GZ_TV, GZ_RX, GZ_RV, GZ_RB};
    create_nodes(s, NODES, in_three, COUNT(in_three));
    for (size_t i = 0; i < COUNT(handles); i++) drag_and_compare(s, handles[i]);
}

/* Where each turns about its own origin places stay. */
SCENE_TEST(test_motion_in_place_leaves_places_alone)
{
    struct gz_message tool = {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_PIVOT};
    tool.tool.pivot = GZ_PIVOT_EACH;
    create_nodes(s, NODES, in_three, COUNT(in_three));
    assert_ok(client_ask(s->ann, &tool));
    drag_and_compare(s, GZ_RY);
}

SCENE_TEST(test_motion_moves_below_uneven_parents_and_does_not_turn_there)
{
    create_nodes(s, NODES, in_uneven, COUNT(in_uneven));
    drag_and_compare(s, GZ_TY);
    grab(s, s->ann, GZ_RX, 0, NODES);
    for (size_t i = 0; i < STEPS; i++) {
        move(s, s->ann, i);
        assert_false(is_told_as_motion(s->ann));
        assert_true(error_of(s, s->cleo) == 0);
    }
    let_go(s, s->ann);
}

SCENE_TEST(test_motion_is_not_for_few_nodes_nor_for_scaling)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    grab(s, s->ann, GZ_TX, 0, GZ_MOTION_NODES_MIN - 1);
    move(s, s->ann, 1);
    assert_false(is_told_as_motion(s->ann));
    let_go(s, s->ann);
    grab(s, s->ann, GZ_SU, 0, NODES);
    move(s, s->ann, 1);
    assert_false(is_told_as_motion(s->ann));
    assert_true(error_of(s, s->cleo) == 0);
    let_go(s, s->ann);
}

/* The dragger is told of it as others are, and of what its pointers did. */
SCENE_TEST(test_motion_acknowledges_pointers_with_where_they_took_the_nodes)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    struct client *eve = client_join_as(&s->host, "eve", GZ_ROLE_EDITOR, true);
    assert_ok(ask_camera(eve, 10));
    grab(s, eve, GZ_RZ, 0, NODES);
    for (size_t i = 0; i < STEPS; i++) {
        client_forget(eve);
        move(s, eve, i);
        const struct gz_delta *delta = &client_last(eve, GZ_OP_DELTA)->delta;
        assert_int_equal(delta->ack_count, 1);
        assert_int_equal(delta->acks[0].n, i + 1);
        assert_int_equal(delta->count, NODES);
        assert_int_equal(delta->nodes[0].by, eve->id);
        assert_true(error_of(s, eve) <= NEARLY);
    }
    let_go(s, eve);
}

SCENE_TEST(test_motion_of_a_typed_value)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    grab(s, s->ann, GZ_TX, 0, NODES);
    for (int i = 1; i <= 3; i++) {
        struct gz_message type = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_VALUE};
        type.pointer.handle = GZ_TX;
        type.pointer.value = (struct gz_value){{0.1 * i, 0}, 1};
        assert_ok(client_ask(s->ann, &type));
        assert_true(is_told_as_motion(s->ann));
        assert_true(error_of(s, s->cleo) <= NEARLY);
    }
    let_go(s, s->ann);
}

/* Snapped, the pointer has come to nothing yet: nobody has changed the nodes. */
SCENE_TEST(test_motion_that_has_moved_nothing_names_nobody)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    grab(s, s->bob, GZ_TX, 0, NODES);
    for (int i = 0; i < 3; i++) {
        struct gz_message type = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_VALUE};
        type.pointer.handle = GZ_TX;
        type.pointer.value = (struct gz_value){{0, 0}, 1};
        assert_ok(client_ask(s->bob, &type));
        host_assert_equal(&s->host);
    }
    assert_ok(ask_pointer(s->bob, GZ_PHASE_UP, MIDDLE_X, MIDDLE_Y));
    host_assert_equal(&s->host);
}

/* So far out that the shift is lost in rounding. */
SCENE_TEST(test_motion_that_leaves_a_node_where_it_was_names_nobody_there)
{
    struct gz_message tool = {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_PIVOT};
    tool.tool.pivot = GZ_PIVOT_ACTIVE;
    create_nodes(s, NODES, at_root, 1);
    assert_ok(ask_move(s->ann, s->ids[7], 1e15, 1e15, 1e15));
    assert_ok(client_ask(s->bob, &tool));
    grab(s, s->bob, GZ_TX, 0, NODES);
    struct gz_message type = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_VALUE};
    type.pointer.handle = GZ_TX;
    type.pointer.value = (struct gz_value){{1e-3, 0}, 1};
    assert_ok(client_ask(s->bob, &type));
    host_assert_equal(&s->host);
    assert_ok(ask_pointer(s->bob, GZ_PHASE_UP, MIDDLE_X, MIDDLE_Y));
    host_assert_equal(&s->host);
}

/* ---- how it ends ---- */

SCENE_TEST(test_motion_that_is_cancelled_was_never_there)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    grab(s, s->ann, GZ_RV, 0, NODES);
    for (size_t i = 0; i < 5; i++) move(s, s->ann, i);
    assert_ok(ask_pointer(s->ann, GZ_PHASE_CANCEL, 0, 0));
    host_assert_equal(&s->host);
    for (size_t i = 0; i < NODES; i++)
        assert_memory_equal(&mirror_find(&s->cleo->mirror, s->ids[i])->content.trs, &s->starts[i],
                            sizeof(gz_trs));
}

SCENE_TEST(test_motion_ends_with_its_session)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    grab(s, s->ann, GZ_RV, 0, NODES);
    for (size_t i = 0; i < 5; i++) move(s, s->ann, i);
    client_leave(s->ann);
    host_turn(&s->host);
    host_assert_equal(&s->host);
    assert_int_equal(previews_of(s->cleo), 0);
}

SCENE_TEST(test_motion_goes_with_a_crash)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    grab(s, s->ann, GZ_RV, 0, NODES);
    for (size_t i = 0; i < 5; i++) move(s, s->ann, i);
    host_restart(&s->host, false);
    client_resume(s->cleo);
    host_turn(&s->host);
    assert_true(s->cleo->resumed);
    for (size_t i = 0; i < NODES; i++)
        assert_memory_equal(&mirror_find(&s->cleo->mirror, s->ids[i])->content.trs, &s->starts[i],
                            sizeof(gz_trs));
}

/* ---- who comes, and who falls behind ---- */

SCENE_TEST(test_motion_is_told_to_who_comes_in_the_middle)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    grab(s, s->ann, GZ_RV, 0, NODES);
    for (size_t i = 0; i < 5; i++) move(s, s->ann, i);
    struct client *late = client_join_as(&s->host, "late", GZ_ROLE_VIEWER, true);
    assert_int_equal(previews_of(late), NODES);
    assert_true(error_of(s, late) <= NEARLY);
    const struct cost before = heard(late);
    for (size_t i = 5; i < 10; i++) {
        move(s, s->ann, i);
        assert_true(error_of(s, late) <= NEARLY);
    }
    assert_true(per_frame(before, heard(late)) < 1000);
    let_go(s, s->ann);
}

/* Where the nodes began is as much as a piece of a snapshot, and waits for its turn as one. */
SCENE_TEST(test_motion_is_told_to_who_comes_when_the_host_lets_it)
{
    struct gz_core *core = s->host.core;
    create_nodes(s, NODES, in_three, COUNT(in_three));
    grab(s, s->ann, GZ_RV, 0, NODES);
    for (size_t i = 0; i < 5; i++) move(s, s->ann, i);
    client_leave(s->cleo);
    client_resume(s->cleo);
    s->cleo->stalled = true;
    const size_t deltas = s->cleo->mirror.deltas;
    while (s->cleo->mirror.deltas == deltas) assert_true(client_read_one(s->cleo));
    gz_core_let_tell(core, false);
    assert_false(client_read_one(s->cleo));
    assert_true(gz_session_frame_waits(s->cleo->session));
    gz_core_let_tell(core, true);
    assert_true(client_read_one(s->cleo));
    assert_int_equal(previews_of(s->cleo), NODES);
    assert_true(core->told_bytes > 0);
    s->cleo->stalled = false;
    let_go(s, s->ann);
}

/* Nobody had asked for motions when the drag began. */
SCENE_TEST(test_motion_begins_when_the_first_comes_who_asks_for_it)
{
    client_leave(s->cleo);
    create_nodes(s, NODES, in_three, COUNT(in_three));
    gz_feed_rest(s->host.core->feed);
    grab(s, s->ann, GZ_RV, 0, NODES);
    for (size_t i = 0; i < 5; i++) move(s, s->ann, i);
    struct client *late = client_join_as(&s->host, "late", GZ_ROLE_VIEWER, true);
    assert_true(error_of(s, late) <= NEARLY);
    for (size_t i = 5; i < 10; i++) {
        move(s, s->ann, i);
        assert_true(is_told_as_motion(s->ann));
        assert_true(error_of(s, late) <= NEARLY);
    }
    assert_int_equal(previews_of(late), NODES);
    let_go(s, s->ann);
}

static void leave_in_mid_drag(struct scene *s)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    grab(s, s->ann, GZ_RV, 0, NODES);
    for (size_t i = 0; i < 5; i++) move(s, s->ann, i);
    client_leave(s->cleo);
}

SCENE_TEST(test_motion_goes_on_for_who_resumes)
{
    leave_in_mid_drag(s);
    for (size_t i = 5; i < 8; i++) move(s, s->ann, i);
    client_resume(s->cleo);
    host_turn(&s->host);
    assert_true(s->cleo->resumed);
    assert_true(error_of(s, s->cleo) <= NEARLY);
    move(s, s->ann, 9);
    assert_true(error_of(s, s->cleo) <= NEARLY);
    let_go(s, s->ann);
}

/* It has heard of the motion only, and the end comes where the last pointer was. */
SCENE_TEST(test_motion_that_ended_meanwhile_is_exact_for_who_resumes)
{
    leave_in_mid_drag(s);
    struct gz_message up = pointer_message(GZ_PHASE_UP, MIDDLE_X + 90 * sin(0.31 * 5),
                                           MIDDLE_Y + 70 * cos(0.31 * 5), 9);
    assert_ok(client_ask(s->ann, &up));
    client_resume(s->cleo);
    host_turn(&s->host);
    assert_true(s->cleo->resumed);
    assert_true(error_of(s, s->cleo) == 0);
    host_assert_equal(&s->host);
}

SCENE_TEST(test_motion_reaches_who_did_not_read_for_a_while)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    s->cleo->stalled = true;
    grab(s, s->ann, GZ_RV, 0, NODES);
    for (size_t i = 0; i < 5; i++) move(s, s->ann, i);
    s->cleo->stalled = false;
    host_turn(&s->host);
    assert_true(error_of(s, s->cleo) <= NEARLY);
    s->cleo->stalled = true;
    for (size_t i = 5; i < 9; i++) move(s, s->ann, i);
    const struct cost before = heard(s->cleo);
    s->cleo->stalled = false;
    host_turn(&s->host);
    assert_true(s->cleo->bytes_heard - before.bytes < 1000);
    assert_true(error_of(s, s->cleo) <= NEARLY);
    s->cleo->stalled = true;
    assert_ok(ask_pointer(s->ann, GZ_PHASE_UP, MIDDLE_X, MIDDLE_Y + 40));
    s->cleo->stalled = false;
    host_turn(&s->host);
    assert_true(error_of(s, s->cleo) == 0);
}

/* Who follows a part is told node by node, and begins anew; back to the whole, it is told motions.
 */
SCENE_TEST(test_motion_is_not_told_to_who_follows_a_part)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    grab(s, s->ann, GZ_RV, 0, NODES);
    for (size_t i = 0; i < 3; i++) move(s, s->ann, i);
    struct gz_message part = {.op = GZ_OP_INTEREST, .has = GZ_HAS_RID | GZ_HAS_INTEREST_NODES};
    part.interest.nodes = (struct gz_ids){s->ids, 10};
    part.rid = s->cleo->next_rid++;
    client_say(s->cleo, &part);
    host_turn(&s->host);
    assert_int_equal(previews_of(s->cleo), 0);
    for (size_t i = 3; i < 6; i++) move(s, s->ann, i);
    assert_int_equal(previews_of(s->cleo), 0);
    struct gz_message whole = {.op = GZ_OP_INTEREST, .has = GZ_HAS_RID};
    whole.rid = s->cleo->next_rid++;
    client_say(s->cleo, &whole);
    host_turn(&s->host);
    assert_int_equal(previews_of(s->cleo), NODES);
    for (size_t i = 6; i < 9; i++) {
        move(s, s->ann, i);
        assert_true(error_of(s, s->cleo) <= NEARLY);
    }
    let_go(s, s->ann);
}

/* ---- what others do meanwhile ---- */

SCENE_TEST(test_motion_of_two_at_once_and_edits_between)
{
    create_nodes(s, 2 * NODES, in_three, COUNT(in_three));
    const uint64_t beside = create_node(s->bob, "beside", 0, 1, 2, 3);
    grab(s, s->ann, GZ_RV, 0, NODES);
    move(s, s->ann, 0);
    grab(s, s->bob, GZ_TV, NODES, NODES);
    struct client *eve = client_join_as(&s->host, "eve", GZ_ROLE_EDITOR, true);
    for (size_t i = 1; i < STEPS; i++) {
        say_move(s->ann, i);
        say_move(s->bob, 2 * i);
        host_advance(&s->host, 1.0 / 30);
        assert_true(is_told_as_motion(s->ann) && is_told_as_motion(s->bob));
        assert_true(error_of(s, s->cleo) <= NEARLY);
        assert_ok(ask_move(eve, beside, (double)i, 0, 0));
        if (i % 9 == 0) create_node(eve, "new", 0, 0, 0, 0);
        assert_refused(ask_move(eve, s->ids[i], 1, 2, 3), GZ_LOCKED);
        assert_refused(ask_delete(eve, s->ids[i]), GZ_LOCKED);
        if (i % 10 == 5) assert_ok(ask_undo(eve, true));
    }
    let_go(s, s->ann);
    assert_int_equal(previews_of(s->cleo), NODES);
    move(s, s->bob, 3);
    assert_true(error_of(s, s->cleo) <= NEARLY);
    let_go(s, s->bob);
}

/* The nodes stay under the pointer, and are no longer a rigid motion in the parent's frame. */
SCENE_TEST(test_motion_is_told_node_by_node_once_a_parent_moves)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    grab(s, s->ann, GZ_TV, 0, NODES);
    for (size_t i = 0; i < 3; i++) move(s, s->ann, i);
    assert_true(is_told_as_motion(s->ann));
    assert_ok(ask_move(s->bob, s->parents[TURNED], 5, 5, 5));
    assert_false(is_told_as_motion(s->ann));
    assert_true(error_of(s, s->cleo) == 0);
    for (size_t i = 3; i < 6; i++) {
        move(s, s->ann, i);
        assert_true(error_of(s, s->cleo) == 0);
    }
    let_go(s, s->ann);
    assert_ok(ask_undo(s->ann, false));
}

/* A pass that takes several turns is told when it is over. */
SCENE_TEST(test_motion_is_told_by_whole_passes)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    s->host.core->slice_nodes = NODES / 4;
    grab(s, s->ann, GZ_RV, 0, NODES);
    move(s, s->ann, 0);
    const struct cost cleo = heard(s->cleo), dan = heard(s->dan);
    for (size_t i = 1; i < 6; i++) {
        move(s, s->ann, i);
        assert_true(error_of(s, s->cleo) <= NEARLY);
    }
    print_message("%zu frames, else %zu\n", s->cleo->frames_heard - cleo.frames,
                  s->dan->frames_heard - dan.frames);
    assert_true(s->dan->frames_heard - dan.frames >= 5 * 10);
    /* Presence and what is saved come between. */
    assert_true(s->cleo->frames_heard - cleo.frames <= 5 * 3);
    let_go(s, s->ann);
}

/* Who was behind when it began hears of it before it has moved all nodes, and then it is over:
 * where the nodes were before it is news too. */
SCENE_TEST(test_motion_that_is_over_in_its_first_pass)
{
    create_nodes(s, NODES, in_three, COUNT(in_three));
    s->cleo->stalled = true;
    assert_ok(ask_move(s->bob, s->ids[0], 1, 2, 3));
    assert_ok(ask_move(s->bob, s->ids[NODES - 1], 4, 5, 6));
    s->host.core->slice_nodes = NODES / 4;
    grab(s, s->ann, GZ_RV, 0, NODES);
    say_move(s->ann, 0);
    assert_true(is_told_as_motion(s->ann));
    s->cleo->stalled = false;
    client_read(s->cleo);
    assert_true(previews_of(s->cleo) > 0);
    assert_true(gz_gesture_is_passing(&s->ann->session->gesture));
    s->host.core->nodes_at_once = SIZE_MAX; /* the drag is over at once */
    assert_ok(ask_pointer(s->ann, GZ_PHASE_CANCEL, 0, 0));
    assert_true(error_of(s, s->cleo) == 0);
    host_assert_equal(&s->host);
}

/* ---- whatever happens ---- */

#define STORY_STEPS 150

struct story {
    struct scene *s;
    uint64_t chance;
    struct client *eve, *viewers[4];
    uint64_t beside[40];
    size_t beside_count, step, delta_bytes;
};

static void say_end(struct story *t, struct client *client)
{
    struct gz_message end =
        pointer_message(chance_below(&t->chance, 3) == 0 ? GZ_PHASE_CANCEL : GZ_PHASE_UP,
                        MIDDLE_X + 10, MIDDLE_Y + 30, ++t->step);
    client_say(client, &end);
}

static void drag_on(struct story *t)
{
    static const enum gz_handle handles[] = {GZ_TX, GZ_TV, GZ_RX, GZ_RV, GZ_RB, GZ_RZ};
    struct scene *s = t->s;
    const size_t which = chance_below(&t->chance, 2);
    struct client *client = which == 0 ? s->ann : s->bob;
    if (client->session == NULL) return;
    if (client->session->gesture.interaction == NULL) {
        struct gz_message message = pointer_message(GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y, 0);
        message.op = GZ_OP_GRAB;
        message.pointer.handle = handles[chance_below(&t->chance, COUNT(handles))];
        message.has |= GZ_HAS_POINTER_NODES;
        message.pointer.nodes = (struct gz_ids){s->ids + which * NODES, NODES};
        client_say(client, &message);
    } else if (chance_below(&t->chance, 6) == 0) {
        say_end(t, client);
    } else {
        say_move(client, t->step++);
    }
}

static void do_beside(struct story *t)
{
    struct scene *s = t->s;
    struct client *eve = t->eve;
    const struct gz_message *answer;
    const uint64_t id = s->ids[chance_below(&t->chance, s->count)];
    switch (chance_below(&t->chance, 9)) {
    case 0:
    case 7:
    case 8: {
        const struct gz_set_node node = {
            .has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {1, 2, (double)t->step++}};
        const struct gz_message set = {.op = GZ_OP_SET, .set = {&node, 1, 0}};
        client_say(eve, &set);
        break;
    }
    case 1: ask_rename(eve, id, "renamed"); break;
    case 2: ask_hang(eve, id, s->parents[chance_below(&t->chance, 3)]); break;
    case 3:
        if (chance_below(&t->chance, 3) == 0)
            ask_move(eve, s->parents[1 + chance_below(&t->chance, 2)], (double)t->step++, 5, 5);
        break;
    case 4:
        if (t->beside_count == COUNT(t->beside)) break;
        answer = ask_create(eve, "beside", 0, NULL);
        if (answer != NULL && answer->op == GZ_OP_OK)
            t->beside[t->beside_count++] = answer->ok.ids.ids[0];
        break;
    case 5:
        if (t->beside_count > 0) ask_delete(eve, t->beside[--t->beside_count]);
        break;
    default: ask_undo(eve, true); break;
    }
}

/* What a viewer has of a state that was not whole may be news to a daemon that is new. */
static void come_back(struct client *client)
{
    if (client->mirror.more && client->epoch != client->host->core->epochs.present)
        client_enter_again(client);
    else
        client_resume(client);
}

/* The disk takes nothing for a while, or the daemon dies. */
static void do_harm(struct story *t)
{
    struct scene *s = t->s;
    if (chance_below(&t->chance, 3) > 0) {
        s->host.disk = (enum host_disk)chance_below(&t->chance, 3);
        return;
    }
    s->host.disk = DISK_COMMITS;
    host_restart(&s->host, chance_below(&t->chance, 2) == 0);
    if (t->delta_bytes > 0) s->host.core->feed->delta_bytes = t->delta_bytes;
    struct client *const editors[] = {s->ann, s->bob, t->eve};
    for (size_t i = 0; i < COUNT(editors); i++) come_back(editors[i]);
    for (size_t i = 0; i < COUNT(t->viewers); i++) come_back(t->viewers[i]);
    host_turn(&s->host);
    for (size_t i = 0; i < 2; i++) assert_ok(ask_camera(editors[i], 10));
}

static void do_viewer(struct story *t)
{
    struct client *viewer = t->viewers[chance_below(&t->chance, COUNT(t->viewers))];
    const uint64_t choice = chance_below(&t->chance, 12);
    if (viewer->session == NULL) {
        if (choice < 6) come_back(viewer);
        return;
    }
    if (choice < 4) {
        viewer->stalled = !viewer->stalled;
    } else if (choice < 8) {
        if (viewer->stalled) client_read_one(viewer);
    } else if (choice < 9) {
        viewer->stalled = false;
        client_leave(viewer);
    } else if (choice < 10) {
        struct gz_message wish = {.op = GZ_OP_INTEREST, .has = GZ_HAS_RID};
        wish.rid = viewer->next_rid++;
        if (chance_below(&t->chance, 2) == 0) {
            wish.has |= GZ_HAS_INTEREST_NODES;
            wish.interest.nodes = (struct gz_ids){t->s->ids + 3, 20};
        }
        client_say(viewer, &wish);
    }
}

static void is_near_now(const struct story *t)
{
    for (size_t i = 0; i < COUNT(t->viewers); i++) {
        const struct client *viewer = t->viewers[i];
        if (viewer->session == NULL || viewer->stalled || viewer->wish.kind != PART_WHOLE ||
            viewer->said != NULL || viewer->mirror.count < t->s->count)
            continue;
        for (size_t k = 0; k < t->s->count; k++) {
            const struct mirror_node *node = mirror_find(&viewer->mirror, t->s->ids[k]);
            const struct gz_node *own = gz_scene_find(t->s->host.core->scene, t->s->ids[k]);
            const struct gz_session *holder =
                own->holder != 0 ? gz_core_session(t->s->host.core, own->holder) : NULL;
            if (holder != NULL && gz_gesture_is_passing(&holder->gesture)) continue;
            assert_true(largest(gz_sub(node->content.trs.t, own->trs.t)) <=
                        NEARLY * (20 + largest(own->trs.t)));
        }
    }
}

static void end_story(struct story *t)
{
    struct scene *s = t->s;
    s->host.disk = DISK_COMMITS;
    host_advance(&s->host, 1);
    struct client *const editors[] = {s->ann, s->bob};
    for (size_t i = 0; i < COUNT(t->viewers); i++) {
        if (t->viewers[i]->session == NULL) come_back(t->viewers[i]);
        if (chance_below(&t->chance, 2) == 0) t->viewers[i]->stalled = false;
    }
    for (size_t i = 0; i < COUNT(editors); i++) {
        if (editors[i]->session->gesture.interaction != NULL) say_end(t, editors[i]);
    }
    host_advance(&s->host, 1);
    for (size_t i = 0; i < COUNT(t->viewers); i++) t->viewers[i]->stalled = false;
    host_advance(&s->host, 1);
    host_assert_equal(&s->host);
    for (size_t i = 0; i < COUNT(t->viewers); i++) assert_int_equal(previews_of(t->viewers[i]), 0);
}

static void tell_story(uint64_t seed)
{
    struct scene *s = calloc(1, sizeof *s);
    struct story t = {.s = s, .chance = seed};
    assert_non_null(s);
    open_scene(s);
    create_nodes(s, 2 * NODES, in_three, COUNT(in_three));
    t.viewers[0] = s->cleo;
    t.viewers[1] = s->dan;
    t.viewers[2] = client_join_as(&s->host, "mia", GZ_ROLE_VIEWER, true);
    t.viewers[3] = client_join_as(&s->host, "noa", GZ_ROLE_VIEWER, true);
    t.eve = client_join_as(&s->host, "eve", GZ_ROLE_EDITOR, true);
    if (chance_below(&t.chance, 2) == 0) t.delta_bytes = s->host.core->feed->delta_bytes = 3000;
    const uint64_t calm = 3 + 5 * chance_below(&t.chance, 3);
    for (size_t i = 0; i < STORY_STEPS; i++) {
        const uint64_t choice = chance_below(&t.chance, 20);
        if (choice < 9)
            drag_on(&t);
        else if (choice < 12)
            do_beside(&t);
        else if (choice < 18)
            do_viewer(&t);
        else if (choice < 19)
            s->host.core->slice_nodes =
                chance_below(&t.chance, 2) == 0 ? NODES / 4 : GZ_SLICE_NODES;
        else if (chance_below(&t.chance, 3) > 0)
            host_advance(&s->host, 0.2);
        else
            do_harm(&t);
        if (chance_below(&t.chance, calm) == 0) host_turn(&s->host);
        if (chance_below(&t.chance, calm) == 0) host_advance(&s->host, 1.0 / 30);
        if (chance_below(&t.chance, 3 * calm) == 0) {
            host_advance(&s->host, 0.01);
            is_near_now(&t);
        }
    }
    end_story(&t);
    close_scene(s);
    free(s);
}

TEST(test_motion_in_any_story)
{
    const uint64_t first = chance_seed(1), count = chance_count(4);
    for (uint64_t seed = first; seed < first + count; seed++) {
        print_message("seed %llu\n", (unsigned long long)seed);
        tell_story(seed);
    }
}
