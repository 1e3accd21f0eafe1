/* The scene against a model that is slow and plain: arrays, and everything looked up by going
 * through all of it. GIZMOD_SEED and GIZMOD_TIMES choose the run; a failure is found again with the
 * seed that was printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/scene/making.h"

/* Nodes 1 to LOOSE come and go. Beside them, not in the model, is a chain that nobody touches, so
 * that the greatest depth is near, and tombstones of others that fill the graveyard nearly up. */
enum { LOOSE = 40, IDS = LOOSE + 1, LIST_MAX = 8, PASTS = 8, LINKS = GZ_TREE_DEPTH_MAX - 6 };
enum { FILLER_ID = 1000000, LINK_ID = 2000000, END_ID = LINK_ID + LINKS - 1 };

struct thing {
    bool known, alive; /* known and not alive: a tombstone, or a grave once that is stored */
    struct gz_content is;
    uint64_t seq, born, part_seq[GZ_PART_COUNT], by, holder;
};

struct model {
    struct thing things[IDS];
    uint64_t seq, stored, forgotten;
    uint64_t filler_first, filler_end; /* seqs of the filler tombstones that are left */
};

/* ---- the model ---- */

static bool part_differs(const struct gz_content *a, const struct gz_content *b, enum gz_part part)
{
    switch (part) {
    case GZ_PART_T: return memcmp(&a->trs.t, &b->trs.t, sizeof a->trs.t) != 0;
    case GZ_PART_R: return memcmp(&a->trs.r, &b->trs.r, sizeof a->trs.r) != 0;
    case GZ_PART_S: return memcmp(&a->trs.s, &b->trs.s, sizeof a->trs.s) != 0;
    case GZ_PART_NAME: return strcmp(a->name, b->name) != 0;
    case GZ_PART_PARENT: return a->parent != b->parent;
    case GZ_PART_BOUNDS:
        return a->has_bounds != b->has_bounds ||
               (a->has_bounds && memcmp(&a->bounds, &b->bounds, sizeof a->bounds) != 0);
    case GZ_PART_ASSET: return a->asset != b->asset;
    default: return false;
    }
}

static const char *const names[] = {"", "bolt", "h\xC3\xA9lice", "link",
                                    "a longer name than the others have"};

static const char *name_that_stays(const char *name)
{
    size_t i = 0;
    while (strcmp(names[i], name) != 0) i++;
    return names[i];
}

static void take_part(struct gz_content *to, const struct gz_content *from, enum gz_part part)
{
    if (part == GZ_PART_T) to->trs.t = from->trs.t;
    if (part == GZ_PART_R) to->trs.r = from->trs.r;
    if (part == GZ_PART_S) to->trs.s = from->trs.s;
    if (part == GZ_PART_NAME) to->name = name_that_stays(from->name);
    if (part == GZ_PART_PARENT) to->parent = from->parent;
    if (part == GZ_PART_BOUNDS) to->has_bounds = from->has_bounds, to->bounds = from->bounds;
    if (part == GZ_PART_ASSET) to->asset = from->asset;
}

/* Levels from the root; SIZE_MAX in a cycle. */
static size_t model_depth(const struct model *model, uint64_t id)
{
    size_t depth = 0;
    for (; id != 0 && id != END_ID; id = model->things[id].is.parent) {
        if (++depth > LOOSE) return SIZE_MAX;
    }
    return depth + (id == END_ID ? LINKS : 0);
}

static bool model_is_below(const struct model *model, uint64_t id, uint64_t top)
{
    while (id != 0 && id != END_ID && id != top) id = model->things[id].is.parent;
    return id == top;
}

static size_t model_children(const struct model *model, uint64_t id)
{
    size_t count = 0;
    for (uint64_t i = 1; i < IDS; i++)
        count += model->things[i].alive && model->things[i].is.parent == id;
    return count;
}

/* Graves of ours, the oldest first; those of nodes that were created again are forgotten in their
 * turn as well. */
struct yard {
    struct grave {
        uint64_t id, seq;
    } graves[40000];
    size_t first, end;
};

static bool is_grave(const struct model *model, const struct grave *grave)
{
    const struct thing *thing = &model->things[grave->id];
    return thing->known && !thing->alive && thing->seq == grave->seq;
}

static void model_trim(struct model *model, struct yard *yard)
{
    while (yard->end - yard->first + model->filler_end - model->filler_first > GZ_TOMBSTONES_MAX) {
        const struct grave *oldest = yard->first < yard->end ? &yard->graves[yard->first] : NULL;
        if (oldest == NULL ||
            (model->filler_first < model->filler_end && model->filler_first < oldest->seq)) {
            model->forgotten = model->filler_first++;
            continue;
        }
        model->forgotten = oldest->seq;
        if (is_grave(model, oldest)) model->things[oldest->id].known = false;
        yard->first++;
    }
}

static struct thing *oldest_tombstone(struct model *model, uint64_t up_to)
{
    struct thing *oldest = NULL;
    for (uint64_t id = 1; id < IDS; id++) {
        struct thing *thing = &model->things[id];
        const bool is_one = thing->known && !thing->alive && thing->seq > model->stored;
        if (is_one && thing->seq <= up_to && (oldest == NULL || thing->seq < oldest->seq))
            oldest = thing;
    }
    return oldest;
}

static void model_store(struct model *model, struct yard *yard, uint64_t seq)
{
    struct thing *thing;
    while ((thing = oldest_tombstone(model, seq)) != NULL) {
        thing->by = thing->holder = 0;
        model->stored = thing->seq;
        assert_true(yard->end < COUNT(yard->graves));
        yard->graves[yard->end++] = (struct grave){(uint64_t)(thing - model->things), thing->seq};
    }
    model->stored = seq;
    model_trim(model, yard);
}

static enum gz_status model_arrange(struct model *model, const struct gz_change *change,
                                    uint64_t session, bool *moved, uint64_t *at)
{
    struct thing *thing = &model->things[change->node];
    *at = change->node;
    if (change->existed && !thing->alive) return GZ_UNKNOWN_NODE;
    if (!change->existed && thing->alive) return GZ_BAD_STATE;
    bool differs = change->existed != change->exists;
    for (int part = 0; part < GZ_PART_COUNT && change->existed && change->exists; part++) {
        differs |= part_differs(&change->before, &change->after, part);
    }
    if (!differs) return GZ_OK;
    if (thing->holder != 0 && session != 0)
        return thing->holder == session ? GZ_BAD_STATE : GZ_LOCKED;
    if (!change->exists) {
        if (model_children(model, change->node) > 0) return GZ_BAD_STATE;
        thing->alive = false;
        *moved = true;
    } else if (!change->existed || change->before.parent != change->after.parent) {
        uint64_t parent = change->after.parent;
        *at = parent;
        if (parent != 0 && parent != END_ID && (parent >= IDS || !model->things[parent].alive))
            return GZ_UNKNOWN_NODE;
        *moved = !change->existed || thing->is.parent != parent;
        thing->is.parent = parent;
        thing->alive = thing->known = true;
    }
    return GZ_OK;
}

static void model_commit(struct model *model, const struct gz_change *change, bool moved,
                         uint64_t session)
{
    struct thing *thing = &model->things[change->node];
    bool touched = change->existed != change->exists, made = touched && change->exists;
    bool parts[GZ_PART_COUNT] = {false};
    for (int part = 0; part < GZ_PART_COUNT && change->exists; part++) {
        parts[part] =
            made ||
            (part_differs(&change->before, &change->after, part) &&
             (part == GZ_PART_PARENT ? moved : part_differs(&thing->is, &change->after, part)));
        touched |= parts[part];
    }
    if (!touched) return;
    thing->seq = ++model->seq;
    if (thing->by != session) thing->part_seq[GZ_PART_BY] = thing->seq;
    thing->by = session;
    if (change->existed != change->exists) thing->holder = 0;
    if (made) thing->born = thing->seq;
    for (int part = 0; part < GZ_PART_COUNT; part++) {
        if (!parts[part]) continue;
        thing->part_seq[part] = thing->seq;
        if (part != GZ_PART_PARENT) take_part(&thing->is, &change->after, part);
    }
}

/* All or nothing: `model` is only changed on GZ_OK. */
static enum gz_status model_apply(struct model *model, const struct gz_change *changes,
                                  size_t count, uint64_t session, uint64_t *at)
{
    static struct model next;
    next = *model;
    bool met[IDS] = {false}, moved[LIST_MAX + 2 * IDS] = {false};
    for (size_t i = 0; i < count; i++) {
        uint64_t id = *at = changes[i].node;
        if (changes[i].exists && !(fabs(changes[i].after.trs.t.x) <= GZ_COORDINATE_MAX))
            return GZ_BAD_VALUE;
        if (id == 0 || id >= IDS) return changes[i].existed ? GZ_UNKNOWN_NODE : GZ_BAD_VALUE;
        const struct thing *thing = &model->things[id];
        const bool is_node = thing->alive || (thing->known && thing->seq > model->stored);
        if (changes[i].existed && !is_node && !met[id]) return GZ_UNKNOWN_NODE;
        met[id] = true;
    }
    for (size_t i = 0; i < count; i++) {
        enum gz_status status = model_arrange(&next, &changes[i], session, &moved[i], at);
        if (status != GZ_OK) return status;
    }
    for (size_t i = 0; i < count; i++) {
        *at = changes[i].node;
        if (!moved[i] || !next.things[*at].alive) continue;
        if (model_depth(&next, *at) == SIZE_MAX) return GZ_BAD_VALUE;
        if (model_depth(&next, *at) > GZ_TREE_DEPTH_MAX) return GZ_TOO_MANY;
    }
    for (uint64_t id = 1; id < IDS; id++) {
        if (next.things[id].alive && model_depth(&next, id) > GZ_TREE_DEPTH_MAX) return GZ_TOO_MANY;
    }
    for (size_t i = 0; i < count; i++) model_commit(&next, &changes[i], moved[i], session);
    *model = next;
    return GZ_OK;
}

/* ---- comparing ---- */

static void compare_node(const struct model *model, struct gz_scene *scene, uint64_t id)
{
    const struct thing *thing = &model->things[id];
    const struct gz_node *node = gz_scene_find(scene, id);
    assert_int_equal(node != NULL, thing->alive);
    if (node == NULL) return;
    struct gz_content is;
    gz_node_content(node, &is);
    for (int part = 0; part < GZ_PART_COUNT; part++) {
        assert_false(part_differs(&is, &thing->is, part));
        assert_int_equal(node->part_seq[part], thing->part_seq[part]);
    }
    assert_int_equal(node->seq, thing->seq);
    assert_int_equal(node->born, thing->born);
    assert_int_equal(node->by, thing->by);
    assert_int_equal(node->holder, thing->holder);
}

/* Known things in the order of their change, by looking for the next one each time. */
static void compare_order(const struct model *model, struct gz_scene *scene, uint64_t cursor)
{
    struct gz_news news = gz_scene_news(scene, cursor);
    struct gz_new is;
    bool is_more = gz_news_next(&news, &is);
    for (uint64_t last = cursor;;) {
        uint64_t next = 0;
        for (uint64_t id = 1; id < IDS; id++) {
            const struct thing *thing = &model->things[id];
            if (thing->known && thing->seq > last &&
                (next == 0 || thing->seq < model->things[next].seq))
                next = id;
        }
        while (is_more && is.id >= FILLER_ID) is_more = gz_news_next(&news, &is);
        if (next == 0) break;
        assert_true(is_more);
        assert_int_equal(is.id, next);
        assert_int_equal(is.node == NULL, !model->things[next].alive);
        last = is.seq;
        is_more = gz_news_next(&news, &is);
    }
    assert_false(is_more);
    const struct gz_grave *first = gz_scene_grave_after(scene, model->forgotten);
    if (first != NULL && first->id >= FILLER_ID) assert_int_equal(first->seq, model->filler_first);
}

static gz_affine model_world(const struct model *model, uint64_t id, gz_affine end_world)
{
    const struct thing *thing = &model->things[id];
    gz_affine own = gz_affine_from_trs(&thing->is.trs);
    if (thing->is.parent == 0) return own;
    gz_affine above =
        thing->is.parent == END_ID ? end_world : model_world(model, thing->is.parent, end_world);
    return gz_affine_multiply(&above, &own);
}

static void compare_world(const struct model *model, struct gz_scene *scene, uint64_t id)
{
    if (!model->things[id].alive) return;
    gz_affine end_world = gz_affine_identity;
    end_world.origin.y = 0.25 * LINKS;
    gz_affine expected = model_world(model, id, end_world),
              found = gz_scene_world(scene, gz_scene_find(scene, id));
    assert_memory_equal(&expected, &found, sizeof expected);
}

static void compare(const struct model *model, struct gz_scene *scene, uint64_t *random)
{
    size_t alive = 0;
    for (uint64_t id = 1; id < IDS; id++) {
        compare_node(model, scene, id);
        alive += model->things[id].alive;
    }
    assert_int_equal(gz_scene_count(scene), alive + LINKS);
    assert_int_equal(gz_scene_seq(scene), model->seq);
    assert_int_equal(gz_scene_forgotten(scene), model->forgotten);
    uint64_t back = chance_below(random, 200);
    if (chance_below(random, 10) == 0)
        compare_order(model, scene, model->seq > back ? model->seq - back : 0);
    for (int i = 0; i < 4; i++) compare_world(model, scene, 1 + chance_below(random, LOOSE));
}

/* ---- chance ---- */

static uint64_t random_id(uint64_t *random)
{
    return 1 + chance_below(random, LOOSE);
}

static uint64_t random_parent(uint64_t *random)
{
    uint64_t choice = chance_below(random, 20);
    return choice < 4 ? 0 : choice < 8 ? END_ID : choice == 8 ? IDS + 5 : random_id(random);
}

static double random_number(uint64_t *random)
{
    return (double)chance_below(random, 5) - 2;
}

static void change_part(struct gz_content *content, enum gz_part part, uint64_t *random)
{
    const gz_quat turns[] = {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 0.6, 0, 0.8}, {0, 0, 0, -1}};
    if (part == GZ_PART_T)
        content->trs.t = (gz_vec3){random_number(random), 0, random_number(random) * 0};
    if (part == GZ_PART_R) content->trs.r = turns[chance_below(random, 4)];
    if (part == GZ_PART_S) content->trs.s.y = 1 + (double)chance_below(random, 3);
    if (part == GZ_PART_NAME) content->name = names[chance_below(random, COUNT(names))];
    if (part == GZ_PART_PARENT) content->parent = random_parent(random);
    if (part == GZ_PART_BOUNDS) content->has_bounds = chance_below(random, 2) == 0;
    if (part == GZ_PART_BOUNDS) content->bounds.max.x = (double)chance_below(random, 3);
    if (part == GZ_PART_ASSET) content->asset = (int64_t)chance_below(random, 3) - 1;
}

static struct gz_change random_change(const struct model *model, uint64_t *random)
{
    uint64_t id = random_id(random);
    const struct thing *thing = &model->things[id];
    struct gz_change change = {.node = id,
                               .existed = thing->alive,
                               .exists = true,
                               .before = thing->is,
                               .after = thing->is};
    if (!thing->alive) {
        change.before = change.after = make_content(0, "");
        for (int part = 0; part < GZ_PART_COUNT; part++) change_part(&change.after, part, random);
        change.exists = chance_below(random, 20) > 0;
    } else if (chance_below(random, 3) == 0) {
        change.exists = model_children(model, id) > 0 && chance_below(random, 10) > 0;
    }
    for (uint64_t n = chance_below(random, 3); n-- > 0;) {
        change_part(&change.after, (enum gz_part)chance_below(random, GZ_PART_COUNT), random);
    }
    uint64_t mistake = chance_below(random, 200);
    if (mistake == 0) change.existed = !change.existed;
    if (mistake == 1) change.after.trs.t.x = NAN;
    if (mistake == 2) change.node = chance_below(random, 2) == 0 ? 0 : GZ_ID_LIMIT;
    if (mistake < 8)
        change_part(&change.before, (enum gz_part)chance_below(random, GZ_PART_COUNT), random);
    return change;
}

/* A list that is likely to be right: each change is made for what those before it leave behind. */
static size_t random_list(const struct model *model, struct gz_change *changes, uint64_t *random)
{
    static struct model scratch;
    scratch = *model;
    size_t count = 1 + chance_below(random, LIST_MAX);
    for (size_t i = 0; i < count; i++) {
        uint64_t at;
        changes[i] = random_change(&scratch, random);
        enum gz_status status = model_apply(&scratch, &changes[i], 1, 0, &at);
        if (status != GZ_OK && chance_below(random, 4) > 0)
            changes[i--] = (struct gz_change){0}, count--;
    }
    return count;
}

/* ---- steps ---- */

struct run {
    struct gz_scene *scene;
    struct model model;
    struct yard yard;
    struct model pasts[PASTS];
    uint64_t random;
    struct gz_arena arena;
    size_t applied, refused, locked;
};

/* Looking at the whole scene takes long where there are fillers. */
static bool is_time_to_look(struct run *run)
{
    bool filled = run->model.filler_first < run->model.filler_end;
    return chance_below(&run->random, filled ? 5000 : 20) == 0;
}

/* Applies to both, with the same outcome. */
static enum gz_status apply_to_both(struct run *run, const struct gz_change *changes, size_t count,
                                    uint64_t session)
{
    uint64_t expected_at = 0;
    enum gz_status expected = model_apply(&run->model, changes, count, session, &expected_at);
    enum gz_status status = is_time_to_look(run)
                                ? try_apply(run->scene, changes, count, session)
                                : gz_scene_apply(run->scene, changes, count, session, &told);
    if (status != expected) {
        fail_msg("scene: %s (%s), model: %s", gz_status_word(status), told.error.message,
                 gz_status_word(expected));
    }
    if (status != GZ_OK && status != GZ_TOO_MANY) assert_int_equal(told.node, expected_at);
    if (status == GZ_LOCKED) assert_int_equal(told.holder, run->model.things[told.node].holder);
    run->applied += status == GZ_OK;
    run->refused += status != GZ_OK;
    run->locked += status == GZ_LOCKED;
    return status;
}

static void assert_contents_are(const struct run *run, const struct model *past)
{
    for (uint64_t id = 1; id < IDS; id++) {
        assert_int_equal(run->model.things[id].alive, past->things[id].alive);
        if (!past->things[id].alive) continue;
        for (int part = 0; part < GZ_PART_COUNT; part++) {
            assert_false(part_differs(&run->model.things[id].is, &past->things[id].is, part));
        }
    }
}

static bool befores_are_true(const struct model *model, const struct gz_change *changes,
                             size_t count)
{
    static struct model scratch;
    scratch = *model;
    for (size_t i = 0; i < count; i++) {
        uint64_t at;
        for (int part = 0; part < GZ_PART_COUNT && changes[i].existed; part++) {
            if (part_differs(&scratch.things[changes[i].node].is, &changes[i].before, part))
                return false;
        }
        if (model_apply(&scratch, &changes[i], 1, 0, &at) != GZ_OK) return false;
    }
    return true;
}

/* What could be applied can be taken back, and then all is as it was. */
static void step_apply(struct run *run)
{
    static struct model before;
    struct gz_change changes[LIST_MAX];
    size_t count = random_list(&run->model, changes, &run->random);
    before = run->model;
    if (apply_to_both(run, changes, count, chance_below(&run->random, 4)) != GZ_OK) return;
    if (chance_below(&run->random, 4) > 0 || !befores_are_true(&before, changes, count)) return;
    struct gz_change *reverse = gz_changes_reverse(&run->arena, changes, count);
    assert_int_equal(apply_to_both(run, reverse, count, 0), GZ_OK);
    assert_contents_are(run, &before);
}

static void step_delete(struct run *run)
{
    uint64_t ids[3], unknown = 0;
    size_t count = 1 + chance_below(&run->random, 3), expected = 0;
    for (size_t i = 0; i < count; i++) ids[i] = random_id(&run->random);
    for (size_t i = count; i-- > 0;) unknown = run->model.things[ids[i]].alive ? unknown : ids[i];
    struct gz_change_list list;
    enum gz_status status = gz_changes_delete(run->scene, &run->arena, ids, count, &list, &told);
    assert_int_equal(status, unknown != 0 ? GZ_UNKNOWN_NODE : GZ_OK);
    if (unknown != 0) {
        assert_int_equal(told.node, unknown);
        return;
    }
    for (uint64_t id = 1; id < IDS; id++) {
        bool below = false;
        for (size_t i = 0; i < count; i++)
            below |= run->model.things[id].alive && model_is_below(&run->model, id, ids[i]);
        expected += below;
    }
    assert_int_equal(list.count, expected);
    (void)apply_to_both(run, list.changes, list.count, chance_below(&run->random, 4));
}

/* The chain, then the nodes alive in a past, parents first: in rounds, those whose parents are
 * listed already. */
static size_t records_of(const struct model *past, struct gz_node_record *records)
{
    bool listed[IDS] = {true};
    size_t count = 0, before;
    for (; count < LINKS; count++) {
        struct gz_content link = make_content(count == 0 ? 0 : LINK_ID + count - 1, "link");
        link.trs.t.y = 0.25;
        records[count] =
            (struct gz_node_record){.id = LINK_ID + count, .seq = count + 1, .content = link};
    }
    do {
        before = count;
        for (uint64_t id = 1; id < IDS; id++) {
            const struct thing *thing = &past->things[id];
            if (!thing->alive || listed[id] ||
                (thing->is.parent != END_ID && !listed[thing->is.parent]))
                continue;
            listed[id] = true;
            records[count++] =
                (struct gz_node_record){.id = id, .seq = thing->seq, .content = thing->is};
        }
    } while (count > before);
    return count;
}

static void step_restore(struct run *run)
{
    struct gz_node_record records[LINKS + IDS];
    static struct model before;
    before = run->model;
    const struct model *past = &run->pasts[chance_below(&run->random, PASTS)];
    size_t count = records_of(past, records);
    struct gz_change_list list;
    assert_int_equal(gz_changes_restore(run->scene, &run->arena, records, count, &list, &told),
                     GZ_OK);
    enum gz_status status =
        apply_to_both(run, list.changes, list.count, chance_below(&run->random, 4));
    if (status == GZ_LOCKED || status == GZ_BAD_STATE)
        status = apply_to_both(run, list.changes, list.count, 0);
    assert_int_equal(status, GZ_OK);
    assert_contents_are(run, past);
    if (chance_below(&run->random, 2) == 0) return;
    struct gz_change *reverse = gz_changes_reverse(&run->arena, list.changes, list.count);
    assert_int_equal(apply_to_both(run, reverse, list.count, 0), GZ_OK);
    assert_contents_are(run, &before);
}

static void step_pose(struct run *run)
{
    uint64_t id = random_id(&run->random);
    struct thing *thing = &run->model.things[id];
    if (!thing->alive) return;
    struct gz_change change = {
        .node = id, .existed = true, .exists = true, .before = thing->is, .after = thing->is};
    change_part(&change.after, (enum gz_part)chance_below(&run->random, 3), &run->random);
    uint64_t holder = thing->holder, at;
    const struct thing before = *thing;
    assert_int_equal(model_apply(&run->model, &change, 1, 0, &at), GZ_OK);
    if (thing->seq != before.seq) {
        thing->by = holder;
        thing->part_seq[GZ_PART_BY] =
            before.by != holder ? thing->seq : before.part_seq[GZ_PART_BY];
    }
    gz_scene_pose(run->scene, gz_scene_find(run->scene, id), &change.after.trs, holder);
}

static struct gz_grip pointer_of(uint64_t session)
{
    return (struct gz_grip){session, GZ_GRIP_POINTER};
}

static void step_hold(struct run *run)
{
    uint64_t ids[4], expected_at = 0, session = 1 + chance_below(&run->random, 3);
    size_t count = 1 + chance_below(&run->random, 4);
    enum gz_status expected = GZ_OK;
    for (size_t i = 0; i < count; i++) ids[i] = random_id(&run->random);
    for (size_t i = count; i-- > 0;) {
        const struct thing *thing = &run->model.things[ids[i]];
        bool others = thing->holder != 0 && thing->holder != session;
        if (!thing->alive || others)
            expected = thing->alive ? GZ_LOCKED : GZ_UNKNOWN_NODE, expected_at = ids[i];
    }
    assert_int_equal(gz_scene_hold(run->scene, ids, count, pointer_of(session), &told), expected);
    if (expected != GZ_OK) assert_int_equal(told.node, expected_at);
    if (expected == GZ_LOCKED) assert_int_equal(told.holder, run->model.things[told.node].holder);
    for (size_t i = 0; i < count && expected == GZ_OK; i++)
        run->model.things[ids[i]].holder = session;
}

static void step_release(struct run *run)
{
    uint64_t ids[10], session = 1 + chance_below(&run->random, 3);
    for (size_t i = 0; i < 10; i++) {
        ids[i] = random_id(&run->random);
        if (run->model.things[ids[i]].holder == session) run->model.things[ids[i]].holder = 0;
    }
    gz_scene_release(run->scene, ids, 10, pointer_of(session));
}

static void step_store(struct run *run)
{
    const uint64_t seq =
        run->model.stored + chance_below(&run->random, run->model.seq - run->model.stored + 1);
    gz_scene_stored(run->scene, seq);
    model_store(&run->model, &run->yard, seq);
}

static void step(struct run *run)
{
    uint64_t choice = chance_below(&run->random, 100);
    gz_arena_reset(&run->arena, 1 << 24);
    if (choice < 50) {
        step_apply(run);
    } else if (choice < 55) {
        step_delete(run);
    } else if (choice < 57) {
        step_restore(run);
    } else if (choice < 80) {
        step_pose(run);
    } else if (choice < 84) {
        step_hold(run);
    } else if (choice < 92) {
        step_release(run);
    } else if (choice < 97) {
        step_store(run);
    } else if (choice < 98) {
        assert_int_equal(gz_scene_tick(run->scene), ++run->model.seq);
    } else {
        run->pasts[chance_below(&run->random, PASTS)] = run->model;
    }
}

/* ---- a run ---- */

/* Graves of others that come after all that is there, so that few of ours have room beside them. */
static size_t add_fillers(struct run *run, struct gz_node_record *records)
{
    size_t count = chance_below(&run->random, 4) == 0 ? GZ_TOMBSTONES_MAX - 15 : 0;
    run->model.filler_first = run->model.seq + 1;
    for (size_t i = 0; i < count; i++) {
        records[i] = (struct gz_node_record){.id = FILLER_ID + i,
                                             .seq = ++run->model.seq,
                                             .gone = true,
                                             .content = make_content(0, "filler")};
    }
    run->model.filler_end = run->model.seq + 1;
    return count;
}

/* The scene is closed and opened again: what it was goes through a state. */
static void reopen(struct run *run)
{
    struct gz_node_record *records = calloc(LINKS + IDS + GZ_TOMBSTONES_MAX, sizeof *records);
    assert_non_null(records);
    size_t count = records_of(&run->model, records), tombstones = count;
    run->yard.first = run->yard.end = 0;
    for (uint64_t id = 1; id < IDS; id++) {
        struct thing *thing = &run->model.things[id];
        thing->by = thing->holder = 0;
        thing->born = thing->seq;
        for (int part = 0; part < GZ_PART_COUNT; part++) thing->part_seq[part] = thing->seq;
        if (!thing->known || thing->alive) continue;
        size_t at = count++;
        for (; at > tombstones && records[at - 1].seq > thing->seq; at--)
            records[at] = records[at - 1];
        records[at] = (struct gz_node_record){
            .id = id, .seq = thing->seq, .gone = true, .content = thing->is};
    }
    for (size_t i = tombstones; i < count; i++)
        run->yard.graves[run->yard.end++] = (struct grave){records[i].id, records[i].seq};
    count += add_fillers(run, records + count);
    run->model.stored = run->model.seq;
    struct gz_scene_state state = {.seq = run->model.seq,
                                   .next_node = 2 * LINK_ID,
                                   .nodes = records,
                                   .node_count = count,
                                   .tombstones_from = run->model.forgotten};
    gz_scene_destroy(run->scene);
    run->scene = gz_scene_create(&state);
    assert_non_null(run->scene);
    model_trim(&run->model, &run->yard);
    free(records);
}

TEST(test_random_steps_are_as_in_the_model)
{
    uint64_t seed = chance_seed(1), steps = chance_count(20000);
    print_message("GIZMOD_SEED=%llu\n", (unsigned long long)seed);
    struct run *run = calloc(1, sizeof *run);
    assert_non_null(run);
    run->random = seed;
    run->model.seq = LINKS;
    for (size_t i = 0; i < PASTS; i++) run->pasts[i] = run->model;
    gz_arena_init(&run->arena, 1 << 24);
    for (uint64_t i = 0; i < steps; i++) {
        if (i % 2500 == 0) reopen(run);
        step(run);
        compare(&run->model, run->scene, &run->random);
        if (is_time_to_look(run)) assert_sound(run->scene);
    }
    print_message("%zu lists applied, %zu refused, %zu of them locked; forgotten up to %llu\n",
                  run->applied, run->refused, run->locked,
                  (unsigned long long)run->model.forgotten);
    assert_true(run->refused > steps / 100 && run->applied > steps / 5 &&
                run->locked > steps / 1000);
    gz_scene_destroy(run->scene);
    gz_arena_finish(&run->arena);
    free(run);
}
