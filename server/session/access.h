/* access.h - who may what in the scene: by the claims of who comes, and by the scene's own
 * access. */
#ifndef GZ_SESSION_ACCESS_H
#define GZ_SESSION_ACCESS_H

struct gz_core;
struct gz_session;

/* Ends the session if its rights do not give it the role that it has; it may come back at once. */
void gz_session_apply_rights(struct gz_session *session);

/* Ends the sessions whose role in the scene is another one since the access changed; they may come
 * back at once, with what they may now have. Call it when the disk has taken a batch. */
void gz_core_apply_access(struct gz_core *core);

#endif
