/* solver_world.c - makes random cameras and nodes. See solver_world.h. */
#include "property/solver_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/chance.h"

uint64_t dice_bits(struct dice *dice)
{
    uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double dice_uniform(struct dice *dice, double low, double high)
{
    return low + (high - low) * (double)(dice_bits(dice) >> 11) / 9007199254740992.0;
}

double dice_scale(struct dice *dice, double low, double high)
{
    return exp(dice_uniform(dice, log(low), log(high)));
}

int dice_below(struct dice *dice, int count)
{
    return (int)(dice_bits(dice) % (uint64_t)count);
}

gz_vec3 dice_direction(struct dice *dice)
{
    for (;;) {
        gz_vec3 v;
        v.x = dice_uniform(dice, -1, 1);
        v.y = dice_uniform(dice, -1, 1);
        v.z = dice_uniform(dice, -1, 1);
        double square = gz_dot(v, v);
        if (square < 1 && square > 0.01 && gz_normalize(v, &v)) return v;
    }
}

gz_quat dice_rotation(struct dice *dice)
{
    gz_vec3 axis = dice_direction(dice);
    gz_quat q = gz_quat_about(axis, dice_uniform(dice, -3, 3));
    (void)gz_quat_normalize(q, &q);
    return q;
}

static void write_view(const struct eye *eye, double view[16])
{
    gz_mat3 world = gz_mat3_from_quat(eye->turn);
    gz_mat3 linear = gz_mat3_transpose(&world);
    gz_affine made = {linear, gz_negate(gz_mat3_apply(&linear, eye->place))};
    gz_affine_to_matrix(&made, view);
    if (eye->left_handed)
        for (int column = 0; column < 4; column++) view[4 * column + 2] = -view[4 * column + 2];
}

/* z_clip = a z + b, w = forward z (perspective) or 1, with z the view coordinate that grows against
 * (right-handed) or along (left-handed) the look. */
static void write_depth(const struct eye *eye, double proj[16])
{
    double n = eye->near, f = eye->far, a, b; /* by distance d: z_clip = a d + b */
    if (eye->orthographic) {
        bool reversed = eye->depth == DEPTH_REVERSED || eye->depth == DEPTH_REVERSED_INFINITE;
        bool gl = eye->depth == DEPTH_GL;
        a = reversed ? -1 / (f - n) : (gl ? 2 : 1) / (f - n);
        b = reversed ? f / (f - n) : gl ? -(f + n) / (f - n) : -n / (f - n);
    } else {
        switch (eye->depth) {
        case DEPTH_GL: a = (f + n) / (f - n), b = -2 * f * n / (f - n); break;
        case DEPTH_ZERO_ONE: a = f / (f - n), b = -f * n / (f - n); break;
        case DEPTH_REVERSED: a = -n / (f - n), b = f * n / (f - n); break;
        case DEPTH_INFINITE: a = 1, b = -2 * n; break;
        default: a = 0, b = n; break;
        }
    }
    double look = eye->left_handed ? 1 : -1;
    proj[10] = a * look;
    proj[14] = b;
    proj[11] = eye->orthographic ? 0 : look;
    proj[15] = eye->orthographic ? 1 : 0;
}

struct gz_camera_input eye_matrices(const struct eye *eye)
{
    struct gz_camera_input input = {.ndc_y_down = eye->y_down, .left_handed = eye->left_handed};
    double aspect = eye->viewport[2] / eye->viewport[3], down = eye->y_down ? -1 : 1;
    double look = eye->left_handed ? 1 : -1;
    memcpy(input.viewport, eye->viewport, sizeof input.viewport);
    write_view(eye, input.view);
    write_depth(eye, input.proj);
    double zoom = eye->orthographic ? 2 / eye->height : 1 / tan(eye->fovy / 2);
    input.proj[0] = zoom / aspect;
    input.proj[5] = zoom * down;
    int shift_column = eye->orthographic ? 12 : 8;
    double shift_sign = eye->orthographic ? 1 : look;
    input.proj[shift_column] = eye->shift[0] * shift_sign;
    input.proj[shift_column + 1] = eye->shift[1] * shift_sign * down;
    return input;
}

struct eye dice_eye(struct dice *dice, gz_vec3 centre, double distance)
{
    struct eye eye = {.orthographic = dice_below(dice, 10) < 3, .viewport = {0, 0, 1920, 1080}};
    eye.turn = dice_rotation(dice);
    eye.fovy = dice_uniform(dice, 20, 100) * M_PI / 180;
    eye.height = 2 * distance * tan(eye.fovy / 2);
    eye.near = distance * dice_scale(dice, 1e-3, 0.05);
    eye.far = distance * dice_scale(dice, 10, 1e4);
    eye.depth = (enum depth_kind)dice_below(dice, DEPTH_KINDS);
    eye.y_down = dice_below(dice, 4) == 0;
    eye.left_handed = dice_below(dice, 4) == 0;
    if (dice_below(dice, 4) == 0) {
        eye.shift[0] = dice_uniform(dice, -0.5, 0.5);
        eye.shift[1] = dice_uniform(dice, -0.5, 0.5);
    }
    if (dice_below(dice, 4) == 0) {
        const double other[4] = {37, 21, 640, 720};
        memcpy(eye.viewport, other, sizeof other);
    }
    double half = tan(eye.fovy / 2) * distance, aspect = eye.viewport[2] / eye.viewport[3];
    gz_vec3 from_centre = {dice_uniform(dice, -0.6, 0.6) * half * aspect,
                           dice_uniform(dice, -0.6, 0.6) * half, distance};
    eye.place = gz_add(centre, gz_rotate(eye.turn, from_centre));
    return eye;
}

uint64_t test_seed(void)
{
    return chance_seed(UINT64_C(20240611));
}

long test_count(long usual)
{
    return (long)chance_count((uint64_t)usual);
}

bool same_but_turns(const gz_trs *a, gz_trs b)
{
    double side = a->r.x * b.r.x + a->r.y * b.r.y + a->r.z * b.r.z + a->r.w * b.r.w;
    if (side < 0) b.r = gz_quat_opposite(b.r);
    return memcmp(&a->r, &b.r, sizeof b.r) == 0 && memcmp(&a->t, &b.t, sizeof b.t) == 0 &&
           memcmp(&a->s, &b.s, sizeof b.s) == 0;
}
