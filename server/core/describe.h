/* describe.h - records of the scene as messages, and names in words. */
#ifndef GZ_CORE_DESCRIBE_H
#define GZ_CORE_DESCRIBE_H

#include "proto/message.h"
#include "scene/record.h"
#include "scene/scene.h"

/* ---- names in words ---- */

/* Names a node in an error. */

#define GZ_LABEL_BYTES 112

/* The node's id and the beginning of its name, as in "node 12 (piston)". If `name` is NULL, it is
 * taken from the scene, if the node exists. */
void gz_node_label(const struct gz_scene *scene, uint64_t node, const char *name,
                   char label[GZ_LABEL_BYTES]);

/* ---- records as messages ---- */

/* Records of the core and the file as parts of messages. Pure; texts in a message
 * point into the record. */

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
