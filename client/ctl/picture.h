/* picture.h - the path of a node as an SVG file: from above, from the front and from the left, on one scale, with time as colour.
 *
 * Each edit is a group in each panel: a line through its points, which changes its colour as time goes; where an edit put the node
 * without a way there (a set, an undo), a dashed line leads from where it was. Beginning and end are marked.
 * Metres in the world, right-handed, +Y up; Unix seconds. Pure: writes what it is given. */
#ifndef CTL_PICTURE_H
#define CTL_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/linear.h"

struct ctl_picture_point {
    gz_vec3 at;
    double time;
    uint64_t edit;
};

/* What is known of an edit; of those that are not listed nothing is. */
struct ctl_picture_edit {
    uint64_t id;
    char *user, *words; /* "translate tx" */
};

struct ctl_picture {
    const char *title;
    const struct ctl_picture_point *points; /* in the order of time, those of an edit together */
    size_t count;
    const struct ctl_picture_edit *edits;
    size_t edit_count;
    size_t left_out; /* points that could not be placed */
};

void ctl_put_picture(FILE *out, const struct ctl_picture *picture);

#endif
