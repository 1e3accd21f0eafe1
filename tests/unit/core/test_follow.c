/* Joining, following, falling behind, coming back: what a viewer is sent takes it from where it is
 * to where the scene is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define MANY 20000

struct scene {
    struct host host;
    struct client *a, *watcher;
};

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->watcher = client_join(&s->host, "wes", GZ_ROLE_VIEWER);
}

CLOSE_SCENE_AS_USUAL

static void rename_many(struct client *client, size_t count, const char *name)
{
    struct gz_set_node *nodes = calloc(count, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < count; i++)
        nodes[i] = (struct gz_set_node){
            .has = GZ_HAS_SET_NODE_NAME, .id = i + 1, .name = {name, strlen(name)}};
    struct gz_message set = {.op = GZ_OP_SET, .set = {.nodes = nodes, .count = count}};
    client_say(client, &set);
    host_advance(client->host, 2); /* what it cost */
    free(nodes);
}

/* ---- joining ---- */

SCENE_TEST(test_join_is_welcomed_and_told_all)
{
    (void)create_node(s->a, "one", 0, 1, 2, 3);
    s->host.plain = true;
    struct client *late = client_enter(&s->host, "joe", GZ_ROLE_EDITOR, false);
    assert_true(client_read_one(late));
    const struct gz_welcome *welcome = &late->heard->messages[0].welcome;
    assert_int_equal(late->heard->messages[0].op, GZ_OP_WELCOME);
    assert_int_equal(welcome->v, GZ_PROTOCOL_VERSION);
    assert_int_equal(welcome->session, late->id);
    assert_int_equal(welcome->epoch, 1);
    assert_int_equal(welcome->seq, s->a->mirror.seq);
    assert_int_equal(welcome->role, GZ_ROLE_EDITOR);
    assert_int_equal(welcome->nodes, GZ_NODES_MAX);
    assert_int_equal(welcome->messages_per_s, GZ_MESSAGES_PER_S_MAX);
    assert_false(welcome->resumed);
    assert_memory_equal(welcome->scene.bytes, HOST_SCENE, welcome->scene.size);
    assert_int_equal(late->heard->messages[1].op, GZ_OP_PRESENCE); /* of itself */
    assert_int_equal(late->heard->messages[2].op, GZ_OP_DELTA);    /* of a small scene at once */
    host_turn(&s->host);
    assert_int_equal(late->mirror.snapshots, 1);
    assert_int_equal(client_count(late, GZ_OP_EDIT), 0); /* old edits are history */
}

SCENE_TEST(test_join_of_an_empty_scene_is_told_so)
{
    assert_int_equal(s->watcher->mirror.deltas, 1);
    assert_int_equal(s->watcher->mirror.seq, 0);
}

/* ---- resuming ---- */

SCENE_TEST(test_resume_in_the_same_epoch_brings_what_was_missed)
{
    uint64_t one = create_node(s->a, "one", 0, 0, 0, 0), two = create_node(s->a, "two", 0, 0, 0, 0);
    client_leave(s->watcher);
    assert_ok(ask_move(s->a, one, 5, 0, 0));
    assert_ok(ask_delete(s->a, two));
    assert_ok(ask_create(s->a, "three", one, NULL));
    client_forget(s->watcher);
    s->watcher->mirror.snapshots = 0;
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_true(s->watcher->resumed);
    assert_int_equal(s->watcher->mirror.snapshots, 0);
    const struct gz_delta *delta = &client_last(s->watcher, GZ_OP_DELTA)->delta;
    assert_int_equal(delta->count, 2);
    assert_int_equal(delta->nodes[0].has & (GZ_HAS_STATE_T | GZ_HAS_STATE_NAME),
                     GZ_HAS_STATE_T); /* no more than what changed */
    assert_int_equal(delta->gone.count, 1);
    assert_int_equal(client_count(s->watcher, GZ_OP_EDIT), 3);
}

SCENE_TEST(test_resume_after_a_restart)
{
    uint64_t one = create_node(s->a, "one", 0, 0, 0, 0), two = create_node(s->a, "two", 0, 0, 0, 0);
    host_restart(&s->host, false);
    s->a->mirror.snapshots = s->watcher->mirror.snapshots = 0;
    client_resume(s->a);
    host_turn(&s->host);
    assert_true(s->a->resumed);
    assert_int_equal(s->a->mirror.snapshots, 0);
    assert_ok(ask_move(s->a, one, 5, 0, 0));
    assert_ok(ask_delete(s->a, two));
    client_resume(s->watcher); /* from the epoch before, past all of that */
    host_turn(&s->host);
    assert_true(s->watcher->resumed);
    assert_int_equal(s->watcher->mirror.snapshots, 0);
}

/* A drag of more nodes than the disk follows: it learns that the drag began, and an edit of others
 * waits for no more than that. */
static void drag_many(struct scene *s, size_t count)
{
    uint64_t *ids = calloc(count, sizeof *ids);
    assert_non_null(ids);
    for (size_t i = 0; i < count; i++) ids[i] = i + 1;
    create_many(s->a, count + 1);
    assert_ok(ask_camera(s->a, 10));
    client_say(s->a,
               &(struct gz_message){.op = GZ_OP_SELECT, .select = {{ids, count}, GZ_HOW_SET}});
    free(ids);
    assert_ok(ask_grab(s->a, GZ_TX, 0, MIDDLE_X, MIDDLE_Y));
    for (int i = 1; i <= 5; i++) {
        host_advance(&s->host, 0.1);
        assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + 20 * i, MIDDLE_Y));
    }
    host_advance(&s->host, 0.1);
    for (uint64_t id = 1; id <= count; id++)
        assert_true(gz_scene_find(s->host.core->scene, id)->trs.t.x > 0);
}

SCENE_TEST(test_samples_of_a_drag_count_for_the_share_of_the_files)
{
    const size_t count = 3;
    drag_many(s, count);
    assert_true(s->host.store.sample_count >= 4 * count);
    assert_int_equal(s->host.charged_bytes, s->host.store.sample_count * GZ_FILE_BYTES_PER_SAMPLE);
}

/* A disk that takes several batches at once. */
static void restart_with_batches(struct scene *s)
{
    s->host.batches_max = GZ_BATCHES_MAX;
    host_restart(&s->host, true);
    client_resume(s->a);
    client_resume(s->watcher);
    host_turn(&s->host);
}

static void move_for_samples(struct scene *s, size_t count)
{
    for (size_t i = 1; i <= count; i++) {
        assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + 20 + (double)i, MIDDLE_Y));
        host_advance(&s->host, GZ_SAMPLE_MS_MIN / 1000.0);
    }
}

SCENE_TEST(test_two_samples_of_a_drag_are_one_commit)
{
    const size_t samples = 20;
    restart_with_batches(s);
    drag_many(s, 1);
    const struct host before = s->host;
    move_for_samples(s, samples);
    const size_t stored = s->host.store.sample_count - before.store.sample_count;
    assert_in_range(stored, samples - 1, samples);
    assert_in_range(s->host.disk_starts - before.disk_starts, samples / 2 - 1, samples / 2 + 1);
}

SCENE_TEST(test_the_first_of_two_samples_does_not_wait_for_ever)
{
    restart_with_batches(s);
    drag_many(s, 1);
    for (size_t i = 0; i < 4; i++) {
        move_for_samples(s, 1);
        host_advance(&s->host, GZ_SAMPLE_MS_MIN / 1000.0);
        assert_int_equal(s->host.core->stored_seq, gz_scene_seq(s->host.core->scene));
    }
}

SCENE_TEST(test_an_edit_takes_a_sample_that_waits_along)
{
    restart_with_batches(s);
    struct client *bob = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    drag_many(s, 1);
    bool has_waited = false;
    for (int i = 0; i < 4; i++) {
        host_advance(&s->host, GZ_SAMPLE_MS_MIN / 1000.0);
        assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + 10 * i, MIDDLE_Y));
        has_waited |= s->host.core->stored_seq < s->host.core->sent_seq;
        assert_ok(ask_move(bob, 2, 1 + i, 0, 0));
        assert_int_equal(s->host.core->stored_seq, gz_scene_seq(s->host.core->scene));
    }
    assert_true(has_waited);
}

SCENE_TEST(test_restart_takes_a_drag_of_many_back)
{
    const size_t count = GZ_SAMPLED_NODES_MAX + 1;
    drag_many(s, count);
    assert_int_equal(s->host.store.sample_count, 0);
    assert_int_equal(s->host.charged_bytes, 0);
    assert_int_equal(s->host.store.open_count, 1);
    struct client *cleo = client_join(&s->host, "cleo", GZ_ROLE_EDITOR);
    assert_ok(ask_move(cleo, count + 1, 7, 0, 0));
    assert_int_equal(s->host.store.seq, gz_scene_seq(s->host.core->scene));
    host_restart(&s->host, false);
    for (uint64_t id = 1; id <= count + 1; id++)
        assert_true(gz_scene_find(s->host.core->scene, id)->trs.t.x == (id > count ? 7 : 0));
    s->watcher->mirror.snapshots = 0;
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_true(s->watcher->resumed);
    assert_int_equal(s->watcher->mirror.snapshots, 0);
    client_resume(s->a);
    client_resume(cleo);
}

SCENE_TEST(test_restart_keeps_a_drag_of_many_that_ended)
{
    const size_t count = GZ_SAMPLED_NODES_MAX + 1;
    drag_many(s, count);
    assert_ok(ask_pointer(s->a, GZ_PHASE_UP, MIDDLE_X + 100, MIDDLE_Y));
    host_restart(&s->host, false);
    for (uint64_t id = 1; id <= count; id++)
        assert_true(gz_scene_find(s->host.core->scene, id)->trs.t.x > 0);
    client_resume(s->watcher);
    client_resume(s->a);
    host_turn(&s->host);
    assert_true(s->watcher->resumed);
}

/* The disk did not have the nodes when the drag began: it is told of them as the drag found them.
 */
SCENE_TEST(test_restart_keeps_what_a_drag_of_many_began_on)
{
    const size_t count = GZ_SAMPLED_NODES_MAX + 1;
    s->host.disk = DISK_WAITS;
    drag_many(s, count);
    s->host.disk = DISK_COMMITS;
    host_settle(&s->host, true);
    host_advance(&s->host, 0.1);
    assert_int_equal(s->host.store.open_count, 1);
    host_restart(&s->host, false);
    assert_int_equal(gz_core_summary(s->host.core).nodes, count + 1);
    for (uint64_t id = 1; id <= count; id++)
        assert_true(gz_scene_find(s->host.core->scene, id)->trs.t.x == 0);
    client_resume(s->watcher);
    client_resume(s->a);
    host_turn(&s->host);
    assert_true(s->watcher->resumed);
}

/* The state shows an edit before its COMMIT, the edit is told of after it. */
SCENE_TEST(test_resume_is_told_of_edits_that_were_committed_meanwhile)
{
    (void)create_node(s->a, "one", 0, 0, 0, 0);
    s->host.disk = DISK_WAITS;
    assert_null(ask_create(s->a, "two", 0, NULL));
    assert_int_equal(s->watcher->mirror.count, 2);
    client_leave(s->watcher);
    client_forget(s->watcher);
    s->host.disk = DISK_COMMITS;
    host_turn(&s->host);
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_true(s->watcher->resumed);
    assert_int_equal(client_count(s->watcher, GZ_OP_EDIT), 1);
    assert_int_equal(client_last(s->watcher, GZ_OP_EDIT)->edit.seq, s->watcher->mirror.seq);

    client_leave(s->watcher);
    client_forget(s->watcher);
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_int_equal(client_count(s->watcher, GZ_OP_EDIT), 0);
}

SCENE_TEST(test_resume_that_does_not_say_its_edits_is_told_rather_twice_than_never)
{
    for (int i = 0; i < 3; i++) (void)create_node(s->a, "n", 0, 0, 0, 0);
    s->host.disk = DISK_WAITS;
    assert_null(ask_create(s->a, "last", 0, NULL));
    for (int committed = 0; committed < 2; committed++) {
        client_leave(s->watcher);
        client_forget(s->watcher);
        s->host.disk = DISK_COMMITS;
        host_turn(&s->host);
        s->watcher->edit = 0;
        client_resume(s->watcher);
        host_turn(&s->host);
        assert_int_equal(client_count(s->watcher, GZ_OP_EDIT),
                         1); /* never heard, then perhaps: it ends where the viewer stands */
    }
    assert_ok(ask_move(s->a, 1, 1, 1, 1));
    client_leave(s->watcher);
    client_forget(s->watcher);
    s->watcher->edit = 0;
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_int_equal(client_count(s->watcher, GZ_OP_EDIT), 1);
}

TEST(test_resume_is_told_of_edits_across_a_restart)
{
    static const enum {
        SAID,
        NOT_SAID,
        UNKNOWN_EPOCH,
        CASES
    } cases[] = {SAID, NOT_SAID, UNKNOWN_EPOCH};
    for (size_t i = 0; i < CASES; i++) {
        struct scene s;
        open_scene(&s);
        uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
        client_leave(s.watcher);
        for (int x = 1; x <= 4; x++) assert_ok(ask_move(s.a, id, x, 0, 0));
        host_restart(&s.host, false);
        client_forget(s.watcher);
        if (cases[i] == NOT_SAID) s.watcher->edit = 0;
        if (cases[i] == UNKNOWN_EPOCH) s.watcher->epoch += 1000;
        client_resume(s.watcher);
        host_turn(&s.host);
        assert_int_equal(s.watcher->resumed, cases[i] != UNKNOWN_EPOCH);
        /* The one that ends where the viewer stands may have been told or not. */
        static const size_t told[CASES] = {[SAID] = 4, [NOT_SAID] = 5, [UNKNOWN_EPOCH] = 0};
        assert_int_equal(client_count(s.watcher, GZ_OP_EDIT), told[cases[i]]);
        /* Its session is none of this epoch's. */
        if (told[cases[i]] > 0) assert_int_equal(client_last(s.watcher, GZ_OP_EDIT)->edit.by, 0);
        close_scene(&s);
    }
}

/* The state starts from 0, what was heard of stays heard of. */
SCENE_TEST(test_resume_from_0_is_told_of_later_edits_only)
{
    uint64_t id = create_node(s->a, "one", 0, 0, 0, 0);
    client_leave(s->watcher);
    assert_ok(ask_move(s->a, id, 1, 0, 0));
    client_forget(s->watcher);
    s->watcher->mirror.complete = 1000;
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_false(s->watcher->resumed);
    assert_int_equal(client_count(s->watcher, GZ_OP_EDIT), 1);
}

SCENE_TEST(test_resume_of_what_was_never_saved_starts_anew)
{
    (void)create_node(s->a, "one", 0, 0, 0, 0);
    s->host.disk = DISK_WAITS;
    assert_null(ask_create(s->a, "two", 0, NULL));
    assert_int_equal(s->watcher->mirror.count, 2);
    host_restart(&s->host, false);
    s->host.disk = DISK_COMMITS;
    client_resume(s->watcher);
    client_resume(s->a);
    host_turn(&s->host);
    assert_false(s->watcher->resumed);
    assert_int_equal(s->watcher->mirror.count, 1);
}

SCENE_TEST(test_resume_from_nowhere_starts_anew)
{
    static const struct {
        uint64_t epoch, ahead;
    } claims[] = {{1, 1}, {1, 1000000}, {2, 0}, {77, 0}};
    (void)create_node(s->a, "one", 0, 0, 0, 0);
    for (size_t i = 0; i < COUNT(claims); i++) {
        client_leave(s->watcher);
        s->watcher->epoch = claims[i].epoch;
        s->watcher->mirror.complete += claims[i].ahead;
        client_resume(s->watcher);
        host_turn(&s->host);
        assert_false(s->watcher->resumed);
        host_assert_equal(&s->host);
    }
}

SCENE_TEST(test_resume_from_before_forgotten_graves_starts_anew)
{
    uint64_t ids[4];
    for (size_t i = 0; i < COUNT(ids); i++) ids[i] = create_node(s->a, "n", 0, 0, 0, 0);
    client_leave(s->watcher);
    for (size_t i = 0; i < 3; i++) assert_ok(ask_delete(s->a, ids[i]));
    s->host.store.graves_max = 1;
    host_restart(&s->host, false);
    client_resume(s->watcher);
    client_resume(s->a);
    host_turn(&s->host);
    assert_false(s->watcher->resumed);
    assert_true(s->a->resumed); /* it has seen them go */
}

SCENE_TEST(test_large_stalled_past_forgotten_graves_starts_anew)
{
    const size_t count = GZ_TOMBSTONES_MAX + 100;
    s->a->stalled = true;
    create_many(s->a, count);
    host_turn(&s->host);
    uint64_t snapshots = s->watcher->mirror.snapshots;
    s->watcher->stalled = true;
    uint64_t *ids = calloc(count, sizeof *ids);
    assert_non_null(ids);
    for (size_t i = 0; i < count; i++) ids[i] = i + 1;
    struct gz_message delete = {.op = GZ_OP_DELETE, .remove = {ids + 1, count - 1}};
    client_say(s->a, &delete);
    host_turn(&s->host);
    free(ids);
    assert_int_equal(gz_core_summary(s->host.core).nodes, 1);
    s->a->stalled = s->watcher->stalled = false;
    host_turn(&s->host);
    assert_int_equal(s->watcher->mirror.snapshots, snapshots + 1);
    host_restart(&s->host, false);
    assert_int_equal(gz_core_summary(s->host.core).nodes,
                     1); /* the file was told of all that went */
}

/* ---- much at once ---- */

SCENE_TEST(test_snapshot_in_pieces_with_edits_in_between)
{
    create_many(s->a, MANY);
    assert_ok(ask_move(s->a, 1, 1, 2, 3)); /* the oldest by birth, the newest by change */
    s->watcher->stalled = true;
    struct client *late = client_enter(&s->host, "joe", GZ_ROLE_VIEWER, false);
    late->stalled = true;
    for (int i = 0; i < 3; i++) assert_true(client_read_one(late)); /* the welcome and two pieces */
    assert_true(late->mirror.more && late->mirror.count > 1000 && late->mirror.count < MANY / 2);
    uint64_t known = late->mirror.nodes[5].id, unknown = MANY - 5;
    assert_null(mirror_find(&late->mirror, unknown));
    assert_ok(ask_move(s->a, unknown, 1, 2, 3));
    assert_ok(ask_rename(s->a, unknown, "renamed"));
    assert_ok(ask_move(s->a, unknown, 3, 2, 1)); /* its name changed earlier than what was last */
    assert_ok(ask_move(s->a, known, 1, 2, 3));
    assert_ok(ask_delete(s->a, known + 1));
    assert_ok(ask_delete(s->a, unknown - 1));
    assert_ok(ask_create(s->a, "new", known, NULL));
    assert_ok(ask_hang(s->a, known + 2, unknown - 2));
    for (int i = 0; i < 3; i++) client_read_piece(late);
    assert_ok(ask_move(s->a, unknown, 3, 3, 3));
    late->stalled = s->watcher->stalled = false;
    host_turn(&s->host);
    assert_int_equal(late->mirror.snapshots, 1);
}

SCENE_TEST(test_snapshot_that_breaks_off_starts_anew)
{
    create_many(s->a, MANY);
    struct client *late = client_enter(&s->host, "joe", GZ_ROLE_VIEWER, false);
    late->stalled = true;
    for (int i = 0; i < 3; i++) assert_true(client_read_one(late));
    client_leave(late);
    assert_ok(ask_move(s->a, MANY, 1, 1, 1));
    client_resume(late);
    late->stalled = false;
    host_turn(&s->host);
    assert_false(late->resumed);
}

SCENE_TEST(test_catching_up_in_pieces_tells_each_node_whole)
{
    char name[GZ_NAME_BYTES_MAX / 4];
    create_many(s->a, MANY / 2);
    s->watcher->stalled = true;
    s->watcher->mirror.snapshots = 0;
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    rename_many(s->a, MANY / 2, name);
    assert_ok(ask_move(s->a, 1, 1, 2, 3)); /* renamed first, moved last */
    assert_true(client_read_one(s->watcher));
    assert_true(s->watcher->mirror.more);
    assert_ok(ask_move(s->a, MANY / 2, 1, 2, 3)); /* its new name was not told yet */
    assert_true(client_read_one(s->watcher));
    client_leave(s->watcher);
    client_resume(s->watcher); /* from the last complete state */
    assert_true(client_read_one(s->watcher));
    assert_true(s->watcher->resumed);
    assert_true(client_read_one(s->watcher));
    assert_ok(ask_move(s->a, MANY / 2 - 1, 1, 2, 3));
    s->watcher->stalled = false;
    host_turn(&s->host);
    assert_int_equal(s->watcher->mirror.snapshots, 0);
}

SCENE_TEST(test_stalled_viewer_gets_one_larger_delta)
{
    uint64_t id = create_node(s->a, "one", 0, 0, 0, 0);
    s->watcher->stalled = true;
    for (int i = 1; i <= 100; i++) assert_ok(ask_move(s->a, id, i, 0, 0));
    client_forget(s->watcher);
    s->watcher->stalled = false;
    host_turn(&s->host);
    assert_int_equal(client_count(s->watcher, GZ_OP_DELTA), 1);
    assert_int_equal(client_count(s->watcher, GZ_OP_EDIT), 100);
    assert_int_equal(client_last(s->watcher, GZ_OP_DELTA)->delta.count, 1);
}

TEST(test_viewers_at_one_place_share_their_bytes)
{
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
    assert_ok(ask_move(s.a, id, 2, 0, 0));
    struct client *late = client_join(&s.host, "joe", GZ_ROLE_VIEWER);
    client_come_as(late, false);
    client_come_as(s.watcher, false);
    assert_ok(ask_move(s.a, id, 3, 0, 0));
    host_advance(&s.host, 1); /* who is here is told */
    s.watcher->stalled = late->stalled = true;
    assert_ok(ask_move(s.a, id, 1, 0, 0));
    struct gz_bytes *first = gz_core_next_frame(s.host.core, s.watcher->session, s.host.now);
    assert_non_null(first);
    struct gz_bytes *second = gz_core_next_frame(s.host.core, late->session, s.host.now);
    assert_ptr_equal(second, first);
    gz_bytes_release(first);
    gz_bytes_release(second);
    host_finish(&s.host);
}

/* ---- how many frames ---- */

static size_t count_frames(const struct client *client)
{
    size_t count = 0;
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) count++;
    return count;
}

/* A hundred moves at 60 a second. After each of them the disk takes what is there. */
static void drag_on(struct scene *s)
{
    for (int i = 1; i <= 100; i++) {
        struct gz_message move = pointer_message(GZ_PHASE_MOVE, 400 + i, 300, (uint64_t)i);
        client_say(s->a, &move);
        host_advance(&s->host, 1 / 60.0);
    }
}

static void begin_drag(struct scene *s)
{
    const uint64_t id = create_node(s->a, "one", 0, 0, 0, 0);
    assert_ok(ask_camera(s->a, 10));
    assert_ok(ask_grab(s->a, GZ_TV, id, 400, 300));
    host_advance(&s->host, 1);
    client_forget(s->a);
    client_forget(s->watcher);
}

/* Neither what is saved nor who is here takes a frame of its own meanwhile, nor does the gizmo. */
SCENE_TEST(test_frames_of_a_drag_are_one_for_each_move)
{
    client_come_as(s->watcher, false);
    begin_drag(s);
    drag_on(s);
    assert_int_equal(client_count(s->watcher, GZ_OP_DELTA), 100);
    assert_true(client_count(s->watcher, GZ_OP_PRESENCE) > 20);
    assert_true(client_count(s->a, GZ_OP_GIZMO) > 90);
    assert_int_equal(count_frames(s->watcher), 100);
    assert_int_equal(count_frames(s->a), 100);
}

SCENE_TEST(test_saved_is_told_alone_after_a_tenth_of_a_second_without_a_frame)
{
    begin_drag(s);
    drag_on(s);
    const uint64_t seq = s->watcher->mirror.seq;
    client_forget(s->watcher);
    host_advance(&s->host, 0.06); /* the pointer is shown to others */
    assert_true(s->watcher->saved < seq);
    host_advance(&s->host, 0.11);
    assert_true(s->watcher->saved == seq);
    host_advance(&s->host, 1);
    assert_int_equal(client_count(s->watcher, GZ_OP_SAVED), 1);
}

/* ---- who is here ---- */

SCENE_TEST(test_presence_tells_who_is_here)
{
    client_come_as(s->watcher, false);
    uint64_t id = create_node(s->a, "one", 0, 0, 0, 0);
    assert_ok(ask_camera(s->a, 10));
    assert_ok(ask_grab(s->a, GZ_TXY, id, MIDDLE_X, MIDDLE_Y));
    host_advance(&s->host, 0.1);
    const struct gz_message *message = client_last(s->watcher, GZ_OP_PRESENCE);
    assert_int_equal(message->presence.count, 1); /* only who changed */
    const struct gz_presence_user *user = &message->presence.users[0];
    assert_int_equal(user->session, s->a->id);
    assert_memory_equal(user->user.bytes, "ann", 3);
    assert_int_equal(user->locks.ids[0], id);
    assert_int_equal(user->selection.ids[0], id);
    assert_true(user->at[0] == MIDDLE_X);
    assert_true(user->view[14] == -10);
    struct client *late = client_join(&s->host, "joe", GZ_ROLE_VIEWER);
    host_advance(&s->host, 0.1);
    assert_int_equal(late->present_count, 2); /* oneself included; the watcher only watches */
    client_leave(s->a);
    host_advance(&s->host, 0.1);
    assert_int_equal(late->present_count, 1);
    assert_int_equal(s->watcher->present_count, 1);
}

SCENE_TEST(test_presence_is_told_twenty_times_a_second)
{
    client_come_as(s->watcher, false);
    assert_ok(ask_camera(s->a, 10));
    host_advance(&s->host, 1);
    client_forget(s->watcher);
    for (int i = 0; i < 1000; i++) {
        struct gz_message hover = pointer_message(GZ_PHASE_HOVER, i % 800, 10, 0);
        client_say(s->a, &hover);
        host_advance(&s->host, 0.001);
    }
    size_t told = client_count(s->watcher, GZ_OP_PRESENCE);
    assert_true(told >= 19 && told <= 21);
    host_advance(&s->host, 0.1);
    assert_true(client_last(s->watcher, GZ_OP_PRESENCE)->presence.users[0].at[0] ==
                999 % 800); /* the latest wins */
}

SCENE_TEST(test_large_presence_larger_than_a_frame_is_told_in_pieces)
{
    const int crowd = 150;
    create_many(s->a, MANY);
    uint64_t *ids = calloc(MANY, sizeof *ids);
    assert_non_null(ids);
    for (uint64_t i = 0; i < MANY; i++) ids[i] = i + 1;
    struct gz_message select = {.op = GZ_OP_SELECT, .select = {{ids, MANY}, GZ_HOW_SET}};
    for (int i = 0; i < crowd; i++) {
        char user[16]; /* each with a budget of its own */
        snprintf(user, sizeof user, "crowd %d", i);
        struct client *client = client_enter(&s->host, user, GZ_ROLE_VIEWER, false);
        client->stalled = true;
        client_say(client, &select);
    }
    free(ids);
    assert_true((size_t)crowd * MANY * 3 > GZ_FRAME_BYTES_MAX);
    host_advance(&s->host, 1);
    assert_int_equal(s->watcher->present_count, crowd + 2);
    assert_ok(ask_move(s->a, 1, 1, 1, 1));
    assert_true(mirror_find(&s->watcher->mirror, 1)->content.trs.t.x == 1);
}

/* ---- limits of one client ---- */

TEST(test_rate_drops_says_and_ends)
{
    struct host host;
    host_init_limited(&host, 10);
    struct client *client = client_join(&host, "ann", GZ_ROLE_EDITOR),
                  *other = client_join(&host, "bob", GZ_ROLE_EDITOR);
    struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID};
    for (ping.rid = 1; ping.rid <= 30; ping.rid++) client_say(client, &ping);
    host_turn(&host);
    assert_int_equal(client_count(client, GZ_OP_OK), 10);
    assert_int_equal(client_count(client, GZ_OP_ERROR), 1); /* once a second */
    assert_int_equal(client_last(client, GZ_OP_ERROR)->error.code, GZ_RATE_LIMITED);
    assert_ok(ask_op(other, GZ_OP_PING));
    host_advance(&host, 2);
    assert_ok(ask_op(client, GZ_OP_PING)); /* a pause, and all is well */
    int steps = 0;
    for (; gz_session_end_reason(client->session) == NULL && steps < 1000; steps++) {
        for (int i = 0; i < 10; i++) client_say(client, &ping);
        host_advance(&host, 0.1);
    }
    assert_true(steps >= 100 && steps <= 120);
    const struct gz_message *error = client_last(client, GZ_OP_ERROR);
    assert_int_equal(error->error.code, GZ_RATE_LIMITED);
    assert_true(error->error.fatal);
    assert_ok(ask_op(other, GZ_OP_PING));
    host_finish(&host);
}

/* What is over the rate is not decoded and gives nobody a turn, but once a second, when it is
 * said. */
TEST(test_rate_drops_cost_no_turn)
{
    static const uint8_t ping[] = {0x81, 0xA2, 'o', 'p', 0xA4, 'p', 'i', 'n', 'g'},
                         nonsense[] = {0xC1, 0xC1};
    struct host host;
    host_init_limited(&host, 10);
    struct client *client = client_join(&host, "ann", GZ_ROLE_EDITOR);
    for (int i = 0; i < 9; i++) assert_true(client_say_bytes(client, ping, sizeof ping));
    assert_true(client_say_bytes(client, nonsense, sizeof nonsense));
    host_turn(&host);
    assert_int_equal(client_last(client, GZ_OP_ERROR)->error.code, GZ_BAD_MESSAGE);
    assert_true(client_say_bytes(client, nonsense, sizeof nonsense));
    for (int i = 0; i < 30; i++) assert_false(client_say_bytes(client, nonsense, sizeof nonsense));
    host_turn(&host);
    assert_int_equal(client_last(client, GZ_OP_ERROR)->error.code, GZ_RATE_LIMITED);
    assert_int_equal(client_count(client, GZ_OP_ERROR), 2);
    host.now.mono_s += 0.1; /* one more, in a frame with what is over */
    uint8_t both[sizeof ping + sizeof nonsense];
    memcpy(both, ping, sizeof ping);
    memcpy(both + sizeof ping, nonsense, sizeof nonsense);
    assert_true(client_say_bytes(client, both, sizeof both));
    host_turn(&host);
    assert_int_equal(client_count(client, GZ_OP_ERROR), 2);
    host_finish(&host);
}

/* A client that stops in time is told of the last message that was dropped as well, once: it waits
 * for an answer otherwise. */
TEST(test_rate_drops_are_told_after_a_second_at_most)
{
    struct host host;
    host_init_limited(&host, 10);
    struct client *client = client_join(&host, "ann", GZ_ROLE_EDITOR);
    struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID};
    for (ping.rid = 1; ping.rid <= 11; ping.rid++) client_say(client, &ping);
    host_turn(&host);
    assert_int_equal(client_count(client, GZ_OP_ERROR), 1);
    host_advance(&host, 0.5);
    for (; ping.rid <= 20; ping.rid++) client_say(client, &ping);
    host_turn(&host);
    assert_int_equal(client_count(client, GZ_OP_ERROR), 1);
    assert_true(gz_core_deadline(host.core) <= host.now.mono_s + 0.5);
    host_advance(&host, 0.4);
    assert_int_equal(client_count(client, GZ_OP_ERROR), 1);
    host_advance(&host, 0.2);
    assert_int_equal(client_count(client, GZ_OP_ERROR), 2);
    assert_int_equal(client_last(client, GZ_OP_ERROR)->error.code, GZ_RATE_LIMITED);
    assert_true(gz_core_deadline(host.core) > host.now.mono_s + 1);
    host_advance(&host, 3);
    assert_int_equal(client_count(client, GZ_OP_ERROR), 2);
    host_finish(&host);
}

/* Small messages may be large work: what looks at a whole large scene counts for more than a
 * ping. */
TEST(test_rate_counts_picks_by_the_size_of_the_scene)
{
    struct host host;
    host_init_limited(&host, 100);
    struct client *client = client_join(&host, "ann", GZ_ROLE_EDITOR);
    struct gz_message pick = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RAY, .pick.ray = {0, 0, 9, 0, 0, 1}};
    create_many(client, 20 * GZ_NODES_PER_MESSAGE);
    assert_true(20 < GZ_BOXES_PER_NODE);
    host_advance(&host, 5);
    for (int i = 0; i < 50; i++)
        client_say(client, &pick); /* without rid nobody would hear the answer: no work */
    pick.has |= GZ_HAS_RID;
    for (pick.rid = 1; pick.rid <= 20; pick.rid++) client_say(client, &pick);
    host_turn(&host);
    /* Each takes less than 2 for passing over all of them, the first 20 more for finding out where
     * they are. */
    assert_int_equal(client_count(client, GZ_OP_OK), 20);
    client_forget(client);
    host_advance(&host, 2);
    pick.pick.ray[5] = -1; /* now it meets all of them: 20 more for the look, 40 for the answer */
    for (pick.rid = 1; pick.rid <= 20; pick.rid++) client_say(client, &pick);
    host_turn(&host);
    assert_int_equal(client_count(client, GZ_OP_OK), 2); /* the last one leaves a debt */
    assert_int_equal(client_count(client, GZ_OP_ERROR), 18);
    assert_int_equal(client_last(client, GZ_OP_ERROR)->error.code, GZ_RATE_LIMITED);
    assert_int_equal(client_last(client, GZ_OP_ERROR)->rid, 20); /* each is answered */
    struct gz_message all = {.op = GZ_OP_INTEREST, .has = GZ_HAS_RID};
    client_forget(client);
    host_advance(&host, 2);
    for (all.rid = 1; all.rid <= 20; all.rid++) client_say(client, &all);
    host_turn(&host);
    assert_int_equal(client_count(client, GZ_OP_OK), 5); /* 20 each */
    host_finish(&host);
}

TEST(test_ended_session_holds_nothing)
{
    struct host host;
    host_init_limited(&host, 10);
    struct client *client = client_join(&host, "ann", GZ_ROLE_EDITOR);
    struct client *other = client_join(&host, "bob", GZ_ROLE_EDITOR);
    uint64_t id = create_node(client, "one", 0, 0, 0, 0);
    assert_ok(ask_camera(client, 10));
    assert_ok(ask_camera(other, 10));
    assert_ok(ask_grab(client, GZ_TXY, id, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(client, GZ_PHASE_MOVE, MIDDLE_X + 30, MIDDLE_Y));
    struct gz_message ping = {.op = GZ_OP_PING};
    while (gz_session_end_reason(client->session) == NULL) {
        for (int i = 0; i < 10; i++) client_say(client, &ping);
        host_advance(&host, 0.1);
    }
    assert_ok(ask_grab(other, GZ_TXY, id, MIDDLE_X,
                       MIDDLE_Y)); /* although its connection is still there */
    assert_true(host_node(&host, id).trs.t.x == 1);
    host_finish(&host);
}

/* Each answer is the largest that is one message. */
static const struct gz_message pick_all = {.op = GZ_OP_PICK,
                                           .has = GZ_HAS_PICK_RECT | GZ_HAS_RID,
                                           .rid = 7,
                                           .pick.rect = {0, 0, 800, 600}};

SCENE_TEST(test_large_answers_not_taken_end_a_session)
{
    create_many(s->a, GZ_HITS_PER_MESSAGE);
    assert_ok(ask_camera(s->watcher, 10));
    assert_ok(ask_camera(s->a, 10));
    s->watcher->stalled = true;
    assert_false(gz_session_is_full(s->watcher->session));
    for (int i = 0; i < 10; i++) client_say(s->watcher, &pick_all);
    assert_true(gz_session_is_full(s->watcher->session));
    for (int i = 0; i < 2000 && gz_session_end_reason(s->watcher->session) == NULL; i++) {
        s->host.now.mono_s += 1;
        client_say(s->watcher, &pick_all);
        gz_core_turn(s->host.core, s->host.now);
    }
    assert_non_null(gz_session_end_reason(s->watcher->session));
    assert_ok(ask_move(s->a, 1, 1, 1, 1)); /* and the others still answer */
}

TEST(test_large_answers_taken_slowly_are_no_end)
{
    struct scene s;
    size_t bytes = 0;
    open_scene(&s);
    create_many(s.a, GZ_HITS_PER_MESSAGE);
    assert_ok(ask_camera(s.watcher, 10));
    s.watcher->stalled = true;
    client_say(s.watcher, &pick_all);
    while (bytes < GZ_OUTBOX_BYTES_MAX + GZ_OUTBOX_BYTES_MAX / 4) {
        s.host.now.mono_s += 1; /* what the last one cost */
        client_say(s.watcher, &pick_all);
        gz_core_turn(s.host.core, s.host.now);
        struct gz_bytes *frame = gz_core_next_frame(s.host.core, s.watcher->session, s.host.now);
        size_t offset = 0;
        struct gz_arena arena;
        struct gz_message message;
        gz_arena_init(&arena, SIZE_MAX / 2);
        assert_int_equal(
            gz_decode(GZ_FROM_SERVER, frame->data, frame->size, &offset, &arena, &message, NULL),
            GZ_OK);
        assert_int_equal(message.ok.hit_count % GZ_HITS_PER_MESSAGE, 0);
        gz_arena_finish(&arena);
        bytes += frame->size;
        gz_bytes_release(frame);
    }
    assert_null(gz_session_end_reason(s.watcher->session));
    host_finish(&s.host);
}

/* Much more than an outbox holds: what waits is a piece at a time, and what everybody is told comes
 * in between. */
SCENE_TEST(test_large_answer_larger_than_the_outbox_is_told_piece_by_piece)
{
    create_many(s->a, MANY);
    char name[GZ_NAME_BYTES_MAX + 1];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    rename_many(s->a, 2 * GZ_CHANGES_PER_MESSAGE, name);
    host_advance(&s->host, 1);
    struct gz_edit_record edits[150]; /* each of them is told in two parts */
    for (size_t i = 0; i < COUNT(edits); i++)
        edits[i] = s->host.store.edits[s->host.store.edit_count - 1];
    struct gz_answer answer = {.edits = edits, .edit_count = COUNT(edits)};
    s->host.past_waits = true;
    assert_null(ask_op(s->watcher, GZ_OP_HISTORY));
    s->watcher->stalled = true;
    gz_core_answered(s->host.core, s->host.questions[0].ticket, &answer, s->host.now);
    s->host.question_count = 0;
    size_t bytes = 0, frames = 0, told = 0, moves = 0, last_move = 0;
    bool more = true;
    for (; more; frames++) {
        if (frames % 10 == 0) assert_ok(ask_move(s->a, 1, (double)++moves, 0, 0));
        assert_false(gz_session_is_full(s->watcher->session));
        if (!client_read_one(s->watcher)) {
            host_turn(&s->host); /* a turn makes only so many bytes of it */
            assert_true(client_read_one(s->watcher));
        }
        for (const struct heard *heard = s->watcher->heard; heard != NULL; heard = heard->next) {
            for (size_t i = 0; i < heard->count; i++) {
                const struct gz_message *message = &heard->messages[i];
                if (message->op == GZ_OP_DELTA) last_move = moves;
                if (message->op != GZ_OP_OK) continue;
                told += message->ok.edit_count;
                more = message->ok.more;
                bytes += message->ok.edit_count * message->ok.edits[0].change_count * sizeof name;
            }
        }
        client_forget(s->watcher);
    }
    assert_int_equal(told, 2 * COUNT(edits));
    assert_true(bytes > GZ_OUTBOX_BYTES_MAX);
    assert_true(moves > 10 && last_move == moves);
    s->watcher->stalled = false;
}

/* Who asks again while it is still being told is answered after that. */
SCENE_TEST(test_questions_wait_until_the_last_answer_is_told)
{
    create_many(s->a, MANY);
    host_advance(&s->host, 1);
    struct gz_message at = {
        .op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = gz_core_summary(s->host.core).seq};
    s->watcher->stalled = true;
    assert_null(client_ask(s->watcher, &at));
    assert_null(client_ask(s->watcher, &at));
    assert_int_equal(s->host.question_count,
                     0); /* one is answered, and is not told yet; the other was not asked */
    s->watcher->stalled = false;
    host_turn(&s->host);
    size_t nodes = 0;
    for (const struct heard *heard = s->watcher->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++)
            if (heard->messages[i].op == GZ_OP_OK) nodes += heard->messages[i].ok.node_count;
    }
    assert_int_equal(nodes, 2 * MANY);
}

TEST(test_end_of_all_says_bye_and_keeps_edits)
{
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.a, "one", 0, 0, 0, 0);
    assert_ok(ask_camera(s.a, 10));
    assert_ok(ask_grab(s.a, GZ_TXY, id, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s.a, GZ_PHASE_MOVE, MIDDLE_X + 30, MIDDLE_Y));
    struct gz_bye bye = {.reason = {"going", 5}, .retry_s = 2};
    gz_core_end_all(s.host.core, &bye, s.host.now);
    host_turn(&s.host);
    assert_true(gz_core_is_idle(s.host.core));
    assert_true(client_last(s.watcher, GZ_OP_BYE)->bye.retry_s == 2);
    assert_string_equal(gz_session_end_reason(s.a->session), "going");
    assert_true(s.host.store.edits[s.host.store.edit_count - 1].changes[0].after.trs.t.x == 1);
    host_finish(&s.host);
}

/* Only who is connected to this server is sent to another one: the others come back to theirs. */
TEST(test_end_of_all_names_another_server_to_its_own_clients)
{
    struct scene s;
    open_scene(&s);
    gz_session_set_relayed(s.watcher->session);
    struct gz_bye bye = {.reason = {"moved", 5}, .url = {"https://b.example", 17}};
    gz_core_end_all(s.host.core, &bye, s.host.now);
    host_turn(&s.host);
    const struct gz_message *told = client_last(s.a, GZ_OP_BYE);
    assert_true((told->has & GZ_HAS_BYE_URL) != 0);
    assert_memory_equal(told->bye.url.bytes, "https://b.example", 17);
    assert_true((client_last(s.watcher, GZ_OP_BYE)->has & GZ_HAS_BYE_URL) == 0);
    host_finish(&s.host);
}

/* What it says that it heard of is of a history that this server does not know: it is as if it were
 * not there. */
TEST(test_resume_edit_of_an_unknown_epoch_tells_of_no_past_edit)
{
    struct host host;
    host_init(&host);
    struct client *ann = client_join(&host, "ann", GZ_ROLE_EDITOR),
                  *bob = client_join(&host, "bob", GZ_ROLE_EDITOR);
    uint64_t id = create_node(ann, "piston", 0, 0, 0, 0);
    assert_ok(ask_move(ann, id, 1, 0, 0));
    uint64_t epoch = bob->epoch, first = host.store.edits[0].seq;
    for (int known = 0; known < 2; known++) {
        client_leave(bob);
        client_forget(bob);
        bob->epoch = known ? epoch : epoch + 1000;
        bob->edit = first;
        client_resume(bob);
        host_turn(&host);
        assert_int_equal(bob->resumed, known);
        assert_int_equal(client_count(bob, GZ_OP_EDIT), known); /* the one after it */
    }
    host_assert_equal(&host);
    host_finish(&host);
}
