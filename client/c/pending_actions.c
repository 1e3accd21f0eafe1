/* pending_actions.c - keeps actions until the server's state shows them. See pending_actions.h. */
#include "pending_actions.h"

void gz_pending_actions_drop(struct gz_pending_actions *unanswered, struct gz_sent *sent)
{
    if (sent->number == 0) return;
    if (!gz_predicted_drop(&unanswered->foreseen, sent->number)) unanswered->corrections++;
    *sent = (struct gz_sent){0};
}

/* Drops lower ones first, because higher ones hide their effects. */
static void drop_until(struct gz_pending_actions *unanswered, uint64_t ended)
{
    uint64_t count = unanswered->count;
    uint64_t number = count > GZ_UNANSWERED_MAX ? count - GZ_UNANSWERED_MAX : 0;
    while (number++ < count) {
        struct gz_sent *sent = &unanswered->list[number % GZ_UNANSWERED_MAX];
        if (sent->ended <= ended) gz_pending_actions_drop(unanswered, sent);
    }
}

void gz_pending_actions_drop_all(struct gz_pending_actions *unanswered)
{
    drop_until(unanswered, UINT64_MAX);
}

void gz_pending_actions_clear(struct gz_pending_actions *unanswered)
{
    gz_predicted_clear(&unanswered->foreseen);
    memset(unanswered->list, 0, sizeof unanswered->list);
}

struct gz_sent *gz_pending_actions_add(struct gz_pending_actions *unanswered, uint64_t rid)
{
    struct gz_sent *sent = &unanswered->list[++unanswered->count % GZ_UNANSWERED_MAX];
    gz_pending_actions_drop(unanswered, sent);
    sent->number = unanswered->count;
    sent->ended = UINT64_MAX;
    sent->rid = rid;
    return sent;
}

void gz_pending_actions_end(struct gz_pending_actions *unanswered, struct gz_sent *sent,
                            uint64_t rid)
{
    sent->end_rid = rid;
    sent->ended = ++unanswered->ended;
    sent->is_done = false;
}

/* ---- typed edits ---- */

/* The transform as the server will apply it; of single coordinates the others are in `trs`. False
 * if it will refuse it. */
static bool read_trs(const struct gz_set_node *node, gz_trs *trs)
{
    *trs = (gz_trs){trs->t, gz_quat_identity, gz_trs_identity.s};
    if (node->has & GZ_HAS_SET_NODE_T) trs->t = node->trs.t;
    if (node->has & GZ_HAS_SET_NODE_X) trs->t.x = node->trs.t.x;
    if (node->has & GZ_HAS_SET_NODE_Y) trs->t.y = node->trs.t.y;
    if (node->has & GZ_HAS_SET_NODE_Z) trs->t.z = node->trs.t.z;
    if (node->has & GZ_HAS_SET_NODE_S) trs->s = node->trs.s;
    if ((node->has & GZ_HAS_SET_NODE_R) && !gz_quat_normalize(node->trs.r, &trs->r)) return false;
    return gz_trs_finite(trs) && trs->s.x != 0 && trs->s.y != 0 && trs->s.z != 0;
}

static bool can_foresee(const struct gz_pending_actions *unanswered, const struct gz_set_node *node,
                        gz_trs *trs)
{
    const uint64_t said = node->has & (GZ_FORESEEN_ALL | GZ_HAS_SET_NODE_XYZ);
    return said != 0 && (node->has & GZ_HAS_SET_NODE_PARENT) == 0 &&
           gz_predicted_trs(&unanswered->foreseen, node->id, trs) && read_trs(node, trs);
}

/* Whether any of the nodes is expected there. */
static bool put_nodes(struct gz_pending_actions *unanswered, struct gz_sent *sent,
                      const struct gz_set_node *nodes, size_t count)
{
    bool moves = false, is_kept = true;
    for (size_t i = 0; is_kept && i < count; i++) {
        uint64_t has = nodes[i].has & GZ_FORESEEN_ALL;
        gz_trs trs;
        if (!can_foresee(unanswered, &nodes[i], &trs)) continue;
        if ((nodes[i].has & GZ_HAS_SET_NODE_XYZ) != 0) has |= GZ_HAS_SET_NODE_T;
        is_kept = gz_predicted_put(&unanswered->foreseen, nodes[i].id, sent->number, has, &trs);
        moves = true;
    }
    return moves && is_kept;
}

void gz_pending_actions_set(struct gz_pending_actions *unanswered, const struct gz_message *message)
{
    struct gz_sent *edit = gz_pending_actions_add(unanswered, message->rid);
    gz_pending_actions_end(unanswered, edit, message->rid);
    if (!put_nodes(unanswered, edit, message->set.nodes, message->set.count))
        gz_pending_actions_drop(unanswered, edit);
}

/* ---- holds ---- */

static struct gz_sent *find_hold(struct gz_pending_actions *unanswered, uint64_t hold)
{
    for (size_t i = 0; i < GZ_UNANSWERED_MAX; i++) {
        struct gz_sent *sent = &unanswered->list[i];
        if (sent->number != 0 && sent->is_hold && sent->hold == hold && sent->ended == UINT64_MAX)
            return sent;
    }
    return NULL;
}

void gz_pending_actions_pose(struct gz_pending_actions *unanswered,
                             const struct gz_message *message)
{
    const struct gz_pose_message *pose = &message->pose;
    struct gz_sent *sent = find_hold(unanswered, pose->hold);
    const bool is_first = sent == NULL;
    if (is_first) sent = gz_pending_actions_add(unanswered, message->rid);
    sent->is_hold = true;
    sent->hold = pose->hold;
    if (!put_nodes(unanswered, sent, pose->nodes, pose->count) && is_first)
        gz_pending_actions_drop(unanswered, sent);
}

void gz_pending_actions_end_hold(struct gz_pending_actions *unanswered,
                                 const struct gz_message *message)
{
    struct gz_sent *sent = find_hold(unanswered, message->pose.hold);
    if (sent == NULL) return;
    const uint64_t corrections = unanswered->corrections;
    if (message->op == GZ_OP_CANCEL)
        gz_pending_actions_drop(unanswered, sent);
    else
        gz_pending_actions_end(unanswered, sent, message->rid);
    unanswered->corrections = corrections; /* that it goes back is what was asked for */
}

/* ---- incoming ---- */

static bool is_shown(const struct gz_pending_actions *unanswered, const struct gz_sent *sent)
{
    return sent->is_done && sent->seq <= gz_mirror_complete_seq(unanswered->foreseen.mirror);
}

void gz_pending_actions_look(struct gz_pending_actions *unanswered)
{
    uint64_t latest = 0;
    for (size_t i = 0; i < GZ_UNANSWERED_MAX; i++) {
        const struct gz_sent *sent = &unanswered->list[i];
        if (is_shown(unanswered, sent) && sent->ended > latest) latest = sent->ended;
    }
    if (latest > 0) drop_until(unanswered, latest);
}

/* Whether the answer says that the server did something else, or nothing. */
static bool is_refusal(const struct gz_sent *sent, const struct gz_message *message)
{
    enum gz_handle handle = GZ_HANDLE_NONE;
    if (message->op == GZ_OP_ERROR)
        return sent->rid == message->rid || sent->end_rid == message->rid;
    if (sent->rid != message->rid || sent->handle == GZ_HANDLE_NONE) return false;
    if (message->has & GZ_HAS_OK_HANDLE) handle = message->ok.handle;
    return sent->handle != handle;
}

static void answer(struct gz_pending_actions *unanswered, struct gz_sent *sent,
                   const struct gz_message *message)
{
    if (is_refusal(sent, message)) {
        gz_pending_actions_drop(unanswered, sent);
    } else if (sent->end_rid == message->rid) {
        sent->is_done = true;
        sent->seq = (message->has & GZ_HAS_OK_SEQ) ? message->ok.seq : 0;
    }
}

void gz_pending_actions_answer(struct gz_pending_actions *unanswered,
                               const struct gz_message *message)
{
    for (size_t i = 0; i < GZ_UNANSWERED_MAX; i++)
        if (unanswered->list[i].number != 0) answer(unanswered, &unanswered->list[i], message);
    gz_pending_actions_look(unanswered);
}

void gz_pending_actions_acknowledge(struct gz_pending_actions *unanswered, uint64_t n)
{
    uint64_t latest = 0;
    for (size_t i = 0; i < GZ_UNANSWERED_MAX; i++) {
        const struct gz_sent *sent = &unanswered->list[i];
        if (sent->end_n != 0 && sent->end_n <= n && sent->ended > latest) latest = sent->ended;
    }
    if (latest > 0) drop_until(unanswered, latest);
}
