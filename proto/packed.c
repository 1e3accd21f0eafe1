/* packed.c - views as poses, and rays of places in a viewport. See packed.h. */
#include "proto/packed.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "proto/limits.h"

/* Half a step of each component of the turn changes an entry of the matrix by less than this. */
#define ENTRY_SLACK 2e-4
/* Metres by which an eye may be off when it is rounded to a float32. */
#define EYE_SLACK_M 1e-4

static gz_quat turn_of(const double pose[7])
{
    gz_quat turn;
    if (!gz_quat_normalize((gz_quat){pose[3], pose[4], pose[5], pose[6]}, &turn))
        turn = gz_quat_identity;
    return turn;
}

/* A coordinate of an eye as a float32, if that is near enough. */
static double shortened(double number)
{
    const double rounded = fabs(number) <= FLT_MAX ? (double)(float)number : number;
    return fabs(rounded - number) <= EYE_SLACK_M ? rounded : number;
}

void gz_view_of_pose(const double pose[7], double view[16])
{
    const gz_mat3 linear = gz_mat3_from_quat(turn_of(pose));
    const gz_affine affine = {
        linear, gz_negate(gz_mat3_apply(&linear, (gz_vec3){pose[0], pose[1], pose[2]}))};
    gz_affine_to_matrix(&affine, view);
}

bool gz_pose_of_view(const double view[16], double pose[7])
{
    const gz_affine affine = gz_affine_from_matrix(view);
    const gz_quat turn = gz_quat_from_mat3(&affine.linear);
    const gz_mat3 back = gz_mat3_transpose(&affine.linear);
    const gz_vec3 eye = gz_negate(gz_mat3_apply(&back, affine.origin));
    const double made[7] = {
        shortened(eye.x),
        shortened(eye.y),
        shortened(eye.z),
        round(turn.x * GZ_TURN_STEPS),
        round(turn.y * GZ_TURN_STEPS),
        round(turn.z * GZ_TURN_STEPS),
        round(turn.w * GZ_TURN_STEPS),
    };
    double again[16];
    if (!(gz_length(eye) <= GZ_COORDINATE_MAX) || !gz_finite_quat(turn)) return false;
    gz_view_of_pose(made, again);
    for (int i = 0; i < 16; i++) {
        const bool is_place = i >= 12;
        const double slack = is_place ? ENTRY_SLACK * (1 + gz_length(eye)) : ENTRY_SLACK;
        if (!(fabs(again[i] - view[i]) <= slack)) return false;
    }
    memcpy(pose, made, sizeof made);
    return true;
}

bool gz_ray_of_spot(const double pose[7], const double lens[5], const double spot[2], double ray[6])
{
    if (lens[0] == lens[1] || lens[2] == lens[3]) return false;
    const bool is_parallel = lens[4] != 0;
    const double x = lens[0] + (lens[1] - lens[0]) * spot[0] / GZ_SPOT_STEPS;
    const double y = lens[3] + (lens[2] - lens[3]) * spot[1] / GZ_SPOT_STEPS;
    const gz_quat back = gz_quat_conjugate(turn_of(pose));
    gz_vec3 origin = {pose[0], pose[1], pose[2]}, along;
    if (is_parallel) origin = gz_add(origin, gz_rotate(back, (gz_vec3){x, y, 0}));
    gz_vec3 sight = is_parallel ? (gz_vec3){0, 0, -1} : (gz_vec3){x, y, -1};
    if (!gz_normalize(gz_rotate(back, sight), &along)) return false;
    const double made[6] = {origin.x, origin.y, origin.z, along.x, along.y, along.z};
    memcpy(ray, made, sizeof made);
    return true;
}
