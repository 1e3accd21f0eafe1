/* Eight users, random operations, a wall clock that jumps, a disk that refuses at times. The
 * model knows who holds what from the answers alone; the scene must agree after every operation,
 * and every refusal must name that holder. GIZMOD_SEED is the first seed, GIZMOD_TIMES scales the
 * 20,000 operations (a million in the long suite); a game has 1,000 of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/session.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define USERS 8
#define GAME_STEPS 1000
#define NODES_WANTED 16
#define IDS_MAX 4096

struct player {
    struct client *client;
    enum { RUNS_NONE, RUNS_DRAG, RUNS_WHEEL } runs; /* by the answers */
    double wheel_until_s;
};

struct game {
    struct host host;
    uint64_t random;
    struct player players[USERS];
    int holder[IDS_MAX]; /* player + 1; 0: nobody */
    size_t refusals;
};

static const char *const users[USERS] = {"ann", "bob", "cho", "dee", "eve", "fay", "gus", "hal"};

static uint64_t below(struct game *game, uint64_t limit)
{
    return chance_below(&game->random, limit);
}

static const struct gz_node *node_of(const struct game *game, uint64_t id)
{
    return gz_scene_find(game->host.core->scene, id);
}

static uint64_t any_node(struct game *game)
{
    const struct gz_scene *scene = game->host.core->scene;
    const struct gz_node *node = gz_scene_walk_all(scene, NULL);
    for (uint64_t skip = below(game, gz_scene_count(scene)); skip > 0; skip--)
        node = gz_scene_walk_all(scene, node);
    return node->id;
}

/* ---- the model ---- */

static void release(struct game *game, int who)
{
    for (size_t id = 0; id < IDS_MAX; id++) {
        if (game->holder[id] == who + 1) game->holder[id] = 0;
    }
    game->players[who].runs = RUNS_NONE;
}

/* Whatever else one does, but pointing, ends one's wheel. */
static void close_wheel(struct game *game, int who)
{
    if (game->players[who].runs == RUNS_WHEEL) release(game, who);
}

static bool is_held_by_others(const struct game *game, uint64_t id, int who)
{
    return game->holder[id] != 0 && game->holder[id] != who + 1;
}

static bool is_subtree_held(const struct game *game, uint64_t top_id, int who, bool by_others)
{
    const struct gz_node *top = node_of(game, top_id);
    for (const struct gz_node *at = top; at != NULL; at = gz_scene_walk(top, at)) {
        if (by_others ? is_held_by_others(game, at->id, who) : game->holder[at->id] == who + 1)
            return true;
    }
    return false;
}

/* ---- what must hold ---- */

static void check_refusal(struct game *game, int who, const struct gz_message *answer)
{
    if (answer == NULL || answer->op != GZ_OP_ERROR || answer->error.code != GZ_LOCKED) return;
    game->refusals++;
    assert_int_equal(answer->error.nodes.count, 1);
    uint64_t id = answer->error.nodes.ids[0];
    assert_true(is_held_by_others(game, id, who));
    int holder = game->holder[id] - 1;
    assert_int_equal(answer->error.holder, game->players[holder].client->id);
    char text[GZ_ERROR_BYTES_MAX], end[64];
    int size = snprintf(text, sizeof text, "%.*s", (int)answer->error.message.size,
                        answer->error.message.bytes);
    snprintf(end, sizeof end, "(piston) is held by %s", users[holder]);
    assert_string_equal(text + size - strlen(end), end);
}

/* A drag that ended because the disk refused what it began on is told without a rid. */
static void hear(struct game *game, int who)
{
    struct client *client = game->players[who].client;
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            const struct gz_message *message = &heard->messages[i];
            if (message->op != GZ_OP_ERROR || message->error.code != GZ_STORAGE ||
                (message->has & GZ_HAS_RID) != 0)
                continue;
            if (message->error.nodes.count == 0)
                continue; /* the end of a wheel, which is nobody's request */
            for (size_t n = 0; n < message->error.nodes.count; n++)
                assert_int_equal(game->holder[message->error.nodes.ids[n]], who + 1);
            release(game, who);
        }
    }
    client_forget(client);
}

static void check(struct game *game)
{
    for (int who = 0; who < USERS; who++) {
        struct player *player = &game->players[who];
        hear(game, who);
        if (player->runs == RUNS_WHEEL && game->host.now.mono_s >= player->wheel_until_s)
            release(game, who);
    }
    const struct gz_node *node = NULL;
    while ((node = gz_scene_walk_all(game->host.core->scene, node)) != NULL) {
        int holder = game->holder[node->id];
        uint64_t session = holder > 0 ? game->players[holder - 1].client->id : 0;
        assert_int_equal(node->holder, session);
    }
}

/* ---- operations ---- */

static bool is_ok(const struct gz_message *answer)
{
    return answer != NULL && answer->op == GZ_OP_OK;
}

static struct gz_message pointer(struct game *game, enum gz_phase phase)
{
    return (struct gz_message){
        .op = GZ_OP_POINTER,
        .has = GZ_HAS_POINTER_RAY,
        .pointer = {.phase = phase,
                    .ray = {(double)below(game, 9) - 4, (double)below(game, 9) - 4, 50, 0, 0, -1}}};
}

static void say_grab(struct game *game, int who)
{
    struct player *player = &game->players[who];
    uint64_t ids[2] = {any_node(game), any_node(game)};
    /* Those that are below another one move with it and are not held. */
    const struct gz_node *tops[2];
    size_t count = gz_scene_tops(game->host.core->scene, ids, 2, tops);
    struct gz_message grab = pointer(game, GZ_PHASE_DOWN);
    grab.op = GZ_OP_GRAB;
    grab.has |= GZ_HAS_POINTER_NODES;
    grab.pointer.handle = GZ_TXY;
    grab.pointer.nodes = (struct gz_ids){ids, count};
    const struct gz_message *answer = client_ask(player->client, &grab);
    close_wheel(game, who);
    check_refusal(game, who, answer);
    bool held = false;
    for (size_t i = 0; i < count; i++) held |= is_held_by_others(game, ids[i], who);
    if (player->runs != RUNS_NONE) {
        assert_refused(answer, GZ_BAD_STATE);
    } else if (held) {
        assert_refused(answer, GZ_LOCKED);
    } else if (is_ok(answer)) {
        player->runs = RUNS_DRAG;
        for (size_t i = 0; i < count; i++) game->holder[ids[i]] = who + 1;
    }
}

static void say_move(struct game *game, int who)
{
    struct gz_message move = pointer(game, GZ_PHASE_MOVE);
    assert_ok(client_ask(game->players[who].client, &move));
}

/* Free at once: the turn in which it is said, whatever the disk does. */
static void say_end(struct game *game, int who)
{
    struct player *player = &game->players[who];
    struct gz_message end = pointer(game, below(game, 2) == 0 ? GZ_PHASE_UP : GZ_PHASE_CANCEL);
    if (player->runs == RUNS_DRAG || end.pointer.phase == GZ_PHASE_CANCEL) release(game, who);
    (void)client_ask(player->client, &end);
}

static void say_wheel(struct game *game, int who)
{
    struct player *player = &game->players[who];
    uint64_t id = any_node(game);
    if (player->runs == RUNS_NONE) {
        assert_ok(ask_select(player->client, id));
        check(game); /* in that turn the disk may have ended somebody's drag, or taken the node
                      * back */
        if (node_of(game, id) == NULL) return;
        const struct gz_message *answer = ask_wheel(player->client, (double)below(game, 3) - 1);
        check_refusal(game, who, answer);
        if (is_held_by_others(game, id, who)) assert_refused(answer, GZ_LOCKED);
        if (answer != NULL) return; /* the answer of a wheel that turns waits for its edit */
        player->runs = RUNS_WHEEL;
        game->holder[id] = who + 1;
    } else if (ask_wheel(player->client, 1) != NULL) {
        return;
    }
    player->wheel_until_s = game->host.now.mono_s + GZ_WHEEL_SECONDS;
}

static void say_set(struct game *game, int who)
{
    uint64_t id = any_node(game);
    struct client *client = game->players[who].client;
    close_wheel(game, who);
    bool held = is_held_by_others(game, id, who);
    const struct gz_message *answer = below(game, 3) == 0
                                          ? ask_hang(client, id, any_node(game))
                                          : ask_move(client, id, (double)below(game, 1000), 0, 0);
    check_refusal(game, who, answer);
    /* What is so already is no change, and is ok. */
    if (held)
        assert_true(answer == NULL || answer->op == GZ_OP_ERROR ||
                    (answer->has & GZ_HAS_OK_EDIT) == 0);
}

static void say_delete(struct game *game, int who)
{
    uint64_t id = any_node(game);
    close_wheel(game, who);
    bool others = is_subtree_held(game, id, who, true), own = is_subtree_held(game, id, who, false);
    const struct gz_message *answer = ask_delete(game->players[who].client, id);
    check_refusal(game, who, answer);
    if (others && !own) assert_refused(answer, GZ_LOCKED);
    /* That the node is there is not asked: in that turn the disk may have refused the edit that
     * made it. */
    if (others || own) assert_true(answer == NULL || answer->op == GZ_OP_ERROR);
}

static void say_travel(struct game *game, int who)
{
    struct client *client = game->players[who].client;
    bool force = below(game, 2) == 0;
    close_wheel(game, who);
    check_refusal(game, who,
                  below(game, 3) == 0 ? ask_redo(client, force) : ask_undo(client, force));
}

static void say_restore(struct game *game, int who)
{
    struct client *client = game->players[who].client;
    uint64_t back = below(game, 40);
    struct gz_message restore = {.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ};
    restore.restore.seq = client->mirror.seq > back ? client->mirror.seq - back : 1;
    close_wheel(game, who);
    check_refusal(game, who, client_ask(client, &restore));
}

static void come_back(struct game *game, int who)
{
    struct player *player = &game->players[who];
    client_leave(player->client);
    release(game, who);
    host_turn(&game->host);
    check(game);
    client_resume(player->client);
    host_turn(&game->host);
}

static void grow(struct game *game, int who)
{
    if (gz_scene_count(game->host.core->scene) >= NODES_WANTED) return;
    close_wheel(game, who);
    (void)ask_create(game->players[who].client, "piston", below(game, 2) == 0 ? 0 : any_node(game),
                     NULL);
}

static void disturb(struct game *game, int who)
{
    struct host *host = &game->host;
    switch (below(game, 6)) {
    case 0:
        host->now.unix_s += ((double)below(game, 2001) - 1000) * 1e4;
        break; /* months, either way */
    case 1: host->now.unix_s += ((double)below(game, 2001) - 1000) * 1e-3; break;
    case 2: host->disk = below(game, 3) == 0 ? DISK_WAITS : DISK_COMMITS; break;
    case 3: host->disk = below(game, 3) == 0 ? DISK_REFUSES : DISK_COMMITS; break;
    case 4: host_advance(host, 0.001 * (double)below(game, 700)); break;
    default: come_back(game, who); break;
    }
}

static const struct {
    uint64_t weight;
    void (*say)(struct game *game, int who);
} sayings[] = {
    {8, say_grab},   {6, say_move},   {4, say_end},     {3, say_wheel}, {4, say_set},
    {1, say_delete}, {3, say_travel}, {1, say_restore}, {2, grow},      {2, disturb},
};

static void step(struct game *game)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < COUNT(sayings); i++) sum += sayings[i].weight;
    uint64_t drawn = below(game, sum);
    size_t at = 0;
    while (drawn >= sayings[at].weight) drawn -= sayings[at++].weight;
    int who = (int)below(game, USERS);
    if (gz_scene_count(game->host.core->scene) < 3) game->host.disk = DISK_COMMITS;
    if (gz_scene_count(game->host.core->scene) < 3) host_advance(&game->host, 1);
    while (gz_scene_count(game->host.core->scene) < 3)
        (void)create_node(game->players[who].client, "piston", 0, 0, 0, 0);
    check(game);
    sayings[at].say(game, who);
    check(game);
}

static size_t play(uint64_t seed, uint64_t steps)
{
    struct game *game = calloc(1, sizeof *game);
    assert_non_null(game);
    game->random = seed;
    host_init_limited(&game->host, 1e9);
    for (int who = 0; who < USERS; who++)
        game->players[who].client = client_join(&game->host, users[who], GZ_ROLE_EDITOR);
    while (steps-- > 0) step(game);
    for (int who = 0; who < USERS; who++) {
        client_leave(game->players[who].client);
        release(game, who);
    }
    host_turn(&game->host);
    check(game);
    size_t refusals = game->refusals;
    host_finish(&game->host);
    free(game);
    return refusals;
}

TEST(test_one_holder_at_most_and_refusals_name_it)
{
    uint64_t seed = chance_seed(1), steps = chance_count(20000);
    size_t refusals = 0;
    for (uint64_t done = 0; done < steps; done += GAME_STEPS, seed++) {
        fprintf(stderr, "GIZMOD_SEED=%llu\r",
                (unsigned long long)seed); /* what is read where it fails */
        refusals += play(seed, GAME_STEPS);
    }
    assert_true(refusals > steps / 50);
}
