/* Solves a recorded drag again. */
#include "solver/replay.h"

#include <string.h>

#include "solver/handle.h"

enum gz_handle gz_replay_handle(const char *tool, const char *handle)
{
    static const struct {
        const char *tool, *prefix;
    } kinds[] = {{"translate", "t"}, {"rotate", "r"}, {"scale", "s"}, {"arcball", "r"}};
    static const struct {
        const char *word, *suffix;
    } ends[] = {{"view", "v"}, {"uniform", "u"}, {"ball", "b"}};
    int named = gz_vocabulary_value(&gz_handle_words, handle, strlen(handle));
    if (named > 0) return (enum gz_handle)named;
    const char *suffix = handle, *prefix = NULL;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strcmp(handle, ends[i].word) == 0) suffix = ends[i].suffix;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(tool, kinds[i].tool, strlen(kinds[i].tool)) == 0) prefix = kinds[i].prefix;
    char name[4] = {0};
    if (prefix == NULL || strlen(suffix) > 2) return GZ_HANDLE_NONE;
    name[0] = prefix[0];
    memcpy(name + 1, suffix, strlen(suffix));
    int value = gz_vocabulary_value(&gz_handle_words, name, strlen(name));
    return value > 0 ? (enum gz_handle)value : GZ_HANDLE_NONE;
}

bool gz_replay_ball(const char *variant, enum gz_ball *ball)
{
    *ball = GZ_BALL_EXACT;
    if (variant == NULL || variant[0] == 0) return true;
    if (strcmp(variant, "shoemake_1x") == 0) {
        *ball = GZ_BALL_SHOEMAKE_SINGLE;
        return true;
    }
    int value = gz_vocabulary_value(&gz_ball_words, variant, strlen(variant));
    if (value >= 0) *ball = (enum gz_ball)value;
    return value >= 0;
}

static enum gz_mode mode_of(enum gz_handle handle)
{
    if (handle == GZ_RB) return GZ_MODE_ARCBALL;
    if (handle <= GZ_TV) return GZ_MODE_TRANSLATE;
    return handle <= GZ_RV ? GZ_MODE_ROTATE : GZ_MODE_SCALE;
}

static struct gz_tool tool_of(const struct gz_replay_case *replay)
{
    struct gz_tool tool = gz_tool_default;
    tool.mode = mode_of(replay->handle);
    tool.space = replay->space;
    tool.size_px = replay->gizmo_px;
    tool.ball = replay->ball;
    tool.edge_rad = 0;
    if (replay->handle == GZ_RB)
        tool.tolerance_px = 1e300; /* outside the ball its rim or sheet answers every press */
    memcpy(tool.ball_circle, replay->ball_circle, sizeof tool.ball_circle);
    return tool;
}

/* A record's tool shows the handles of one family and nothing else, and it was pressed: the mode's
 * other handles, and what it would hide end-on, are not in question. */
static uint64_t family_of(enum gz_handle handle)
{
    static const struct {
        enum gz_handle first, last;
    } families[] = {{GZ_TX, GZ_TZ}, {GZ_TXY, GZ_TZX}, {GZ_TV, GZ_TV},
                    {GZ_RX, GZ_RZ}, {GZ_RV, GZ_RV},   {GZ_RB, GZ_RB},
                    {GZ_SX, GZ_SZ}, {GZ_SXY, GZ_SZX}, {GZ_SU, GZ_SU}};
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (handle < families[i].first || handle > families[i].last) continue;
        for (int each = (int)families[i].first; each <= (int)families[i].last; each++)
            bits |= GZ_HANDLE_BIT(each);
    }
    return bits;
}

static void write_row(double row[GZ_REPLAY_ROW], const gz_trs *trs)
{
    const double values[GZ_REPLAY_ROW] = {trs->t.x, trs->t.y, trs->t.z, trs->r.x, trs->r.y,
                                          trs->r.z, trs->r.w, trs->s.x, trs->s.y, trs->s.z};
    memcpy(row, values, sizeof values);
}

gz_quat gz_replay_turn(const struct gz_replay_case *replay, gz_quat r)
{
    const gz_quat start = replay->object.r;
    bool ring = replay->handle >= GZ_RX && replay->handle <= GZ_RV;
    double side = r.x * start.x + r.y * start.y + r.z * start.z + r.w * start.w;
    return ring && side < 0 ? gz_quat_opposite(r) : r;
}

static const char *begin(const struct gz_replay_case *replay, struct gz_camera *camera,
                         struct gz_drag *drag, const struct gz_target *target,
                         enum gz_handle *grabbed)
{
    const char *why = NULL;
    struct gz_gizmo gizmo;
    struct gz_tool tool = tool_of(replay);
    const struct gz_pointer start = {.at = {replay->start[0], replay->start[1]}};
    if (!gz_camera_prepare(camera, &replay->camera, &why)) return why;
    if (!gz_gizmo_build(&gizmo, &tool, camera, NULL, target, 1, 0))
        return "object has no gizmo in this view";
    gizmo.handles = family_of(replay->handle);
    *grabbed = gz_gizmo_pick(&gizmo, &tool, camera, &start);
    if (gz_drag_begin(drag, replay->handle, &gizmo, &tool, camera, &start, 0) != GZ_SOLVE_OK)
        return "start has no place on the handle";
    return NULL;
}

struct gz_replay_result gz_replay_run(const struct gz_replay_case *replay,
                                      double (*rows)[GZ_REPLAY_ROW])
{
    struct gz_replay_result result = {0};
    struct gz_target target = {replay->object, gz_affine_identity, NULL};
    struct gz_camera camera;
    struct gz_drag drag;
    struct gz_motion motion = gz_motion_none;
    gz_trs now = target.local;
    result.why = begin(replay, &camera, &drag, &target, &result.grabbed);
    result.answered = result.why == NULL;
    for (size_t i = 0; i < replay->path_count; i++) {
        const struct gz_pointer pointer = {.at = {replay->path[i][0], replay->path[i][1]}};
        enum gz_solve solved =
            result.answered ? gz_drag_solve(&drag, &camera, &pointer, 0, &motion) : GZ_SOLVE_KEPT;
        bool applied = solved != GZ_SOLVE_KEPT &&
                       gz_motion_apply(&motion, &target, &target.parent, &now, NULL);
        result.kept += !applied;
        result.clamped += applied && solved == GZ_SOLVE_CLAMPED;
        gz_trs told = now;
        told.r = gz_replay_turn(replay, now.r);
        write_row(rows[i], &told);
    }
    return result;
}
