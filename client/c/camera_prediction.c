/* camera_prediction.c - predicts the view, and compares it with the server's. See
 * camera_prediction.h. */
#include "camera_prediction.h"

#define NEAR 1e-9

/* ---- the pivot of the view ---- */

static gz_vec3 middle_of_selected(const struct gz_looked_at *at, size_t *count)
{
    gz_vec3 sum = {0, 0, 0};
    *count = 0;
    for (size_t i = 0; i < at->selected.count; i++) {
        gz_affine world;
        if (!gz_predicted_world(at->foreseen, at->selected.ids[i], &world)) continue;
        sum = gz_add(sum, world.origin);
        ++*count;
    }
    return *count > 0 ? gz_scale(sum, 1.0 / (double)*count) : sum;
}

/* False if the place of the node is not finite. */
static bool find_box(const struct gz_predicted *foreseen, const struct gz_mirror_node *node,
                     gz_box *box)
{
    gz_affine world;
    if (!gz_predicted_world(foreseen, node->id, &world)) return false;
    *box = (gz_box){world.origin, world.origin};
    if (node->has_bounds) *box = gz_box_transform(&node->bounds, &world);
    return gz_finite(box->min) && gz_finite(box->max);
}

/* False without memory. */
static bool find_middle_of_all(const struct gz_predicted *foreseen, gz_vec3 *middle)
{
    gz_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, box;
    size_t count;
    const struct gz_mirror_node **nodes = gz_mirror_list(foreseen->mirror, &count);
    if (nodes == NULL) return false;
    for (size_t i = 0; i < count; i++)
        if (find_box(foreseen, nodes[i], &box)) all = gz_box_union(&all, &box);
    *middle = count > 0 ? gz_box_centre(&all) : (gz_vec3){0, 0, 0};
    free(nodes);
    return true;
}

/* Finds the centre as the server does: the target, the centre of the selection, or of all nodes.
 * False without memory. */
static bool find_centre(struct gz_camera_prediction *looking, const struct gz_looked_at *at,
                        gz_vec3 *centre)
{
    bool is_known = looking->centre.is_known && looking->centre.chosen == at->chosen &&
                    looking->centre.foreseen == at->foreseen->version;
    *centre = looking->has_target ? looking->target : looking->centre.at;
    if (looking->has_target || is_known) return true;
    size_t count;
    *centre = middle_of_selected(at, &count);
    if (count == 0 && !find_middle_of_all(at->foreseen, centre)) return false;
    looking->centre.is_known = true;
    looking->centre.chosen = at->chosen;
    looking->centre.foreseen = at->foreseen->version;
    looking->centre.at = *centre;
    return true;
}

/* ---- the view ---- */

static void look(struct gz_predict *predict, const double view[16])
{
    struct gz_camera_input input = predict->camera.input;
    if (!predict->has_camera) return;
    memcpy(input.view, view, sizeof input.view);
    (void)gz_predict_camera(predict, &input, NULL);
}

/* The server will send this view. */
static void expect(struct gz_camera_prediction *looking, const double view[16])
{
    if (looking->count == GZ_VIEWS_MAX) {
        looking->first++;
        looking->count--;
        looking->unseen++;
    }
    size_t at = (looking->first + looking->count++) % GZ_VIEWS_MAX;
    memcpy(looking->views[at], view, sizeof looking->views[at]);
}

static bool is_near(const double a[16], const double b[16])
{
    for (int i = 0; i < 16; i++)
        if (!(fabs(a[i] - b[i]) <= NEAR * fmax(1, fabs(a[i])))) return false;
    return true;
}

static bool is_orbiting(const struct gz_predict *predict)
{
    return predict->gesture == GZ_PREDICT_ORBIT;
}

void gz_camera_prediction_give_up(struct gz_camera_prediction *looking, struct gz_predict *predict)
{
    if (is_orbiting(predict)) gz_predict_end(predict);
    looking->count = looking->unseen = 0;
    if (predict->has_camera && !is_near(looking->told, predict->camera.input.view)) {
        looking->corrections++;
        look(predict, looking->told);
    }
}

void gz_camera_prediction_clear(struct gz_camera_prediction *looking)
{
    *looking = (struct gz_camera_prediction){.corrections = looking->corrections};
}

/* ---- outgoing ---- */

/* The views that the server will still send are older than this one. */
void gz_camera_prediction_camera(struct gz_camera_prediction *looking,
                                 const struct gz_message *camera)
{
    looking->unseen += looking->count;
    looking->count = 0;
    memcpy(looking->told, camera->camera.view, sizeof looking->told);
    looking->has_target = (camera->has & GZ_HAS_CAMERA_TARGET) != 0;
    looking->target = camera->camera.target;
}

static void await(struct gz_camera_prediction *looking, uint64_t rid, bool is_press)
{
    looking->rid = rid;
    looking->is_press = is_press;
}

void gz_camera_prediction_press(struct gz_camera_prediction *looking, struct gz_predict *predict,
                                const struct gz_looked_at *at, uint64_t rid,
                                const struct gz_pointer *pointer)
{
    gz_vec3 centre;
    if (!find_centre(looking, at, &centre)) return;
    if (gz_predict_orbit_begin(predict, centre, pointer)) await(looking, rid, true);
}

void gz_camera_prediction_turn(struct gz_camera_prediction *looking, struct gz_predict *predict,
                               const struct gz_pointer *pointer, uint32_t mods)
{
    double view[16];
    enum gz_solve solve = gz_predict_orbit_move(predict, pointer, mods, view);
    if (solve == GZ_SOLVE_OK || solve == GZ_SOLVE_CLAMPED) expect(looking, view);
}

void gz_camera_prediction_end(struct gz_camera_prediction *looking, struct gz_predict *predict,
                              uint64_t rid)
{
    gz_predict_end(predict);
    await(looking, rid, false);
}

void gz_camera_prediction_cancel(struct gz_camera_prediction *looking, struct gz_predict *predict,
                                 uint64_t rid)
{
    double view[16];
    memcpy(view, predict->orbit.camera.input.view, sizeof view);
    gz_camera_prediction_end(looking, predict, rid);
    look(predict, view);
    expect(looking, view);
}

void gz_camera_prediction_wheel(struct gz_camera_prediction *looking, struct gz_predict *predict,
                                const struct gz_looked_at *at, const struct gz_message *wheel)
{
    gz_vec3 centre;
    double view[16];
    if (!find_centre(looking, at, &centre)) return;
    if (!gz_predict_dolly(predict, centre, wheel->wheel.dy, view)) return;
    expect(looking, view);
    await(looking, wheel->rid, false);
}

/* ---- incoming ---- */

/* Finds the view among the expected ones, and drops it and those before it. */
static bool find_view(struct gz_camera_prediction *looking, const double view[16])
{
    for (size_t i = 0; i < looking->count; i++) {
        if (!is_near(looking->views[(looking->first + i) % GZ_VIEWS_MAX], view)) continue;
        looking->first += i + 1;
        looking->count -= i + 1;
        return true;
    }
    return false;
}

void gz_camera_prediction_tell(struct gz_camera_prediction *looking, struct gz_predict *predict,
                               const double view[16])
{
    if (looking->unseen > 0) {
        looking->unseen--;
        return;
    }
    bool is_news = looking->count == 0;
    memcpy(looking->told, view, sizeof looking->told);
    if (is_news)
        look(predict, view);
    else if (!find_view(looking, view))
        gz_camera_prediction_give_up(looking, predict);
}

/* The views of a message come before its answer, so no more will come after this one. */
void gz_camera_prediction_answer(struct gz_camera_prediction *looking, struct gz_predict *predict,
                                 const struct gz_message *message)
{
    if (looking->rid == 0 || looking->rid != message->rid) return;
    bool is_refused = message->op == GZ_OP_ERROR;
    looking->rid = 0;
    if (is_refused || !looking->is_press) gz_camera_prediction_give_up(looking, predict);
}
