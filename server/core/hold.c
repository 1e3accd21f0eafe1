/* hold.c - handles hold, pose, release and cancel: a program says where nodes are, as often as it
 * wants, and all of it becomes one edit. See hold.h. */
#include "core/hold.h"

#include <stdlib.h>

#include "core/answers.h"
#include "core/interaction.h"
#include "core/session.h"
#include "proto/limits.h"
#include "scene/ids.h"
#include "server/maxima.h"

struct gz_gesture *gz_session_hold(const struct gz_session *session, uint64_t name)
{
    struct gz_gesture *hold = session->gesture.next;
    while (hold != NULL && hold->poses->name != name) hold = hold->next;
    return hold;
}

/* ---- the kind of gesture ---- */

static enum gz_status no_memory(struct gz_failure *failure)
{
    return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the hold");
}

/* The nodes that the message names, ascending by id; false without memory. All exist. */
static bool find_targets(struct gz_core *core, struct gz_ids ids, struct gz_targets *targets)
{
    targets->count = ids.count;
    targets->ids = gz_sorted_ids(&core->scratch, ids.ids, ids.count);
    targets->nodes = gz_arena_take(&core->scratch, ids.count, sizeof *targets->nodes);
    if (targets->ids == NULL || targets->nodes == NULL) return false;
    for (size_t i = 0; i < ids.count; i++)
        targets->nodes[i] = gz_scene_find(core->scene, targets->ids[i]);
    return true;
}

static enum gz_status begin(struct gz_session *session, struct gz_gesture *gesture,
                            const struct gz_interaction_input *input, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    struct gz_targets targets;
    enum gz_status status = gz_journal_check_room(&core->journal, &failure->error);
    if (status != GZ_OK) return status;
    if (!find_targets(core, input->hold->nodes, &targets)) return no_memory(failure);
    status = gz_interaction_take(session, gesture, &targets, GZ_EDIT_POSE, GZ_PATH_METRES, failure);
    if (status != GZ_OK) return status;
    if (gz_gesture_await_poses(gesture, input->hold->hold, input->hold->path)) return GZ_OK;
    gz_scene_release(core->scene, gesture->ids, gesture->count,
                     (struct gz_grip){session->id, gesture->number});
    gz_gesture_finish(gesture);
    (void)gz_session_update_locks(session); /* with fewer it needs no memory */
    return no_memory(failure);
}

/* The places of the posed nodes among the targets, in scratch memory. */
static enum gz_status find_places(struct gz_session *session, const struct gz_gesture *gesture,
                                  const struct gz_pose_message *pose, size_t **places,
                                  struct gz_failure *failure)
{
    *places = gz_arena_take(&session->core->scratch, pose->count, sizeof **places);
    if (*places == NULL) return no_memory(failure);
    for (size_t i = 0; i < pose->count; i++) {
        const uint64_t id = pose->nodes[i].id;
        (*places)[i] = gz_gesture_place(gesture, id);
        if ((*places)[i] < gesture->count) continue;
        failure->node = id;
        const bool is_there = gz_scene_find(session->core->scene, id) != NULL;
        return gz_fail(&failure->error, is_there ? GZ_BAD_VALUE : GZ_UNKNOWN_NODE,
                       is_there ? "pose.nodes[%zu].id: node %llu is not in hold %llu"
                                : "pose.nodes[%zu].id: there is no node %llu (hold %llu)",
                       i, (unsigned long long)id, (unsigned long long)gesture->poses->name);
    }
    return GZ_OK;
}

static enum gz_status move(struct gz_session *session, struct gz_gesture *gesture,
                           const struct gz_interaction_input *input, struct gz_failure *failure)
{
    const struct gz_pose_message *pose = input->pose;
    size_t *places;
    gz_budget_charge(session, pose->count);
    enum gz_status status = find_places(session, gesture, pose, &places, failure);
    if (status != GZ_OK) return status;
    for (size_t i = 0; i < pose->count; i++) {
        gz_place_as_said(&pose->nodes[i], &gesture->poses->wanted[places[i]]);
        gz_gesture_want(gesture, places[i]);
    }
    if (pose->count > 0) gz_interaction_pose(session, gesture);
    return GZ_OK;
}

const struct gz_interaction gz_hold_interaction = {
    .begin = begin,
    .move = move,
    .finish = gz_interaction_keep_edit,
    .cancel = gz_interaction_take_back,
    .is_acknowledged = true,
};

/* ---- the messages ---- */

enum gz_status gz_on_hold(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    struct gz_hold_message said = message->hold;
    if ((message->has & GZ_HAS_HOLD_PATH) == 0) said.path = true;
    const struct gz_interaction_input input = {.hold = &said};
    bool is_full;
    if (gz_session_hold(session, said.hold) != NULL)
        return gz_fail(
            &failure->error, GZ_BAD_STATE,
            "hold.hold: %llu is held; release or cancel it first, or take another number",
            (unsigned long long)said.hold);
    if (said.nodes.count == 0)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "hold.nodes: name at least one node");
    enum gz_status status =
        gz_check_ids(session->core->scene, "hold.nodes", said.nodes.ids, said.nodes.count, failure);
    if (status != GZ_OK) return status;
    struct gz_gesture *hold = gz_session_add_hold(session, &is_full);
    if (hold == NULL && is_full)
        return gz_fail(&failure->error, GZ_TOO_MANY, "hold: a session has at most %d holds at once",
                       GZ_HOLDS_MAX);
    if (hold == NULL) return no_memory(failure);
    status = gz_interaction_begin(session, hold, &gz_hold_interaction, &input, failure);
    if (status != GZ_OK) {
        gz_session_drop_hold(session, hold);
        return status;
    }
    gz_session_present(session);
    gz_session_ok(session, message, 0, NULL);
    return GZ_OK;
}

enum gz_status gz_on_pose(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    const struct gz_pose_message *pose = &message->pose;
    const struct gz_interaction_input input = {.pose = pose};
    const uint64_t before = gz_scene_seq(session->core->scene);
    struct gz_gesture *hold = gz_session_hold(session, pose->hold);
    if (hold == NULL)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "pose.hold: %llu is not held by this session; send hold first",
                       (unsigned long long)pose->hold);
    enum gz_status status = hold->interaction->move(session, hold, &input, failure);
    if (status != GZ_OK) return status;
    if ((message->has & GZ_HAS_POSE_N) != 0)
        gz_interaction_acknowledge(session, hold, pose->n, before);
    gz_session_ok(session, message, 0, NULL);
    return GZ_OK;
}

enum gz_status gz_on_release(struct gz_session *session, const struct gz_message *message,
                             struct gz_failure *failure)
{
    enum gz_status status = GZ_OK;
    struct gz_gesture *hold = gz_session_hold(session, message->pose.hold);
    if (gz_session_end_is_known(session, message, hold != NULL, &status, failure)) return status;
    if (hold == NULL) return gz_session_answer_over(session, message, failure);
    if ((message->has & GZ_HAS_POSE_N) != 0)
        gz_interaction_acknowledge(session, hold, message->pose.n,
                                   gz_scene_seq(session->core->scene));
    gz_interaction_finish(session, hold, message);
    return GZ_OK;
}

enum gz_status gz_on_cancel(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure)
{
    const uint64_t before = gz_scene_seq(session->core->scene);
    struct gz_gesture *hold = gz_session_hold(session, message->pose.hold);
    if (hold == NULL) return gz_session_answer_over(session, message, failure);
    struct gz_gesture over = {.number = hold->number};
    gz_interaction_cancel(session, hold);
    if ((message->has & GZ_HAS_POSE_N) != 0)
        gz_interaction_acknowledge(session, &over, message->pose.n, before);
    gz_session_ok_stored(session, message, 0, NULL);
    return GZ_OK;
}

/* ---- sets of nodes that are held ---- */

void gz_place_as_said(const struct gz_set_node *said, gz_trs *trs)
{
    if (said->has & GZ_HAS_SET_NODE_T) trs->t = said->trs.t;
    if (said->has & GZ_HAS_SET_NODE_X) trs->t.x = said->trs.t.x;
    if (said->has & GZ_HAS_SET_NODE_Y) trs->t.y = said->trs.t.y;
    if (said->has & GZ_HAS_SET_NODE_Z) trs->t.z = said->trs.t.z;
    if (said->has & GZ_HAS_SET_NODE_R) trs->r = said->trs.r;
    if (said->has & GZ_HAS_SET_NODE_S) trs->s = said->trs.s;
}

/* The session's hold that has the node; NULL if none has. */
static struct gz_gesture *hold_of(const struct gz_session *session, const struct gz_node *node)
{
    struct gz_gesture *hold = node->holder == session->id ? session->gesture.next : NULL;
    while (hold != NULL && hold->number != node->grip) hold = hold->next;
    return hold;
}

const struct gz_gesture_target *gz_session_held_target(const struct gz_session *session,
                                                       const struct gz_node *node)
{
    const struct gz_gesture *hold = hold_of(session, node);
    return hold != NULL ? &hold->targets[gz_gesture_place(hold, node->id)] : NULL;
}

void gz_session_lend_held(struct gz_session *session, const struct gz_set *set)
{
    struct gz_scene *scene = session->core->scene;
    for (size_t i = 0; session->gesture.next != NULL && i < set->count; i++) {
        const struct gz_node *node = gz_scene_find(scene, set->nodes[i].id);
        const struct gz_gesture *hold = hold_of(session, node);
        if (hold != NULL)
            gz_scene_release(scene, &node->id, 1, (struct gz_grip){session->id, hold->number});
    }
}

/* What was set, or placed under another parent, is where the hold began with this node, and what it
 * wants. `is_changed`: the edit changes the node, which is then told and stored as it was set, even
 * if it was posed so before. */
static void begin_from(struct gz_session *session, struct gz_gesture *hold, size_t place,
                       const struct gz_set_node *said, bool is_changed)
{
    struct gz_gesture_target *target = &hold->targets[place];
    struct gz_scene *scene = session->core->scene;
    const struct gz_node *node = gz_scene_find(scene, said->id);
    const uint64_t since = target->start_seq;
    gz_place_as_said(said, &target->start);
    gz_place_as_said(said, &hold->poses->wanted[place]);
    gz_gesture_want(hold, place);
    if (!is_changed) return;
    if (said->keep) target->start = hold->poses->wanted[place] = node->trs;
    gz_scene_touch(scene, node, since, session->id);
    target->start_seq = node->seq;
    if (hold->moved) gz_scene_touch(scene, node, since, session->id);
}

/* The edit that the hold becomes begins anew at this seq: nodes that have moved have moved since.
 */
static void begin_anew(struct gz_session *session, struct gz_gesture *hold, uint64_t began_seq)
{
    struct gz_core *core = session->core;
    struct gz_gesture_edit *edit = &hold->edit;
    struct gz_journal_entry *drop = gz_gesture_take_drop(hold);
    if (drop != NULL) gz_journal_append(&core->journal, drop);
    free(edit->drop);
    *edit = (struct gz_gesture_edit){.id = core->next_edit++,
                                     .kind = edit->kind,
                                     .began = gz_clock_moment(&core->clock),
                                     .began_seq = began_seq,
                                     .path_m = edit->path_m};
    gz_interaction_tell_singly(session, hold);
    if (hold->moved) gz_gesture_settle(hold, core->scene, session->id);
}

static void go_on(struct gz_session *session, struct gz_gesture *hold, const struct gz_set *set,
                  const bool *changed)
{
    const uint64_t began_seq = gz_scene_seq(session->core->scene);
    bool is_named = false, is_changed = false;
    for (size_t i = 0; i < set->count; i++) {
        const size_t place = gz_gesture_place(hold, set->nodes[i].id);
        if (place == hold->count) continue;
        begin_from(session, hold, place, &set->nodes[i], changed[i]);
        is_named = true;
        is_changed |= changed[i];
    }
    if (is_changed) begin_anew(session, hold, began_seq);
    if (is_named) gz_interaction_pose_rest(session, hold);
}

void gz_session_take_held(struct gz_session *session, const struct gz_set *set, const bool *changed)
{
    struct gz_failure none;
    for (struct gz_gesture *hold = session->gesture.next; hold != NULL; hold = hold->next) {
        for (size_t i = 0; i < set->count; i++)
            if (gz_gesture_place(hold, set->nodes[i].id) < hold->count)
                (void)!gz_scene_hold(session->core->scene, &set->nodes[i].id, 1,
                                     (struct gz_grip){session->id, hold->number}, &none);
        if (changed != NULL) go_on(session, hold, set, changed);
    }
}
