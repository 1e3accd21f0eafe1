#include <float.h>
#include <math.h>
#include <string.h>

#include "server/limits.h"
#include "solver/exact.h"
#include "solver/solver.h"

const struct gz_motion gz_motion_none = {
    .turn = {0, 0, 0, 1},
    .factor = {1, 1, 1},
    .frame = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    .frame_inverse = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
};

/* A node on its way: where it hangs, and where it is in the world. */
struct carried {
    const gz_affine *parent;
    gz_mat3 to_parent; /* world directions into the parent */
    bool upright;      /* the parent's axes are the world's, as a root's are */
    gz_trs local;
};

/* What the turn of a vector adds to it, without the vector: no digit is lost in a small turn. */
static gz_vec3 turn_offset(gz_quat q, gz_vec3 v)
{
    gz_vec3 axis = {q.x, q.y, q.z}, twice = gz_scale(gz_cross(axis, v), 2);
    return gz_add(gz_scale(twice, q.w), gz_cross(axis, twice));
}

/* A component that nothing is added to keeps its bits, a negative zero too. */
static double plus(double value, double offset)
{
    return offset == 0 ? value : value + offset;
}

static void shift(struct carried *node, gz_vec3 offset)
{
    gz_vec3 d = node->upright ? offset : gz_mat3_apply(&node->to_parent, offset), *t = &node->local.t;
    *t = (gz_vec3){plus(t->x, d.x), plus(t->y, d.y), plus(t->z, d.z)};
}

static gz_vec3 arm(const struct carried *node, const struct gz_motion *motion)
{
    if (motion->each) return (gz_vec3){0, 0, 0};
    return gz_sub(gz_affine_apply(node->parent, node->local.t), motion->pivot);
}

/* cos of the largest skew at which a parent's axes count as square to each other. */
#define SQUARE_COSINE 1e-12

/* v in the frame of the rotation part of the polar decomposition of m; a mirror is not part of the rotation. Square axes,
 * the usual case, are the rotation themselves. */
static bool into_rotation(const gz_mat3 *m, gz_vec3 v, gz_vec3 *inside)
{
    double x = gz_dot(m->x, m->x), y = gz_dot(m->y, m->y), z = gz_dot(m->z, m->z);
    double xy = gz_dot(m->x, m->y), yz = gz_dot(m->y, m->z), zx = gz_dot(m->z, m->x);
    const double square = SQUARE_COSINE * SQUARE_COSINE;
    if (xy * xy <= square * x * y && yz * yz <= square * y * z && zx * zx <= square * z * x) {
        double side = gz_mat3_determinant(m) < 0 ? -1 : 1;
        *inside = (gz_vec3){side * gz_dot(m->x, v) / sqrt(x), side * gz_dot(m->y, v) / sqrt(y),
                            side * gz_dot(m->z, v) / sqrt(z)};
        return gz_finite(*inside);
    }
    gz_mat3 rotation;
    if (!gz_mat3_polar(m, &rotation)) return false;
    *inside = (gz_vec3){gz_dot(rotation.x, v), gz_dot(rotation.y, v), gz_dot(rotation.z, v)};
    return true;
}

static bool turn(struct carried *node, const struct gz_motion *motion)
{
    gz_quat q = motion->turn;
    gz_vec3 axis;
    if (q.x == 0 && q.y == 0 && q.z == 0) return true; /* whole turns */
    axis = (gz_vec3){q.x, q.y, q.z};
    if (!node->upright && !into_rotation(&node->parent->linear, axis, &axis)) return false;
    shift(node, turn_offset(q, arm(node, motion)));
    gz_quat turned = gz_quat_multiply((gz_quat){axis.x, axis.y, axis.z, q.w}, node->local.r);
    return gz_unit_quat(turned, &node->local.r);
}

/* The row of a column's one entry that counts; -1 where there are more. */
static int only_row(gz_vec3 column)
{
    const double slack = 1e-12; /* what rounding leaves in the others */
    double entries[3] = {fabs(column.x), fabs(column.y), fabs(column.z)};
    int row = entries[0] >= entries[1] && entries[0] >= entries[2] ? 0 : entries[1] >= entries[2] ? 1 : 2;
    double rest = entries[(row + 1) % 3] + entries[(row + 2) % 3];
    return rest <= slack * entries[row] ? row : -1;
}

static gz_vec3 *column(gz_mat3 *m, int axis)
{
    return axis == 0 ? &m->x : axis == 1 ? &m->y : &m->z;
}

static double *component(gz_vec3 *v, int axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

static double sign_of(double value)
{
    return value < 0 ? -1 : 1;
}

/* The wanted world axes, taken into the parent, as rotation and scale; the start's signs stay with their axes. */
static bool scale_by_nearest(struct carried *node, const gz_mat3 *wanted, double *residual)
{
    gz_vec3 s = node->local.s, signs = {sign_of(s.x), sign_of(s.y), sign_of(s.z)};
    gz_affine local = {gz_mat3_multiply(&node->to_parent, wanted), node->local.t};
    for (int axis = 0; axis < 3; axis++) {
        gz_vec3 *axis_column = column(&local.linear, axis);
        *axis_column = gz_scale(*axis_column, gz_component(signs, axis));
    }
    gz_trs nearest;
    if (!gz_trs_from_affine(&local, &nearest, residual)) return false;
    const gz_quat *q = &node->local.r, *r = &nearest.r;
    if (q->x * r->x + q->y * r->y + q->z * r->z + q->w * r->w < 0) nearest.r = (gz_quat){-r->x, -r->y, -r->z, -r->w};
    node->local.r = nearest.r;
    node->local.s = gz_times(nearest.s, signs);
    return true;
}

static bool scale_axes(struct carried *node, const struct gz_motion *motion, double *residual)
{
    gz_vec3 f = motion->factor;
    if (f.x == f.y && f.y == f.z) {
        node->local.s = gz_scale(node->local.s, f.x);
        return true;
    }
    gz_affine local = gz_affine_from_trs(&node->local);
    gz_mat3 world = gz_mat3_multiply(&node->parent->linear, &local.linear);
    gz_mat3 inside = gz_mat3_multiply(&motion->frame_inverse, &world);
    int rows[3] = {only_row(inside.x), only_row(inside.y), only_row(inside.z)};
    if (rows[0] >= 0 && rows[1] >= 0 && rows[2] >= 0) {
        for (int axis = 0; axis < 3; axis++) *component(&node->local.s, axis) *= gz_component(f, rows[axis]);
        return true;
    }
    for (int axis = 0; axis < 3; axis++) *column(&inside, axis) = gz_times(*column(&inside, axis), f);
    gz_mat3 wanted = gz_mat3_multiply(&motion->frame, &inside);
    return scale_by_nearest(node, &wanted, residual);
}

static bool scale(struct carried *node, const struct gz_motion *motion, double *residual)
{
    gz_vec3 growth = gz_sub(motion->factor, (gz_vec3){1, 1, 1});
    gz_vec3 inside = gz_mat3_apply(&motion->frame_inverse, arm(node, motion));
    gz_vec3 offset = gz_mat3_apply(&motion->frame, gz_times(inside, growth));
    if (!scale_axes(node, motion, residual)) return false;
    shift(node, offset);
    return true;
}

/* The parent has moved since the press: the same place in the world, seen from where the parent is now. */
static bool rebase(struct carried *node, const gz_affine *before, double *residual)
{
    if (memcmp(&node->parent->linear, &before->linear, sizeof before->linear) == 0) {
        shift(node, gz_sub(before->origin, node->parent->origin));
        return true;
    }
    gz_affine local = gz_affine_from_trs(&node->local), world = gz_affine_multiply(before, &local);
    gz_affine wanted = {gz_mat3_multiply(&node->to_parent, &world.linear),
                        gz_mat3_apply(&node->to_parent, gz_sub(world.origin, node->parent->origin))};
    return gz_trs_from_affine(&wanted, &node->local, residual);
}

static bool within(double value, double low, double high)
{
    return fabs(value) >= low && fabs(value) <= high;
}

static bool within_limits(const gz_trs *trs)
{
    const double high = GZ_COORDINATE_MAX, low = GZ_SCALE_MIN;
    return gz_finite_quat(trs->r) && within(trs->t.x, 0, high) && within(trs->t.y, 0, high) &&
           within(trs->t.z, 0, high) && within(trs->s.x, low, high) && within(trs->s.y, low, high) &&
           within(trs->s.z, low, high);
}

bool gz_motion_apply(const struct gz_motion *motion, const struct gz_target *start, const gz_affine *parent,
                     gz_trs *local, double *residual)
{
    struct carried node = {.parent = parent, .local = start->local};
    double lost_before = 0, lost = 0;
    bool same_parent = memcmp(parent, &start->parent, sizeof *parent) == 0;
    node.upright = memcmp(&parent->linear, &gz_affine_identity.linear, sizeof parent->linear) == 0;
    if (node.upright) node.to_parent = gz_affine_identity.linear;
    bool good = node.upright || gz_mat3_inverse(&parent->linear, &node.to_parent);
    if (good && !same_parent) good = rebase(&node, &start->parent, &lost_before);
    if (!good) return false;
    switch (motion->kind) {
    case GZ_MOTION_NONE: break;
    case GZ_MOTION_TRANSLATE: shift(&node, motion->translation); break;
    case GZ_MOTION_ROTATE: good = turn(&node, motion); break;
    case GZ_MOTION_SCALE: good = scale(&node, motion, &lost); break;
    }
    bool unchanged = same_parent && motion->kind == GZ_MOTION_NONE;
    if (!good || (!unchanged && !within_limits(&node.local))) return false;
    *local = node.local;
    if (residual != NULL) *residual = fmax(lost_before, lost);
    return true;
}

struct gz_motion gz_motion_wheel(const struct gz_gizmo *gizmo, double notches)
{
    double factor = pow(1.1, notches);
    if (notches == 0 || !isfinite(factor) || factor == 0) return gz_motion_none;
    struct gz_motion motion = gz_motion_none;
    motion.kind = GZ_MOTION_SCALE;
    motion.factor = (gz_vec3){factor, factor, factor};
    motion.pivot = gizmo->origin;
    motion.each = gizmo->each;
    motion.value[0] = factor;
    motion.value_count = 1;
    return motion;
}
