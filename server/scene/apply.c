/* Applies a list of changes, all of it or nothing, in four passes of which the last cannot fail:
 *   prepare  finds or makes the nodes and copies the names, which takes all memory that is needed;
 *   arrange  does to the hierarchy what the list says, in its order: nodes appear, move and go;
 *   inspect  looks at the hierarchy that came out: cycles, depth, count;
 *   commit   gives out values and seqs.
 * What was arranged is taken back last first, which restores every list of siblings link by link. A
 * node that is made stays a tombstone of seq 0, which no viewer sees, until it is committed. Cycles
 * and depth count only in the end, so that the reverse of an applied list can always be applied. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scene/tree.h"
#include "server/maxima.h"

#define ALL_PARTS ((1u << GZ_PART_COUNT) - 1)
/* How far from 1 the square of a rotation's length may be: float32 rotations of files pass,
 * mistakes do not. */
#define UNIT_TOLERANCE 1e-6

struct step {
    struct gz_node *node;
    char *name; /* the new one before the commit, the old one after it; NULL if the name stays */
    bool arranged;
    /* the node's place before it was arranged */
    bool gone;
    struct gz_node *parent, *next;
};

struct plan {
    struct gz_scene *scene;
    const struct gz_change *changes;
    struct step *steps;
    size_t count, arranged;
    size_t alive; /* nodes before */
    uint64_t session;
    uint64_t at; /* the node that is looked at */
    struct gz_failure *failure;
};

/* ---- prepare ---- */

static bool is_unit(gz_quat q)
{
    return fabs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1) <= UNIT_TOLERANCE;
}

static bool is_box(const gz_box *box)
{
    return gz_in_range(box->min, 0) && gz_in_range(box->max, 0) && box->min.x <= box->max.x &&
           box->min.y <= box->max.y && box->min.z <= box->max.z;
}

static enum gz_status check_content(uint64_t id, const struct gz_content *content,
                                    struct gz_error *error)
{
    const char *wrong = NULL;
    if (strlen(content->name) > GZ_NAME_BYTES_MAX) wrong = "name is too long";
    if (!gz_in_range(content->trs.t, 0)) wrong = "translation is not finite or too large";
    if (!is_unit(content->trs.r)) wrong = "rotation is not a unit quaternion";
    if (!gz_in_range(content->trs.s, GZ_SCALE_MIN))
        wrong = "scale is not finite, too large or too small";
    if (content->has_bounds && !is_box(&content->bounds)) wrong = "bounds are not a finite box";
    if (content->asset < -1) wrong = "asset is negative";
    return wrong == NULL ? GZ_OK : gz_fail(error, GZ_BAD_VALUE, "node %" PRIu64 ": %s", id, wrong);
}

static enum gz_status unknown_node(struct plan *plan, uint64_t id)
{
    plan->at = id;
    return gz_fail(&plan->failure->error, GZ_UNKNOWN_NODE, "node %" PRIu64 " does not exist", id);
}

static enum gz_status find_or_make(struct plan *plan, const struct gz_change *change,
                                   struct gz_node **node)
{
    *node = gz_table_find(&plan->scene->table, change->node);
    if (*node != NULL) return GZ_OK;
    if (change->existed) return unknown_node(plan, change->node);
    if (change->node == 0 || change->node >= GZ_ID_LIMIT) {
        return gz_fail(&plan->failure->error, GZ_BAD_VALUE,
                       "%" PRIu64 " cannot be the id of a node", change->node);
    }
    *node = gz_node_create(plan->scene, change->node);
    return *node != NULL ? GZ_OK
                         : gz_fail(&plan->failure->error, GZ_NO_MEMORY,
                                   "no memory for node %" PRIu64, change->node);
}

static bool gives_name(const struct gz_change *change)
{
    return change->exists &&
           (!change->existed || strcmp(change->before.name, change->after.name) != 0);
}

/* World transforms are invalidated here, because later the hierarchy may have cycles. */
static enum gz_status prepare(struct plan *plan)
{
    plan->steps = calloc(plan->count + 1, sizeof *plan->steps);
    if (plan->steps == NULL)
        return gz_fail(&plan->failure->error, GZ_NO_MEMORY, "no memory for %zu changes",
                       plan->count);
    for (size_t i = 0; i < plan->count; i++) {
        const struct gz_change *change = &plan->changes[i];
        struct step *step = &plan->steps[i];
        plan->at = change->node;
        enum gz_status status =
            change->exists ? check_content(change->node, &change->after, &plan->failure->error)
                           : GZ_OK;
        if (status == GZ_OK) status = find_or_make(plan, change, &step->node);
        if (status != GZ_OK) return status;
        gz_world_forget(step->node);
        if (!gives_name(change)) continue;
        step->name = gz_name_copy(change->after.name);
        if (step->name == NULL)
            return gz_fail(&plan->failure->error, GZ_NO_MEMORY, "no memory for a name");
    }
    return GZ_OK;
}

/* ---- arrange ---- */

static void move(struct plan *plan, struct step *step, bool gone, struct gz_node *parent)
{
    struct gz_node *node = step->node;
    step->arranged = true;
    step->gone = node->gone;
    step->parent = node->parent;
    step->next = node->next;
    gz_node_unlink(plan->scene, node);
    node->gone = gone;
    node->parent = parent;
    gz_node_link(plan->scene, node, NULL);
}

static void move_back(struct plan *plan, const struct step *step)
{
    if (!step->arranged) return;
    gz_node_unlink(plan->scene, step->node);
    step->node->gone = step->gone;
    step->node->parent = step->parent;
    gz_node_link(plan->scene, step->node, step->next);
}

static enum gz_status check_holder(struct plan *plan, const struct gz_node *node)
{
    if (node->holder == 0 || plan->session == 0) return GZ_OK;
    if (node->holder == plan->session) {
        return gz_fail(&plan->failure->error, GZ_BAD_STATE, "node %" PRIu64 " is being %s",
                       node->id, node->grip == GZ_GRIP_POINTER ? "dragged" : "held");
    }
    plan->failure->holder = node->holder;
    return gz_fail(&plan->failure->error, GZ_LOCKED, "node %" PRIu64 " is held by session %" PRIu64,
                   node->id, node->holder);
}

static enum gz_status arrange_parent(struct plan *plan, const struct gz_change *change,
                                     struct step *step)
{
    struct gz_node *parent = NULL;
    if (change->after.parent != 0) {
        parent = gz_table_find(&plan->scene->table, change->after.parent);
        if (parent == NULL || parent->gone) return unknown_node(plan, change->after.parent);
    }
    if (step->node->gone || step->node->parent != parent) move(plan, step, false, parent);
    return GZ_OK;
}

static enum gz_status arrange_step(struct plan *plan, const struct gz_change *change,
                                   struct step *step)
{
    struct gz_node *node = step->node;
    plan->at = node->id;
    if (change->existed && node->gone) return unknown_node(plan, node->id);
    if (!change->existed && !node->gone) {
        return gz_fail(&plan->failure->error, GZ_BAD_STATE, "node %" PRIu64 " exists already",
                       node->id);
    }
    if (!gz_change_is_real(change)) return GZ_OK;
    enum gz_status status = check_holder(plan, node);
    if (status != GZ_OK) return status;
    if (change->exists) {
        bool stays = change->existed && change->before.parent == change->after.parent;
        return stays ? GZ_OK : arrange_parent(plan, change, step);
    }
    if (node->first_child != NULL) {
        return gz_fail(&plan->failure->error, GZ_BAD_STATE, "node %" PRIu64 " still has children",
                       node->id);
    }
    move(plan, step, true, node->parent);
    return GZ_OK;
}

static enum gz_status arrange(struct plan *plan)
{
    enum gz_status status = GZ_OK;
    while (plan->arranged < plan->count && status == GZ_OK) {
        status = arrange_step(plan, &plan->changes[plan->arranged], &plan->steps[plan->arranged]);
        if (status == GZ_OK) plan->arranged++;
    }
    return status;
}

/* ---- inspect ---- */

/* The number of nodes from here up to the root, both included, at most `max` + 1. */
static size_t levels_above(const struct gz_node *node, size_t max)
{
    size_t levels = 0;
    for (; node != NULL && levels <= max; node = node->parent) levels++;
    return levels;
}

/* How many levels there are below `top`. Does not go into nodes with the mark, which are inspected
 * by themselves. */
static size_t levels_below(const struct gz_node *top, uint64_t mark)
{
    size_t level = 0, deepest = 0;
    const struct gz_node *at = top;
    for (;;) {
        if (at->first_child != NULL && (at == top || at->mark != mark)) {
            at = at->first_child;
            if (++level > deepest) deepest = level;
            continue;
        }
        for (; at != top && at->next == NULL; at = at->parent) level--;
        if (at == top) return deepest;
        at = at->next;
    }
}

static enum gz_status too_deep(struct plan *plan, const struct gz_node *node)
{
    plan->at = node->id;
    if (levels_above(node, plan->scene->alive) > plan->scene->alive) {
        return gz_fail(&plan->failure->error, GZ_BAD_VALUE,
                       "node %" PRIu64 " would be below itself", node->id);
    }
    return gz_fail(&plan->failure->error, GZ_TOO_MANY,
                   "the hierarchy at node %" PRIu64 " is deeper than %d", node->id,
                   GZ_TREE_DEPTH_MAX);
}

/* Every cycle has a node that was moved: after the first loop there is none, and the second can
 * walk down. */
static enum gz_status inspect(struct plan *plan)
{
    uint64_t mark = ++plan->scene->mark;
    for (size_t i = 0; i < plan->count; i++) {
        struct gz_node *node = plan->steps[i].node;
        if (!plan->steps[i].arranged || node->gone) continue;
        node->mark = mark;
        if (levels_above(node, GZ_TREE_DEPTH_MAX) > GZ_TREE_DEPTH_MAX) return too_deep(plan, node);
    }
    for (size_t i = 0; i < plan->count; i++) {
        const struct gz_node *node = plan->steps[i].node;
        if (!plan->steps[i].arranged || node->gone || node->first_child == NULL) continue;
        size_t levels = levels_above(node, GZ_TREE_DEPTH_MAX) + levels_below(node, mark);
        if (levels > GZ_TREE_DEPTH_MAX) return too_deep(plan, node);
    }
    if (plan->scene->alive > GZ_NODES_MAX && plan->scene->alive > plan->alive) {
        return gz_fail(&plan->failure->error, GZ_TOO_MANY, "a scene has at most %d nodes",
                       GZ_NODES_MAX);
    }
    return GZ_OK;
}

/* ---- commit ---- */

/* For a node that stays: the parts that the change alters and that differ from the node. */
static unsigned parts_to_change(const struct gz_change *change, const struct step *step)
{
    struct gz_content now;
    gz_node_content(step->node, &now);
    now.parent = change->after.parent;
    unsigned parts = gz_content_difference(&change->before, &change->after) &
                     gz_content_difference(&now, &change->after);
    return step->arranged ? parts | 1u << GZ_PART_PARENT : parts & ~(1u << GZ_PART_PARENT);
}

static void give_parts(struct step *step, const struct gz_content *content, unsigned parts)
{
    struct gz_node *node = step->node;
    for (int part = 0; part < GZ_PART_COUNT; part++) {
        if (parts & 1u << part) node->part_seq[part] = node->seq;
    }
    if (parts & 1u << GZ_PART_T) gz_node_place(node, &content->trs.t);
    if (parts & 1u << GZ_PART_R) node->trs.r = content->trs.r;
    if (parts & 1u << GZ_PART_S) node->trs.s = content->trs.s;
    if (parts & 1u << GZ_PART_ASSET) node->asset = content->asset;
    if (parts & 1u << GZ_PART_BOUNDS) {
        node->has_bounds = content->has_bounds;
        if (node->has_bounds) node->bounds = content->bounds;
    }
    if (parts & 1u << GZ_PART_NAME) {
        char *old = node->name;
        node->name = step->name;
        step->name = old;
    }
}

static void commit_step(struct plan *plan, const struct gz_change *change, struct step *step)
{
    struct gz_node *node = step->node;
    if (!gz_change_is_real(change)) return;
    if (change->existed && change->exists) {
        unsigned parts = parts_to_change(change, step);
        if (parts == 0) return;
        gz_node_touch(plan->scene, node, plan->session);
        give_parts(step, &change->after, parts);
        return;
    }
    gz_node_touch(plan->scene, node, plan->session);
    node->holder = 0;
    if (!change->exists) return;
    node->born = node->seq;
    gz_graves_open(&plan->scene->graves, node->id);
    give_parts(step, &change->after, ALL_PARTS);
    if (node->id >= plan->scene->next_id) plan->scene->next_id = node->id + 1;
}

/* ---- the whole ---- */

static struct plan plan_of(struct gz_scene *scene, const struct gz_change *changes, size_t count,
                           uint64_t session, struct gz_failure *failure)
{
    return (struct plan){.scene = scene,
                         .changes = changes,
                         .count = count,
                         .alive = scene->alive,
                         .session = session,
                         .failure = failure};
}

static enum gz_status verify(struct plan *plan)
{
    enum gz_status status = prepare(plan);
    if (status == GZ_OK) status = arrange(plan);
    if (status == GZ_OK) status = inspect(plan);
    if (status != GZ_OK) plan->failure->node = plan->at;
    return status;
}

static void take_back(struct plan *plan)
{
    while (plan->arranged > 0) move_back(plan, &plan->steps[--plan->arranged]);
}

static void finish(struct plan *plan)
{
    gz_tombstones_sweep(plan->scene);
    for (size_t i = 0; plan->steps != NULL && i < plan->count; i++) free(plan->steps[i].name);
    free(plan->steps);
}

enum gz_status gz_scene_check(struct gz_scene *scene, const struct gz_change *changes, size_t count,
                              uint64_t session, struct gz_failure *failure)
{
    struct plan plan = plan_of(scene, changes, count, session, failure);
    enum gz_status status = verify(&plan);
    take_back(&plan);
    finish(&plan);
    return status;
}

enum gz_status gz_scene_apply(struct gz_scene *scene, const struct gz_change *changes, size_t count,
                              uint64_t session, struct gz_failure *failure)
{
    struct plan plan = plan_of(scene, changes, count, session, failure);
    enum gz_status status = verify(&plan);
    if (status == GZ_OK) {
        for (size_t i = 0; i < count; i++) commit_step(&plan, &changes[i], &plan.steps[i]);
    } else {
        take_back(&plan);
    }
    finish(&plan);
    return status;
}
