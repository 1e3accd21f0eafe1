/* linear.h - the small double-precision mathematics that the rooms share: vectors, quaternions,
 * transforms.
 *
 * Conventions, glTF 2.0's: right-handed, +Y up, metres, radians; quaternions [x, y, z, w]; matrices
 * column-major, acting on column vectors; a transform is translation * rotation * scale. Pure: no
 * state, no allocation, no errors; if an answer can fail to exist the function says so and
 * returns false. Threads: any. */
#ifndef GZ_BASE_LINEAR_H
#define GZ_BASE_LINEAR_H

#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
/* Compound literals are no C++ of the standard, but of the compilers that this is for. */
#    pragma GCC diagnostic push
#    pragma GCC diagnostic ignored "-Wpedantic"
#endif

/* Functions that are fast where they are called, but not in a page, which fetches each copy. */
#ifdef __wasm__
#    define GZ_LINEAR __attribute__((noinline, unused)) static
#else
#    define GZ_LINEAR static inline
#endif

/* Largest magnitude of a coordinate or a scale: beyond it the product of two transforms leaves the
 * doubles. */
#define GZ_COORDINATE_MAX 1e15
/* Smallest magnitude of a scale that is not 0: below it the inverse of a chain of parents leaves
 * the doubles. A scale of 0 flattens or hides a node; files and typed edits have it, drags never
 * make it. */
#define GZ_SCALE_MIN 1e-15

typedef struct gz_vec3 {
    double x, y, z;
} gz_vec3;

typedef struct gz_quat {
    double x, y, z, w;
} gz_quat;

/* A linear map by its columns. */
typedef struct gz_mat3 {
    gz_vec3 x, y, z;
} gz_mat3;

/* An affine map: linear part and translation. Every world transform is one; only projections need
 * 16 numbers. */
typedef struct gz_affine {
    gz_mat3 linear;
    gz_vec3 origin;
} gz_affine;

/* A node's local transform: translation, rotation (unit), scale. */
typedef struct gz_trs {
    gz_vec3 t;
    gz_quat r;
    gz_vec3 s;
} gz_trs;

/* A rigid motion in the frame of a node's parent: turned about `pivot`, or where it stands, and
 * then shifted. */
typedef struct gz_rigid {
    gz_quat turn; /* unit */
    gz_vec3 pivot, shift;
    bool in_place; /* it turns where it stands: there is no pivot */
} gz_rigid;

/* An axis-aligned box; min <= max in each component. */
typedef struct gz_box {
    gz_vec3 min, max;
} gz_box;

/* A half of space: the points p with dot(normal, p) + offset >= 0. The normal need not be unit. */
typedef struct gz_plane {
    gz_vec3 normal;
    double offset;
} gz_plane;

/* Intrinsic rotation orders: XYZ turns about x, then the new y, then the new z; its matrix is Rx *
 * Ry * Rz. */
enum gz_euler_order { GZ_XYZ, GZ_XZY, GZ_YXZ, GZ_YZX, GZ_ZXY, GZ_ZYX };

static const gz_quat gz_quat_identity = {0, 0, 0, 1};
static const gz_trs gz_trs_identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
static const gz_rigid gz_rigid_identity = {{0, 0, 0, 1}, {0, 0, 0}, {0, 0, 0}, true};
static const gz_affine gz_affine_identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};

static inline gz_vec3 gz_add(gz_vec3 a, gz_vec3 b)
{
    return (gz_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline gz_vec3 gz_sub(gz_vec3 a, gz_vec3 b)
{
    return (gz_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline gz_vec3 gz_scale(gz_vec3 a, double k)
{
    return (gz_vec3){a.x * k, a.y * k, a.z * k};
}
static inline gz_vec3 gz_negate(gz_vec3 a)
{
    return (gz_vec3){-a.x, -a.y, -a.z};
}
/* Component by component. */
static inline gz_vec3 gz_times(gz_vec3 a, gz_vec3 b)
{
    return (gz_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline double gz_dot(gz_vec3 a, gz_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline gz_vec3 gz_cross(gz_vec3 a, gz_vec3 b)
{
    return (gz_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double gz_length(gz_vec3 a)
{
    return sqrt(gz_dot(a, a));
}
static inline bool gz_finite(gz_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
static inline bool gz_finite_quat(gz_quat q)
{
    return isfinite(q.x) && isfinite(q.y) && isfinite(q.z) && isfinite(q.w);
}
static inline double gz_component(gz_vec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

/* Whether each component has a magnitude up to GZ_COORDINATE_MAX, and is 0 or at least `least`: 0
 * for a place, GZ_SCALE_MIN for a scale. */
static inline bool gz_in_range(gz_vec3 a, double least)
{
    for (int axis = 0; axis < 3; axis++) {
        double size = fabs(gz_component(a, axis));
        bool is_large = size >= least && size <= GZ_COORDINATE_MAX; /* a NaN is neither */
        if (!is_large && size != 0) return false;
    }
    return true;
}

/* For gz_normalize: lengths whose squares leave the range of doubles. */
bool gz_normalize_extreme(gz_vec3 a, gz_vec3 *unit);
/* The unit vector along `a`, exact in scale from 1e-300 to 1e300; false for zero or a value that is
 * not finite. */
static inline bool gz_normalize(gz_vec3 a, gz_vec3 *unit)
{
    double square = gz_dot(a, a);
    if (!(square > 1e-200 && square < 1e200)) return gz_normalize_extreme(a, unit);
    double length = sqrt(square);
    *unit = (gz_vec3){a.x / length, a.y / length, a.z / length};
    return true;
}
/* The unit quaternion along `q`, its sign kept; false for zero or a value that is not finite. A
 * quaternion that is unit to the last bits is returned as it is, so that normalising twice changes
 * nothing. */
bool gz_quat_normalize(gz_quat q, gz_quat *unit);

/* a then b in the frame of a: the rotation a * b. */
static inline gz_quat gz_quat_multiply(gz_quat a, gz_quat b)
{
    return (gz_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}
static inline gz_quat gz_quat_conjugate(gz_quat q)
{
    return (gz_quat){-q.x, -q.y, -q.z, q.w};
}
/* The other quaternion of the same rotation. */
static inline gz_quat gz_quat_opposite(gz_quat q)
{
    return (gz_quat){-q.x, -q.y, -q.z, -q.w};
}
gz_vec3 gz_rotate(gz_quat unit, gz_vec3 v);
/* By `angle` radians about the unit vector `axis`. */
static inline gz_quat gz_quat_about(gz_vec3 axis, double angle)
{
    double sine = sin(angle / 2);
    return (gz_quat){axis.x * sine, axis.y * sine, axis.z * sine, cos(angle / 2)};
}
gz_quat gz_quat_from_euler(gz_vec3 angles, enum gz_euler_order order);
/* Angles about x, y, z in the named order; at gimbal lock the last angle is 0. Inverse of the above
 * as a rotation. */
gz_vec3 gz_euler_from_quat(gz_quat unit, enum gz_euler_order order);

GZ_LINEAR gz_vec3 gz_mat3_apply(const gz_mat3 *m, gz_vec3 v)
{
    return gz_add(gz_add(gz_scale(m->x, v.x), gz_scale(m->y, v.y)), gz_scale(m->z, v.z));
}
GZ_LINEAR gz_mat3 gz_mat3_multiply(const gz_mat3 *a, const gz_mat3 *b)
{
    return (gz_mat3){gz_mat3_apply(a, b->x), gz_mat3_apply(a, b->y), gz_mat3_apply(a, b->z)};
}
static inline gz_mat3 gz_mat3_transpose(const gz_mat3 *m)
{
    return (gz_mat3){{m->x.x, m->y.x, m->z.x}, {m->x.y, m->y.y, m->z.y}, {m->x.z, m->y.z, m->z.z}};
}
static inline double gz_mat3_determinant(const gz_mat3 *m)
{
    return gz_dot(m->x, gz_cross(m->y, m->z));
}
GZ_LINEAR bool gz_mat3_inverse(const gz_mat3 *m, gz_mat3 *inverse)
{
    double determinant = gz_mat3_determinant(m);
    if (!isfinite(determinant) || determinant == 0) return false;
    gz_mat3 rows = {gz_scale(gz_cross(m->y, m->z), 1 / determinant),
                    gz_scale(gz_cross(m->z, m->x), 1 / determinant),
                    gz_scale(gz_cross(m->x, m->y), 1 / determinant)};
    *inverse = gz_mat3_transpose(&rows);
    return gz_finite(inverse->x) && gz_finite(inverse->y) && gz_finite(inverse->z);
}
GZ_LINEAR gz_mat3 gz_mat3_from_quat(gz_quat q)
{
    return (gz_mat3){
        {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.z * q.w), 2 * (q.x * q.z - q.y * q.w)},
        {2 * (q.x * q.y - q.z * q.w), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.x * q.w)},
        {2 * (q.x * q.z + q.y * q.w), 2 * (q.y * q.z - q.x * q.w), 1 - 2 * (q.x * q.x + q.y * q.y)},
    };
}
/* The nearest rotation's quaternion, w >= 0. The columns must be orthonormal and right-handed. */
gz_quat gz_quat_from_mat3(const gz_mat3 *rotation);
/* The rotation part of the polar decomposition m = R * P (P symmetric). If m mirrors, R is the
 * rotation of -m: the mirror goes to P. False if m has no inverse. */
bool gz_mat3_polar(const gz_mat3 *m, gz_mat3 *rotation);

gz_affine gz_affine_multiply(const gz_affine *parent, const gz_affine *child);
bool gz_affine_inverse(const gz_affine *a, gz_affine *inverse);
static inline gz_vec3 gz_affine_apply(const gz_affine *a, gz_vec3 point)
{
    return gz_add(gz_mat3_apply(&a->linear, point), a->origin);
}
gz_affine gz_affine_from_trs(const gz_trs *trs);
/* A TRS near to `a`: the rotation of its polar decomposition, the scale along that, a mirror as a
 * negative x scale. Another rotation may come a little nearer. `residual` (may be NULL) is the
 * Frobenius distance of the linear parts, relative to that of `a`; 0 or rounding if `a` is a TRS.
 * False if `a` has no inverse. */
bool gz_trs_from_affine(const gz_affine *a, gz_trs *trs, double *residual);
/* The linear part and translation of a column-major 4x4 matrix whose last row is 0 0 0 1. */
gz_affine gz_affine_from_matrix(const double matrix[16]);
void gz_affine_to_matrix(const gz_affine *a, double matrix[16]);

/* The place at `part` (0 to 1, else the nearer end) of the line from a to b: linear component by
 * component, the rotation along the shorter way and made unit. The ends come back bit by bit. */
gz_trs gz_trs_between(const gz_trs *a, const gz_trs *b, double part);
/* The difference that a turn makes to a vector: no digit is lost in a small turn. */
static inline gz_vec3 gz_turn_offset(gz_quat unit, gz_vec3 v)
{
    gz_vec3 axis = {unit.x, unit.y, unit.z}, twice = gz_scale(gz_cross(axis, v), 2);
    return gz_add(gz_scale(twice, unit.w), gz_cross(axis, twice));
}
/* A component to which nothing is added keeps its bits, a negative zero too. */
static inline gz_vec3 gz_shifted(gz_vec3 place, gz_vec3 offset)
{
    return (gz_vec3){offset.x == 0 ? place.x : place.x + offset.x,
                     offset.y == 0 ? place.y : place.y + offset.y,
                     offset.z == 0 ? place.z : place.z + offset.z};
}
/* Where the motion takes a node. False if that is not finite. */
bool gz_rigid_apply(const gz_rigid *rigid, gz_trs *trs);
/* Bit by bit, so that -0 and 0 differ: "unchanged" means unchanged. */
bool gz_trs_same(const gz_trs *a, const gz_trs *b);
bool gz_trs_finite(const gz_trs *trs);

static inline gz_vec3 gz_box_centre(const gz_box *box)
{
    return gz_scale(gz_add(box->min, box->max), 0.5);
}
/* The axis-aligned box about `box` taken through `a`. */
gz_box gz_box_transform(const gz_box *box, const gz_affine *a);
gz_box gz_box_union(const gz_box *a, const gz_box *b);
/* Whether the box has a point on the plane's side; also if a number that is not finite leaves it
 * open. */
static inline bool gz_box_reaches(const gz_box *box, const gz_plane *plane)
{
    gz_vec3 n = plane->normal;
    gz_vec3 corner = {n.x > 0 ? box->max.x : box->min.x, n.y > 0 ? box->max.y : box->min.y,
                      n.z > 0 ? box->max.z : box->min.z};
    return !(n.x * corner.x + n.y * corner.y + n.z * corner.z + plane->offset < 0);
}

#ifdef __cplusplus
#    pragma GCC diagnostic pop
}
#endif

#endif
