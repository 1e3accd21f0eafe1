/* Applies a motion to a node in its parent's frame, whatever the parents are. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "solver/exact.h"
#include "solver/nearest.h"
#include "solver/solver.h"

const struct gz_motion gz_motion_none = {
    .turn = {0, 0, 0, 1},
    .factor = {1, 1, 1},
    .frame = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    .frame_inverse = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
};

/* The frame of a node's parent. */
struct hanger {
    const gz_affine *parent;
    gz_mat3 to_parent; /* world directions into the parent */
    bool upright;      /* the parent's axes are the world's, as a root's are */
};

static inline gz_vec3 shifted(const struct hanger *hanger, gz_vec3 place, gz_vec3 offset)
{
    return gz_shifted(place, hanger->upright ? offset : gz_mat3_apply(&hanger->to_parent, offset));
}

/* From the fixed point of the motion to the node, world. */
static inline gz_vec3 arm(const struct hanger *hanger, const struct gz_motion *motion,
                          gz_vec3 place)
{
    if (motion->each) return (gz_vec3){0, 0, 0};
    gz_vec3 arm_in_parent = hanger->upright ? place : gz_mat3_apply(&hanger->parent->linear, place);
    return gz_sub(gz_sub(gz_add(arm_in_parent, hanger->parent->origin), motion->pivot),
                  motion->pivot_offset);
}

/* ---- Turning ---- */

/* v in the frame of the rotation part of the polar decomposition of m; a mirror is not part of the
 * rotation. */
static bool into_rotation(const gz_mat3 *m, gz_vec3 v, gz_vec3 *inside)
{
    gz_mat3 rotation;
    if (!gz_mat3_polar(m, &rotation)) return false;
    *inside = (gz_vec3){gz_dot(rotation.x, v), gz_dot(rotation.y, v), gz_dot(rotation.z, v)};
    return gz_finite(*inside);
}

static inline bool turn_node(const struct hanger *hanger, const struct gz_motion *motion,
                             gz_trs *local)
{
    gz_quat q = motion->turn;
    bool is_other = q.w < 0; /* the other quaternion of its turn, and so will be the node's */
    if (is_other) q = gz_quat_opposite(q);
    gz_vec3 axis = {q.x, q.y, q.z}, inside;
    if (q.x == 0 && q.y == 0 && q.z == 0) { /* whole turns */
        if (is_other) local->r = gz_quat_opposite(local->r);
        return true;
    }
    if (!hanger->upright) {
        if (!into_rotation(&hanger->parent->linear, axis, &inside)) return false;
        axis = inside;
    }
    local->t = shifted(hanger, local->t, gz_turn_offset(q, arm(hanger, motion, local->t)));
    gz_quat turned = gz_quat_multiply((gz_quat){axis.x, axis.y, axis.z, q.w}, local->r);
    if (!gz_unit_quat(turned, &local->r)) return false;
    if (is_other) local->r = gz_quat_opposite(local->r);
    return true;
}

/* ---- Scaling ---- */

/* The row of a column's one entry that counts; -1 if there are more. */
static inline int only_row(gz_vec3 column)
{
    const double slack = 1e-12; /* what rounding leaves in the other entries */
    double x = fabs(column.x), y = fabs(column.y), z = fabs(column.z);
    if (y + z <= slack * x) return 0;
    if (z + x <= slack * y) return 1;
    return x + y <= slack * z ? 2 : -1;
}

/* Each of the node's axes, in the frame of the factors, is one of that frame's. */
static inline bool scale_by_rows(const gz_mat3 *axes, gz_vec3 factor, gz_vec3 *s)
{
    int x = only_row(axes->x), y = only_row(axes->y), z = only_row(axes->z);
    if (x < 0 || y < 0 || z < 0) return false;
    *s = (gz_vec3){s->x * gz_component(factor, x), s->y * gz_component(factor, y),
                   s->z * gz_component(factor, z)};
    return true;
}

/* Whether an axis lies on a unit direction, either way. */
static inline bool lies_on(gz_vec3 unit, gz_vec3 axis)
{
    const double slack = 1e-12;
    gz_vec3 off = gz_cross(unit, axis);
    return gz_dot(off, off) <= slack * slack * gz_dot(axis, axis);
}

/* *shears if no TRS holds it: the node's axes are then as they were. */
static void scale_axes(const struct hanger *hanger, const struct gz_motion *motion, gz_trs *local,
                       bool *shears)
{
    gz_vec3 f = motion->factor;
    if (f.x == f.y && f.y == f.z) {
        local->s = gz_scale(local->s, f.x);
        return;
    }
    gz_mat3 turned = gz_mat3_from_quat(local->r), axes;
    if (!hanger->upright) turned = gz_mat3_multiply(&hanger->parent->linear, &turned);
    /* The node whose axes these are: under a parent that is nearly flat the inverse of the axes
     * would not identify it. */
    const gz_mat3 *frame = &motion->frame;
    if (lies_on(frame->x, turned.x) && lies_on(frame->y, turned.y) && lies_on(frame->z, turned.z)) {
        local->s = gz_times(local->s, f);
        return;
    }
    axes = gz_mat3_multiply(&motion->frame_inverse, &turned);
    *shears = !scale_by_rows(&axes, f, &local->s);
}

static inline void scale_node(const struct hanger *hanger, const struct gz_motion *motion,
                              gz_trs *local, bool *shears)
{
    gz_vec3 growth = gz_sub(motion->factor, (gz_vec3){1, 1, 1});
    gz_vec3 inside = gz_mat3_apply(&motion->frame_inverse, arm(hanger, motion, local->t));
    gz_vec3 offset = gz_mat3_apply(&motion->frame, gz_times(inside, growth));
    scale_axes(hanger, motion, local, shears);
    local->t = shifted(hanger, local->t, offset);
}

bool gz_motion_stretches(const struct gz_motion *motion)
{
    gz_vec3 f = motion->factor;
    return motion->kind == GZ_MOTION_SCALE && !(f.x == f.y && f.y == f.z);
}

bool gz_scales_evenly(const gz_mat3 *parent)
{
    const double slack = 1e-9;
    const gz_vec3 x = parent->x, y = parent->y, z = parent->z;
    double square = gz_dot(x, x);
    return fabs(gz_dot(x, y)) + fabs(gz_dot(y, z)) + fabs(gz_dot(z, x)) +
               fabs(gz_dot(y, y) - square) + fabs(gz_dot(z, z) - square) <=
           slack * square;
}

/* ---- Applying ---- */

static bool rigid_turn(const struct hanger *hanger, const struct gz_motion *motion, gz_rigid *rigid)
{
    gz_quat q = motion->turn;
    gz_vec3 axis = {q.x, q.y, q.z}, inside = axis;
    if (!hanger->upright && !into_rotation(&hanger->parent->linear, axis, &inside)) return false;
    gz_vec3 fixed = gz_sub(gz_add(motion->pivot, motion->pivot_offset), hanger->parent->origin);
    rigid->pivot = hanger->upright ? fixed : gz_mat3_apply(&hanger->to_parent, fixed);
    rigid->in_place = motion->each;
    if (motion->each) rigid->pivot = (gz_vec3){0, 0, 0};
    return gz_quat_normalize((gz_quat){inside.x, inside.y, inside.z, q.w}, &rigid->turn);
}

bool gz_motion_rigid(const struct gz_motion *motion, const gz_affine *parent, gz_rigid *rigid)
{
    assert(motion != NULL && parent != NULL && rigid != NULL);
    struct hanger hanger = {.parent = parent, .to_parent = gz_affine_identity.linear};
    hanger.upright =
        memcmp(&parent->linear, &gz_affine_identity.linear, sizeof parent->linear) == 0;
    if (!hanger.upright && !gz_mat3_inverse(&parent->linear, &hanger.to_parent)) return false;
    *rigid = gz_rigid_identity;
    if (motion->kind == GZ_MOTION_SCALE) return false;
    if (motion->kind == GZ_MOTION_TRANSLATE)
        rigid->shift = shifted(&hanger, rigid->shift, motion->translation);
    if (motion->kind == GZ_MOTION_ROTATE && !rigid_turn(&hanger, motion, rigid)) return false;
    return gz_in_range(rigid->shift, 0) && gz_in_range(rigid->pivot, 0);
}

/* The parent has moved since the press: the same place in the world, seen from where the parent is
 * now. */
static bool rebase(const struct hanger *hanger, const gz_affine *before, gz_trs *local,
                   double *residual)
{
    const gz_affine *parent = hanger->parent;
    if (memcmp(&parent->linear, &before->linear, sizeof before->linear) == 0) {
        local->t = shifted(hanger, local->t, gz_sub(before->origin, parent->origin));
        return true;
    }
    gz_affine start = gz_affine_from_trs(local), world = gz_affine_multiply(before, &start);
    gz_affine wanted = {gz_mat3_multiply(&hanger->to_parent, &world.linear),
                        gz_mat3_apply(&hanger->to_parent, gz_sub(world.origin, parent->origin))};
    return gz_trs_from_affine(&wanted, local, residual);
}

static bool within(double value, double low, double high)
{
    return fabs(value) >= low && fabs(value) <= high;
}

/* A component of the scale that was 0 stays 0. */
static bool within_limits(const gz_trs *trs, gz_vec3 start_s)
{
    for (int i = 0; i < 3; i++) {
        double s = gz_component(trs->s, i);
        bool hidden = s == 0 && gz_component(start_s, i) == 0;
        if (!hidden && !within(s, GZ_SCALE_MIN, GZ_COORDINATE_MAX)) return false;
    }
    return gz_finite_quat(trs->r) && gz_in_range(trs->t, 0);
}

static double square_of(const gz_mat3 *m)
{
    return gz_dot(m->x, m->x) + gz_dot(m->y, m->y) + gz_dot(m->z, m->z);
}

/* What the motion makes of a world direction. */
static gz_vec3 moved(const struct gz_motion *motion, gz_vec3 v)
{
    if (motion->kind == GZ_MOTION_ROTATE) return gz_rotate(motion->turn, v);
    if (motion->kind != GZ_MOTION_SCALE) return v;
    return gz_mat3_apply(&motion->frame,
                         gz_times(gz_mat3_apply(&motion->frame_inverse, v), motion->factor));
}

/* Where the motion wants the axes of a node that was so at the press, in the world. */
static gz_mat3 wanted_of(const struct gz_motion *motion, const gz_affine *parent,
                         const gz_trs *start)
{
    gz_affine before = gz_affine_from_trs(start);
    gz_mat3 from = gz_mat3_multiply(&parent->linear, &before.linear);
    return (gz_mat3){moved(motion, from.x), moved(motion, from.y), moved(motion, from.z)};
}

/* How far the node's world transform is from the wanted one, as a part of it. */
static double residual_of(const struct gz_motion *motion, const struct gz_target *start,
                          const gz_affine *parent, const gz_trs *now)
{
    gz_affine after = gz_affine_from_trs(now);
    gz_mat3 wanted = wanted_of(motion, &start->parent, &start->local);
    gz_mat3 got = gz_mat3_multiply(&parent->linear, &after.linear);
    double all = square_of(&wanted);
    gz_mat3 lost = {gz_sub(wanted.x, got.x), gz_sub(wanted.y, got.y), gz_sub(wanted.z, got.z)};
    return all > 0 ? sqrt(square_of(&lost) / all) : 0;
}

/* A node that is scaled to nothing along an axis shows nothing there, yet it has a place, a
 * rotation and its other axes. It moves as one that is 1 along that axis, and is 0 again
 * afterwards. */
static bool fill_zeros(gz_vec3 *s)
{
    bool found = s->x == 0 || s->y == 0 || s->z == 0;
    *s = (gz_vec3){s->x == 0 ? 1 : s->x, s->y == 0 ? 1 : s->y, s->z == 0 ? 1 : s->z};
    return found;
}

static void restore_zeros(gz_vec3 *s, gz_vec3 start)
{
    *s = (gz_vec3){start.x == 0 ? start.x : s->x, start.y == 0 ? start.y : s->y,
                   start.z == 0 ? start.z : s->z};
}

/* What rounding leaves of a transform that a TRS holds. */
#define LOST_LEAST 1e-13

bool gz_motion_apply(const struct gz_motion *motion, const struct gz_target *start,
                     const gz_affine *parent, gz_trs *local, double *residual)
{
    assert(motion != NULL && start != NULL && parent != NULL && local != NULL);
    struct hanger hanger = {.parent = parent, .to_parent = gz_affine_identity.linear};
    gz_trs now = start->local;
    bool hidden = fill_zeros(&now.s);
    const gz_trs whole = now;
    double lost = 0;
    bool shears = false;
    bool same_parent =
        parent == &start->parent || memcmp(parent, &start->parent, sizeof *parent) == 0;
    hanger.upright =
        memcmp(&parent->linear, &gz_affine_identity.linear, sizeof parent->linear) == 0;
    bool good = hanger.upright || gz_mat3_inverse(&parent->linear, &hanger.to_parent);
    if (good && !same_parent) good = rebase(&hanger, &start->parent, &now, &lost);
    if (!good) return false;
    switch (motion->kind) {
    case GZ_MOTION_NONE: break;
    case GZ_MOTION_TRANSLATE: now.t = shifted(&hanger, now.t, motion->translation); break;
    case GZ_MOTION_ROTATE: good = turn_node(&hanger, motion, &now); break;
    case GZ_MOTION_SCALE: scale_node(&hanger, motion, &now, &shears); break;
    }
    bool unchanged = same_parent && motion->kind == GZ_MOTION_NONE;
    shears |= lost > LOST_LEAST;
    if (good && shears) {
        const gz_mat3 wanted = wanted_of(motion, &start->parent, &whole);
        gz_nearest(&parent->linear, &wanted, &now.r, &now.s);
    }
    if (hidden) restore_zeros(&now.s, start->local.s);
    if (!good || (!unchanged && !within_limits(&now, start->local.s))) return false;
    if (residual != NULL)
        *residual = shears || lost > 0 ? residual_of(motion, start, parent, &now) : 0;
    *local = now;
    return true;
}
