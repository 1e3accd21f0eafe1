/* describe.c - records of the scene as messages, and names in words. */
#include "core/describe.h"

#include <math.h>
#include <string.h>

#include "proto/base/status.h"

/* ---- names in words ---- */

/* Names a node in an error. */

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

/* ---- records as messages ---- */

/* Turns records into parts of messages. */

bool gz_is_sendable(gz_vec3 place)
{
    return fabs(place.x) <= GZ_COORDINATE_MAX && fabs(place.y) <= GZ_COORDINATE_MAX &&
           fabs(place.z) <= GZ_COORDINATE_MAX;
}

struct gz_text gz_text_of(const char *string)
{
    return (struct gz_text){string, strlen(string)};
}

struct gz_node_state gz_describe_node(uint64_t id, const struct gz_content *content)
{
    struct gz_node_state state = {
        .has = GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S | GZ_HAS_STATE_NAME |
               GZ_HAS_STATE_PARENT,
        .id = id,
        .trs = content->trs,
        .name = gz_text_of(content->name),
        .parent = content->parent,
        .bounds = content->bounds,
    };
    if (content->has_bounds) state.has |= GZ_HAS_STATE_BOUNDS;
    if (content->asset < 0) return state;
    state.has |= GZ_HAS_STATE_ASSET;
    state.asset = (uint64_t)content->asset;
    return state;
}

/* ---- edits ---- */

/* The name of the node right after an edit of one node; NULL if the edit changed several. */
static const char *name_then(const struct gz_edit_record *edit)
{
    if (edit->change_count != 1) return NULL;
    return edit->nodes != NULL ? edit->name : gz_change_name(&edit->changes[0]);
}

struct gz_edit_message gz_describe_edit(const struct gz_edit_record *edit, uint64_t epoch,
                                        struct gz_ids nodes)
{
    struct gz_edit_message message = {
        .id = edit->id,
        .by = edit->epoch == epoch ? edit->session : 0,
        .seq = edit->seq,
        .user = gz_text_of(edit->user),
        .kind = edit->kind,
        .handle = edit->handle,
        .value = {{edit->value[0], edit->value[1]}, edit->value_count},
        .nodes = nodes,
        .residual = edit->residual,
        .total = edit->total,
        .began = edit->began,
        .ended = edit->ended,
    };
    if (edit->handle != GZ_HANDLE_NONE) message.has |= GZ_HAS_EDIT_HANDLE;
    if (edit->value_count > 0) message.has |= GZ_HAS_EDIT_VALUE;
    if (edit->residual > 0) message.has |= GZ_HAS_EDIT_RESIDUAL;
    if (edit->total > 0) message.has |= GZ_HAS_EDIT_TOTAL;
    const char *name = name_then(edit);
    if (name == NULL) return message;
    message.has |= GZ_HAS_EDIT_NAME;
    message.name = gz_text_of(name);
    return message;
}

/* The parts of the node that the change leaves the same. */
static uint64_t same_parts(const struct gz_content *before, const struct gz_content *after)
{
    uint64_t same = GZ_HAS_STATE_BOUNDS | GZ_HAS_STATE_ASSET;
    if (memcmp(&before->trs.t, &after->trs.t, sizeof before->trs.t) == 0) same |= GZ_HAS_STATE_T;
    if (memcmp(&before->trs.r, &after->trs.r, sizeof before->trs.r) == 0) same |= GZ_HAS_STATE_R;
    if (memcmp(&before->trs.s, &after->trs.s, sizeof before->trs.s) == 0) same |= GZ_HAS_STATE_S;
    if (strcmp(before->name, after->name) == 0) same |= GZ_HAS_STATE_NAME;
    if (before->parent == after->parent) same |= GZ_HAS_STATE_PARENT;
    return same;
}

/* Only the parts that differ, if the node existed before and after; else all. */
static struct gz_change_message describe_change(const struct gz_change *change)
{
    const struct gz_content *before = &change->before, *after = &change->after;
    struct gz_change_message message = {
        .id = change->node, .has = GZ_HAS_CHANGE_NAME, .name = gz_text_of(gz_change_name(change))};
    uint64_t same = change->existed && change->exists ? same_parts(before, after) : 0;
    if (change->existed) {
        message.has |= GZ_HAS_CHANGE_BEFORE;
        message.before = gz_describe_node(change->node, before);
        message.before.has &= ~same;
    }
    if (change->exists) {
        message.has |= GZ_HAS_CHANGE_AFTER;
        message.after = gz_describe_node(change->node, after);
        message.after.has &= ~same;
    }
    return message;
}

bool gz_describe_changes(const struct gz_edit_record *edit, uint64_t epoch, size_t from,
                         size_t count, struct gz_arena *arena, struct gz_edit_message *message)
{
    if (edit->nodes != NULL) {
        *message = gz_describe_edit(edit, epoch, (struct gz_ids){edit->nodes + from, count});
        return true;
    }
    struct gz_change_message *changes = gz_arena_take(arena, count, sizeof *changes);
    uint64_t *ids = gz_arena_take(arena, count, sizeof *ids);
    if (changes == NULL || ids == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        changes[i] = describe_change(&edit->changes[from + i]);
        ids[i] = edit->changes[from + i].node;
    }
    *message = gz_describe_edit(edit, epoch, (struct gz_ids){ids, count});
    message->has |= GZ_HAS_EDIT_CHANGES;
    message->changes = changes;
    message->change_count = count;
    return true;
}
