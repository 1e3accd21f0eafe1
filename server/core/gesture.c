/* gesture.c - what a session does with a held pointer or wheel, or poses from outside, and the
 * nodes that it holds, in parts. */
#include "core/gesture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/journal.h"
#include "server/maxima.h"

/* ---- parts of a drag ---- */

/* Describes a drag as one rigid motion for each parent. */

bool gz_parts_suit(const struct gz_gesture *gesture)
{
    const enum gz_edit_kind kind = gesture->edit.kind;
    return (kind == GZ_EDIT_TRANSLATE || kind == GZ_EDIT_ROTATE || kind == GZ_EDIT_BALL ||
            kind == GZ_EDIT_POSE) &&
           gesture->count >= GZ_MOTION_NODES_MIN && gesture->count <= GZ_MOTION_NODES_MAX;
}

/* Finds or makes the part of the nodes below this parent; GZ_MOTIONS_MAX if there are too many.
 * `latest` is tried first. */
static size_t part_below(struct gz_parts *parts, uint64_t parent, const gz_affine *frame,
                         size_t latest)
{
    if (latest < parts->count && parts->parents[latest] == parent) return latest;
    size_t part = 0;
    while (part < parts->count && parts->parents[part] != parent) part++;
    if (part < parts->count || part == GZ_MOTIONS_MAX) return part;
    parts->parents[part] = parent;
    parts->frames[part] = *frame;
    return parts->count++;
}

struct gz_parts *gz_parts_create(const struct gz_gesture *gesture, const struct gz_scene *scene)
{
    struct gz_parts *parts = calloc(1, sizeof *parts + gesture->count);
    size_t part = 0;
    for (size_t i = 0; parts != NULL && i < gesture->count; i++) {
        const struct gz_gesture_target *target = &gesture->targets[i];
        const struct gz_node *parent = gz_scene_find(scene, target->id)->parent;
        part = part_below(parts, parent != NULL ? parent->id : 0,
                          &gesture->frames[target->frame].start, part);
        if (part == GZ_MOTIONS_MAX) {
            free(parts);
            return NULL;
        }
        parts->part_of[i] = (uint8_t)part;
    }
    return parts;
}

void gz_parts_destroy(struct gz_parts *parts)
{
    free(parts);
}

bool gz_parts_list(const struct gz_parts *parts, const struct gz_gesture *gesture,
                   const struct gz_scene *scene, struct gz_motion_nodes *nodes)
{
    size_t next[GZ_MOTIONS_MAX] = {0};
    *nodes = (struct gz_motion_nodes){.starts = calloc(gesture->count, sizeof *nodes->starts),
                                      .count = gesture->count,
                                      .part_count = parts->count};
    if (nodes->starts == NULL) return false;
    for (size_t i = 0; i < gesture->count; i++) nodes->ends[parts->part_of[i]]++;
    for (size_t part = 1; part < parts->count; part++) {
        next[part] = nodes->ends[part - 1];
        nodes->ends[part] += nodes->ends[part - 1];
    }
    for (size_t i = 0; i < gesture->count; i++) {
        const struct gz_gesture_target *target = &gesture->targets[i];
        if (target->start_seq > nodes->since_seq) nodes->since_seq = target->start_seq;
        nodes->starts[next[parts->part_of[i]]++] =
            (struct gz_move){.has = GZ_HAS_MOVE_X | GZ_HAS_MOVE_Y | GZ_HAS_MOVE_Z | GZ_HAS_MOVE_R,
                             .id = target->id,
                             .trs = target->start};
    }
    if (!gesture->moved) nodes->until_seq = gz_scene_seq(scene);
    return true;
}

/* The rigid motion that takes one place to another. */
static gz_rigid rigid_between(const gz_trs *from, const gz_trs *to)
{
    gz_rigid rigid = {.turn = gz_quat_identity, .pivot = from->t, .shift = gz_sub(to->t, from->t)};
    const bool turns = memcmp(&from->r, &to->r, sizeof from->r) != 0;
    if (turns &&
        !gz_quat_normalize(gz_quat_multiply(to->r, gz_quat_conjugate(from->r)), &rigid.turn))
        rigid.turn = gz_quat_identity;
    return rigid;
}

/* Poses may be anything: the motion of a part is that of its first node, and all nodes have to be
 * in the pass. */
static void aim_at_poses(struct gz_parts *parts, const struct gz_gesture *gesture)
{
    bool is_aimed[GZ_MOTIONS_MAX] = {false};
    parts->is_rigid = gesture->pass.end == gesture->count;
    for (size_t i = 0; parts->is_rigid && i < gesture->count; i++) {
        const size_t part = parts->part_of[i];
        if (!is_aimed[part])
            parts->rigids[part] =
                rigid_between(&gesture->targets[i].start, &gesture->poses->given[i]);
        is_aimed[part] = true;
    }
}

void gz_parts_aim(struct gz_parts *parts, const struct gz_gesture *gesture)
{
    parts->is_rigid = true;
    parts->has_foreign = false;
    if (gesture->poses != NULL) aim_at_poses(parts, gesture);
    for (size_t part = 0; gesture->poses == NULL && part < parts->count; part++)
        parts->is_rigid &=
            gz_motion_rigid(&gesture->course->posed, &parts->frames[part], &parts->rigids[part]);
}

static double largest_of(gz_vec3 v)
{
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

static bool is_near(const gz_trs *told, const gz_trs *exact, const gz_trs *start)
{
    const gz_vec3 off = gz_sub(told->t, exact->t);
    const gz_quat *a = &told->r, *b = &exact->r;
    const double turn = fmax(fmax(fabs(a->x - b->x), fabs(a->y - b->y)),
                             fmax(fabs(a->z - b->z), fabs(a->w - b->w)));
    return largest_of(off) <=
               GZ_MOTION_TOLERANCE * fmax(largest_of(start->t), largest_of(exact->t)) &&
           turn <= GZ_MOTION_TOLERANCE && memcmp(&told->s, &exact->s, sizeof told->s) == 0;
}

/* Whether the parts of the node that have not changed since the beginning are bit for bit as
 * viewers have them: the end of the drag does not send those again. */
static bool keeps_bits(const gz_trs *told, const struct gz_node *node, uint64_t since)
{
    for (int axis = 0; axis < 3; axis++) {
        const double a = gz_component(told->t, axis), b = gz_component(node->trs.t, axis);
        if (node->axis_seq[axis] <= since && memcmp(&a, &b, sizeof a) != 0) return false;
    }
    return node->part_seq[GZ_PART_R] > since || memcmp(&told->r, &node->trs.r, sizeof told->r) == 0;
}

bool gz_parts_fit(const struct gz_parts *parts, const struct gz_gesture *gesture)
{
    bool fits = parts->is_rigid;
    for (size_t i = 0; fits && i < gesture->count; i++) {
        const gz_trs *start = &gesture->targets[i].start;
        gz_trs told = *start;
        fits = gz_rigid_apply(&parts->rigids[parts->part_of[i]], &told) &&
               is_near(&told, &gesture->poses->given[i], start);
    }
    return fits;
}

/* Compares a target that the pass has posed, or left where it was. `follows`: it was posed, and its
 * parent has not moved. `by` is the session. */
static void check_part(struct gz_parts *parts, const struct gz_gesture_target *target, size_t place,
                       const struct gz_node *node, bool follows, uint64_t by)
{
    const gz_trs *start = &target->start;
    gz_trs told = *start;
    if (!parts->is_rigid) return;
    parts->has_foreign |= node->by != by;
    parts->is_rigid = follows && gz_rigid_apply(&parts->rigids[parts->part_of[place]], &told) &&
                      is_near(&told, &node->trs, start) &&
                      keeps_bits(&told, node, target->start_seq);
}

/* ---- gesture ---- */

/* Poses the nodes that a gesture holds. */

static bool add_frame(struct gz_gesture *gesture, struct gz_scene *scene,
                      const struct gz_node *node)
{
    if (!gz_grow(&gesture->frames, &gesture->frame_capacity, gesture->frame_count + 1,
                 sizeof *gesture->frames))
        return false;
    const gz_affine parent = gz_scene_parent_world(scene, node);
    gesture->frames[gesture->frame_count++] =
        (struct gz_gesture_frame){.start = parent, .posed = parent};
    return true;
}

bool gz_gesture_keep(struct gz_gesture *gesture, struct gz_scene *scene,
                     const struct gz_targets *targets)
{
    size_t count = targets->count;
    gesture->targets = malloc(count * sizeof *gesture->targets);
    gesture->ids = malloc(count * sizeof *gesture->ids);
    gesture->course = calloc(1, sizeof *gesture->course);
    if (gesture->targets == NULL || gesture->ids == NULL || gesture->course == NULL) return false;
    gesture->course->motion = gz_motion_none;
    for (size_t i = 0; i < count; i++) {
        const struct gz_node *node = targets->nodes[i];
        const bool shares = i > 0 && targets->nodes[i - 1]->parent == node->parent;
        if (!shares && !add_frame(gesture, scene, node)) return false;
        gesture->ids[i] = node->id;
        gesture->targets[i] =
            (struct gz_gesture_target){.id = node->id,
                                       .start_seq = node->seq,
                                       .start = node->trs,
                                       .frame = (uint32_t)(gesture->frame_count - 1)};
        gesture->course->uneven_count +=
            !gz_scales_evenly(&gesture->frames[gesture->frame_count - 1].start.linear);
    }
    gesture->count = gesture->pass.at = gesture->pass.end = count;
    return true;
}

bool gz_gesture_is_sampled(const struct gz_gesture *gesture)
{
    return gesture->count <= GZ_SAMPLED_NODES_MAX;
}

bool gz_gesture_has_path(const struct gz_gesture *gesture)
{
    return gz_gesture_is_sampled(gesture) &&
           (gesture->poses == NULL || gesture->poses->is_recorded);
}

void gz_gesture_settle(const struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by)
{
    for (size_t i = 0; i < gesture->count; i++) {
        const struct gz_gesture_target *target = &gesture->targets[i];
        gz_scene_touch(scene, gz_scene_find(scene, target->id), target->start_seq, by);
    }
}

struct gz_journal_entry *gz_gesture_take_drop(struct gz_gesture *gesture)
{
    if (gesture->edit.stored == GZ_EDIT_UNKNOWN) return NULL;
    struct gz_journal_entry *drop = gesture->edit.drop;
    gesture->edit.drop = NULL;
    return drop;
}

static void destroy_poses(struct gz_poses *poses)
{
    if (poses == NULL) return;
    free(poses->wanted);
    free(poses->given);
    free(poses->is_due);
    free(poses->due);
    free(poses->passing);
    free(poses);
}

void gz_gesture_finish(struct gz_gesture *gesture)
{
    while (gesture->held != NULL) {
        struct gz_journal_entry *older = gesture->held->older;
        free(gesture->held);
        gesture->held = older;
    }
    free(gesture->edit.drop);
    free(gesture->targets);
    free(gesture->ids);
    free(gesture->frames);
    free(gesture->course);
    gz_parts_destroy(gesture->parts);
    free(gesture->orbit);
    destroy_poses(gesture->poses);
    *gesture = (struct gz_gesture){.next = gesture->next, .number = gesture->number};
}

/* ---- moving ---- */

static struct gz_target start_of(const struct gz_gesture *gesture,
                                 const struct gz_gesture_target *target)
{
    return (struct gz_target){.local = target->start,
                              .parent = gesture->frames[target->frame].start};
}

static bool is_same(const gz_affine *a, const gz_affine *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void note_parent(struct gz_gesture_frame *frame, const gz_affine *parent)
{
    if (frame->is_posed && is_same(&frame->posed, parent)) return;
    frame->has_moved |= frame->is_posed;
    frame->posed = *parent;
    frame->is_posed = true;
}

/* Where the pass puts a target; false if it cannot. */
static bool place_of(const struct gz_gesture *gesture, size_t place, const struct gz_target *start,
                     const gz_affine *parent, gz_trs *local, double *residual)
{
    if (gesture->poses == NULL)
        return gz_motion_apply(&gesture->course->posed, start, parent, local, residual);
    *local = gesture->poses->given[place];
    return true;
}

static void pose_node(struct gz_gesture *gesture, struct gz_scene *scene, size_t place, uint64_t by)
{
    const struct gz_gesture_target *target = &gesture->targets[place];
    struct gz_gesture_pass *pass = &gesture->pass;
    const struct gz_node *node = gz_scene_find(scene, target->id);
    const gz_affine parent = gz_scene_parent_world(scene, node);
    const struct gz_target start = start_of(gesture, target);
    gz_trs local;
    double residual = 0;
    note_parent(&gesture->frames[target->frame], &parent);
    const bool is_posed = place_of(gesture, place, &start, &parent, &local, &residual);
    if (is_posed) {
        pass->residual = fmax(pass->residual, residual);
        gz_scene_pose(scene, node, &local, by);
    }
    if (gesture->parts != NULL)
        check_part(gesture->parts, target, place, node, is_posed && is_same(&parent, &start.parent),
                   by);
}

/* One node is scaled along its own axes, and keeps them. */
size_t gz_gesture_moves(const struct gz_gesture *gesture, const struct gz_motion *motion)
{
    size_t count = gesture->count, uneven = gesture->course->uneven_count;
    if (count < 2 || gesture->poses != NULL || !gz_motion_stretches(motion)) return count;
    return (count - uneven) * GZ_MOVES_PER_STRETCH + uneven * GZ_MOVES_PER_UNEVEN_STRETCH;
}

/* ---- poses of a hold ---- */

bool gz_gesture_await_poses(struct gz_gesture *gesture, uint64_t name, bool is_recorded)
{
    const size_t count = gesture->count;
    struct gz_poses *poses = gesture->poses = calloc(1, sizeof *poses);
    if (poses == NULL) return false;
    poses->name = name;
    poses->is_recorded = is_recorded;
    poses->wanted = malloc(count * sizeof *poses->wanted);
    poses->given = malloc(count * sizeof *poses->given);
    poses->is_due = calloc(count, sizeof *poses->is_due);
    poses->due = malloc(count * sizeof *poses->due);
    poses->passing = malloc(count * sizeof *poses->passing);
    if (poses->wanted == NULL || poses->given == NULL || poses->is_due == NULL ||
        poses->due == NULL || poses->passing == NULL)
        return false;
    for (size_t i = 0; i < count; i++) poses->wanted[i] = gesture->targets[i].start;
    return true;
}

size_t gz_gesture_place(const struct gz_gesture *gesture, uint64_t node)
{
    size_t low = 0, high = gesture->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (gesture->targets[middle].id < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < gesture->count && gesture->targets[low].id == node ? low : gesture->count;
}

void gz_gesture_want(struct gz_gesture *gesture, size_t place)
{
    struct gz_poses *poses = gesture->poses;
    if (poses->is_due[place]) return;
    poses->is_due[place] = true;
    poses->due[poses->due_count++] = (uint32_t)place;
}

/* The pass takes what is due. What the pass before has not come to is due again. */
static void take_due(struct gz_gesture *gesture)
{
    struct gz_poses *poses = gesture->poses;
    struct gz_gesture_pass *pass = &gesture->pass;
    uint32_t *due = poses->due;
    for (; gz_gesture_is_passing(gesture); pass->at++)
        gz_gesture_want(gesture, poses->passing[pass->at]);
    poses->due = poses->passing;
    poses->passing = due;
    pass->at = 0;
    pass->end = poses->due_count;
    poses->due_count = 0;
    for (size_t i = 0; i < pass->end; i++) {
        poses->given[due[i]] = poses->wanted[due[i]];
        poses->is_due[due[i]] = false;
    }
}

void gz_gesture_begin_pass(struct gz_gesture *gesture, const struct gz_scene *scene)
{
    gesture->pass.residual = 0;
    gesture->followed_seq = gz_scene_seq(scene);
    if (gesture->poses != NULL) {
        take_due(gesture);
        return;
    }
    gesture->course->posed = gesture->course->motion;
    gesture->pass.at = 0;
    gesture->pass.end = gesture->count;
    for (size_t i = 0; i < gesture->frame_count; i++)
        gesture->frames[i].is_posed = gesture->frames[i].has_moved = false;
}

void gz_gesture_go_on(struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by, size_t nodes)
{
    struct gz_gesture_pass *pass = &gesture->pass;
    uint64_t before = gz_scene_seq(scene);
    for (; nodes > 0 && gz_gesture_is_passing(gesture); nodes--, pass->at++)
        pose_node(gesture, scene,
                  gesture->poses != NULL ? gesture->poses->passing[pass->at] : pass->at, by);
    if (!gz_gesture_is_passing(gesture)) gesture->residual = pass->residual;
    if (gz_scene_seq(scene) != before) gesture->moved = true;
    if (gesture->followed_seq == before) gesture->followed_seq = gz_scene_seq(scene);
}

/* The gesture's own passes move no parent, because no node that it holds is above another one.
 * Poses are in the frames of the parents, and follow them by themselves. */
bool gz_gesture_may_lag(struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by)
{
    if (!gesture->moved || gesture->poses != NULL) return false;
    const struct gz_node *node = gz_scene_after(scene, gesture->followed_seq);
    const struct gz_grip grip = {by, gesture->number};
    while (node != NULL && (node->first_child == NULL || gz_grip_has(grip, node)))
        node = node->newer;
    if (node == NULL) gesture->followed_seq = gz_scene_seq(scene);
    return node != NULL;
}

bool gz_gesture_lags(struct gz_gesture *gesture, struct gz_scene *scene)
{
    gesture->followed_seq = gz_scene_seq(scene);
    for (size_t i = 0; gesture->moved && i < gesture->count; i++) {
        const struct gz_gesture_target *target = &gesture->targets[i];
        const struct gz_gesture_frame *frame = &gesture->frames[target->frame];
        if (i > 0 && target->frame == gesture->targets[i - 1].frame) continue;
        gz_affine parent = gz_scene_parent_world(scene, gz_scene_find(scene, target->id));
        if (frame->has_moved || !is_same(&parent, &frame->posed)) return true;
    }
    return false;
}

void gz_gesture_restore(const struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by)
{
    for (size_t i = 0; i < gesture->count; i++) {
        const struct gz_gesture_target *target = &gesture->targets[i];
        gz_scene_pose(scene, gz_scene_find(scene, target->id), &target->start, by);
    }
}

enum gz_status gz_gesture_check(const struct gz_gesture *gesture, struct gz_scene *scene,
                                const struct gz_motion *motion, struct gz_failure *failure)
{
    for (size_t i = 0; i < gesture->count; i++) {
        const struct gz_gesture_target *target = &gesture->targets[i];
        gz_affine parent = gz_scene_parent_world(scene, gz_scene_find(scene, target->id));
        const struct gz_target start = start_of(gesture, target);
        gz_trs local;
        if (gz_motion_apply(motion, &start, &parent, &local, NULL)) continue;
        failure->node = target->id;
        return gz_fail(&failure->error, GZ_BAD_VALUE, "value: it moves node %llu out of range",
                       (unsigned long long)target->id);
    }
    return GZ_OK;
}

/* ---- as an edit ---- */

/* An upper bound for how much the map stretches a length: exact if its columns are orthogonal, else
 * by Gershgorin's theorem. */
static double stretch_of(const gz_mat3 *m)
{
    double xy = fabs(gz_dot(m->x, m->y));
    double yz = fabs(gz_dot(m->y, m->z));
    double zx = fabs(gz_dot(m->z, m->x));
    double x = gz_dot(m->x, m->x) + xy + zx;
    double y = gz_dot(m->y, m->y) + xy + yz;
    double z = gz_dot(m->z, m->z) + yz + zx;
    return sqrt(fmax(x, fmax(y, z)));
}

/* The tolerance of the recorded paths, in the frames of the nodes' parents. */
static double path_tolerance(const struct gz_gesture *gesture)
{
    double tolerance_m = gesture->edit.path_m;
    for (size_t i = 0; i < gesture->frame_count; i++) {
        double stretch = stretch_of(&gesture->frames[i].posed.linear);
        if (stretch > 0) tolerance_m = fmin(tolerance_m, gesture->edit.path_m / stretch);
    }
    return tolerance_m;
}

struct gz_edit_record gz_gesture_outline(const struct gz_gesture *gesture)
{
    return (struct gz_edit_record){
        .id = gesture->edit.id,
        .kind = gesture->edit.kind,
        .handle = gz_gesture_handle(gesture),
        .began = gesture->edit.began,
        .began_seq = gesture->edit.began_seq,
        .residual = gesture->residual,
        .value = {gesture->typed.numbers[0], gesture->typed.numbers[1]},
        .value_count = gesture->typed.count,
        .path_m = gesture->edit.path_m,
    };
}

bool gz_gesture_describe(const struct gz_gesture *gesture, const struct gz_scene *scene,
                         struct gz_arena *arena, struct gz_edit_record *edit)
{
    struct gz_change *changes = gz_arena_take(arena, gesture->count, sizeof *changes);
    if (changes == NULL) return false;
    for (size_t i = 0; i < gesture->count; i++) {
        struct gz_change *change = &changes[i];
        change->node = gesture->targets[i].id;
        change->existed = change->exists = true;
        gz_node_content(gz_scene_find(scene, change->node), &change->after);
        change->after.name = gz_arena_string(arena, change->after.name);
        change->before = change->after;
        change->before.trs = gesture->targets[i].start;
        if (change->after.name == NULL) return false;
    }
    *edit = gz_gesture_outline(gesture);
    edit->changes = changes;
    edit->change_count = gesture->count;
    edit->path_m = path_tolerance(gesture);
    return true;
}
