/* Finds the nearest TRS to a sheared transform. */
#include "solver/nearest.h"

#include <stddef.h>

#include "solver/exact.h"

/* For one rotation: where it takes the node's axes in the world, the best scale along each, what is
 * then left of the wanted axes, and the square of that. */
struct fit {
    gz_mat3 axes;
    gz_vec3 left[3];
    double s[3], square;
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

/* The turn, about the node's own axes, that would leave the least if all were linear (Gauss and
 * Newton). The damping keeps the sum of squares from being singular. */
#define DAMPING 1e-12

static gz_vec3 find_step(const struct fit *fit)
{
    double a[9] = {0}, g[3] = {0};
    for (int i = 0; i < 3; i++) {
        gz_vec3 slopes[3];
        slopes_of(fit, i, slopes);
        for (int m = 0; m < 9; m++) a[m] += gz_dot(slopes[m / 3], slopes[m % 3]);
        for (int m = 0; m < 3; m++) g[m] += gz_dot(slopes[m], fit->left[i]);
    }
    double damping = DAMPING * (a[0] + a[4] + a[8]);
    const gz_mat3 matrix = {
        {a[0] + damping, a[1], a[2]}, {a[3], a[4] + damping, a[5]}, {a[6], a[7], a[8] + damping}};
    gz_mat3 inverse = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    (void)gz_mat3_inverse(&matrix, &inverse);
    return gz_mat3_apply(&inverse, (gz_vec3){g[0], g[1], g[2]});
}

#define STEPS_MAX 1000
/* A step that takes away no more than this part of what is left is the last. */
#define GAIN_LAST 1e-13
/* A step that leads up is shortened, down to this part of it. */
#define PART_LEAST 1e-5

/* Down from this rotation to the least that is left nearby: its square. */
static double go_down(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat *r)
{
    double square = HUGE_VAL, last;
    int steps = 0;
    do {
        struct fit fit = fit_of(parent, wanted, *r);
        gz_vec3 step = find_step(&fit);
        gz_quat turned = *r;
        last = fit.square;
        for (double part = 0.5; part > PART_LEAST; part /= 4) {
            gz_quat turn = {part * step.x, part * step.y, part * step.z, 1};
            (void)gz_unit_quat(gz_quat_multiply(*r, turn), &turned);
            square = fit_of(parent, wanted, turned).square;
            if (square < last) break;
        }
        if (!(square < last)) return last;
        *r = turned;
    } while (square < last * (1 - GAIN_LAST) && ++steps < STEPS_MAX);
    return square;
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

/* Below an uneven parent there may be several least distances. From these turns, none and by some
 * 50 degrees either way about each axis, the way goes down to all of them. */
static const gz_quat turns[] = {{0, 0, 0, 2},  {1, 0, 0, 2},  {0, 1, 0, 2}, {0, 0, 1, 2},
                                {-1, 0, 0, 2}, {0, -1, 0, 2}, {0, 0, -1, 2}};
#define TURNS ((int)(sizeof turns / sizeof *turns))

void gz_nearest(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat *r, gz_vec3 *s)
{
    const gz_quat from[2] = {*r, unstretched(parent, wanted, *r)};
    double best = HUGE_VAL;
    for (int i = 0; i < (is_even(parent) ? 2 : 2 * TURNS); i++) {
        gz_quat now = from[i % 2];
        (void)gz_unit_quat(gz_quat_multiply(now, turns[i / 2]), &now);
        double square = go_down(parent, wanted, &now);
        if (!(square < best * (1 - 1e-9))) continue;
        best = square;
        *r = now;
    }
    struct fit fit = fit_of(parent, wanted, *r);
    if (isfinite(fit.square)) *s = (gz_vec3){fit.s[0], fit.s[1], fit.s[2]};
}
