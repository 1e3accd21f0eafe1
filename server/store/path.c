/* path.c - paths of drags: which points are stored, and those of running drags. */
#include "store/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

/* ---- points that are stored ---- */

/* Chooses the samples of a path that are stored. */

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

/* ---- of running drags ---- */

/* Keeps a path for each node of each running drag, and a copy to restore if a transaction
 * fails. */

struct gz_path_run {
    struct gz_path_run *next;
    uint64_t edit, began_seq;
    double tolerance_m;
    size_t count, at; /* at: index of the node that was found last */
    uint64_t *nodes;
    struct gz_path_recorder *paths,
        *settled; /* with the effects of this transaction, and without */
    bool is_new, is_over, is_touched;
};

static void destroy_run(struct gz_path_run *run)
{
    free(run->nodes);
    free(run->paths);
    free(run->settled);
    free(run);
}

void gz_paths_finish(struct gz_paths *paths)
{
    while (paths->runs != NULL) {
        struct gz_path_run *next = paths->runs->next;
        destroy_run(paths->runs);
        paths->runs = next;
    }
}

void gz_paths_begin(struct gz_paths *paths, const struct gz_edit_record *edit)
{
    struct gz_path_run *run = calloc(1, sizeof *run);
    if (run == NULL) return;
    run->nodes = calloc(edit->change_count + 1, sizeof *run->nodes);
    run->paths = calloc(edit->change_count + 1, sizeof *run->paths);
    run->settled = calloc(edit->change_count + 1, sizeof *run->settled);
    if (run->nodes == NULL || run->paths == NULL || run->settled == NULL) {
        destroy_run(run);
        return;
    }
    run->edit = edit->id;
    run->began_seq = edit->began_seq;
    run->tolerance_m = edit->path_m;
    run->is_new = true;
    run->count = edit->change_count;
    for (size_t i = 0; i < run->count; i++) {
        run->nodes[i] = edit->changes[i].node;
        gz_path_recorder_begin(&run->paths[i], edit->began, &edit->changes[i].before.trs);
    }
    run->next = paths->runs;
    paths->runs = run;
}

static struct gz_path_run *find_run(const struct gz_paths *paths, uint64_t edit)
{
    struct gz_path_run *run = paths->runs;
    while (run != NULL && run->edit != edit) run = run->next;
    return run;
}

bool gz_paths_find(struct gz_paths *paths, uint64_t edit, uint64_t node,
                   struct gz_path_found *found)
{
    struct gz_path_run *run = find_run(paths, edit);
    if (run == NULL) return false;
    for (size_t tried = 0; tried < run->count; tried++) {
        size_t i = (run->at + tried) % run->count;
        if (run->nodes[i] != node) continue;
        run->at = i;
        run->is_touched = true;
        *found = (struct gz_path_found){&run->paths[i], run->tolerance_m, run->began_seq};
        return true;
    }
    return false;
}

void gz_paths_end(struct gz_paths *paths, uint64_t edit)
{
    struct gz_path_run *run = find_run(paths, edit);
    if (run != NULL) run->is_over = true;
}

void gz_paths_settle(struct gz_paths *paths, bool committed)
{
    for (struct gz_path_run **at = &paths->runs, *run = *at; run != NULL; run = *at) {
        if (committed ? run->is_over : run->is_new) {
            *at = run->next;
            destroy_run(run);
            continue;
        }
        if (run->is_touched || run->is_new)
            memcpy(committed ? run->settled : run->paths, committed ? run->paths : run->settled,
                   run->count * sizeof *run->paths);
        run->is_new = run->is_over = run->is_touched = false;
        at = &run->next;
    }
}
