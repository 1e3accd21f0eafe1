/* dump.c - writes a scene as text. See dump.h. */
#include "dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void dump_doubles(FILE *out, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        fprintf(out, " %016" PRIx64, bits);
    }
}

static void dump_node(FILE *out, const struct gz_mirror_node *node)
{
    const double trs[10] = {node->trs.t.x, node->trs.t.y, node->trs.t.z, node->trs.r.x,
                            node->trs.r.y, node->trs.r.z, node->trs.r.w, node->trs.s.x,
                            node->trs.s.y, node->trs.s.z};
    const double bounds[6] = {node->bounds.min.x, node->bounds.min.y, node->bounds.min.z,
                              node->bounds.max.x, node->bounds.max.y, node->bounds.max.z};
    fprintf(out, "node %" PRIu64 " %" PRIu64 " %s", node->id, node->parent,
            node->name[0] == '\0' ? "-" : "");
    for (const char *at = node->name; *at != '\0'; at++) fprintf(out, "%02x", (unsigned char)*at);
    dump_doubles(out, trs, 10);
    if (node->has_bounds)
        dump_doubles(out, bounds, 6);
    else
        fputs(" -", out);
    if (node->asset >= 0)
        fprintf(out, " %" PRId64 "\n", node->asset);
    else
        fputs(" -\n", out);
}

void dump_mirror(FILE *out, const struct gz_mirror *mirror)
{
    size_t count;
    const struct gz_mirror_node **nodes = gz_mirror_list(mirror, &count);
    for (size_t i = 0; i < count; i++) dump_node(out, nodes[i]);
    free(nodes);
}
