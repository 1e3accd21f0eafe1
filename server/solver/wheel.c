/* wheel.c - what a wheel does: scales nodes, or moves the view's eye. */
#include <assert.h>

#include "solver/solver.h"

/* A factor for each notch, and its logarithm. */
struct law {
    double factor, logarithm;
};

static const struct law scales = {1.1, 0.095310179804324866};
static const struct law dollies = {0.9, -0.10536051565782630};

/* factor^notches. Whole notches come by multiplication alone, so they give the same bits with every
 * mathematics library. */
static double power(struct law law, double notches)
{
    if (!isfinite(notches)) return NAN;
    double whole = trunc(notches), result = 1, square = law.factor;
    for (double left = fabs(whole); left >= 1; left = floor(left / 2)) {
        if (fmod(left, 2) == 1) result *= square;
        square *= square;
    }
    if (whole < 0) result = 1 / result;
    return result + result * expm1((notches - whole) * law.logarithm);
}

/* At which a node is GZ_FACTOR_MIN of what it was: log(0.01) / log(1.1). */
#define NOTCHES_MIN (-48.31771585619361)

double gz_wheel_turned(double turned, double notches)
{
    return fmax(turned + notches, NOTCHES_MIN);
}

bool gz_motion_wheel_by(const struct gz_motion *notch, double notches, struct gz_motion *motion)
{
    assert(notch != NULL && motion != NULL);
    double factor = power(scales, notches);
    if (!isfinite(factor)) return false;
    factor = fmax(factor, GZ_FACTOR_MIN);
    *motion = notches == 0 ? gz_motion_none : *notch;
    if (notches == 0) return true;
    motion->factor = (gz_vec3){factor, factor, factor};
    motion->value[0] = factor;
    return true;
}

struct gz_motion gz_motion_wheel(const struct gz_gizmo *gizmo, double notches)
{
    assert(gizmo != NULL);
    struct gz_motion motion = gz_motion_none;
    motion.kind = GZ_MOTION_SCALE;
    motion.pivot = gizmo->origin;
    motion.each = gizmo->each;
    motion.value_count = 1;
    return gz_motion_wheel_by(&motion, notches, &motion) ? motion : gz_motion_none;
}

bool gz_orbit_wheel(const struct gz_camera *camera, gz_vec3 centre, double notches, double view[16])
{
    return gz_orbit_dolly(camera, centre, power(dollies, notches), view);
}
