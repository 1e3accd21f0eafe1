/* drags.h - people of a crowd who drag a node each. */
#ifndef TESTS_BENCH_DRAGS_H
#define TESTS_BENCH_DRAGS_H

#include <string.h>

#include "support/crowd.h"

/* Looks along -z from (0, 0, 10), so that there is a gizmo. */
static inline void drags_look(struct crowd_member *member)
{
    struct gz_message camera = {.op = GZ_OP_CAMERA};
    static const double view[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -10, 1};
    static const double proj[16] = {1.3, 0, 0, 0, 0, 1.7, 0, 0, 0, 0, -1.002, -1, 0, 0, -0.2, 0};
    static const double viewport[4] = {0, 0, 800, 600};
    memcpy(camera.camera.view, view, sizeof view);
    memcpy(camera.camera.proj, proj, sizeof proj);
    memcpy(camera.camera.viewport, viewport, sizeof viewport);
    crowd_send(member, &camera);
}

/* The n-th move of the node, by a typed value: nothing that presence shows changes, so that a frame
 * is a delta. */
static inline void drags_move(struct crowd_member *member, uint64_t node, uint64_t n)
{
    struct gz_message grab = {
        .op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE | GZ_HAS_POINTER_N};
    grab.pointer = (struct gz_pointer_message){.phase = GZ_PHASE_DOWN,
                                               .handle = GZ_TX,
                                               .n = n,
                                               .nodes = {&node, 1},
                                               .value = {{(double)n}, 1}};
    crowd_send(member, &grab);
}

#endif
