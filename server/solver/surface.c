/* Arranges the triangles of a mesh into a tree of boxes. */
#include "solver/surface.h"

#include <float.h>
#include <string.h>

/* Triangles under a box of the last level, at most: to test as many costs about as much as two
 * boxes more. */
#define TRIANGLES_PER_BOX 4
/* ---- the tree ---- */

static uint32_t levels_for(size_t count)
{
    uint32_t levels = 0;
    while (levels < GZ_SURFACE_LEVELS_MAX && (count - 1) >> levels >= TRIANGLES_PER_BOX) levels++;
    return levels;
}

size_t gz_surface_box_count(size_t count)
{
    return count > 0 ? ((size_t)2 << levels_for(count)) - 1 : 0;
}

/* The first triangle of the box at `place` of its level. */
static size_t first_of(size_t count, uint32_t level, size_t place)
{
    return (size_t)((uint64_t)place * count >> level);
}

static float middle(const struct gz_triangle *triangle, int axis)
{
    return triangle->corner[0][axis] + triangle->corner[1][axis] + triangle->corner[2][axis];
}

/* Keys are ordered as the middles are. */
static uint32_t key_of(const struct gz_triangle *triangle, int axis)
{
    float value = middle(triangle, axis);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

/* The axis along which the middles are spread most. */
static int widest_axis(const struct gz_triangle *triangles, size_t first, size_t end)
{
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    int widest = 0;
    for (size_t i = first; i < end; i++) {
        for (int axis = 0; axis < 3; axis++) {
            float value = middle(&triangles[i], axis);
            if (value < low[axis]) low[axis] = value;
            if (value > high[axis]) high[axis] = value;
        }
    }
    for (int axis = 1; axis < 3; axis++) {
        if (high[axis] - low[axis] > high[widest] - low[widest]) widest = axis;
    }
    return widest;
}

/* Moves the triangles with a key below `pivot` to the front; returns where the others begin. */
static size_t partition(struct gz_triangle *triangles, size_t first, size_t end, int axis,
                        uint32_t pivot)
{
    for (;;) {
        while (first < end && key_of(&triangles[first], axis) < pivot) first++;
        while (first < end && key_of(&triangles[end - 1], axis) >= pivot) end--;
        if (first == end) return first;
        struct gz_triangle swap = triangles[first];
        triangles[first++] = triangles[--end];
        triangles[end] = swap;
    }
}

/* Moves the triangles with smaller keys before `half`, the others behind. Each step settles a bit
 * of the keys: whatever the triangles are, there are 32 at most, and further halves along this axis
 * have that many fewer. */
static void halve(struct gz_triangle *triangles, size_t first, size_t half, size_t end, int axis)
{
    while (first < half && half < end) {
        uint32_t low = UINT32_MAX, high = 0;
        for (size_t i = first; i < end; i++) {
            uint32_t key = key_of(&triangles[i], axis);
            if (key < low) low = key;
            if (key > high) high = key;
        }
        if (low == high) return;
        uint32_t bit = UINT32_C(1) << 31;
        while (!((low ^ high) & bit)) bit >>= 1;
        size_t middle_place = partition(triangles, first, end, axis, high & ~(bit - 1));
        if (middle_place > half) {
            end = middle_place;
        } else {
            first = middle_place;
        }
    }
}

static void enclose(float box[6], const struct gz_triangle *triangles, size_t first, size_t end)
{
    for (int axis = 0; axis < 3; axis++) {
        box[axis] = FLT_MAX;
        box[axis + 3] = -FLT_MAX;
    }
    for (size_t i = first; i < end; i++) {
        for (int corner = 0; corner < 3; corner++) {
            const float *place = triangles[i].corner[corner];
            for (int axis = 0; axis < 3; axis++) {
                if (place[axis] < box[axis]) box[axis] = place[axis];
                if (place[axis] > box[axis + 3]) box[axis + 3] = place[axis];
            }
        }
    }
}

static void enclose_boxes(float box[6], const float a[6], const float b[6])
{
    for (int axis = 0; axis < 3; axis++) {
        box[axis] = a[axis] < b[axis] ? a[axis] : b[axis];
        box[axis + 3] = a[axis + 3] > b[axis + 3] ? a[axis + 3] : b[axis + 3];
    }
}

void gz_surface_build(struct gz_surface *surface, struct gz_triangle *triangles, size_t count,
                      float (*boxes)[6])
{
    *surface = (struct gz_surface){
        .triangles = triangles, .boxes = (const float(*)[6])boxes, .count = (uint32_t)count};
    if (count == 0) return;
    uint32_t levels = surface->levels = levels_for(count);
    for (uint32_t level = 0; level < levels; level++) {
        for (size_t place = 0; place < (size_t)1 << level; place++) {
            size_t first = first_of(count, level, place), end = first_of(count, level, place + 1);
            size_t half = first_of(count, level + 1, 2 * place + 1);
            halve(triangles, first, half, end, widest_axis(triangles, first, end));
        }
    }
    size_t last = ((size_t)1 << levels) - 1; /* the first box of the last level */
    for (size_t place = 0; place <= last; place++) {
        enclose(boxes[last + place], triangles, first_of(count, levels, place),
                first_of(count, levels, place + 1));
    }
    for (size_t box = last; box-- > 0;)
        enclose_boxes(boxes[box], boxes[2 * box + 1], boxes[2 * box + 2]);
}
