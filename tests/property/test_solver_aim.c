/* What is under the pointer: the drawn handles by brute force against what picking says. */
#include <math.h>

#include "property/solver_scene.h"

#define SAMPLES 20000

/* Below this part of the pivot's depth nothing is drawn. */
#define CLIP_RATIO 1e-4

static void throw_gizmo(struct scene *scene, struct dice *dice)
{
    static const enum gz_mode modes[] = {GZ_MODE_TRANSLATE, GZ_MODE_ROTATE, GZ_MODE_SCALE,
                                         GZ_MODE_UNIVERSAL};
    scene_throw(scene, dice, PARENT_NONE);
    scene->tool.mode = modes[dice_below(dice, COUNT(modes))];
    scene->tool.size_px = dice_below(dice, 3)
                              ? 96
                              : dice_scale(dice, 20, 4000); /* large ones reach behind the viewer */
}

static struct gz_pointer near_gizmo(const struct scene *scene, struct dice *dice)
{
    struct gz_pointer pointer = {0};
    double reach = 1.5 * scene->tool.size_px;
    (void)gz_camera_project(&scene->camera, scene->gizmo.origin, pointer.at, NULL);
    pointer.at[0] += dice_uniform(dice, -reach, reach);
    pointer.at[1] += dice_uniform(dice, -reach, reach);
    return pointer;
}

/* Pixels from the pointer to a point's image; far where the point is not drawn. */
static double point_px(const struct scene *scene, const struct gz_pointer *pointer, gz_vec3 point)
{
    double at[2], w, origin_at[2], origin_w;
    if (!gz_camera_project(&scene->camera, scene->gizmo.origin, origin_at, &origin_w))
        return HUGE_VAL;
    if (!gz_camera_project(&scene->camera, point, at, &w) || w < CLIP_RATIO * origin_w)
        return HUGE_VAL;
    return pixels_between(at, pointer->at);
}

static double ring_px(const struct scene *scene, const struct gz_pointer *pointer,
                      enum gz_handle handle)
{
    const struct gz_gizmo *g = &scene->gizmo;
    int axis = (int)handle - GZ_RX;
    bool of_view = handle == GZ_RV;
    gz_vec3 x = of_view ? scene->camera.right : g->turn_axes[(axis + 1) % 3];
    gz_vec3 y = of_view ? scene->camera.up : g->turn_axes[(axis + 2) % 3];
    gz_vec3 viewer = scene->camera.backward;
    if (scene->camera.perspective)
        assert_true(gz_normalize(gz_sub(scene->camera.eye, g->origin), &viewer));
    double radius = g->size * (of_view ? 1.2 : 1), best = HUGE_VAL, best_angle = 0, low = 0,
           high = 2 * M_PI;
    /* The whole circle, then the neighbourhood of its best place, so that the samples are far below
     * a hundredth of a pixel apart. */
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i <= SAMPLES; i++) {
            double a = low + (high - low) * i / SAMPLES;
            gz_vec3 arm = gz_add(gz_scale(x, cos(a)), gz_scale(y, sin(a)));
            if (!of_view && gz_dot(arm, viewer) < -0.02)
                continue; /* the half behind, but for a degree */
            double px = point_px(scene, pointer, gz_add(g->origin, gz_scale(arm, radius)));
            if (px >= best) continue;
            best = px;
            best_angle = a;
        }
        low = best_angle - 2 * M_PI / SAMPLES;
        high = best_angle + 2 * M_PI / SAMPLES;
    }
    return best;
}

static double line_px(const struct scene *scene, const struct gz_pointer *pointer, gz_vec3 from,
                      gz_vec3 to)
{
    double best = HUGE_VAL;
    for (int i = 0; i <= SAMPLES; i++)
        best = fmin(best, point_px(scene, pointer,
                                   gz_add(from, gz_scale(gz_sub(to, from), i / (double)SAMPLES))));
    return best;
}

static double axis_px(const struct scene *scene, const struct gz_pointer *pointer,
                      enum gz_handle handle)
{
    const struct gz_gizmo *g = &scene->gizmo;
    bool scales = handle >= GZ_SX, box = scales && scene->tool.mode == GZ_MODE_UNIVERSAL;
    gz_vec3 axis = scales ? g->scale_axes[handle - GZ_SX] : g->axes[handle - GZ_TX];
    double from = (box ? 1.06 : 0.12) * g->size, to = (box ? 1.14 : 1) * g->size;
    return line_px(scene, pointer, gz_add(g->origin, gz_scale(axis, from)),
                   gz_add(g->origin, gz_scale(axis, to)));
}

/* How far brute force may be off itself: half a sample's length on the screen. */
static double brute_slack(const struct scene *scene)
{
    return 0.01 + 2 * M_PI * 1.2 * scene->tool.size_px / SAMPLES;
}

static bool by_brute_force(const struct scene *scene, const struct gz_pointer *pointer,
                           enum gz_handle handle, double *px)
{
    if (handle >= GZ_RX && handle <= GZ_RV)
        *px = ring_px(scene, pointer, handle);
    else if (handle <= GZ_TZ || (handle >= GZ_SX && handle <= GZ_SZ))
        *px = axis_px(scene, pointer, handle);
    else
        return false;
    return true;
}

TEST(test_distance_is_that_to_the_drawn_shape)
{
    struct dice dice = {test_seed() + 61};
    long drags = test_count(10000) / 40, compared = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_gizmo(&scene, &dice);
        if (!scene_build(&scene)) continue;
        struct gz_pointer pointer = near_gizmo(&scene, &dice);
        enum gz_handle handle = dice_handle(&dice, GZ_TX, GZ_SZ);
        if ((scene.gizmo.handles & GZ_HANDLE_BIT(handle)) == 0) continue;
        double brute,
            got = gz_gizmo_distance(&scene.gizmo, &scene.tool, &scene.camera, &pointer, handle);
        if (!by_brute_force(&scene, &pointer, handle, &brute)) continue;
        if (brute > 1000) {
            hold(got > 500,
                 n); /* ends that run off behind the viewer are sampled too coarsely there */
            continue;
        }
        hold(got <= brute + 0.01, n);
        /* Near the pointer the samples are dense enough to say that there is nothing nearer. */
        if (scene.tool.size_px <= 100) hold(got >= brute - brute_slack(&scene), n);
        compared++;
    }
    hold(compared > drags / 20, drags);
}

TEST(test_conic_is_exact_to_a_hundredth_of_a_pixel)
{
    struct dice dice = {test_seed() + 62};
    long drags = test_count(10000) / 40;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_gizmo(&scene, &dice);
        scene.tool.mode = GZ_MODE_ROTATE;
        scene.tool.size_px = 96;
        if (!scene_build(&scene)) continue;
        struct gz_pointer pointer = near_gizmo(&scene, &dice);
        enum gz_handle handle = dice_handle(&dice, GZ_RX, GZ_RV);
        double got = gz_gizmo_distance(&scene.gizmo, &scene.tool, &scene.camera, &pointer, handle);
        hold_near(got, ring_px(&scene, &pointer, handle), 0.01, n);
    }
}

static bool inside_quad(const struct scene *scene, const struct gz_pointer *pointer,
                        const gz_vec3 corners[4])
{
    double at[4][2];
    int left = 0;
    for (int i = 0; i < 4; i++)
        if (!gz_camera_project(&scene->camera, corners[i], at[i], NULL)) return false;
    for (int i = 0; i < 4; i++) {
        const double *a = at[i], *b = at[(i + 1) % 4], *p = pointer->at;
        left += (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0;
    }
    return left == 0 || left == 4;
}

TEST(test_plane_quads_are_met_inside_and_near_their_edges)
{
    static const double at[4][2] = {{0.5, 0.5}, {0.75, 0.5}, {0.75, 0.75}, {0.5, 0.75}};
    struct dice dice = {test_seed() + 63};
    long drags = test_count(10000) / 40;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        gz_vec3 corners[4];
        scene_throw(&scene, &dice, PARENT_NONE);
        scene.tool.mode = GZ_MODE_TRANSLATE;
        enum gz_handle handle = dice_handle(&dice, GZ_TXY, GZ_TZX);
        if (!scene_build(&scene) || (scene.gizmo.handles & GZ_HANDLE_BIT(handle)) == 0) continue;
        const struct gz_gizmo *g = &scene.gizmo;
        int axis = (int)handle - GZ_TXY;
        for (int i = 0; i < 4; i++)
            corners[i] =
                gz_add(g->origin, gz_add(gz_scale(g->axes[axis], at[i][0] * g->size),
                                         gz_scale(g->axes[(axis + 1) % 3], at[i][1] * g->size)));
        struct gz_pointer pointer = near_gizmo(&scene, &dice);
        double brute = HUGE_VAL,
               got = gz_gizmo_distance(g, &scene.tool, &scene.camera, &pointer, handle);
        for (int i = 0; i < 4; i++)
            brute = fmin(brute, line_px(&scene, &pointer, corners[i], corners[(i + 1) % 4]));
        hold_near(got, inside_quad(&scene, &pointer, corners) ? 0 : brute, 0.01, n);
    }
}

/* Centre, planes, axes, rings, ball. */
static int rank_of(enum gz_handle handle)
{
    if (handle == GZ_TV || handle == GZ_SU) return 0;
    if (handle >= GZ_TXY && handle <= GZ_TZX) return 1;
    if (handle >= GZ_SXY && handle <= GZ_SZX) return 1;
    if (handle >= GZ_RX && handle <= GZ_RV) return 3;
    return handle == GZ_RB ? 4 : 2;
}

/* Whether the pointer may be inside: of segments and rings there is no inside. */
static bool is_filled(enum gz_handle handle)
{
    return rank_of(handle) <= 1 || handle == GZ_RB;
}

TEST(test_pick_is_the_nearest_and_of_equally_near_ones_the_first_of_its_class)
{
    struct dice dice = {test_seed() + 64};
    long drags = test_count(10000), picked = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_gizmo(&scene, &dice);
        if (!scene_build(&scene)) continue;
        struct gz_pointer pointer = near_gizmo(&scene, &dice);
        enum gz_handle pick = gz_gizmo_pick(&scene.gizmo, &scene.tool, &scene.camera, &pointer);
        double px[GZ_HANDLE_COUNT], least = HUGE_VAL;
        for (enum gz_handle other = GZ_TX; other < GZ_HANDLE_COUNT; other++) {
            px[other] =
                gz_gizmo_distance(&scene.gizmo, &scene.tool, &scene.camera, &pointer, other);
            bool inside = is_filled(other) && px[other] == 0;
            if (!inside) least = fmin(least, px[other]);
        }
        hold(pick == GZ_HANDLE_NONE || px[pick] <= scene.tool.tolerance_px, n);
        hold(pick == GZ_HANDLE_NONE || (is_filled(pick) && px[pick] == 0) || px[pick] <= least + 2,
             n);
        for (enum gz_handle other = GZ_TX; other < GZ_HANDLE_COUNT; other++) {
            bool inside = is_filled(other) && px[other] == 0;
            if (!(px[other] <= scene.tool.tolerance_px) || !(inside || px[other] <= least + 2))
                continue;
            hold(pick != GZ_HANDLE_NONE && rank_of(other) >= rank_of(pick), n);
            hold(rank_of(other) > rank_of(pick) || px[other] >= px[pick], n);
        }
        picked += pick != GZ_HANDLE_NONE;
    }
    hold(picked > drags / 10, drags);
}

TEST(test_size_in_pixels_is_constant_over_the_picture)
{
    struct dice dice = {test_seed() + 65};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        double from[2], right[2], up[2];
        scene_throw(&scene, &dice, PARENT_NONE);
        scene.target.local.t = gz_scale(dice_direction(&dice), dice_scale(&dice, 1, 1e6));
        scene.eye = dice_eye(&dice, scene.target.local.t, dice_scale(&dice, 0.1, 1e5));
        if (!scene_build(&scene)) continue;
        gz_vec3 o = scene.gizmo.origin;
        hold(gz_camera_project(&scene.camera, o, from, NULL), n);
        hold(gz_camera_project(&scene.camera,
                               gz_add(o, gz_scale(scene.camera.right, scene.gizmo.size)), right,
                               NULL),
             n);
        hold(gz_camera_project(&scene.camera,
                               gz_add(o, gz_scale(scene.camera.up, scene.gizmo.size)), up, NULL),
             n);
        hold_near(pixels_between(from, up), scene.tool.size_px, 1e-3 * scene.tool.size_px, n);
        hold_near(pixels_between(from, right), scene.tool.size_px, 1e-3 * scene.tool.size_px, n);
    }
}

TEST(test_what_is_hovered_can_be_pressed)
{
    struct dice dice = {test_seed() + 66};
    long drags = test_count(10000), pressed = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_gizmo(&scene, &dice);
        scene.tool.size_px = 96;
        if (!scene_build(&scene)) continue;
        struct gz_pointer pointer = near_gizmo(&scene, &dice);
        scene.handle = gz_gizmo_pick(&scene.gizmo, &scene.tool, &scene.camera, &pointer);
        if (scene.handle == GZ_HANDLE_NONE) continue;
        hold(scene_press(&scene, pointer.at[0], pointer.at[1]), n);
        hold(scene_move_with(&scene, pointer.at[0], pointer.at[1], 0) == GZ_SOLVE_OK, n);
        hold(gz_trs_same(&scene.now, &scene.target.local), n);
        pressed++;
    }
    hold(pressed > drags / 10, drags);
}

/* A box about the node and the viewer, who sees its middle. */
static bool build_around_viewer(struct scene *scene, struct dice *dice, gz_box *box)
{
    scene_throw(scene, dice, (enum parent_kind)dice_below(dice, PARENT_KINDS));
    gz_affine world = world_of(&scene->target.parent, &scene->target.local), inverse;
    if (!gz_affine_inverse(&world, &inverse)) return false;
    gz_vec3 eye = gz_affine_apply(&inverse, scene->eye.place);
    double most = fmax(fabs(eye.x), fmax(fabs(eye.y), fabs(eye.z)));
    gz_vec3 half = {fabs(eye.x) * dice_uniform(dice, 1.1, 3) + 0.1 * most,
                    fabs(eye.y) * dice_uniform(dice, 1.1, 3) + 0.1 * most,
                    fabs(eye.z) * dice_uniform(dice, 1.1, 3) + 0.1 * most};
    *box = (gz_box){gz_negate(half), half};
    scene->target.bounds = box;
    scene->tool.mode = GZ_MODE_BOUNDS;
    return scene_build(scene);
}

/* Which side a handle is on, -1, 0 or 1 along each axis. */
static gz_vec3 side_of(enum gz_handle handle)
{
    const char *word = gz_vocabulary_word(&gz_handle_words, (int)handle);
    double at[3] = {0, 0, 0};
    if (handle < GZ_BNNN)
        at[word[1] - 'x'] = word[2] == 'p' ? 1 : -1;
    else
        for (int i = 0; i < 3; i++) at[i] = word[1 + i] == 'p' ? 1 : -1;
    return (gz_vec3){at[0], at[1], at[2]};
}

/* Pulled to a place on the line from the opposite side, the side is there. */
static void hold_pulled(struct scene *scene, struct dice *dice, enum gz_handle handle, long n)
{
    const struct gz_gizmo *g = &scene->gizmo;
    gz_vec3 side = side_of(handle),
            arm = gz_add(gz_add(gz_scale(g->box_half[0], side.x), gz_scale(g->box_half[1], side.y)),
                         gz_scale(g->box_half[2], side.z));
    gz_vec3 grabbed = gz_add(g->box_centre, arm);
    double from[2], factor = dice_uniform(dice, 0.5, 2), w, to[2];
    scene->handle = handle;
    if (!gz_camera_project(&scene->camera, grabbed, from, &w)) return;
    hold(scene_press(scene, from[0], from[1]), n);
    if (!gz_camera_project(&scene->camera, gz_add(grabbed, gz_scale(arm, 2 * (factor - 1))), to,
                           &w))
        return;
    if (w < 1e-3 * scene->distance || scene->drag.rule != GZ_RULE_AXIS_SCREEN ||
        scene->drag.ratio_part < 1)
        return;
    if (scene_move_with(scene, to[0], to[1], 0) != GZ_SOLVE_OK)
        return; /* nearer than the near plane */
    hold_near(scene->motion.value[0], factor, 1e-9, n);
}

TEST(test_bounds_are_pulled_from_inside)
{
    struct dice dice = {test_seed() + 69};
    long drags = test_count(10000), pressed = 0, inside = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        gz_box box;
        if (!build_around_viewer(&scene, &dice, &box)) continue;
        for (enum gz_handle handle = GZ_BXN; handle <= GZ_BPPP; handle++) {
            if ((scene.gizmo.handles & GZ_HANDLE_BIT(handle)) == 0) continue;
            hold_pulled(&scene, &dice, handle, n);
            struct gz_pointer pointer = scene.press;
            pointer.at[0] += dice_uniform(&dice, -12, 12);
            pointer.at[1] += dice_uniform(&dice, -12, 12);
            scene.handle = gz_gizmo_pick(&scene.gizmo, &scene.tool, &scene.camera, &pointer);
            if (scene.handle == GZ_HANDLE_NONE) continue;
            hold(scene_press(&scene, pointer.at[0], pointer.at[1]), n);
            hold(scene_move_with(&scene, pointer.at[0], pointer.at[1], 0) == GZ_SOLVE_OK, n);
            hold(gz_trs_same(&scene.now, &scene.target.local), n);
            pressed++;
        }
        inside++;
    }
    hold(inside > drags / 2 && pressed > inside, drags);
}

TEST(test_ray_of_a_pixel_is_seen_at_it)
{
    struct dice dice = {test_seed() + 67};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        scene_throw(&scene, &dice, PARENT_NONE);
        if (!scene_build(&scene)) continue;
        const double *viewport = scene.camera.input.viewport;
        double at[2] = {viewport[0] + dice_uniform(&dice, 0, viewport[2]),
                        viewport[1] + dice_uniform(&dice, 0, viewport[3])};
        gz_vec3 origin, direction;
        double seen[2], far = scene.distance * dice_scale(&dice, 0.1, 100);
        hold(gz_camera_ray(&scene.camera, at, &origin, &direction), n);
        hold_near(gz_length(direction), 1, 1e-14, n);
        hold(gz_dot(direction, scene.camera.backward) < 0, n);
        hold(gz_camera_project(&scene.camera, gz_add(origin, gz_scale(direction, far)), seen, NULL),
             n);
        hold_near(pixels_between(seen, at), 0, 1e-6, n);
    }
}

/* The corners of the lens, taken to the world, are the corners of the viewport. */
TEST(test_lens_is_what_the_viewport_shows)
{
    struct dice dice = {test_seed() + 68};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        scene_throw(&scene, &dice, PARENT_NONE);
        if (!scene_build(&scene)) continue;
        gz_affine view = gz_affine_from_matrix(scene.camera.input.view), world;
        double far = scene.camera.perspective ? 1 : scene.distance * dice_scale(&dice, 0.1, 100),
               lens[4];
        hold(gz_affine_inverse(&view, &world) && gz_camera_lens(&scene.camera, lens), n);
        for (int corner = 0; corner < 4; corner++) {
            bool right = corner & 1, upper = corner & 2;
            gz_vec3 place = {lens[right], lens[2 + upper], scene.eye.left_handed ? far : -far};
            const double *v = scene.camera.input.viewport;
            double wanted[2] = {v[0] + right * v[2], v[1] + !upper * v[3]}, seen[2];
            hold(gz_camera_project(&scene.camera, gz_affine_apply(&world, place), seen, NULL), n);
            hold_near(pixels_between(seen, wanted), 0, 1e-6, n);
        }
    }
}

int main(void)
{
    return run_properties();
}
