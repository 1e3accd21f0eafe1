/* Random drags against the definitions in quadruple precision: every handle, every projection, near
 * and far, small and large coordinates. GIZMOD_SEED chooses others, GIZMOD_TIMES how many. */
#include <stdio.h>
#include <string.h>

#include "property/solver_reference.h"
#include "property/solver_world.h"
#include "support/cmocka.h"

#define MOVES 5

/* How scenes differ, and the error on the screen that each may have: of handles that turn and
 * scale, and of those that move. At ten million metres the last bit of a position is seen when the
 * eye is near; nothing but that may be lost. Steep drags are those that the default tool would not
 * make by these laws: they reach far, and come back with what a far place's last bit is near the
 * eye. */
static const struct scene_class {
    const char *name;
    double place_max, distance_min, distance_max, px_max, px_max_moving, px_max_steep;
} classes[] = {
    {"typical", 10, 0.5, 50, 1e-6, 1e-6, 1e-4},
    {"small", 0.01, 1e-3, 1e-2, 1e-6, 1e-6, 1e-4},
    {"distant", 10, 1e3, 1e6, 1e-6, 1e-6, 1e-4},
    {"large", 1e7, 0.5, 50, 1e-7, 1e-3, 1e-2},
};
#define CLASSES ((int)(sizeof classes / sizeof *classes))

struct drag_case {
    const struct scene_class *kind;
    struct gz_camera_input input;
    struct gz_camera camera;
    struct reference reference;
    struct gz_target target;
    gz_box box;
    struct gz_tool tool;
    struct gz_gizmo gizmo;
    enum gz_handle handle;
    struct gz_pointer press, moves[MOVES];
    struct gz_drag drag;
};

static gz_vec3 along(gz_vec3 from, gz_vec3 direction, double length)
{
    return gz_add(from, gz_scale(direction, length));
}

/* Where a face or corner is in the node's own box: -1, 0 or 1 along each axis, as its word says. */
static void side_of(enum gz_handle handle, int side[3])
{
    const char *word = gz_vocabulary_word(&gz_handle_words, (int)handle);
    for (int axis = 0; axis < 3; axis++) {
        bool face = strlen(word) == 3, this_axis = word[1] == "xyz"[axis];
        char letter = face ? (this_axis ? word[2] : 0) : word[1 + axis];
        side[axis] = letter == 'n' ? -1 : letter == 'p' ? 1 : 0;
    }
}

/* The middle of that face, or that corner; with `sign` -1 the opposite one. World. */
static quad3 place_of_side(const struct drag_case *c, int sign)
{
    int side[3];
    quad local[3];
    side_of(c->handle, side);
    for (int axis = 0; axis < 3; axis++) {
        quad low = gz_component(c->box.min, axis), high = gz_component(c->box.max, axis);
        local[axis] = ((low + high) + (high - low) * side[axis] * sign) / 2 *
                      gz_component(c->target.local.s, axis);
    }
    const quad3 scaled = {{local[0], local[1], local[2]}};
    return quad3_add(quad3_from(c->target.local.t), quad3_turn(c->target.local.r, scaled));
}

static gz_vec3 rounded(quad3 v)
{
    return (gz_vec3){(double)v.v[0], (double)v.v[1], (double)v.v[2]};
}

/* A box that is somewhere about the node, some hundredths to tenths of the eye's distance wide. */
static gz_box dice_box(struct dice *dice, double distance, gz_vec3 s)
{
    gz_vec3 centre = gz_scale(dice_direction(dice), dice_uniform(dice, 0, 0.05) * distance), half;
    half.x = dice_scale(dice, 0.02, 0.2) * distance;
    half.y = dice_scale(dice, 0.02, 0.2) * distance;
    half.z = dice_scale(dice, 0.02, 0.2) * distance;
    const gz_vec3 shrink = {1 / fabs(s.x), 1 / fabs(s.y), 1 / fabs(s.z)};
    return (gz_box){gz_times(gz_sub(centre, half), shrink), gz_times(gz_add(centre, half), shrink)};
}

/* A place on the handle, roughly: the press is a few pixels beside its image. */
static gz_vec3 place_on_handle(const struct drag_case *c, struct dice *dice)
{
    const struct gz_gizmo *g = &c->gizmo;
    double a = dice_uniform(dice, 0.5, 0.9) * g->size, b = dice_uniform(dice, 0.5, 0.75) * g->size;
    double angle = dice_uniform(dice, -3, 3);
    bool scale = c->handle >= GZ_SX;
    const gz_vec3 *axes = scale ? g->scale_axes : g->axes;
    int i = (c->handle - GZ_TX) % 3, j = (i + 1) % 3;
    if (c->handle >= GZ_BXN) return rounded(place_of_side(c, 1));
    switch (c->handle) {
    case GZ_TX:
    case GZ_TY:
    case GZ_TZ: return along(g->origin, g->axes[c->handle - GZ_TX], a);
    case GZ_SX:
    case GZ_SY:
    case GZ_SZ: return along(g->origin, g->scale_axes[c->handle - GZ_SX], a);
    case GZ_TXY:
    case GZ_TYZ:
    case GZ_TZX: return along(along(g->origin, axes[i], a), axes[j], b);
    case GZ_SXY:
    case GZ_SYZ:
    case GZ_SZX:
        i = c->handle - GZ_SXY;
        return along(along(g->origin, axes[i], a), axes[(i + 1) % 3], b);
    case GZ_RX:
    case GZ_RY:
    case GZ_RZ:
        i = c->handle - GZ_RX;
        return along(along(g->origin, g->turn_axes[(i + 1) % 3], g->size * cos(angle)),
                     g->turn_axes[(i + 2) % 3], g->size * sin(angle));
    default:
        return along(along(g->origin, c->camera.right, a * cos(angle)), c->camera.up,
                     a * sin(angle));
    }
}

/* False where the dice made something without a drag: a handle behind the viewer, an edge exactly
 * seen. */
static bool make_case(struct drag_case *c, struct dice *dice)
{
    memset(c, 0, sizeof *c);
    c->kind = &classes[dice_below(dice, CLASSES)];
    gz_vec3 centre = gz_scale(dice_direction(dice), dice_uniform(dice, 0, c->kind->place_max));
    double distance = dice_scale(dice, c->kind->distance_min, c->kind->distance_max);
    struct eye eye = dice_eye(dice, centre, distance);
    c->input = eye_matrices(&eye);
    c->tool = gz_tool_default;
    c->tool.mode = GZ_MODE_UNIVERSAL;
    c->tool.edge_rad = 0;
    c->tool.mirror = dice_below(dice, 2) == 0;
    c->tool.space = (enum gz_space)dice_below(dice, GZ_SPACE_COUNT);
    c->tool.ball = (enum gz_ball)dice_below(dice, GZ_BALL_COUNT);
    c->handle = (enum gz_handle)(1 + dice_below(dice, GZ_HANDLE_COUNT - 1));
    c->target = (struct gz_target){gz_trs_identity, gz_affine_identity, NULL};
    c->target.local.t = centre;
    c->target.local.r = dice_rotation(dice);
    c->target.local.s = (gz_vec3){dice_scale(dice, 0.01, 100), -dice_scale(dice, 0.01, 100),
                                  dice_scale(dice, 0.01, 100)};
    c->box = dice_box(dice, distance, c->target.local.s);
    c->target.bounds = &c->box;
    if (!gz_camera_prepare(&c->camera, &c->input, NULL) ||
        !reference_init(&c->reference, &c->input))
        return false;
    if (!gz_gizmo_build(&c->gizmo, &c->tool, &c->camera, NULL, &c->target, 1, 0)) return false;
    if (!gz_camera_project(&c->camera, place_on_handle(c, dice), c->press.at, NULL)) return false;
    for (int i = 0; i < 2; i++) c->press.at[i] += dice_uniform(dice, -3, 3);
    for (int m = 0; m < MOVES; m++) {
        double reach = m % 2 ? 100 : 900;
        for (int i = 0; i < 2; i++)
            c->moves[m].at[i] = c->press.at[i] + dice_uniform(dice, -reach, reach);
    }
    return gz_drag_begin(&c->drag, c->handle, &c->gizmo, &c->tool, &c->camera, &c->press, 0) ==
           GZ_SOLVE_OK;
}

/* ---- What should be: where the grabbed point's image is, and where the solver's answer puts it
 * ---- */

struct answer {
    quad3 wanted, got; /* the grabbed point after the drag, world */
    quad ratio;        /* of its distances from the pivot */
};

static quad factor_of(const struct drag_case *c, const gz_trs *now)
{
    const gz_trs *start = &c->target.local;
    switch (c->handle) {
    case GZ_SY:
    case GZ_SYZ: return (quad)now->s.y / start->s.y;
    case GZ_SZ:
    case GZ_SZX: return (quad)now->s.z / start->s.z;
    default: return (quad)now->s.x / start->s.x;
    }
}

static bool answer_axis(const struct drag_case *c, const double at[2], const gz_trs *now,
                        struct answer *answer)
{
    quad3 p = quad3_from(c->gizmo.origin), d = quad3_from(c->drag.axes[0]);
    quad from, to;
    if (!reference_on_axis(&c->reference, p, d, c->press.at, &from)) return false;
    if (!reference_on_axis(&c->reference, p, d, at, &to)) return false;
    answer->wanted = quad3_add(p, quad3_scale(d, to));
    answer->ratio = c->handle >= GZ_SX ? to / from : 1;
    if (c->handle >= GZ_SX)
        answer->got = quad3_add(p, quad3_scale(d, from * factor_of(c, now)));
    else
        answer->got = quad3_add(quad3_from(now->t), quad3_scale(d, from));
    return c->handle < GZ_SX || to / from > 0 || c->tool.mirror;
}

/* What is pulled goes where the line from the opposite face or corner through it is under the
 * pointer, and with it all of the node, as one whose rotation and parent are as they were. */
static bool answer_side(const struct drag_case *c, const double at[2], const gz_trs *now,
                        struct answer *answer)
{
    const gz_trs *start = &c->target.local;
    quad3 p = place_of_side(c, -1), d = quad3_sub(place_of_side(c, 1), p);
    quad from, to;
    if (!reference_on_axis(&c->reference, p, d, c->press.at, &from)) return false;
    if (!reference_on_axis(&c->reference, p, d, at, &to)) return false;
    answer->wanted = quad3_add(p, quad3_scale(d, to));
    answer->ratio = to / from;
    quad3 grabbed = quad3_sub(quad3_add(p, quad3_scale(d, from)), quad3_from(start->t));
    grabbed = quad3_turn(gz_quat_conjugate(start->r), grabbed);
    for (int axis = 0; axis < 3; axis++)
        grabbed.v[axis] *= (quad)gz_component(now->s, axis) / gz_component(start->s, axis);
    answer->got = quad3_add(quad3_from(now->t), quad3_turn(now->r, grabbed));
    return to / from > 0 || c->tool.mirror;
}

static bool answer_plane(const struct drag_case *c, const double at[2], const gz_trs *now,
                         struct answer *answer)
{
    quad3 p = quad3_from(c->gizmo.origin), from, to;
    quad3 normal = quad3_cross(quad3_from(c->drag.axes[0]), quad3_from(c->drag.axes[1]));
    if (!reference_on_plane(&c->reference, p, normal, c->press.at, &from)) return false;
    if (!reference_on_plane(&c->reference, p, normal, at, &to)) return false;
    answer->wanted = to;
    answer->got = quad3_add(quad3_from(now->t), quad3_sub(from, p));
    return true;
}

/* The turn's own quaternion, so that the object's rotation does not hide it. */
static quad3 turned_by(const struct drag_case *c, const gz_trs *now, quad3 v)
{
    gz_quat back = gz_quat_conjugate(c->target.local.r);
    return quad3_turn(now->r, quad3_turn(back, v));
}

static bool answer_ring(const struct drag_case *c, const double at[2], const gz_trs *now,
                        struct answer *answer)
{
    quad3 p = quad3_from(c->gizmo.origin), from, to, normal = quad3_from(c->drag.turn_axis);
    if (!reference_on_plane(&c->reference, p, normal, c->press.at, &from)) return false;
    if (!reference_on_plane(&c->reference, p, normal, at, &to)) return false;
    quad3 arm = quad3_sub(from, p), wanted = quad3_sub(to, p);
    answer->wanted = quad3_add(p, quad3_scale(wanted, quad3_length(arm) / quad3_length(wanted)));
    answer->got = quad3_add(p, turned_by(c, now, arm));
    return true;
}

static bool answer_uniform(const struct drag_case *c, const double at[2], const gz_trs *now,
                           struct answer *answer)
{
    quad here[2];
    quad3 p = quad3_from(c->gizmo.origin);
    if (!reference_project(&c->reference, p, here)) return false;
    quad ax = c->press.at[0] - here[0], ay = c->press.at[1] - here[1], bx = at[0] - here[0],
         by = at[1] - here[1];
    quad ratio = quad_sqrt((bx * bx + by * by) / (ax * ax + ay * ay));
    quad3 arm = quad3_scale(quad3_from(c->camera.right), c->gizmo.size);
    answer->wanted = quad3_add(p, quad3_scale(arm, ratio));
    answer->ratio = ratio;
    answer->got = quad3_add(p, quad3_scale(arm, factor_of(c, now)));
    return true;
}

/* The sphere met by the ray, inside the part of its image where the ball is that sphere. */
static bool point_of_sphere(const struct drag_case *c, const double at[2], quad3 *unit)
{
    const quad pixel[2] = {at[0], at[1]};
    quad3 from, along_ray, centre = quad3_from(c->gizmo.origin);
    if (!reference_ray(&c->reference, pixel, &from, &along_ray)) return false;
    along_ray = quad3_scale(along_ray, 1 / quad3_length(along_ray));
    if (!c->camera.perspective && quad3_dot(along_ray, quad3_from(c->camera.backward)) > 0)
        along_ray = quad3_scale(along_ray, -1);
    quad3 offset = quad3_sub(from, centre);
    quad3 nearest = quad3_sub(offset, quad3_scale(along_ray, quad3_dot(offset, along_ray)));
    quad radius = c->gizmo.size, square = radius * radius - quad3_dot(nearest, nearest);
    if (!(square > (quad)0.0021 * radius * radius)) return false;
    quad3 hit = quad3_sub(nearest, quad3_scale(along_ray, quad_sqrt(square)));
    *unit = quad3_scale(hit, 1 / radius);
    return true;
}

static bool point_of_sheet(const struct drag_case *c, const double at[2], quad3 *unit)
{
    quad here[2];
    if (!reference_project(&c->reference, quad3_from(c->gizmo.origin), here)) return false;
    quad x = (at[0] - here[0]) / c->tool.size_px, y = -(at[1] - here[1]) / c->tool.size_px, z,
         square = x * x + y * y;
    if (c->tool.ball == GZ_BALL_BELL)
        z = square <= 0.5 ? quad_sqrt(1 - square) : 1 / (2 * quad_sqrt(square));
    else
        z = square <= 1 ? quad_sqrt(1 - square) : 0;
    quad3 point = quad3_add(quad3_add(quad3_scale(quad3_from(c->camera.right), x),
                                      quad3_scale(quad3_from(c->camera.up), y)),
                            quad3_scale(quad3_from(c->camera.backward), z));
    *unit = quad3_scale(point, 1 / quad3_length(point));
    return true;
}

static bool answer_ball(const struct drag_case *c, const double at[2], const gz_trs *now,
                        struct answer *answer)
{
    bool exact = c->tool.ball == GZ_BALL_EXACT;
    quad3 from, to, p = quad3_from(c->gizmo.origin);
    if (!(exact ? point_of_sphere : point_of_sheet)(c, c->press.at, &from)) return false;
    if (!(exact ? point_of_sphere : point_of_sheet)(c, at, &to)) return false;
    quad cosine = quad3_dot(from, to);
    if (cosine < -0.999) return false; /* nearly opposite: the axis is a choice */
    if (c->tool.ball == GZ_BALL_SHOEMAKE) to = quad3_sub(quad3_scale(to, 2 * cosine), from);
    answer->wanted = quad3_add(p, quad3_scale(to, c->gizmo.size));
    answer->got = quad3_add(p, quad3_scale(turned_by(c, now, from), c->gizmo.size));
    return true;
}

static bool answer_of(const struct drag_case *c, const double at[2], const gz_trs *now,
                      struct answer *answer)
{
    if (c->handle >= GZ_BXN && c->drag.rule == GZ_RULE_AXIS_SCREEN)
        return answer_side(c, at, now, answer);
    switch (c->drag.rule) {
    case GZ_RULE_AXIS_SCREEN: return answer_axis(c, at, now, answer);
    case GZ_RULE_PLANE: return answer_plane(c, at, now, answer);
    case GZ_RULE_RING: return answer_ring(c, at, now, answer);
    case GZ_RULE_UNIFORM: return answer_uniform(c, at, now, answer);
    case GZ_RULE_BALL: return answer_ball(c, at, now, answer);
    default: return false;
    }
}

/* Pixels between the two images; false where either has none. */
static bool error_px(const struct drag_case *c, const struct answer *answer, double *px)
{
    quad a[2], b[2];
    if (!reference_project(&c->reference, answer->wanted, a)) return false;
    if (!reference_project(&c->reference, answer->got, b)) {
        *px = HUGE_VAL;
        return true;
    }
    quad dx = a[0] - b[0], dy = a[1] - b[1];
    *px = (double)quad_sqrt(dx * dx + dy * dy);
    return true;
}

/* ---- The test ---- */

struct worst {
    double px;
    long answers, limits;
};

static void fail_drag(const struct drag_case *c, long number, const char *what, double value)
{
    print_error("drag %ld of seed %llu: %s, handle %s, space %s, %s: %g\n", number,
                (unsigned long long)test_seed(), c->kind->name,
                gz_vocabulary_word(&gz_handle_words, (int)c->handle),
                gz_vocabulary_word(&gz_space_words, (int)c->tool.space), what, value);
    fail();
}

/* A limit is right where the definition's answer is past it, or has none. */
static bool limit_is_right(const struct drag_case *c, const struct answer *answer)
{
    if (!c->camera.perspective || fabs((double)answer->ratio) < 0.01 * 1.001) return true;
    double ratio = (double)reference_w(&c->reference, answer->wanted) / c->drag.depth;
    return ratio > 0.999e6 || ratio < 1.001 * fmax(1e-6, c->camera.near_w / c->drag.depth);
}

/* The sine between the ray of a pixel and what is dragged along: an axis, or a plane. */
static double sine_to_handle(const struct drag_case *c, const double at[2])
{
    const quad pixel[2] = {at[0], at[1]};
    quad3 from, ray, first = quad3_from(c->drag.axes[0]), second = quad3_from(c->drag.axes[1]);
    if (!reference_ray(&c->reference, pixel, &from, &ray)) return 0;
    quad length = quad3_length(ray);
    if (c->drag.rule == GZ_RULE_AXIS_SCREEN)
        return (double)(quad3_length(quad3_cross(first, ray)) / (quad3_length(first) * length));
    quad3 normal = quad3_cross(first, second);
    double sine = (double)(quad3_dot(normal, ray) / (quad3_length(normal) * length));
    return fabs(sine);
}

static bool is_steep(const struct drag_case *c, const double at[2])
{
    const double edge = sin(gz_tool_default.edge_rad);
    if (c->drag.rule != GZ_RULE_AXIS_SCREEN && c->drag.rule != GZ_RULE_PLANE) return false;
    return sine_to_handle(c, c->press.at) < edge || sine_to_handle(c, at) < edge;
}

static void check_move(struct drag_case *c, long number, const double at[2], struct worst *worst)
{
    struct gz_motion motion = gz_motion_none;
    const struct gz_pointer pointer = {.at = {at[0], at[1]}};
    gz_trs now = c->target.local;
    struct answer answer;
    double px;
    enum gz_solve solved = gz_drag_solve(&c->drag, &c->camera, &pointer, 0, &motion);
    if (solved == GZ_SOLVE_KEPT) {
        if (answer_of(c, at, &now, &answer))
            fail_drag(c, number, "kept where there is an answer", 0);
        return;
    }
    if (!gz_motion_apply(&motion, &c->target, &c->target.parent, &now, NULL)) return;
    if (!gz_trs_finite(&now)) fail_drag(c, number, "not finite", 0);
    if (!answer_of(c, at, &now, &answer) || !error_px(c, &answer, &px)) return;
    if (solved == GZ_SOLVE_CLAMPED) {
        worst->limits++;
        bool tiny_factor = c->handle >= GZ_SX && fabs(motion.value[0]) <= 1e-6;
        if (!tiny_factor && !limit_is_right(c, &answer))
            fail_drag(c, number, "limited inside the range", px);
        return;
    }
    worst->answers++;
    if (px > worst->px) worst->px = px;
    bool moves = c->handle <= GZ_TV || c->handle >= GZ_BXN;
    double allowed = moves ? c->kind->px_max_moving : c->kind->px_max;
    if (!(px <= allowed) && !(px <= c->kind->px_max_steep && is_steep(c, at)))
        fail_drag(c, number, "pixels off", px);
}

TEST(test_random_drags_stay_under_the_pointer)
{
    struct dice dice = {test_seed()};
    long drags = test_count(10000);
    static struct worst worst[CLASSES][GZ_HANDLE_COUNT];
    for (long number = 0; number < drags; number++) {
        struct drag_case c;
        if (!make_case(&c, &dice)) continue;
        struct worst *w = &worst[c.kind - classes][c.handle];
        for (int m = 0; m < MOVES; m++) check_move(&c, number, c.moves[m].at, w);
    }
    print_message("seed %llu, %ld drags; largest error in px\n%-4s",
                  (unsigned long long)test_seed(), drags, "");
    for (int k = 0; k < CLASSES; k++) print_message(" %9s", classes[k].name);
    long answers = 0;
    for (int h = 1; h < GZ_HANDLE_COUNT; h++) {
        print_message("\n%-4s", gz_vocabulary_word(&gz_handle_words, h));
        for (int k = 0; k < CLASSES; k++) {
            print_message(" %9.1e", worst[k][h].px);
            answers += worst[k][h].answers;
        }
    }
    print_message("\n%ld answers compared\n", answers);
    assert_true(answers > drags);
}

/* The same pointer gives the same bits after any way to it, and the press's the start's bits. */
TEST(test_random_drags_have_no_memory)
{
    struct dice dice = {test_seed() + 1};
    long drags = test_count(10000) / 4;
    for (long number = 0; number < drags; number++) {
        struct drag_case c;
        if (!make_case(&c, &dice)) continue;
        struct gz_drag wandering = c.drag, straight = c.drag;
        struct gz_motion there = gz_motion_none, direct = gz_motion_none, back = gz_motion_none;
        gz_trs a = c.target.local, b = c.target.local;
        for (int m = 1; m < MOVES; m++)
            (void)gz_drag_solve(&wandering, &c.camera, &c.moves[m], 0, &there);
        there = gz_motion_none;
        enum gz_solve one = gz_drag_solve(&wandering, &c.camera, &c.moves[0], 0, &there);
        enum gz_solve two = gz_drag_solve(&straight, &c.camera, &c.moves[0], 0, &direct);
        if (one != two) fail_drag(&c, number, "another result after a detour", one);
        bool applied_a = gz_motion_apply(&there, &c.target, &c.target.parent, &a, NULL);
        bool applied_b = gz_motion_apply(&direct, &c.target, &c.target.parent, &b, NULL);
        if (applied_a != applied_b || !same_but_turns(&a, b))
            fail_drag(&c, number, "other bits after a detour", 0);
        if (gz_drag_solve(&wandering, &c.camera, &c.press, 0, &back) != GZ_SOLVE_OK)
            fail_drag(&c, number, "no answer at the press", 0);
        assert_true(gz_motion_apply(&back, &c.target, &c.target.parent, &a, NULL));
        if (!same_but_turns(&a, c.target.local))
            fail_drag(&c, number, "other bits back at the press", 0);
    }
}

/* One drag with whole pixels, so that only what is asked about differs. */
static gz_trs drag_once(const struct eye *eye, const struct gz_target *target,
                        enum gz_handle handle, double pixels)
{
    struct gz_tool tool = gz_tool_default;
    struct gz_camera_input input = eye_matrices(eye);
    struct gz_camera camera;
    struct gz_gizmo gizmo;
    struct gz_drag drag;
    struct gz_motion motion = gz_motion_none;
    gz_trs now = target->local;
    struct gz_pointer pointer = {0};
    tool.mode = GZ_MODE_UNIVERSAL;
    tool.size_px *= pixels;
    assert_true(gz_camera_prepare(&camera, &input, NULL));
    assert_true(gz_gizmo_build(&gizmo, &tool, &camera, NULL, target, 1, 0));
    assert_true(gz_camera_project(&camera, gizmo.origin, pointer.at, NULL));
    pointer.at[0] = rint(pointer.at[0] / pixels + 41) * pixels;
    pointer.at[1] = rint(pointer.at[1] / pixels - 23) * pixels;
    if (gz_drag_begin(&drag, handle, &gizmo, &tool, &camera, &pointer, 0) != GZ_SOLVE_OK)
        return now;
    pointer.at[0] += 30 * pixels;
    pointer.at[1] -= 17 * pixels;
    (void)gz_drag_solve(&drag, &camera, &pointer, 0, &motion);
    assert_true(gz_motion_apply(&motion, target, &target->parent, &now, NULL));
    return now;
}

/* The same picture from another projection, handedness or y is the same drag. */
TEST(test_projection_conventions_do_not_matter)
{
    struct dice dice = {test_seed() + 2};
    for (int number = 0; number < 300; number++) {
        struct gz_target target = {gz_trs_identity, gz_affine_identity, NULL};
        double distance = dice_scale(&dice, 0.5, 50);
        const gz_box box = dice_box(&dice, distance, target.local.s);
        target.bounds = &box;
        target.local.t = gz_scale(dice_direction(&dice), dice_uniform(&dice, 0, 10));
        target.local.r = dice_rotation(&dice);
        struct eye eye = dice_eye(&dice, target.local.t, distance);
        enum gz_handle handle = (enum gz_handle)(1 + dice_below(&dice, GZ_HANDLE_COUNT - 1));
        gz_trs first = target.local;
        for (int way = 0; way < DEPTH_KINDS * 4; way++) {
            eye.depth = (enum depth_kind)(way % DEPTH_KINDS);
            eye.y_down = way / DEPTH_KINDS % 2;
            eye.left_handed = way / DEPTH_KINDS / 2;
            gz_trs now = drag_once(&eye, &target, handle, 1);
            if (way == 0) first = now;
            double off = gz_length(gz_sub(now.t, first.t)) / distance +
                         gz_length(gz_sub(now.s, first.s)) + fabs(now.r.x - first.r.x) +
                         fabs(now.r.y - first.r.y) + fabs(now.r.z - first.r.z);
            if (!(off < 1e-9))
                fail_msg("case %d, way %d, handle %d: %g", number, way, (int)handle, off);
        }
    }
}

/* Powers of two change no digit, so the results have to agree to the last bit: no length or
 * coordinate is compared with a constant anywhere. */
TEST(test_scene_and_picture_sizes_do_not_matter)
{
    static const double sizes[] = {0x1p-20, 0x1p20};
    struct dice dice = {test_seed() + 4};
    for (int number = 0; number < 2000; number++) {
        struct gz_target target = {gz_trs_identity, gz_affine_identity, NULL}, other;
        target.local.t = gz_scale(dice_direction(&dice), dice_uniform(&dice, 0, 10));
        target.local.r = dice_rotation(&dice);
        double distance = dice_scale(&dice, 0.5, 50);
        struct eye eye = dice_eye(&dice, target.local.t, distance), changed = eye;
        const gz_box box = dice_box(&dice, distance, target.local.s);
        target.bounds = &box;
        enum gz_handle handle = (enum gz_handle)(1 + dice_below(&dice, GZ_HANDLE_COUNT - 1));
        gz_trs usual = drag_once(&eye, &target, handle, 1), scaled;
        for (int i = 0; i < 4; i++) changed.viewport[i] *= 2;
        scaled = drag_once(&changed, &target, handle, 2);
        bool counts_pixels =
            handle >= GZ_SX; /* a factor's press has to be four of them from the centre */
        if (!counts_pixels && !gz_trs_same(&scaled, &usual))
            fail_msg("case %d, handle %d: twice the pixels", number, (int)handle);
        for (int k = 0; k < 2; k++) {
            changed = eye;
            changed.place = gz_scale(eye.place, sizes[k]);
            changed.near *= sizes[k];
            changed.far *= sizes[k];
            changed.height *= sizes[k];
            other = target;
            other.local.t = gz_scale(target.local.t, sizes[k]);
            const gz_box other_box = {gz_scale(box.min, sizes[k]), gz_scale(box.max, sizes[k])};
            other.bounds = &other_box;
            scaled = drag_once(&changed, &other, handle, 1);
            scaled.t = gz_scale(scaled.t, 1 / sizes[k]);
            if (!gz_trs_same(&scaled, &usual))
                fail_msg("case %d, handle %d: size %g", number, (int)handle, sizes[k]);
        }
    }
}
