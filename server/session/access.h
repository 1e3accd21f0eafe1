/* access.h - which role a session has in the scene: by its user's claims, and by the scene's own
 * access. */
#ifndef GZ_SESSION_ACCESS_H
#define GZ_SESSION_ACCESS_H

struct gz_core;
struct gz_session;

/* Ends the session if its rights no longer give it its role; its client may join again at once. */
void gz_session_apply_rights(struct gz_session *session);

/* Ends the sessions whose role changed with the scene's access; their clients may join again at
 * once, with the new role. Call it when the disk has taken a batch. */
void gz_core_apply_access(struct gz_core *core);

#endif
