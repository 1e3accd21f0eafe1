/* What a press leaves behind: no scale handle takes a node to where the same handle cannot take it
 * back from, and two presses side by side do nearly the same. */
#include "unit/solver/stage.h"

#define PICKED (1u << GZ_MOD_PICKED)

static const gz_box cube = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};

static const enum gz_handle scales[] = {GZ_SX,  GZ_SY,  GZ_SZ,   GZ_SXY,  GZ_SYZ,
                                        GZ_SZX, GZ_SU,  GZ_BXN,  GZ_BXP,  GZ_BYP,
                                        GZ_BZN, GZ_BZP, GZ_BPPP, GZ_BNNN, GZ_BNPN};

/* From where and in what a box is pulled. */
struct world {
    const char *name;
    bool ortho, by_ray, in_sheared;
    double sign; /* of its scale */
};
static const struct world usual = {"a usual view", false, false, false, 1};
static const struct world worlds[] = {{"a usual view", false, false, false, 1},
                                      {"an orthographic view", true, false, false, 1},
                                      {"a hand", false, true, false, 1},
                                      {"a sheared parent", false, false, true, 1},
                                      {"a mirrored box", false, false, false, -1},
                                      {"a hand and a mirrored box below", false, true, true, -1}};

/* What the eye's pixel is to who pulls. */
static struct gz_pointer pointer_of(const struct stage *s, const struct world *world, double x,
                                    double y)
{
    struct gz_pointer pointer = {.is_ray = world->by_ray, .at = {x, y}};
    if (world->by_ray)
        assert_true(gz_camera_ray(&s->camera, pointer.at, &pointer.origin, &pointer.direction));
    return pointer;
}

static void build(struct stage *s, const struct world *world)
{
    const struct gz_pointer hand = pointer_of(s, world, 0, 0);
    stage_build(s);
    if (world->by_ray)
        assert_true(gz_gizmo_build(&s->gizmo, &s->tool, NULL, &hand, &s->target, 1, 0));
}

/* A box of this size, seen from a corner. */
static struct stage box_in(const struct world *world, double scale, enum gz_mode mode)
{
    const gz_vec3 eye = {3, 4, 5}, middle = {0, 0, 0};
    struct stage s = stage_of(
        world->ortho ? camera_ortho(eye, middle, 6) : camera_look(eye, middle), node_at(0, 0, 0));
    scale *= world->sign;
    s.target.local.s = (gz_vec3){scale, scale, scale};
    if (world->in_sheared)
        s.target.parent.linear = (gz_mat3){{1, 0.2, 0}, {0, 1.5, 0.3}, {0.1, 0, 0.8}};
    s.target.bounds = &cube;
    s.tool.mode = mode;
    build(&s, world);
    return s;
}

static struct stage box_of(double scale, enum gz_mode mode)
{
    return box_in(&usual, scale, mode);
}

static enum gz_mode mode_for(enum gz_handle handle)
{
    return handle >= GZ_BXN ? GZ_MODE_BOUNDS : GZ_MODE_SCALE;
}

/* Where the handle is on the screen, and which way on it leads away from what holds still. */
static void find_grip(const struct stage *s, enum gz_handle handle, double at[2], double away[2])
{
    const struct gz_gizmo *g = &s->gizmo;
    gz_vec3 arm = {0, 0, 0}, from = g->origin;
    const char *word = gz_vocabulary_word(&gz_handle_words, (int)handle);
    for (int axis = 0; handle >= GZ_BXN && axis < 3; axis++) {
        bool corner = handle >= GZ_BNNN;
        if (!corner && word[1] != "xyz"[axis]) continue;
        char side = corner ? word[1 + axis] : word[2];
        arm = gz_add(arm, gz_scale(g->box_half[axis], side == 'p' ? 1 : -1));
        from = gz_sub(g->box_centre, arm);
    }
    if (handle >= GZ_BXN) arm = gz_scale(arm, 2);
    if (handle >= GZ_SX && handle <= GZ_SZ)
        arm = gz_scale(g->scale_axes[handle - GZ_SX], 0.9 * g->size);
    if (handle >= GZ_SXY && handle <= GZ_SZX)
        arm = gz_scale(
            gz_add(g->scale_axes[handle - GZ_SXY], g->scale_axes[(handle - GZ_SXY + 1) % 3]),
            0.6 * g->size);
    double origin[2];
    stage_image(s, from, origin);
    stage_image(s, gz_add(from, arm), at);
    double length = hypot(at[0] - origin[0], at[1] - origin[1]);
    away[0] = length > 0 ? (at[0] - origin[0]) / length : M_SQRT1_2;
    away[1] = length > 0 ? (at[1] - origin[1]) / length : -M_SQRT1_2;
}

static double touched(const struct stage *s, enum gz_handle handle)
{
    bool y = handle == GZ_SY || handle == GZ_SYZ || handle == GZ_BYP;
    bool z = handle == GZ_SZ || handle == GZ_SZX || handle == GZ_BZN || handle == GZ_BZP;
    return y ? s->now.s.y : z ? s->now.s.z : s->now.s.x;
}

/* One pull by so many pixels outwards (or inwards), snapped, fine or neither. */
static double pull_in(struct stage *s, const struct world *world, enum gz_handle handle, double px,
                      uint32_t mods)
{
    double at[2], away[2];
    find_grip(s, handle, at, away);
    const struct gz_camera *camera = world->by_ray ? NULL : &s->camera;
    const struct gz_pointer press = pointer_of(s, world, at[0], at[1]),
                            now = pointer_of(s, world, at[0] + px * away[0], at[1] + px * away[1]);
    s->motion = gz_motion_none;
    assert_int_equal(gz_drag_begin(&s->drag, handle, &s->gizmo, &s->tool, camera, &press,
                                   handle == GZ_SU ? PICKED : 0),
                     GZ_SOLVE_OK);
    (void)gz_drag_solve(&s->drag, camera, &now, mods, &s->motion);
    assert_true(gz_motion_apply(&s->motion, &s->target, &s->target.parent, &s->now, NULL));
    return touched(s, handle);
}

/* The whole box small by one pull, and back by at most four. */
static void shrink_and_grow(const struct world *world, enum gz_handle handle, uint32_t mods,
                            bool absolute)
{
    struct stage s = box_in(world, 1, mode_for(handle));
    s.tool.snap.s = 0.15;
    s.tool.snap.absolute = absolute;
    /* A hand that points away from an axis has no place on it. */
    const double far = world->by_ray ? -1000 : -2000;
    double small = world->sign * pull_in(&s, world, handle, far, mods);
    if (!(small >= 0.01 * (1 - 1e-12) && small < 1))
        fail_msg("%s in %s: %g", gz_vocabulary_word(&gz_handle_words, (int)handle), world->name,
                 small);
    s.target.local = s.now;
    build(&s, world);
    assert_true(world->sign * pull_in(&s, world, handle, 300, 0) > 2 * small);
    int pulls = 0;
    for (double now = small; now < 0.5; pulls++) {
        now = world->sign * pull_in(&s, world, handle, 400, 0);
        s.target.local = s.now;
        build(&s, world);
    }
    assert_true(pulls <= 4);
}

TEST(test_no_pull_leaves_what_another_cannot_bring_back)
{
    static const uint32_t mods[] = {0, 1u << GZ_MOD_FINE, 1u << GZ_MOD_SNAP};
    for (size_t i = 0; i < COUNT(scales) * COUNT(mods) * COUNT(worlds); i++) {
        const struct world *world = &worlds[i % COUNT(worlds)];
        const enum gz_handle handle = scales[i / COUNT(worlds) / COUNT(mods)];
        const uint32_t held = mods[i / COUNT(worlds) % COUNT(mods)];
        shrink_and_grow(world, handle, held, false);
        shrink_and_grow(world, handle, held, true);
    }
}

TEST(test_mirrored_pull_stays_off_zero)
{
    struct stage s = box_of(1, GZ_MODE_SCALE);
    double at[2], away[2];
    s.tool.mirror = true;
    find_grip(&s, GZ_SX, at, away);
    assert_int_equal(stage_press(&s, GZ_SX, at[0], at[1]), GZ_SOLVE_OK);
    for (double px = 0; px > -200; px -= 0.25) {
        stage_move(&s, at[0] + px * away[0], at[1] + px * away[1]);
        assert_true(fabs(s.now.s.x) >= 0.01 * (1 - 1e-12));
    }
    assert_true(s.now.s.x < -0.5);
}

/* Ten pixels outwards from a press this far beside the middle, in this direction. */
static double ten_px_in(struct stage *s, const struct world *world, enum gz_handle handle,
                        const double beside[2], uint32_t mods)
{
    double at[2], away[2];
    find_grip(s, handle, at, away);
    if (handle < GZ_BXN) stage_image(s, s->gizmo.origin, at);
    const double x = at[0] + beside[0], y = at[1] + beside[1];
    const struct gz_camera *camera = world->by_ray ? NULL : &s->camera;
    const struct gz_pointer press = pointer_of(s, world, x, y),
                            now = pointer_of(s, world, x + 10 * away[0], y + 10 * away[1]);
    s->motion = gz_motion_none;
    assert_int_equal(gz_drag_begin(&s->drag, handle, &s->gizmo, &s->tool, camera, &press, mods),
                     GZ_SOLVE_OK);
    (void)gz_drag_solve(&s->drag, camera, &now, 0, &s->motion);
    assert_true(gz_motion_apply(&s->motion, &s->target, &s->target.parent, &s->now, NULL));
    return touched(s, handle) / gz_component(s->target.local.s, 0);
}

static double ten_px(struct stage *s, enum gz_handle handle, const double beside[2], uint32_t mods)
{
    return ten_px_in(s, &usual, handle, beside, mods);
}

TEST(test_disc_in_the_middle_scales_alike_wherever_it_is_pressed)
{
    struct stage s = box_of(1, GZ_MODE_SCALE);
    double first = ten_px(&s, GZ_SU, (double[2]){0, 0}, PICKED);
    assert_near(first, 1 + 10.0 / 96, 1e-9);
    for (double angle = 0; angle < 6.2; angle += 0.3)
        for (double off = 0; off < 11; off += 0.3) {
            const double beside[2] = {off * cos(angle), off * sin(angle)};
            assert_near(ten_px(&s, GZ_SU, beside, PICKED), first, 1e-9);
        }
}

/* A fifth of a pixel in the press changes what ten pixels do by less than a tenth. What is pulled
 * outwards grows. */
static void press_side_by_side(const struct world *world, enum gz_handle handle, double size)
{
    struct stage s = box_in(world, size, mode_for(handle));
    double at[2], away[2], last = 0;
    find_grip(&s, handle, at, away);
    for (double off = handle >= GZ_BXN ? -6 : 0; off < 30; off += 0.2) {
        const double beside[2] = {off * away[0], off * away[1]};
        double factor = ten_px_in(&s, world, handle, beside, 0);
        if (!(factor > 1) || (last != 0 && !(fabs(factor / last - 1) < 0.1)))
            fail_msg("%s in %s, %g px beside, size %g: %g after %g",
                     gz_vocabulary_word(&gz_handle_words, (int)handle), world->name, off, size,
                     factor, last);
        last = factor;
    }
}

/* Whichever handle and however small the box. */
TEST(test_presses_side_by_side_do_nearly_the_same)
{
    static const double sizes[] = {1, 0.03, 0.01, 0.003};
    for (size_t i = 0; i < COUNT(worlds) * COUNT(scales) * COUNT(sizes); i++)
        press_side_by_side(&worlds[i / COUNT(scales) / COUNT(sizes)],
                           scales[i / COUNT(sizes) % COUNT(scales)], sizes[i % COUNT(sizes)]);
}

/* A handle that is named keeps the ratio from 4 px on: what was grabbed stays under the pointer. On
 * the pivot's image it goes by pixels, and in between by both. */
TEST(test_named_handle_keeps_the_ratio)
{
    static const double px[] = {0, 1, 2, 3.9, 4, 5, 60};
    struct stage s = box_of(1, GZ_MODE_SCALE);
    for (size_t i = 0; i < COUNT(px); i++) {
        const double beside[2] = {px[i] * M_SQRT1_2, -px[i] * M_SQRT1_2};
        double part = fmin(px[i] * px[i] * px[i] / 64, 1),
               by_ratio = part > 0 ? part * 10 / px[i] : 0;
        assert_near(ten_px(&s, GZ_SU, beside, 0), 1 + by_ratio + (1 - part) * 10 / 96, 1e-9);
    }
}

/* No factor makes something of nothing, and none makes nothing. */
TEST(test_scale_of_zero_stays)
{
    for (size_t i = 0; i < COUNT(scales) * 8; i++) {
        struct stage s = box_of(1, mode_for(scales[i / 8]));
        const gz_vec3 zero = {i & 1 ? 0 : 2, i & 2 ? -0.0 : 2, i & 4 ? 0 : -2};
        const struct gz_pointer press = {.at = {900, 500}};
        s.target.local.s = zero;
        stage_build(&s);
        s.motion = gz_motion_none;
        if (gz_drag_begin(&s.drag, scales[i / 8], &s.gizmo, &s.tool, &s.camera, &press, 0) ==
            GZ_SOLVE_NONE)
            continue; /* a side that is not apart from the other */
        for (int snapped = 0; snapped < 2; snapped++) {
            s.drag.snap = (struct gz_snap){.s = 0.25, .on = snapped, .absolute = true};
            for (double x = 500; x < 1400; x += 50) {
                stage_move(&s, x, 300);
                for (int axis = 0; axis < 3; axis++) {
                    double was = gz_component(zero, axis), is = gz_component(s.now.s, axis);
                    assert_true(was == 0 ? is == 0 : fabs(is) >= 0.01 && isfinite(is));
                }
            }
        }
    }
}
