/* wheel.c - the wheel gesture: scales the selection until the wheel rests for GZ_WHEEL_SECONDS. */
#include <math.h>

#include "server/maxima.h"
#include "session/interaction.h"
#include "session/session.h"

/* Keeps the motion of one notch: each move solves the whole turn from the beginning, about the same
 * pivot. */
static enum gz_status begin(struct gz_session *session, const struct gz_interaction_input *input,
                            struct gz_failure *failure)
{
    struct gz_gizmo gizmo;
    enum gz_status status = gz_interaction_hold(session, input, GZ_EDIT_WHEEL, &gizmo, failure);
    if (status != GZ_OK) return status;
    session->gesture.course->notch = gz_motion_wheel(&gizmo, 1);
    gz_session_present(session);
    return GZ_OK;
}

/* A turn whose factor a double cannot hold does nothing. */
static enum gz_status move(struct gz_session *session, const struct gz_interaction_input *input,
                           struct gz_failure *failure)
{
    (void)failure;
    struct gz_gesture *gesture = &session->gesture;
    double notches = gz_wheel_turned(gesture->course->notches, input->notches);
    gesture->closes_s = session->core->clock.now.mono_s + GZ_WHEEL_SECONDS;
    if (!gz_motion_wheel_by(&gesture->course->notch, notches, &gesture->course->motion))
        return GZ_OK;
    gesture->course->notches = notches;
    gz_interaction_pose(session);
    return GZ_OK;
}

const struct gz_interaction gz_wheel_interaction = {
    .begin = begin,
    .move = move,
    .finish = gz_interaction_keep_edit,
    .cancel = gz_interaction_take_back,
    .gives_way = true,
};
