/* solver_world.h - random cameras and nodes for the solver's tests: every projection convention,
 * all from one seed. */
#ifndef SOLVER_WORLD_H
#define SOLVER_WORLD_H

#include <stdint.h>

#include "solver/solver.h"

/* splitmix64: any seed is a good one. */
struct dice {
    uint64_t state;
};

uint64_t dice_bits(struct dice *dice);
double dice_uniform(struct dice *dice, double low, double high);
/* Evenly over the orders of magnitude. */
double dice_scale(struct dice *dice, double low, double high);
int dice_below(struct dice *dice, int count);
gz_vec3 dice_direction(struct dice *dice);
gz_quat dice_rotation(struct dice *dice);

enum depth_kind {
    DEPTH_GL,
    DEPTH_ZERO_ONE,
    DEPTH_REVERSED,
    DEPTH_INFINITE,
    DEPTH_REVERSED_INFINITE,
    DEPTH_KINDS
};

/* What a camera looks like, before it is written as matrices; the same picture whatever `depth`,
 * `y_down`, `left_handed`. */
struct eye {
    gz_vec3 place;
    gz_quat turn; /* camera to world: looks along its -z, +y up */
    bool orthographic;
    double fovy, height; /* radians; world height of an orthographic picture */
    double shift[2];     /* off-centre, in half pictures */
    double near, far;
    double viewport[4];
    enum depth_kind depth;
    bool y_down, left_handed;
};

struct gz_camera_input eye_matrices(const struct eye *eye);

/* A random eye that has `centre` within its picture, `distance` away. */
struct eye dice_eye(struct dice *dice, gz_vec3 centre, double distance);

/* Bit by bit, but the quaternion may be the other one of its rotation: a ring that was led round is
 * some turns on, and each turns its sign. */
bool same_but_turns(const gz_trs *a, gz_trs b);

/* The seed of a test: the environment's GIZMOD_SEED, or a fixed one. Printed by whoever uses it. */
uint64_t test_seed(void);
/* How many drags a test makes: the environment's GIZMOD_TIMES times `usual`. */
long test_count(long usual);

#endif
