/* A crowd: viewers are told of those alone that act. What a join costs all, who is told of whom and
 * when, how many are here, and the list of all. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/session.h"
#include "feed/state.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

/* Ann, who acts, and two who only watch: in either form. */
struct scene {
    struct host host;
    struct client *ann, *plain, *packed;
};

static struct client *come(struct host *host, const char *user, bool is_packed)
{
    return client_join_as(host, user, GZ_ROLE_EDITOR, is_packed);
}

static void open_scene_of(struct scene *s, size_t few)
{
    host_init(&s->host);
    s->host.core->feed->crowd.few = few;
    s->ann = come(&s->host, "ann", false);
    (void)create_node(s->ann, "part", 0, 0, 0, 0);
    s->plain = come(&s->host, "pia", false);
    s->packed = come(&s->host, "cleo", true);
    host_advance(&s->host, 1);
    client_forget(s->plain);
    client_forget(s->packed);
}

static void open_scene(struct scene *s)
{
    open_scene_of(s, 0);
}

CLOSE_SCENE_AS_USUAL

static bool knows(const struct client *client, uint64_t session)
{
    for (size_t i = 0; i < client->present_count; i++) {
        if (client->present[i].session == session) return true;
    }
    return false;
}

/* ---- what a join costs ---- */

/* What so many joins cost, all that everybody is sent, for each. */
static double bytes_of_joins(size_t count, bool plain)
{
    struct host host;
    size_t bytes = 0;
    host_init(&host);
    host.few = GZ_PRESENCE_FEW;
    host.core->feed->crowd.few = GZ_PRESENCE_FEW;
    for (size_t i = 0; i < count; i++) {
        char user[32];
        snprintf(user, sizeof user, "person %zu", i);
        host.plain = plain || i % 2 == 0;
        (void)client_enter(&host, user, GZ_ROLE_VIEWER, false);
        host_advance(&host, 0.001);
    }
    host_advance(&host, 10);
    for (const struct client *client = host.clients; client != NULL; client = client->next)
        bytes += client->bytes_heard;
    host_finish(&host);
    return (double)bytes / (double)count;
}

/* In the plain form, and where half of them read the other one. */
TEST(test_join_costs_the_same_however_many_are_here)
{
    for (int plain = 0; plain <= 1; plain++) {
        const double few = bytes_of_joins(60, plain != 0), many = bytes_of_joins(240, plain != 0);
        print_message("bytes a join of 60 and of 240: %.0f and %.0f\n", few, many);
        assert_true(many < 1.25 * few);
    }
}

/* ---- who is told of whom ---- */

SCENE_TEST(test_who_only_watches_is_told_of_itself_and_counts_for_others)
{
    struct client *const watchers[] = {s->plain, s->packed};
    for (size_t i = 0; i < COUNT(watchers); i++) {
        assert_int_equal(watchers[i]->present_count, 2);
        assert_true(knows(watchers[i], watchers[i]->id));
        assert_true(knows(watchers[i], s->ann->id));
        assert_int_equal(watchers[i]->here, 3);
    }
    assert_int_equal(s->ann->present_count, 1);
    assert_int_equal(s->ann->here, 3);
    struct client *joe = come(&s->host, "joe", true);
    host_advance(&s->host, 1);
    for (size_t i = 0; i < COUNT(watchers); i++) {
        assert_false(knows(watchers[i], joe->id));
        assert_int_equal(client_count(watchers[i], GZ_OP_PRESENCE), 0);
        assert_int_equal(watchers[i]->here, 4);
    }
    client_leave(joe);
    host_advance(&s->host, 1);
    for (size_t i = 0; i < COUNT(watchers); i++) {
        assert_int_equal(client_count(watchers[i], GZ_OP_PRESENCE), 0);
        assert_int_equal(watchers[i]->here, 3);
    }
}

TEST(test_the_first_few_are_told_of_whatever_they_do)
{
    struct scene s;
    open_scene_of(&s, 3);
    assert_int_equal(s.plain->present_count, 3);
    struct client *joe = come(&s.host, "joe", true);
    host_advance(&s.host, 1);
    assert_int_equal(s.plain->present_count, 3);
    assert_false(knows(s.plain, joe->id));
    assert_int_equal(s.plain->here, 4);
    assert_int_equal(joe->present_count, 4); /* the three, and itself */
    close_scene(&s);
}

/* ---- who begins to act ---- */

/* The message of the viewer's first frame since it forgot in which this person stands; 0: there is
 * none. The first has the number 1. */
static size_t place_of_person(const struct client *viewer, uint64_t session)
{
    const struct heard *frame = viewer->heard;
    for (size_t i = 0; frame != NULL && i < frame->count; i++) {
        const struct gz_message *message = &frame->messages[i];
        if (message->op != GZ_OP_PRESENCE) continue;
        for (size_t k = 0; k < message->presence.count; k++) {
            const struct gz_presence_user *user = &message->presence.users[k];
            if (user->session != session) continue;
            assert_true(user->user.size > 0);
            assert_true(user->rgb != 0);
            return i + 1;
        }
    }
    return 0;
}

static size_t place_of_delta(const struct client *viewer)
{
    const struct heard *frame = viewer->heard;
    for (size_t i = 0; frame != NULL && i < frame->count; i++) {
        if (frame->messages[i].op == GZ_OP_DELTA) return i + 1;
    }
    return 0;
}

SCENE_TEST(test_who_begins_to_act_is_told_of_before_what_it_does)
{
    struct client *const viewers[] = {s->ann, s->plain, s->packed};
    struct client *joe = come(&s->host, "joe", true);
    ask_camera(s->ann, 10); /* so that who is here was told a moment ago */
    host_advance(&s->host, 1);
    for (size_t i = 0; i < COUNT(viewers); i++) client_forget(viewers[i]);
    assert_ok(ask_move(joe, 1, 1, 2, 3));
    for (size_t i = 0; i < COUNT(viewers); i++) {
        assert_int_equal(place_of_person(viewers[i], joe->id), 1);
        assert_int_equal(place_of_delta(viewers[i]), 2);
        assert_true(knows(viewers[i], joe->id));
    }
    host_advance(&s->host, 1);
    for (size_t i = 0; i < COUNT(viewers); i++) assert_int_equal(viewers[i]->here, 4);
}

/* Whether the viewer was told of this person before the first message of this kind since it forgot.
 */
static bool is_known_before(const struct client *viewer, uint64_t session, enum gz_op op)
{
    bool is_known = false;
    for (const struct heard *frame = viewer->heard; frame != NULL; frame = frame->next) {
        for (size_t i = 0; i < frame->count; i++) {
            const struct gz_message *message = &frame->messages[i];
            if (message->op == op) return is_known;
            for (size_t k = 0; message->op == GZ_OP_PRESENCE && k < message->presence.count; k++)
                is_known |= message->presence.users[k].session == session;
        }
    }
    fail_msg("nothing of that kind was told");
    return false;
}

/* Who is here was told a moment ago: it would not be told again yet. */
SCENE_TEST(test_who_begins_with_a_note_or_a_checkpoint_is_told_of_before_it)
{
    struct client *const viewers[] = {s->ann, s->plain, s->packed};
    struct client *joe = come(&s->host, "joe", true), *eve = come(&s->host, "eve", true);
    host_advance(&s->host, 1);
    ask_camera(s->ann, 10);
    for (size_t i = 0; i < COUNT(viewers); i++) client_forget(viewers[i]);
    assert_ok(ask_note(joe, "here", NULL));
    for (size_t i = 0; i < COUNT(viewers); i++)
        assert_true(is_known_before(viewers[i], joe->id, GZ_OP_NOTES));
    host_advance(&s->host, 1);
    ask_camera(s->ann, 11);
    for (size_t i = 0; i < COUNT(viewers); i++) client_forget(viewers[i]);
    assert_ok(ask_checkpoint(eve, "named"));
    for (size_t i = 0; i < COUNT(viewers); i++)
        assert_true(is_known_before(viewers[i], eve->id, GZ_OP_CHECKPOINT_NEWS));
}

/* A viewer that follows a part is told of them all the same, also where its first state of the part
 * is what shows their doings. */
SCENE_TEST(test_who_begins_to_act_is_told_to_who_follows_a_part)
{
    const uint64_t one = 1;
    struct gz_message interest = {.op = GZ_OP_INTEREST,
                                  .has = GZ_HAS_INTEREST_NODES | GZ_HAS_RID,
                                  .rid = s->packed->next_rid++};
    struct client *joe = come(&s->host, "joe", false);
    interest.interest.nodes = (struct gz_ids){&one, 1};
    client_say(s->packed, &interest);
    const struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = 1, .trs.t = {4, 5, 6}};
    const struct gz_message set = {.op = GZ_OP_SET, .set = {&node, 1, 0}};
    client_say(joe, &set);
    host_turn(&s->host);
    assert_true(knows(s->packed, joe->id));
}

/* Asks for it with a rid, and whether it made a stranger known to the watchers. */
static bool makes_known(struct scene *s, const struct gz_message *message, enum gz_status status)
{
    struct client *joe = come(&s->host, "joe", true);
    assert_ok(ask_camera(joe, 10));
    const struct gz_message *answer = client_ask(joe, message);
    if (status == GZ_OK)
        assert_ok(answer);
    else
        assert_refused(answer, status);
    host_advance(&s->host, 2);
    const bool is_known = knows(s->plain, joe->id);
    assert_int_equal(knows(s->packed, joe->id), is_known);
    client_leave(joe);
    host_advance(&s->host, 2);
    assert_false(knows(s->plain, joe->id));
    assert_false(knows(s->packed, joe->id));
    return is_known;
}

SCENE_TEST(test_what_others_see_makes_known_and_nothing_else)
{
    static const uint64_t one = 1;
    static const struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = 1, .trs.t = {7, 7, 7}};
    static const struct gz_create_node made = {.has = GZ_HAS_CREATE_NODE_NAME, .name = {"new", 3}};
    struct gz_message grab = pointer_message(GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y, 0);
    grab.op = GZ_OP_GRAB;
    grab.has |= GZ_HAS_POINTER_NODES;
    grab.pointer.nodes = (struct gz_ids){&one, 1};
    grab.pointer.handle = GZ_TXY;
    const struct gz_message seen[] = {
        pointer_message(GZ_PHASE_HOVER, 10, 10, 0),
        {.op = GZ_OP_SELECT, .select = {.nodes = {&one, 1}, .how = GZ_HOW_SET}},
        grab,
        {.op = GZ_OP_SET, .set = {&node, 1, 0}},
        {.op = GZ_OP_CREATE, .create = {&made, 1}},
        {.op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT, .note.text = {"here", 4}},
        {.op = GZ_OP_CHECKPOINT, .checkpoint.name = {"named", 5}},
    };
    const struct gz_message unseen[] = {
        camera_message(7),
        {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE, .tool.mode = GZ_MODE_ROTATE},
        {.op = GZ_OP_PING},
        {.op = GZ_OP_WHO},
        {.op = GZ_OP_CHECKPOINTS},
        {.op = GZ_OP_PICK, .has = GZ_HAS_PICK_AT, .pick.at = {10, 10}},
        {.op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_NODES, .interest.nodes = {&one, 1}},
    };
    const struct gz_set_node gone = {.has = GZ_HAS_SET_NODE_T, .id = 4711};
    const struct gz_message refused = {.op = GZ_OP_SET, .set = {&gone, 1, 0}};
    for (size_t i = 0; i < COUNT(seen); i++) assert_true(makes_known(s, &seen[i], GZ_OK));
    for (size_t i = 0; i < COUNT(unseen); i++) assert_false(makes_known(s, &unseen[i], GZ_OK));
    assert_false(makes_known(s, &refused, GZ_UNKNOWN_NODE));
}

/* However many begin at once, who lags is told of all of them. */
SCENE_TEST(test_viewer_that_lags_is_told_of_all_who_began)
{
    enum { MANY = 128 };
    struct client *others[MANY];
    for (size_t i = 0; i < MANY; i++) others[i] = come(&s->host, "joe", false);
    host_advance(&s->host, 5);
    s->plain->stalled = s->packed->stalled = true;
    for (size_t i = 0; i < MANY; i++) ask_select(others[i], 1);
    s->plain->stalled = s->packed->stalled = false;
    host_advance(&s->host, 20);
    for (size_t i = 0; i < MANY; i++) {
        assert_true(knows(s->plain, others[i]->id));
        assert_true(knows(s->packed, others[i]->id));
    }
}

/* So many left that the server forgot them: what is told anew leaves no ghost, and oneself. */
SCENE_TEST(test_viewer_that_is_told_anew_keeps_itself)
{
    struct client *joe = come(&s->host, "joe", false);
    ask_select(joe, 1);
    host_advance(&s->host, 1);
    s->plain->stalled = s->packed->stalled = true;
    for (int i = 0; i <= GZ_LEFT_RING; i++) {
        client_leave(joe);
        client_enter_again(joe);
        gz_feed_act(s->host.core->feed, &joe->session->presence);
    }
    client_leave(joe);
    host_advance(&s->host, 1);
    client_forget(s->plain);
    client_forget(s->packed);
    s->plain->stalled = s->packed->stalled = false;
    host_advance(&s->host, 1);
    struct client *const viewers[] = {s->plain, s->packed};
    for (size_t i = 0; i < COUNT(viewers); i++) {
        const struct gz_message *told = &viewers[i]->heard->messages[0];
        while (told->op != GZ_OP_PRESENCE) told++;
        assert_true(told->presence.all);
        assert_int_equal(viewers[i]->present_count, 2);
        assert_true(knows(viewers[i], viewers[i]->id));
        assert_true(knows(viewers[i], s->ann->id));
    }
}

/* ---- how many ---- */

/* The number goes out four times a second, and with very many people less often. */
SCENE_TEST(test_number_goes_out_less_often_the_more_there_are)
{
    enum { CROWD = 2 * GZ_CROWD_PEOPLE };
    struct client *last = NULL;
    s->host.plain = true;
    for (size_t i = 0; i < 40; i++) {
        last = client_enter(&s->host, "wes", GZ_ROLE_VIEWER, false);
        last->stalled = true;
        host_advance(&s->host, 0.05);
    }
    assert_in_range(client_count(s->plain, GZ_OP_CROWD), 7, 9); /* of 2 s */
    for (size_t i = 40; i < CROWD; i++)
        client_enter(&s->host, "wes", GZ_ROLE_VIEWER, false)->stalled = true;
    host_advance(&s->host, 5);
    client_forget(s->plain);
    for (size_t i = 0; i < 100; i++) {
        client_enter(&s->host, "wes", GZ_ROLE_VIEWER, false)->stalled = true;
        host_advance(&s->host, 0.05);
    }
    assert_in_range(client_count(s->plain, GZ_OP_CROWD), 8, 11); /* of 5 s, one in half a second */
    host_advance(&s->host, 1);
    assert_int_equal(s->plain->here, CROWD + 103);
    assert_non_null(last);
}

/* ---- the list ---- */

static const struct gz_ok *ask_who(struct client *client, uint64_t after, uint64_t limit)
{
    struct gz_message who = {.op = GZ_OP_WHO, .who = {after, limit}};
    if (after > 0) who.has |= GZ_HAS_WHO_AFTER;
    if (limit < 1000) who.has |= GZ_HAS_WHO_LIMIT;
    const struct gz_message *answer = client_ask(client, &who);
    assert_ok(answer);
    assert_true((answer->has & GZ_HAS_OK_PEOPLE) != 0);
    return &answer->ok;
}

SCENE_TEST(test_list_has_everybody_page_by_page)
{
    enum { OTHERS = 24, PAGE = 10 };
    uint64_t after = 0;
    size_t told = 0;
    for (size_t i = 0; i < OTHERS; i++) come(&s->host, "joe", i % 2 == 0);
    assert_int_equal(ask_who(s->plain, 0, 1000)->people_count, OTHERS + 3);
    for (const struct gz_ok *page; (page = ask_who(s->plain, after, PAGE))->people_count > 0;) {
        assert_true(page->people_count <= PAGE);
        for (size_t i = 0; i < page->people_count; i++) {
            assert_true(page->people[i].session > after);
            after = page->people[i].session;
        }
        told += page->people_count;
    }
    assert_int_equal(told, OTHERS + 3);
    const struct gz_presence_user *first = &ask_who(s->plain, 0, 1)->people[0];
    assert_int_equal(first->session, s->ann->id);
    assert_memory_equal(first->user.bytes, "ann", 3);
    assert_int_equal(first->has & ~(uint64_t)GZ_HAS_PRESENCE_NAME, 0);
    assert_int_equal(ask_who(s->plain, 0, 0)->people_count, 0);
    assert_int_equal(ask_who(s->plain, GZ_ID_LIMIT - 1, 1000)->people_count, 0);
    assert_int_equal(knows(s->plain, after), false);
}

/* Fifty people that are told of count as a message. */
SCENE_TEST(test_list_is_charged_by_its_people)
{
    enum { OTHERS = 2 * GZ_NODES_PER_MESSAGE / GZ_PRICE_MOVED - 3 };
    for (size_t i = 0; i < OTHERS; i++)
        client_enter(&s->host, "joe", GZ_ROLE_VIEWER, false)->stalled = true;
    host_advance(&s->host, 5);
    const double before = s->plain->session->share->work.tokens;
    (void)ask_who(s->plain, 0, 1000);
    const double whole = before - s->plain->session->share->work.tokens;
    (void)ask_who(s->plain, 0, GZ_NODES_PER_MESSAGE / GZ_PRICE_MOVED);
    const double page = before - whole - s->plain->session->share->work.tokens;
    assert_true(fabs(whole - 2) < 1e-6);
    assert_true(fabs(page - 1) < 1e-6);
}
