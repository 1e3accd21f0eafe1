/* Tables of the handles: the kind and the axes of each, and the handles of each mode. */
#include "solver/handle.h"

struct gz_handle_parts gz_handle_parts(enum gz_handle handle)
{
    static const struct gz_handle_parts parts[GZ_HANDLE_COUNT] = {
        [GZ_TX] = {GZ_PART_MOVE_AXIS, 0},    [GZ_TY] = {GZ_PART_MOVE_AXIS, 1},
        [GZ_TZ] = {GZ_PART_MOVE_AXIS, 2},    [GZ_TXY] = {GZ_PART_MOVE_PLANE, 0},
        [GZ_TYZ] = {GZ_PART_MOVE_PLANE, 1},  [GZ_TZX] = {GZ_PART_MOVE_PLANE, 2},
        [GZ_TV] = {GZ_PART_MOVE_VIEW, 0},    [GZ_RX] = {GZ_PART_RING, 0},
        [GZ_RY] = {GZ_PART_RING, 1},         [GZ_RZ] = {GZ_PART_RING, 2},
        [GZ_RV] = {GZ_PART_VIEW_RING, 0},    [GZ_RB] = {GZ_PART_BALL, 0},
        [GZ_SX] = {GZ_PART_SCALE_AXIS, 0},   [GZ_SY] = {GZ_PART_SCALE_AXIS, 1},
        [GZ_SZ] = {GZ_PART_SCALE_AXIS, 2},   [GZ_SXY] = {GZ_PART_SCALE_PLANE, 0},
        [GZ_SYZ] = {GZ_PART_SCALE_PLANE, 1}, [GZ_SZX] = {GZ_PART_SCALE_PLANE, 2},
        [GZ_SU] = {GZ_PART_SCALE_ALL, 0},    [GZ_BXN] = {GZ_PART_SCALE_FACE, 0},
        [GZ_BXP] = {GZ_PART_SCALE_FACE, 0},  [GZ_BYN] = {GZ_PART_SCALE_FACE, 1},
        [GZ_BYP] = {GZ_PART_SCALE_FACE, 1},  [GZ_BZN] = {GZ_PART_SCALE_FACE, 2},
        [GZ_BZP] = {GZ_PART_SCALE_FACE, 2},
    };
    bool known = (int)handle > GZ_HANDLE_NONE && (int)handle < GZ_HANDLE_COUNT;
    if (known && handle >= GZ_BNNN) return (struct gz_handle_parts){GZ_PART_SCALE_CORNER, 0};
    return parts[known ? handle : GZ_HANDLE_NONE];
}

/* Where a face or corner is on the box, -1, 0 or 1 along each axis: the order of the words says
 * which. */
static gz_vec3 side_of(enum gz_handle handle)
{
    int number = (int)handle - (handle < GZ_BNNN ? GZ_BXN : GZ_BNNN);
    if (handle >= GZ_BNNN)
        return (gz_vec3){number & 4 ? 1 : -1, number & 2 ? 1 : -1, number & 1 ? 1 : -1};
    double side = number % 2 ? 1 : -1;
    return (gz_vec3){number / 2 == 0 ? side : 0, number / 2 == 1 ? side : 0,
                     number / 2 == 2 ? side : 0};
}

gz_vec3 gz_handle_arm(const struct gz_gizmo *gizmo, enum gz_handle handle)
{
    enum gz_handle_part part = gz_handle_parts(handle).part;
    if (part != GZ_PART_SCALE_FACE && part != GZ_PART_SCALE_CORNER) return (gz_vec3){0, 0, 0};
    gz_vec3 side = side_of(handle);
    const gz_vec3 *half = gizmo->box_half;
    return gz_add(gz_add(gz_scale(half[0], side.x), gz_scale(half[1], side.y)),
                  gz_scale(half[2], side.z));
}

#define BIT GZ_HANDLE_BIT
#define MOVES                                                                                      \
    (BIT(GZ_TX) | BIT(GZ_TY) | BIT(GZ_TZ) | BIT(GZ_TXY) | BIT(GZ_TYZ) | BIT(GZ_TZX) | BIT(GZ_TV))
#define TURNS (BIT(GZ_RX) | BIT(GZ_RY) | BIT(GZ_RZ) | BIT(GZ_RV) | BIT(GZ_RB))
#define SCALES (BIT(GZ_SX) | BIT(GZ_SY) | BIT(GZ_SZ) | BIT(GZ_SU))
#define SCALE_PLANES (BIT(GZ_SXY) | BIT(GZ_SYZ) | BIT(GZ_SZX))
#define BOX_SIDES ((BIT(GZ_BPPP) << 1) - BIT(GZ_BXN))

/* Universal leaves the scale planes out: their quads would lie on those that move. */
uint64_t gz_mode_handles(enum gz_mode mode)
{
    switch (mode) {
    case GZ_MODE_TRANSLATE: return MOVES;
    case GZ_MODE_ROTATE: return TURNS;
    case GZ_MODE_SCALE: return SCALES | SCALE_PLANES;
    case GZ_MODE_BOUNDS: return BOX_SIDES;
    case GZ_MODE_UNIVERSAL: return MOVES | TURNS | SCALES;
    case GZ_MODE_ARCBALL: return BIT(GZ_RB);
    default: return 0;
    }
}

int gz_handle_value_count(enum gz_handle handle)
{
    switch (gz_handle_parts(handle).part) {
    case GZ_PART_NONE:
    case GZ_PART_BALL: return 0;
    case GZ_PART_MOVE_PLANE:
    case GZ_PART_MOVE_VIEW: return 2;
    default: return 1;
    }
}
