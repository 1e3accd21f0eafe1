/* Finds the nearest TRS to a sheared transform. */
#include "solver/nearest.h"

#include <stddef.h>

#include "solver/exact.h"

/* For one rotation: where it takes the node's axes in the world, the best scale along each, what is
 * then left of the wanted axes, and the square of that. */
struct fit {
    gz_mat3 axes;
    double s[3];
    gz_vec3 left[3];
    double square;
};

static gz_vec3 column(const gz_mat3 *m, int i)
{
    return i == 0 ? m->x : i == 1 ? m->y : m->z;
}

/* The scale along each axis is a projection, so only the rotation has to be looked for. */
static struct fit fit_of(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat r)
{
    gz_mat3 turn = gz_mat3_from_quat(r);
    struct fit fit = {.axes = gz_mat3_multiply(parent, &turn)};
    for (int i = 0; i < 3; i++) {
        gz_vec3 axis = column(&fit.axes, i), w = column(wanted, i);
        fit.s[i] = gz_dot(axis, w) / gz_dot(axis, axis);
        fit.left[i] = gz_sub(w, gz_scale(axis, fit.s[i]));
        fit.square += gz_dot(fit.left[i], fit.left[i]);
    }
    return fit;
}

/* What a small turn about each of the node's own axes takes away of what is left of one axis: the
 * part of its motion across the axis, because the scale follows along it. */
static void slopes_of(const struct fit *fit, int i, gz_vec3 slopes[3])
{
    int j = (i + 1) % 3, k = (i + 2) % 3;
    gz_vec3 axis = column(&fit->axes, i);
    double square = gz_dot(axis, axis);
    slopes[i] = (gz_vec3){0, 0, 0};
    slopes[j] = gz_negate(column(&fit->axes, k));
    slopes[k] = column(&fit->axes, j);
    for (int n = 0; n < 3; n++) {
        gz_vec3 across = gz_sub(slopes[n], gz_scale(axis, gz_dot(slopes[n], axis) / square));
        slopes[n] = gz_scale(across, fit->s[i]);
    }
}

/* The turn, about the node's own axes, that would leave the least if all were linear; `damping`
 * shortens it (Levenberg and Marquardt). */
static bool find_step(const struct fit *fit, double damping, gz_vec3 *step)
{
    double a[3][3] = {{0}}, g[3] = {0};
    for (int i = 0; i < 3; i++) {
        gz_vec3 slopes[3];
        slopes_of(fit, i, slopes);
        for (int m = 0; m < 3; m++) {
            g[m] += gz_dot(slopes[m], fit->left[i]);
            for (int n = 0; n < 3; n++) a[m][n] += gz_dot(slopes[m], slopes[n]);
        }
    }
    for (int m = 0; m < 3; m++) a[m][m] *= 1 + damping;
    const gz_mat3 matrix = {
        {a[0][0], a[0][1], a[0][2]}, {a[1][0], a[1][1], a[1][2]}, {a[2][0], a[2][1], a[2][2]}};
    gz_mat3 inverse;
    if (!gz_mat3_inverse(&matrix, &inverse)) return false;
    *step = gz_mat3_apply(&inverse, (gz_vec3){g[0], g[1], g[2]});
    return gz_finite(*step);
}

#define STEPS_MAX 1000
/* What is gained by a turn is some square of it: less than this is rounding. */
#define STEP_SQUARE_LAST 1e-18
/* A step that takes away no more than this part of what is left is the last. */
#define GAIN_LAST 1e-13
#define DAMPING_MAX 1e6

/* Down from this rotation to the least that is left nearby. */
static struct fit go_down(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat *r)
{
    struct fit best = fit_of(parent, wanted, *r);
    double damping = 0;
    for (int i = 0; i < STEPS_MAX && damping < DAMPING_MAX; i++) {
        gz_vec3 step;
        gz_quat turned;
        if (!find_step(&best, damping, &step)) break;
        if (!gz_unit_quat(gz_quat_multiply(*r, (gz_quat){step.x, step.y, step.z, 2}), &turned))
            break;
        struct fit next = fit_of(parent, wanted, turned);
        if (next.square <= best.square) {
            bool is_last = damping == 0 && next.square > best.square * (1 - GAIN_LAST);
            *r = turned;
            best = next;
            damping = damping > 1e-3 ? damping / 10 : 0;
            if (is_last) break;
        } else {
            if (gz_dot(step, step) < STEP_SQUARE_LAST) break;
            damping = fmax(1e-3, damping * 10);
        }
    }
    return best;
}

/* Whether the parent scales all directions alike. */
static bool is_even(const gz_mat3 *m)
{
    const double slack = 1e-9;
    const gz_mat3 across = gz_mat3_transpose(m), square = gz_mat3_multiply(&across, m);
    const gz_vec3 x = square.x, y = square.y, z = square.z;
    return fabs(x.y) + fabs(y.z) + fabs(z.x) + fabs(y.y - x.x) + fabs(z.z - x.x) <= slack * x.x;
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

/* Below an uneven parent there may be several least distances. From these turns by some 50 degrees,
 * either way about each axis, the way goes down to all of them. */
#define ELSEWHERE 6

static gz_quat elsewhere(gz_quat from, int i)
{
    double angle = i > 3 ? -0.5 : 0.5;
    gz_quat turn = {i % 3 == 1 ? angle : 0, i % 3 == 2 ? angle : 0, i % 3 == 0 ? angle : 0, 1};
    gz_quat turned = from;
    if (i > 0) (void)gz_unit_quat(gz_quat_multiply(from, turn), &turned);
    return turned;
}

void gz_nearest(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat *r, gz_vec3 *s)
{
    const gz_quat from[2] = {*r, unstretched(parent, wanted, *r)};
    const int turns = is_even(parent) ? 0 : ELSEWHERE;
    struct fit best = {.square = HUGE_VAL};
    for (int i = 0; i < 2 * (turns + 1); i++) {
        gz_quat now = elsewhere(from[i % 2], i / 2);
        struct fit fit = go_down(parent, wanted, &now);
        if (!(fit.square < best.square * (1 - 1e-9))) continue;
        best = fit;
        *r = now;
    }
    if (!isfinite(best.square)) return;
    *s = (gz_vec3){best.s[0], best.s[1], best.s[2]};
}
