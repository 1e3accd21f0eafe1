/* wasm.c - predict.h for WebAssembly, one for each instance: functions of numbers, and one block of
 * doubles for larger arguments and results. client/web/sdk/solver.js is the other side.
 *
 * A comment says what a function reads from the beginning of the block, or writes there. A `place`
 * is 0 for none, 1 for pixels (x, y), 2 for a ray (origin, direction), read from the block. */
#include <stdlib.h>
#include <string.h>

#include "predict.h"

#define EXPORT(name) __attribute__((export_name(name)))

#define NODE_NUMBERS (sizeof(gz_trs) / sizeof(double))
#define BLOCK_NUMBERS 96

static struct gz_predict predict;
static double block[BLOCK_NUMBERS];
static gz_affine parent; /* of the targets to come */

/* The heap is the one block that predict.c allocates. */
void *realloc(void *old, size_t bytes)
{
    extern char __heap_base;
    const size_t page = 65536;
    size_t pages = ((size_t)&__heap_base + bytes + page - 1) / page,
           have = __builtin_wasm_memory_size(0);
    bool grown = pages <= have || __builtin_wasm_memory_grow(0, pages - have) != SIZE_MAX;
    (void)old;
    return grown ? &__heap_base : NULL;
}

void free(void *block)
{
    (void)block;
}

EXPORT("init") void init(void)
{
    gz_predict_init(&predict);
}

EXPORT("block") double *block_address(void)
{
    return block;
}

EXPORT("block_size") size_t block_size(void)
{
    return BLOCK_NUMBERS;
}

/* The words of mode, space, pivot, axis method, ball, fit, orbit, handle and mod, in this order; ""
 * for a value without a word, NULL beyond the last value. */
EXPORT("word") const char *word(int list, int value)
{
    static const struct gz_vocabulary *const lists[] = {
        &gz_mode_words, &gz_space_words, &gz_pivot_words,  &gz_axis_words, &gz_ball_words,
        &gz_fit_words,  &gz_orbit_words, &gz_handle_words, &gz_mod_words};
    return value < lists[list]->count ? gz_vocabulary_word(lists[list], value) : NULL;
}

/* ---- numbers of the block ---- */

static gz_vec3 vector_at(size_t i)
{
    return (gz_vec3){block[i], block[i + 1], block[i + 2]};
}

static gz_trs trs_at(size_t i)
{
    gz_trs trs;
    memcpy(&trs, &block[i], sizeof trs);
    return trs;
}

static struct gz_pointer *pointer_at(int place, struct gz_pointer *pointer)
{
    *pointer = (struct gz_pointer){.is_ray = place == 2};
    if (place == 0) return NULL;
    if (place == 1)
        memcpy(pointer->at, block, sizeof pointer->at);
    else
        pointer->origin = vector_at(0), pointer->direction = vector_at(3);
    return pointer;
}

static double *put(double *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return to + bytes / sizeof *to;
}

/* ---- camera, tool and targets ---- */

/* Reads view, proj, viewport, ndc_y_down, left_handed. */
EXPORT("camera") bool camera(bool there)
{
    struct gz_camera_input input;
    memcpy(input.view, block, sizeof input.view);
    memcpy(input.proj, block + 16, sizeof input.proj);
    memcpy(input.viewport, block + 32, sizeof input.viewport);
    input.ndc_y_down = block[36] != 0;
    input.left_handed = block[37] != 0;
    return gz_predict_camera(&predict, there ? &input : NULL, NULL);
}

/* Reads what `tool_default` writes: mode, space, pivot, pivot_point, snap t r s on absolute, size,
 * tolerance, axis_method, ball, ball_fit, edge, orbit, mirror, ball_circle. */
EXPORT("tool") void tool(void)
{
    struct gz_tool tool = gz_tool_default;
    tool.mode = (enum gz_mode)block[0];
    tool.space = (enum gz_space)block[1];
    tool.pivot = (enum gz_pivot)block[2];
    tool.pivot_point = vector_at(3);
    tool.snap = (struct gz_snap){block[6], block[7], block[8], block[9] != 0, block[10] != 0};
    tool.size_px = block[11];
    tool.tolerance_px = block[12];
    tool.axis_method = (enum gz_axis_method)block[13];
    tool.ball = (enum gz_ball)block[14];
    tool.ball_fit = (enum gz_ball_fit)block[15];
    tool.edge_rad = block[16];
    tool.orbit = (enum gz_orbit_law)block[17];
    tool.mirror = block[18] != 0;
    memcpy(tool.ball_circle, block + 19, sizeof tool.ball_circle);
    gz_predict_tool(&predict, &tool);
}

EXPORT("tool_default") void tool_default(void)
{
    const struct gz_tool *tool = &gz_tool_default;
    const double numbers[] = {
        tool->mode,
        tool->space,
        tool->pivot,
        0,
        0,
        0,
        tool->snap.t,
        tool->snap.r,
        tool->snap.s,
        tool->snap.on,
        tool->snap.absolute,
        tool->size_px,
        tool->tolerance_px,
        tool->axis_method,
        tool->ball,
        tool->ball_fit,
        tool->edge_rad,
        tool->orbit,
        tool->mirror,
        0,
        0,
        0,
    };
    put(block, numbers, sizeof numbers);
}

/* Begins `count` targets; then call `target` for each, and `targets_end`. */
EXPORT("targets_begin") bool targets_begin(size_t count, size_t active)
{
    return gz_predict_targets_begin(&predict, count, active);
}

/* Sets the ancestors of the next targets: none, or one `above` after the other, the root first.
 * Reads t r s. */
EXPORT("above_none") void above_none(void)
{
    parent = gz_affine_identity;
}

/* As on the server, a root is not multiplied by the identity. */
EXPORT("above") void above(bool is_root)
{
    gz_trs trs = trs_at(0);
    gz_affine local = gz_affine_from_trs(&trs);
    parent = is_root ? local : gz_affine_multiply(&parent, &local);
}

/* Reads t r s and, with `bounded`, the box. */
EXPORT("target") void target(size_t i, bool bounded)
{
    gz_box box;
    memcpy(&box, block + NODE_NUMBERS, sizeof box);
    const struct gz_target one = {
        .local = trs_at(0), .parent = parent, .bounds = bounded ? &box : NULL};
    gz_predict_target(&predict, i, &one);
}

EXPORT("targets_end") void targets_end(void)
{
    gz_predict_targets_end(&predict);
}

EXPORT("hover") void hover(int place)
{
    struct gz_pointer pointer;
    gz_predict_point(&predict, pointer_at(place, &pointer));
}

/* ---- the gizmo ---- */

/* Writes has, mode, space, hover, active, value_count, size, handles, origin, axes, turn_axes,
 * scale_axes, box, value, start, arm, axis. */
EXPORT("gizmo") bool gizmo(void)
{
    struct gz_gizmo_state state;
    if (!gz_predict_gizmo(&predict, &state)) return false;
    const double numbers[] = {(double)state.has, state.mode,           state.space,
                              state.hover,       state.active,         state.value_count,
                              state.size,        (double)state.handles};
    double *to = put(block, numbers, sizeof numbers);
    to = put(to, &state.origin, sizeof state.origin);
    to = put(to, state.axes, sizeof state.axes);
    to = put(to, state.turn_axes, sizeof state.turn_axes);
    to = put(to, state.scale_axes, sizeof state.scale_axes);
    to = put(to, state.box, sizeof state.box);
    to = put(to, state.value, sizeof state.value);
    to = put(to, &state.start, sizeof state.start);
    to = put(to, &state.arm, sizeof state.arm);
    put(to, &state.axis, sizeof state.axis);
    return true;
}

EXPORT("pick") enum gz_handle pick(int place)
{
    struct gz_pointer pointer;
    return place == 0 ? GZ_HANDLE_NONE : gz_predict_pick(&predict, pointer_at(place, &pointer));
}

/* ---- drag and wheel ---- */

EXPORT("press") enum gz_solve press(enum gz_handle handle, int place, uint32_t mods)
{
    struct gz_pointer pointer;
    return gz_predict_press(&predict, handle, pointer_at(place, &pointer), mods);
}

EXPORT("move") enum gz_solve move(int place, uint32_t mods)
{
    struct gz_pointer pointer;
    if (place == 0) return GZ_SOLVE_NONE;
    return gz_predict_move(&predict, pointer_at(place, &pointer), mods);
}

/* Reads `count` numbers, at most 2. */
EXPORT("value") enum gz_solve value(int count)
{
    return gz_predict_value(&predict, block, count);
}

EXPORT("wheel") enum gz_solve wheel(double notches)
{
    return gz_predict_wheel(&predict, notches);
}

/* The local transforms of the targets, t r s each. */
EXPORT("poses") const gz_trs *poses(void)
{
    return predict.poses;
}

/* The motion's bytes, which are for `apply` alone. */
EXPORT("motion") const struct gz_motion *motion(void)
{
    return &predict.motion;
}

EXPORT("motion_bytes") size_t motion_bytes(void)
{
    return sizeof predict.motion;
}

/* Reads t r s, then a motion; with `has_parent` the parent is that of `above`. Writes t r s. */
EXPORT("apply") bool apply(size_t i, bool has_parent)
{
    struct gz_motion motion;
    gz_trs local = trs_at(0), pose;
    memcpy(&motion, block + NODE_NUMBERS, sizeof motion);
    if (!gz_predict_apply(&predict, &motion, i, &local, has_parent ? &parent : NULL, &pose))
        return false;
    put(block, &pose, sizeof pose);
    return true;
}

/* ---- orbit ---- */

/* Reads x, y, then the centre. */
EXPORT("orbit_begin") bool orbit_begin(void)
{
    struct gz_pointer pointer;
    return gz_predict_orbit_begin(&predict, vector_at(2), pointer_at(1, &pointer));
}

/* Reads x, y. Writes the view. */
EXPORT("orbit_move") enum gz_solve orbit_move(uint32_t mods)
{
    struct gz_pointer pointer;
    return gz_predict_orbit_move(&predict, pointer_at(1, &pointer), mods, block);
}

/* Reads the centre. Writes the view. */
EXPORT("dolly") bool dolly(double notches)
{
    double view[16];
    if (!gz_predict_dolly(&predict, vector_at(0), notches, view)) return false;
    put(block, view, sizeof view);
    return true;
}

EXPORT("end") void end(void)
{
    gz_predict_end(&predict);
}

_Static_assert(sizeof(gz_trs) == 10 * sizeof(double), "t, r and s follow each other");
_Static_assert(NODE_NUMBERS * sizeof(double) + sizeof(struct gz_motion) <= sizeof block,
               "a motion has room in the block");
