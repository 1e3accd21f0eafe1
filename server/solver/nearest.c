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

#define STEPS_MAX 300
/* What is gained by a turn is some square of it: less than this is rounding. */
#define STEP_SQUARE_LAST 1e-18
/* A step that takes away no more than this part of what is left is the last. */
#define GAIN_LAST 1e-11
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
            bool is_last = next.square > best.square * (1 - GAIN_LAST);
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
    double x = gz_dot(m->x, m->x), y = gz_dot(m->y, m->y), z = gz_dot(m->z, m->z);
    double skew =
        fmax(fabs(gz_dot(m->x, m->y)), fmax(fabs(gz_dot(m->y, m->z)), fabs(gz_dot(m->z, m->x))));
    return skew <= slack * x && fabs(y - x) <= slack * x && fabs(z - x) <= slack * x;
}

/* Turns by some 50 degrees, either way about each axis: below an uneven parent there may be several
 * least distances, and from these and the two given rotations the way goes down to all of them. */
static const gz_quat elsewhere[] = {{0.5, 0, 0, 1},  {0, 0.5, 0, 1},  {0, 0, 0.5, 1},
                                    {-0.5, 0, 0, 1}, {0, -0.5, 0, 1}, {0, 0, -0.5, 1}};

void gz_nearest(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat start, gz_quat *r, gz_vec3 *s)
{
    const size_t others = is_even(parent) ? 0 : 1 + 2 * sizeof elsewhere / sizeof *elsewhere;
    const gz_quat first = *r;
    struct fit best = go_down(parent, wanted, r);
    for (size_t i = 0; i < others; i++) {
        gz_quat other = start;
        gz_quat from = i % 2 ? first : start;
        if (i > 0 && !gz_unit_quat(gz_quat_multiply(from, elsewhere[(i - 1) / 2]), &other))
            continue;
        struct fit fit = go_down(parent, wanted, &other);
        if (!(fit.square < best.square * (1 - 1e-9))) continue;
        best = fit;
        *r = other;
    }
    if (!isfinite(best.square)) return;
    *s = (gz_vec3){best.s[0] != 0 ? best.s[0] : s->x, best.s[1] != 0 ? best.s[1] : s->y,
                   best.s[2] != 0 ? best.s[2] : s->z};
}
