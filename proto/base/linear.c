/* linear.c - the mathematics of linear.h that is too long to be inline. */
#include "proto/base/linear.h"

#include <float.h>
#include <string.h>

/* Scaling by a power of two first keeps the squares in range and changes no bit of the
 * direction. */
bool gz_normalize_extreme(gz_vec3 a, gz_vec3 *unit)
{
    double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
    if (!gz_finite(a) || !(largest > 0)) return false;
    int exponent;
    frexp(largest, &exponent);
    gz_vec3 scaled = {ldexp(a.x, -exponent), ldexp(a.y, -exponent), ldexp(a.z, -exponent)};
    double length = gz_length(scaled);
    *unit = (gz_vec3){scaled.x / length, scaled.y / length, scaled.z / length};
    return true;
}

bool gz_quat_normalize(gz_quat q, gz_quat *unit)
{
    double largest = fmax(fmax(fabs(q.x), fabs(q.y)), fmax(fabs(q.z), fabs(q.w)));
    if (!gz_finite_quat(q) || !(largest > 0)) return false;
    double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (fabs(square - 1) <=
        8 * DBL_EPSILON) { /* the roundings below and of this square come to 6 at most */
        *unit = q;
        return true;
    }
    int exponent;
    frexp(largest, &exponent);
    gz_quat s = {ldexp(q.x, -exponent), ldexp(q.y, -exponent), ldexp(q.z, -exponent),
                 ldexp(q.w, -exponent)};
    double length = sqrt(s.x * s.x + s.y * s.y + s.z * s.z + s.w * s.w);
    *unit = (gz_quat){s.x / length, s.y / length, s.z / length, s.w / length};
    return true;
}

gz_vec3 gz_rotate(gz_quat unit, gz_vec3 v)
{
    gz_vec3 axis = {unit.x, unit.y, unit.z};
    gz_vec3 twice = gz_scale(gz_cross(axis, v), 2);
    return gz_add(gz_add(v, gz_scale(twice, unit.w)), gz_cross(axis, twice));
}

/* The axes of an order from first to last; an odd order is one whose axes are not a cyclic shift of
 * x, y, z. */
static const struct {
    int axes[3];
    bool odd;
} orders[] = {
    [GZ_XYZ] = {{0, 1, 2}, false}, [GZ_XZY] = {{0, 2, 1}, true},  [GZ_YXZ] = {{1, 0, 2}, true},
    [GZ_YZX] = {{1, 2, 0}, false}, [GZ_ZXY] = {{2, 0, 1}, false}, [GZ_ZYX] = {{2, 1, 0}, true},
};

static gz_vec3 unit_axis(int axis)
{
    return (gz_vec3){axis == 0, axis == 1, axis == 2};
}

gz_quat gz_quat_from_euler(gz_vec3 angles, enum gz_euler_order order)
{
    const int *axes = orders[order].axes;
    gz_quat q = gz_quat_about(unit_axis(axes[0]), gz_component(angles, axes[0]));
    q = gz_quat_multiply(q, gz_quat_about(unit_axis(axes[1]), gz_component(angles, axes[1])));
    return gz_quat_multiply(q, gz_quat_about(unit_axis(axes[2]), gz_component(angles, axes[2])));
}

static double entry(const gz_mat3 *m, int row, int column)
{
    return gz_component(column == 0 ? m->x : column == 1 ? m->y : m->z, row);
}

/* For R = Ri * Rj * Rk the entry (i, k) is +-sin of the middle angle, and the last column gives the
 * first. The last angle is found after the first is taken out again, which leaves it in row j: near
 * gimbal lock both are uncertain, and only so do their errors cancel. Odd orders differ by the
 * signs of the off-diagonal sines only. */
gz_vec3 gz_euler_from_quat(gz_quat unit, enum gz_euler_order order)
{
    int i = orders[order].axes[0], j = orders[order].axes[1], k = orders[order].axes[2];
    double sign = orders[order].odd ? -1 : 1;
    gz_mat3 m = gz_mat3_from_quat(unit);
    double cosine = hypot(entry(&m, i, i), entry(&m, i, j));
    double angles[3];
    angles[j] = atan2(sign * entry(&m, i, k), cosine);
    if (cosine > 16 * DBL_EPSILON) {
        angles[i] = atan2(-sign * entry(&m, j, k), entry(&m, k, k));
        double c = cos(angles[i]), s = sign * sin(angles[i]);
        angles[k] = atan2(sign * (c * entry(&m, j, i) + s * entry(&m, k, i)),
                          c * entry(&m, j, j) + s * entry(&m, k, j));
    } else {
        angles[i] = atan2(sign * entry(&m, k, j), entry(&m, j, j));
        angles[k] = 0;
    }
    return (gz_vec3){angles[0], angles[1], angles[2]};
}

/* Shepperd: divide by the largest of the four, so that nothing is lost near a half turn. */
gz_quat gz_quat_from_mat3(const gz_mat3 *m)
{
    double trace = m->x.x + m->y.y + m->z.z;
    gz_quat q;
    if (trace >= m->x.x && trace >= m->y.y && trace >= m->z.z) {
        q = (gz_quat){m->y.z - m->z.y, m->z.x - m->x.z, m->x.y - m->y.x, 1 + trace};
    } else if (m->x.x >= m->y.y && m->x.x >= m->z.z) {
        q = (gz_quat){1 + m->x.x - m->y.y - m->z.z, m->x.y + m->y.x, m->z.x + m->x.z,
                      m->y.z - m->z.y};
    } else if (m->y.y >= m->z.z) {
        q = (gz_quat){m->x.y + m->y.x, 1 - m->x.x + m->y.y - m->z.z, m->y.z + m->z.y,
                      m->z.x - m->x.z};
    } else {
        q = (gz_quat){m->z.x + m->x.z, m->y.z + m->z.y, 1 - m->x.x - m->y.y + m->z.z,
                      m->x.y - m->y.x};
    }
    gz_quat unit = gz_quat_identity;
    (void)gz_quat_normalize(q, &unit);
    if (unit.w < 0) unit = (gz_quat){-unit.x, -unit.y, -unit.z, -unit.w};
    return unit;
}

static double frobenius(const gz_mat3 *m)
{
    return sqrt(gz_dot(m->x, m->x) + gz_dot(m->y, m->y) + gz_dot(m->z, m->z));
}

static gz_mat3 mat3_blend(const gz_mat3 *a, double ka, const gz_mat3 *b, double kb)
{
    return (gz_mat3){gz_add(gz_scale(a->x, ka), gz_scale(b->x, kb)),
                     gz_add(gz_scale(a->y, ka), gz_scale(b->y, kb)),
                     gz_add(gz_scale(a->z, ka), gz_scale(b->z, kb))};
}

/* cos of the largest skew at which columns count as square to each other. */
#define SQUARE_COSINE 1e-12

/* Columns that are square to each other, the usual case, need no iteration: their directions are
 * the rotation. */
static bool rotation_of_columns(const gz_mat3 *m, gz_mat3 *rotation)
{
    gz_mat3 r;
    if (!gz_normalize(m->x, &r.x) || !gz_normalize(m->y, &r.y) || !gz_normalize(m->z, &r.z))
        return false;
    double skew =
        fmax(fabs(gz_dot(r.x, r.y)), fmax(fabs(gz_dot(r.y, r.z)), fabs(gz_dot(r.z, r.x))));
    if (!(skew <= SQUARE_COSINE)) return false;
    *rotation = r;
    return true;
}

/* Higham's scaled Newton iteration: R <- (g R + R^-T / g) / 2 converges quadratically from any
 * invertible matrix. */
bool gz_mat3_polar(const gz_mat3 *m, gz_mat3 *rotation)
{
    gz_mat3 r = *m;
    double determinant = gz_mat3_determinant(m);
    if (!isfinite(determinant) || determinant == 0) return false;
    if (determinant < 0) r = (gz_mat3){gz_negate(m->x), gz_negate(m->y), gz_negate(m->z)};
    if (rotation_of_columns(&r, rotation)) return true;
    for (int step = 0; step < 64; step++) {
        gz_mat3 inverse;
        if (!gz_mat3_inverse(&r, &inverse)) return false;
        gz_mat3 inverse_transpose = gz_mat3_transpose(&inverse);
        double balance = sqrt(frobenius(&inverse_transpose) / frobenius(&r));
        gz_mat3 next = mat3_blend(&r, 0.5 * balance, &inverse_transpose, 0.5 / balance);
        gz_mat3 change = mat3_blend(&next, 1, &r, -1);
        r = next;
        if (frobenius(&change) <= 4 * DBL_EPSILON) break;
    }
    *rotation = r;
    return gz_finite(r.x) && gz_finite(r.y) && gz_finite(r.z);
}

gz_affine gz_affine_multiply(const gz_affine *parent, const gz_affine *child)
{
    return (gz_affine){gz_mat3_multiply(&parent->linear, &child->linear),
                       gz_affine_apply(parent, child->origin)};
}

bool gz_affine_inverse(const gz_affine *a, gz_affine *inverse)
{
    if (!gz_mat3_inverse(&a->linear, &inverse->linear)) return false;
    inverse->origin = gz_negate(gz_mat3_apply(&inverse->linear, a->origin));
    return gz_finite(inverse->origin);
}

gz_affine gz_affine_from_trs(const gz_trs *trs)
{
    gz_mat3 rotation = gz_mat3_from_quat(trs->r);
    return (gz_affine){{gz_scale(rotation.x, trs->s.x), gz_scale(rotation.y, trs->s.y),
                        gz_scale(rotation.z, trs->s.z)},
                       trs->t};
}

bool gz_trs_from_affine(const gz_affine *a, gz_trs *trs, double *residual)
{
    double determinant = gz_mat3_determinant(&a->linear);
    if (!gz_finite(a->origin) || !isfinite(determinant) || determinant == 0) return false;
    gz_mat3 rotation, unmirrored = a->linear;
    if (determinant < 0) unmirrored.x = gz_negate(unmirrored.x);
    if (!gz_mat3_polar(&unmirrored, &rotation)) return false;
    trs->t = a->origin;
    trs->r = gz_quat_from_mat3(&rotation);
    gz_mat3 exact = gz_mat3_from_quat(trs->r);
    trs->s = (gz_vec3){gz_dot(exact.x, a->linear.x), gz_dot(exact.y, a->linear.y),
                       gz_dot(exact.z, a->linear.z)};
    if (residual != NULL) {
        gz_affine back = gz_affine_from_trs(trs);
        gz_mat3 lost = mat3_blend(&back.linear, 1, &a->linear, -1);
        *residual = frobenius(&lost) / frobenius(&a->linear);
    }
    return gz_trs_finite(trs) && trs->s.x != 0 && trs->s.y != 0 && trs->s.z != 0;
}

gz_affine gz_affine_from_matrix(const double m[16])
{
    return (gz_affine){{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}},
                       {m[12], m[13], m[14]}};
}

void gz_affine_to_matrix(const gz_affine *a, double m[16])
{
    const gz_vec3 columns[4] = {a->linear.x, a->linear.y, a->linear.z, a->origin};
    for (int column = 0; column < 4; column++) {
        m[4 * column] = columns[column].x;
        m[4 * column + 1] = columns[column].y;
        m[4 * column + 2] = columns[column].z;
        m[4 * column + 3] = column == 3;
    }
}

bool gz_rigid_apply(const gz_rigid *rigid, gz_trs *trs)
{
    const gz_quat *q = &rigid->turn;
    gz_trs now = *trs;
    if (q->x != 0 || q->y != 0 || q->z != 0) {
        if (!rigid->in_place)
            now.t = gz_shifted(now.t, gz_turn_offset(*q, gz_sub(now.t, rigid->pivot)));
        if (!gz_quat_normalize(gz_quat_multiply(*q, now.r), &now.r)) return false;
    } else if (q->w < 0) {
        now.r = gz_quat_opposite(now.r);
    }
    now.t = gz_shifted(now.t, rigid->shift);
    if (!gz_finite(now.t)) return false;
    *trs = now;
    return true;
}

bool gz_trs_same(const gz_trs *a, const gz_trs *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

bool gz_trs_finite(const gz_trs *trs)
{
    return gz_finite(trs->t) && gz_finite_quat(trs->r) && gz_finite(trs->s);
}

/* Arvo: each entry of the matrix contributes its smaller product to the minimum and its larger one
 * to the maximum. */
gz_box gz_box_transform(const gz_box *box, const gz_affine *a)
{
    const gz_vec3 columns[3] = {a->linear.x, a->linear.y, a->linear.z};
    gz_box result = {a->origin, a->origin};
    for (int axis = 0; axis < 3; axis++) {
        gz_vec3 low = gz_scale(columns[axis], gz_component(box->min, axis));
        gz_vec3 high = gz_scale(columns[axis], gz_component(box->max, axis));
        result.min = gz_add(
            result.min, (gz_vec3){fmin(low.x, high.x), fmin(low.y, high.y), fmin(low.z, high.z)});
        result.max = gz_add(
            result.max, (gz_vec3){fmax(low.x, high.x), fmax(low.y, high.y), fmax(low.z, high.z)});
    }
    return result;
}

gz_box gz_box_union(const gz_box *a, const gz_box *b)
{
    return (gz_box){{fmin(a->min.x, b->min.x), fmin(a->min.y, b->min.y), fmin(a->min.z, b->min.z)},
                    {fmax(a->max.x, b->max.x), fmax(a->max.y, b->max.y), fmax(a->max.z, b->max.z)}};
}

static gz_vec3 between(gz_vec3 a, gz_vec3 b, double part)
{
    return gz_add(a, gz_scale(gz_sub(b, a), part));
}

gz_trs gz_trs_between(const gz_trs *a, const gz_trs *b, double part)
{
    if (!(part > 0)) return *a;
    if (!(part < 1)) return *b;
    double side =
        a->r.x * b->r.x + a->r.y * b->r.y + a->r.z * b->r.z + a->r.w * b->r.w < 0 ? -1 : 1;
    gz_trs trs = {between(a->t, b->t, part), a->r, between(a->s, b->s, part)};
    gz_quat turn = {
        a->r.x + part * (side * b->r.x - a->r.x), a->r.y + part * (side * b->r.y - a->r.y),
        a->r.z + part * (side * b->r.z - a->r.z), a->r.w + part * (side * b->r.w - a->r.w)};
    (void)gz_quat_normalize(
        turn, &trs.r); /* two opposite ones have nothing between them: the first stays */
    return trs;
}
