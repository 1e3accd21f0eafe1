/* handle.h - what each handle is made of: its kind of motion and its axes. Pure tables. */
#ifndef GZ_SOLVER_HANDLE_H
#define GZ_SOLVER_HANDLE_H

#include "solver/solver.h"

enum gz_handle_part {
    GZ_PART_NONE,
    GZ_PART_MOVE_AXIS,
    GZ_PART_MOVE_PLANE,
    GZ_PART_MOVE_VIEW,
    GZ_PART_RING,
    GZ_PART_VIEW_RING,
    GZ_PART_BALL,
    GZ_PART_SCALE_AXIS,
    GZ_PART_SCALE_PLANE,
    GZ_PART_SCALE_ALL,
    GZ_PART_SCALE_FACE,
    GZ_PART_SCALE_CORNER
};

/* `axis` is 0, 1, 2 for x, y, z; of a plane it is the first of its two axes, axis and (axis + 1)
 * % 3. */
struct gz_handle_parts {
    enum gz_handle_part part;
    int axis;
};

/* GZ_PART_NONE for anything that is no handle. */
struct gz_handle_parts gz_handle_parts(enum gz_handle handle);

/* From the centre of the gizmo's box to the middle of a face or to a corner; 0 for other handles.
 * The opposite one, which stays where it is, lies as far on the other side. */
gz_vec3 gz_handle_arm(const struct gz_gizmo *gizmo, enum gz_handle handle);

/* The handles a mode can show, as GZ_HANDLE_BIT. */
uint64_t gz_mode_handles(enum gz_mode mode);

#endif
