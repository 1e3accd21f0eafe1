/* A viewer's interest_set by itself: ids from all over, regions that change while news of the last
 * one wait, news taken one by one. When all are taken the viewer knows exactly the part, found by
 * going through all nodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed/interest_set.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define SEEDS 60
#define STEPS 40
#define NODES 300

struct game {
    struct gz_scene *scene;
    struct gz_interest_set *interest_set;
    struct gz_region region;
    uint64_t random;
    uint64_t ids[NODES];
    bool known[NODES];
};

static uint64_t below(struct game *game, uint64_t limit)
{
    return chance_below(&game->random, limit);
}

static void apply(struct game *game, const struct gz_change *change)
{
    struct gz_failure failure;
    enum gz_status status = gz_scene_apply(game->scene, change, 1, 1, &failure);
    assert_true(status != GZ_NO_MEMORY); /* a change that cannot be is refused */
}

static void make_node(struct game *game, size_t index)
{
    struct gz_change change = {.node = game->ids[index], .exists = true};
    change.after = (struct gz_content){.name = "n", .trs = gz_trs_identity, .asset = -1};
    change.after.trs.t.x = (double)below(game, 100);
    if (index > 0 && below(game, 2) == 0) change.after.parent = game->ids[below(game, index)];
    apply(game, &change);
}

static void change_node(struct game *game, size_t index)
{
    const struct gz_node *node = gz_scene_find(game->scene, game->ids[index]);
    if (node == NULL) {
        make_node(game, index);
        return;
    }
    struct gz_change change = {.node = node->id, .existed = true, .exists = below(game, 4) > 0};
    gz_node_content(node, &change.before);
    change.after = change.before;
    change.after.trs.t.x = (double)below(game, 100);
    if (below(game, 3) == 0) change.after.parent = game->ids[below(game, NODES)];
    apply(game, &change);
}

static void follow_another(struct game *game)
{
    static uint64_t named[3];
    double low = (double)below(game, 150);
    game->region =
        (struct gz_region){.kind = GZ_REGION_BOX, .box = {{low, -1, -1}, {low + 40, 1, 1}}};
    if (below(game, 3) == 0) {
        for (size_t i = 0; i < COUNT(named); i++) named[i] = game->ids[below(game, NODES)];
        game->region =
            (struct gz_region){.kind = GZ_REGION_NODES, .ids = named, .id_count = below(game, 4)};
    }
    if (below(game, 8) == 0) game->region.kind = GZ_REGION_WHOLE;
    assert_true(gz_interest_set_choose(game->interest_set, &game->region));
}

/* ---- what must hold ---- */

static size_t index_of(const struct game *game, uint64_t id)
{
    size_t index = 0;
    while (game->ids[index] != id) index++;
    return index;
}

static bool is_match(const struct game *game, const struct gz_node *node)
{
    const struct gz_region *region = &game->region;
    double x = 0;
    for (const struct gz_node *at = node; at != NULL; at = at->parent) {
        x += at->trs.t.x;
        for (size_t i = 0; i < region->id_count && region->kind == GZ_REGION_NODES; i++) {
            if (region->ids[i] == at->id) return true;
        }
    }
    if (region->kind == GZ_REGION_BOX) return x >= region->box.min.x && x <= region->box.max.x;
    return region->kind == GZ_REGION_WHOLE;
}

static void check_part(const struct game *game)
{
    bool in[NODES] = {false};
    const struct gz_node *node = NULL;
    while ((node = gz_scene_walk_all(game->scene, node)) != NULL) {
        if (!is_match(game, node)) continue;
        for (const struct gz_node *at = node; at != NULL; at = at->parent)
            in[index_of(game, at->id)] = true;
    }
    assert_memory_equal(in, game->known, sizeof in);
}

/* At most so many of them. */
static void take_news(struct game *game, uint64_t count)
{
    uint64_t id;
    bool gone;
    for (; count > 0 && (id = gz_interest_set_next_news(game->interest_set,
                                                        gz_scene_seq(game->scene), &gone)) != 0;
         count--) {
        bool *known = &game->known[index_of(game, id)];
        assert_true(*known == gone); /* it is news */
        *known = !gone;
    }
}

static void play(uint64_t seed)
{
    struct game game = {.random = seed, .interest_set = gz_interest_set_create()};
    struct gz_scene_state nothing = {.next_node = 1};
    game.scene = gz_scene_create(&nothing);
    assert_true(game.scene != NULL && game.interest_set != NULL);
    for (size_t i = 0; i < NODES; i++) game.ids[i] = 1 + below(&game, UINT64_C(1) << 50);
    for (size_t i = 0; i < NODES; i++) make_node(&game, i);
    follow_another(&game);
    for (int step = 0; step < STEPS; step++) {
        for (uint64_t i = below(&game, 30); i > 0; i--) {
            size_t slice = below(&game, 20);
            change_node(&game, below(&game, NODES));
            assert_true(gz_interest_set_advance(game.interest_set, game.scene, &slice));
        }
        if (below(&game, 3) == 0) follow_another(&game);
        assert_true(gz_interest_set_update(game.interest_set, game.scene));
        take_news(&game, below(&game, 3) == 0 ? UINT64_MAX : below(&game, 60));
        if (gz_interest_set_has_news(game.interest_set)) continue;
        take_news(&game, 1);
        check_part(&game);
        gz_interest_set_shrink(game.interest_set);
    }
    gz_interest_set_destroy(game.interest_set);
    gz_scene_destroy(game.scene);
}

TEST(test_portion_knows_its_part_when_all_news_are_taken)
{
    uint64_t first = chance_seed(1), count = chance_count(SEEDS);
    for (uint64_t seed = first; seed < first + count; seed++) {
        fprintf(stderr, "GIZMOD_SEED=%llu\r",
                (unsigned long long)seed); /* what is read where it fails */
        play(seed);
    }
}

/* ---- its work in slices ---- */

#define MANY 10000
#define SLICE 10
/* As in interest_set.c: entries that are gone through in the time that a look at one node takes. */
#define ENTRIES_PER_NODE 16

static void grow(struct gz_scene *scene)
{
    for (uint64_t id = 1; id <= MANY; id++) {
        struct gz_change change = {.node = id, .exists = true};
        struct gz_failure failure;
        change.after = (struct gz_content){.name = "n", .trs = gz_trs_identity, .asset = -1};
        assert_int_equal(gz_scene_apply(scene, &change, 1, 1, &failure), GZ_OK);
    }
}

static size_t count_slices(struct gz_interest_set *set, struct gz_scene *scene)
{
    size_t count = 0;
    for (; !gz_interest_set_is_ready(set, scene); count++) {
        size_t budget = SLICE;
        assert_true(gz_interest_set_advance(set, scene, &budget));
    }
    return count;
}

/* The first entry stays, all others wait among the news, of which the viewer took none: those go
 * one after the other from one and the same place. Once to forget what they were, once to go. */
TEST(test_entries_that_go_are_work_like_those_that_stay)
{
    static const uint64_t first = 1;
    const struct gz_region whole = {.kind = GZ_REGION_WHOLE};
    const struct gz_region one = {.kind = GZ_REGION_NODES, .ids = &first, .id_count = 1};
    const struct gz_scene_state nothing = {.next_node = 1};
    struct gz_scene *scene = gz_scene_create(&nothing);
    struct gz_interest_set *set = gz_interest_set_create();
    assert_true(scene != NULL && set != NULL);
    grow(scene);
    assert_true(gz_interest_set_choose(set, &whole) && gz_interest_set_update(set, scene));
    assert_true(gz_interest_set_choose(set, &one));
    size_t slices = count_slices(set, scene), least = 2 * MANY / ENTRIES_PER_NODE / SLICE;
    assert_in_range(slices, least, least + 5);
    gz_interest_set_destroy(set);
    gz_scene_destroy(scene);
}
