/* making.c - makes scenes and changes in few words. See making.h. */
#include "unit/scene/making.h"

#include <stdlib.h>
#include <string.h>

#include "scene/tree.h"
#include "support/cmocka.h"

struct gz_failure told;

struct gz_scene *make_empty_scene(void)
{
    struct gz_scene_state state = {.next_node = 1};
    struct gz_scene *scene = gz_scene_create(&state);
    assert_non_null(scene);
    return scene;
}

struct gz_content make_content(uint64_t parent, const char *name)
{
    return (struct gz_content){.parent = parent, .name = name, .trs = gz_trs_identity, .asset = -1};
}

struct gz_change make_creation(uint64_t id, uint64_t parent, const char *name)
{
    return (struct gz_change){.node = id, .exists = true, .after = make_content(parent, name)};
}

struct gz_scene *make_small_scene(void)
{
    const struct gz_change changes[] = {
        make_creation(1, 0, "1"), make_creation(2, 1, "2"), make_creation(3, 1, "3"),
        make_creation(4, 2, "4"), make_creation(5, 0, "5"),
    };
    struct gz_scene *scene = make_empty_scene();
    apply(scene, changes, COUNT(changes));
    return scene;
}

struct gz_change make_change(const struct gz_scene *scene, uint64_t id)
{
    struct gz_change change = {.node = id, .existed = true, .exists = true};
    gz_node_content(gz_scene_find(scene, id), &change.before);
    change.after = change.before;
    return change;
}

struct gz_change make_deletion(const struct gz_scene *scene, uint64_t id)
{
    struct gz_change change = make_change(scene, id);
    change.exists = false;
    return change;
}

struct gz_change make_move(const struct gz_scene *scene, uint64_t id, uint64_t parent)
{
    struct gz_change change = make_change(scene, id);
    change.after.parent = parent;
    return change;
}

void apply(struct gz_scene *scene, const struct gz_change *changes, size_t count)
{
    enum gz_status status = try_apply(scene, changes, count, 9);
    if (status != GZ_OK) fail_msg("%s: %s", gz_status_word(status), told.error.message);
}

/* ---- nothing changed ---- */

/* Everything there is to see of a scene, in the order of walking and in the order of change. */
static struct gz_node *look_at(const struct gz_scene *scene, size_t *count)
{
    size_t capacity = 2 * gz_scene_count(scene) + 1;
    for (const struct gz_node *node = scene->oldest; node != NULL; node = node->newer) capacity++;
    struct gz_node *seen = calloc(capacity, sizeof *seen);
    assert_non_null(seen);
    *count = 0;
    for (const struct gz_node *at = gz_scene_walk_all(scene, NULL); at != NULL;
         at = gz_scene_walk_all(scene, at)) {
        seen[(*count)++] = *at;
    }
    for (const struct gz_node *at = scene->oldest; at != NULL; at = at->newer)
        seen[(*count)++] = *at;
    for (size_t i = 0; i < *count; i++) {
        seen[i].world = gz_affine_identity; /* caches and marks are nobody's business */
        seen[i].world_known = false;
        seen[i].mark = 0;
    }
    return seen;
}

enum gz_status try_apply(struct gz_scene *scene, const struct gz_change *changes, size_t count,
                         uint64_t session)
{
    size_t before_count, after_count;
    struct gz_node *before = look_at(scene, &before_count);
    uint64_t seq = gz_scene_seq(scene), forgotten = gz_scene_forgotten(scene),
             next_id = gz_scene_next_id(scene);
    struct gz_failure failure = {.node = 0};
    enum gz_status checked = gz_scene_check(scene, changes, count, session, &failure);
    told = (struct gz_failure){.node = 0};
    struct gz_node *between = look_at(scene, &after_count);
    assert_int_equal(before_count, after_count);
    assert_memory_equal(before, between, before_count * sizeof *before);

    enum gz_status status = gz_scene_apply(scene, changes, count, session, &told);
    assert_int_equal(checked, status);
    if (status != GZ_OK) {
        assert_int_equal(failure.node, told.node);
        assert_int_equal(failure.holder, told.holder);
        assert_int_equal(told.error.status, status);
        assert_int_equal(gz_scene_seq(scene), seq);
        assert_int_equal(gz_scene_forgotten(scene), forgotten);
        assert_int_equal(gz_scene_next_id(scene), next_id);
        struct gz_node *after = look_at(scene, &after_count);
        assert_int_equal(before_count, after_count);
        assert_memory_equal(before, after, before_count * sizeof *before);
        free(after);
    }
    free(between);
    free(before);
    assert_sound(scene);
    return status;
}

/* ---- soundness ---- */

static void assert_siblings_sound(const struct gz_node *first, const struct gz_node *parent)
{
    const struct gz_node *previous = NULL;
    for (const struct gz_node *node = first; node != NULL; previous = node, node = node->next) {
        assert_ptr_equal(node->parent, parent);
        assert_ptr_equal(node->previous, previous);
        assert_false(node->gone);
        if (node->world_known && parent != NULL) assert_true(parent->world_known);
    }
    if (parent != NULL) assert_ptr_equal(parent->last_child, previous);
}

void assert_sound(const struct gz_scene *scene)
{
    size_t walked = 0, ordered = 0;
    assert_siblings_sound(gz_scene_first_root(scene), NULL);
    for (const struct gz_node *at = gz_scene_walk_all(scene, NULL); at != NULL;
         at = gz_scene_walk_all(scene, at)) {
        assert_siblings_sound(at->first_child, at);
        assert_ptr_equal(gz_scene_find(scene, at->id), at);
        walked++;
    }
    assert_int_equal(walked, gz_scene_count(scene));
    const struct gz_node *older = NULL;
    for (const struct gz_node *at = scene->oldest; at != NULL; older = at, at = at->newer) {
        assert_ptr_equal(at->older, older);
        if (older != NULL) assert_true(older->seq < at->seq);
        if (!at->gone) ordered++;
        if (at->gone) assert_true(at->first_child == NULL && at->holder == 0);
        if (at->gone) assert_null(gz_scene_find(scene, at->id));
    }
    if (older != NULL)
        assert_ptr_equal(gz_scene_after((struct gz_scene *)scene, older->seq - 1), older);
    assert_true(older == NULL || older->seq <= gz_scene_seq(scene));
    assert_int_equal(ordered, walked);
}

const struct gz_node *newest_node(const struct gz_scene *scene)
{
    const struct gz_node *node = scene->oldest;
    while (node != NULL && node->newer != NULL) node = node->newer;
    return node;
}

void assert_trs_equal(const gz_trs *a, const gz_trs *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

/* ---- chance ---- */
