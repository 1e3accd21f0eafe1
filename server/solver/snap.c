/* Rounds values onto a grid. */
#include "solver/snap.h"

#include <math.h>

#include "solver/solver.h"

double gz_snap_value(double value, double step)
{
    return step > 0 ? round(value / step) * step : value;
}

double gz_snap_value_from(double start, double value, double step)
{
    return step > 0 ? gz_snap_value(start + value, step) - start : value;
}

/* The least k of a grid value 1 + k * step that is at least GZ_FACTOR_MIN, as doubles round it. */
static double least_steps(double step)
{
    double steps = ceil((GZ_FACTOR_MIN - 1) / step);
    return 1 + steps * step >= GZ_FACTOR_MIN ? steps : steps + 1;
}

/* The largest k of one that is at most -GZ_FACTOR_MIN. */
static double most_steps(double step)
{
    double steps = floor((-GZ_FACTOR_MIN - 1) / step);
    return 1 + steps * step <= -GZ_FACTOR_MIN ? steps : steps - 1;
}

double gz_snap_factor(double factor, double step, bool mirror)
{
    if (!(step > 0)) return factor;
    double steps = round((factor - 1) / step), snapped = 1 + steps * step;
    bool usable = mirror ? fabs(snapped) >= GZ_FACTOR_MIN : snapped >= GZ_FACTOR_MIN;
    if (usable) return snapped;
    return 1 + (mirror && factor < 0 ? most_steps(step) : least_steps(step)) * step;
}

double gz_snap_factor_from(double start, double factor, double step, bool mirror)
{
    if (!(step > 0) || start == 0) return factor;
    double steps = round(fabs(start * factor) / step);
    double side = mirror && factor < 0 ? -1 : 1;
    double least = fmax(1, ceil(GZ_FACTOR_MIN * fabs(start) / step));
    return side * fmax(steps, least) * step / fabs(start);
}
