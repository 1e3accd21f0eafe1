/* edit_request.c - makes the request for an edit from a message. See edit_request.h. */
#include "core/edit_request.h"

#include <string.h>

#include "core/session.h"

struct gz_edit_request gz_edit_request(struct gz_session *session, const struct gz_message *message,
                                       enum gz_edit_kind kind, char key[GZ_KEY_BYTES_MAX + 1])
{
    struct gz_edit_request request = {.session = session, .user = session->user, .kind = kind};
    request.has_rid = (message->has & GZ_HAS_RID) != 0;
    request.rid = message->rid;
    if (message->has & GZ_HAS_KEY) {
        memcpy(key, message->key.bytes, message->key.size);
        key[message->key.size] = '\0';
        request.key = key;
    }
    return request;
}
