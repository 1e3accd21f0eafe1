/* setup.c - what a client says of its view and asks of the scene as a whole: camera, tool,
 * selection, interest, who. */
#include "core/setup.h"

#include <math.h>
#include <string.h>

#include "core/answers.h"
#include "core/interaction.h"
#include "core/session.h"
#include "scene/bounds_index.h"
#include "scene/ids.h"
#include "server/maxima.h"

/* ---- setup ---- */

/* Handles camera, tool and select messages. */

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

/* ---- a part of the scene ---- */

/* Sets and updates the interest of a session. */

static_assert(GZ_REGION_PLANES == GZ_VIEW_PLANES, "a region of a view has its planes");

static struct gz_region region_of(const struct gz_session *session,
                                  const struct gz_message *message)
{
    const struct gz_interest *asked = &message->interest;
    struct gz_region region = {.kind = GZ_REGION_WHOLE};
    if (message->has & GZ_HAS_INTEREST_NODES) {
        region.kind = GZ_REGION_NODES;
        region.ids = asked->nodes.ids;
        region.id_count = asked->nodes.count;
    } else if (message->has & GZ_HAS_INTEREST_BOX) {
        region.kind = GZ_REGION_BOX;
        region.box = asked->box;
    } else if (asked->view) {
        region.kind = GZ_REGION_VIEW;
        gz_view_cull(session->view.camera, region.planes);
    }
    return region;
}

static enum gz_status follow(struct gz_session *session, const struct gz_region *region,
                             struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    if (!gz_feed_set_interest(core->feed, &session->subscriber, region))
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to follow a part of the scene");
    session->view.is_followed = region->kind == GZ_REGION_VIEW;
    session->view.moved = false;
    session->view.interest_due_s = core->clock.now.mono_s + GZ_VIEW_MS_MIN / 1000.0;
    if (gz_look_fits(core->scene, core->slice))
        gz_feed_advance(core->feed, &session->subscriber, &core->slice);
    return GZ_OK;
}

enum gz_status gz_on_interest(struct gz_session *session, const struct gz_message *message,
                              struct gz_failure *failure)
{
    if (message->interest.view && session->view.camera == NULL)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "interest.view: needs a camera, and none was sent yet; send camera first");
    enum gz_status status = GZ_OK;
    if (message->has & GZ_HAS_INTEREST_NODES)
        status = gz_check_ids(session->core->scene, "interest.nodes", message->interest.nodes.ids,
                              message->interest.nodes.count, failure);
    if (status != GZ_OK) return status;
    struct gz_region region = region_of(session, message);
    status = follow(session, &region, failure);
    if (status != GZ_OK) return status;
    gz_session_ok(session, message, 0, NULL);
    return GZ_OK;
}

static size_t price_of(const struct gz_session *session)
{
    return gz_scene_count(session->core->scene);
}

double gz_session_interest_due(const struct gz_session *session)
{
    double due_s = gz_view_interest_due(&session->view);
    if (!isfinite(due_s)) return due_s;
    return fmax(due_s, gz_budget_affords_s(session, price_of(session), GZ_HASTE_BESIDE));
}

/* Without memory the interest stays as it is, until it is next due. */
void gz_session_update_interest(struct gz_session *session)
{
    double now_s = session->core->clock.now.mono_s;
    if (session->ended) return;
    if (!gz_feed_is_ready(session->core->feed, &session->subscriber)) {
        /* The look for the camera's earlier position still ends and is sent, however fast the
         * camera moves. */
        session->view.interest_due_s = now_s + GZ_VIEW_MS_MIN / 1000.0;
        return;
    }
    if (now_s < gz_view_interest_due(&session->view) ||
        !gz_budget_affords(session, price_of(session), GZ_HASTE_BESIDE))
        return;
    gz_budget_charge(session, price_of(session));
    struct gz_region region = {.kind = GZ_REGION_VIEW};
    struct gz_failure failure;
    gz_view_cull(session->view.camera, region.planes);
    if (follow(session, &region, &failure) != GZ_OK)
        gz_log(session->core->options.log, GZ_WARN, session->id, "%s", failure.error.message);
}

/* ---- who ---- */

/* The list of users in the scene, with those who only watch, page by page. */

/* The user alone, without camera, pointer, tool, selection and locks, which only presence shows. */
static struct gz_presence_user describe(const struct gz_presence_user *is)
{
    return (struct gz_presence_user){.has = is->has & GZ_HAS_PRESENCE_NAME,
                                     .session = is->session,
                                     .user = is->user,
                                     .name = is->name,
                                     .rgb = is->rgb,
                                     .role = is->role};
}

enum gz_status gz_on_who(struct gz_session *session, const struct gz_message *message,
                         struct gz_failure *failure)
{
    const struct gz_sessions *roster = &session->core->roster;
    const uint64_t after = (message->has & GZ_HAS_WHO_AFTER) != 0 ? message->who.after : 0;
    const size_t first = gz_sessions_after(roster, after), left = roster->row_count - first;
    const size_t limit = gz_who_limit(message);
    const size_t most = limit < left ? limit : left;
    struct gz_ok ok = {.people_count = 0};
    struct gz_presence_user *people = gz_arena_take(&session->core->scratch, most, sizeof *people);
    if (people == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the list of people");
    for (size_t i = first; i < roster->row_count && ok.people_count < most; i++) {
        const struct gz_session *other = roster->rows[i].session;
        if (other != NULL && !other->replaced)
            people[ok.people_count++] = describe(&other->presence.user);
    }
    ok.people = people;
    gz_session_ok(session, message, GZ_HAS_OK_PEOPLE, &ok);
    return GZ_OK;
}
