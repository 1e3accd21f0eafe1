/* fuzz_session.c - a sequence of steps made of any bytes: what four people say to a scene, when
 * they go and come back, what the disk, the past and the clock do meanwhile. Two of them are one
 * user. A message is made field by field (made_message.h), or is any bytes. The limits are small
 * (sim_core), so that what is rare in a large scene is common here.
 *
 * Whatever it is: each frame on the way can be read, and follows the one before; what was
 * acknowledged is on the disk at that moment; each request is charged, and what needs work is
 * charged for it; a part that is followed is exactly that part at each delta. In the end all hold
 * the scene's state and know who is here, and the scene is a tree in which nothing is held but by a
 * drag that runs. */
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "core/work.h"
#include "feed/state.h"
#include "fuzz/made_message.h"
#include "solver/surface.h"
#include "support/cmocka.h"
#include "support/core_promises.h"

enum { PEOPLE = 4, HERE_FIRST = 2, RIDS = 256, RAW_BYTES_MAX = 64 };
/* Messages a second: so many that nobody is over the rate, or few. */
#define UNLIMITED 1e9
#define LIMITED 5.0

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

/* What the first byte says. */
enum flag {
    FLAG_VIEWS = 1,   /* cameras see nodes; few that are made field by field do */
    FLAG_BULK = 2,    /* work on more than one node is put off */
    FLAG_TOKENS = 4,  /* the server takes tokens */
    FLAG_LIMITED = 8, /* people are over their rate */
    FLAG_DRAW = 32,   /* the first one is sent the lines of the gizmo */
    FLAG_END = 64,    /* the server ends in the end */
    FLAG_QUEUES = 128 /* a user's edits wait for the disk one after the other */
};

struct person {
    struct client *client;
    bool unpaid[RIDS]; /* by the rid: the request was looked at and not charged */
};

struct world {
    struct host host;
    struct person people[PEOPLE];
    struct gz_arena arena; /* of the message that is said */
    uint8_t flags;
    size_t slice_nodes, edits_stored;
};

/* Freed memory is looked at for a while only, and its history is not kept: run what was found once
 * more with ASAN_OPTIONS=malloc_context_size=30. */
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1:malloc_context_size=1";
}

/* ---- what is charged ---- */

/* Whether such a message needs work beyond its own, if it is answered with `ok`. */
static bool needs_work(const struct gz_message *message)
{
    switch (message->op) {
    case GZ_OP_SELECT: return message->select.nodes.count > 0;
    case GZ_OP_HOLD: return message->hold.nodes.count > 0;
    case GZ_OP_SET: return message->set.count > 0;
    case GZ_OP_CREATE: return message->create.count > 0;
    case GZ_OP_DELETE: return message->remove.count > 0;
    case GZ_OP_POINTER: return message->pointer.phase == GZ_PHASE_DOWN;
    case GZ_OP_WHO: return (message->has & GZ_HAS_WHO_LIMIT) == 0 || message->who.limit > 0;
    case GZ_OP_PICK:
    case GZ_OP_UNDO:
    case GZ_OP_REDO:
    case GZ_OP_HISTORY:
    case GZ_OP_AT:
    case GZ_OP_RESTORE:
    case GZ_OP_PATH:
    case GZ_OP_REVERT:
    case GZ_OP_CHECKPOINTS:
    case GZ_OP_ACCESS: return true;
    default: return false;
    }
}

/* What is kept for later is charged later. */
static bool is_read_at_once(const struct gz_session *session)
{
    return !gz_session_is_busy(session) && session->inbox.first == NULL;
}

static void say(struct world *world, struct person *person, struct gz_message *message)
{
    struct client *client = person->client;
    struct gz_session *session = client->session;
    const double now_s = world->host.now.mono_s;
    bool *unpaid = &person->unpaid[client->next_rid % RIDS];
    message->has |= GZ_HAS_RID;
    message->rid = client->next_rid++;
    (void)gz_rate_has(&session->rate, now_s);
    (void)gz_rate_is_above(&session->work, 0, now_s);
    const double rate = session->rate.tokens, work = session->work.tokens;
    const bool is_charged = is_read_at_once(session) && (world->flags & FLAG_LIMITED) == 0;
    client_say(client, message);
    *unpaid =
        is_charged &&
        (session->rate.tokens >= rate ||
         (needs_work(message) && session->work.tokens >= work && session->inbox.first == NULL));
}

/* ---- what is said ---- */

static void say_made(struct world *world, struct person *person, struct source *source,
                     enum gz_op op)
{
    gz_arena_reset(&world->arena, SIZE_MAX / 2);
    struct gz_message message = made_message(source, op, &world->arena);
    if ((world->flags & FLAG_VIEWS) != 0 && op == GZ_OP_CAMERA)
        message = made_camera(source_next(source));
    if (op == GZ_OP_INTEREST && (message.has & GZ_HAS_INTEREST_VIEW) != 0)
        message.interest.view = true;
    say(world, person, &message);
}

/* What can be read is said with a rid of its own; the rest as it is. */
static void say_raw(struct world *world, struct person *person, struct source *source)
{
    size_t size = source_next(source) % RAW_BYTES_MAX, left = (size_t)(source->end - source->at);
    const uint8_t *bytes = source->at;
    if (size > left) size = left;
    source->at += size;
    for (size_t offset = 0; offset < size && person->client->session != NULL;) {
        struct gz_message message;
        const size_t start = offset;
        gz_arena_reset(&world->arena, gz_decode_bytes_max(size));
        if (gz_decode(GZ_FROM_CLIENT, bytes, size, &offset, &world->arena, &message, NULL) != GZ_OK)
            client_say_bytes(person->client, bytes + start, offset - start);
        else
            say(world, person, &message);
    }
}

static void finish_import(void *context, enum gz_status status, const char *message)
{
    (void)context, (void)status, (void)message;
}

/* Of the first two nodes of an asset: a square of two triangles. One block, for free(). */
static struct gz_surfaces *make_surfaces(void)
{
    static const struct gz_triangle square[] = {{{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}}, 0},
                                                {{{-1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, 1}};
    struct {
        struct gz_surfaces surfaces;
        struct gz_surface mesh;
        uint32_t mesh_of[2];
        struct gz_triangle triangles[2];
        float boxes[4][6];
    } *block = calloc(1, sizeof *block);
    assert_non_null(block);
    assert_true(gz_surface_box_count(2) <= 4);
    memcpy(block->triangles, square, sizeof square);
    block->mesh_of[0] = block->mesh_of[1] = 1;
    gz_surface_build(&block->mesh, block->triangles, 2, block->boxes);
    block->surfaces = (struct gz_surfaces){.bytes = sizeof *block,
                                           .triangle_count = 2,
                                           .meshes = &block->mesh,
                                           .mesh_of = block->mesh_of,
                                           .node_count = 2};
    return &block->surfaces;
}

static void import(struct world *world, struct source *source)
{
    static const uint8_t asset[] = "glTF";
    const uint8_t how = source_next(source);
    struct gz_core_import_node nodes[4];
    for (int i = 0; i < 4; i++)
        nodes[i] = (struct gz_core_import_node){
            (how >> i & 1) - 1, {0, "part", gz_trs_identity, i != 1, {{-1, -1, -1}, {1, 1, 1}}, i}};
    nodes[0].parent = -1;
    const struct gz_core_import import = {.user = "ada",
                                          .payer = "ada",
                                          .nodes = nodes,
                                          .count = how / 16 % 5,
                                          .asset = asset,
                                          .asset_size = sizeof asset,
                                          .surfaces = make_surfaces(),
                                          .done = finish_import};
    struct gz_error error;
    if (gz_core_import(world->host.core, &import, world->host.now, &error) != GZ_OK)
        free(import.surfaces);
}

/* ---- what happens ---- */

/* What belongs to a core that was just made. */
static void set_core(struct world *world)
{
    struct gz_core *core = world->host.core;
    core->slice_nodes = world->slice_nodes;
    if ((world->flags & FLAG_BULK) != 0) core->nodes_at_once = 1;
    if ((world->flags & FLAG_QUEUES) != 0) core->rows_waiting_max = 1;
}

static void enter(struct world *world, size_t who)
{
    static const struct {
        const char *user;
        enum gz_role role;
    } users[PEOPLE] = {{"ada", GZ_ROLE_ADMIN},
                       {"ben", GZ_ROLE_EDITOR},
                       {"ben", GZ_ROLE_EDITOR},
                       {"eve", GZ_ROLE_VIEWER}};
    struct person *person = &world->people[who];
    struct gz_message camera = made_camera(160);
    if (person->client == NULL)
        person->client = client_enter(&world->host, users[who].user, users[who].role,
                                      who == 0 && (world->flags & FLAG_DRAW) != 0);
    else
        client_enter_again(person->client);
    say(world, person, &camera);
}

/* Looks at what was heard, and forgets it. */
static void hear(struct world *world, struct client *client)
{
    const struct person *person = NULL;
    for (size_t i = 0; i < PEOPLE; i++) {
        if (world->people[i].client == client) person = &world->people[i];
    }
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            const struct gz_message *message = &heard->messages[i];
            promises_check_stored(&world->host, message);
            if (person != NULL && message->op == GZ_OP_OK && (message->has & GZ_HAS_RID) != 0)
                assert_false(person->unpaid[message->rid % RIDS]);
        }
    }
    client_forget(client);
}

/* A session that ended is closed, and its client comes again unless another took its place. */
static void turn(struct world *world, double seconds)
{
    host_advance(&world->host, seconds);
    for (struct client *client = world->host.clients; client != NULL; client = client->next) {
        hear(world, client);
        if (client->session != NULL && gz_session_end_reason(client->session) != NULL)
            client_leave(client);
    }
}

/* Comes while its earlier session is there. Without that one's secret the two stand beside each
 * other, and the earlier one goes. */
static void replace(struct client *client)
{
    struct client *earlier = client_replace(client);
    if (!gz_session_is_replaced(earlier->session)) client_leave(earlier);
}

static void go_or_come(struct world *world, size_t who, uint8_t how)
{
    struct client *client = world->people[who].client;
    if (client == NULL)
        enter(world, who);
    else if (client->session != NULL && how % 4 == 3)
        replace(client);
    else if (client->session != NULL)
        client_leave(client);
    else if (how % 2 == 1)
        client_resume(client);
    else
        enter(world, who);
}

static void crash(struct world *world, uint8_t how)
{
    if (how % 4 == 0) return; /* so that not half of all sequences are short */
    world->host.store.graves_max = how / 8 % 4;
    host_restart(&world->host, how % 2 == 1);
    set_core(world);
}

static void disturb(struct host *host, uint8_t how)
{
    host->past_waits = (how & 1) != 0;
    host->past_fails = (how & 2) != 0;
    host->keys_fail = (how & 4) != 0;
    if ((how & 8) != 0) host->kept_since = host->store.seq;
    host->spent_most = (how & 64) == 0 ? UINT64_MAX : how & 128 ? GZ_FILE_BYTES_PER_EDIT : 0;
    if ((how & 16) != 0) host_settle(host, (how & 32) != 0);
}

/* Each step is a byte: who, and what. An op stands first once, so that each can be chosen, and then
 * as often as its sequences are long. */
enum { TURN = GZ_OP_CLIENT_COUNT, WAIT, GO, DISK, STALL, READ, DISTURB, CRASH, IMPORT, RAW };
static const uint8_t extra[] = {GZ_OP_POINTER,
                                GZ_OP_POINTER,
                                GZ_OP_POINTER,
                                GZ_OP_REDO,
                                GZ_OP_GRAB,
                                GZ_OP_GRAB,
                                GZ_OP_DELETE,
                                GZ_OP_SET,
                                GZ_OP_SET,
                                GZ_OP_CREATE,
                                GZ_OP_CREATE,
                                GZ_OP_UNDO,
                                GZ_OP_NOTE,
                                GZ_OP_SELECT,
                                TURN,
                                TURN,
                                TURN,
                                TURN,
                                TURN,
                                WAIT,
                                GO,
                                GO,
                                DISK,
                                STALL,
                                READ,
                                DISTURB,
                                CRASH,
                                IMPORT,
                                RAW,
                                RAW,
                                GZ_OP_POSE,
                                GZ_OP_UNDO};
static_assert(GZ_OP_CLIENT_COUNT + sizeof extra == 64, "a step is six bits, and two for who");

static void act(struct world *world, struct source *source, size_t who, uint8_t what)
{
    struct person *person = &world->people[who];
    struct client *client = person->client;
    const bool is_here = client != NULL && client->session != NULL;
    if (what < GZ_OP_CLIENT_COUNT && is_here) say_made(world, person, source, (enum gz_op)what);
    switch (what) {
    case TURN: turn(world, 0); break;
    case WAIT: turn(world, source_next(source) / 64.0); break;
    case GO: go_or_come(world, who, source_next(source)); break;
    case DISK: world->host.disk = (enum host_disk)(source_next(source) % 3); break;
    case STALL:
        if (client != NULL) client->stalled = !client->stalled;
        break;
    case READ:
        if (is_here) (void)client_read_one(client);
        break;
    case DISTURB: disturb(&world->host, source_next(source)); break;
    case CRASH: crash(world, source_next(source)); break;
    case IMPORT: import(world, source); break;
    case RAW:
        if (is_here) say_raw(world, person, source);
        break;
    default: break;
    }
}

/* ---- beginning and end ---- */

static void ask(struct client *client, const struct gz_message *message)
{
    const struct gz_message *ok = client_ask(client, message);
    assert_true(ok != NULL && ok->op == GZ_OP_OK);
}

/* A disk with a scene of two groups with two parts each, a note and a checkpoint. */
static void prepare(struct host *host)
{
    host_init(host);
    struct client *client = client_enter(host, "ada", GZ_ROLE_EDITOR, false);
    struct gz_create_node nodes[6];
    for (size_t i = 0; i < 6; i++) {
        nodes[i] = (struct gz_create_node){
            .has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_REF,
            .ref = {&"abcdef"[i], 1},
            .name = {&"abcdef"[i], 1},
            .trs = gz_trs_identity,
            .bounds = {{-1, -1, -1}, {1, 1, 1}},
        };
        nodes[i].trs.t.x = (double)i - 2;
        if (i < 2) continue;
        nodes[i].has |= GZ_HAS_CREATE_NODE_PARENT_REF | GZ_HAS_CREATE_NODE_BOUNDS;
        nodes[i].parent_ref = nodes[i % 2].ref;
    }
    ask(client, &(struct gz_message){.op = GZ_OP_CREATE, .create = {nodes, 6}});
    ask(client,
        &(struct gz_message){.op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT, .note.text = {"why?", 4}});
    ask(client, &(struct gz_message){.op = GZ_OP_CHECKPOINT, .checkpoint.name = {"a", 1}});
    client_leave(client);
    host_advance(host, 1);
}

static void count_edits(void *context, struct gz_batch *batch)
{
    ((struct world *)context)->edits_stored += batch->ended_count;
}

static void begin(struct world *world, struct source *source)
{
    static struct host prepared;
    static struct gz_claims claims;
    if (prepared.core == NULL) prepare(&prepared);
    *world = (struct world){.flags = source_next(source)};
    world->slice_nodes = 1 + source_next(source) % 40;
    host_init_after(&world->host, &prepared,
                    (world->flags & FLAG_LIMITED) != 0 ? LIMITED : UNLIMITED);
    world->host.handle_batch = count_edits;
    world->host.batch_context = world;
    if ((world->flags & FLAG_TOKENS) != 0) {
        claims = gz_claims_open("ben", 3, GZ_ROLE_VIEWER);
        claims.expires_unix_s = world->host.now.unix_s + 3;
        world->host.token = &claims;
        host_restart(&world->host, true);
    }
    set_core(world);
    gz_arena_init(&world->arena, SIZE_MAX / 2);
    for (size_t who = 0; who < HERE_FIRST; who++) enter(world, who);
}

/* Whether somebody had to be let in again. */
static bool let_in(struct world *world)
{
    bool is_any = false;
    for (size_t who = 0; who < PEOPLE; who++) {
        struct client *client = world->people[who].client;
        if (client == NULL) continue;
        client->stalled = false;
        if (client->session != NULL) continue;
        enter(world, who);
        is_any = true;
    }
    return is_any;
}

/* Whether somebody is not told everything yet. Who is in debt is told what is in the part that is
 * followed once a look for it can be afforded. */
static bool is_somebody_behind(const struct world *world)
{
    const struct gz_core *core = world->host.core;
    const struct gz_session *session = core->sessions;
    while (session != NULL && !gz_feed_has_frame(core->feed, &session->subscriber))
        session = session->next;
    return session != NULL;
}

/* Everybody is here and reads, the disk takes what waits, and nothing moves any more. Rights that
 * change then end sessions once more. A wheel or a grab that is over by itself at the end of the
 * two seconds is told in the next ones. */
static void come_to_rest(struct world *world)
{
    const struct gz_feed *feed = world->host.core->feed;
    uint64_t version;
    const int rounds_max = (world->flags & FLAG_LIMITED) != 0 ? 100 : 10; /* debts take time */
    int rounds = 0;
    world->host.disk = DISK_COMMITS;
    disturb(&world->host, 0);
    turn(world, 0);
    (void)let_in(world);
    do {
        version = feed->version;
        turn(world, 2);
        assert_true(++rounds < rounds_max);
    } while (let_in(world) || feed->version != version || is_somebody_behind(world));
}

/* While a drag of many nodes runs, the disk does not have its places. */
static bool is_all_sampled(const struct gz_core *core)
{
    const struct gz_session *session = core->sessions;
    for (; session != NULL; session = session->next)
        for (const struct gz_gesture *gesture = &session->gesture; gesture != NULL;
             gesture = gesture->next)
            if (!gz_gesture_is_sampled(gesture)) return false;
    return true;
}

static void check(struct world *world)
{
    struct host *host = &world->host;
    const struct gz_core_summary is = gz_core_summary(host->core);
    assert_true(is.saved == is.seq || !is_all_sampled(host->core));
    host_assert_equal(host);
    promises_check_holders(host->core);
    promises_check_tree(host->core);
    for (const struct client *client = host->clients; client != NULL; client = client->next) {
        if (client->session == NULL) continue;
        promises_check_presence(client);
        assert_int_equal(client->saved, is.saved);
    }
    const uint64_t charged = host->spent_bytes + host->charged_bytes;
    assert_true(world->edits_stored * GZ_FILE_BYTES_PER_EDIT <= charged);
}

/* The server ends: what waits is stored, and all are told. */
static void end(struct world *world)
{
    struct host *host = &world->host;
    gz_core_freeze(host->core, "the server ends", host->now);
    host_turn(host);
    assert_true(gz_core_is_stored(host->core) && gz_core_is_answered(host->core));
    gz_core_end_all(host->core, &(struct gz_bye){.retry_s = 1}, host->now);
    host_turn(host);
    for (const struct client *client = host->clients; client != NULL; client = client->next)
        assert_true(client->session == NULL || gz_session_end_reason(client->session) != NULL);
    assert_true(gz_core_is_idle(host->core));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    struct source source = {data, data + size};
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failed assertion is a crash, which the fuzzer keeps */
    begin(&world, &source);
    while (source.at < source.end) {
        const uint8_t step = source_next(&source);
        const uint8_t what = step % 64;
        act(&world, &source, step / 64,
            what < GZ_OP_CLIENT_COUNT ? what : extra[what - GZ_OP_CLIENT_COUNT]);
    }
    come_to_rest(&world);
    check(&world);
    if ((world.flags & FLAG_END) != 0) end(&world);
    gz_arena_finish(&world.arena);
    host_finish(&world.host);
    return 0;
}
