/* label.c - names a node in an error. See label.h. */
#include "session/label.h"

#include "proto/base/status.h"

void gz_node_label(const struct gz_scene *scene, uint64_t node, const char *name,
                   char label[GZ_LABEL_BYTES])
{
    const struct gz_node *there = gz_scene_find(scene, node);
    char beginning[81];
    if (name == NULL) name = there != NULL ? there->name : "";
    gz_print(beginning, sizeof beginning, "%s", name);
    gz_print(label, GZ_LABEL_BYTES, name[0] != '\0' ? "node %llu (%s)" : "node %llu%s",
             (unsigned long long)node, beginning);
}
