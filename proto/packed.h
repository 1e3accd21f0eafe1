/* packed.h - the values that the packed form of presence leaves out: a view as its eye and its
 * rotation, and the ray of a pointer, which follows from the view, the lens and the place in the
 * viewport. The server calls the same functions as the viewer, so that it knows what the viewer
 * will compute.
 *
 * Frames and units: README.md (`person`). Memory: none. Threads: pure, any. */
#ifndef GZ_PROTO_PACKED_H
#define GZ_PROTO_PACKED_H

#include "proto/message.h"

/* The view as a pose: the eye in the world, and the rotation in steps. False if the view scales or
 * mirrors, which a pose cannot express. */
bool gz_pose_of_view(const double view[16], double pose[7]);
void gz_view_of_pose(const double pose[7], double view[16]);
/* The ray in the world, of unit direction, under a place in the viewport. False without a lens. */
bool gz_ray_of_spot(const double pose[7], const double lens[5], const double spot[2],
                    double ray[6]);

#endif
