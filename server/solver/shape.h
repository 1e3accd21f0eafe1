/* shape.h - the shape of each handle: the one description that hover, press and drawing share.
 * World directions from the gizmo's origin, so that no digit is lost far from the world's. */
#ifndef GZ_SOLVER_SHAPE_H
#define GZ_SOLVER_SHAPE_H

#include "solver/handle.h"
#include "solver/sight.h"

enum gz_shape_kind {
    GZ_SHAPE_SEGMENT, /* from start to start + side[0] */
    GZ_SHAPE_QUAD,    /* start, and on along side[0] and side[1]; filled */
    GZ_SHAPE_ARC, /* start + cos a * side[0] + sin a * side[1], for angles a with cos a >= cosine */
    GZ_SHAPE_DISC,   /* the whole of that ellipse, filled */
    GZ_SHAPE_ELLIPSE /* in pixels: x, y, rx, ry; filled */
};

struct gz_shape {
    enum gz_shape_kind kind;
    int rank; /* of handles about equally near the least is picked: centre, planes, axes, rings,
                 ball */
    gz_vec3 start, side[2];
    double cosine; /* of half the arc's angle; -1 for a whole circle */
    double ellipse[4];
};

/* The viewer of shapes, found once for all of them. */
struct gz_shape_view {
    const struct gz_sight *sight;
    struct gz_view_frame frame;
    struct gz_growth growth;
    gz_seen origin; /* the gizmo's */
    double front_w; /* its w; of a box whose middle is behind the viewer that of its furthest corner
                       ahead. Not above 0: nothing is in front */
    gz_vec3 viewer; /* unit: from there to the viewer */
};
/* For an origin of this w, where w grows so. */
double gz_front_w(const struct gz_gizmo *gizmo, double origin_w, gz_vec3 w_growth);
struct gz_shape_view gz_shape_view_of(const struct gz_gizmo *gizmo, const struct gz_sight *sight);

/* Except in GZ_MODE_BOUNDS and GZ_MODE_ARCBALL, nothing that is shown lies further from the origin
 * than this times the gizmo's size. */
#define GZ_SHAPE_REACH 1.5

/* False if the handle cannot be drawn from here. */
bool gz_shape_of(struct gz_shape *shape, const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                 const struct gz_shape_view *view, enum gz_handle handle);

#endif
