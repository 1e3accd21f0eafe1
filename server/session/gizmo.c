#include <math.h>
#include <string.h>

#include "server/maxima.h"
#include "session/session.h"

size_t gz_session_targets(struct gz_session *session, struct gz_target **targets, uint64_t **ids,
                          size_t *active)
{
    struct gz_scene *scene = session->core->scene;
    struct gz_arena *scratch = &session->core->scratch;
    gz_session_prune_selection(session);
    size_t selected = session->selected;
    const struct gz_node **tops = gz_arena_take(scratch, selected, sizeof *tops);
    *targets = gz_arena_take(scratch, selected, sizeof **targets);
    *ids = gz_arena_take(scratch, selected, sizeof **ids);
    if (selected == 0 || tops == NULL || *targets == NULL || *ids == NULL) return 0;
    size_t count = gz_scene_tops(scene, session->selection, selected, tops);
    for (size_t i = 0; i < count; i++) {
        (*ids)[i] = tops[i]->id;
        (*targets)[i] = (struct gz_target){
            .local = tops[i]->trs,
            .parent = gz_scene_parent_world(scene, tops[i]),
            .bounds = tops[i]->has_bounds ? &tops[i]->bounds : NULL,
        };
    }
    *active = count - 1; /* the last one selected of those that move */
    return count;
}

bool gz_can_say(gz_vec3 place)
{
    return fabs(place.x) <= GZ_COORDINATE_MAX && fabs(place.y) <= GZ_COORDINATE_MAX &&
           fabs(place.z) <= GZ_COORDINATE_MAX;
}

bool gz_session_gizmo(struct gz_session *session, bool anew, struct gz_gizmo *gizmo)
{
    struct gz_target *targets;
    uint64_t *ids;
    size_t active;
    size_t count = gz_session_targets(session, &targets, &ids, &active);
    const struct gz_camera *camera = session->has_camera ? &session->camera : NULL;
    enum gz_handle dragged =
        session->gesture.kind == GZ_GESTURE_DRAG ? session->gesture.drag.handle : GZ_HANDLE_NONE;
    gz_session_bound_groups(session, dragged, anew, targets, ids, count);
    return count > 0 && gz_gizmo_build(gizmo, &session->tool, camera, targets, count, active) &&
           gz_can_say(gizmo->origin) && isfinite(gizmo->size);
}

/* How far a drag has gone. A number that no message can say is left out. */
static void read_out(const struct gz_gesture *gesture, struct gz_gizmo_message *message)
{
    const struct gz_motion *motion = &gesture->motion;
    bool sayable =
        fabs(motion->value[0]) <= GZ_COORDINATE_MAX && fabs(motion->value[1]) <= GZ_COORDINATE_MAX;
    message->active = gesture->drag.handle;
    message->start = gesture->start;
    (void)gz_drag_ring(&gesture->drag, &message->axis, &message->arm);
    if (!sayable) return;
    memcpy(message->value.numbers, motion->value, sizeof message->value.numbers);
    message->value.count = (uint32_t)motion->value_count;
}

/* A drag's handle is active until it ends; otherwise the handle under the pointer is hovered, by
 * the rule that a press uses. */
static void mark_handles(const struct gz_session *session, const struct gz_gizmo *gizmo,
                         struct gz_gizmo_message *message)
{
    if (session->gesture.kind == GZ_GESTURE_DRAG) {
        read_out(&session->gesture, message);
    } else if (session->has_pointer) {
        const struct gz_camera *camera = session->has_camera ? &session->camera : NULL;
        message->hover = gz_gizmo_pick(gizmo, &session->tool, camera, &session->pointer);
    }
}

static size_t make_lines(const struct gz_session *session, const struct gz_gizmo *gizmo,
                         const struct gz_gizmo_message *message, struct gz_line *lines)
{
    struct gz_segment segments[GZ_GIZMO_LINES_MAX];
    size_t count = gz_gizmo_lines(gizmo, &session->tool, &session->camera, message->hover,
                                  message->active, segments, GZ_GIZMO_LINES_MAX);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct gz_segment *s = &segments[i];
        if (!gz_can_say(s->from) || !gz_can_say(s->to)) continue;
        lines[kept++] =
            (struct gz_line){{s->from.x, s->from.y, s->from.z, s->to.x, s->to.y, s->to.z}, s->rgb};
    }
    return kept;
}

#define RINGS (GZ_HANDLE_BIT(GZ_RX) | GZ_HANDLE_BIT(GZ_RY) | GZ_HANDLE_BIT(GZ_RZ))
#define SCALES                                                                                     \
    (GZ_HANDLE_BIT(GZ_SX) | GZ_HANDLE_BIT(GZ_SY) | GZ_HANDLE_BIT(GZ_SZ) | GZ_HANDLE_BIT(GZ_SXY) |  \
     GZ_HANDLE_BIT(GZ_SYZ) | GZ_HANDLE_BIT(GZ_SZX))

/* Those of the mode, and the one that is dragged, which may be another. */
static uint64_t seen_handles(const struct gz_gizmo_message *message)
{
    return message->handles |
           (message->active != GZ_HANDLE_NONE ? GZ_HANDLE_BIT(message->active) : 0);
}

/* The frames of handles that `axes` does not tell, and the box that those on the bounds are on. */
static void place_handles(const struct gz_gizmo *gizmo, struct gz_gizmo_message *message)
{
    uint64_t handles = seen_handles(message);
    if (handles & RINGS) memcpy(message->turn_axes, gizmo->turn_axes, sizeof message->turn_axes);
    if (handles & SCALES)
        memcpy(message->scale_axes, gizmo->scale_axes, sizeof message->scale_axes);
    const gz_vec3 *half = gizmo->box_half;
    bool sayable = gz_can_say(gizmo->box_centre) && gz_can_say(half[0]) && gz_can_say(half[1]) &&
                   gz_can_say(half[2]);
    bool stretched = gizmo->mode == GZ_MODE_BOUNDS || message->active >= GZ_BXN;
    if (!stretched || !gizmo->has_box || !sayable) return;
    message->box[0] = gizmo->box_centre;
    memcpy(&message->box[1], half, sizeof gizmo->box_half);
}

/* What the session is shown, but for the lines, which follow from it and from the camera. */
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

/* Whether a frame of handles that are there is another than `axes`. */
static bool is_own_frame(const struct gz_gizmo_message *message, const gz_vec3 frame[3],
                         uint64_t handles)
{
    return (seen_handles(message) & handles) != 0 &&
           memcmp(frame, message->axes, sizeof message->axes) != 0;
}

static void send_gizmo(struct gz_session *session, const struct gz_gizmo *gizmo, bool there)
{
    struct gz_line lines[GZ_GIZMO_LINES_MAX];
    struct gz_message message = {.op = GZ_OP_GIZMO, .gizmo = session->gizmo};
    if (session->gizmo.hover != GZ_HANDLE_NONE) message.has |= GZ_HAS(HOVER);
    if (session->gizmo.active != GZ_HANDLE_NONE) message.has |= GZ_HAS(ACTIVE) | GZ_HAS(START);
    if (session->gizmo.value.count > 0) message.has |= GZ_HAS(VALUE);
    if (is_ring(session->gizmo.active)) message.has |= GZ_HAS(ARM) | GZ_HAS(AXIS);
    if (is_own_frame(&session->gizmo, session->gizmo.turn_axes, RINGS))
        message.has |= GZ_HAS(TURN_AXES);
    if (is_own_frame(&session->gizmo, session->gizmo.scale_axes, SCALES))
        message.has |= GZ_HAS(SCALE_AXES);
    if (is_box(session->gizmo.box)) message.has |= GZ_HAS(BOX);
    if (session->draw && session->has_camera) {
        message.has |= GZ_HAS(LINES);
        message.gizmo.lines = lines;
        message.gizmo.line_count = there ? make_lines(session, gizmo, &session->gizmo, lines) : 0;
    }
    gz_session_send(session, &message);
}

double gz_session_gizmo_due(const struct gz_session *session)
{
    bool behind = session->role >= GZ_ROLE_EDITOR && session->selected > 0 && !session->ended &&
                  session->gizmo_seq != gz_scene_seq(session->core->scene);
    return behind ? session->gizmo_due_s : INFINITY;
}

/* Its own drag shows at once; what others change, at the pace that the size of the selection
 * allows, and of what is looked at below it. */
static bool is_due(const struct gz_session *session)
{
    double due = gz_session_gizmo_due(session);
    return isfinite(due) &&
           (session->gesture.kind != GZ_GESTURE_NONE || session->core->now.mono_s >= due);
}

/* The gizmo is of `seq` now; when it follows the scene again depends on what it cost. */
static void pace(struct gz_session *session, uint64_t seq)
{
    size_t nodes = session->selected + session->groups.walked;
    session->gizmo_seq = seq;
    session->gizmo_due_s = session->core->now.mono_s;
    if (nodes > GZ_GIZMO_NODES_AT_ONCE)
        session->gizmo_due_s += (double)nodes * GZ_GIZMO_SECONDS_PER_NODE;
}

void gz_session_update_gizmo(struct gz_session *session)
{
    uint64_t seq = gz_scene_seq(session->core->scene);
    bool shows_one = session->gizmo.handles != 0;
    bool may_show = session->role >= GZ_ROLE_EDITOR && session->selected > 0;
    if (!session->gizmo_stale && (!may_show || !is_due(session))) return;
    bool moved = session->gizmo_stale; /* the lines depend on the camera too */
    session->gizmo_stale = false;

    struct gz_gizmo gizmo;
    bool due = is_due(session);
    /* What is below a group that is dragged goes along with it. */
    bool there = may_show &&
                 gz_session_gizmo(session, due && session->gesture.kind == GZ_GESTURE_NONE, &gizmo);
    if (due) pace(session, seq);
    if (moved) gz_session_pay_groups(session);
    session->groups.unpaid = 0; /* what others changed is paced instead */
    if (!there && !shows_one) return;
    struct gz_gizmo_message now = describe(session, &gizmo, there);
    if (memcmp(&now, &session->gizmo, sizeof now) == 0 && !(moved && session->draw)) return;
    session->gizmo = now;
    send_gizmo(session, &gizmo, there);
}
