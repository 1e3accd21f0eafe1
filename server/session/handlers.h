/* handlers.h - the handlers, one for each message that a client may send. A handler answers the
 * message, or fails: then nothing has changed, and the caller sends the failure. It works in the
 * core's scratch memory, which the caller has emptied. */
#ifndef GZ_SESSION_HANDLERS_H
#define GZ_SESSION_HANDLERS_H

#include "proto/message.h"
#include "scene/failure.h"

struct gz_session;

typedef enum gz_status gz_handler(struct gz_session *session, const struct gz_message *message,
                                  struct gz_failure *failure);

gz_handler gz_on_camera, gz_on_tool, gz_on_select;             /* setup.c */
gz_handler gz_on_interest;                                     /* interest.c */
gz_handler gz_on_pick;                                         /* pick.c */
gz_handler gz_on_pointer, gz_on_grab, gz_on_wheel;             /* pointer.c */
gz_handler gz_on_set, gz_on_create, gz_on_delete;              /* edit.c */
gz_handler gz_on_undo, gz_on_redo, gz_on_revert;               /* undo.c */
gz_handler gz_on_history, gz_on_at, gz_on_path, gz_on_restore; /* history.c */
gz_handler gz_on_note;                                         /* note.c */
gz_handler gz_on_checkpoint, gz_on_checkpoints;                /* checkpoint.c */
gz_handler gz_on_access, gz_on_accesses;                       /* access.c */
gz_handler gz_on_link;                                         /* link.c */
gz_handler gz_on_token;                                        /* token.c */
gz_handler gz_on_who;                                          /* who.c */

#endif
