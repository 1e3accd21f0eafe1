/* label.h - names a node in an error. */
#ifndef GZ_SESSION_LABEL_H
#define GZ_SESSION_LABEL_H

#include "scene/scene.h"

#define GZ_LABEL_BYTES 112

/* The node's id and the beginning of its name, as in "node 12 (piston)". If `name` is NULL, it is
 * taken from the scene, if the node exists. */
void gz_node_label(const struct gz_scene *scene, uint64_t node, const char *name,
                   char label[GZ_LABEL_BYTES]);

#endif
