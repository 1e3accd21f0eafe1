/* Direct edits: from the message to the disk and back, at everybody. Most of it is in
 * stories/edit.txt; here is what takes more than a sentence. */
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/story.h"

STORY_TEST(test_edit_refused_names_the_field_and_the_node)
{
    uint64_t arm = create_node(s->a, "arm", 0, 0, 0, 0),
             hand = create_node(s->a, "hand", arm, 1, 0, 0); /* 1 and 2 */
    struct gz_set_node set[2] = {
        {.has = GZ_HAS_SET_NODE_T, .id = hand},
        {.has = GZ_HAS_SET_NODE_PARENT, .id = arm, .parent = 77},
    };
    struct gz_message said = {.op = GZ_OP_SET, .set = {set, 2, 0}};
    assert_says(client_ask(s->a, &said), GZ_UNKNOWN_NODE,
                "set.nodes[1].parent: there is no node 77");
    set[1].parent = hand;
    assert_says(client_ask(s->a, &said), GZ_BAD_VALUE,
                "set.nodes[1].parent: node 1 would be below itself");

    struct gz_create_node create[2] = {
        {.name = {"a", 1}}, {.has = GZ_HAS_CREATE_NODE_PARENT, .name = {"b", 1}, .parent = 55}};
    said = (struct gz_message){.op = GZ_OP_CREATE, .create = {create, 2}};
    assert_says(client_ask(s->a, &said), GZ_UNKNOWN_NODE,
                "create.nodes[1].parent: there is no node 55");
    create[1] = (struct gz_create_node){
        .has = GZ_HAS_CREATE_NODE_PARENT_REF, .name = {"b", 1}, .parent_ref = {"x", 1}};
    assert_says(client_ask(s->a, &said), GZ_BAD_VALUE,
                "create.nodes[1].parent: no earlier node of the message has this ref");
}

STORY_TEST(test_edit_too_deep_names_the_field)
{
    uint64_t below = 0;
    for (int depth = 0; depth < GZ_TREE_DEPTH_MAX; depth++)
        below = create_node(s->a, "n", below, 0, 0, 0);
    assert_says(ask_create(s->a, "n", below, NULL), GZ_TOO_MANY,
                "create.nodes[0].parent: the hierarchy at node 257 is deeper than 256");
}

STORY_TEST(test_past_history_tells_changes)
{
    uint64_t id = create_node(s->a, "one", 0, 0, 0, 0);
    assert_ok(ask_move(s->b, id, 7, 0, 0));
    struct gz_message history = {.op = GZ_OP_HISTORY,
                                 .has = GZ_HAS_HISTORY_NODE | GZ_HAS_HISTORY_LIMIT,
                                 .history = {.node = id, .limit = 10}};
    const struct gz_message *ok = client_ask(s->watcher, &history);
    assert_ok(ok);
    assert_int_equal(ok->ok.edit_count, 2);
    const struct gz_edit_message *newest = &ok->ok.edits[0];
    assert_int_equal(newest->kind, GZ_EDIT_SET);
    assert_int_equal(newest->changes[0].before.has & ~GZ_HAS_CREATE_NODE_T, 0);
    assert_true(newest->changes[0].before.trs.t.x == 0 && newest->changes[0].after.trs.t.x == 7);
    assert_int_equal(ok->ok.edits[1].changes[0].has & GZ_HAS_CHANGE_BEFORE, 0);
}

STORY_TEST(test_past_questions_are_few)
{
    s->host->past_waits = true;
    for (int i = 0; i < GZ_QUERIES_PER_SESSION_MAX; i++)
        assert_null(ask_op(s->watcher, GZ_OP_HISTORY));
    assert_refused(ask_op(s->watcher, GZ_OP_HISTORY), GZ_TOO_MANY);
    client_leave(s->watcher);
    s->host->past_waits = false;
}

/* Who pages through the history by time asks for what ended before the last one told: no two may
 * end at one moment. */
STORY_TEST(test_edits_of_one_turn_end_at_moments_of_their_own)
{
    struct client *client = s->a;
    uint64_t id = create_node(client, "a", 0, 0, 0, 0);
    for (int i = 1; i <= 5; i++) {
        struct gz_set_node node = {.id = id, .has = GZ_HAS_SET_NODE_T, .trs.t = {i, 0, 0}};
        client_say(client, &(struct gz_message){.op = GZ_OP_SET, .set = {&node, 1, 0}});
    }
    host_turn(s->host);
    double last = 0;
    int edits = 0;
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            if (heard->messages[i].op != GZ_OP_EDIT) continue;
            assert_true(heard->messages[i].edit.ended > last);
            last = heard->messages[i].edit.ended;
            edits++;
        }
    }
    assert_int_equal(edits, 6); /* the creation too */
}

int main(void)
{
    return stories_run("edit.txt");
}

/* ---- another parent, the same place in the world ---- */

static gz_affine world_of(struct scene *s, uint64_t id)
{
    gz_affine world = gz_affine_identity;
    for (; id != 0; id = host_node(s->host, id).parent) {
        const gz_trs trs = host_node(s->host, id).trs;
        const gz_affine local = gz_affine_from_trs(&trs);
        world = gz_affine_multiply(&local, &world);
    }
    return world;
}

static void assert_same_place(const gz_affine *was, const gz_affine *is)
{
    double a[16], b[16];
    gz_affine_to_matrix(was, a);
    gz_affine_to_matrix(is, b);
    for (int i = 0; i < 16; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-12)) fail_msg("number %d: %g, was %g", i, b[i], a[i]);
}

static uint64_t create_at(struct scene *s, uint64_t parent, gz_trs trs)
{
    const struct gz_create_node node = {.has = GZ_HAS_CREATE_NODE_PARENT | GZ_HAS_CREATE_NODE_T |
                                               GZ_HAS_CREATE_NODE_R | GZ_HAS_CREATE_NODE_S,
                                        .name = {"n", 1},
                                        .parent = parent,
                                        .trs = trs};
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {&node, 1}};
    const struct gz_message *ok = client_ask(s->a, &message);
    assert_ok(ok);
    return ok->ok.ids.ids[0];
}

static const struct gz_message *hang(struct scene *s, const struct gz_set_node *nodes, size_t count)
{
    struct gz_message message = {.op = GZ_OP_SET, .set = {nodes, count, 0}};
    return client_ask(s->a, &message);
}

#define KEPT(id_, parent_)                                                                         \
    {                                                                                              \
        .has = GZ_HAS_SET_NODE_PARENT, .id = (id_), .parent = (parent_), .keep = true              \
    }

STORY_TEST(test_edit_keep_holds_the_place_in_the_world)
{
    const uint64_t from = create_at(s, 0, (gz_trs){{5, 0, 0}, {0, 0.6, 0, 0.8}, {2, 2, 2}}),
                   to = create_at(s, 0, (gz_trs){{0, 7, 1}, {0.6, 0, 0.8, 0}, {-3, 3, 3}}),
                   arm = create_at(s, from, (gz_trs){{1, 2, 3}, {0, 0, 0.8, 0.6}, {1, -2, 3}}),
                   hand = create_at(s, arm, (gz_trs){{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}});
    const gz_affine arm_was = world_of(s, arm), hand_was = world_of(s, hand);
    const gz_trs before = host_node(s->host, arm).trs;
    const struct gz_set_node below[] = {KEPT(arm, to)}, apart[] = {KEPT(hand, 0), KEPT(arm, hand)};
    assert_ok(hang(s, below, 1));
    assert_int_equal(host_node(s->host, arm).parent, to);
    gz_affine is = world_of(s, arm);
    assert_same_place(&arm_was, &is);
    is = world_of(s, hand);
    assert_same_place(&hand_was, &is); /* what is below moves with it: nowhere */

    /* Both in one message, in an order in which neither is done before the other. */
    assert_ok(hang(s, apart, 2));
    assert_int_equal(host_node(s->host, arm).parent, hand);
    is = world_of(s, arm);
    assert_same_place(&arm_was, &is);
    is = world_of(s, hand);
    assert_same_place(&hand_was, &is);

    struct gz_message undo = {.op = GZ_OP_UNDO};
    assert_ok(client_ask(s->a, &undo));
    assert_ok(client_ask(s->a, &undo));
    const gz_trs now = host_node(s->host, arm).trs;
    assert_true(gz_trs_same(&before, &now));
}

STORY_TEST(test_edit_keep_has_the_signs_of_the_scale)
{
    const uint64_t top = create_at(s, 0, (gz_trs){{1, 0, 0}, {0, 0.6, 0, 0.8}, {2, 2, 2}});
    static const gz_vec3 scales[] = {{-1, -1, 1}, {1, -1, 1}, {-1, -1, -1}, {1, 2, 3}};
    for (size_t i = 0; i < COUNT(scales); i++) {
        const uint64_t id = create_at(s, 0, (gz_trs){{0, 0, 0}, {0, 0, 0.6, 0.8}, scales[i]});
        const gz_affine was = world_of(s, id);
        const struct gz_set_node node[] = {KEPT(id, top)};
        assert_ok(hang(s, node, 1));
        const gz_affine is = world_of(s, id);
        assert_same_place(&was, &is);
        const gz_vec3 half = gz_scale(scales[i], 0.5), now = host_node(s->host, id).trs.s;
        assert_true(gz_length(gz_sub(half, now)) < 1e-12);
    }
}

STORY_TEST(test_edit_keep_where_numbers_cannot_hold_it)
{
    const gz_quat turn = {0, 0, 0.6, 0.8};
    const uint64_t long_one = create_at(s, 0, (gz_trs){{1, 0, 0}, {0, 0, 0, 1}, {4, 1, 1}}),
                   flat = create_at(s, 0, (gz_trs){{1, 0, 0}, {0, 0, 0, 1}, {4, 0, 1}}),
                   turned = create_at(s, 0, (gz_trs){{9, 8, 7}, turn, {1, 1, 1}}),
                   hidden = create_at(s, 0, (gz_trs){{9, 8, 7}, turn, {0, 0, 0}});
    const struct gz_set_node skewed[] = {KEPT(turned, long_one)}, none[] = {KEPT(hidden, long_one)},
                             lost[] = {KEPT(turned, flat)}, same[] = {KEPT(turned, long_one)};
    assert_ok(hang(s, skewed, 1));
    assert_ok(hang(s, none, 1));
    const gz_vec3 place = world_of(s, turned).origin, other = world_of(s, hidden).origin;
    assert_true(gz_length(gz_sub(place, (gz_vec3){9, 8, 7})) < 1e-12);
    assert_true(gz_length(gz_sub(other, (gz_vec3){9, 8, 7})) < 1e-12);
    assert_true(host_node(s->host, hidden).trs.r.z == 0.6);
    const struct gz_message *ok = hang(s, same, 1); /* it hangs there already */
    assert_ok(ok);
    assert_int_equal(ok->has & GZ_HAS_OK_EDIT, 0);
    assert_says(hang(s, lost, 1), GZ_BAD_VALUE,
                "set.nodes[0].keep: the new parent has a scale of 0 in the world");
    assert_int_equal(host_node(s->host, turned).parent, long_one);
}

STORY_TEST(test_edit_keep_that_means_nothing_is_refused)
{
    const gz_trs here = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const uint64_t top = create_at(s, 0, here), mid = create_at(s, top, here),
                   box = create_at(s, 0, here);
    const struct gz_set_node alone[] = {{.id = box, .keep = true}},
                             both[] = {{.has = GZ_HAS_SET_NODE_PARENT | GZ_HAS_SET_NODE_S,
                                        .id = box,
                                        .parent = mid,
                                        .trs = gz_trs_identity,
                                        .keep = true}},
                             moved[] = {KEPT(box, mid), {.has = GZ_HAS_SET_NODE_T, .id = top}},
                             circle[] = {KEPT(top, mid)};
    assert_says(hang(s, alone, 1), GZ_BAD_VALUE, "set.nodes[0].keep: needs a parent");
    assert_says(hang(s, both, 1), GZ_BAD_VALUE,
                "set.nodes[0].keep: takes the place of t, r, s and euler; give it alone");
    assert_says(hang(s, moved, 2), GZ_BAD_VALUE,
                "set.nodes[0].keep: the message moves the new parent, too");
    assert_says(hang(s, circle, 1), GZ_BAD_VALUE,
                "set.nodes[0].parent: node 1 would be below itself");
    assert_int_equal(host_node(s->host, box).parent, 0);
}
