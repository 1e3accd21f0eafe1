/* surface_pick.h - the nodes under a pointer by what is seen of them: the triangles of nodes whose
 * triangles are known, the bounds of the others. */
#ifndef GZ_SESSION_SURFACE_PICK_H
#define GZ_SESSION_SURFACE_PICK_H

#include "proto/message.h"
#include "scene/failure.h"
#include "solver/solver.h"

struct gz_session;

/* What the pointer meets, in the core's scratch; the node that a press takes comes first. First the
 * surfaces of nodes whose triangles are known and the bounds of the others, by distance. If none is
 * met, the surfaces that pass the pointer by within the tool's tolerance, by distance on the
 * screen. Last the points, by distance. With `first_only` one at most, which is less work. Counts
 * against the session's rate. */
GZ_MUST_USE enum gz_status gz_session_pick_surfaces(struct gz_session *session,
                                                    const struct gz_pointer *pointer,
                                                    bool first_only, struct gz_hit **hits,
                                                    size_t *count, struct gz_failure *failure);

#endif
