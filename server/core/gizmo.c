/* gizmo.c - builds a session's gizmo, and sends it when it changes. See gizmo.h. */
#include "core/gizmo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/describe.h"
#include "core/session.h"

static bool has_groups(const struct gz_session *session)
{
    return gz_groups_matter(&session->tool, gz_gesture_handle(&session->gesture));
}

/* Whether the seat of the gizmo is up to date. */
static bool is_standing(const struct gz_session *session)
{
    const struct gz_pivot_frame_state *standing = &session->standing;
    return standing->is_known && standing->seq == gz_scene_seq(session->core->scene) &&
           standing->selected == session->selection.version &&
           standing->has_groups == has_groups(session);
}

/* Remembers the seat, which belongs to the scene at that seq. False without memory. */
static bool sit(struct gz_session *session, const struct gz_seat *seat, bool has_groups, bool anew,
                uint64_t seq)
{
    struct gz_seat *kept = session->standing.seat;
    if (kept == NULL) kept = malloc(sizeof *kept);
    if (kept == NULL) return false;
    *kept = *seat;
    session->standing = (struct gz_pivot_frame_state){.is_known = anew || !has_groups,
                                                      .has_groups = has_groups,
                                                      .seq = seq,
                                                      .selected = session->selection.version,
                                                      .seat = kept};
    return true;
}

void gz_session_sit(struct gz_session *session, const struct gz_seat *seat, enum gz_handle handle)
{
    const bool has_groups = gz_groups_matter(&session->tool, handle);
    gz_pivot_frame_finish(&session->stand);
    (void)!sit(session, seat, has_groups, true, gz_scene_seq(session->core->scene));
}

/* False if nothing is selected, or without memory. */
static bool stand(struct gz_session *session, bool anew)
{
    struct gz_core *core = session->core;
    if (is_standing(session)) return true;
    gz_budget_charge(session, session->selection.count);
    gz_session_prune_selection(session);
    struct gz_targets targets = gz_targets_of(&session->selection, core->scene, &core->scratch);
    gz_groups_begin(&session->groups, core->scene, &session->tool,
                    gz_gesture_handle(&session->gesture), anew, targets.count);
    session->standing.is_known = false;
    struct gz_seat seat;
    const bool is_found = targets.count > 0 && gz_groups_seat(&session->groups, core->scene,
                                                              &targets, &core->scratch, &seat);
    gz_budget_charge(session, gz_groups_uncharged(&session->groups));
    return is_found && sit(session, &seat, has_groups(session), anew, gz_scene_seq(core->scene));
}

static void begin_to_stand(struct gz_session *session)
{
    struct gz_core *core = session->core;
    struct gz_pivot_frame *look = &session->stand;
    gz_budget_charge(session, session->selection.count);
    gz_pivot_frame_begin(look, &session->selection, core->scene);
    look->has_groups = has_groups(session);
    look->anew = session->gesture.interaction == NULL;
    gz_groups_begin(&session->groups, core->scene, &session->tool,
                    gz_gesture_handle(&session->gesture), look->anew, session->selection.count);
}

/* The look begins again without the deleted nodes, which takes as long as a slice. */
static void prune(struct gz_session *session)
{
    session->core->slice = 0;
    session->shown.stale = true;
    gz_session_prune_selection(session);
    gz_pivot_frame_finish(&session->stand);
}

void gz_session_go_on_standing(struct gz_session *session)
{
    struct gz_core *core = session->core;
    struct gz_pivot_frame *look = &session->stand;
    if (look->is_due && core->slice > 0) begin_to_stand(session);
    if (!look->is_due && look->has_groups != has_groups(session)) gz_pivot_frame_finish(look);
    bool is_over = gz_pivot_frame_go_on(look, &session->selection, core->scene, &session->groups,
                                        &core->slice);
    gz_budget_charge(session, gz_groups_uncharged(&session->groups));
    if (look->lacks_nodes) prune(session);
    if (!is_over) return;
    session->standing.is_news = sit(session, look->seat, look->has_groups, look->anew, look->seq);
    gz_pivot_frame_finish(look);
}

static bool build(const struct gz_session *session, struct gz_gizmo *gizmo)
{
    return gz_gizmo_build_shown(gizmo, &session->tool, session->view.camera,
                                gz_view_pointer(&session->view), session->standing.seat);
}

bool gz_session_gizmo(struct gz_session *session, bool anew, struct gz_gizmo *gizmo)
{
    return stand(session, anew) && build(session, gizmo);
}

/* The state of the gizmo; its lines follow from the state and the camera. The handle of a drag is
 * active until the drag ends; otherwise the handle that a press would take is hovered. */
static struct gz_gizmo_state describe(const struct gz_session *session,
                                      const struct gz_gizmo *gizmo, bool there)
{
    const struct gz_view *view = &session->view;
    const struct gz_gesture_course *course = session->gesture.course;
    struct gz_gizmo_drag drag = {0};
    bool is_dragged = gz_gesture_handle(&session->gesture) != GZ_HANDLE_NONE;
    enum gz_handle hover = GZ_HANDLE_NONE;
    if (is_dragged) drag = (struct gz_gizmo_drag){&course->drag, &course->motion, course->start};
    if (there && !is_dragged && view->has_pointer)
        hover = gz_gizmo_pick(gizmo, &session->tool, view->camera, &view->pointer);
    return gz_gizmo_state(there ? gizmo : NULL, &session->tool, hover, is_dragged ? &drag : NULL);
}

static size_t make_lines(const struct gz_session *session, const struct gz_gizmo *gizmo,
                         const struct gz_gizmo_state *state, struct gz_line *lines)
{
    struct gz_segment segments[GZ_GIZMO_LINES_MAX];
    size_t count = gz_gizmo_lines(gizmo, &session->tool, session->view.camera, state->hover,
                                  state->active, segments, GZ_GIZMO_LINES_MAX);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct gz_segment *s = &segments[i];
        if (!gz_is_sendable(s->from) || !gz_is_sendable(s->to)) continue;
        lines[kept++] =
            (struct gz_line){{s->from.x, s->from.y, s->from.z, s->to.x, s->to.y, s->to.z}, s->rgb};
    }
    return kept;
}

static uint64_t fields_of(const struct gz_gizmo_state *state)
{
    uint64_t has = 0;
    if (state->hover != GZ_HANDLE_NONE) has |= GZ_HAS_GIZMO_HOVER;
    if (state->active != GZ_HANDLE_NONE) {
        has |= GZ_HAS_GIZMO_ACTIVE;
        if (gz_is_sendable(state->start)) has |= GZ_HAS_GIZMO_START;
    }
    if (state->value_count > 0) has |= GZ_HAS_GIZMO_VALUE;
    if (state->has & GZ_GIZMO_RING) has |= GZ_HAS_GIZMO_ARM | GZ_HAS_GIZMO_AXIS;
    if (state->has & GZ_GIZMO_TURN_AXES) has |= GZ_HAS_GIZMO_TURN_AXES;
    if (state->has & GZ_GIZMO_SCALE_AXES) has |= GZ_HAS_GIZMO_SCALE_AXES;
    if (state->has & GZ_GIZMO_BOX) has |= GZ_HAS_GIZMO_BOX;
    return has;
}

static struct gz_message message_of(const struct gz_gizmo_state *state)
{
    struct gz_message message = {.op = GZ_OP_GIZMO, .has = fields_of(state)};
    struct gz_gizmo_message *shown = &message.gizmo;
    shown->mode = state->mode;
    shown->space = state->space;
    shown->origin = state->origin;
    memcpy(shown->axes, state->axes, sizeof shown->axes);
    memcpy(shown->turn_axes, state->turn_axes, sizeof shown->turn_axes);
    memcpy(shown->scale_axes, state->scale_axes, sizeof shown->scale_axes);
    memcpy(shown->box, state->box, sizeof shown->box);
    shown->size = state->size;
    shown->handles = state->handles;
    shown->hover = state->hover;
    shown->active = state->active;
    shown->value = (struct gz_value){{state->value[0], state->value[1]}, state->value_count};
    shown->start = state->start;
    shown->arm = state->arm;
    shown->axis = state->axis;
    return message;
}

static void send_gizmo(struct gz_session *session, const struct gz_gizmo *gizmo, bool there)
{
    struct gz_line lines[GZ_GIZMO_LINES_MAX];
    const struct gz_gizmo_state *state = session->shown.gizmo;
    struct gz_message message = message_of(state);
    if (session->draw && session->view.camera != NULL) {
        message.has |= GZ_HAS_GIZMO_LINES;
        message.gizmo.lines = lines;
        message.gizmo.line_count = there ? make_lines(session, gizmo, state, lines) : 0;
    }
    gz_session_send(session, &message);
}

/* ---- when it is sent ---- */

/* Whether the session has a gizmo at all. */
static bool has_gizmo(const struct gz_session *session)
{
    return session->role >= GZ_ROLE_EDITOR && session->selection.count > 0;
}

/* The price of building it, in nodes. There may be many below a group. */
static size_t price_of(const struct gz_session *session)
{
    if (is_standing(session)) return 0;
    const size_t price = session->selection.count + session->groups.walked;
    return has_groups(session) && price < GZ_NODES_PER_MESSAGE ? GZ_NODES_PER_MESSAGE : price;
}

static bool is_behind(const struct gz_session *session)
{
    return has_gizmo(session) &&
           (session->shown.stale || session->shown.seq != gz_scene_seq(session->core->scene));
}

/* The effect of the session's own actions is shown as soon as it can be afforded. */
static enum gz_haste haste_of(const struct gz_session *session)
{
    bool is_own = session->shown.stale || session->gesture.interaction != NULL;
    return is_own ? GZ_HASTE_ASKED : GZ_HASTE_BESIDE;
}

double gz_session_gizmo_due(const struct gz_session *session)
{
    if (session->ended || !is_behind(session)) return INFINITY;
    return gz_budget_affords_s(session, price_of(session), haste_of(session));
}

/* Whether so many nodes are to be looked at that it takes slices. In a drag the boxes of groups are
 * known. */
static bool stands_on_many(const struct gz_session *session)
{
    const size_t most = session->core->slice_nodes;
    const struct gz_ids ids = {session->selection.ids, session->selection.count};
    const bool is_walked =
        has_groups(session) && (session->gesture.interaction == NULL || session->groups.count == 0);
    if (ids.count > most || !is_walked) return ids.count > most;
    return gz_groups_weigh(session->core->scene, ids, most) == most;
}

/* Whether the gizmo waits: until the session can afford it or, if it stands on many nodes, until
 * they were looked at in slices. */
static bool waits(struct gz_session *session)
{
    if (session->standing.is_news || gz_pivot_frame_is_looking(&session->stand))
        return !session->standing.is_news;
    if (!gz_budget_affords(session, price_of(session), haste_of(session))) return true;
    if (is_standing(session) || !stands_on_many(session)) return false;
    session->stand.is_due = true;
    return true;
}

static void show(struct gz_session *session, bool moved, const struct gz_gizmo *gizmo, bool there)
{
    struct gz_shown *shown = &session->shown;
    if (!there && (shown->gizmo == NULL || shown->gizmo->handles == 0)) return;
    struct gz_gizmo_state now = describe(session, gizmo, there);
    const bool is_first = shown->gizmo == NULL;
    if (is_first) shown->gizmo = malloc(sizeof *shown->gizmo);
    if (shown->gizmo == NULL) return; /* without memory it is not shown until it changes */
    if (!is_first && memcmp(&now, shown->gizmo, sizeof now) == 0 && !(moved && session->draw))
        return;
    *shown->gizmo = now;
    send_gizmo(session, gizmo, there);
}

void gz_session_update_gizmo(struct gz_session *session)
{
    struct gz_shown *shown = &session->shown;
    bool moved = shown->stale; /* the lines depend on the camera too */
    bool may_show = is_behind(session);
    if ((!moved && !may_show) || (may_show && waits(session))) return;
    bool is_news = session->standing.is_news;
    uint64_t seq = is_news ? session->standing.seq : gz_scene_seq(session->core->scene);
    /* Nodes below a dragged group move with it, so its box stays valid. */
    bool anew = shown->seq != seq && session->gesture.interaction == NULL;
    struct gz_gizmo gizmo;
    bool there =
        may_show && (is_news ? build(session, &gizmo) : gz_session_gizmo(session, anew, &gizmo));
    session->standing.is_news = shown->stale = false;
    if (may_show) shown->seq = seq;
    show(session, moved, &gizmo, there);
}
