/* interest.c - sets and updates the interest of a session. See interest.h. */
#include "session/interest.h"

#include <math.h>

#include "scene/ids.h"
#include "scene/look.h"
#include "server/maxima.h"
#include "session/handlers.h"
#include "session/session.h"

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
    if (!gz_sync_set_interest(core->sync, &session->cursor, region))
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to follow a part of the scene");
    session->view.is_followed = region->kind == GZ_REGION_VIEW;
    session->view.moved = false;
    session->view.interest_due_s = core->clock.now.mono_s + GZ_VIEW_MS_MIN / 1000.0;
    if (gz_look_fits(core->scene, core->slice))
        gz_sync_advance(core->sync, &session->cursor, &core->slice);
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
    if (!gz_sync_is_ready(session->core->sync, &session->cursor)) {
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
