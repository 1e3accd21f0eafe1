#include "solver/snap.h"

#include <math.h>

double gz_snap_value(double value, double step)
{
    return step > 0 ? round(value / step) * step : value;
}

double gz_snap_value_from(double start, double value, double step)
{
    return step > 0 ? gz_snap_value(start + value, step) - start : value;
}

double gz_snap_factor(double factor, double step)
{
    if (!(step > 0)) return factor;
    double steps = round((factor - 1) / step);
    if (1 + steps * step == 0) steps += factor < 0 ? -1 : 1;
    return 1 + steps * step;
}

double gz_snap_factor_from(double start, double factor, double step)
{
    if (!(step > 0) || start == 0) return factor;
    double scaled = start * factor, steps = round(scaled / step);
    if (steps == 0) steps = scaled < 0 ? -1 : 1;
    return steps * step / start;
}
