/* Undo and redo of four users against a model of them, over random edits, drags, wheels,
 * restarts and reconnects. The model keeps what each edit did, and of an undo knows what
 * proto/README.md says: the scene must then be what the model says, bit for bit, and a conflict
 * must name whom the model names. What an unforced undo changes no standing edit of others has
 * touched. GIZMOD_SEED is the first seed, GIZMOD_TIMES scales the 20,000 operations (a million in
 * the long suite); a game has 500 of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define USERS 4
#define GAME_STEPS 500
#define EDITS_MAX (GAME_STEPS + 64)
#define IDS_MAX 256
#define NODES_WANTED 12

/* ---- the model ---- */

struct node {
    bool exists;
    int name; /* in `names` */
    uint64_t parent;
    gz_trs trs;
};

struct change {
    uint64_t id;
    struct node before, after;
};

struct edit {
    int user;
    uint64_t id; /* as the server calls it */
    bool undone;
    size_t root, last; /* of an undo or redo: what it is about; of others: itself; and what was done
                          last about it */
    struct change *changes;
    size_t count;
};

struct model {
    struct node nodes[IDS_MAX];
    struct edit edits[EDITS_MAX];
    size_t count;
    size_t done[USERS][EDITS_MAX], undone[USERS][EDITS_MAX];
    size_t done_count[USERS], undone_count[USERS];
};

static const char *const users[USERS] = {"ann", "bob", "cho", "dee"};
static const char *const names[] = {"red", "green", "blue", ""};

static bool same_node(const struct node *a, const struct node *b)
{
    if (a->exists != b->exists) return false;
    return !a->exists || (a->name == b->name && a->parent == b->parent &&
                          memcmp(&a->trs, &b->trs, sizeof a->trs) == 0);
}

static const struct change *change_of(const struct edit *edit, uint64_t id)
{
    for (size_t i = 0; i < edit->count; i++) {
        if (edit->changes[i].id == id) return &edit->changes[i];
    }
    return NULL;
}

static bool differs(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) != 0;
}

/* What `from` and `to` differ in becomes as in `to`. */
static void alter(struct node *node, const struct node *from, const struct node *to)
{
    if (from->name != to->name) node->name = to->name;
    if (from->parent != to->parent) node->parent = to->parent;
    if (differs(&from->trs.t, &to->trs.t, sizeof to->trs.t)) node->trs.t = to->trs.t;
    if (differs(&from->trs.r, &to->trs.r, sizeof to->trs.r)) node->trs.r = to->trs.r;
    if (differs(&from->trs.s, &to->trs.s, sizeof to->trs.s)) node->trs.s = to->trs.s;
}

/* The latest edit of others after `last` that touched its nodes; with `standing` not what came to
 * nothing. EDITS_MAX: none. */
static size_t find_conflict(const struct model *model, int user, size_t last, bool standing)
{
    for (size_t at = model->count; at-- > last + 1;) {
        const struct edit *edit = &model->edits[at];
        bool came_to_nothing = edit->root > last && model->edits[edit->root].undone;
        if (edit->user == user || (standing && came_to_nothing)) continue;
        for (size_t i = 0; i < edit->count; i++) {
            if (change_of(&model->edits[last], edit->changes[i].id) != NULL) return at;
        }
    }
    return EDITS_MAX;
}

/* Whether all is so, in what the edit altered, as the edit left it. */
static bool is_as_left(const struct model *model, const struct edit *edit)
{
    for (size_t i = 0; i < edit->count; i++) {
        const struct change *change = &edit->changes[i];
        const struct node *now = &model->nodes[change->id];
        struct node expected = *now;
        if (now->exists != change->after.exists) return false;
        if (change->before.exists) alter(&expected, &change->before, &change->after);
        if (!change->before.exists) expected = change->after;
        if (!same_node(now, &expected)) return false;
    }
    return true;
}

static bool is_below(const struct node *nodes, uint64_t id, uint64_t above)
{
    for (int steps = 0; id != 0 && steps < IDS_MAX; steps++, id = nodes[id].parent) {
        if (id == above) return true;
    }
    return false;
}

static bool has_circle(const struct node *nodes)
{
    for (uint64_t id = 1; id < IDS_MAX; id++) {
        if (nodes[id].exists && nodes[id].parent != 0 && is_below(nodes, nodes[id].parent, id))
            return true;
    }
    return false;
}

static void reverse(const struct model *model, const struct edit *last, struct node *nodes)
{
    for (size_t i = 0; i < last->count; i++) {
        const struct change *change = &last->changes[i];
        struct node *node = &nodes[change->id];
        bool gone = !model->nodes[change->id].exists;
        if (change->after.exists && gone) continue;
        if (change->before.exists && change->after.exists)
            alter(node, &change->after, &change->before);
        else
            *node = change->before;
    }
}

/* What hangs below nodes that go, and is not spoken of: how many; they go too. -1 where that would
 * take what is spoken of. */
static int take_strays(const struct model *model, const struct edit *last, struct node *nodes)
{
    int count = 0;
    bool found = true;
    while (found) {
        found = false;
        for (uint64_t id = 1; id < IDS_MAX; id++) {
            uint64_t parent = nodes[id].parent;
            if (!nodes[id].exists || parent == 0 || nodes[parent].exists ||
                !model->nodes[parent].exists)
                continue;
            if (change_of(last, id) != NULL) return -1;
            nodes[id].exists = false;
            found = true;
            count++;
        }
    }
    return count;
}

static void find_places(const struct model *model, const struct edit *last, struct node *nodes,
                        bool for_loop)
{
    for (size_t i = 0; i < last->count; i++) {
        uint64_t id = last->changes[i].id, parent = nodes[id].parent;
        const struct node *now = &model->nodes[id];
        bool missing = nodes[id].exists && parent != 0 && !nodes[parent].exists &&
                       !model->nodes[parent].exists;
        if (for_loop ? now->exists && nodes[id].exists : missing)
            nodes[id].parent = now->exists ? now->parent : 0;
    }
}

/* What an undo or redo that does `last` backwards makes of the scene. False: it is a conflict;
 * `who` is the edit in the way, EDITS_MAX where it is something else. */
static bool travel(const struct model *model, int user, size_t last_at, bool force,
                   struct node *nodes, size_t *who)
{
    const struct edit *last = &model->edits[last_at];
    memcpy(nodes, model->nodes, sizeof model->nodes);
    *who = EDITS_MAX;
    if (!force) *who = find_conflict(model, user, last_at, true);
    if (!force && *who == EDITS_MAX && !is_as_left(model, last))
        *who = find_conflict(model, user, last_at, false);
    if (*who != EDITS_MAX) return false;
    reverse(model, last, nodes);
    if (force) find_places(model, last, nodes, false);
    if (force && has_circle(nodes)) find_places(model, last, nodes, true);
    int strays = take_strays(model, last, nodes);
    if (strays < 0 || (strays > 0 && !force)) return false;
    for (uint64_t id = 1; id < IDS_MAX; id++) {
        if (nodes[id].exists && nodes[id].parent != 0 && !nodes[nodes[id].parent].exists)
            return false;
    }
    return !has_circle(nodes);
}

/* ---- the game ---- */

struct game {
    struct host host;
    uint64_t random;
    struct client *clients[USERS];
    struct model model;
    size_t conflicts, travels;
};

static uint64_t below(struct game *game, uint64_t limit)
{
    return chance_below(&game->random, limit);
}

static int name_index(const char *name)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        if (strcmp(names[i], name) == 0) return (int)i;
    }
    fail_msg("a name that nobody gave: %s", name);
    return -1;
}

static void read_scene(struct game *game, struct node *nodes)
{
    struct gz_arena arena;
    size_t count;
    gz_arena_init(&arena, SIZE_MAX / 2);
    const struct gz_node_record *records = host_nodes(&game->host, &arena, &count);
    memset(nodes, 0, IDS_MAX * sizeof *nodes);
    for (size_t i = 0; i < count; i++) {
        const struct gz_content *content = &records[i].content;
        assert_true(records[i].id < IDS_MAX);
        nodes[records[i].id] =
            (struct node){true, name_index(content->name), content->parent, content->trs};
    }
    gz_arena_finish(&arena);
}

static uint64_t any_node(struct game *game)
{
    uint64_t alive[IDS_MAX];
    size_t count = 0;
    for (uint64_t id = 1; id < IDS_MAX; id++) {
        if (game->model.nodes[id].exists) alive[count++] = id;
    }
    return count > 0 ? alive[below(game, count)] : 0;
}

/* Adds what the scene is now, as an edit. */
static size_t note(struct game *game, int who, uint64_t id, size_t root)
{
    struct model *model = &game->model;
    struct edit *edit = &model->edits[model->count];
    struct node now[IDS_MAX];
    read_scene(game, now);
    *edit = (struct edit){.user = who,
                          .id = id,
                          .root = root != EDITS_MAX ? root : model->count,
                          .last = model->count};
    edit->changes = calloc(IDS_MAX, sizeof *edit->changes);
    assert_non_null(edit->changes);
    for (uint64_t node = 1; node < IDS_MAX; node++) {
        if (!same_node(&model->nodes[node], &now[node]))
            edit->changes[edit->count++] = (struct change){node, model->nodes[node], now[node]};
    }
    memcpy(model->nodes, now, sizeof now);
    assert_true(model->count + 1 < EDITS_MAX);
    return model->count++;
}

static void note_own(struct game *game, int who, uint64_t id)
{
    struct model *model = &game->model;
    size_t at = note(game, who, id, EDITS_MAX);
    model->undone_count[who] = 0;
    model->done[who][model->done_count[who]++] = at;
}

static void check_answer(struct game *game, int who, const struct gz_message *answer)
{
    assert_non_null(answer);
    if (answer->op == GZ_OP_OK && (answer->has & GZ_HAS_OK_EDIT) != 0)
        note_own(game, who, answer->ok.edit);
}

static void do_set(struct game *game, int who)
{
    uint64_t id = any_node(game);
    struct client *client = game->clients[who];
    const struct gz_message *answer = NULL;
    if (id == 0) return;
    switch (below(game, 4)) {
    case 0: answer = ask_rename(client, id, names[below(game, COUNT(names))]); break;
    case 1: answer = ask_hang(client, id, below(game, 3) == 0 ? 0 : any_node(game)); break;
    default:
        answer = ask_move(client, id, (double)below(game, 5), (double)below(game, 3), 0);
        break;
    }
    check_answer(game, who, answer);
}

static void do_create(struct game *game, int who)
{
    size_t count = 0;
    for (uint64_t id = 1; id < IDS_MAX; id++) count += game->model.nodes[id].exists;
    if (count >= NODES_WANTED) return;
    const char *name = names[below(game, COUNT(names))];
    check_answer(
        game, who,
        ask_create(game->clients[who], name, below(game, 3) == 0 ? 0 : any_node(game), NULL));
}

static void do_delete(struct game *game, int who)
{
    uint64_t id = any_node(game);
    if (id != 0) check_answer(game, who, ask_delete(game->clients[who], id));
}

static struct gz_message pointer(struct game *game, enum gz_phase phase)
{
    return (struct gz_message){
        .op = GZ_OP_POINTER,
        .has = GZ_HAS_POINTER_RAY,
        .pointer = {.phase = phase,
                    .ray = {(double)below(game, 9) / 3, (double)below(game, 9) / 7, 50, 0, 0, -1}}};
}

/* One drag is one step, however long it is. */
static void do_drag(struct game *game, int who)
{
    uint64_t id = any_node(game);
    struct client *client = game->clients[who];
    struct gz_message grab = pointer(game, GZ_PHASE_DOWN);
    if (id == 0) return;
    grab.op = GZ_OP_GRAB;
    grab.has |= GZ_HAS_POINTER_NODES;
    grab.pointer.handle = GZ_TXY;
    grab.pointer.nodes = (struct gz_ids){&id, 1};
    const struct gz_message *answer = client_ask(client, &grab);
    assert_non_null(answer);
    if (answer->op != GZ_OP_OK) return;
    for (uint64_t moves = below(game, 4); moves > 0; moves--) {
        struct gz_message move = pointer(game, GZ_PHASE_MOVE);
        assert_ok(client_ask(client, &move));
        host_advance(&game->host, 0.03);
    }
    struct gz_message up = pointer(game, below(game, 5) == 0 ? GZ_PHASE_CANCEL : GZ_PHASE_UP);
    check_answer(game, who, client_ask(client, &up));
}

/* And so are the turns of a wheel. */
static void do_wheel(struct game *game, int who)
{
    uint64_t id = any_node(game);
    struct client *client = game->clients[who];
    if (id == 0) return;
    client_forget(client);
    assert_ok(ask_select(client, id));
    for (uint64_t turns = 1 + below(game, 3); turns > 0; turns--) (void)ask_wheel(client, 1);
    host_advance(&game->host, 1);
    const struct gz_message *edit = client_last(client, GZ_OP_EDIT);
    if (edit != NULL) note_own(game, who, edit->edit.id);
}

static void check_conflict(struct game *game, const struct gz_message *answer, bool undo,
                           size_t who)
{
    assert_refused(answer, GZ_CONFLICT);
    game->conflicts++;
    struct node now[IDS_MAX];
    read_scene(game, now);
    assert_memory_equal(now, game->model.nodes, sizeof now);
    if (who == EDITS_MAX) return;
    const struct edit *edit = &game->model.edits[who];
    char text[GZ_ERROR_BYTES_MAX], begin[32], end[48];
    int size = snprintf(text, sizeof text, "%.*s", (int)answer->error.message.size,
                        answer->error.message.bytes);
    int begin_size =
        snprintf(begin, sizeof begin, "%s: %s ", undo ? "undo" : "redo", users[edit->user]);
    int end_size = snprintf(end, sizeof end, " since (edit %llu)", (unsigned long long)edit->id);
    assert_memory_equal(text, begin, (size_t)begin_size);
    assert_string_equal(text + size - end_size, end);
    for (size_t i = 0; i < answer->error.nodes.count; i++)
        assert_non_null(change_of(edit, answer->error.nodes.ids[i]));
    assert_true(answer->error.nodes.count > 0);
}

static void check_travelled(struct game *game, int who, bool undo, uint64_t id,
                            const struct node *expected)
{
    struct model *model = &game->model;
    size_t *from = undo ? model->done[who] : model->undone[who],
           *to = undo ? model->undone[who] : model->done[who];
    size_t *from_count = undo ? &model->done_count[who] : &model->undone_count[who];
    size_t *to_count = undo ? &model->undone_count[who] : &model->done_count[who];
    size_t root = from[--*from_count];
    model->edits[root].last = note(game, who, id, root);
    model->edits[root].undone = undo;
    to[(*to_count)++] = root;
    for (uint64_t node = 1; node < IDS_MAX; node++)
        assert_true(same_node(&model->nodes[node], &expected[node]));
    game->travels++;
}

static void do_travel(struct game *game, int who)
{
    struct model *model = &game->model;
    bool undo = below(game, 3) > 0, force = below(game, 3) == 0;
    size_t count = undo ? model->done_count[who] : model->undone_count[who];
    const struct gz_message *answer =
        undo ? ask_undo(game->clients[who], force) : ask_redo(game->clients[who], force);
    assert_non_null(answer);
    if (count == 0) {
        assert_refused(answer, GZ_BAD_STATE);
        return;
    }
    size_t root = undo ? model->done[who][count - 1] : model->undone[who][count - 1], in_the_way;
    struct node expected[IDS_MAX];
    if (!travel(model, who, model->edits[root].last, force, expected, &in_the_way)) {
        check_conflict(game, answer, undo, in_the_way);
        return;
    }
    assert_ok(answer);
    check_travelled(game, who, undo, answer->ok.edit, expected);
}

static void do_come_back(struct game *game, int who)
{
    if (below(game, 3) == 0) {
        host_restart(&game->host, false);
        for (int i = 0; i < USERS; i++) client_resume(game->clients[i]);
    } else {
        client_leave(game->clients[who]);
        client_resume(game->clients[who]);
    }
    host_turn(&game->host);
}

static const struct {
    uint64_t weight;
    void (*act)(struct game *game, int who);
} acts[] = {{6, do_set},   {4, do_create},  {2, do_delete},   {3, do_drag},
            {1, do_wheel}, {14, do_travel}, {1, do_come_back}};

static void step(struct game *game)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < COUNT(acts); i++) sum += acts[i].weight;
    uint64_t drawn = below(game, sum);
    size_t at = 0;
    while (drawn >= acts[at].weight) drawn -= acts[at++].weight;
    acts[at].act(game, (int)below(game, USERS));
    for (int i = 0; i < USERS; i++) client_forget(game->clients[i]);
}

static void play(uint64_t seed, size_t *conflicts, size_t *travels)
{
    struct game *game = calloc(1, sizeof *game);
    assert_non_null(game);
    game->random = seed;
    host_init_limited(&game->host, 1e9);
    for (int i = 0; i < USERS; i++)
        game->clients[i] = client_join(&game->host, users[i], GZ_ROLE_EDITOR);
    for (int i = 0; i < GAME_STEPS; i++) step(game);
    host_assert_equal(&game->host);
    *conflicts += game->conflicts;
    *travels += game->travels;
    for (size_t i = 0; i < game->model.count; i++) free(game->model.edits[i].changes);
    host_finish(&game->host);
    free(game);
}

TEST(test_travel_is_as_in_the_model)
{
    uint64_t seed = chance_seed(1), steps = chance_count(20000);
    size_t conflicts = 0, travels = 0;
    for (uint64_t done = 0; done < steps; done += GAME_STEPS, seed++) {
        fprintf(stderr, "GIZMOD_SEED=%llu\r",
                (unsigned long long)seed); /* what is read where it fails */
        play(seed, &conflicts, &travels);
    }
    assert_true(conflicts > steps / 50 && travels > steps / 10);
}
