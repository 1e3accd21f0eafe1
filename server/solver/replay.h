/* replay.h - a recorded drag, solved again: one node without a parent, one camera, a path of
 * pointers. What `gizmoctl solve` and the tests run. Reading and writing the records is the
 * caller's: nothing here knows a file format. The exact laws hold to the edge (gz_tool.edge_rad is
 * 0): a steep axis or plane is dragged as if it were not. Pure; nothing is allocated. Rows are [px,
 * py, pz, qx, qy, qz, qw, sx, sy, sz], world position, rotation and scale. */
#ifndef GZ_SOLVER_REPLAY_H
#define GZ_SOLVER_REPLAY_H

#include "solver/solver.h"

#define GZ_REPLAY_ROW 10

struct gz_replay_case {
    struct gz_camera_input camera;
    gz_trs object;
    enum gz_handle handle;
    enum gz_space space;
    enum gz_ball ball;
    double gizmo_px;       /* length of an axis */
    double ball_circle[3]; /* x, y, r in pixels; r 0: by the object */
    double start[2];
    const double (*path)[2]; /* not owned */
    size_t path_count;
};

struct gz_replay_result {
    bool answered;   /* false: the camera cannot be used or the press has no answer; rows hold the
                        start */
    const char *why; /* static: why there is no answer; NULL if there is one */
    enum gz_handle grabbed; /* what picking finds at the start; GZ_HANDLE_NONE for nothing */
    size_t clamped, kept;   /* how many rows are at a limit, or had no answer of their own */
};

/* The handle of a record's words: tool `translate_axis translate_plane translate_view rotate_axis
 * rotate_view scale_axis scale_plane scale_uniform arcball` and handle `x y z xy yz zx view uniform
 * ball`, or the protocol's own name in `handle` with any tool. GZ_HANDLE_NONE if there is
 * none. */
enum gz_handle gz_replay_handle(const char *tool, const char *handle);

/* The ball of a record's variant: `shoemake`, `bell`, `chen`, `exact`, `shoemake_1x`; NULL and ""
 * are exact. False if the word is another. */
bool gz_replay_ball(const char *variant, enum gz_ball *ball);

/* A node's rotation as a row tells it. Of a ring that was led round the row is that of the place
 * where the pointer is, however many turns it took: on the start's side. */
gz_quat gz_replay_turn(const struct gz_replay_case *replay, gz_quat r);

/* Solves the whole path. `rows` has room for path_count rows. */
struct gz_replay_result gz_replay_run(const struct gz_replay_case *replay,
                                      double (*rows)[GZ_REPLAY_ROW]);

#endif
