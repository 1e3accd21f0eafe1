/* json.h - the second encoding of the wire: the same messages as JSON text. README.md beside this
 * file has the rules.
 *
 * A frame is one JSON list of messages. There is one table of fields (fields.c): what comes as JSON
 * becomes MessagePack and is then read by it, and what goes was written by it. Ownership and
 * threads: as in message.h; a decoded message points into the arena alone. Memory: the MessagePack
 * of a message has at most GZ_JSON_FACTOR_MAX times the bytes of its JSON, from the arena; the rest
 * as in message.h. */
#ifndef GZ_PROTO_JSON_H
#define GZ_PROTO_JSON_H

#include "proto/message.h"

#define GZ_SUBPROTOCOL_JSON GZ_SUBPROTOCOL ".json"

/* gz_decode for a frame of JSON. GZ_BAD_MESSAGE also for what is no JSON; nothing behind it is
 * read. */
GZ_MUST_USE enum gz_status gz_decode_json(enum gz_side side, const uint8_t *text, size_t size,
                                          size_t *offset, struct gz_arena *arena,
                                          struct gz_message *message, struct gz_error *error);

/* Appends messages as JSON. They are MessagePack, one or more back to back, as gz_encode writes
 * them. `out` is empty, or holds a frame that is not ended yet; its last byte is still to come, and
 * there is room for it. On an error (GZ_TOO_LARGE, GZ_NO_MEMORY, GZ_INTERNAL for other bytes) `out`
 * is as it was. */
GZ_MUST_USE enum gz_status gz_json_append_messages(struct gz_buffer *out, const uint8_t *messages,
                                                   size_t size);
/* Ends the frame in `out`, which is not empty. */
void gz_json_end_frame(struct gz_buffer *out);
/* One value of MessagePack as JSON, alone. Errors as above. */
GZ_MUST_USE enum gz_status gz_json_append_value(struct gz_buffer *out, const uint8_t *value,
                                                size_t size);

/* The same for a message, without its op and its rid. */
GZ_MUST_USE enum gz_status gz_json_append_fields(struct gz_buffer *out, const uint8_t *message,
                                                 size_t size);

#endif
