/* Finds the nearest TRS to a sheared transform. */
#include "solver/nearest.h"

#include <stddef.h>

#include "solver/exact.h"
#include "solver/solver.h"

/* The scale along each axis is a projection, so only the rotation has to be looked for: the one
 * that leaves the least, as a sum of squares. `axes` are the squares and products of the node's own
 * axes in the world, left[k][i] how much of what is left of the wanted axis i lies along axis k. */
struct fit {
    double axes[3][3], left[3][3];
    double s[3], square;
};

static gz_vec3 column(const gz_mat3 *m, int i)
{
    return i == 0 ? m->x : i == 1 ? m->y : m->z;
}

static struct fit fit_of(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat r)
{
    const gz_mat3 turn = gz_mat3_from_quat(r), axes = gz_mat3_multiply(parent, &turn);
    struct fit fit = {.square = 0};
    for (int i = 0; i < 3; i++) {
        const gz_vec3 axis = column(&axes, i), w = column(wanted, i);
        for (int k = 0; k < 3; k++) fit.axes[k][i] = gz_dot(column(&axes, k), axis);
        fit.s[i] = gz_dot(axis, w) / fit.axes[i][i];
        const gz_vec3 left = gz_sub(w, gz_scale(axis, fit.s[i]));
        for (int k = 0; k < 3; k++) fit.left[k][i] = gz_dot(column(&axes, k), left);
        fit.square += gz_dot(left, left);
    }
    return fit;
}

/* How the square shrinks with small turns about the node's own axes: by `slope`, less half of
 * `bend` for their squares (Newton). */
struct growth {
    double slope[3], bend[3][3];
};

/* `part` is how much of what is left bends: 1, or 0 for a bend that never leads up (Gauss and
 * Newton). */
static void add_axis(const struct fit *fit, int i, double part, struct growth *growth)
{
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double(*h)[3] = fit->axes, s = fit->s[i], d = h[i][i];
    const double left_j = fit->left[j][i], left_k = fit->left[k][i];
    const double steep_j = s * h[k][i] - part * left_k, steep_k = part * left_j - s * h[j][i];
    growth->slope[j] -= 2 * s * left_k;
    growth->slope[k] += 2 * s * left_j;
    growth->bend[i][j] -= s * part * left_j;
    growth->bend[j][i] -= s * part * left_j;
    growth->bend[i][k] -= s * part * left_k;
    growth->bend[k][i] -= s * part * left_k;
    growth->bend[j][j] += 2 * (s * s * h[k][k] - steep_j * steep_j / d);
    growth->bend[k][k] += 2 * (s * s * h[j][j] - steep_k * steep_k / d);
    growth->bend[j][k] -= 2 * (s * s * h[k][j] + steep_j * steep_k / d);
    growth->bend[k][j] -= 2 * (s * s * h[k][j] + steep_j * steep_k / d);
}

/* A bend of no more than this part of all of them is none. */
#define BEND_LEAST 1e-12

/* The turn to the bottom of what bends so; bends of nothing are made that strong if `part` is 0.
 * False if there is no bottom. */
static bool find_bottom(const struct fit *fit, double part, gz_vec3 *step)
{
    struct growth growth = {.slope = {0}};
    for (int i = 0; i < 3; i++) add_axis(fit, i, part, &growth);
    double(*b)[3] = growth.bend, *g = growth.slope;
    const double least = BEND_LEAST * (fabs(b[0][0]) + fabs(b[1][1]) + fabs(b[2][2]));
    const double stronger = part > 0 ? 0 : least, limit = part > 0 ? least : 0;
    const double x = b[0][0] + stronger, y_by_x = b[0][1] / x, z_by_x = b[0][2] / x;
    const double y = b[1][1] + stronger - y_by_x * b[0][1], yz = b[1][2] - y_by_x * b[0][2],
                 z_by_y = yz / y, z = b[2][2] + stronger - z_by_x * b[0][2] - z_by_y * yz;
    if (!(x > limit && y > limit && z > limit)) return false;
    const double across = g[1] - y_by_x * g[0];
    step->z = (g[2] - z_by_x * g[0] - z_by_y * across) / z;
    step->y = across / y - z_by_y * step->z;
    step->x = g[0] / x - y_by_x * step->y - z_by_x * step->z;
    return gz_finite(*step);
}

#define STEPS_MAX 1000
/* Each step squares the distance from the bottom: one whose square is less than this is the
 * last. */
#define STEP_SQUARE_LAST 1e-10
/* What is left is the same but for rounding if it differs by less than this part. */
#define SAME_LEFT 1e-12
/* A step that leads up is shortened, down to this part of it. */
#define PART_LEAST 1e-5

/* Where a part of the step leads to that is not up. False if none does. */
static bool go_step(const gz_mat3 *parent, const gz_mat3 *wanted, gz_vec3 step, gz_quat *r,
                    struct fit *fit, bool *clear)
{
    const double square = gz_dot(step, step), most = fit->square * (1 + SAME_LEFT);
    for (double part = square > 1 ? 0.5 / sqrt(square) : 0.5; part > PART_LEAST; part /= 4) {
        gz_quat turned, turn = {part * step.x, part * step.y, part * step.z, 1};
        if (!gz_unit_quat(gz_quat_multiply(*r, turn), &turned)) return false;
        const struct fit next = fit_of(parent, wanted, turned);
        if (next.square <= most) {
            *fit = next;
            *r = turned;
            return true;
        }
        *clear = false;
    }
    return false;
}

/* Down from this rotation to the least that is left nearby. *clear: all of the way was in one
 * bowl. */
static struct fit go_down(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat *r, bool *clear)
{
    struct fit fit = fit_of(parent, wanted, *r);
    *clear = true;
    for (int i = 0; i < STEPS_MAX; i++) {
        const double enough = fit.square * (1 - SAME_LEFT);
        gz_vec3 step;
        if (!find_bottom(&fit, 1, &step)) {
            *clear = false;
            if (!find_bottom(&fit, 0, &step)) break;
        }
        if (!go_step(parent, wanted, step, r, &fit, clear) || fit.square >= enough ||
            gz_dot(step, step) < STEP_SQUARE_LAST)
            break;
    }
    return fit;
}

/* The rotation that leaves a stretch in the parent's frame. */
static gz_quat unstretched(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat r)
{
    gz_mat3 back;
    gz_trs trs = {.r = r};
    if (!gz_mat3_inverse(parent, &back)) return r;
    const gz_affine inside = {gz_mat3_multiply(&back, wanted), {0, 0, 0}};
    (void)gz_trs_from_affine(&inside, &trs, NULL);
    return trs.r;
}

/* From where the ways down begin: from the two rotations that are near, and from each of these
 * turned by some 50 degrees either way about each axis, and by some 80 about four diagonals. */
static const gz_quat turns[] = {{0, 0, 0, 2},   {1, 0, 0, 2},   {0, 1, 0, 2},  {0, 0, 1, 2},
                                {-1, 0, 0, 2},  {0, -1, 0, 2},  {0, 0, -1, 2}, {1, 1, 1, 2},
                                {1, -1, -1, 2}, {-1, 1, -1, 2}, {-1, -1, 1, 2}};
#define STARTS (2 * (int)(sizeof turns / sizeof *turns))

/* Below an even parent a way in one bowl ends at the least of all but for rare nodes, and below an
 * uneven one there may be several bottoms, each to be looked at. How often ways down from 40 random
 * rotations found a lower one, for random nodes scaled along random axes by 0.01 to 100: for 1 of
 * 200,000 below even parents, by a tenth; for 2 of 100,000 below parents that are 10 times as
 * long one way as another, and for 225 of 200,000 below those that are 100 times as long. */
void gz_nearest(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat *r, gz_vec3 *s)
{
    const gz_quat near = *r;
    gz_quat from[2] = {near, near};
    double least = HUGE_VAL;
    const bool is_even = gz_scales_evenly(parent);
    bool enough = false;
    for (int i = 0; i < STARTS && !enough; i++) {
        gz_quat now;
        bool clear;
        if (i == 1) from[1] = unstretched(parent, wanted, near);
        if (!gz_unit_quat(gz_quat_multiply(from[i % 2], turns[i / 2]), &now)) continue;
        const struct fit fit = go_down(parent, wanted, &now, &clear);
        enough = clear && is_even;
        if (!(fit.square < least * (1 - SAME_LEFT))) continue;
        least = fit.square;
        *r = now;
        *s = (gz_vec3){fit.s[0], fit.s[1], fit.s[2]};
    }
}
