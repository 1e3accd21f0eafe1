/* shape.h - what each handle looks like: the one description that hover, press and drawing share. World space. */
#ifndef GZ_SOLVER_SHAPE_H
#define GZ_SOLVER_SHAPE_H

#include "solver/handle.h"
#include "solver/sight.h"

enum gz_shape_kind {
    GZ_SHAPE_SEGMENT, /* corner[0] to corner[1] */
    GZ_SHAPE_QUAD,    /* corner[0..3] in order, filled */
    GZ_SHAPE_ARC,     /* centre + cos a * side[0] + sin a * side[1] for a from first to last */
    GZ_SHAPE_DISC,    /* the whole of that ellipse, filled */
    GZ_SHAPE_ELLIPSE  /* in pixels: x, y, rx, ry; filled */
};

struct gz_shape {
    enum gz_shape_kind kind;
    int rank; /* less is picked first: centre, planes, axes, rings, ball */
    gz_vec3 corner[4];
    gz_vec3 centre, side[2];
    double first, last;
    double ellipse[4];
};

/* False where the handle cannot be drawn from here. */
bool gz_shape_of(struct gz_shape *shape, const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                 const struct gz_sight *sight, enum gz_handle handle);

#endif
