/* arguments.h - a message whose fields come as texts, such as the arguments of an address. They
 * become MessagePack by the table of the message, which is then read and checked as any other:
 * gz_decode. Threads: pure, any. */
#ifndef GZ_PROTO_ARGUMENTS_H
#define GZ_PROTO_ARGUMENTS_H

#include "proto/message.h"

/* Begins a message of a client in `out`, which is empty. GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_arguments_begin(struct gz_buffer *out, enum gz_op op);
/* Adds a field; one that the message does not have is left out. A text that is not of the field's
 * kind is added as a text, so that gz_decode says what was expected. Errors as of gz_buffer. */
GZ_MUST_USE enum gz_status gz_arguments_add(struct gz_buffer *out, enum gz_op op, const char *key,
                                            const char *value);

#endif
