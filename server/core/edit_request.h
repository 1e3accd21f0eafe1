/* edit_request.h - the request for an edit: its session and user, its kind, and the rid to
 * answer. */
#ifndef GZ_CORE_EDIT_REQUEST_H
#define GZ_CORE_EDIT_REQUEST_H

#include "proto/message.h"

struct gz_session;

struct gz_edit_request {
    struct gz_session *session; /* NULL for an import */
    const char *user;
    enum gz_edit_kind kind;
    uint64_t target;
    bool reverts; /* an undo of somebody else's edit */
    bool has_rid;
    uint64_t rid;
    const char *key; /* NULL for none */
    struct gz_ids created;
};

/* The request that a message makes; `key` receives the key, terminated. */
struct gz_edit_request gz_edit_request(struct gz_session *session, const struct gz_message *message,
                                       enum gz_edit_kind kind, char key[GZ_KEY_BYTES_MAX + 1]);

#endif
