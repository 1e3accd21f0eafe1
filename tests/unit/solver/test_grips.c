/* What a press leaves behind: no scale handle takes a node to where the same handle cannot take it
 * back from, and two presses side by side do nearly the same. */
#include "unit/solver/stage.h"

#define PICKED (1u << GZ_MOD_PICKED)

static const gz_box cube = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};

static const enum gz_handle scales[] = {GZ_SX,  GZ_SY,  GZ_SZ,   GZ_SXY,  GZ_SYZ,
                                        GZ_SZX, GZ_SU,  GZ_BXN,  GZ_BXP,  GZ_BYP,
                                        GZ_BZN, GZ_BZP, GZ_BPPP, GZ_BNNN, GZ_BNPN};

/* A box of this size, seen from a corner. */
static struct stage box_of(double scale, enum gz_mode mode)
{
    struct stage s =
        stage_of(camera_look((gz_vec3){3, 4, 5}, (gz_vec3){0, 0, 0}), node_at(0, 0, 0));
    s.target.local.s = (gz_vec3){scale, scale, scale};
    s.target.bounds = &cube;
    s.tool.mode = mode;
    stage_build(&s);
    return s;
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
static double pull(struct stage *s, enum gz_handle handle, double px, uint32_t mods)
{
    double at[2], away[2];
    find_grip(s, handle, at, away);
    const struct gz_pointer press = {.at = {at[0], at[1]}};
    s->motion = gz_motion_none;
    assert_int_equal(gz_drag_begin(&s->drag, handle, &s->gizmo, &s->tool, &s->camera, &press,
                                   handle == GZ_SU ? PICKED : 0),
                     GZ_SOLVE_OK);
    stage_move_with(s, at[0] + px * away[0], at[1] + px * away[1], mods);
    return touched(s, handle);
}

TEST(test_no_pull_leaves_what_another_cannot_bring_back)
{
    static const uint32_t mods[] = {0, 1u << GZ_MOD_FINE, 1u << GZ_MOD_SNAP};
    for (size_t i = 0; i < COUNT(scales) * COUNT(mods) * 2; i++) {
        enum gz_handle handle = scales[i / 2 / COUNT(mods)];
        struct stage s = box_of(1, mode_for(handle));
        s.tool.snap.s = 0.15;
        s.tool.snap.absolute = i % 2 == 1;
        double small = pull(&s, handle, -2000, mods[i / 2 % COUNT(mods)]);
        assert_true(small >= 0.01 * (1 - 1e-12) && small < 1);
        s.target.local = s.now;
        stage_build(&s);
        assert_true(pull(&s, handle, 300, 0) > 2 * small);
        int pulls = 0;
        for (double now = small; now < 0.5; pulls++) {
            now = pull(&s, handle, 400, 0);
            s.target.local = s.now;
            stage_build(&s);
        }
        assert_true(pulls <= 4);
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
static double ten_px(struct stage *s, enum gz_handle handle, const double beside[2], uint32_t mods)
{
    double at[2], away[2];
    find_grip(s, handle, at, away);
    if (handle < GZ_BXN) stage_image(s, s->gizmo.origin, at);
    const struct gz_pointer press = {.at = {at[0] + beside[0], at[1] + beside[1]}};
    s->motion = gz_motion_none;
    assert_int_equal(gz_drag_begin(&s->drag, handle, &s->gizmo, &s->tool, &s->camera, &press, mods),
                     GZ_SOLVE_OK);
    stage_move(s, press.at[0] + 10 * away[0], press.at[1] + 10 * away[1]);
    return touched(s, handle) / gz_component(s->target.local.s, 0);
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

/* A fifth of a pixel in the press changes what ten pixels do by less than a tenth, whichever handle
 * and however small the box. What is pulled outwards grows. */
TEST(test_presses_side_by_side_do_nearly_the_same)
{
    static const double sizes[] = {1, 0.03, 0.01, 0.003};
    for (size_t i = 0; i < COUNT(scales) * COUNT(sizes); i++) {
        enum gz_handle handle = scales[i / COUNT(sizes)];
        struct stage s = box_of(sizes[i % COUNT(sizes)], mode_for(handle));
        double at[2], away[2], last = 0;
        find_grip(&s, handle, at, away);
        for (double off = handle >= GZ_BXN ? -6 : 0; off < 30; off += 0.2) {
            const double beside[2] = {off * away[0], off * away[1]};
            double factor = ten_px(&s, handle, beside, 0);
            assert_true(factor > 1);
            if (last != 0 && !(fabs(factor / last - 1) < 0.1))
                fail_msg("%s %g px beside, size %g: %g after %g",
                         gz_vocabulary_word(&gz_handle_words, (int)handle), off,
                         sizes[i % COUNT(sizes)], factor, last);
            last = factor;
        }
    }
}

/* A handle that is named keeps the ratio from 4 px on: what was grabbed stays under the pointer. */
TEST(test_named_handle_keeps_the_ratio)
{
    struct stage s = box_of(1, GZ_MODE_SCALE);
    const double beside[2] = {5 * M_SQRT1_2, -5 * M_SQRT1_2};
    assert_near(ten_px(&s, GZ_SU, beside, 0), 3, 1e-9);
}
