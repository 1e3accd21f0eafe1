/* Random clients, a random disk, random delivery, disconnects and restarts; whatever happens, the
 * promises hold: what each client pieced together from deltas is the scene, bit for bit; an `ok` of
 * an edit is on the disk, and the same key gives the same edit; who follows a part of the scene
 * holds exactly that part; nothing is held but by a drag that runs; the history explains the state
 * (the disk judges that); notes and checkpoints are what the disk has, and seen before that by
 * nobody. GIZMOD_SEED is the first seed, GIZMOD_TIMES scales how many are run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"
#include "support/cmocka.h"
#include "support/core_promises.h"
#include "sync/internal.h"
#include "unit/core/saying.h"

#define SEEDS 200
#define STEPS 300
#define CLIENTS 6
#define USERS 4
#define KEYS 8
#define ASKED_MAX 64

/* A request that bore a key: what is answered to the same key must be the same. */
struct asked {
    uint64_t rid;
    int key;
};

struct player {
    struct client *client;
    int user;
    struct asked asked[ASKED_MAX];
    size_t asked_count;
};

struct game {
    struct host host;
    uint64_t random;
    struct player players[CLIENTS];
    bool cuts, queues;
    uint64_t edit_of_key[USERS][KEYS]; /* as it was answered; 0: not yet */
    uint64_t note_of_key[USERS][KEYS];
    uint64_t notes_said;
};

static const char *const users[USERS] = {"ann", "bob", "cho", "dee"};
static const char *const keys[KEYS] = {"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"};

static uint64_t below(struct game *game, uint64_t limit)
{
    return chance_below(&game->random, limit);
}

static double between(struct game *game, double low, double high)
{
    return low + (high - low) * (double)below(game, 1 << 20) / (1 << 20);
}

/* ---- what a player says ---- */

static uint64_t any_node(struct game *game, const struct client *client)
{
    if (client->mirror.count == 0 || below(game, 20) == 0) return 1 + below(game, 200);
    return client->mirror.nodes[below(game, client->mirror.count)].id;
}

static gz_vec3 any_place(struct game *game)
{
    return (gz_vec3){between(game, -3, 3), between(game, -3, 3), between(game, -3, 3)};
}

static void say(struct game *game, struct player *player, struct gz_message *message)
{
    struct client *client = player->client;
    message->has |= GZ_HAS_RID;
    message->rid = client->next_rid++;
    bool may_have_key = message->op >= GZ_OP_SET && message->op != GZ_OP_PICK &&
                        message->op <= GZ_OP_RESTORE && message->op != GZ_OP_HISTORY &&
                        message->op != GZ_OP_AT;
    may_have_key |= message->op == GZ_OP_NOTE;
    may_have_key |= message->op == GZ_OP_POINTER && message->pointer.phase == GZ_PHASE_UP;
    if (may_have_key && player->asked_count < ASKED_MAX && below(game, 3) == 0) {
        int key = (int)below(game, KEYS);
        message->has |= GZ_HAS_KEY;
        message->key = (struct gz_text){keys[key], 2};
        player->asked[player->asked_count++] = (struct asked){message->rid, key};
    }
    client_say(client, message);
}

static void say_create(struct game *game, struct player *player)
{
    struct gz_create_node nodes[3];
    size_t count = 1 + below(game, 3);
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_REF,
                                           .ref = {&"abc"[i], 1},
                                           .name = {"node", 4}};
        nodes[i].trs.t = any_place(game);
        if (i > 0 && below(game, 2) == 0) {
            nodes[i].has |= GZ_HAS_CREATE_NODE_PARENT_REF;
            nodes[i].parent_ref = nodes[below(game, i)].ref;
        } else if (below(game, 2) == 0) {
            nodes[i].has |= GZ_HAS_CREATE_NODE_PARENT;
            nodes[i].parent = any_node(game, player->client);
        }
        if (below(game, 2) == 0) {
            nodes[i].has |= GZ_HAS_CREATE_NODE_BOUNDS;
            nodes[i].bounds = (gz_box){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
        }
    }
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {nodes, count}};
    say(game, player, &message);
}

static void say_set(struct game *game, struct player *player)
{
    static const struct gz_text names[] = {{"red", 3}, {"green", 5}, {"", 0}};
    struct gz_set_node node = {.id = any_node(game, player->client), .trs = gz_trs_identity};
    node.trs.t = any_place(game);
    node.trs.s = (gz_vec3){between(game, 0.5, 2), 1, 1};
    node.name = names[below(game, COUNT(names))];
    node.parent = below(game, 3) == 0 ? 0 : any_node(game, player->client);
    const uint64_t parts[] = {GZ_HAS_SET_NODE_T, GZ_HAS_SET_NODE_R, GZ_HAS_SET_NODE_S,
                              GZ_HAS_SET_NODE_NAME, GZ_HAS_SET_NODE_PARENT};
    node.has = parts[below(game, COUNT(parts))] | parts[below(game, COUNT(parts))];
    struct gz_message message = {.op = GZ_OP_SET, .set = {.nodes = &node, .count = 1}};
    if (below(game, 4) == 0) {
        message.has = GZ_HAS_SET_BASE;
        message.set.base = player->client->mirror.seq;
    }
    say(game, player, &message);
}

static void say_delete(struct game *game, struct player *player)
{
    uint64_t id = any_node(game, player->client);
    struct gz_message message = {.op = GZ_OP_DELETE, .remove = {&id, 1}};
    say(game, player, &message);
}

static void say_travel(struct game *game, struct player *player)
{
    struct gz_message message = {.op = below(game, 3) == 0 ? GZ_OP_REDO : GZ_OP_UNDO,
                                 .force = below(game, 2) == 0};
    say(game, player, &message);
}

static void say_past(struct game *game, struct player *player)
{
    uint64_t seq = player->client->mirror.seq, back = below(game, 30);
    struct gz_message message = {.op = GZ_OP_RESTORE,
                                 .has = GZ_HAS_AT_SEQ,
                                 .restore = {.seq = seq > back ? seq - back : seq + 1}};
    if (below(game, 2) == 0) message = (struct gz_message){.op = GZ_OP_HISTORY};
    if (below(game, 3) == 0)
        message = (struct gz_message){
            .op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = 1 + below(game, seq + 2)};
    say(game, player, &message);
}

static void say_select(struct game *game, struct player *player)
{
    uint64_t ids[2] = {any_node(game, player->client), any_node(game, player->client)};
    struct gz_message message = {
        .op = GZ_OP_SELECT,
        .select = {{ids, ids[0] == ids[1] ? 1 : 2}, (enum gz_how)below(game, GZ_HOW_COUNT)}};
    say(game, player, &message);
}

static void say_view(struct game *game, struct player *player)
{
    struct gz_message message = camera_message(5 + (double)below(game, 20));
    if (below(game, 2) == 0) {
        message = (struct gz_message){
            .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE | GZ_HAS_TOOL_SPACE | GZ_HAS_TOOL_PIVOT};
        message.tool.mode = (enum gz_mode)below(game, GZ_MODE_COUNT);
        message.tool.space = (enum gz_space)below(game, GZ_SPACE_COUNT);
        message.tool.pivot = (enum gz_pivot)below(game, GZ_PIVOT_POINT);
    }
    say(game, player, &message);
}

static struct gz_message any_pointer(struct game *game, enum gz_phase phase)
{
    struct gz_message message =
        pointer_message(phase, between(game, 200, 600), between(game, 100, 500),
                        below(game, 3) * below(game, 1000));
    if (below(game, 8) > 0) return message;
    message.has = GZ_HAS_POINTER_RAY;
    const double ray[6] = {between(game, -3, 3), between(game, -3, 3), 10, 0, 0, -1};
    memcpy(message.pointer.ray, ray, sizeof ray);
    return message;
}

static void say_pointer(struct game *game, struct player *player)
{
    struct gz_message message = any_pointer(game, (enum gz_phase)below(game, GZ_PHASE_COUNT));
    message.pointer.mods = below(game, 4) == 0 ? 1u << below(game, GZ_MOD_COUNT) : 0;
    say(game, player, &message);
}

static void say_moves(struct game *game, struct player *player)
{
    for (uint64_t moves = 1 + below(game, 5); moves > 0; moves--) {
        struct gz_message message = any_pointer(game, GZ_PHASE_MOVE);
        say(game, player, &message);
    }
}

static void say_grab(struct game *game, struct player *player)
{
    uint64_t id = any_node(game, player->client);
    struct gz_message message = any_pointer(game, GZ_PHASE_DOWN);
    message.op = GZ_OP_GRAB;
    message.pointer.handle = (enum gz_handle)(1 + below(game, GZ_HANDLE_COUNT - 1));
    if (below(game, 4) > 0) {
        message.has |= GZ_HAS_POINTER_NODES;
        message.pointer.nodes = (struct gz_ids){&id, 1};
    }
    if (below(game, 4) == 0) {
        message.has |= GZ_HAS_POINTER_VALUE;
        message.pointer.value = (struct gz_value){{between(game, -2, 2), between(game, -2, 2)},
                                                  1 + (uint32_t)below(game, 2)};
        if (below(game, 2) == 0) message.has &= ~(GZ_HAS_POINTER_AT | GZ_HAS_POINTER_RAY);
    }
    say(game, player, &message);
}

static void say_up(struct game *game, struct player *player)
{
    struct gz_message message =
        any_pointer(game, below(game, 4) == 0 ? GZ_PHASE_CANCEL : GZ_PHASE_UP);
    if (below(game, 8) == 0) message.has &= ~(GZ_HAS_POINTER_AT | GZ_HAS_POINTER_RAY);
    say(game, player, &message);
}

static void say_wheel(struct game *game, struct player *player)
{
    struct gz_message message = {.op = GZ_OP_WHEEL, .wheel.dy = (double)below(game, 5) - 2};
    say(game, player, &message);
}

static void say_pick(struct game *game, struct player *player)
{
    struct gz_message message = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {100, 100, 500, 400}};
    say(game, player, &message);
}

static uint64_t any_note(struct game *game, const struct client *client)
{
    if (client->notes.count == 0 || below(game, 10) == 0) return 1 + below(game, 50);
    return client->notes.notes[below(game, client->notes.count)].state.id;
}

/* Never the same text twice: a change that changes nothing is none, and its key, which is not
 * remembered, may come again. */
static void say_note(struct game *game, struct player *player)
{
    static const char *const words[] = {"why?", "because", "\xe2\x9c\x93"};
    char text[40];
    int size = snprintf(text, sizeof text, "%s %llu", words[below(game, 3)],
                        (unsigned long long)game->notes_said++);
    struct gz_message message = {
        .op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT, .note.text = {text, (size_t)size}};
    bool is_new = below(game, 2) == 0;
    if (!is_new) {
        const uint64_t parts[] = {GZ_HAS_NOTE_TEXT, GZ_HAS_NOTE_TEXT | GZ_HAS_NOTE_DONE, 0};
        message.has = GZ_HAS_NOTE_NOTE | parts[below(game, COUNT(parts))];
        message.note.note = any_note(game, player->client);
        message.note.done = below(game, 2) == 0;
        message.note.gone = message.has == GZ_HAS_NOTE_NOTE;
    } else if (below(game, 2) == 0) {
        message.has |= GZ_HAS_NOTE_REPLY;
        message.note.reply = any_note(game, player->client);
    }
    if (below(game, 3) == 0) {
        message.has |= GZ_HAS_NOTE_NODE;
        message.note.node = any_node(game, player->client);
    }
    if (below(game, 3) == 0) {
        message.has |= GZ_HAS_NOTE_POINT;
        message.note.point = any_place(game);
    }
    say(game, player, &message);
}

static void say_interest(struct game *game, struct player *player)
{
    uint64_t ids[2] = {any_node(game, player->client), any_node(game, player->client)};
    gz_vec3 corner = any_place(game);
    struct gz_message message = {.op = GZ_OP_INTEREST};
    switch (below(game, 6)) {
    case 0:
    case 1:
        message.has = GZ_HAS_INTEREST_NODES;
        message.interest.nodes = (struct gz_ids){ids, ids[0] == ids[1] ? 1 : below(game, 3)};
        break;
    case 2:
    case 3:
        message.has = GZ_HAS_INTEREST_BOX;
        message.interest.box =
            (gz_box){corner, gz_add(corner, (gz_vec3){between(game, 0, 4), 2, 3})};
        break;
    case 4:
        message.has = GZ_HAS_INTEREST_VIEW;
        message.interest.view = true;
        break;
    default: break;
    }
    say(game, player, &message);
}

static void say_nonsense(struct game *game, struct player *player)
{
    uint8_t bytes[64];
    size_t size = 1 + below(game, sizeof bytes);
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)below(game, 256);
    if (below(game, 2) == 0) bytes[0] = (uint8_t)(0x80 | below(game, 16));
    client_say_bytes(player->client, bytes, size);
}

/* Of few names, so that they are given, taken away and given again. */
static void say_checkpoint(struct game *game, struct player *player)
{
    struct gz_message message = {.op = GZ_OP_CHECKPOINT,
                                 .checkpoint.name = {&"abc"[below(game, 3)], 1}};
    message.checkpoint.gone = below(game, 2) == 0;
    if (!message.checkpoint.gone && below(game, 2) == 0) {
        message.has = GZ_HAS_CHECKPOINT_SEQ;
        message.checkpoint.seq = below(game, player->client->mirror.seq + 2);
    }
    say(game, player, &message);
}

static const struct {
    int weight;
    void (*say)(struct game *game, struct player *player);
} sayings[] = {
    {4, say_create},   {8, say_set},        {2, say_delete},  {6, say_travel},   {2, say_past},
    {3, say_select},   {2, say_view},       {5, say_pointer}, {20, say_moves},   {14, say_grab},
    {8, say_up},       {4, say_wheel},      {1, say_pick},    {1, say_nonsense}, {5, say_note},
    {2, say_interest}, {3, say_checkpoint},
};

static void say_something(struct game *game, struct player *player)
{
    int sum = 0;
    for (size_t i = 0; i < COUNT(sayings); i++) sum += sayings[i].weight;
    int drawn = (int)below(game, (uint64_t)sum);
    size_t at = 0;
    while (drawn >= sayings[at].weight) drawn -= sayings[at++].weight;
    sayings[at].say(game, player);
}

/* ---- what must hold ---- */

static void check_key(const struct player *player, uint64_t (*answers)[KEYS], uint64_t rid,
                      uint64_t answer)
{
    for (size_t i = 0; i < player->asked_count; i++) {
        if (player->asked[i].rid != rid) continue;
        uint64_t *known = &answers[player->user][player->asked[i].key];
        if (*known == 0) *known = answer;
        assert_int_equal(*known, answer);
    }
}

static void check_heard(struct game *game, struct player *player)
{
    for (const struct heard *heard = player->client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            const struct gz_message *message = &heard->messages[i];
            promises_check_stored(&game->host, message);
            if (message->op != GZ_OP_OK) continue;
            if ((message->has & GZ_HAS_OK_NOTE) != 0)
                check_key(player, game->note_of_key, message->rid, message->ok.note);
            if ((message->has & GZ_HAS_OK_EDIT) != 0)
                check_key(player, game->edit_of_key, message->rid, message->ok.edit);
        }
    }
    client_forget(player->client);
}

/* Everybody reads, the disk commits, nothing moves any more. */
static void check_everything(struct game *game)
{
    struct host *host = &game->host;
    host->disk = DISK_COMMITS;
    host->past_waits = false;
    for (int i = 0; i < CLIENTS; i++) game->players[i].client->stalled = false;
    host_turn(host);
    host_advance(host, 2);
    host_assert_equal(host);
    promises_check_holders(host->core);
    promises_check_tree(host->core);
    for (int i = 0; i < CLIENTS; i++) {
        check_heard(game, &game->players[i]);
        if (game->players[i].client->session == NULL) continue;
        promises_check_presence(game->players[i].client);
        assert_int_equal(game->players[i].client->saved, gz_core_summary(host->core).seq);
    }
}

/* ---- the game ---- */

/* Whoever comes has a camera and mostly something in hand, and may follow a part from the
 * beginning. */
static void come(struct game *game, struct player *player)
{
    struct gz_message camera = camera_message(10);
    struct gz_message tool = {
        .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE, .tool.mode = GZ_MODE_UNIVERSAL};
    client_say(player->client, &camera);
    client_say(player->client, &tool);
    if (below(game, 4) == 0) say_interest(game, player);
}

static void come_or_go(struct game *game, struct player *player)
{
    if (player->client->session != NULL) {
        client_leave(player->client);
        return;
    }
    player->asked_count = 0;
    client_resume(player->client);
    come(game, player);
}

/* In half of the games deltas are cut after a few nodes, in a third a user's edits wait for the
 * disk one after the other; a core that was started anew has to be told. */
static void set_core(struct game *game)
{
    if (game->cuts) game->host.core->sync->delta_bytes = 600;
    if (game->queues) game->host.core->rows_waiting_max = 1;
}

static void disturb(struct game *game)
{
    struct host *host = &game->host;
    struct player *player = &game->players[below(game, CLIENTS)];
    switch (below(game, 18)) {
    case 0:
    case 9:
    case 10:
    case 11: host->disk = DISK_COMMITS; break;
    case 1: host->disk = DISK_WAITS; break;
    case 2: host->disk = DISK_REFUSES; break;
    case 3: host_settle(host, below(game, 2) == 0); break;
    case 4: host->past_waits = !host->past_waits; break;
    case 5: come_or_go(game, player); break;
    case 6: player->client->stalled = !player->client->stalled; break;
    case 7:
        if (below(game, 6) == 0) host_restart(host, below(game, 2) == 0);
        break;
    case 8:
        if (below(game, 6) == 0) check_everything(game);
        break;
    case 12:
    case 13:
        if (player->client->session != NULL)
            (void)client_read_one(player->client); /* one of several, stalled or not */
        break;
    default: host_advance(host, between(game, 0, 0.2)); break;
    }
    set_core(game);
}

static void step(struct game *game)
{
    struct player *player = &game->players[below(game, CLIENTS)];
    if (player->client->session == NULL && below(game, 3) == 0) come_or_go(game, player);
    if (player->client->session != NULL) say_something(game, player);
    if (below(game, 3) == 0) host_turn(&game->host);
    if (below(game, 3) == 0) disturb(game);
    promises_check_holders(game->host.core);
    if (below(game, 8) > 0) return;
    for (int i = 0; i < CLIENTS; i++) check_heard(game, &game->players[i]);
}

static void play(uint64_t seed, uint64_t steps)
{
    struct game *game = calloc(1, sizeof *game);
    assert_non_null(game);
    game->random = seed;
    game->cuts = seed % 2 == 0;
    game->queues = seed % 3 == 0;
    host_init(&game->host);
    set_core(game);
    for (int i = 0; i < CLIENTS; i++) {
        struct player *player = &game->players[i];
        player->user = i % USERS;
        player->client = client_enter(&game->host, users[player->user],
                                      i == CLIENTS - 1 ? GZ_ROLE_VIEWER : GZ_ROLE_EDITOR, i == 0);
    }
    for (int i = 0; i < CLIENTS; i++) come(game, &game->players[i]);
    for (int i = 0; i < 4; i++) say_create(game, &game->players[0]);
    host_turn(&game->host);
    for (uint64_t i = 0; i < steps; i++) step(game);
    check_everything(game);
    for (int i = 1; i < CLIENTS; i++) {
        if (game->players[i].client->session != NULL) client_leave(game->players[i].client);
    }
    check_everything(game);
    host_finish(&game->host);
    free(game);
}

TEST(test_model_promises_hold)
{
    uint64_t first = chance_seed(1), count = chance_count(SEEDS);
    uint64_t steps = STEPS;
    for (uint64_t seed = first; seed < first + count; seed++) {
        fprintf(stderr, "GIZMOD_SEED=%llu\r",
                (unsigned long long)seed); /* what is read where it fails */
        play(seed, steps);
    }
}
