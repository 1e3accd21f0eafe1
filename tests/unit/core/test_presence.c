/* Who is here: what is told of it, how often, in how many bytes, and that nobody keeps a ghost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define MANY 10000

struct scene {
    struct host host;
    struct client *ann, *watcher;
};

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->host.plain = true;
    host_tell_of_all(&s->host);
    s->ann = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->watcher = client_join(&s->host, "wes", GZ_ROLE_VIEWER);
    host_advance(&s->host, 1);
}

CLOSE_SCENE_AS_USUAL

static void hover(struct client *client, double x)
{
    struct gz_message message = pointer_message(GZ_PHASE_HOVER, x, 10, 0);
    client_say(client, &message);
}

/* What a client was told of presence, and, of `session` alone, how often and with which record at
 * last. */
struct told {
    size_t messages, bytes, all, records;
    bool first_is_all;
    struct gz_presence_user last;
};

static struct told told_of(const struct client *client, uint64_t session)
{
    struct told told = {0};
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, SIZE_MAX / 2, 0);
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            const struct gz_message *message = &heard->messages[i];
            if (message->op != GZ_OP_PRESENCE) continue;
            if (told.messages++ == 0) told.first_is_all = message->presence.all;
            told.all += message->presence.all;
            assert_int_equal(gz_encode(&bytes, message), GZ_OK);
            for (size_t j = 0; j < message->presence.count; j++) {
                if (message->presence.users[j].session != session) continue;
                told.records++;
                told.last = message->presence.users[j];
            }
        }
    }
    told.bytes = bytes.size;
    gz_buffer_finish(&bytes);
    return told;
}

/* ---- everybody ---- */

SCENE_TEST(test_presence_begins_with_all_for_a_newcomer_and_goes_on_without)
{
    struct client *late = client_join(&s->host, "joe", GZ_ROLE_VIEWER);
    host_advance(&s->host, 1);
    assert_ok(ask_camera(s->ann, 10));
    host_advance(&s->host, 1);
    struct told told = told_of(late, s->ann->id);
    assert_true(told.first_is_all);
    assert_int_equal(told.all, 1);
    assert_int_equal(told.records, 2);
    assert_int_equal(late->present_count, 3);
}

/* Somebody that the watcher knows leaves, and then so many others that the server forgets it. */
static void let_leave(struct scene *s, struct client *known, int others)
{
    host_advance(&s->host, 1);
    s->watcher->stalled = true;
    client_leave(known);
    for (int i = 0; i < others; i++) {
        client_resume(known);
        client_leave(known);
    }
    host_advance(&s->host, 1);
    client_forget(s->watcher);
    s->watcher->stalled = false;
    host_advance(&s->host, 1);
}

SCENE_TEST(test_presence_after_departures_that_are_remembered_names_them)
{
    let_leave(s, client_join(&s->host, "joe", GZ_ROLE_VIEWER), GZ_LEFT_RING - 1);
    assert_int_equal(told_of(s->watcher, 0).all, 0);
    assert_int_equal(s->watcher->present_count, 2);
}

SCENE_TEST(test_presence_after_departures_that_are_forgotten_leaves_no_ghost)
{
    let_leave(s, client_join(&s->host, "joe", GZ_ROLE_VIEWER), GZ_LEFT_RING);
    assert_int_equal(told_of(s->watcher, 0).all, 1);
    assert_int_equal(s->watcher->present_count, 2);
}

SCENE_TEST(test_large_presence_of_all_larger_than_a_frame_is_told_in_pieces)
{
    enum { CROWD = 100 };
    create_many(s->ann, MANY);
    struct client *joe = client_join(&s->host, "joe", GZ_ROLE_VIEWER);
    for (int i = 0; i < CROWD; i++) {
        struct client *client = client_enter(&s->host, "crowd", GZ_ROLE_VIEWER, false);
        client->stalled = true;
        select_first(client, MANY);
    }
    host_advance(&s->host, 1);
    let_leave(s, joe, GZ_LEFT_RING);
    struct told told = told_of(s->watcher, 0);
    assert_true(told.first_is_all);
    assert_int_equal(told.all, 1);
    assert_true(told.messages > 10);
    assert_int_equal(s->watcher->present_count, CROWD + 2);
}

/* What a viewer was sent before a session selected something else is not sent to that session after
 * the answer. */
SCENE_TEST(test_presence_after_an_answer_is_not_older_than_it)
{
    uint64_t id = 3;
    const struct gz_message select = {.op = GZ_OP_SELECT,
                                      .select = {.nodes = {&id, 1}, .how = GZ_HOW_SET}};
    create_many(s->ann, 3);
    assert_ok(ask_select(s->ann, 1));
    host_advance(&s->host, 1);
    client_forget(s->ann);
    s->ann->stalled = s->watcher->stalled = true;
    (void)ask_select(s->ann, 2);
    host_advance(&s->host, 1);
    assert_true(client_read_one(s->watcher));
    assert_int_equal(told_of(s->watcher, s->ann->id).last.selection.ids[0], 2);
    (void)ask_later(s->ann, select);
    s->ann->stalled = s->watcher->stalled = false;
    client_read(s->ann);
    assert_non_null(client_answer(s->ann, s->ann->next_rid - 1));
    assert_int_equal(told_of(s->ann, s->ann->id).last.selection.ids[0], 3);
}

/* ---- how often, how much ---- */

/* However many come, go and move: a viewer is told at most twenty times a second. */
SCENE_TEST(test_large_presence_of_a_crowd_is_told_at_most_twenty_times_a_second)
{
    enum { CROWD = 50, SECONDS = 2 };
    struct client *crowd[CROWD];
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = client_join(&s->host, "crowd", GZ_ROLE_VIEWER);
        assert_ok(ask_camera(crowd[i], 10));
    }
    host_advance(&s->host, 1);
    client_forget(s->watcher);
    for (int i = 0; i < SECONDS * 1000; i++) {
        struct client *one = crowd[i % CROWD];
        hover(one, i % 700);
        if (i % 7 == 0) {
            client_leave(one);
            client_resume(one);
            struct gz_message camera = camera_message(10);
            client_say(one, &camera);
        }
        host_advance(&s->host, 0.001);
    }
    struct told told = told_of(s->watcher, 0);
    assert_true(told.messages >= SECONDS * 20 - 5);
    assert_true(told.messages <= SECONDS * 20 + 1);
}

/* One who selected everything moves the pointer a hundred times a second, and so does one who
 * selected nothing. */
SCENE_TEST(test_presence_of_a_large_selection_takes_bounded_bytes)
{
    enum { SECONDS = 10 };
    create_many(s->ann, MANY);
    struct client *joe = client_join(&s->host, "joe", GZ_ROLE_VIEWER);
    assert_ok(ask_camera(s->ann, 10));
    assert_ok(ask_camera(joe, 10));
    host_advance(&s->host, 1);
    client_forget(s->watcher);
    select_first(s->ann, MANY);
    for (int i = 0; i < SECONDS * 100; i++) {
        hover(s->ann, i % 700);
        hover(joe, i % 700);
        host_advance(&s->host, 0.01);
    }
    struct told told = told_of(s->watcher, s->ann->id);
    assert_true(told.bytes < SECONDS * GZ_PRESENCE_BYTES_PER_S);
    assert_true(told.records > SECONDS * 2); /* and yet it is told */
    size_t small = told_of(s->watcher, joe->id).records;
    assert_true(small >= SECONDS * 20 - 5 && small <= SECONDS * 20 + 1);

    /* The latest wins, though late; and who lets go is small again, at once. */
    hover(s->ann, 777);
    host_advance(&s->host, 1);
    assert_true(told_of(s->watcher, s->ann->id).last.at[0] == 777);
    select_first(s->ann, 0);
    host_advance(&s->host, GZ_PRESENCE_MS_MIN / 1000.0 + 0.001);
    assert_int_equal(told_of(s->watcher, s->ann->id).last.selection.count, 0);
}

/* To select and let go by turns is no way round it. */
SCENE_TEST(test_large_presence_of_a_selection_that_comes_and_goes_takes_bounded_bytes)
{
    enum { SECONDS = 10 };
    create_many(s->ann, MANY);
    host_advance(&s->host, 1);
    client_forget(s->watcher);
    for (int i = 0; i < SECONDS * 20; i++) {
        select_first(s->ann, i % 2 == 0 ? MANY : 0);
        host_advance(&s->host, 0.05);
    }
    assert_true(told_of(s->watcher, s->ann->id).bytes < SECONDS * GZ_PRESENCE_BYTES_PER_S);
}

/* ---- following somebody's view ---- */

static void assert_view_of(struct scene *s, const struct client *client, const double view[16])
{
    host_advance(&s->host, 0.1);
    struct told told = told_of(s->watcher, client->id);
    assert_true(told.records > 0);
    assert_true((told.last.has & GZ_HAS_PRESENCE_VIEW) != 0);
    assert_memory_equal(told.last.view, view, sizeof told.last.view);
}

SCENE_TEST(test_presence_view_is_the_camera_that_was_sent)
{
    struct gz_message camera = camera_message(10);
    camera.camera.view[12] = 0.1;
    client_say(s->ann, &camera);
    assert_view_of(s, s->ann, camera.camera.view);
}

/* A viewer's too: the camera that the server makes for an orbit or a wheel is told to its session
 * and to those who follow. */
SCENE_TEST(test_presence_view_is_the_camera_that_an_orbit_made)
{
    struct client *viewer = client_join(&s->host, "vic", GZ_ROLE_VIEWER);
    create_node(s->ann, "one", 0, 0, 0, 0);
    assert_ok(ask_camera(viewer, 10));
    assert_ok(ask_mode(viewer, GZ_MODE_ORBIT));
    assert_ok(ask_pointer(viewer, GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(viewer, GZ_PHASE_MOVE, MIDDLE_X + 60, MIDDLE_Y + 20));
    const struct gz_message *turned = client_last(viewer, GZ_OP_VIEW);
    assert_non_null(turned);
    assert_memory_not_equal(turned->view, camera_message(10).camera.view, sizeof turned->view);
    assert_view_of(s, viewer, turned->view);
    assert_ok(ask_pointer(viewer, GZ_PHASE_UP, MIDDLE_X + 60, MIDDLE_Y + 20));
    assert_ok(ask_wheel(viewer, 3));
    const struct gz_message *nearer = client_last(viewer, GZ_OP_VIEW);
    assert_memory_not_equal(nearer->view, turned->view, sizeof turned->view);
    assert_view_of(s, viewer, nearer->view);
}

/* ---- where somebody looks, and points ---- */

static struct gz_presence_user user_of(struct scene *s, const struct client *client)
{
    host_advance(&s->host, 0.1);
    struct told told = told_of(s->watcher, client->id);
    assert_true(told.records > 0);
    return told.last;
}

static void assert_numbers(const double *numbers, const double *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) assert_true(fabs(numbers[i] - wanted[i]) < 1e-12);
}

SCENE_TEST(test_presence_pixel_comes_with_its_ray)
{
    const double straight[] = {0, 0, 10, 0, 0, -1},
                 slanted[] = {0, 0, 10, M_SQRT1_2, 0, -M_SQRT1_2};
    const double farther[] = {0, 0, 20, M_SQRT1_2, 0, -M_SQRT1_2};
    hover(s->ann, MIDDLE_X); /* refused: pixels need a camera */
    assert_int_equal(user_of(s, s->ann).has & (GZ_HAS_PRESENCE_AT | GZ_HAS_PRESENCE_RAY), 0);
    assert_ok(ask_camera(s->ann, 10));
    assert_ok(ask_pointer(s->ann, GZ_PHASE_HOVER, MIDDLE_X, MIDDLE_Y));
    struct gz_presence_user user = user_of(s, s->ann);
    assert_true(user.has & GZ_HAS_PRESENCE_AT && user.has & GZ_HAS_PRESENCE_RAY);
    assert_numbers(user.ray, straight, 6);
    assert_ok(ask_pointer(s->ann, GZ_PHASE_HOVER, MIDDLE_X + 300, MIDDLE_Y));
    assert_numbers(user_of(s, s->ann).ray, slanted, 6);
    assert_ok(ask_camera(s->ann, 20)); /* the pixel is the same, what is under it is not */
    assert_numbers(user_of(s, s->ann).ray, farther, 6);
}

SCENE_TEST(test_presence_ray_that_cannot_be_said_is_left_out)
{
    assert_ok(ask_camera(s->ann, 1.1 * GZ_COORDINATE_MAX));
    assert_ok(ask_pointer(s->ann, GZ_PHASE_HOVER, MIDDLE_X, MIDDLE_Y));
    assert_int_equal(user_of(s, s->ann).has & (GZ_HAS_PRESENCE_AT | GZ_HAS_PRESENCE_RAY),
                     GZ_HAS_PRESENCE_AT);
}

SCENE_TEST(test_presence_tells_what_a_view_shows)
{
    /* 90 degrees high, 800 x 600, and as much of the world at every distance. */
    const double wide[] = {-4.0 / 3, 4.0 / 3, -1, 1};
    assert_ok(ask_camera(s->ann, 10));
    struct gz_presence_user user = user_of(s, s->ann);
    assert_true(user.has & GZ_HAS_PRESENCE_LENS);
    assert_false(user.parallel);
    assert_numbers(user.lens, wide, 4);
    struct gz_message camera = camera_message(10);
    const double parallel[16] = {0.75, 0, 0, 0, 0, 1, 0, 0, 0, 0, -0.01, 0, 0, 0, 0, 1};
    memcpy(camera.camera.proj, parallel, sizeof parallel);
    assert_ok(client_ask(s->ann, &camera));
    user = user_of(s, s->ann);
    assert_true(user.has & GZ_HAS_PRESENCE_LENS && user.parallel);
    assert_numbers(user.lens, wide, 4);
}

/* The fullest record there is without ids takes no more than the bytes that its pace is reckoned
 * by. */
TEST(test_presence_record_is_no_larger_than_reckoned)
{
    struct gz_presence_user user = {
        .session = GZ_ID_LIMIT - 1, .user = {"", GZ_USER_BYTES_MAX}, .parallel = true};
    char name[GZ_USER_BYTES_MAX];
    memset(name, 'x', sizeof name);
    user.user.bytes = name;
    user.has = GZ_HAS_PRESENCE_AT | GZ_HAS_PRESENCE_RAY | GZ_HAS_PRESENCE_VIEW |
               GZ_HAS_PRESENCE_LENS | GZ_HAS_PRESENCE_SELECTION | GZ_HAS_PRESENCE_TOOL |
               GZ_HAS_PRESENCE_LOCKS;
    user.tool = GZ_MODE_TRANSLATE;
    struct gz_message one = {.op = GZ_OP_PRESENCE, .presence = {.users = &user, .count = 1}};
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, SIZE_MAX / 2, 0);
    assert_int_equal(gz_encode(&bytes, &one), GZ_OK);
    assert_true(bytes.size <= GZ_PRESENCE_BYTES_USER);
    gz_buffer_finish(&bytes);
}

/* ---- colours ---- */

static uint32_t colour(const struct client *watcher, const struct client *client)
{
    struct told told = told_of(watcher, client->id);
    assert_true(told.records > 0);
    return told.last.rgb;
}

TEST(test_presence_colours_tell_people_apart)
{
    enum { COLOURS = 12 };
    struct host host;
    struct client *people[COLOURS + 1];
    host_init(&host);
    host_tell_of_all(&host);
    for (char i = 0; i < COLOURS; i++) { /* by their names alone these have 6 colours */
        const char name[] = {(char)('a' + i), (char)('a' + i), '\0'};
        people[(int)i] = client_join(&host, name, GZ_ROLE_EDITOR);
    }
    host_advance(&host, 1);
    for (int i = 0; i < COLOURS; i++) {
        for (int j = 0; j < i; j++)
            assert_int_not_equal(colour(people[0], people[i]), colour(people[0], people[j]));
    }
    people[COLOURS] = client_join(&host, "one too many", GZ_ROLE_EDITOR);
    uint32_t usual = colour(people[COLOURS], people[COLOURS]);
    for (int i = 0; i <= COLOURS; i++) client_leave(people[i]);
    host_turn(&host);
    struct client *alone = client_join(&host, "one too many", GZ_ROLE_VIEWER);
    host_advance(&host, 1);
    assert_int_equal(colour(alone, alone), usual);
    host_finish(&host);
}

TEST(test_presence_colour_of_a_user_is_one)
{
    struct host host;
    host_init(&host);
    /* By their names alone both would have the same. */
    struct client *ann = client_join(&host, "ann", GZ_ROLE_EDITOR);
    uint32_t usual = colour(ann, ann);
    struct client *other = client_join(&host, "bob", GZ_ROLE_EDITOR);
    uint32_t next = colour(other, other);
    assert_int_not_equal(next, usual);
    client_leave(ann);
    host_turn(&host);
    struct client *again =
        client_join(&host, "bob", GZ_ROLE_VIEWER); /* though the usual one is free now */
    assert_int_equal(colour(again, again), next);
    client_leave(other);
    client_leave(again);
    host_turn(&host);
    again = client_join(&host, "bob", GZ_ROLE_VIEWER);
    assert_int_equal(colour(again, again), usual);
    host_finish(&host);
}
