/* price_bench.c - what one request costs the core: for each op, and for work beside the wire, the
 * milliseconds of the core's processor time, the messages that the request was charged as, and the
 * bytes to and from the client, in a flat scene and in a deep one.
 *
 * Usage: price_bench [NODES [ROUNDS [OP]]], or price_bench --check, which only looks whether each
 * op has a price, and ends with 1 if one has not. There is no network, no disk and no worker: the
 * host of tests/support/core_host.h answers at once, and what it does itself is not counted. A
 * price is the median of the rounds, and has in it all that the core does within a second after the
 * request: the deltas, edits and presence for the client and for one viewer, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "support/clock.h"
#include "support/grow.h"
#include "unit/core/saying.h"

#define DEPTH 250   /* of the chains of the deep scene, below its root */
#define COLUMNS 316 /* of the square of nodes */
#define ROUNDS_MAX 64
#define EDITS_BEFORE 1000 /* for the history: of so many nodes each */
#define NODES_BEFORE 100
#define RATE 1e9 /* messages a second: nothing is refused for its rate */

struct bench {
    struct host host;
    struct client *asker, *viewer;
    uint64_t root, *all; /* the ids of all nodes but the root */
    size_t count;        /* of `all` */
    uint64_t *before;    /* the ids of the nodes of EDITS_BEFORE edits; gone by now */
    double began_s;      /* when the nodes were made: what is before is history alone */
    size_t sent;         /* bytes of the request */
    uint64_t n;          /* to make requests differ */
};

/* ---- the core's time, and what was charged ---- */

static struct {
    double taken_s, entered_s;
    double messages;           /* that the asker was charged as */
    const struct bench *bench; /* while that is counted, or NULL */
} core_paid;

/* As of now, so that time fills nothing before what is charged is counted. */
static void fill_budget(const struct bench *b)
{
    struct gz_session *session = b->asker->session;
    session->rate.tokens = session->work.tokens = RATE;
    session->rate.counted_s = session->work.counted_s = b->host.now.mono_s;
}

/* Since the budget was filled, as messages and as their work. */
static double charged(const struct bench *b)
{
    const struct gz_session *session = b->asker->session;
    return RATE - session->rate.tokens + RATE - session->work.tokens;
}

static void handle_core(bool inside)
{
    const struct bench *b = core_paid.bench;
    const bool has_budget = b != NULL && b->asker->session != NULL;
    if (inside) {
        if (has_budget) fill_budget(b);
        core_paid.entered_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
    } else {
        core_paid.taken_s += clock_s(CLOCK_THREAD_CPUTIME_ID) - core_paid.entered_s;
        if (has_budget) core_paid.messages += charged(b);
    }
}

/* ---- saying ---- */

static void say(struct bench *b, struct gz_message message)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, 16 * GZ_MESSAGE_BYTES_MAX, 0);
    message.has |= GZ_HAS_RID;
    message.rid = b->asker->next_rid++;
    if (gz_encode(&bytes, &message) != GZ_OK) abort();
    b->sent += bytes.size;
    gz_buffer_finish(&bytes);
    client_say(b->asker, &message);
    host_turn(&b->host);
}

/* A step is one call, or one message. */
#define STEP(name, ...)                                                                            \
    static void name(struct bench *b)                                                              \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
#define SAY(name, ...) STEP(name, say(b, (struct gz_message){__VA_ARGS__}))

static struct gz_ids all(const struct bench *b)
{
    return (struct gz_ids){b->all, b->count};
}

static void select_nodes(struct bench *b, struct gz_ids ids)
{
    say(b, (struct gz_message){.op = GZ_OP_SELECT, .select = {ids, GZ_HOW_SET}});
}

STEP(select_none, select_nodes(b, (struct gz_ids){NULL, 0}))
STEP(select_one, select_nodes(b, (struct gz_ids){b->all, 1}))
STEP(select_all, select_nodes(b, all(b)))
SAY(toggle_all, .op = GZ_OP_SELECT, .select = {all(b), GZ_HOW_TOGGLE})

static void set_mode(struct bench *b, enum gz_mode mode)
{
    say(b, (struct gz_message){.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE, .tool.mode = mode});
}

STEP(tool, set_mode(b, b->n++ % 2 == 0 ? GZ_MODE_TRANSLATE : GZ_MODE_UNIVERSAL))
STEP(tool_bounds, set_mode(b, GZ_MODE_BOUNDS))
STEP(tool_universal, set_mode(b, GZ_MODE_UNIVERSAL))
STEP(tool_orbit, set_mode(b, GZ_MODE_ORBIT))
STEP(camera, say(b, camera_message(500 + (double)(b->n++ % 16))))

static void point(struct bench *b, enum gz_phase phase, double x, double y)
{
    say(b, pointer_message(phase, x, y, ++b->n));
}

STEP(hover, point(b, GZ_PHASE_MOVE, 20 + (double)(b->n % 16), 20))
STEP(press_beside, point(b, GZ_PHASE_DOWN, 5, 5))
STEP(press_node, point(b, GZ_PHASE_DOWN, 400, 300))
STEP(drag, point(b, GZ_PHASE_MOVE, 420 + (double)(b->n % 16), 300))
STEP(release, point(b, GZ_PHASE_UP, 440, 300))
STEP(cancel, point(b, GZ_PHASE_CANCEL, 0, 0))

static void let_go(struct bench *b)
{
    cancel(b);
    select_none(b);
}

static void leave_orbit(struct bench *b)
{
    cancel(b);
    tool_universal(b);
}

static struct gz_message grab_of(struct gz_ids ids)
{
    struct gz_message message = pointer_message(GZ_PHASE_DOWN, 400, 300, 0);
    message.op = GZ_OP_GRAB;
    message.pointer.handle = GZ_TX;
    message.has |= GZ_HAS_POINTER_NODES;
    message.pointer.nodes = ids;
    return message;
}

STEP(grab_one, say(b, grab_of((struct gz_ids){b->all, 1})))
STEP(grab_thousand, say(b, grab_of((struct gz_ids){b->all, b->count < 1000 ? b->count : 1000})))
STEP(grab_all, say(b, grab_of(all(b))))

static void grab_all_and_cancel(struct bench *b)
{
    grab_all(b);
    cancel(b);
}

static void grab_selected(struct bench *b)
{
    struct gz_message message = grab_of(all(b));
    message.has &= ~(uint64_t)GZ_HAS_POINTER_NODES;
    say(b, message);
    cancel(b);
}

static void type_value(struct bench *b)
{
    struct gz_message message = pointer_message(GZ_PHASE_DOWN, 400, 300, 0);
    message.op = GZ_OP_GRAB;
    message.has |= GZ_HAS_POINTER_VALUE;
    message.pointer.handle = GZ_TX;
    message.pointer.value = (struct gz_value){{0.5 + (double)(b->n++ % 16), 0}, 1};
    say(b, message);
}

static void move_all(struct bench *b)
{
    grab_all(b);
    drag(b);
}

SAY(wheel, .op = GZ_OP_WHEEL, .wheel.dy = b->n++ % 2 == 0 ? 1 : -1)

/* By `set`, or by `pose`, which says the same. */
static void place_nodes(struct bench *b, enum gz_op op, size_t count)
{
    struct gz_set_node *nodes = calloc(count, sizeof *nodes);
    if (nodes == NULL) abort();
    b->n++;
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = b->all[i]};
        nodes[i].trs.t = (gz_vec3){0.1 * (double)b->n, (double)(i % COLUMNS), 0};
    }
    struct gz_message message = {.op = op};
    if (op == GZ_OP_POSE)
        message.pose = (struct gz_pose_message){.nodes = nodes, .count = count};
    else
        message.set = (struct gz_set){.nodes = nodes, .count = count};
    say(b, message);
    free(nodes);
}

static void set_nodes(struct bench *b, size_t count)
{
    place_nodes(b, GZ_OP_SET, count);
}

static void hold_nodes(struct bench *b, size_t count)
{
    say(b, (struct gz_message){.op = GZ_OP_HOLD, .hold.nodes = {b->all, count}});
}

STEP(hold_one, hold_nodes(b, 1))
STEP(hold_all, hold_nodes(b, b->count))
STEP(pose_one, place_nodes(b, GZ_OP_POSE, 1))
STEP(pose_thousand, place_nodes(b, GZ_OP_POSE, 1000))
STEP(pose_all, place_nodes(b, GZ_OP_POSE, b->count))
SAY(release_hold, .op = GZ_OP_RELEASE)
SAY(cancel_hold, .op = GZ_OP_CANCEL)

static void hold_and_pose_all(struct bench *b)
{
    hold_all(b);
    pose_all(b);
}

STEP(set_one, set_nodes(b, 1))
STEP(set_all, set_nodes(b, b->count))

/* The last node is refused, after all others were looked at. */
static void set_refused(struct bench *b)
{
    uint64_t last = b->all[b->count - 1];
    b->all[b->count - 1] = GZ_ID_LIMIT - 1;
    set_nodes(b, b->count);
    b->all[b->count - 1] = last;
}

STEP(create_one, create_node(b->asker, "one more", b->root, 0, 0, 0))

static void delete_node(struct bench *b, uint64_t id)
{
    say(b, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&id, 1}});
}

static void delete_created(struct bench *b)
{
    const struct gz_message *ok = client_last(b->asker, GZ_OP_OK);
    uint64_t id = ok->ok.ids.ids[0];
    delete_node(b, id);
}

STEP(delete_root, delete_node(b, b->root))

/* The viewer holds a node, for which deleting all of them is refused. */
STEP(let_viewer_hold, ask_grab(b->viewer, GZ_TX, b->all[b->count - 1], 400, 300))
STEP(let_viewer_release, ask_pointer(b->viewer, GZ_PHASE_CANCEL, 0, 0))
SAY(pick, .op = GZ_OP_PICK, .has = GZ_HAS_PICK_AT, .pick.at = {400, 300})
SAY(pick_surface, .op = GZ_OP_PICK, .has = GZ_HAS_PICK_AT,
    .pick = {.at = {400, 300}, .surface = true})
SAY(pick_rect, .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {0, 0, 800, 600})
SAY(undo, .op = GZ_OP_UNDO)

static void set_and_undo(struct bench *b)
{
    set_all(b);
    undo(b);
}

SAY(redo, .op = GZ_OP_REDO)

static void revert(struct bench *b)
{
    const struct core_store *store = &b->host.store;
    say(b, (struct gz_message){.op = GZ_OP_REVERT,
                               .revert = {store->edits[store->edit_count - 1].id, true}});
}

static void history(struct bench *b, struct gz_message message)
{
    message.op = GZ_OP_HISTORY;
    message.has |= GZ_HAS_HISTORY_BEFORE;
    message.history.before = b->began_s;
    say(b, message);
}

STEP(history_of_all, history(b, (struct gz_message){.has = 0}))
STEP(history_brief,
     history(b, (struct gz_message){.has = GZ_HAS_HISTORY_CHANGES, .history.changes = false}))
STEP(history_of_node,
     history(b, (struct gz_message){.has = GZ_HAS_HISTORY_NODE, .history.node = b->before[0]}))
SAY(at, .op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = gz_core_summary(b->host.core).seq)
SAY(restore_now, .op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ,
    .restore.seq = gz_core_summary(b->host.core).seq)
SAY(path, .op = GZ_OP_PATH, .path.node = b->before[0])

static void checkpoint(struct bench *b)
{
    char name[32];
    snprintf(name, sizeof name, "state %llu", (unsigned long long)b->n++);
    ask_checkpoint(b->asker, name);
}

STEP(note, ask_note(b->asker, "one more note", NULL))
STEP(token, ask_token(b->asker, "good"))

static void access(struct bench *b)
{
    char user[32];
    snprintf(user, sizeof user, "person %llu", (unsigned long long)(b->n++ % GZ_ACCESS_MAX));
    ask_access(b->asker, user, GZ_ROLE_EDITOR);
}

SAY(link, .op = GZ_OP_LINK, .link = {.role = GZ_ROLE_VIEWER, .expires_s = 60})
SAY(follow_view, .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_VIEW, .interest.view = true)
SAY(follow_box, .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_BOX,
    .interest.box = {{0, 0, -1}, {10, 10, 1}})
SAY(follow_nodes, .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_NODES, .interest.nodes = all(b))
SAY(follow_whole, .op = GZ_OP_INTEREST)
SAY(hello_again, .op = GZ_OP_HELLO, .hello = {.v = GZ_PROTOCOL_VERSION, .user = {"Ada", 3}})
SAY(checkpoints, .op = GZ_OP_CHECKPOINTS)
SAY(accesses, .op = GZ_OP_ACCESSES)
SAY(who, .op = GZ_OP_WHO)
SAY(ping, .op = GZ_OP_PING)

/* ---- beside the wire ---- */

static void leave(struct bench *b)
{
    client_leave(b->asker);
    host_turn(&b->host);
}

static void join(struct bench *b)
{
    client_enter_again(b->asker);
    host_turn(&b->host);
}

static void come_back(struct bench *b)
{
    client_resume(b->asker);
    host_turn(&b->host);
}

static void handle_done(void *context, enum gz_status status, const char *message)
{
    (void)context, (void)message;
    if (status != GZ_OK) abort();
}

/* Nodes as an import has them: a parent is an index. */
static struct gz_core_import_node *nodes_to_import(const struct gz_node_record *nodes, size_t count)
{
    struct gz_core_import_node *made = calloc(count, sizeof *made);
    int64_t *places = NULL; /* by id */
    size_t capacity = 0;
    if (made == NULL) abort();
    for (size_t i = 0; i < count; i++) {
        const struct gz_content *content = &nodes[i].content;
        places = grow(places, &capacity, nodes[i].id + 1, sizeof *places);
        places[nodes[i].id] = (int64_t)i;
        made[i] = (struct gz_core_import_node){
            .parent = content->parent != 0 ? places[content->parent] : -1, .content = *content};
    }
    free(places);
    return made;
}

/* By the nodes that are there. */
static void replace(struct bench *b)
{
    struct gz_arena arena;
    struct gz_core_import import = {
        .user = "Ada", .asset = (const uint8_t *)"{", .asset_size = 1, .done = handle_done};
    struct gz_error error;
    gz_arena_init(&arena, SIZE_MAX / 2);
    const struct gz_node_record *nodes = host_nodes(&b->host, &arena, &import.count);
    struct gz_core_import_node *made = nodes_to_import(nodes, import.count);
    import.nodes = made;
    handle_core(true);
    if (gz_core_import(b->host.core, &import, b->host.now, &error) != GZ_OK) abort();
    handle_core(false);
    free(made);
    gz_arena_finish(&arena);
    host_turn(&b->host);
}

static void copy_nodes(struct bench *b)
{
    struct gz_arena arena;
    size_t count;
    gz_arena_init(&arena, SIZE_MAX / 2);
    handle_core(true);
    (void)host_nodes(&b->host, &arena, &count);
    handle_core(false);
    gz_arena_finish(&arena);
}

/* ---- the prices ---- */

#define BESIDE GZ_OP_COUNT

typedef void step(struct bench *b);

static const struct price {
    enum gz_op op; /* BESIDE: not of the wire */
    const char *what;
    const char *review; /* milliseconds, as somebody measured them from outside, before anything was
                           done about it; NULL: nobody did */
    step *before, *ask, *after; /* what is asked is counted; the others may be NULL */
} prices[] = {
    {GZ_OP_HELLO, "a second one, refused", NULL, NULL, hello_again, NULL},
    {GZ_OP_CAMERA, "", NULL, NULL, camera, NULL},
    {GZ_OP_CAMERA, "all selected", "13.6", select_all, camera, select_none},
    {GZ_OP_CAMERA, "in a drag of all", "41", move_all, camera, let_go},
    {GZ_OP_TOOL, "", NULL, NULL, tool, NULL},
    {GZ_OP_TOOL, "all selected", "10", select_all, tool, select_none},
    {GZ_OP_TOOL, "bounds, all selected", NULL, select_all, tool_bounds, tool_universal},
    {GZ_OP_SELECT, "one", NULL, NULL, select_one, select_none},
    {GZ_OP_SELECT, "all", "14.9", NULL, select_all, select_none},
    {GZ_OP_SELECT, "all, toggled", NULL, select_all, toggle_all, select_none},
    {GZ_OP_POINTER, "hover", NULL, NULL, hover, NULL},
    {GZ_OP_POINTER, "hover, all selected", "10", select_all, hover, select_none},
    {GZ_OP_POINTER, "press beside", NULL, NULL, press_beside, cancel},
    {GZ_OP_POINTER, "press on a node", NULL, NULL, press_node, select_none},
    {GZ_OP_POINTER, "press to orbit", NULL, tool_orbit, press_node, leave_orbit},
    {GZ_OP_POINTER, "drag one", NULL, grab_one, drag, let_go},
    {GZ_OP_POINTER, "drag 1,000", NULL, grab_thousand, drag, let_go},
    {GZ_OP_POINTER, "drag all", "47", grab_all, drag, let_go},
    {GZ_OP_POINTER, "release all", NULL, move_all, release, select_none},
    {GZ_OP_GRAB, "one", NULL, NULL, grab_one, let_go},
    {GZ_OP_GRAB, "all, and cancel", "103", NULL, grab_all_and_cancel, select_none},
    {GZ_OP_GRAB, "selected all, and cancel", NULL, select_all, grab_selected, select_none},
    {GZ_OP_GRAB, "value, all held", "57", grab_all, type_value, let_go},
    {GZ_OP_WHEEL, "scale one", NULL, select_one, wheel, select_none},
    {GZ_OP_WHEEL, "scale all", NULL, select_all, wheel, select_none},
    {GZ_OP_WHEEL, "orbit", "10", tool_orbit, wheel, tool_universal},
    {GZ_OP_HOLD, "one", NULL, NULL, hold_one, cancel_hold},
    {GZ_OP_HOLD, "all", NULL, NULL, hold_all, cancel_hold},
    {GZ_OP_POSE, "one of all", NULL, hold_all, pose_one, release_hold},
    {GZ_OP_POSE, "1,000 of all", NULL, hold_all, pose_thousand, release_hold},
    {GZ_OP_POSE, "all", NULL, hold_all, pose_all, release_hold},
    {GZ_OP_RELEASE, "all", NULL, hold_and_pose_all, release_hold, NULL},
    {GZ_OP_CANCEL, "all", NULL, hold_and_pose_all, cancel_hold, NULL},
    {GZ_OP_SET, "one", "0.18", NULL, set_one, NULL},
    {GZ_OP_SET, "all", NULL, NULL, set_all, NULL},
    {GZ_OP_SET, "all, the last refused", NULL, NULL, set_refused, NULL},
    {GZ_OP_CREATE, "one", NULL, NULL, create_one, delete_created},
    {GZ_OP_DELETE, "one", NULL, create_one, delete_created, NULL},
    {GZ_OP_DELETE, "all, refused", "16.5", let_viewer_hold, delete_root, let_viewer_release},
    {GZ_OP_DELETE, "all", NULL, NULL, delete_root, undo},
    {GZ_OP_PICK, "", "0.58", NULL, pick, NULL},
    {GZ_OP_PICK, "surface", NULL, NULL, pick_surface, NULL},
    {GZ_OP_PICK, "rect, all in it", "61", NULL, pick_rect, NULL},
    {GZ_OP_UNDO, "one", NULL, set_one, undo, NULL},
    {GZ_OP_UNDO, "all", NULL, set_all, undo, NULL},
    {GZ_OP_REDO, "all", NULL, set_and_undo, redo, NULL},
    {GZ_OP_REVERT, "one", NULL, set_one, revert, NULL},
    {GZ_OP_REVERT, "all", NULL, set_all, revert, NULL},
    {GZ_OP_HISTORY, "1000 edits of 100", "55", NULL, history_of_all, NULL},
    {GZ_OP_HISTORY, "1000 edits, brief", NULL, NULL, history_brief, NULL},
    {GZ_OP_HISTORY, "1000 edits of a node", "22", NULL, history_of_node, NULL},
    {GZ_OP_AT, "now", "27", NULL, at, NULL},
    {GZ_OP_RESTORE, "now", "44", NULL, restore_now, NULL},
    {GZ_OP_PATH, "1000 points", NULL, NULL, path, NULL},
    {GZ_OP_CHECKPOINT, "", NULL, NULL, checkpoint, NULL},
    {GZ_OP_CHECKPOINTS, "", NULL, NULL, checkpoints, NULL},
    {GZ_OP_NOTE, "", NULL, NULL, note, NULL},
    {GZ_OP_TOKEN, "", NULL, NULL, token, NULL},
    {GZ_OP_ACCESS, "", NULL, NULL, access, NULL},
    {GZ_OP_ACCESSES, "", NULL, NULL, accesses, NULL},
    {GZ_OP_LINK, "", NULL, NULL, link, NULL},
    {GZ_OP_INTEREST, "view", "38", NULL, follow_view, follow_whole},
    {GZ_OP_INTEREST, "view, the camera moves", NULL, follow_view, camera, follow_whole},
    {GZ_OP_INTEREST, "box", NULL, NULL, follow_box, follow_whole},
    {GZ_OP_INTEREST, "all nodes by id", NULL, NULL, follow_nodes, follow_whole},
    {GZ_OP_INTEREST, "the whole again", NULL, follow_box, follow_whole, NULL},
    {GZ_OP_WHO, "", NULL, NULL, who, NULL},
    {GZ_OP_PING, "", "0.02", NULL, ping, NULL},
    {BESIDE, "join", "137", leave, join, NULL},
    {BESIDE, "join, resumed", NULL, leave, come_back, NULL},
    {BESIDE, "nodes for an export", NULL, NULL, copy_nodes, NULL},
    {BESIDE, "PUT replaces all", "813", NULL, replace, NULL}, /* the last: the ids are new */
};

struct paid {
    double ms, messages;
    size_t sent, heard;
};

static struct paid pay(struct bench *b, const struct price *price)
{
    struct paid paid;
    if (price->before != NULL) price->before(b);
    host_advance(&b->host, 2);
    size_t heard = b->asker->bytes_heard;
    b->sent = 0;
    core_paid.taken_s = core_paid.messages = 0;
    core_paid.bench = b;
    price->ask(b);
    host_advance(&b->host, 1);
    core_paid.bench = NULL;
    paid.messages = core_paid.messages;
    paid.ms = 1e3 * core_paid.taken_s;
    paid.sent = b->sent;
    paid.heard = b->asker->bytes_heard - heard;
    if (price->after != NULL) price->after(b);
    client_forget(b->asker);
    client_forget(b->viewer);
    return paid;
}

static int compare_paid(const void *a, const void *b)
{
    const struct paid *x = a, *y = b;
    return (x->ms > y->ms) - (x->ms < y->ms);
}

static struct paid median(struct bench *b, const struct price *price, int rounds)
{
    struct paid paid[ROUNDS_MAX];
    for (int i = 0; i < rounds; i++) paid[i] = pay(b, price);
    qsort(paid, (size_t)rounds, sizeof *paid, compare_paid);
    return paid[rounds / 2];
}

/* ---- the scenes ---- */

static struct gz_create_node node_at(double x, double y, double z)
{
    return (struct gz_create_node){
        .has = GZ_HAS_CREATE_NODE_PARENT | GZ_HAS_CREATE_NODE_BOUNDS | GZ_HAS_CREATE_NODE_T,
        .name = {"part", 4},
        .trs = {.t = {x, y, z}, .r = {0, 0, 0, 1}, .s = {1, 1, 1}},
        .bounds = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}},
    };
}

/* Their ids, for free(). */
static uint64_t *create(struct bench *b, const struct gz_create_node *nodes, size_t count)
{
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {nodes, count}};
    const struct gz_message *ok = client_ask(b->asker, &message);
    assert_ok(ok);
    uint64_t *ids = malloc(count * sizeof *ids);
    if (ids == NULL) abort();
    return memcpy(ids, ok->ok.ids.ids, count * sizeof *ids);
}

/* A past: it is of nodes that are gone, because each edit would otherwise be looked at with all
 * nodes beside. */
static void make_history(struct bench *b)
{
    struct gz_create_node nodes[NODES_BEFORE];
    for (size_t i = 0; i < NODES_BEFORE; i++) nodes[i] = node_at((double)i, 0, 0);
    b->all = b->before = create(b, nodes, NODES_BEFORE);
    for (int i = 0; i < EDITS_BEFORE; i++) set_nodes(b, NODES_BEFORE);
    say(b, (struct gz_message){.op = GZ_OP_DELETE, .remove = {b->before, NODES_BEFORE}});
    host_advance(&b->host, 1);
    b->began_s = b->host.now.unix_s;
}

/* A square of nodes below one root: beside each other, or in chains of DEPTH. */
static void make_nodes(struct bench *b, size_t count, bool is_deep)
{
    struct gz_create_node *nodes = calloc(count, sizeof *nodes);
    char(*refs)[24] = calloc(count, sizeof *refs);
    if (nodes == NULL || refs == NULL) abort();
    b->root = create_node(b->asker, "root", 0, 0, 0, 0);
    b->count = count;
    for (size_t i = 0; i < count; i++) {
        bool hangs = is_deep && i % DEPTH != 0;
        size_t place = is_deep ? i / DEPTH : i;
        double x = (double)(place % COLUMNS) - COLUMNS / 2, y = (double)(place / COLUMNS);
        nodes[i] = hangs ? node_at(0.001, 0.001, -0.5) : node_at(2 * x, 2 * y - COLUMNS, 0);
        nodes[i].parent = b->root;
        if (hangs) nodes[i].has |= GZ_HAS_CREATE_NODE_PARENT_REF;
        if (hangs) nodes[i].has &= ~(uint64_t)GZ_HAS_CREATE_NODE_PARENT;
        if (hangs) nodes[i].parent_ref = (struct gz_text){refs[i - 1], strlen(refs[i - 1])};
        if (!is_deep) continue;
        snprintf(refs[i], sizeof refs[i], "%zu", i);
        nodes[i].has |= GZ_HAS_CREATE_NODE_REF;
        nodes[i].ref = (struct gz_text){refs[i], strlen(refs[i])};
    }
    b->all = create(b, nodes, count);
    free(nodes);
    free(refs);
}

static void open_bench(struct bench *b, size_t nodes, bool is_deep)
{
    static struct gz_claims claims;
    claims = gz_claims_open("Ada", 3, GZ_ROLE_ADMIN);
    *b = (struct bench){.n = 0};
    host_init_limited(&b->host, RATE);
    b->host.handle_core = handle_core;
    b->host.token = &claims;
    host_restart(&b->host, true); /* with tokens */
    b->asker = client_join(&b->host, "Ada", GZ_ROLE_ADMIN);
    make_history(b);
    make_nodes(b, nodes - 1, is_deep);
    b->viewer = client_join(&b->host, "Bob", GZ_ROLE_EDITOR);
    ask_camera(b->asker, 500);
    ask_camera(b->viewer, 500);
    tool_universal(b);
}

static void close_bench(struct bench *b)
{
    host_finish(&b->host);
    free(b->all);
    free(b->before);
}

static bool is_asked_for(const struct price *price, const char *op)
{
    return op == NULL || (price->op != BESIDE && strcmp(gz_op_word(price->op), op) == 0);
}

/* Of this op; NULL: all. */
static void print_prices(size_t nodes, int rounds, const char *op, bool is_deep)
{
    struct bench b;
    open_bench(&b, nodes, is_deep);
    printf("%zu nodes, %s:\n%-12s %-26s %9s %9s %9s %9s %9s %8s\n", nodes,
           is_deep ? "in chains below one root" : "all below one root", "op", "", "ms", "messages",
           "us each", "bytes to", "from", "review");
    for (size_t i = 0; i < COUNT(prices); i++) {
        const struct price *price = &prices[i];
        if (!is_asked_for(price, op)) continue;
        struct paid paid = median(&b, price, rounds);
        printf("%-12s %-26s %9.3f %9.1f %9.1f %9zu %9zu %8s\n",
               price->op != BESIDE ? gz_op_word(price->op) : "-", price->what, paid.ms,
               paid.messages, paid.messages > 0 ? 1e3 * paid.ms / paid.messages : 0, paid.sent,
               paid.heard, price->review != NULL ? price->review : "");
        fflush(stdout);
    }
    close_bench(&b);
}

static bool have_all_prices(void)
{
    bool known[GZ_OP_COUNT + 1] = {false}, have_all = true;
    for (size_t i = 0; i < COUNT(prices); i++) known[prices[i].op] = true;
    for (enum gz_op op = 0; op < GZ_OP_CLIENT_COUNT; op++) {
        if (known[op]) continue;
        have_all = false;
        fprintf(stderr, "%s has no price: give it a row in price_bench.c\n", gz_op_word(op));
    }
    return have_all;
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "--check") == 0) return have_all_prices() ? 0 : 1;
    size_t nodes = count > 1 ? strtoull(words[1], NULL, 10) : GZ_NODES_MAX - 1;
    int rounds = count > 2 ? atoi(words[2]) : 5;
    if (nodes < 2 || nodes >= GZ_NODES_MAX || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: price_bench [NODES [ROUNDS [OP]]]: 2 to %d nodes, 1 to %d rounds\n",
                GZ_NODES_MAX - 1, ROUNDS_MAX);
        return 2;
    }
    const char *op = count > 3 ? words[3] : NULL;
    print_prices(nodes, rounds, op, false);
    print_prices(nodes, rounds, op, true);
    return 0;
}
