/* setup.c - handles camera, tool and select messages. See setup.h. */
#include "session/setup.h"

#include <string.h>

#include "scene/ids.h"
#include "session/handlers.h"
#include "session/interaction.h"
#include "session/session.h"

/* ---- camera ---- */

static enum gz_status use_camera(struct gz_session *session, const struct gz_camera_input *input,
                                 struct gz_error *error)
{
    enum gz_status status = gz_view_set(&session->view, input, error);
    if (status != GZ_OK) return status;
    session->shown.stale = true;
    gz_session_present(session);
    return GZ_OK;
}

enum gz_status gz_on_camera(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure)
{
    const struct gz_camera_message *camera = &message->camera;
    struct gz_camera_input input = {.ndc_y_down = camera->ndc_y_down,
                                    .left_handed = camera->left_handed};
    memcpy(input.view, camera->view, sizeof input.view);
    memcpy(input.proj, camera->proj, sizeof input.proj);
    memcpy(input.viewport, camera->viewport, sizeof input.viewport);
    enum gz_status status = use_camera(session, &input, &failure->error);
    if (status != GZ_OK) return status;
    session->view.has_target = (message->has & GZ_HAS_CAMERA_TARGET) != 0;
    session->view.target = camera->target;
    gz_interaction_camera_moved(session);
    gz_session_ok(session, message, 0, NULL);
    return GZ_OK;
}

void gz_session_send_view(struct gz_session *session, const double view[16])
{
    struct gz_camera_input input = session->view.camera->input;
    memcpy(input.view, view, sizeof input.view);
    if (use_camera(session, &input, NULL) != GZ_OK) return;
    struct gz_message message = {.op = GZ_OP_VIEW};
    memcpy(message.view, view, sizeof message.view);
    gz_session_send(session, &message);
}

/* ---- tool ---- */

static void set_snap(struct gz_snap *snap, uint64_t has, const struct gz_tool_message *said)
{
    if (has & GZ_HAS_TOOL_SNAP_T) snap->t = said->snap_t;
    if (has & GZ_HAS_TOOL_SNAP_R) snap->r = said->snap_r;
    if (has & GZ_HAS_TOOL_SNAP_S) snap->s = said->snap_s;
    if (has & GZ_HAS_TOOL_SNAP_ON) snap->on = said->snap_on;
    if (has & GZ_HAS_TOOL_SNAP_ABSOLUTE) snap->absolute = said->snap_absolute;
}

enum gz_status gz_on_tool(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    (void)failure;
    const struct gz_tool_message *said = &message->tool;
    struct gz_tool *tool = &session->tool;
    uint64_t has = message->has;
    if (has & GZ_HAS_TOOL_MODE) tool->mode = said->mode;
    if (has & GZ_HAS_TOOL_SPACE) tool->space = said->space;
    if (has & GZ_HAS_TOOL_PIVOT) tool->pivot = said->pivot;
    if (has & GZ_HAS_TOOL_PIVOT) tool->pivot_point = said->pivot_point;
    if (has & GZ_HAS_TOOL_SIZE) tool->size_px = said->size;
    if (has & GZ_HAS_TOOL_TOLERANCE) tool->tolerance_px = said->tolerance;
    if (has & GZ_HAS_TOOL_EDGE) tool->edge_rad = said->edge;
    if (has & GZ_HAS_TOOL_AXIS_METHOD) tool->axis_method = said->axis_method;
    if (has & GZ_HAS_TOOL_BALL) tool->ball = said->ball;
    if (has & GZ_HAS_TOOL_BALL_FIT) tool->ball_fit = said->ball_fit;
    if (has & GZ_HAS_TOOL_ORBIT) tool->orbit = said->orbit;
    if (has & GZ_HAS_TOOL_MIRROR) tool->mirror = said->mirror;
    if (has & GZ_HAS_TOOL_SURFACE) session->by_surface = said->surface;
    set_snap(&tool->snap, has, said);
    session->shown.stale = true;
    gz_session_present(session);
    gz_session_ok(session, message, 0, NULL);
    return GZ_OK;
}

/* ---- select ---- */

enum gz_status gz_session_select(struct gz_session *session, struct gz_ids ids, enum gz_how how,
                                 struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    enum gz_status status = gz_check_ids(core->scene, "nodes", ids.ids, ids.count, failure);
    if (status != GZ_OK) return status;
    status = gz_selection_change(&session->selection, &core->scratch, ids, how);
    if (status != GZ_OK) return gz_fail(&failure->error, status, "no memory for the selection");
    session->shown.stale = true;
    gz_session_present(session);
    return GZ_OK;
}

enum gz_status gz_on_select(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure)
{
    const struct gz_select *select = &message->select;
    enum gz_status status = gz_session_select(session, select->nodes, select->how, failure);
    if (status == GZ_OK) gz_session_ok(session, message, 0, NULL);
    return status;
}
