/* work.h - what takes the core long is done in slices, one a turn, so that others are served
 * between two of them: a look at all nodes of a large scene for a `pick` with `rect` or for an
 * interest, moving what a drag of many nodes holds, and finding where the gizmo of many nodes
 * stands.
 *
 * A session has at most one such work for a message; what it sends meanwhile waits in its inbox. A
 * turn looks at GZ_SLICE_NODES nodes for all sessions of the scene together, which take turns; what
 * the turn leaves of them is for what comes until the next one. Nodes are counted, and not time, so
 * that the same inputs give the same outputs. */
#ifndef GZ_SESSION_WORK_H
#define GZ_SESSION_WORK_H

#include <stdbool.h>
#include <stddef.h>

struct gz_core;
struct gz_session;

/* Whether what the session sends has to wait: for its search, and until it took what that found;
 * for its wheel; and for what is put off (bulk.h). */
bool gz_session_is_busy(const struct gz_session *session);
/* Whether the session waits for a slice. */
bool gz_session_has_work(const struct gz_session *session);
/* Sessions that have nothing left sleep (gz_session_wake) from the second turn after that on, so
 * that the host meets each of them once more (gz_core_next_awake). */
void gz_core_let_sleep(struct gz_core *core);
/* The slices of a turn. */
void gz_core_go_on(struct gz_core *core);
/* Does all that was asked so far. Hits that were found may still be on their way to a session, and
 * what it asked later is done all the same. */
void gz_core_finish_work(struct gz_core *core);
/* What is not done yet of what the session asked for is not done any more. */
void gz_session_drop_work(struct gz_session *session);

#endif
