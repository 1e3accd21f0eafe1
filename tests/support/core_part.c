/* core_part.c - finds the part of a scene that an interest names, by going through all. See
 * core_part.h. */
#include "support/core_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/judge.h"

/* Relative distance from an edge within which rounding may decide. */
#define NEAR 1e-9
/* Of what sums_of bounds. The server lets rounding decide within half of it (solver/cull.c). */
#define SPARE 2e-12

struct part_wish part_wish_of(const struct gz_interest *interest, uint64_t has)
{
    struct part_wish wish = {.kind = interest->view ? PART_VIEW : PART_WHOLE};
    if (has & GZ_HAS_INTEREST_NODES) wish.kind = PART_NODES;
    if (has & GZ_HAS_INTEREST_BOX) wish.kind = PART_BOX;
    wish.box = interest->box;
    wish.count = has & GZ_HAS_INTEREST_NODES ? interest->nodes.count : 0;
    wish.ids = calloc(wish.count + 1, sizeof *wish.ids);
    assert_non_null(wish.ids);
    if (wish.count > 0) memcpy(wish.ids, interest->nodes.ids, wish.count * sizeof *wish.ids);
    return wish;
}

void part_wish_finish(struct part_wish *wish)
{
    free(wish->ids);
    wish->ids = NULL;
}

/* ---- mathematics, on matrices of 16 numbers, row by row ---- */

struct matrix {
    double m[4][4];
};

static struct matrix product(const struct matrix *a, const struct matrix *b)
{
    struct matrix c = {{{0}}};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            for (int k = 0; k < 4; k++) c.m[i][j] += a->m[i][k] * b->m[k][j];
        }
    }
    return c;
}

static struct matrix from_columns(const double numbers[16])
{
    struct matrix a;
    for (int i = 0; i < 16; i++) a.m[i % 4][i / 4] = numbers[i];
    return a;
}

static struct matrix from_trs(const gz_trs *trs)
{
    double x = trs->r.x, y = trs->r.y, z = trs->r.z, w = trs->r.w;
    const double s[3] = {trs->s.x, trs->s.y, trs->s.z};
    struct matrix a = {
        {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y), trs->t.x},
         {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x), trs->t.y},
         {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z, trs->t.z},
         {0, 0, 0, 1}}};
    for (int i = 0; i < 9; i++) a.m[i / 3][i % 3] *= s[i % 3];
    return a;
}

/* The magnitudes of what the numbers of from_trs were added up from, or more. */
static struct matrix sizes_of(const gz_trs *trs)
{
    const double x = fabs(trs->s.x), y = fabs(trs->s.y), z = fabs(trs->s.z);
    return (struct matrix){{{x, y, z, fabs(trs->t.x)},
                            {x, y, z, fabs(trs->t.y)},
                            {x, y, z, fabs(trs->t.z)},
                            {0, 0, 0, 1}}};
}

/* A transform to the world, and the magnitudes of the numbers that its own were added up from:
 * where large ones cancel out, little is right of what is left. */
struct place {
    struct matrix world, sizes;
};

/* The corners of the node's box in the world: of the box along the world's axes that encloses its
 * eight corners. Returns the largest magnitude that they were added up from. */
static double world_corners(const struct place *place, const struct gz_content *content,
                            double corners[8][3])
{
    const gz_box *b = &content->bounds;
    double low[3], high[3], most = 0;
    for (int i = 0; i < 8; i++) {
        double at[4] = {0, 0, 0, 1};
        if (content->has_bounds) {
            at[0] = i & 1 ? b->max.x : b->min.x;
            at[1] = i & 2 ? b->max.y : b->min.y;
            at[2] = i & 4 ? b->max.z : b->min.z;
        }
        for (int axis = 0; axis < 3; axis++) {
            double sum = 0, size = 0;
            for (int k = 0; k < 4; k++) {
                sum += place->world.m[axis][k] * at[k];
                size += place->sizes.m[axis][k] * fabs(at[k]);
            }
            low[axis] = i == 0 ? sum : fmin(low[axis], sum);
            high[axis] = i == 0 ? sum : fmax(high[axis], sum);
            most = fmax(most, size);
        }
    }
    for (int i = 0; i < 8; i++) {
        for (int axis = 0; axis < 3; axis++)
            corners[i][axis] = i & 1 << axis ? high[axis] : low[axis];
    }
    return most;
}

/* ---- which match ---- */

enum answer { NO, PERHAPS, YES };

static enum answer worse(enum answer a, enum answer b)
{
    return a < b ? a : b;
}

/* Whether a number is positive that was computed from numbers of the magnitude `size`. */
static enum answer positive(double number, double size)
{
    if (!isfinite(number) || fabs(number) <= NEAR * size) return PERHAPS;
    return number > 0 ? YES : NO;
}

static enum answer in_box(const gz_box *box, double corners[8][3], double most)
{
    enum answer answer = YES;
    for (int axis = 0; axis < 3; axis++) {
        double low = gz_component(box->min, axis), high = gz_component(box->max, axis);
        double from = corners[0][axis], to = corners[7][axis];
        double size = 1 + fabs(low) + fabs(high) + fabs(from) + fabs(to) + most;
        answer = worse(answer, positive(high - from, size));
        answer = worse(answer, positive(to - low, size));
    }
    return answer;
}

/* A bound for the sums in which a row of the projection is multiplied by the camera's place. */
static double sums_of(const struct matrix *proj, int row, double reach)
{
    return reach * (fabs(proj->m[row][0]) + fabs(proj->m[row][1]) + fabs(proj->m[row][2]));
}

/* Whether depth rises along the view, so that it shows what is from -1 to 1. Where it does not, the
 * solvers find out what is shown (test_pick.c). */
static bool rises(const struct matrix *proj)
{
    const double *depth = proj->m[2], *w = proj->m[3];
    if (depth[0] != 0 || depth[1] != 0 || w[0] != 0 || w[1] != 0) return false;
    return w[3] == 0 ? w[2] == -1 && depth[3] < 0 : w[2] == 0 && w[3] * depth[2] < 0;
}

/* A box is outside if all of its corners are beyond the same side of the frustum, and farther than
 * the server allows for rounding. */
static enum answer in_view(const struct gz_camera_message *camera, double corners[8][3],
                           double most_of_corners)
{
    struct matrix proj = from_columns(camera->proj), view = from_columns(camera->view);
    struct matrix clip = product(&proj, &view);
    double reach = fabs(view.m[0][3]) + fabs(view.m[1][3]) + fabs(view.m[2][3]);
    bool turned = clip.m[3][0] == 0 && clip.m[3][1] == 0 && clip.m[3][2] == 0 && clip.m[3][3] < 0;
    for (int i = 0; i < 16 && turned; i++) clip.m[i / 4][i % 4] *= -1; /* the same projection */
    enum answer answer = YES;
    const int sides = rises(&proj) ? 6 : 4;
    if (sides < 6) answer = PERHAPS;
    for (int side = 0; side < sides; side++) {
        double most = -INFINITY, size = 1;
        for (int i = 0; i < 8; i++) {
            double place[4];
            for (int row = 0; row < 4; row++) {
                place[row] = clip.m[row][3];
                for (int k = 0; k < 3; k++) place[row] += clip.m[row][k] * corners[i][k];
                for (int k = 0; k < 3 && i == 0; k++)
                    size += fabs(clip.m[row][k]) * most_of_corners;
                size += fabs(place[row]);
            }
            most = fmax(most, place[3] + (side % 2 ? 1 : -1) * place[side / 2]);
        }
        const double sums = sums_of(&proj, 3, reach) + sums_of(&proj, side / 2, reach);
        answer = worse(answer, positive(most, size + SPARE / NEAR * sums));
    }
    return answer;
}

static bool is_named(const struct part_wish *wish, uint64_t id)
{
    for (size_t i = 0; i < wish->count; i++) {
        if (wish->ids[i] == id) return true;
    }
    return false;
}

static enum answer match(const struct part_wish *wish, const struct place *place,
                         const struct gz_content *content)
{
    double corners[8][3];
    const double most = world_corners(place, content, corners);
    if (wish->kind == PART_BOX) return in_box(&wish->box, corners, most);
    return wish->kind == PART_VIEW ? in_view(&wish->camera, corners, most) : YES;
}

static struct place place_in(const struct place *parent, const gz_trs *trs)
{
    const struct matrix own = from_trs(trs), sizes = sizes_of(trs);
    if (parent == NULL) return (struct place){own, sizes};
    return (struct place){product(&parent->world, &own), product(&parent->sizes, &sizes)};
}

/* Searches backwards, because a parent comes before its children, usually not long before. */
static size_t parent_of(const struct gz_node_record *nodes, size_t child)
{
    size_t at = child;
    do assert_true(at-- > 0);
    while (nodes[at].id != nodes[child].content.parent);
    return at;
}

void part_wish_nodes(const struct part_wish *wish, const struct gz_node_record *nodes, size_t count,
                     bool **must, bool **may)
{
    struct place *places = calloc(count + 1, sizeof *places);
    size_t *parents = calloc(count + 1, sizeof *parents); /* count for none */
    bool *below = calloc(count + 1, sizeof *below);       /* the named node, or below it */
    *must = calloc(count + 1, sizeof **must);
    *may = calloc(count + 1, sizeof **may);
    assert_true(places != NULL && parents != NULL && below != NULL && *must != NULL &&
                *may != NULL);
    for (size_t i = 0; i < count; i++) {
        const struct gz_content *content = &nodes[i].content;
        parents[i] = content->parent != 0 ? parent_of(nodes, i) : count;
        places[i] = place_in(content->parent != 0 ? &places[parents[i]] : NULL, &content->trs);
        below[i] = is_named(wish, nodes[i].id) || (content->parent != 0 && below[parents[i]]);
        enum answer answer =
            wish->kind == PART_NODES ? (below[i] ? YES : NO) : match(wish, &places[i], content);
        if (wish->kind == PART_WHOLE) answer = YES;
        (*must)[i] = answer == YES;
        (*may)[i] = answer != NO;
    }
    for (size_t i = count; i-- > 0;) {
        if (parents[i] == count) continue;
        (*must)[parents[i]] |= (*must)[i];
        (*may)[parents[i]] |= (*may)[i];
    }
    free(places);
    free(parents);
    free(below);
}
