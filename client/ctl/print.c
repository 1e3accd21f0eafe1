/* print.c - texts, nodes, transforms and changes as people read them. */
#include <inttypes.h>
#include <string.h>

#include "ctl.h"
#include "proto/base/text.h"

#define DEGREES (180 / 3.14159265358979323846)
/* Differences below this are not shown: 0.001 micrometres, 1e-9 degrees. */
#define UNSEEN 1e-9

/* The bytes of the character at `at`; 0 if they are no UTF-8. */
static size_t character_size(const unsigned char *at, size_t left)
{
    const size_t size = at[0] < 0x80 ? 1 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    return size <= left && gz_text_valid((const char *)at, size) ? size : 0;
}

/* Controls, the same of eight bits, and what turns or ends a line of text. */
static bool is_hidden(const unsigned char *at, size_t size)
{
    if (size < 2) return size == 0 || at[0] < 0x20 || at[0] == 0x7F;
    if (size == 2) return at[0] == 0xC2 && at[1] < 0xA0;
    return size == 3 && at[0] == 0xE2 &&
           ((at[1] == 0x80 &&
             (at[2] == 0x8E || at[2] == 0x8F || (at[2] >= 0xA8 && at[2] <= 0xAE))) ||
            (at[1] == 0x81 && at[2] >= 0xA6 && at[2] <= 0xA9));
}

void ctl_put_text(FILE *out, struct gz_text text)
{
    for (size_t i = 0; i < text.size;) {
        const unsigned char *at = (const unsigned char *)text.bytes + i;
        const size_t size = character_size(at, text.size - i);
        if (is_hidden(at, size))
            fputc('?', out);
        else
            fwrite(at, 1, size, out);
        i += size > 0 ? size : 1;
    }
}

int ctl_width(struct gz_text text)
{
    int columns = 0;
    /* Bytes of UTF-8 that begin a character. */
    for (size_t i = 0; i < text.size; i++) columns += ((unsigned char)text.bytes[i] & 0xC0) != 0x80;
    return columns;
}

void ctl_put_padded(FILE *out, struct gz_text text, int columns)
{
    const int left = columns - ctl_width(text);
    ctl_put_text(out, text);
    fprintf(out, "%*s  ", left > 0 ? left : 0, "");
}

void ctl_put_lines(FILE *out, struct gz_text text, int indent)
{
    size_t begin = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] != '\n') continue;
        ctl_put_text(out, (struct gz_text){text.bytes + begin, i - begin});
        fprintf(out, "\n%*s", indent, "");
        begin = i + 1;
    }
    ctl_put_text(out, (struct gz_text){text.bytes + begin, text.size - begin});
}

void ctl_put_node(FILE *out, const struct gz_mirror *mirror, uint64_t id)
{
    const struct gz_mirror_node *node = gz_mirror_find(mirror, id);
    if (node != NULL) {
        ctl_put_text(out, gz_client_text(node->name));
        fputc(' ', out);
    }
    fprintf(out, "#%" PRIu64, id);
}

void ctl_put_nodes(FILE *out, const struct gz_mirror *mirror, struct gz_ids ids)
{
    for (size_t i = 0; i < ids.count && i < CTL_NODES_SHOWN; i++) {
        fputs(i > 0 ? ", " : "", out);
        ctl_put_node(out, mirror, ids.ids[i]);
    }
    if (ids.count > CTL_NODES_SHOWN) fprintf(out, " and %zu more", ids.count - CTL_NODES_SHOWN);
}

/* 0 for a value that is only a rounding error. */
static double seen(double value)
{
    return fabs(value) < UNSEEN ? 0 : value;
}

void ctl_put_vec3(FILE *out, gz_vec3 v)
{
    fprintf(out, "(%.6g, %.6g, %.6g)", seen(v.x), seen(v.y), seen(v.z));
}

static gz_vec3 degrees(gz_quat r)
{
    return gz_scale(gz_euler_from_quat(r, GZ_XYZ), DEGREES);
}

static void put_parent(FILE *out, const struct gz_mirror *mirror, uint64_t parent)
{
    if (parent == 0)
        fputs("the root", out);
    else
        ctl_put_node(out, mirror, parent);
}

static const char *gap(bool *first)
{
    const char *text = *first ? "" : "  ";
    *first = false;
    return text;
}

void ctl_put_state(FILE *out, const struct gz_mirror *mirror, const struct gz_node_state *state)
{
    bool first = true;
    if (state->has & GZ_HAS_STATE_NAME) {
        fprintf(out, "%sname ", gap(&first));
        ctl_put_text(out, state->name);
    }
    if (state->has & GZ_HAS_STATE_PARENT) {
        fprintf(out, "%sunder ", gap(&first));
        put_parent(out, mirror, state->parent);
    }
    if (state->has & GZ_HAS_STATE_T) {
        fprintf(out, "%st ", gap(&first));
        ctl_put_vec3(out, state->trs.t);
        fputs(" m", out);
    }
    if (state->has & GZ_HAS_STATE_R) {
        fprintf(out, "%sr ", gap(&first));
        ctl_put_vec3(out, degrees(state->trs.r));
        fputs(" deg", out);
    }
    if (state->has & GZ_HAS_STATE_S) {
        fprintf(out, "%ss ", gap(&first));
        ctl_put_vec3(out, state->trs.s);
    }
}

static void put_from_to(FILE *out, const char *label, gz_vec3 from, gz_vec3 to, const char *unit)
{
    fputs(label, out);
    ctl_put_vec3(out, from);
    fputs(" -> ", out);
    ctl_put_vec3(out, to);
    fputs(unit, out);
}

static bool vec3_differs(gz_vec3 a, gz_vec3 b)
{
    return a.x != b.x || a.y != b.y || a.z != b.z;
}

static bool quat_differs(gz_quat a, gz_quat b)
{
    return a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w;
}

static bool text_differs(struct gz_text a, struct gz_text b)
{
    return a.size != b.size || (a.size > 0 && memcmp(a.bytes, b.bytes, a.size) != 0);
}

void ctl_put_change(FILE *out, const struct gz_mirror *mirror, const struct gz_node_state *before,
                    const struct gz_node_state *after)
{
    uint64_t both = before->has & after->has;
    bool first = true;
    if (both & GZ_HAS_STATE_NAME && text_differs(before->name, after->name)) {
        fprintf(out, "%sname ", gap(&first));
        ctl_put_text(out, before->name);
        fputs(" -> ", out);
        ctl_put_text(out, after->name);
    }
    if (both & GZ_HAS_STATE_PARENT && before->parent != after->parent) {
        fprintf(out, "%sunder ", gap(&first));
        put_parent(out, mirror, before->parent);
        fputs(" -> ", out);
        put_parent(out, mirror, after->parent);
    }
    if (both & GZ_HAS_STATE_T && vec3_differs(before->trs.t, after->trs.t)) {
        fputs(gap(&first), out);
        put_from_to(out, "t ", before->trs.t, after->trs.t, " m");
    }
    if (both & GZ_HAS_STATE_R && quat_differs(before->trs.r, after->trs.r)) {
        fputs(gap(&first), out);
        put_from_to(out, "r ", degrees(before->trs.r), degrees(after->trs.r), " deg");
    }
    if (both & GZ_HAS_STATE_S && vec3_differs(before->trs.s, after->trs.s)) {
        fputs(gap(&first), out);
        put_from_to(out, "s ", before->trs.s, after->trs.s, "");
    }
}

struct gz_node_state ctl_node_state(const struct gz_mirror_node *node)
{
    return (struct gz_node_state){
        .has = GZ_HAS_STATE_NAME | GZ_HAS_STATE_PARENT | GZ_HAS_STATE_T | GZ_HAS_STATE_R |
               GZ_HAS_STATE_S | (node->has_bounds ? GZ_HAS_STATE_BOUNDS : 0) |
               (node->asset >= 0 ? GZ_HAS_STATE_ASSET : 0),
        .id = node->id,
        .trs = node->trs,
        .name = gz_client_text(node->name),
        .parent = node->parent,
        .bounds = node->bounds,
        .asset = (uint64_t)node->asset,
    };
}

void ctl_typed(enum gz_handle handle, const struct gz_value *value, char text[CTL_TYPED_BYTES])
{
    const double *numbers = value->numbers;
    enum gz_edit_kind kind = gz_handle_kind(handle);
    text[0] = '\0';
    if (value->count == 2)
        snprintf(text, CTL_TYPED_BYTES, "typed (%.15g, %.15g) m", numbers[0], numbers[1]);
    else if (value->count == 1 && kind == GZ_EDIT_ROTATE)
        snprintf(text, CTL_TYPED_BYTES, "typed %.12g deg", numbers[0] * DEGREES);
    else if (value->count == 1)
        snprintf(text, CTL_TYPED_BYTES, "typed %.15g%s", numbers[0],
                 kind == GZ_EDIT_SCALE ? "" : " m");
}

void ctl_edit_words(const struct gz_edit_message *edit, char text[CTL_EDIT_BYTES])
{
    bool handle = (edit->has & GZ_HAS_EDIT_HANDLE) != 0;
    char typed[CTL_TYPED_BYTES] = "";
    if (edit->has & GZ_HAS_EDIT_VALUE) ctl_typed(edit->handle, &edit->value, typed);
    snprintf(text, CTL_EDIT_BYTES, "%s%s%s%s%s",
             gz_vocabulary_word(&gz_edit_kind_words, (int)edit->kind), handle ? " " : "",
             handle ? gz_vocabulary_word(&gz_handle_words, (int)edit->handle) : "",
             typed[0] != '\0' ? " " : "", typed);
}

char *ctl_pin_words(const struct gz_mirror *mirror, const struct gz_note_state *note)
{
    char *words = NULL;
    size_t size;
    FILE *out = open_memstream(&words, &size);
    if (out == NULL) return NULL;
    bool node = (note->has & GZ_HAS_NOTE_STATE_NODE) != 0;
    if (node) ctl_put_node(out, mirror, note->node);
    if (node && gz_mirror_find(mirror, note->node) == NULL) fputs(" (not here)", out);
    if (note->has & GZ_HAS_NOTE_STATE_POINT) {
        fputs(node ? " at " : "at ", out);
        ctl_put_vec3(out, note->point);
    }
    return fclose(out) == 0 ? words : NULL;
}

void ctl_put_done(FILE *out, const struct gz_message *done)
{
    if (done->has & GZ_HAS_OK_EDIT)
        fprintf(out, "edit %" PRIu64 "  seq %" PRIu64 "\n", done->ok.edit, done->ok.seq);
    else
        fputs("nothing changed\n", out);
}
