/* gizmo.c - builds a session's gizmo, and sends it when it looks different. See gizmo.h. */
#include "session/gizmo.h"

#include <math.h>
#include <string.h>

#include "session/describe.h"
#include "session/session.h"

static bool has_groups(const struct gz_session *session)
{
    return gz_groups_matter(&session->tool, session->gesture.drag.handle);
}

/* Whether nothing changed since it was found where the gizmo stands. */
static bool is_standing(const struct gz_session *session)
{
    const struct gz_standing *standing = &session->standing;
    return standing->is_known && standing->seq == gz_scene_seq(session->core->scene) &&
           standing->selected == session->selection.version &&
           standing->has_groups == has_groups(session);
}

/* The targets are as they were at that seq. False if there are none. */
static bool stand_on(struct gz_session *session, struct gz_targets *targets, bool anew,
                     uint64_t seq)
{
    struct gz_standing *standing = &session->standing;
    gz_groups_bound(&session->groups, session->core->scene, &session->tool,
                    session->gesture.drag.handle, anew, targets);
    gz_budget_charge(session, GZ_WORK_LOOK, gz_groups_uncharged(&session->groups));
    standing->is_known = targets->count > 0 && (anew || !has_groups(session));
    if (targets->count == 0) return false;
    standing->seat = gz_seat_of(targets->list, targets->count, targets->active);
    standing->has_groups = has_groups(session);
    standing->seq = seq;
    standing->selected = session->selection.version;
    return true;
}

/* False if nothing is selected, or without memory. */
static bool stand(struct gz_session *session, bool anew)
{
    struct gz_core *core = session->core;
    if (is_standing(session)) return true;
    gz_budget_charge(session, GZ_WORK_LOOK, session->selection.count);
    gz_session_prune_selection(session);
    struct gz_targets targets = gz_targets_of(&session->selection, core->scene, &core->scratch);
    return stand_on(session, &targets, anew, gz_scene_seq(core->scene));
}

void gz_session_go_on_standing(struct gz_session *session)
{
    struct gz_core *core = session->core;
    struct gz_stand *look = &session->stand;
    if (!gz_stand_go_on(look, &session->selection, core->scene, &core->slice)) return;
    struct gz_targets targets = {look->list, look->ids, look->count, look->count - 1};
    bool anew = session->gesture.interaction == NULL;
    session->standing.is_news = stand_on(session, &targets, anew, look->seq);
    gz_stand_finish(look);
}

static bool build(const struct gz_session *session, struct gz_gizmo *gizmo)
{
    return gz_gizmo_build_on(gizmo, &session->tool, gz_view_camera(&session->view),
                             &session->standing.seat) &&
           gz_is_sendable(gizmo->origin) && isfinite(gizmo->size);
}

bool gz_session_gizmo(struct gz_session *session, bool anew, struct gz_gizmo *gizmo)
{
    return stand(session, anew) && build(session, gizmo);
}

/* How far a drag has gone. A number that no message can say is left out. */
static void read_out(const struct gz_gesture *gesture, struct gz_gizmo_message *message)
{
    const struct gz_motion *motion = &gesture->motion;
    gz_vec3 numbers = {motion->value[0], motion->value[1], 0};
    message->active = gesture->drag.handle;
    message->start = gesture->start;
    (void)gz_drag_ring(&gesture->drag, &message->axis, &message->arm);
    if (!gz_is_sendable(numbers)) return;
    memcpy(message->value.numbers, motion->value, sizeof message->value.numbers);
    message->value.count = (uint32_t)motion->value_count;
}

/* A drag's handle is active until it ends; otherwise the handle under the pointer is hovered, by
 * the rule that a press uses. */
static void mark_handles(const struct gz_session *session, const struct gz_gizmo *gizmo,
                         struct gz_gizmo_message *message)
{
    const struct gz_view *view = &session->view;
    if (session->gesture.drag.handle != GZ_HANDLE_NONE)
        read_out(&session->gesture, message);
    else if (view->has_pointer)
        message->hover = gz_gizmo_pick(gizmo, &session->tool, gz_view_camera(view), &view->pointer);
}

static size_t make_lines(const struct gz_session *session, const struct gz_gizmo *gizmo,
                         const struct gz_gizmo_message *message, struct gz_line *lines)
{
    struct gz_segment segments[GZ_GIZMO_LINES_MAX];
    size_t count = gz_gizmo_lines(gizmo, &session->tool, &session->view.camera, message->hover,
                                  message->active, segments, GZ_GIZMO_LINES_MAX);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct gz_segment *s = &segments[i];
        if (!gz_is_sendable(s->from) || !gz_is_sendable(s->to)) continue;
        lines[kept++] =
            (struct gz_line){{s->from.x, s->from.y, s->from.z, s->to.x, s->to.y, s->to.z}, s->rgb};
    }
    return kept;
}

#define RINGS (GZ_HANDLE_BIT(GZ_RX) | GZ_HANDLE_BIT(GZ_RY) | GZ_HANDLE_BIT(GZ_RZ))
#define SCALES                                                                                     \
    (GZ_HANDLE_BIT(GZ_SX) | GZ_HANDLE_BIT(GZ_SY) | GZ_HANDLE_BIT(GZ_SZ) | GZ_HANDLE_BIT(GZ_SXY) |  \
     GZ_HANDLE_BIT(GZ_SYZ) | GZ_HANDLE_BIT(GZ_SZX))

/* The handles of the mode, and the one that is dragged, which may be another one. */
static uint64_t seen_handles(const struct gz_gizmo_message *message)
{
    return message->handles |
           (message->active != GZ_HANDLE_NONE ? GZ_HANDLE_BIT(message->active) : 0);
}

/* The frames of handles that are not along `axes`, and the box of handles on the bounds. */
static void place_handles(const struct gz_gizmo *gizmo, struct gz_gizmo_message *message)
{
    uint64_t handles = seen_handles(message);
    if (handles & RINGS) memcpy(message->turn_axes, gizmo->turn_axes, sizeof message->turn_axes);
    if (handles & SCALES)
        memcpy(message->scale_axes, gizmo->scale_axes, sizeof message->scale_axes);
    const gz_vec3 *half = gizmo->box_half;
    bool stretches = gizmo->mode == GZ_MODE_BOUNDS || message->active >= GZ_BXN;
    if (!stretches || !gizmo->has_box) return;
    if (!gz_is_sendable(gizmo->box_centre) || !gz_is_sendable(half[0]) ||
        !gz_is_sendable(half[1]) || !gz_is_sendable(half[2]))
        return;
    message->box[0] = gizmo->box_centre;
    memcpy(&message->box[1], half, sizeof gizmo->box_half);
}

/* What the session is shown, without the lines, which follow from it and from the camera. */
static struct gz_gizmo_message describe(const struct gz_session *session,
                                        const struct gz_gizmo *gizmo, bool there)
{
    struct gz_gizmo_message message;
    memset(&message, 0, sizeof message); /* compared bit by bit, padding included */
    message.mode = session->tool.mode;
    message.space = session->tool.space;
    if (!there) return message;
    message.origin = gizmo->origin;
    memcpy(message.axes, gizmo->axes, sizeof message.axes);
    message.size = gizmo->size;
    message.handles = gizmo->handles;
    mark_handles(session, gizmo, &message);
    place_handles(gizmo, &message);
    return message;
}

static bool is_ring(enum gz_handle handle)
{
    return handle >= GZ_RX && handle <= GZ_RV;
}

static bool is_box(const gz_vec3 box[4])
{
    return gz_length(box[1]) > 0 || gz_length(box[2]) > 0 || gz_length(box[3]) > 0;
}

/* Whether one of these handles is seen, and their frame differs from `axes`. */
static bool is_own_frame(const struct gz_gizmo_message *message, const gz_vec3 frame[3],
                         uint64_t handles)
{
    return (seen_handles(message) & handles) != 0 &&
           memcmp(frame, message->axes, sizeof message->axes) != 0;
}

static void send_gizmo(struct gz_session *session, const struct gz_gizmo *gizmo, bool there)
{
    struct gz_line lines[GZ_GIZMO_LINES_MAX];
    struct gz_message message = {.op = GZ_OP_GIZMO, .gizmo = session->shown.gizmo};
    struct gz_gizmo_message *shown = &message.gizmo;
    if (shown->hover != GZ_HANDLE_NONE) message.has |= GZ_HAS_GIZMO_HOVER;
    if (shown->active != GZ_HANDLE_NONE) message.has |= GZ_HAS_GIZMO_ACTIVE | GZ_HAS_GIZMO_START;
    if (shown->value.count > 0) message.has |= GZ_HAS_GIZMO_VALUE;
    if (is_ring(shown->active)) message.has |= GZ_HAS_GIZMO_ARM | GZ_HAS_GIZMO_AXIS;
    if (is_own_frame(shown, shown->turn_axes, RINGS)) message.has |= GZ_HAS_GIZMO_TURN_AXES;
    if (is_own_frame(shown, shown->scale_axes, SCALES)) message.has |= GZ_HAS_GIZMO_SCALE_AXES;
    if (is_box(shown->box)) message.has |= GZ_HAS_GIZMO_BOX;
    if (session->draw && session->view.has_camera) {
        message.has |= GZ_HAS_GIZMO_LINES;
        shown->lines = lines;
        shown->line_count = there ? make_lines(session, gizmo, shown, lines) : 0;
    }
    gz_session_send(session, &message);
}

/* ---- when ---- */

/* Whether the session has a gizmo at all. */
static bool has_gizmo(const struct gz_session *session)
{
    return session->role >= GZ_ROLE_EDITOR && session->selection.count > 0;
}

/* What building it costs, in messages. */
static double price_of(const struct gz_session *session)
{
    if (is_standing(session)) return 0;
    double price =
        gz_work_messages(GZ_WORK_LOOK, session->selection.count + session->groups.walked);
    return has_groups(session) ? fmax(1, price) : price; /* much may be below another group */
}

static bool is_behind(const struct gz_session *session)
{
    return has_gizmo(session) &&
           (session->shown.stale || session->shown.seq != gz_scene_seq(session->core->scene));
}

/* What the session itself does shows as soon as it can be afforded. */
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

/* Whether the gizmo waits until it can be afforded or, if it stands on many nodes, until they were
 * looked at in slices. */
static bool waits(struct gz_session *session)
{
    struct gz_core *core = session->core;
    if (session->standing.is_news || gz_stand_is_looking(&session->stand))
        return !session->standing.is_news;
    if (!gz_budget_affords(session, price_of(session), haste_of(session))) return true;
    if (is_standing(session) || session->selection.count <= core->slice_nodes) return false;
    gz_budget_charge(session, GZ_WORK_LOOK, session->selection.count);
    gz_session_prune_selection(session);
    gz_stand_begin(&session->stand, &session->selection, core->scene, &core->scratch);
    return gz_stand_is_looking(&session->stand);
}

static void show(struct gz_session *session, bool moved, const struct gz_gizmo *gizmo, bool there)
{
    struct gz_shown *shown = &session->shown;
    if (!there && shown->gizmo.handles == 0) return;
    struct gz_gizmo_message now = describe(session, gizmo, there);
    if (memcmp(&now, &shown->gizmo, sizeof now) == 0 && !(moved && session->draw)) return;
    shown->gizmo = now;
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
    /* What is below a group that is dragged goes along with it. */
    bool anew = shown->seq != seq && session->gesture.interaction == NULL;
    struct gz_gizmo gizmo;
    bool there =
        may_show && (is_news ? build(session, &gizmo) : gz_session_gizmo(session, anew, &gizmo));
    session->standing.is_news = shown->stale = false;
    if (may_show) shown->seq = seq;
    show(session, moved, &gizmo, there);
}
