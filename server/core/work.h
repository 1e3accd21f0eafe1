/* work.h - does long work in slices, one each turn, so that other sessions are served in between: a
 * look at all nodes of a large scene for a `pick` with `rect` or for an interest, posing the nodes
 * of a large drag, and computing the seat of a gizmo on many nodes.
 *
 * A session has at most one such work for a message; its later messages wait in its inbox. The
 * sessions of a scene take turns and share GZ_SLICE_NODES nodes in each turn of the core; the rest
 * of them is for messages before the next turn. Nodes are counted, not time, so that the same
 * inputs give the same outputs. */
#ifndef GZ_CORE_WORK_H
#define GZ_CORE_WORK_H

#include <stdbool.h>
#include <stddef.h>

struct gz_core;
struct gz_session;

/* Whether the session's messages have to wait: for its search and its hits, for its wheel, for work
 * that is put off (bulk.h), or for the disk (budget.h). */
bool gz_session_is_busy(const struct gz_session *session);
/* Whether the session waits for a slice. */
bool gz_session_has_work(const struct gz_session *session);
/* Ends the awake state (gz_session_wake) of sessions without work, from the second turn on, so that
 * gz_core_next_awake returns each of them once more. */
void gz_core_let_sleep(struct gz_core *core);
/* Runs the slices of a turn. */
void gz_core_go_on(struct gz_core *core);
/* Finishes all requests so far, even behind hits that are still being sent. */
void gz_core_finish_work(struct gz_core *core);
/* Drops the unfinished work of a session. */
void gz_session_drop_work(struct gz_session *session);

#endif
