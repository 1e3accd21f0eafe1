#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/session.h"

struct gz_session *gz_core_session(const struct gz_core *core, uint64_t id)
{
    struct gz_session *session = core->sessions;
    while (session != NULL && session->id != id) session = session->next;
    return session;
}

void gz_session_end(struct gz_session *session, const char *reason)
{
    if (session->ended) return;
    session->ended = true;
    snprintf(session->end_reason, sizeof session->end_reason, "%s", reason);
    gz_log(session->core->log, GZ_INFO, session->id, "ended: %s", reason);
}

void gz_core_label(const struct gz_core *core, uint64_t node, const char *name,
                   char label[GZ_LABEL_BYTES])
{
    const struct gz_node *there = gz_scene_find(core->scene, node);
    char beginning[81];
    if (name == NULL) name = there != NULL ? there->name : "";
    gz_print(beginning, sizeof beginning, "%s", name);
    const char *open = name[0] != '\0' ? " (" : "", *close = name[0] != '\0' ? ")" : "";
    gz_print(label, GZ_LABEL_BYTES, "node %llu%s%s%s", (unsigned long long)node, open, beginning,
             close);
}

void gz_core_name_holder(const struct gz_core *core, struct gz_failure *failure)
{
    const struct gz_session *holder = gz_core_session(core, failure->holder);
    if (failure->error.status != GZ_LOCKED || holder == NULL) return;
    char label[GZ_LABEL_BYTES];
    gz_core_label(core, failure->node, NULL, label);
    gz_fail(&failure->error, GZ_LOCKED, "%s is held by %s", label, holder->user);
}

/* What was handed out is forgotten with the next call; a large outbox gives its memory back. */
void gz_session_drain(struct gz_session *session)
{
    if (session->outbox_sent == 0 || session->outbox_sent < session->outbox.size) return;
    session->outbox_sent = 0;
    session->cut_count = session->cuts_used = 0;
    gz_buffer_clear(&session->outbox);
    if (session->outbox.capacity > GZ_OUTBOX_BYTES_FULL) gz_buffer_finish(&session->outbox);
}

static size_t backlog(const struct gz_session *session)
{
    return session->outbox.size - session->outbox_sent;
}

bool gz_session_is_full(const struct gz_session *session)
{
    return backlog(session) > GZ_OUTBOX_BYTES_FULL;
}

/* Who is always a little behind never empties the outbox: what was handed out is moved out of the
 * way once it is the larger part. */
static void compact(struct gz_session *session)
{
    size_t sent = session->outbox_sent;
    if (sent <= GZ_OUTBOX_BYTES_FULL || sent < backlog(session)) return;
    memmove(session->outbox.data, session->outbox.data + sent, backlog(session));
    gz_buffer_truncate(&session->outbox, backlog(session));
    session->cut_count -= session->cuts_used;
    for (size_t i = 0; i < session->cut_count; i++)
        session->cuts[i] = session->cuts[i + session->cuts_used] - sent;
    session->cuts_used = 0;
    session->outbox_sent = 0;
}

/* Frames are cut at a message's edge, so that a long answer does not become one frame of many
 * megabytes. */
static bool cut_outbox(struct gz_session *session)
{
    size_t last = session->cut_count > 0 ? session->cuts[session->cut_count - 1] : 0;
    if (session->outbox.size - last < GZ_OUTBOX_FRAME_BYTES) return true;
    if (!gz_grow(&session->cuts, &session->cut_capacity, session->cut_count + 1,
                 sizeof *session->cuts))
        return false;
    session->cuts[session->cut_count++] = session->outbox.size;
    return true;
}

static enum gz_status append(struct gz_session *session, const struct gz_message *message)
{
    gz_session_drain(session);
    compact(session);
    enum gz_status status = gz_encode(&session->outbox, message);
    if (status == GZ_OK && !cut_outbox(session)) status = GZ_NO_MEMORY;
    return status;
}

void gz_session_send(struct gz_session *session, const struct gz_message *message)
{
    if (session->ended) return;
    if (append(session, message) != GZ_OK) gz_session_end(session, "it did not take its answers");
}

/* Of an edit of one node, what the node was called then; else NULL. */
static const char *name_then(const struct gz_edit_record *edit)
{
    if (edit->change_count != 1) return NULL;
    return edit->nodes != NULL ? edit->name : gz_change_name(&edit->changes[0]);
}

struct gz_edit_message gz_edit_told(const struct gz_core *core, const struct gz_edit_record *edit,
                                    struct gz_ids nodes)
{
    struct gz_edit_message message = {
        .id = edit->id,
        .by = edit->epoch == core->epoch ? edit->session
                                         : 0, /* sessions are counted anew in each epoch */
        .seq = edit->seq,
        .user = {edit->user, strlen(edit->user)},
        .kind = edit->kind,
        .handle = edit->handle,
        .value = {{edit->value[0], edit->value[1]}, edit->value_count},
        .nodes = nodes,
        .residual = edit->residual,
        .began = edit->began,
        .ended = edit->ended,
    };
    if (edit->handle != GZ_HANDLE_NONE) message.has |= GZ_HAS(HANDLE);
    if (edit->value_count > 0) message.has |= GZ_HAS(VALUE);
    if (edit->residual > 0) message.has |= GZ_HAS(RESIDUAL);
    const char *name = name_then(edit);
    if (name != NULL)
        message.has |= GZ_HAS(NAME), message.name = (struct gz_text){name, strlen(name)};
    return message;
}

void gz_session_ok(struct gz_session *session, const struct gz_message *request, uint64_t has,
                   const struct gz_ok *ok)
{
    (void)gz_session_answer(session, request, has, ok);
}

bool gz_session_answer(struct gz_session *session, const struct gz_message *request, uint64_t has,
                       const struct gz_ok *ok)
{
    if ((request->has & GZ_HAS(RID)) == 0) return true;
    struct gz_message message = {.op = GZ_OP_OK, .has = has | GZ_HAS(RID), .rid = request->rid};
    if (ok != NULL) message.ok = *ok;
    if (session->ended) return false;
    enum gz_status status = append(session, &message);
    if (status == GZ_OK) return true;
    if (status != GZ_TOO_LARGE || gz_session_is_full(session)) {
        gz_session_end(session, "it did not take its answers");
        return false;
    }
    struct gz_failure failure = {.node = 0};
    gz_fail(&failure.error, GZ_TOO_LARGE, "the answer is larger than %d bytes: ask for less",
            GZ_OUTBOX_BYTES_MAX);
    gz_session_refuse(session, true, request->rid, &failure, false);
    return false;
}

void gz_session_refuse(struct gz_session *session, bool has_rid, uint64_t rid,
                       const struct gz_failure *failure, bool fatal)
{
    struct gz_failure told = *failure;
    gz_core_name_holder(session->core, &told);
    const struct gz_error *error = &told.error;
    struct gz_message message = {.op = GZ_OP_ERROR, .rid = rid, .has = has_rid ? GZ_HAS(RID) : 0};
    message.error.code = error->status;
    message.error.message = (struct gz_text){error->message, strlen(error->message)};
    message.error.fatal = fatal;
    if (failure->node != 0 || failure->node_count > 0) {
        message.has |= GZ_HAS(NODES);
        message.error.nodes = failure->node_count > 0
                                  ? (struct gz_ids){failure->nodes, failure->node_count}
                                  : (struct gz_ids){&failure->node, 1};
    }
    if (failure->holder != 0) {
        message.has |= GZ_HAS(HOLDER);
        message.error.holder = failure->holder;
    }
    gz_session_send(session, &message);
    if (session->core->errors != NULL) session->core->errors[error->status]++;
    gz_log(session->core->log, GZ_DEBUG, session->id, "refused: %s: %s",
           gz_status_word(error->status), error->message);
    if (fatal) gz_session_end(session, error->message);
}
