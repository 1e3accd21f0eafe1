/* Slows the pointer of a drag down while `fine` is held. */
#include "solver/follow.h"

#include <math.h>

#include "solver/ball.h"
#include "solver/exact.h"

bool gz_pointer_usable(const struct gz_pointer *pointer)
{
    gz_vec3 unit;
    if (!pointer->is_ray) return isfinite(pointer->at[0]) && isfinite(pointer->at[1]);
    return gz_finite(pointer->origin) && gz_normalize(pointer->direction, &unit);
}

void gz_pointer_take(struct gz_pointer *taken, const struct gz_pointer *pointer)
{
    taken->is_ray = pointer->is_ray;
    if (pointer->is_ray) {
        taken->origin = pointer->origin;
        (void)gz_normalize(pointer->direction, &taken->direction);
    } else {
        taken->at[0] = pointer->at[0];
        taken->at[1] = pointer->at[1];
    }
}

static bool is_fine(uint32_t mods)
{
    return (mods & (1u << GZ_MOD_FINE)) != 0;
}

void gz_follow_init(struct gz_follow *follow, const struct gz_pointer *press, uint32_t mods)
{
    follow->fine = follow->shifted = is_fine(mods);
    follow->real = follow->slowed = follow->from_real = follow->from_slowed = *press;
}

/* `way`, turned by a fraction of the turn from `before` to `now`. All are unit vectors. */
static gz_vec3 turned(gz_vec3 way, gz_vec3 before, gz_vec3 now, double fraction)
{
    gz_vec3 axis = gz_cross(before, now);
    double angle = atan2(gz_length(axis), gz_dot(before, now));
    if (angle == 0) return way;
    if (!gz_normalize(axis, &axis)) axis = gz_ball_across(before);
    return gz_rotate(gz_quat_about(axis, angle * fraction), way);
}

const struct gz_pointer *gz_follow_pointer(struct gz_follow *follow,
                                           const struct gz_pointer *pointer, uint32_t mods)
{
    bool fine = is_fine(mods);
    if (fine != follow->fine) {
        follow->from_real = follow->real;
        follow->from_slowed = follow->shifted ? follow->slowed : follow->real;
        follow->fine = fine;
        follow->shifted = true;
    }
    gz_pointer_take(&follow->real, pointer);
    if (!follow->shifted) return &follow->real;
    const struct gz_pointer *real = &follow->from_real, *from = &follow->from_slowed,
                            *now = &follow->real;
    struct gz_pointer *slowed = &follow->slowed;
    double ratio = fine ? GZ_FINE_RATIO : 1;
    for (int i = 0; i < 2; i++) slowed->at[i] = from->at[i] + ratio * (now->at[i] - real->at[i]);
    slowed->origin = gz_add(from->origin, gz_scale(gz_sub(now->origin, real->origin), ratio));
    slowed->direction = turned(from->direction, real->direction, now->direction, ratio);
    return slowed;
}
