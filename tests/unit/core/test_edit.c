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
