/* What allocates and what does not, and what happens where there is no memory: the request is
 * refused or the session ended, and everything hangs together afterwards. */
#include <stdlib.h>
#include <string.h>

#include "support/cmocka.h"

#include <malloc.h>

#include "core/session.h"
#include "feed/interest_set.h"
#include "server/maxima.h"
#include "unit/core/saying.h"

#define VIEWERS 200
#define MOVES 1000
#define FAILURES_MAX 2000
#define FIRST_BYTES 512 /* of a buffer */

/* ---- the hand on the core's memory (linked with --wrap) ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

static size_t taken;   /* pieces of memory that the core asked for */
static size_t failing; /* which of them it does not get; 0: it gets all */
static bool in_the_core;

static long long held; /* bytes that the core has and gave not back */

static bool is_refused(void)
{
    return in_the_core && ++taken == failing;
}

static void *count_bytes(void *memory)
{
    if (in_the_core) held += (long long)malloc_usable_size(memory);
    return memory;
}

static void uncount_bytes(void *memory)
{
    if (in_the_core) held -= (long long)malloc_usable_size(memory);
}

void *__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : count_bytes(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : count_bytes(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (is_refused()) return NULL;
    uncount_bytes(memory);
    return count_bytes(__real_realloc(memory, size));
}

void __wrap_free(void *memory)
{
    uncount_bytes(memory);
    __real_free(memory);
}

static void handle_core(bool inside)
{
    in_the_core = inside;
}

/* ---- the steady state ---- */

static void say_move(struct client *client, double x, uint64_t n)
{
    uint8_t bytes[256];
    struct gz_buffer out = {.data = bytes, .capacity = sizeof bytes, .max = sizeof bytes};
    struct gz_message move = pointer_message(GZ_PHASE_MOVE, x, MIDDLE_Y, n);
    assert_int_equal(gz_encode(&out, &move), GZ_OK);
    client_say_bytes(client, out.data, out.size);
}

/* How often memory was asked for a frame that was made for one alone: at first, and each time that
 * it doubled. */
static size_t takes_of(const struct gz_bytes *frame)
{
    size_t takes = 1;
    if (gz_bytes_are_shared(frame)) return 0;
    for (size_t bytes = FIRST_BYTES; bytes < frame->capacity; bytes *= 2) takes++;
    return takes;
}

/* Takes all that is there and forgets it; gives the bytes of the last frame. Adds to *alone what
 * the frames for this client alone took. */
static const uint8_t *drop_frames(struct host *host, struct client *client, size_t *frames,
                                  size_t *alone)
{
    const uint8_t *bytes = NULL;
    struct gz_bytes *frame;
    for (*frames = 0; (frame = gz_core_next_frame(host->core, client->session, host->now)) != NULL;
         ++*frames) {
        bytes = frame->data;
        *alone += takes_of(frame);
        gz_bytes_release(frame);
    }
    return bytes;
}

/* A drag that runs before a crowd, and a disk that is busy. */
static struct client *open_drag(struct host *host)
{
    host_init(host);
    struct client *dragging = client_join(host, "ann", GZ_ROLE_EDITOR);
    assert_ok(ask_camera(dragging, 10));
    uint64_t id = create_node(dragging, "one", 0, 0, 0, 0);
    for (int i = 0; i < VIEWERS; i++) {
        struct client *viewer = client_join(host, "wes", GZ_ROLE_VIEWER);
        viewer->stalled = true;
    }
    host_advance(host, 1);
    host->disk = DISK_WAITS;
    assert_ok(ask_grab(dragging, GZ_TXY, id, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(dragging, GZ_PHASE_MOVE, MIDDLE_X + 1, MIDDLE_Y));
    host_advance(host, 1);
    return dragging;
}

/* Returns how often memory was asked for frames for one alone. */
static size_t drag_on(struct host *host, struct client *dragging, uint64_t moves)
{
    size_t frames, alone = 0;
    for (uint64_t n = 1; n <= moves; n++) {
        say_move(dragging, MIDDLE_X + (double)n / 10, n);
        host->now.mono_s += 0.001;
        host->now.unix_s += 0.001;
        in_the_core = true;
        gz_core_turn(host->core, host->now);
        for (struct client *client = host->clients; client != NULL; client = client->next)
            (void)drop_frames(host, client, &frames, &alone);
        in_the_core = false;
    }
    return alone;
}

/* The frames that all share are made in the memory of earlier ones. */
TEST(test_steady_drag_allocates_frames_for_one_alone)
{
    struct host host;
    struct client *dragging = open_drag(&host);
    drag_on(&host, dragging, 100);
    host.handle_core = handle_core;
    taken = 0;
    const size_t alone = drag_on(&host, dragging, MOVES);
    assert_in_range(alone, 1, 2 * MOVES);
    assert_int_equal(taken, alone);
    host_finish(&host);
}

/* The same before viewers of whom each follows a part, in which the node moves, or out of which it
 * is dragged and back in: each has frames of its own. */
TEST(test_steady_drag_through_parts_allocates_frames_for_one_alone)
{
    struct host host;
    struct client *dragging = open_drag(&host);
    double edge = 0;
    for (struct client *client = host.clients; client != NULL; client = client->next) {
        struct gz_message box = {.op = GZ_OP_INTEREST,
                                 .has = GZ_HAS_INTEREST_BOX | GZ_HAS_RID,
                                 .rid = client->next_rid++};
        box.interest.box = (gz_box){{edge, -9, -9}, {edge + 1, 9, 9}};
        if (client != dragging) client_say(client, &box);
        edge = edge < 3 ? edge + 0.1 : 0;
    }
    drag_on(&host, dragging, MOVES);
    host.handle_core = handle_core;
    taken = 0;
    const size_t alone = drag_on(&host, dragging, MOVES);
    assert_true(alone > 2 * MOVES);
    assert_int_equal(taken, alone);
    host_finish(&host);
}

/* All who read the same form. */
TEST(test_steady_turn_is_one_frame_for_all)
{
    struct host host;
    struct client *dragging = open_drag(&host);
    drag_on(&host, dragging, 100);
    for (uint64_t turn = 0; turn < 20; turn++) {
        for (uint64_t n = 0; n < 5; n++)
            say_move(dragging, MIDDLE_X + (double)(turn * 5 + n), 1000 + turn * 5 + n);
        gz_core_turn(host.core, host.now);
        const uint8_t *shared_by_form[2] = {NULL};
        for (struct client *client = host.clients; client != NULL; client = client->next) {
            size_t frames, alone = 0;
            const uint8_t **shared = &shared_by_form[client->packed != NULL];
            if (client == dragging) continue;
            const uint8_t *bytes = drop_frames(&host, client, &frames, &alone);
            assert_int_equal(frames, 1);
            assert_int_equal(alone, 0);
            if (*shared == NULL) *shared = bytes;
            assert_ptr_equal(bytes, *shared);
        }
    }
    host_finish(&host);
}

/* ---- what a part costs ---- */

#define CROWD 20000
#define BYTES_PER_NODE                                                                             \
    128 /* of the part: its entry, and the news of it while there are any; nothing for the other   \
           nodes */

static void ask_interest(struct client *client, double size)
{
    struct gz_message message = {.op = GZ_OP_INTEREST};
    if (size > 0) message.has = GZ_HAS_INTEREST_BOX;
    message.interest.box = (gz_box){{-0.5, -1, -1}, {size - 0.5, 1, 1}};
    assert_ok(client_ask(client, &message));
    client_forget(client);
}

TEST(test_part_takes_memory_by_its_size)
{
    struct host host;
    host_init_limited(&host, 1e9);
    struct client *a = client_join(&host, "ann", GZ_ROLE_EDITOR),
                  *b = client_join(&host, "bob", GZ_ROLE_VIEWER);
    struct gz_create_node *nodes = calloc(CROWD, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < CROWD; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_T, .name = {"n", 1}};
        nodes[i].trs.t.x = (double)i;
    }
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, CROWD}};
    client_say(a, &create);
    host_turn(&host);
    free(nodes);
    ask_interest(a, 1); /* so that what all of them share is there */
    ask_interest(a, CROWD);
    ask_interest(a, 0);
    host.handle_core = handle_core;
    long long before = held;
    static const double sizes[] = {10, 1000, CROWD, 1000, 10};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        ask_interest(b, sizes[i]);
        assert_int_equal(b->mirror.count, (size_t)sizes[i]);
        assert_true(held - before < BYTES_PER_NODE * sizes[i] + 8192);
    }
    const long long of_ten = held;
    ask_interest(b, 0);
    assert_true(held < of_ten);
    assert_true(held - before < 4096);
    ask_interest(b, 1000);
    client_leave(b);
    host_turn(&host);
    assert_true(held - before < 4096);
    host.handle_core = NULL;
    host_finish(&host);
}

static void pose_at(struct gz_scene *scene, uint64_t id, double x)
{
    gz_trs trs = gz_trs_identity;
    trs.t.x = x;
    gz_scene_pose(scene, gz_scene_find(scene, id), &trs, 1);
}

/* A viewer that takes its news more slowly than they come, and never all of them. */
TEST(test_news_that_are_never_all_taken_take_bounded_memory)
{
    enum { NODES = 100 };
    struct gz_scene_state nothing = {.next_node = 1};
    struct gz_scene *scene = gz_scene_create(&nothing);
    struct gz_interest_set *interest_set = gz_interest_set_create();
    struct gz_region region = {.kind = GZ_REGION_BOX, .box = {{-1, -1, -1}, {1, 1, 1}}};
    struct gz_failure failure;
    assert_true(scene != NULL && interest_set != NULL &&
                gz_interest_set_choose(interest_set, &region));
    for (uint64_t id = 1; id <= NODES; id++) {
        struct gz_change change = {.node = id,
                                   .exists = true,
                                   .after = {.name = "n", .trs = gz_trs_identity, .asset = -1}};
        assert_int_equal(gz_scene_apply(scene, &change, 1, 1, &failure), GZ_OK);
    }
    in_the_core = true;
    long long before = held;
    for (uint64_t i = 0; i < 100000; i++) {
        bool gone;
        pose_at(scene, 1 + i % NODES, i / NODES % 2 == 0 ? 5 : 0);
        pose_at(scene, 1 + i * 7 % NODES, i / NODES % 2 == 0 ? 0 : 5);
        assert_true(gz_interest_set_update(interest_set, scene));
        (void)gz_interest_set_next_news(interest_set, gz_scene_seq(scene), &gone);
    }
    assert_true(gz_interest_set_has_news(interest_set));
    assert_true(held - before < NODES * BYTES_PER_NODE + 8192);
    in_the_core = false;
    gz_interest_set_destroy(interest_set);
    gz_scene_destroy(scene);
}

/* ---- no memory ---- */

struct scene {
    struct host host;
    struct client *a, *b;
    uint64_t one, two;
};

static void do_set(struct scene *s)
{
    (void)ask_move(s->a, s->one, 5, 5, 5);
}
static void do_rename(struct scene *s)
{
    (void)ask_rename(s->a, s->two, "a name that is somewhat longer than the one before");
}
static void do_create(struct scene *s)
{
    (void)ask_create(s->a, "three", s->one, "key");
}
static void do_delete(struct scene *s)
{
    (void)ask_delete(s->a, s->one);
}
static void do_undo(struct scene *s)
{
    (void)ask_undo(s->a, true);
}
static void do_drag(struct scene *s)
{
    (void)ask_grab(s->a, GZ_TXY, s->one, MIDDLE_X, MIDDLE_Y);
    (void)ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + 30, MIDDLE_Y);
    host_advance(&s->host, 0.1);
    (void)ask_pointer(s->a, GZ_PHASE_UP, MIDDLE_X + 60, MIDDLE_Y);
}
static void do_leave_dragging(struct scene *s)
{
    (void)ask_grab(s->a, GZ_TXY, s->one, MIDDLE_X, MIDDLE_Y);
    (void)ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + 30, MIDDLE_Y);
    client_leave(s->a);
}
static void do_wheel(struct scene *s)
{
    (void)ask_select(s->a, s->two);
    (void)ask_wheel(s->a, 2);
    host_advance(&s->host, 1);
}
static void do_restore(struct scene *s)
{
    struct gz_message restore = {.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore = {.seq = 1}};
    (void)client_ask(s->a, &restore);
}
static void do_history(struct scene *s)
{
    (void)ask_op(s->b, GZ_OP_HISTORY);
}
static void do_cancel(struct scene *s)
{
    (void)ask_grab(s->a, GZ_TXY, s->one, MIDDLE_X, MIDDLE_Y);
    (void)ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + 30, MIDDLE_Y);
    host_advance(&s->host, 0.1);
    (void)ask_pointer(s->a, GZ_PHASE_CANCEL, 0, 0);
}
static void do_refused(struct scene *s)
{
    s->host.disk = DISK_WAITS;
    (void)ask_delete(s->b, s->two);
    (void)ask_create(s->b, "three", s->one, NULL);
    do_drag(s);
    host_settle(&s->host, false);
    s->host.disk = DISK_COMMITS;
}
static void do_notes(struct scene *s)
{
    (void)ask_note(s->a, "here", "key");
    (void)ask_note(s->b, "there", NULL);
    (void)ask_done(s->a, 1, true);
    (void)ask_gone(s->b, 2);
    (void)ask_note(s->a, "here", "key");
}
static void do_notes_refused(struct scene *s)
{
    s->host.disk = DISK_WAITS;
    (void)ask_note(s->a, "here", "key");
    (void)ask_done(s->b, 1, true);
    (void)ask_done(s->b, 1, true);
    host_settle(&s->host, false);
    s->host.disk = DISK_COMMITS;
}
static void do_resume(struct scene *s)
{
    client_leave(s->b);
    client_resume(s->b);
}

/* Into a part, out of it and back to the whole, while the scene changes. */
static void do_interest(struct scene *s)
{
    struct gz_message box = {.op = GZ_OP_INTEREST,
                             .has = GZ_HAS_INTEREST_BOX,
                             .interest.box = {{-1, -1, -1}, {1, 1, 1}}};
    struct gz_message whole = {.op = GZ_OP_INTEREST};
    (void)client_ask(s->b, &box);
    struct gz_create_node nodes[100];
    for (size_t i = 0; i < COUNT(nodes); i++)
        nodes[i] = (struct gz_create_node){.name = {"many", 4}};
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, COUNT(nodes)}};
    (void)client_ask(s->a, &create);
    (void)ask_move(s->a, s->one, 5, 5, 5);
    (void)client_ask(s->b, &whole);
}
static void do_pick(struct scene *s)
{
    struct gz_message pick = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_AT, .pick.at = {MIDDLE_X, MIDDLE_Y}};
    (void)client_ask(s->a, &pick);
    (void)ask_pointer(s->a, GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y);
}

static void (*const doings[])(struct scene *s) = {
    do_set,           do_rename,   do_create,  do_delete, do_undo,    do_drag,   do_leave_dragging,
    do_wheel,         do_restore,  do_history, do_cancel, do_refused, do_resume, do_notes,
    do_notes_refused, do_interest, do_pick,
};

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    assert_ok(ask_camera(s->a, 10));
    s->one = create_node(s->a, "one", 0, 0, 0, 0);
    s->two = create_node(s->a, "two", s->one, 0, 0, 0);
    assert_ok(ask_move(s->a, s->two, 1, 1, 1));
    host_advance(&s->host, 1);
}

/* Who was ended, or could not come in, comes back. */
static void bring_back(struct client *client)
{
    if (client->session != NULL && gz_session_end_reason(client->session) != NULL)
        client_leave(client);
    if (client->session == NULL) client_resume(client);
}

/* Whether the n-th piece of memory was asked for at all. */
static bool fail_once(size_t doing, size_t n)
{
    struct scene s;
    open_scene(&s);
    s.host.handle_core = handle_core;
    taken = 0;
    failing = n;
    doings[doing](&s);
    host_turn(&s.host);
    bool reached = taken >= n;
    failing = 0;
    s.host.handle_core = NULL;
    bring_back(s.a);
    bring_back(s.b);
    host_advance(&s.host, 2);
    host_assert_equal(&s.host);
    assert_ok(ask_create(s.b, "after", 0, NULL)); /* and the others still answer */
    client_leave(s.a);
    host_advance(&s.host, 2);
    assert_int_equal(s.host.store.open_count, 0);
    host_restart(&s.host, true);
    host_finish(&s.host);
    return reached;
}

TEST(test_memory_failing_anywhere_is_survived)
{
    for (size_t i = 0; i < COUNT(doings); i++) {
        size_t n = 1;
        while (n < FAILURES_MAX && fail_once(i, n)) n++;
        assert_true(n > 1 && n < FAILURES_MAX);
    }
}

/* Nobody takes frames and nothing is said: only who comes and goes. */
static void come_and_go(struct host *host, size_t times)
{
    struct gz_message hello = {.op = GZ_OP_HELLO,
                               .hello = {.v = GZ_PROTOCOL_VERSION, .user = {"flo", 3}}};
    const struct gz_claims claims = gz_claims_open("flo", 3, GZ_ROLE_EDITOR);
    struct gz_session *session;
    struct gz_error error;
    for (; times > 0; times--) {
        uint64_t id = host->next_session++;
        assert_int_equal(
            gz_core_join(host->core, id, &hello, &claims, NULL, host->now, &session, &error),
            GZ_OK);
        gz_core_leave(host->core, session, host->now);
    }
}

/* Who came and went while the disk took nothing is forgotten where there are too many; who is
 * there, and whose edits are, is not. */
TEST(test_memory_of_visits_is_bounded_while_the_disk_waits)
{
    struct host host;
    host_init(&host);
    struct client *ann = client_join(&host, "ann", GZ_ROLE_EDITOR);
    assert_ok(ask_create(ann, "made", 0, NULL));
    host.disk = DISK_WAITS;
    come_and_go(&host, 1);
    host_advance(&host, 1); /* that one is on its way to the disk */
    struct client *bob = client_join(&host, "bob", GZ_ROLE_EDITOR);
    assert_null(ask_create(bob, "by bob", 0, NULL));
    client_leave(bob);
    for (int i = 0; i < 5; i++) {
        come_and_go(&host, GZ_SESSION_ENTRIES_MAX / 2);
        assert_true(host.core->journal.others <= GZ_SESSION_ENTRIES_MAX + 8);
    }
    struct client *cho = client_join(&host, "cho", GZ_ROLE_EDITOR);
    host_settle(&host, false);
    host.disk = DISK_COMMITS;
    host_advance(&host, 2);
    assert_null(host.core->journal.oldest);
    assert_int_equal(host.store.visitor_count, 2);
    assert_ok(ask_create(cho, "by cho", 0, NULL));
    assert_ok(ask_create(ann, "by ann", 0, NULL));
    host_finish(&host);
}

/* ---- a scene that nobody is in ---- */

static void ignore_import(void *context, enum gz_status status, const char *message)
{
    (void)context;
    (void)status;
    (void)message;
}

/* Nobody is there, so that no frame is made of it. */
static void import_crowd(struct host *host)
{
    struct gz_core_import_node *nodes = calloc(CROWD, sizeof *nodes);
    struct gz_error error;
    assert_non_null(nodes);
    for (size_t i = 0; i < CROWD; i++)
        nodes[i] = (struct gz_core_import_node){-1, {.name = "n", .trs = gz_trs_identity}};
    struct gz_core_import import = {
        .user = "ann", .nodes = nodes, .count = CROWD, .done = ignore_import};
    assert_int_equal(gz_core_import(host->core, &import, host->now, &error), GZ_OK);
    host_advance(host, 1);
    free(nodes);
}

/* The frames of those who saw all of it are not kept for nobody. */
TEST(test_scene_that_everybody_left_keeps_no_frames)
{
    struct host host;
    host_init_limited(&host, 1e9);
    import_crowd(&host);
    come_and_go(&host, 1); /* what the import took for its work is free */
    host.handle_core = handle_core;
    long long before = held;
    for (int i = 0; i < 3; i++) {
        struct client *a = client_join(&host, "ann", GZ_ROLE_EDITOR),
                      *b = client_join(&host, "bob", GZ_ROLE_VIEWER);
        assert_int_equal(a->mirror.count, CROWD);
        assert_true(held - before > GZ_DELTA_BYTES_MAX);
        client_leave(a);
        client_leave(b);
        host_advance(&host, 1);
        assert_true(held - before < 4096);
    }
    host.handle_core = NULL;
    host_finish(&host);
}

/* ---- what is remembered for viewers that come back ---- */

static void send_edit(struct host *host, uint64_t seq, const uint64_t *ids, size_t count)
{
    struct gz_message edit = {.op = GZ_OP_EDIT};
    edit.edit = (struct gz_edit_message){
        .id = seq, .seq = seq, .user = {"ann", 3}, .kind = GZ_EDIT_SET, .nodes = {ids, count}};
    in_the_core = true;
    assert_int_equal(gz_feed_edit(host->core->feed, &edit, seq), GZ_OK);
    in_the_core = false;
}

/* Small ones take what they say, and many large ones no more than their bound. */
TEST(test_remembered_edits_take_bounded_memory)
{
    enum { LARGE = 100000, SMALL_BYTES = 160 };
    struct host host;
    uint64_t *ids = calloc(LARGE, sizeof *ids), seq = 0;
    assert_non_null(ids);
    for (size_t i = 0; i < LARGE; i++) ids[i] = UINT32_MAX - LARGE + i;
    host_init(&host);
    long long before = held;
    while (seq < 2 * GZ_EDIT_RING) send_edit(&host, ++seq, ids, 1);
    assert_true(held - before < (long long)GZ_EDIT_RING * SMALL_BYTES);
    for (int i = 0; i < 200; i++) send_edit(&host, ++seq, ids, LARGE);
    assert_in_range(held - before, GZ_EDIT_RING_BYTES / 2, GZ_EDIT_RING_BYTES + 65536);
    while (seq < 4 * GZ_EDIT_RING) send_edit(&host, ++seq, ids, 1);
    assert_true(held - before < (long long)GZ_EDIT_RING * SMALL_BYTES);
    host.handle_core = handle_core;
    host_finish(&host);
    free(ids);
}
