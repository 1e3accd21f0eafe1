/* parts.c - describes a drag as one rigid motion for each parent. See parts.h. */
#include "session/parts.h"

#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

bool gz_parts_suit(const struct gz_gesture *gesture)
{
    const enum gz_edit_kind kind = gesture->edit.kind;
    return (kind == GZ_EDIT_TRANSLATE || kind == GZ_EDIT_ROTATE || kind == GZ_EDIT_BALL) &&
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

void gz_parts_aim(struct gz_parts *parts, const struct gz_motion *motion)
{
    parts->is_rigid = true;
    parts->has_foreign = false;
    for (size_t part = 0; part < parts->count; part++)
        parts->is_rigid &= gz_motion_rigid(motion, &parts->frames[part], &parts->rigids[part]);
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

void gz_parts_check(struct gz_parts *parts, const struct gz_gesture_target *target, size_t place,
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
