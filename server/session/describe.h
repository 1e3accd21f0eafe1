/* describe.h - records of the core and the file as parts of messages. Pure; texts in a message
 * point into the record. */
#ifndef GZ_SESSION_DESCRIBE_H
#define GZ_SESSION_DESCRIBE_H

#include "proto/message.h"
#include "scene/record.h"

/* Whether the point can be sent: in a deep hierarchy coordinates can exceed what the wire allows. A
 * NaN is not sendable. */
bool gz_is_sendable(gz_vec3 place);

struct gz_text gz_text_of(const char *string);
struct gz_node_state gz_describe_node(uint64_t id, const struct gz_content *content);
/* An edit without its changes. `epoch` is the present one: only sessions of this epoch are named,
 * because each epoch numbers its sessions anew. */
struct gz_edit_message gz_describe_edit(const struct gz_edit_record *edit, uint64_t epoch,
                                        struct gz_ids nodes);
/* The same with `count` of its changes, beginning at index `from`; with the nodes alone if the
 * record is brief. Made in `arena`. False without memory. */
GZ_MUST_USE bool gz_describe_changes(const struct gz_edit_record *edit, uint64_t epoch, size_t from,
                                     size_t count, struct gz_arena *arena,
                                     struct gz_edit_message *message);

#endif
