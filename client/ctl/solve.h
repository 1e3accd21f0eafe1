/* solve.h - the parts of `gizmoctl solve`: a line becomes a case, a case becomes rows. */
#ifndef CTL_SOLVE_H
#define CTL_SOLVE_H

#include "ctl.h"
#include "solver/replay.h"

struct solve_case {
    json_t *id; /* as it was given; a reference of its own */
    struct gz_replay_case replay;
    double (*path)[2];
    double (*rows)[GZ_REPLAY_ROW];
};

/* Reads one line. The errors name the field. Afterwards, also on an error, solve_case_finish
 * frees. */
GZ_MUST_USE enum gz_status solve_case_read(struct solve_case *one, const char *line, size_t size,
                                           struct gz_error *error);
void solve_case_finish(struct solve_case *one);

/* Fills the rows by the same drag in a live daemon, on a node that is deleted afterwards. */
GZ_MUST_USE enum gz_status solve_live(struct gz_client *client, struct solve_case *one,
                                      enum gz_handle *grabbed, struct gz_error *error);

#endif
