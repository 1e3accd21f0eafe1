/* Poses from outside: hold, pose, release and cancel. Most of it is in stories/hold.txt; here is
 * what takes more than a sentence. */
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "proto/limits.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/story.h"

enum { MANY = GZ_MOTION_NODES_MIN + 20 };

/* Nodes in a row, in ids[]. */
static void make_many(struct client *client, uint64_t ids[MANY])
{
    struct gz_create_node nodes[MANY];
    for (size_t i = 0; i < MANY; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_T, .name = {"n", 1}};
        nodes[i].trs.t = (gz_vec3){(double)i, 0.1, 0};
    }
    const struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, MANY}};
    const struct gz_message *answer = client_ask(client, &create);
    assert_ok(answer);
    memcpy(ids, answer->ok.ids.ids, MANY * sizeof *ids);
}

static void hold_all(struct client *client, const uint64_t *ids, size_t count)
{
    const struct gz_message hold = {.op = GZ_OP_HOLD, .hold.nodes = {ids, count}};
    assert_ok(client_ask(client, &hold));
}

/* All of them by so much, but one by `odd` more. */
static void pose_all(struct client *client, const uint64_t ids[MANY], double by, double odd)
{
    struct gz_set_node nodes[MANY];
    for (size_t i = 0; i < MANY; i++) {
        nodes[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = ids[i]};
        nodes[i].trs.t = (gz_vec3){(double)i, 0.1 + by + (i == 7 ? odd : 0), 0};
    }
    const struct gz_message pose = {.op = GZ_OP_POSE, .pose = {.nodes = nodes, .count = MANY}};
    assert_ok(client_ask(client, &pose));
    host_turn(client->host);
}

static struct gz_gesture *hold_of(const struct client *client)
{
    return client->session->gesture.next;
}

/* Many nodes that are posed alike are one motion to who reads the packed form, until they are not;
 * all is exact in the end. */
STORY_TEST(test_hold_of_many_is_told_as_motions)
{
    static uint64_t ids[MANY];
    struct client *packed = client_join_as(s->host, "pat", GZ_ROLE_VIEWER, true),
                  *other = client_join_as(s->host, "kim", GZ_ROLE_VIEWER, false);
    make_many(s->a, ids);
    hold_all(s->a, ids, MANY);
    pose_all(s->a, ids, 1, 0);
    assert_non_null(hold_of(s->a)->parts);
    pose_all(s->a, ids, 2.5, 0);
    assert_non_null(hold_of(s->a)->parts);
    host_assert_equal(s->host);
    pose_all(s->a, ids, 3, 0.5); /* one goes its own way */
    assert_null(hold_of(s->a)->parts);
    assert_ok(ask_op(s->a, GZ_OP_RELEASE));
    host_assert_equal(s->host);
    assert_true(host_node(s->host, ids[7]).trs.t.y == 0.1 + 3 + 0.5);
    assert_true(host_node(s->host, ids[8]).trs.t.y == 0.1 + 3);
    (void)packed, (void)other;
}

STORY_TEST(test_hold_of_many_poses_a_part_of_them)
{
    static uint64_t ids[MANY];
    make_many(s->a, ids);
    hold_all(s->a, ids, MANY);
    pose_all(s->a, ids, 1, 0);
    struct gz_set_node one = {.has = GZ_HAS_SET_NODE_Z, .id = ids[3], .trs.t.z = 9};
    const struct gz_message pose = {.op = GZ_OP_POSE, .pose = {.nodes = &one, .count = 1}};
    assert_ok(client_ask(s->a, &pose));
    host_turn(s->host);
    host_assert_equal(s->host);
    const gz_vec3 at = host_node(s->host, ids[3]).trs.t;
    assert_true(at.x == 3 && at.y == 0.1 + 1 && at.z == 9);
    assert_ok(ask_op(s->a, GZ_OP_CANCEL));
    host_assert_equal(s->host);
    assert_true(host_node(s->host, ids[3]).trs.t.z == 0);
}

/* Of so many nodes the disk does not follow the hold; what is set of them it has all the same, even
 * if it was posed just there. */
STORY_TEST(test_hold_of_many_keeps_what_is_set_through_a_crash)
{
    static uint64_t ids[MANY];
    make_many(s->a, ids);
    hold_all(s->a, ids, MANY);
    pose_all(s->a, ids, 1, 0);
    host_advance(s->host, 0.1);
    struct gz_set_node set = {
        .has = GZ_HAS_SET_NODE_T, .id = ids[3], .trs.t = host_node(s->host, ids[3]).trs.t};
    const struct gz_message message = {.op = GZ_OP_SET, .set = {&set, 1, 0}};
    const struct gz_message *answer = client_ask(s->a, &message);
    assert_ok(answer);
    assert_true((answer->has & GZ_HAS_OK_EDIT) != 0);
    host_restart(s->host, false);
    assert_true(host_node(s->host, ids[3]).trs.t.y == 0.1 + 1);
    assert_true(host_node(s->host, ids[4]).trs.t.y == 0.1);
}

STORY_TEST(test_holds_of_a_session_are_bounded)
{
    uint64_t ids[GZ_HOLDS_MAX + 1];
    for (size_t i = 0; i <= GZ_HOLDS_MAX; i++) {
        ids[i] = create_node(s->a, "one", 0, 0, 0, 0);
        const struct gz_message hold = {.op = GZ_OP_HOLD, .hold = {i * 1000, {&ids[i], 1}, true}};
        const struct gz_message *answer = client_ask(s->a, &hold);
        if (i < GZ_HOLDS_MAX)
            assert_ok(answer);
        else
            assert_refused(answer, GZ_TOO_MANY);
    }
    host_turn(s->host);
    assert_int_equal(s->a->session->presence.user.locks.count, GZ_HOLDS_MAX);
    for (size_t i = 0; i < GZ_HOLDS_MAX; i += 2) {
        const struct gz_message release = {.op = GZ_OP_RELEASE, .pose.hold = i * 1000};
        assert_ok(client_ask(s->a, &release));
    }
    assert_int_equal(s->a->session->presence.user.locks.count, GZ_HOLDS_MAX / 2);
    hold_all(s->a, &ids[0], 1); /* a number that is free again */
}

/* A later pose of another hold does not hide the acknowledgement of an earlier one. */
STORY_TEST(test_poses_are_acknowledged_for_each_hold)
{
    const uint64_t other = create_node(s->a, "other", 0, 0, 0, 0);
    const struct gz_message holds[] = {{.op = GZ_OP_HOLD, .hold = {1, {&s->node, 1}, true}},
                                       {.op = GZ_OP_HOLD, .hold = {2, {&other, 1}, true}}};
    struct gz_set_node at = {.has = GZ_HAS_SET_NODE_X, .trs.t.x = 3};
    struct gz_message pose = {.op = GZ_OP_POSE, .has = GZ_HAS_POSE_N};
    client_come_as(s->watcher, false);
    for (size_t i = 0; i < COUNT(holds); i++) assert_ok(client_ask(s->a, &holds[i]));
    for (uint64_t n = 41; n <= 42; n++) {
        at.id = n == 41 ? s->node : other;
        pose.pose = (struct gz_pose_message){.hold = n - 40, .nodes = &at, .count = 1, .n = n};
        client_say(s->a, &pose);
    }
    host_turn(s->host);
    const struct gz_delta *delta = &client_last(s->watcher, GZ_OP_DELTA)->delta;
    assert_int_equal(delta->ack_count, 2);
    assert_int_equal(delta->acks[0].n + delta->acks[1].n, 41 + 42);
    assert_int_equal(delta->acks[0].session, s->a->id);
}

/* The end of a hold is acknowledged as a pose is, whether it moved anything or not. */
STORY_TEST(test_ends_of_holds_are_acknowledged)
{
    static const struct {
        enum gz_op op;
        bool moves;
    } rows[] = {
        {GZ_OP_RELEASE, true}, {GZ_OP_RELEASE, false}, {GZ_OP_CANCEL, true}, {GZ_OP_CANCEL, false}};
    client_come_as(s->watcher, false);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct gz_set_node at = {
            .has = GZ_HAS_SET_NODE_X, .id = s->node, .trs.t.x = 3 + (double)i};
        const struct gz_message pose = {.op = GZ_OP_POSE, .pose = {.nodes = &at, .count = 1}},
                                end = {.op = rows[i].op, .has = GZ_HAS_POSE_N, .pose.n = 41 + i};
        hold_all(s->a, &s->node, 1);
        if (rows[i].moves) assert_ok(client_ask(s->a, &pose));
        host_turn(s->host);
        assert_ok(client_ask(s->a, &end));
        host_turn(s->host);
        const struct gz_delta *delta = &client_last(s->watcher, GZ_OP_DELTA)->delta;
        assert_int_equal(delta->ack_count, 1);
        assert_int_equal(delta->acks[0].n, 41 + i);
    }
}

/* Who comes later is told of no acknowledgement that one who left was owed. */
STORY_TEST(test_acknowledgements_of_all_holds_end_with_their_session)
{
    for (uint64_t i = 1; i <= 3; i++) {
        const uint64_t id = create_node(s->a, "one", 0, 0, 0, 0);
        const struct gz_message hold = {.op = GZ_OP_HOLD, .hold = {i, {&id, 1}, true}};
        const struct gz_set_node at = {.has = GZ_HAS_SET_NODE_X, .id = id, .trs.t.x = 3};
        const struct gz_message pose = {
            .op = GZ_OP_POSE, .has = GZ_HAS_POSE_N, .pose = {i, &at, 1, i}};
        assert_ok(client_ask(s->a, &hold));
        assert_ok(client_ask(s->a, &pose));
    }
    host_turn(s->host);
    client_leave(s->a);
    struct client *later = client_join_as(s->host, "pat", GZ_ROLE_VIEWER, false);
    host_turn(s->host);
    assert_int_equal(client_last(later, GZ_OP_DELTA)->delta.ack_count, 0);
}

int main(void)
{
    return stories_run("hold.txt");
}
