/* gizmo_state.c - what of a gizmo a client is shown. See gizmo_state.h. */
#include "solver/gizmo_state.h"

#include <string.h>

#define RINGS (GZ_HANDLE_BIT(GZ_RX) | GZ_HANDLE_BIT(GZ_RY) | GZ_HANDLE_BIT(GZ_RZ))
#define SCALES                                                                                     \
    (GZ_HANDLE_BIT(GZ_SX) | GZ_HANDLE_BIT(GZ_SY) | GZ_HANDLE_BIT(GZ_SZ) | GZ_HANDLE_BIT(GZ_SXY) |  \
     GZ_HANDLE_BIT(GZ_SYZ) | GZ_HANDLE_BIT(GZ_SZX))

bool gz_gizmo_build_shown(struct gz_gizmo *gizmo, const struct gz_tool *tool,
                          const struct gz_camera *camera, const struct gz_pointer *hand,
                          const struct gz_seat *seat)
{
    return gz_gizmo_build_on(gizmo, tool, camera, hand, seat) && gz_in_range(gizmo->origin, 0) &&
           isfinite(gizmo->size);
}

bool gz_gizmo_build_grabbed(struct gz_gizmo *gizmo, const struct gz_tool *tool,
                            const struct gz_camera *camera, const struct gz_pointer *hand,
                            const struct gz_seat *seat)
{
    struct gz_tool any = *tool;
    if (any.mode == GZ_MODE_NONE || any.mode == GZ_MODE_ORBIT) any.mode = GZ_MODE_UNIVERSAL;
    return gz_gizmo_build_on(gizmo, &any, camera, hand, seat);
}

/* How far a drag has gone. A number that no message can say is left out. */
static void read_out(const struct gz_gizmo_drag *drag, struct gz_gizmo_state *state)
{
    const struct gz_motion *motion = drag->motion;
    gz_vec3 numbers = {motion->value[0], motion->value[1], 0};
    state->active = drag->drag->handle;
    state->start = drag->start;
    if (gz_drag_ring(drag->drag, &state->axis, &state->arm)) state->has |= GZ_GIZMO_RING;
    if (!gz_in_range(numbers, 0)) return;
    memcpy(state->value, motion->value, sizeof state->value);
    state->value_count = (uint32_t)motion->value_count;
}

/* The frame of these handles, if one of them is seen and it is not `axes`. */
static void place_frame(struct gz_gizmo_state *state, uint64_t handles, const gz_vec3 from[3],
                        gz_vec3 frame[3], uint64_t field)
{
    /* The handles of the mode, and the one that is dragged, which may be another one. */
    uint64_t seen = state->handles | GZ_HANDLE_BIT(state->active);
    if ((seen & handles) == 0 || memcmp(from, state->axes, sizeof state->axes) == 0) return;
    memcpy(frame, from, sizeof state->axes);
    state->has |= field;
}

static void place_box(struct gz_gizmo_state *state, const struct gz_gizmo *gizmo)
{
    const gz_vec3 *half = gizmo->box_half;
    bool stretches = gizmo->mode == GZ_MODE_BOUNDS || state->active >= GZ_BXN;
    if (!stretches || !gizmo->has_box) return;
    if (!gz_in_range(gizmo->box_centre, 0) || !gz_in_range(half[0], 0) ||
        !gz_in_range(half[1], 0) || !gz_in_range(half[2], 0))
        return;
    state->box[0] = gizmo->box_centre;
    memcpy(&state->box[1], half, sizeof gizmo->box_half);
    bool has_extent = gz_length(half[0]) > 0 || gz_length(half[1]) > 0 || gz_length(half[2]) > 0;
    if (has_extent) state->has |= GZ_GIZMO_BOX;
}

struct gz_gizmo_state gz_gizmo_state(const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                                     enum gz_handle hover, const struct gz_gizmo_drag *drag)
{
    struct gz_gizmo_state state;
    memset(&state, 0, sizeof state);
    state.mode = tool->mode;
    state.space = tool->space;
    if (gizmo == NULL) return state;
    state.origin = gizmo->origin;
    memcpy(state.axes, gizmo->axes, sizeof state.axes);
    state.size = gizmo->size;
    state.handles = gizmo->handles;
    if (drag != NULL)
        read_out(drag, &state);
    else
        state.hover = hover;
    place_frame(&state, RINGS, gizmo->turn_axes, state.turn_axes, GZ_GIZMO_TURN_AXES);
    place_frame(&state, SCALES, gizmo->scale_axes, state.scale_axes, GZ_GIZMO_SCALE_AXES);
    place_box(&state, gizmo);
    return state;
}
