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

/* The transform as the server will apply it. False if it will refuse it. */
static bool read_trs(const struct gz_set_node *node, gz_trs *trs)
{
    *trs = gz_trs_identity;
    if (node->has & GZ_HAS_SET_NODE_T) trs->t = node->trs.t;
    if (node->has & GZ_HAS_SET_NODE_S) trs->s = node->trs.s;
    if ((node->has & GZ_HAS_SET_NODE_R) && !gz_quat_normalize(node->trs.r, &trs->r)) return false;
    return gz_trs_finite(trs) && trs->s.x != 0 && trs->s.y != 0 && trs->s.z != 0;
}

static bool can_foresee(const struct gz_pending_actions *unanswered, const struct gz_set_node *node,
                        gz_trs *trs)
{
    return (node->has & GZ_FORESEEN_ALL) != 0 && (node->has & GZ_HAS_SET_NODE_PARENT) == 0 &&
           gz_mirror_find(unanswered->foreseen.mirror, node->id) != NULL && read_trs(node, trs);
}

void gz_pending_actions_set(struct gz_pending_actions *unanswered, const struct gz_message *message)
{
    struct gz_sent *edit = gz_pending_actions_add(unanswered, message->rid);
    bool moves = false, is_kept = true;
    gz_pending_actions_end(unanswered, edit, message->rid);
    for (size_t i = 0; is_kept && i < message->set.count; i++) {
        const struct gz_set_node *node = &message->set.nodes[i];
        uint64_t has = node->has & GZ_FORESEEN_ALL;
        gz_trs trs;
        if (!can_foresee(unanswered, node, &trs)) continue;
        is_kept = gz_predicted_put(&unanswered->foreseen, node->id, edit->number, has, &trs);
        moves = true;
    }
    if (!moves || !is_kept) gz_pending_actions_drop(unanswered, edit);
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
