/* surface_pick.h - the nodes under a pointer by their triangles, or by their bounds if their
 * triangles are not known. */
#ifndef GZ_SESSION_SURFACE_PICK_H
#define GZ_SESSION_SURFACE_PICK_H

#include "proto/message.h"
#include "scene/failure.h"
#include "solver/solver.h"

struct gz_session;

/* The hits of the pointer, in the core's scratch; the node that a press takes comes first. First
 * the surfaces, and the bounds of nodes without known triangles, by distance. If none is hit, the
 * surfaces within the tool's tolerance of the pointer, by distance on the screen. Last the points,
 * by distance. With `first_only` one hit at most, which is less work. Charged to the session. */
GZ_MUST_USE enum gz_status gz_session_pick_surfaces(struct gz_session *session,
                                                    const struct gz_pointer *pointer,
                                                    bool first_only, struct gz_hit **hits,
                                                    size_t *count, struct gz_failure *failure);

#endif
