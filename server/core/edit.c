/* edit.c - handles set, create and delete. */
#include <stdlib.h>
#include <string.h>

#include "core/answers.h"
#include "core/gesture.h"
#include "core/hold.h"
#include "core/pending.h"
#include "core/session.h"
#include "proto/limits.h"

static enum gz_status no_memory(struct gz_failure *failure)
{
    return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this edit");
}

/* Turns an error about a node into an error about the field that named the node or its parent.
 * gz_core_name_holder adds the user that holds it. */
static enum gz_status name_field(const struct gz_message *message, const struct gz_change *changes,
                                 size_t count, enum gz_status status, struct gz_failure *failure)
{
    bool about_parent = status == GZ_BAD_VALUE || status == GZ_TOO_MANY;
    if (failure->node == 0 || (!about_parent && status != GZ_BAD_STATE)) return status;
    char why[GZ_ERROR_BYTES_MAX];
    memcpy(why, failure->error.message, sizeof why);
    size_t at = 0;
    while (at < count && changes[at].node != failure->node) at++;
    if (at == count || message->op == GZ_OP_DELETE)
        return gz_fail(&failure->error, status, "%s.nodes: %s", gz_op_word(message->op), why);
    return gz_fail(&failure->error, status, "%s.nodes[%zu]%s: %s", gz_op_word(message->op), at,
                   about_parent ? ".parent" : "", why);
}

static enum gz_status edit(struct gz_session *session, const struct gz_message *message,
                           enum gz_edit_kind kind, const struct gz_change *changes, size_t count,
                           struct gz_ids created, struct gz_failure *failure)
{
    char key[GZ_KEY_BYTES_MAX + 1];
    struct gz_edit_request request = gz_edit_request(session, message, kind, key);
    request.created = created;
    enum gz_status status = gz_core_edit(session->core, &request, changes, count, failure);
    return status == GZ_OK ? GZ_OK : name_field(message, changes, count, status, failure);
}

/* `field` is the rest of the path after the element. */
static enum gz_status unknown_node(struct gz_failure *failure, const struct gz_message *message,
                                   size_t index, const char *field, uint64_t id)
{
    failure->node = id;
    return gz_fail(&failure->error, GZ_UNKNOWN_NODE, "%s.nodes[%zu]%s: there is no node %llu",
                   gz_op_word(message->op), index, field, (unsigned long long)id);
}

static bool is_there(const struct gz_core *core, uint64_t parent)
{
    return parent == 0 || gz_scene_find(core->scene, parent) != NULL;
}

/* ---- set ---- */

static enum gz_status change_of_set(struct gz_session *session, const struct gz_message *message,
                                    size_t index, struct gz_change *change,
                                    struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    const struct gz_set_node *said = &message->set.nodes[index];
    const struct gz_node *node = gz_scene_find(core->scene, said->id);
    if (node == NULL) return unknown_node(failure, message, index, ".id", said->id);
    if ((said->has & GZ_HAS_SET_NODE_PARENT) != 0 && !is_there(core, said->parent))
        return unknown_node(failure, message, index, ".parent", said->parent);
    failure->node = said->id;
    *change = (struct gz_change){.node = said->id, .existed = true, .exists = true};
    gz_node_content(node, &change->before);
    const struct gz_gesture_target *held = gz_session_held_target(session, node);
    if (held != NULL) change->before.trs = held->start;
    change->after = change->before;
    gz_place_as_said(said, &change->after.trs);
    if (said->has & GZ_HAS_SET_NODE_PARENT) change->after.parent = said->parent;
    if (said->has & GZ_HAS_SET_NODE_NAME)
        change->after.name = gz_arena_text(&core->scratch, said->name.bytes, said->name.size);
    return change->after.name != NULL ? GZ_OK : no_memory(failure);
}

/* What the message moves in the world: nodes that have numbers, or a parent without `keep`. */
struct moved {
    uint64_t *ids; /* ascending */
    size_t count;
};

static bool moves(const struct gz_set_node *said)
{
    const uint64_t numbers = GZ_HAS_SET_NODE_T | GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_S;
    return (said->has & numbers) != 0 || ((said->has & GZ_HAS_SET_NODE_PARENT) != 0 && !said->keep);
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool find_moved(struct gz_core *core, const struct gz_set *set, struct moved *moved)
{
    moved->ids = gz_arena_take(&core->scratch, set->count, sizeof *moved->ids);
    if (moved->ids == NULL) return false;
    for (size_t i = 0; i < set->count; i++)
        if (moves(&set->nodes[i])) moved->ids[moved->count++] = set->nodes[i].id;
    qsort(moved->ids, moved->count, sizeof *moved->ids, compare_ids);
    return true;
}

/* The node itself, or one above it, that the message moves; 0 for none. */
static uint64_t mover_of(struct gz_session *session, const struct moved *moved,
                         const struct gz_node *node)
{
    size_t looks = 0;
    uint64_t found = 0;
    for (; node != NULL && moved->count > 0 && found == 0; node = node->parent, looks++) {
        const uint64_t *id =
            bsearch(&node->id, moved->ids, moved->count, sizeof *moved->ids, compare_ids);
        if (id != NULL) found = *id;
    }
    gz_budget_charge(session, looks);
    return found;
}

static enum gz_status refuse_keep(struct gz_failure *failure, size_t index, const char *why,
                                  uint64_t id)
{
    failure->node = id;
    return gz_fail(&failure->error, GZ_BAD_VALUE, "set.nodes[%zu].keep: %s", index, why);
}

/* Turns two axes by half a turn about the third, if that gives the scale the signs that it had. */
static void keep_signs(gz_trs *trs, gz_vec3 before)
{
    double *now[3] = {&trs->s.x, &trs->s.y, &trs->s.z};
    const double then[3] = {before.x, before.y, before.z};
    bool differs[3];
    int count = 0;
    for (int i = 0; i < 3; i++) count += differs[i] = (*now[i] < 0) != (then[i] < 0);
    if (count != 2) return;
    for (int i = 0; i < 3; i++)
        if (differs[i]) *now[i] = -*now[i];
    const gz_quat half = {!differs[0], !differs[1], !differs[2], 0};
    trs->r = gz_quat_multiply(trs->r, half);
}

/* The transform with which the node stays where it is, under its new parent. One that is flattened
 * keeps its rotation and scale. */
static enum gz_status place(struct gz_session *session, const struct gz_set_node *said,
                            const struct moved *moved, size_t index, gz_trs *trs,
                            struct gz_failure *failure)
{
    struct gz_scene *scene = session->core->scene;
    const struct gz_node *node = gz_scene_find(scene, said->id);
    const struct gz_node *parent = said->parent != 0 ? gz_scene_find(scene, said->parent) : NULL;
    if ((said->has & GZ_HAS_SET_NODE_PARENT) == 0)
        return refuse_keep(failure, index, "needs a parent", said->id);
    if (said->has & (GZ_HAS_SET_NODE_T | GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_S))
        return refuse_keep(failure, index, "takes the place of t, r, s and euler; give it alone",
                           said->id);
    if (mover_of(session, moved, parent) != 0)
        return refuse_keep(failure, index, "the message moves the new parent, too", said->id);
    if (node->parent == parent) return GZ_OK;
    gz_affine world = gz_scene_world(scene, node), above = gz_affine_identity, inverse;
    if (parent != NULL) above = gz_scene_world(scene, parent);
    if (!gz_affine_inverse(&above, &inverse))
        return refuse_keep(failure, index, "the new parent has a scale of 0 in the world",
                           said->parent);
    gz_affine local = gz_affine_multiply(&inverse, &world);
    const gz_vec3 scale = trs->s;
    if (!gz_trs_from_affine(&local, trs, NULL)) {
        trs->t = local.origin;
        return GZ_OK;
    }
    keep_signs(trs, scale);
    return GZ_OK;
}

static enum gz_status place_kept(struct gz_session *session, const struct gz_set *set,
                                 struct gz_change *changes, struct gz_failure *failure)
{
    struct moved moved = {.count = 0};
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < set->count && status == GZ_OK; i++) {
        if (!set->nodes[i].keep) continue;
        if (moved.ids == NULL && !find_moved(session->core, set, &moved)) return no_memory(failure);
        status = place(session, &set->nodes[i], &moved, i, &changes[i].after.trs, failure);
    }
    return status;
}

enum gz_status gz_on_set(struct gz_session *session, const struct gz_message *message,
                         struct gz_failure *failure)
{
    const struct gz_set *set = &message->set;
    struct gz_core *core = session->core;
    enum gz_status status = GZ_OK;
    if (gz_core_answer_key(session, message)) return GZ_OK;
    bool has_base = (message->has & GZ_HAS_SET_BASE) != 0;
    if (has_base && set->base > gz_scene_seq(core->scene))
        return gz_fail(&failure->error, GZ_BAD_VALUE,
                       "set.base: is in the future; the scene is at %llu",
                       (unsigned long long)gz_scene_seq(core->scene));
    struct gz_change *changes = gz_arena_take(&core->scratch, set->count, sizeof *changes);
    if (changes == NULL) return no_memory(failure);
    for (size_t i = 0; i < set->count; i++) {
        status = change_of_set(session, message, i, &changes[i], failure);
        if (status != GZ_OK) return status;
        const struct gz_node *node = gz_scene_find(core->scene, set->nodes[i].id);
        if (has_base && node->seq > set->base && node->by != session->id)
            return gz_fail(&failure->error, GZ_CONFLICT,
                           "set.base: node %llu changed at seq %llu, after %llu",
                           (unsigned long long)node->id, (unsigned long long)node->seq,
                           (unsigned long long)set->base);
    }
    status = place_kept(session, set, changes, failure);
    if (status != GZ_OK) return status;
    failure->node = 0;
    /* A change refers to what the scene had before. */
    bool *changed = gz_arena_take(&core->scratch, set->count, sizeof *changed);
    if (changed == NULL) return no_memory(failure);
    for (size_t i = 0; i < set->count; i++) changed[i] = gz_change_is_real(&changes[i]);
    gz_session_lend_held(session, set);
    status = edit(session, message, GZ_EDIT_SET, changes, set->count, (struct gz_ids){0}, failure);
    gz_session_take_held(session, set, status == GZ_OK ? changed : NULL);
    return status;
}

/* ---- create ---- */

/* The refs of one message, to find the parents of later nodes. */
struct refs {
    size_t *slots; /* index + 1 of the node, open addressing; 0 is free */
    size_t size;   /* a power of two, at least twice the nodes */
    const struct gz_create_node *nodes;
};

static size_t hash_text(struct gz_text text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.bytes[i]) * UINT64_C(1099511628211);
    return (size_t)(hash ^ (hash >> 32));
}

/* The slot of this ref, or the free slot for it. */
static size_t *find_ref(const struct refs *refs, struct gz_text ref)
{
    size_t at = hash_text(ref) & (refs->size - 1);
    for (;; at = (at + 1) & (refs->size - 1)) {
        if (refs->slots[at] == 0) return &refs->slots[at];
        struct gz_text other = refs->nodes[refs->slots[at] - 1].ref;
        if (other.size == ref.size && memcmp(other.bytes, ref.bytes, ref.size) == 0)
            return &refs->slots[at];
    }
}

/* The content of a new node before its own fields are set: the defaults, or the present content of
 * the node that it copies, mesh included. */
static enum gz_status begin_create(const struct gz_core *core, const struct gz_message *message,
                                   size_t index, struct gz_content *content,
                                   struct gz_failure *failure)
{
    const struct gz_create_node *said = &message->create.nodes[index];
    *content = (struct gz_content){.name = "", .trs = gz_trs_identity, .asset = -1};
    if ((said->has & GZ_HAS_CREATE_NODE_COPY) == 0) return GZ_OK;
    const struct gz_node *node = gz_scene_find(core->scene, said->copy);
    if (node == NULL) return unknown_node(failure, message, index, ".copy", said->copy);
    gz_node_content(node, content);
    return GZ_OK;
}

static enum gz_status hang_create(const struct gz_core *core, const struct refs *refs,
                                  const struct gz_message *message, size_t index,
                                  const uint64_t *ids, uint64_t *parent, struct gz_failure *failure)
{
    const struct gz_create_node *said = &message->create.nodes[index];
    if (said->has & GZ_HAS_CREATE_NODE_PARENT) *parent = said->parent;
    if (!is_there(core, *parent)) return unknown_node(failure, message, index, ".parent", *parent);
    if (said->has & GZ_HAS_CREATE_NODE_PARENT_REF) {
        size_t slot = *find_ref(refs, said->parent_ref);
        if (slot == 0)
            return gz_fail(&failure->error, GZ_BAD_VALUE,
                           "create.nodes[%zu].parent: no earlier node of the message has this ref",
                           index);
        *parent = ids[slot - 1];
    }
    if ((said->has & GZ_HAS_CREATE_NODE_REF) == 0) return GZ_OK;
    size_t *slot = find_ref(refs, said->ref);
    if (*slot != 0)
        return gz_fail(&failure->error, GZ_BAD_VALUE,
                       "create.nodes[%zu].ref: an earlier node of the message has this ref", index);
    *slot = index + 1;
    return GZ_OK;
}

static enum gz_status fill_create(struct gz_core *core, const struct gz_create_node *said,
                                  struct gz_content *content, struct gz_failure *failure)
{
    if (said->has & GZ_HAS_CREATE_NODE_T) content->trs.t = said->trs.t;
    if (said->has & GZ_HAS_CREATE_NODE_R) content->trs.r = said->trs.r;
    if (said->has & GZ_HAS_CREATE_NODE_S) content->trs.s = said->trs.s;
    if (said->has & GZ_HAS_CREATE_NODE_BOUNDS) {
        content->has_bounds = true;
        content->bounds = said->bounds;
    }
    bool keeps_name =
        (said->has & GZ_HAS_CREATE_NODE_COPY) != 0 && (said->has & GZ_HAS_CREATE_NODE_NAME) == 0;
    if (!keeps_name)
        content->name = gz_arena_text(&core->scratch, said->name.bytes, said->name.size);
    return content->name != NULL ? GZ_OK : no_memory(failure);
}

static enum gz_status changes_of_create(struct gz_core *core, const struct refs *refs,
                                        const struct gz_message *message, uint64_t *ids,
                                        struct gz_change *changes, struct gz_failure *failure)
{
    const struct gz_create *create = &message->create;
    for (size_t i = 0; i < create->count; i++) {
        struct gz_content *content = &changes[i].after;
        enum gz_status status = begin_create(core, message, i, content, failure);
        if (status == GZ_OK)
            status = hang_create(core, refs, message, i, ids, &content->parent, failure);
        if (status == GZ_OK) status = fill_create(core, &create->nodes[i], content, failure);
        if (status != GZ_OK) return status;
        ids[i] = gz_scene_new_id(core->scene);
        changes[i].node = ids[i];
        changes[i].exists = true;
    }
    return GZ_OK;
}

static bool make_refs(struct gz_arena *arena, const struct gz_create *create, struct refs *refs)
{
    *refs = (struct refs){.size = 16, .nodes = create->nodes};
    while (refs->size < 2 * create->count) refs->size *= 2;
    refs->slots = gz_arena_take(arena, refs->size, sizeof *refs->slots);
    return refs->slots != NULL;
}

enum gz_status gz_on_create(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure)
{
    const struct gz_create *create = &message->create;
    struct gz_core *core = session->core;
    if (gz_core_answer_key(session, message)) return GZ_OK;
    if (gz_scene_count(core->scene) + create->count > GZ_NODES_MAX)
        return gz_fail(&failure->error, GZ_TOO_MANY, "create.nodes: a scene has at most %d nodes",
                       GZ_NODES_MAX);
    struct gz_change *changes = gz_arena_take(&core->scratch, create->count, sizeof *changes);
    uint64_t *ids = gz_arena_take(&core->scratch, create->count, sizeof *ids);
    struct refs refs;
    if (changes == NULL || ids == NULL || !make_refs(&core->scratch, create, &refs))
        return no_memory(failure);
    enum gz_status status = changes_of_create(core, &refs, message, ids, changes, failure);
    if (status != GZ_OK) return status;
    return edit(session, message, GZ_EDIT_CREATE, changes, create->count,
                (struct gz_ids){ids, create->count}, failure);
}

/* ---- delete ---- */

enum gz_status gz_on_delete(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    struct gz_change_list list;
    if (gz_core_answer_key(session, message)) return GZ_OK;
    for (size_t i = 0; i < message->remove.count; i++) {
        uint64_t id = message->remove.ids[i];
        if (gz_scene_find(core->scene, id) == NULL)
            return unknown_node(failure, message, i, "", id);
    }
    enum gz_status status = gz_changes_delete(core->scene, &core->scratch, message->remove.ids,
                                              message->remove.count, &list, failure);
    if (status != GZ_OK) return status;
    gz_budget_charge(session, list.count);
    return edit(session, message, GZ_EDIT_DELETE, list.changes, list.count, (struct gz_ids){0},
                failure);
}
