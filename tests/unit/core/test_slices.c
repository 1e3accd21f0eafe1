/* What takes long with 100,000 nodes is done in slices: no turn looks at more nodes than a slice
 * has, others are served between two of them, and what comes out is what one go would give: for a
 * rectangle, for interests, for the gizmo of many groups. A turn reads one large frame. Requests
 * from before somebody leaves or stops in the middle are done and answered. Large edits are told in
 * pieces, and snapshots and frames for one session alone in turns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "core/work.h"
#include "scene/bounds_index.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define NODES GZ_NODES_MAX
/* For what is the same in a scene of a tenth of that, with slices of a tenth. */
#define FEW (NODES / 10)

struct scene {
    struct host host;
    size_t nodes;
    struct client *a, *b; /* an editor, which takes no frames, and a viewer */
};

/* Roots beyond z = -1000, a hundred in a row. */
static void create_nodes(struct scene *s, size_t count)
{
    struct gz_create_node *nodes = calloc(count, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < count; i++, s->nodes++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_T, .name = {"n", 1}};
        nodes[i].trs.t = (gz_vec3){(double)(i % 100) - 50, 0, -1000 - (double)(s->nodes / 100)};
    }
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, count}};
    client_say(s->a, &create);
    host_turn(&s->host);
    free(nodes);
}

static void open_scene(struct scene *s)
{
    *s = (struct scene){.nodes = 0};
    host_init_limited(&s->host, 1e6);
    s->host.core->slice_nodes = GZ_SLICE_NODES / 10;
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->a->stalled = true;
    create_nodes(s, FEW);
    s->b = client_enter(&s->host, "bob", GZ_ROLE_VIEWER, false);
    host_turn(&s->host);
    assert_int_equal(s->b->mirror.count, FEW);
    assert_ok(ask_camera(s->b, 10));
    client_forget(s->b);
}

static void make_large(struct scene *s)
{
    create_nodes(s, NODES - FEW);
    s->host.core->slice_nodes = GZ_SLICE_NODES;
    host_advance(&s->host, 1);
    client_forget(s->b);
}

CLOSE_SCENE_AS_USUAL

/* A turn, and what each client is sent after it. How many nodes of its slice it looked at. */
static size_t turn(struct scene *s)
{
    struct gz_core *core = s->host.core;
    gz_core_turn(core, s->host.now);
    size_t looked_at = core->slice_nodes - core->slice;
    client_read(s->b);
    host_settle(&s->host, true);
    return looked_at;
}

static const struct gz_message pick_all = {
    .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {-1e6, -1e6, 1e6, 1e6}};

/* All hits of the answer to `rid`, in the order in which they came; whether it is complete. */
static bool collect_hits(const struct client *client, uint64_t rid, struct gz_hit *hits,
                         size_t *count)
{
    bool is_complete = false;
    *count = 0;
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            const struct gz_message *message = &heard->messages[i];
            if (message->op != GZ_OP_OK || message->rid != rid) continue;
            assert_false(is_complete);
            assert_true(message->ok.hit_count <= GZ_HITS_PER_MESSAGE);
            memcpy(hits + *count, message->ok.hits, message->ok.hit_count * sizeof *hits);
            *count += message->ok.hit_count;
            is_complete = !message->ok.more;
        }
    }
    return is_complete;
}

SCENE_TEST(test_rectangle_is_picked_in_slices)
{
    struct gz_hit *sliced = calloc(NODES, sizeof *sliced), *whole = calloc(NODES, sizeof *whole);
    size_t sliced_count, whole_count, turns = 0, looked_at = 0;
    assert_true(sliced != NULL && whole != NULL);
    make_large(s);
    uint64_t rid = ask_later(s->b, pick_all);
    looked_at += s->host.core->slice_nodes - s->host.core->slice;
    for (; gz_session_has_work(s->b->session); turns++) looked_at += turn(s);
    assert_true(looked_at >= NODES && turns >= NODES / GZ_SLICE_NODES - 1);
    host_turn(&s->host);
    assert_true(collect_hits(s->b, rid, sliced, &sliced_count));
    s->host.core->slice_nodes = SIZE_MAX;
    host_turn(&s->host);
    rid = ask_later(s->b, pick_all);
    assert_false(gz_session_has_work(s->b->session));
    host_turn(&s->host);
    assert_true(collect_hits(s->b, rid, whole, &whole_count));
    assert_int_equal(sliced_count, NODES);
    assert_int_equal(whole_count, NODES);
    assert_memory_equal(sliced, whole, NODES * sizeof *whole);
    for (size_t i = 1; i < NODES; i++) assert_true(gz_hit_compare(&whole[i - 1], &whole[i]) < 0);
    free(sliced);
    free(whole);
}

/* Between two slices others are answered; what the session itself asks later is answered later. */
SCENE_TEST(test_others_are_served_between_two_slices)
{
    static const struct gz_message ping = {.op = GZ_OP_PING};
    struct client *c = client_enter(&s->host, "cleo", GZ_ROLE_VIEWER, false);
    struct gz_hit *hits = calloc(FEW, sizeof *hits);
    size_t count;
    while (client_read_one(c)) continue;
    uint64_t rid = ask_later(s->b, pick_all), own = ask_later(s->b, ping),
             other = ask_later(c, ping);
    assert_true(gz_session_is_full(s->b->session));
    (void)turn(s);
    assert_true(gz_session_has_work(s->b->session));
    client_read(c);
    assert_non_null(client_answer(c, other));
    assert_null(client_answer(s->b, own));
    while (client_answer(s->b, own) == NULL) (void)turn(s);
    assert_true(collect_hits(s->b, rid, hits, &count));
    assert_int_equal(count, FEW);
    assert_false(gz_session_is_full(s->b->session));
    free(hits);
}

/* Sessions take turns: the second that asks does not wait for the end of the first one's work. */
SCENE_TEST(test_two_at_work_take_turns)
{
    struct client *c = client_enter(&s->host, "cleo", GZ_ROLE_VIEWER, false);
    assert_ok(ask_camera(c, 10));
    client_forget(c);
    (void)ask_later(s->b, pick_all);
    struct gz_message few = pick_all;
    memcpy(few.pick.rect, (double[]){399, 299, 401, 301}, sizeof few.pick.rect);
    uint64_t rid = ask_later(c, few);
    while (client_answer(c, rid) == NULL) {
        assert_true(gz_session_has_work(s->b->session));
        (void)turn(s);
        client_read(c);
    }
    assert_true(gz_session_has_work(s->b->session));
}

/* However many ask between two turns: they have one slice together. */
SCENE_TEST(test_all_that_ask_between_two_turns_share_a_slice)
{
    enum { ASKERS = 4 };
    double charged = 0;
    struct client *askers[ASKERS];
    for (size_t i = 0; i < ASKERS; i++) {
        askers[i] =
            client_enter(&s->host, (const char[]){(char)('p' + i), 0}, GZ_ROLE_VIEWER, false);
        assert_ok(ask_camera(askers[i], 10));
    }
    host_turn(&s->host);
    for (size_t i = 0; i < ASKERS; i++) {
        double before = askers[i]->session->work.tokens;
        (void)ask_later(askers[i], pick_all);
        charged += before - askers[i]->session->work.tokens;
    }
    assert_true(charged > 0);
    charged -= ASKERS * (1 + messages(FEW / GZ_BOXES_PER_NODE)); /* each pick by itself */
    size_t slice = s->host.core->slice_nodes,
           most = slice + ASKERS * (1 + slice / GZ_SLICES_AT_ONCE);
    assert_true(charged <= messages(most));
}

/* What is looked at while a frame is read is not looked at once more in the turn that follows, but
 * for the quarter that brings older work to its end. */
SCENE_TEST(test_reading_takes_from_the_slice_of_the_turn)
{
    const size_t slice = s->host.core->slice_nodes;
    host_turn(&s->host);
    double before = s->b->session->work.tokens;
    (void)ask_later(s->b, pick_all);
    (void)turn(s);
    double charged = before - s->b->session->work.tokens - messages(FEW / GZ_BOXES_PER_NODE) - 1;
    assert_true(gz_session_has_work(s->b->session));
    assert_true(charged >= messages(slice));
    assert_true(charged < messages(slice + slice / 4 + 2));
}

SCENE_TEST(test_session_leaves_in_the_middle)
{
    (void)ask_later(s->b, pick_all);
    (void)ask_later(s->b, pick_all);
    (void)turn(s);
    assert_true(gz_session_has_work(s->b->session));
    client_leave(s->b);
    host_turn(&s->host);
    assert_false(isinf(gz_core_deadline(s->host.core)) && gz_core_deadline(s->host.core) < 0);
}

static void delete_nodes(struct scene *s, uint64_t first, size_t count)
{
    uint64_t *ids = calloc(count, sizeof *ids);
    assert_non_null(ids);
    for (size_t i = 0; i < count; i++) ids[i] = first + i;
    (void)ask_later(s->a, (struct gz_message){.op = GZ_OP_DELETE, .remove = {ids, count}});
    free(ids);
}

/* Makes nodes and deletes them until tombstones are forgotten; the nodes of before stay. */
static void forget_tombstones(struct scene *s)
{
    const size_t count = GZ_TOMBSTONES_MAX / 2 + 1;
    for (int i = 0; i < 2; i++) {
        uint64_t first = gz_scene_next_id(s->host.core->scene);
        create_nodes(s, count);
        delete_nodes(s, first, count);
        host_turn(&s->host);
    }
    create_nodes(s, 1);
    delete_nodes(s, gz_scene_next_id(s->host.core->scene) - 1, 1);
    host_turn(&s->host);
    assert_true(gz_scene_forgotten(s->host.core->scene) > 0);
}

/* Boxes that are older than a tombstone that was forgotten are found once, and not in each slice
 * anew; and the nodes that are looked at stay, although with each turn another one's tombstone is
 * forgotten. */
SCENE_TEST(test_look_ends_although_tombstones_are_forgotten)
{
    const size_t slice = s->host.core->slice_nodes;
    struct gz_hit *hits = calloc(FEW, sizeof *hits);
    size_t count, turns = 0;
    forget_tombstones(s);
    uint64_t rid = ask_later(s->b, pick_all), gone = 1;
    for (; gz_session_has_work(s->b->session); turns++) {
        (void)ask_later(s->a, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&gone, 1}});
        gone++;
        (void)turn(s);
        assert_true(turns < 3 * (2 * FEW + GZ_TOMBSTONES_MAX) / slice);
    }
    host_turn(&s->host);
    assert_true(collect_hits(s->b, rid, hits, &count));
    assert_true(count >= FEW - turns && count < FEW);
    free(hits);
}

static void set_tokens(struct scene *s, double messages)
{
    s->b->session->work.tokens = messages;
    s->b->session->work.counted_s = s->host.now.mono_s;
}

static void assert_all_are_charged(const struct scene *s, double before)
{
    assert_true(before - s->b->session->work.tokens >= messages(FEW));
}

static void move_root(struct scene *s, uint64_t root, double x)
{
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = root, .trs.t = {x, 0, 0}};
    (void)ask_later(s->a,
                    (struct gz_message){.op = GZ_OP_SET, .set = {.nodes = &node, .count = 1}});
}

static uint64_t hang_all(struct scene *s)
{
    uint64_t root = gz_scene_next_id(s->host.core->scene);
    create_nodes(s, 1);
    struct gz_set_node *nodes = calloc(FEW, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < FEW; i++)
        nodes[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_PARENT, .id = i + 1, .parent = root};
    (void)ask_later(s->a,
                    (struct gz_message){.op = GZ_OP_SET, .set = {.nodes = nodes, .count = FEW}});
    host_turn(&s->host);
    free(nodes);
    return root;
}

/* A branch that moved is looked at in one go, and paid for by whoever asks what is where. */
SCENE_TEST(test_branch_that_moved_is_charged)
{
    struct gz_message few = pick_all;
    memcpy(few.pick.rect, (double[]){0, 0, 1, 1}, sizeof few.pick.rect);
    uint64_t root = hang_all(s);
    (void)ask_later(s->b, pick_all);
    host_turn(&s->host);
    host_advance(&s->host, 10);
    move_root(s, root, 1e7); /* out of sight */
    set_tokens(s, 10);
    (void)ask_later(s->b, few);
    while (gz_session_has_work(s->b->session)) (void)turn(s);
    assert_all_are_charged(s, 10);
}

/* Whoever follows a part pays for the look at what moves, and waits for its frames while it is in
 * debt; then it is sent what all of that came to. */
SCENE_TEST(test_follower_of_a_part_pays_for_what_moves)
{
    struct gz_message interest = {.op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_BOX};
    interest.interest.box = (gz_box){{-1, -1, -1001}, {1, 1, 1}};
    uint64_t root = hang_all(s);
    (void)ask_later(s->b, interest);
    host_advance(&s->host, 10);
    client_forget(s->b);
    set_tokens(s, 1);
    move_root(s, root, 0.25);
    (void)turn(s);
    assert_non_null(client_last(s->b, GZ_OP_DELTA));
    client_forget(s->b);
    assert_all_are_charged(s, 1);
    move_root(s, root, 0.5);
    (void)turn(s);
    assert_null(client_last(s->b, GZ_OP_DELTA));
    double due_s = gz_core_deadline(s->host.core);
    assert_true(due_s > s->host.now.mono_s);
    host_advance(&s->host, due_s - s->host.now.mono_s);
    assert_non_null(client_last(s->b, GZ_OP_DELTA));
}

static uint64_t say_move(struct client *client, double x)
{
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = 1, .trs.t = {x, 0, 0}};
    return ask_later(client,
                     (struct gz_message){.op = GZ_OP_SET, .set = {.nodes = &node, .count = 1}});
}

/* An editor who asked for all nodes, for an edit after that, and for all once more. */
static struct client *ask_in_a_row(struct scene *s, uint64_t rids[3])
{
    struct client *c = client_join(&s->host, "cleo", GZ_ROLE_EDITOR);
    assert_ok(ask_camera(c, 10));
    client_forget(c);
    rids[0] = ask_later(c, pick_all);
    rids[1] = say_move(c, 7);
    rids[2] = ask_later(c, pick_all);
    (void)turn(s);
    assert_true(host_node(&s->host, 1).trs.t.x != 7);
    return c;
}

/* What was asked before a scene goes is answered before it does. */
SCENE_TEST(test_freeze_in_the_middle)
{
    struct gz_hit *hits = calloc(FEW, sizeof *hits);
    uint64_t rids[3];
    struct client *c = ask_in_a_row(s, rids);
    gz_core_freeze(s->host.core, "the scene is renamed", s->host.now);
    assert_false(gz_session_has_work(c->session));
    uint64_t late = say_move(c, 8);
    host_turn(&s->host);
    assert_true(gz_core_is_answered(s->host.core));
    for (int i = 0; i < 3; i += 2) {
        size_t count;
        assert_true(collect_hits(c, rids[i], hits, &count));
        assert_int_equal(count, FEW);
    }
    assert_ok(client_answer(c, rids[1]));
    assert_refused(client_answer(c, late), GZ_BAD_STATE);
    assert_true(host_node(&s->host, 1).trs.t.x == 7);
    free(hits);
}

/* Or done, if nobody is there any more to be told. */
SCENE_TEST(test_end_of_all_in_the_middle)
{
    uint64_t rids[3];
    struct client *c = ask_in_a_row(s, rids);
    const struct gz_bye bye = {.reason = {"the end", 7}};
    gz_core_end_all(s->host.core, &bye, s->host.now);
    host_turn(&s->host);
    assert_non_null(gz_session_end_reason(c->session));
    assert_true(gz_core_is_stored(s->host.core));
    assert_true(host_node(&s->host, 1).trs.t.x == 7);
    for (struct client *client = s->host.clients; client != NULL; client = client->next)
        client_leave(client);
}

/* What waits is bounded: a client that goes on sending although it is not read is ended. */
SCENE_TEST(test_inbox_is_bounded)
{
    static uint8_t bytes[64 * 1024];
    (void)ask_later(s->b, pick_all);
    for (size_t i = 0; i < GZ_INBOX_BYTES_MAX / sizeof bytes; i++)
        assert_true(client_say_bytes(s->b, bytes, sizeof bytes));
    assert_null(gz_session_end_reason(s->b->session));
    assert_true(client_say_bytes(s->b, bytes, 1));
    assert_non_null(gz_session_end_reason(s->b->session));
    client_leave(s->b);
}

/* ---- interests ---- */

static size_t turns_until_whole(struct scene *s)
{
    size_t turns = 0;
    while (gz_session_has_work(s->b->session)) {
        assert_null(client_last(s->b, GZ_OP_DELTA));
        (void)turn(s);
        turns++;
    }
    assert_non_null(client_last(s->b, GZ_OP_DELTA)); /* the mirror has compared it */
    client_forget(s->b);
    return turns;
}

static void follow(struct scene *s, struct gz_message interest)
{
    (void)ask_later(s->b, interest);
    assert_true(turns_until_whole(s) >= NODES / GZ_SLICE_NODES);
}

SCENE_TEST(test_interest_is_found_in_slices)
{
    make_large(s);
    struct gz_message interest = {.op = GZ_OP_INTEREST};
    interest.has = GZ_HAS_INTEREST_BOX;
    interest.interest.box = (gz_box){{-1e4, -1, -1500}, {1e4, 1, 1}};
    follow(s, interest);
    assert_true(s->b->mirror.count > NODES / 3 && s->b->mirror.count < 2 * NODES / 3);
    interest.has = GZ_HAS_INTEREST_VIEW;
    interest.interest.view = true;
    follow(s, interest);
    follow(s, (struct gz_message){.op = GZ_OP_INTEREST});
    host_turn(&s->host);
    assert_int_equal(s->b->mirror.count, NODES);
}

/* Nodes come into the part, leave it, go and are made while it is looked for. */
SCENE_TEST(test_scene_changes_between_two_slices)
{
    struct gz_message interest = {.op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_BOX};
    interest.interest.box = (gz_box){{-1e4, -1, -1500}, {1e4, 1, 1}};
    (void)ask_later(s->b, interest);
    size_t step = 0;
    for (; gz_session_has_work(s->b->session); step++) {
        uint64_t id = 1 + step * 97;
        struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = id};
        node.trs.t.z = step % 2 == 0 ? 0 : -5000;
        struct gz_message set = {.op = GZ_OP_SET, .set = {.nodes = &node, .count = 1}};
        (void)ask_later(s->a, set);
        uint64_t gone = id + 1;
        (void)ask_later(s->a, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&gone, 1}});
        struct gz_create_node created = {.has = GZ_HAS_CREATE_NODE_T, .name = {"n", 1}};
        created.trs.t.z = step % 2 == 0 ? 0 : -5000;
        (void)ask_later(s->a, (struct gz_message){.op = GZ_OP_CREATE, .create = {&created, 1}});
        (void)turn(s);
    }
    assert_true(step >= FEW / s->host.core->slice_nodes);
    host_turn(&s->host);
    assert_non_null(client_last(s->b, GZ_OP_DELTA));
}

/* A camera that never rests does not keep the look for what it sees from coming to its end. */
SCENE_TEST(test_view_of_a_moving_camera_is_found)
{
    (void)ask_later(s->b, (struct gz_message){.op = GZ_OP_INTEREST,
                                              .has = GZ_HAS_INTEREST_VIEW,
                                              .interest.view = true});
    size_t whole = 0;
    for (int i = 0; i < 150; i++) {
        (void)ask_later(s->b, camera_message(10 + i % 7));
        s->host.now.mono_s += 0.011;
        (void)turn(s);
        const struct gz_message *delta = client_last(s->b, GZ_OP_DELTA);
        whole += delta != NULL && !delta->delta.more;
        client_forget(s->b);
    }
    assert_true(whole >= 2);
    host_advance(&s->host, 1);
}

/* ---- drags ---- */

static void say_pointer(struct client *client, enum gz_op op, enum gz_phase phase, double x)
{
    struct gz_message message = {.op = op,
                                 .has = GZ_HAS_POINTER_AT | GZ_HAS_POINTER_N,
                                 .pointer = {.phase = phase, .at = {x, 300}, .n = (uint64_t)x}};
    message.pointer.handle = GZ_TX;
    client_say(client, &message);
}

/* The editor takes hold of every node. */
static void grab_all(struct scene *s)
{
    uint64_t *ids = calloc(s->nodes, sizeof *ids);
    assert_non_null(ids);
    for (size_t i = 0; i < s->nodes; i++) ids[i] = i + 1;
    struct gz_message select = {.op = GZ_OP_SELECT, .select = {{ids, s->nodes}, GZ_HOW_SET}};
    client_say(s->a, &select);
    free(ids);
    const struct gz_message camera = {
        .op = GZ_OP_CAMERA,
        .camera = {.view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -10, 1},
                   .proj = {0.75, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0},
                   .viewport = {0, 0, 800, 600}}};
    client_say(s->a, &camera);
    say_pointer(s->a, GZ_OP_GRAB, GZ_PHASE_DOWN, 400);
    host_turn(&s->host);
    assert_int_equal(s->a->session->gesture.count, s->nodes);
}

static gz_vec3 motion_of(const struct scene *s)
{
    return s->a->session->gesture.course->motion.translation;
}

/* How many nodes are where this motion has them. */
static size_t count_at(const struct scene *s, gz_vec3 motion)
{
    size_t count = 0;
    for (uint64_t id = 1; id <= s->nodes; id++)
        count += gz_scene_find(s->host.core->scene, id)->trs.t.x ==
                 (double)((id - 1) % 100) - 50 + motion.x;
    return count;
}

/* Each turn moves a slice's worth. A pointer that comes meanwhile waits until the pass is over, and
 * only the latest is passed on; others are served. */
SCENE_TEST(test_drag_of_many_moves_in_slices)
{
    const size_t most = s->host.core->slice_nodes / GZ_SLICE_NODES_PER_POSE;
    grab_all(s);
    host_turn(&s->host);
    say_pointer(s->a, GZ_OP_POINTER, GZ_PHASE_MOVE, 430);
    const gz_vec3 first = motion_of(s);
    assert_int_equal(count_at(s, first), most);
    say_pointer(s->a, GZ_OP_POINTER, GZ_PHASE_MOVE, 470);
    say_pointer(s->a, GZ_OP_POINTER, GZ_PHASE_MOVE, 450);
    const gz_vec3 last = motion_of(s);
    assert_true(first.x > 0 && last.x > first.x);
    uint64_t rid = ask_later(s->b, (struct gz_message){.op = GZ_OP_PING});
    for (size_t moved = most; moved < FEW; moved = count_at(s, first)) {
        (void)turn(s);
        assert_in_range(count_at(s, first), moved, moved + most);
        assert_non_null(client_answer(s->b, rid));
    }
    while (count_at(s, last) < FEW) {
        size_t moved = count_at(s, last);
        (void)turn(s);
        assert_in_range(count_at(s, last), moved, moved + 2 * most);
        assert_int_equal(count_at(s, first) + count_at(s, last), FEW);
        assert_true(gz_session_has_work(s->a->session) || count_at(s, last) == FEW);
    }
    while (gz_session_has_work(s->a->session)) (void)turn(s);
    assert_int_equal(count_at(s, last), FEW);
    s->a->stalled = false;
}

/* It ends in the middle of a pass: every node is where the last pointer has it, or where it was. */
SCENE_TEST(test_drag_of_many_ends_in_the_middle)
{
    grab_all(s);
    say_pointer(s->a, GZ_OP_POINTER, GZ_PHASE_MOVE, 430);
    const gz_vec3 first = motion_of(s);
    (void)turn(s);
    say_pointer(s->a, GZ_OP_POINTER, GZ_PHASE_UP, 430);
    assert_int_equal(s->a->session->gesture.count, 0);
    assert_int_equal(count_at(s, first), FEW);
    host_advance(&s->host, 10);
    client_say(s->a, &(struct gz_message){.op = GZ_OP_UNDO});
    host_advance(&s->host, 10);
    assert_int_equal(count_at(s, (gz_vec3){0, 0, 0}), FEW);
    grab_all(s);
    say_pointer(s->a, GZ_OP_POINTER, GZ_PHASE_MOVE, 430);
    (void)turn(s);
    say_pointer(s->a, GZ_OP_POINTER, GZ_PHASE_CANCEL, 430);
    assert_int_equal(count_at(s, (gz_vec3){0, 0, 0}), FEW);
    s->a->stalled = false;
}

/* The wheel's turn is complete before what comes after it. */
SCENE_TEST(test_wheel_of_many_turns_in_slices)
{
    grab_all(s);
    say_pointer(s->a, GZ_OP_POINTER, GZ_PHASE_CANCEL, 400);
    client_say(s->a, &(struct gz_message){.op = GZ_OP_WHEEL, .wheel.dy = 1});
    client_say(s->a, &(struct gz_message){.op = GZ_OP_SELECT, .select.how = GZ_HOW_SET});
    const struct gz_session *session = s->a->session;
    size_t turns = 0;
    for (; session->selection.count > 0; turns++) {
        assert_true(gz_gesture_is_passing(&session->gesture));
        (void)turn(s);
    }
    assert_in_range(turns, FEW * GZ_SLICE_NODES_PER_POSE / s->host.core->slice_nodes - 1,
                    FEW * GZ_SLICE_NODES_PER_POSE / s->host.core->slice_nodes + 1);
    assert_int_equal(session->gesture.count, 0);
    s->a->stalled = false;
}

/* ---- large frames ---- */

static struct gz_message select_message(const uint64_t *ids, size_t count)
{
    return (struct gz_message){.op = GZ_OP_SELECT, .select = {{ids, count}, GZ_HOW_SET}};
}

/* Of those that come together one is read in a turn; what is small is read at once. */
SCENE_TEST(test_one_large_frame_is_read_in_a_turn)
{
    enum { ASKERS = 4 };
    struct client *askers[ASKERS];
    uint64_t ids[FEW], rids[ASKERS];
    for (size_t i = 0; i < FEW; i++) ids[i] = i + 1;
    for (size_t i = 0; i < ASKERS; i++)
        askers[i] =
            client_enter(&s->host, (const char[]){(char)('p' + i), 0}, GZ_ROLE_VIEWER, false);
    (void)turn(s);
    for (size_t i = 0; i < ASKERS; i++) rids[i] = ask_later(askers[i], select_message(ids, FEW));
    uint64_t pinged = ask_later(s->b, (struct gz_message){.op = GZ_OP_PING}),
             behind = ask_later(askers[1], (struct gz_message){.op = GZ_OP_PING});
    for (size_t turns = 0; turns < ASKERS; turns++) {
        for (size_t i = 0; i < ASKERS; i++) {
            assert_int_equal(askers[i]->session->selection.count, i <= turns ? FEW : 0);
            assert_int_equal(gz_session_is_full(askers[i]->session), i > turns);
        }
        (void)turn(s);
    }
    assert_non_null(client_answer(s->b, pinged));
    for (size_t i = 0; i < ASKERS; i++) {
        client_read(askers[i]);
        assert_ok(client_answer(askers[i], rids[i]));
    }
    assert_ok(client_answer(askers[1], behind));
}

/* A large frame is left where the slice ends, and goes on in the next turn. */
SCENE_TEST(test_large_frame_of_many_messages_is_read_in_slices)
{
    enum { SELECTS = 4 };
    struct gz_buffer bytes;
    uint64_t ids[FEW];
    const struct gz_session *session = s->b->session;
    for (size_t i = 0; i < FEW; i++) ids[i] = i + 1;
    gz_buffer_init(&bytes, GZ_MESSAGE_BYTES_MAX, 0);
    for (size_t i = 0; i < SELECTS; i++) {
        struct gz_message select = select_message(ids, FEW - i);
        assert_int_equal(gz_encode(&bytes, &select), GZ_OK);
    }
    (void)turn(s);
    assert_true(client_say_bytes(s->b, bytes.data, bytes.size));
    for (size_t i = 0; i < SELECTS; i++) {
        assert_int_equal(session->selection.count, FEW - i);
        (void)turn(s);
    }
    assert_false(gz_session_is_full(session));
    gz_buffer_finish(&bytes);
}

/* ---- large frames, and those for one session alone ---- */

enum { ASKERS = 4 };

/* Each turn hands out so many bytes of frames for these, and one frame more; how many turns that
 * takes. Others are answered in each. */
static size_t take_bounded_frames(struct scene *s, struct client *askers[ASKERS])
{
    struct gz_core *core = s->host.core;
    size_t turns = 0, waiting;
    do {
        uint64_t rid = ask_later(s->b, (struct gz_message){.op = GZ_OP_PING});
        (void)gz_core_turn(core, s->host.now);
        waiting = 0;
        for (size_t i = 0; i < ASKERS; i++) {
            askers[i]->stalled = false;
            client_read(askers[i]);
            waiting += askers[i]->session->frame_waits;
            assert_true(askers[i]->session->is_awake || !askers[i]->session->frame_waits);
        }
        client_read(s->b);
        assert_non_null(client_answer(s->b, rid));
        assert_in_range(core->told_bytes, 1, GZ_TOLD_BYTES_PER_TURN + GZ_MESSAGE_BYTES_MAX);
        assert_true(waiting == 0 || gz_core_deadline(core) <= s->host.now.mono_s);
        turns++;
    } while (waiting > 0);
    return turns;
}

static void enter_askers(struct scene *s, struct client *askers[ASKERS])
{
    for (size_t i = 0; i < ASKERS; i++)
        askers[i] =
            client_enter(&s->host, (const char[]){(char)('p' + i), 0}, GZ_ROLE_VIEWER, false);
    host_turn(&s->host);
    for (size_t i = 0; i < ASKERS; i++) askers[i]->stalled = true;
}

SCENE_TEST(test_answers_of_many_are_told_in_turns)
{
    struct client *askers[ASKERS];
    uint64_t rids[ASKERS];
    enter_askers(s, askers);
    for (size_t i = 0; i < ASKERS; i++)
        rids[i] =
            ask_later(askers[i], (struct gz_message){.op = GZ_OP_AT,
                                                     .has = GZ_HAS_AT_SEQ,
                                                     .at.seq = gz_scene_seq(s->host.core->scene)});
    host_turn(&s->host);
    assert_true(take_bounded_frames(s, askers) > ASKERS);
    for (size_t i = 0; i < ASKERS; i++) assert_ok(client_answer(askers[i], rids[i]));
}

SCENE_TEST(test_parts_of_many_are_told_in_turns)
{
    struct client *askers[ASKERS];
    struct gz_message far = {.op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_BOX}, all = far;
    far.interest.box = (gz_box){{-1, -1, 0}, {1, 1, 1}};
    all.interest.box = (gz_box){{-1e4, -1, -1e4}, {1e4, 1, 1}};
    enter_askers(s, askers);
    for (size_t i = 0; i < ASKERS; i++) {
        (void)ask_later(askers[i], far);
        askers[i]->stalled = false;
    }
    host_turn(&s->host);
    for (size_t i = 0; i < ASKERS; i++) {
        assert_int_equal(askers[i]->mirror.count, 0);
        askers[i]->stalled = true;
        (void)ask_later(askers[i], all);
    }
    host_turn(&s->host);
    assert_true(take_bounded_frames(s, askers) >= ASKERS);
    for (size_t i = 0; i < ASKERS; i++) assert_int_equal(askers[i]->mirror.count, FEW);
}

/* They come at once, so that the bytes of one are those of the others. */
SCENE_TEST(test_snapshots_of_many_are_told_in_turns)
{
    struct client *askers[ASKERS];
    for (size_t i = 0; i < ASKERS; i++)
        askers[i] =
            client_enter(&s->host, (const char[]){(char)('p' + i), 0}, GZ_ROLE_VIEWER, false);
    assert_true(take_bounded_frames(s, askers) > ASKERS);
    for (size_t i = 0; i < ASKERS; i++) {
        assert_int_equal(askers[i]->mirror.count, FEW);
        assert_true(askers[i]->mirror.deltas > 1);
    }
}

/* A host that has a line for them lets nobody be told out of turn. What is small is told to those
 * who lack nothing. */
SCENE_TEST(test_snapshots_are_told_when_the_host_lets_them)
{
    struct gz_core *core = s->host.core;
    struct client *late = client_enter(&s->host, "pia", GZ_ROLE_VIEWER, false);
    late->stalled = true;
    create_nodes(s, 1);
    gz_core_let_tell(core, false);
    assert_true(client_read_one(late)); /* the welcome */
    assert_int_equal(late->mirror.deltas, 0);
    assert_false(client_read_one(late));
    assert_true(gz_session_frame_waits(late->session));
    create_nodes(s, 1);
    assert_int_equal(s->b->mirror.count, FEW + 2);
    gz_core_let_tell(core, true);
    assert_true(client_read_one(late));
    assert_int_equal(late->mirror.deltas, 1);
    late->stalled = false;
}

/* What the slice has used up is not left for large frames, but for a quarter of them. */
SCENE_TEST(test_slice_and_large_frames_share_the_turn)
{
    struct gz_core *core = s->host.core;
    (void)turn(s);
    assert_int_equal(core->told_before, 0);
    (void)ask_later(s->b, pick_all);
    gz_core_turn(core, s->host.now);
    assert_int_equal(core->slice, 0);
    assert_int_equal(core->told_before, GZ_TOLD_BYTES_PER_TURN / 4 * 3);
    assert_true(gz_core_may_tell(core));
    gz_core_let_tell(core, false);
    assert_false(gz_core_may_tell(core));
    gz_core_let_tell(core, true);
    assert_int_equal(core->told_bytes, core->told_before);
    while (gz_session_has_work(s->b->session)) (void)turn(s);
}

/* So much of a slice that others have used up before. */
static void turn_with(struct scene *s, double part)
{
    gz_core_grant(s->host.core, part);
    gz_core_turn(s->host.core, s->host.now);
}

/* With a half of it; without any, while a message that needs none is answered; with all of it. */
SCENE_TEST(test_turn_has_what_is_granted)
{
    static const struct gz_message ping = {.op = GZ_OP_PING};
    struct gz_core *core = s->host.core;
    const size_t slice = core->slice_nodes, half = GZ_TOLD_BYTES_PER_TURN / 2;
    turn_with(s, 0.5);
    assert_true(core->slice == slice / 2 && core->told_before == half);
    assert_true(gz_core_left(core) == 0.5);
    core->told_bytes += half / 2;
    assert_true(gz_core_left(core) == 0.25);
    (void)ask_later(s->b, pick_all);
    turn_with(s, 0.5);
    assert_true(core->slice == 0 && core->told_before == half + half / 4 * 3);
    turn_with(s, 0);
    assert_true(core->slice == 0 && gz_core_left(core) == 0);
    assert_false(gz_core_may_tell(core));
    assert_true(gz_session_has_work(s->b->session));
    uint64_t rid = ask_later(s->a, ping);
    while (client_read_one(s->a)) continue;
    assert_ok(client_answer(s->a, rid));
    while (gz_session_has_work(s->b->session)) turn_with(s, 1);
}

/* The scan of all boxes takes a part of the slice: of looks that are asked for together the later
 * ones begin in later turns. */
SCENE_TEST(test_look_begins_when_the_slice_has_room)
{
    struct gz_core *core = s->host.core;
    struct client *c = client_enter(&s->host, "cleo", GZ_ROLE_VIEWER, false);
    struct gz_hit *hits = calloc(FEW, sizeof *hits);
    size_t count;
    assert_non_null(hits);
    assert_ok(ask_camera(c, 10));
    (void)turn(s);
    uint64_t first = ask_later(s->b, pick_all);
    assert_int_equal(core->slice, 0);
    uint64_t second = ask_later(c, pick_all);
    assert_true(core->slice > 0 && !gz_look_fits(core->scene, core->slice));
    assert_true(gz_session_has_work(c->session));
    host_turn(&s->host);
    assert_true(collect_hits(s->b, first, hits, &count) && count == FEW);
    assert_true(collect_hits(c, second, hits, &count) && count == FEW);
    free(hits);
}

/* ---- gizmos of many nodes ---- */

static const struct gz_message by_bounds = {
    .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE, .tool.mode = GZ_MODE_BOUNDS};

/* Nodes with bounds, each below the next of these parents, or all below the first. */
static void create_below(struct scene *s, const uint64_t *parents, size_t count, bool all_below)
{
    struct gz_create_node *nodes = calloc(count, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < count; i++) {
        nodes[i] =
            (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_PARENT | GZ_HAS_CREATE_NODE_BOUNDS,
                                    .name = {"n", 1},
                                    .parent = parents[all_below ? 0 : i],
                                    .trs = {{(double)i, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
        nodes[i].bounds = (gz_box){{-1, -1, -1}, {1, 2, 3}};
    }
    (void)ask_later(s->a, (struct gz_message){.op = GZ_OP_CREATE, .create = {nodes, count}});
    host_turn(&s->host);
    free(nodes);
}

/* Has the gizmo on what is selected computed in slices, and in one go: the seats are the same.
 * Returns how many turns the look took. */
static size_t stand_in_slices(struct scene *s)
{
    const size_t slice = s->host.core->slice_nodes;
    struct gz_session *session = s->a->session;
    size_t looks = 0;
    do assert_in_range(turn(s), 0, slice);
    while (looks++ < FEW && gz_pivot_frame_is_looking(&session->stand));
    const struct gz_seat sliced = *session->standing.seat;
    memset(session->standing.seat, 0, sizeof sliced);
    session->standing.is_known = false;
    session->groups.count = 0;
    session->shown.stale = true;
    s->host.core->slice_nodes = SIZE_MAX;
    host_turn(&s->host);
    s->host.core->slice_nodes = slice;
    assert_memory_equal(session->standing.seat, &sliced, sizeof sliced);
    return looks;
}

/* Looking up the selected nodes, which of them are below others, and the groups among them. */
SCENE_TEST(test_gizmo_of_many_groups_is_found_in_slices)
{
    enum { GROUPS = FEW / 2 };
    const size_t slice = s->host.core->slice_nodes;
    uint64_t ids[2 * GROUPS];
    for (size_t i = 0; i < 2 * GROUPS; i++) ids[i] = i < GROUPS ? i + 1 : FEW + 1 + i - GROUPS;
    create_below(s, ids, GROUPS, false);
    client_say(s->a, &by_bounds);
    struct gz_message select = select_message(ids, 2 * GROUPS);
    client_say(s->a, &select);
    /* Each selected node twice, and the two of each group; one turn to begin. */
    assert_in_range(stand_in_slices(s), 6 * GROUPS / slice, 6 * GROUPS / slice + 4);
    assert_int_equal(s->a->session->standing.seat->count, GROUPS);
    assert_true(s->a->session->standing.seat->has_bounds);
    s->a->stalled = false;
}

/* The box of one group is interrupted where the slice ends. */
SCENE_TEST(test_gizmo_of_a_large_group_is_found_in_slices)
{
    const uint64_t group = 1;
    const size_t slice = s->host.core->slice_nodes;
    create_below(s, &group, FEW, true);
    client_say(s->a, &by_bounds);
    struct gz_message select = select_message(&group, 1);
    client_say(s->a, &select);
    assert_in_range(stand_in_slices(s), FEW / slice, FEW / slice + 3);
    assert_true(s->a->session->standing.seat->has_bounds);
    s->a->stalled = false;
}

/* The way up from nodes that have none of the others above them is walked once. */
SCENE_TEST(test_gizmo_of_many_nodes_of_a_group_is_found_in_slices)
{
    const uint64_t group = 1;
    const size_t slice = s->host.core->slice_nodes;
    uint64_t ids[FEW];
    for (size_t i = 0; i < FEW; i++) ids[i] = FEW + 1 + i;
    create_below(s, &group, FEW, true);
    struct gz_message select = select_message(ids, FEW);
    client_say(s->a, &select);
    assert_in_range(stand_in_slices(s), 2 * FEW / slice, 2 * FEW / slice + 3);
    assert_int_equal(s->a->session->standing.seat->count, FEW);
    s->a->stalled = false;
}

/* Of the nodes that are being looked at one goes elsewhere and another is deleted: the gizmo is
 * that of what is left. */
SCENE_TEST(test_gizmo_of_a_group_that_changes_meanwhile)
{
    const uint64_t group = 1, elsewhere = 2;
    struct client *other = client_join(&s->host, "cleo", GZ_ROLE_EDITOR);
    create_below(s, &group, FEW, true);
    client_say(s->a, &by_bounds);
    const uint64_t ids[] = {group, elsewhere, 3};
    struct gz_message select = select_message(ids, COUNT(ids));
    client_say(s->a, &select);
    const struct gz_session *session = s->a->session;
    for (int i = 0; i < 3; i++) (void)turn(s);
    assert_non_null(session->groups.at);
    assert_int_equal(session->groups.at->parent->id, group);
    struct gz_set_node moved = {
        .has = GZ_HAS_SET_NODE_PARENT, .id = session->groups.at->id, .parent = elsewhere};
    (void)ask_later(other, (struct gz_message){.op = GZ_OP_SET, .set = {&moved, 1}});
    for (size_t i = 0; i < 2 * FEW / s->host.core->slice_nodes; i++) (void)turn(s);
    (void)ask_later(other, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&ids[2], 1}});
    host_advance(&s->host, 5);
    (void)stand_in_slices(s);
    assert_int_equal(session->selection.count, 2);
    assert_int_equal(session->standing.seat->count, 2);
    s->a->stalled = false;
}

SCENE_TEST(test_gizmos_of_many_share_the_slice)
{
    enum { SELECTORS = 3 };
    struct client *selectors[SELECTORS];
    uint64_t ids[FEW];
    for (size_t i = 0; i < FEW; i++) ids[i] = i + 1;
    struct gz_message select = select_message(ids, FEW);
    for (size_t i = 0; i < SELECTORS; i++) {
        const char user[] = {(char)('p' + i), '\0'};
        selectors[i] = client_join(&s->host, user, GZ_ROLE_EDITOR);
        selectors[i]->stalled = true;
    }
    for (size_t i = 0; i < SELECTORS; i++) (void)ask_later(selectors[i], select);
    size_t looked_at = 0, standing = 0, turns = 0;
    while (standing < SELECTORS) {
        const size_t before = looked_at;
        (void)turn(s);
        looked_at = standing = 0;
        for (size_t i = 0; i < SELECTORS; i++) {
            const struct gz_session *session = selectors[i]->session;
            const bool is_done = session->standing.seat != NULL;
            looked_at += is_done ? 2 * FEW : session->stand.named + session->stand.at;
            standing += is_done;
        }
        assert_in_range(looked_at - before, 0, s->host.core->slice_nodes);
        assert_true(turns++ < FEW);
    }
    for (size_t i = 0; i < SELECTORS; i++) {
        assert_int_equal(selectors[i]->session->standing.seat->count, FEW);
        selectors[i]->stalled = false;
    }
}

/* ---- answers of the past ---- */

/* The last edit made the most of the nodes. */
static size_t count_told(struct scene *s, bool is_brief)
{
    struct gz_message history = {
        .op = GZ_OP_HISTORY, .has = GZ_HAS_HISTORY_LIMIT, .history.limit = 1};
    if (is_brief) history.has |= GZ_HAS_HISTORY_CHANGES;
    uint64_t rid = ask_later(s->b, history), next = FEW + 1;
    size_t told = 0, most = is_brief ? GZ_EDIT_NODES_PER_MESSAGE : GZ_CHANGES_PER_MESSAGE;
    bool more = true;
    host_turn(&s->host);
    for (const struct heard *heard = s->b->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            const struct gz_message *message = &heard->messages[i];
            if (message->op != GZ_OP_OK || message->rid != rid) continue;
            const struct gz_edit_message *edit = &message->ok.edits[0];
            assert_true(more && message->ok.edit_count == 1 && edit->id == 2);
            assert_true(edit->nodes.count <= most);
            assert_int_equal(edit->change_count, is_brief ? 0 : edit->nodes.count);
            for (size_t k = 0; k < edit->nodes.count; k++)
                assert_int_equal(edit->nodes.ids[k], next++);
            told += edit->nodes.count;
            more = message->ok.more;
        }
    }
    assert_false(more);
    client_forget(s->b);
    return told;
}

SCENE_TEST(test_edit_of_many_nodes_is_told_in_pieces)
{
    make_large(s);
    assert_int_equal(count_told(s, false), NODES - FEW);
    assert_int_equal(count_told(s, true), NODES - FEW);
}
