/* path.c - chooses the samples of a path that are stored. See path.h. */
#include "store/path.h"

#include <math.h>
#include <string.h>

#include "server/maxima.h"

enum { ROTATION = 3, SCALE = 7 };

/* Gives the quaternion the sign that is nearer to the line's beginning: both signs are the same
 * rotation, but a line between them would not be one. */
static void to_components(const gz_trs *trs, const double *beside, double out[GZ_PATH_COMPONENTS])
{
    const double values[GZ_PATH_COMPONENTS] = {trs->t.x, trs->t.y, trs->t.z, trs->r.x, trs->r.y,
                                               trs->r.z, trs->r.w, trs->s.x, trs->s.y, trs->s.z};
    memcpy(out, values, sizeof values);
    double dot = 0;
    for (int i = ROTATION; beside != NULL && i < SCALE; i++) dot += beside[i] * out[i];
    for (int i = ROTATION; dot < 0 && i < SCALE; i++) out[i] = -out[i];
}

/* The tolerance of one component, so that all components together keep the promised one: 1 /
 * sqrt(3) of it for a length, and for a quaternion a fourth of a vector of length sin(angle /
 * 2). */
static double tolerance_of(int component, double value, double tolerance_m)
{
    if (component < ROTATION) return tolerance_m / sqrt(3);
    if (component < SCALE) return sin(GZ_PATH_DEGREES * (M_PI / 180) / 2) / 2;
    return GZ_PATH_SCALE * fabs(value);
}

static void begin_line(struct gz_path_recorder *path, double time,
                       const double start[GZ_PATH_COMPONENTS])
{
    path->start_s = time;
    memmove(path->start, start, sizeof path->start);
    for (int i = 0; i < GZ_PATH_COMPONENTS; i++) {
        path->low[i] = -HUGE_VAL;
        path->high[i] = HUGE_VAL;
    }
}

void gz_path_recorder_begin(struct gz_path_recorder *path, double time, const gz_trs *start)
{
    double values[GZ_PATH_COMPONENTS];
    *path = (struct gz_path_recorder){.last_seq = 0};
    to_components(start, NULL, values);
    begin_line(path, time, values);
}

bool gz_path_recorder_needs_last(const struct gz_path_recorder *path, double time,
                                 const gz_trs *trs)
{
    double values[GZ_PATH_COMPONENTS], seconds = time - path->start_s;
    if (path->last_seq == 0 || !(seconds > 0) || !(time >= path->last_s)) return true;
    to_components(trs, path->start, values);
    for (int i = 0; i < GZ_PATH_COMPONENTS; i++) {
        double slope = (values[i] - path->start[i]) / seconds;
        if (!(slope >= path->low[i] && slope <= path->high[i])) return true;
    }
    return false;
}

double gz_path_recorder_rest(const struct gz_path_recorder *path, double time)
{
    double since = path->last_seq != 0 ? path->last_s : path->start_s;
    return time - since > GZ_PATH_REST_MS / 1000.0 ? time - GZ_SAMPLE_MS_MIN / 1000.0 : NAN;
}

void gz_path_recorder_move_on(struct gz_path_recorder *path, double time)
{
    begin_line(path, time, path->last_seq != 0 ? path->last : path->start);
    path->last_seq = 0;
}

/* If the clock stood still or was set back there is no line: nothing passes, and the sample
 * stays. */
static void narrow(struct gz_path_recorder *path, double tolerance_m)
{
    double seconds = path->last_s - path->start_s;
    for (int i = 0; i < GZ_PATH_COMPONENTS; i++) {
        double tolerance = tolerance_of(i, path->last[i], tolerance_m);
        double rise = path->last[i] - path->start[i];
        path->low[i] = seconds > 0 ? fmax(path->low[i], (rise - tolerance) / seconds) : HUGE_VAL;
        path->high[i] = seconds > 0 ? fmin(path->high[i], (rise + tolerance) / seconds) : -HUGE_VAL;
    }
}

void gz_path_recorder_extend(struct gz_path_recorder *path, double tolerance_m, uint64_t seq,
                             double time, const gz_trs *trs)
{
    if (path->last_seq != 0 && gz_path_recorder_needs_last(path, time, trs))
        begin_line(path, path->last_s, path->last);
    path->last_seq = seq;
    path->last_s = time;
    to_components(trs, path->start, path->last);
    narrow(path, tolerance_m);
}

gz_trs gz_path_start(const struct gz_path_recorder *path)
{
    const double *at = path->start;
    return (gz_trs){{at[0], at[1], at[2]}, {at[3], at[4], at[5], at[6]}, {at[7], at[8], at[9]}};
}
