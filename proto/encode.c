/* From messages to bytes, by the same tables as decode.c. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/fields.h"
#include "proto/limits.h"

struct writer {
    struct gz_buffer *out;
    const struct gz_message *message;
    enum gz_status status; /* the first error; nothing is written after it */
    bool packed;           /* a field of a packed record is being written */
};

static inline int append(struct writer *writer, const void *bytes, size_t size)
{
    struct gz_buffer *out = writer->out;
    if (size > out->capacity - out->size) {
        if (writer->status == GZ_OK) writer->status = gz_buffer_reserve(out, size);
        if (writer->status != GZ_OK) return -1;
    }
    memcpy(out->data + out->size, bytes, size);
    out->size += size;
    return 0;
}

#include "proto/pack.h"

static void write_string(struct writer *writer, const char *bytes, size_t size)
{
    pack_str(writer, size);
    if (size > 0) pack_str_body(writer, bytes, size);
}

static void write_bool(struct writer *writer, bool value)
{
    if (value) {
        pack_true(writer);
    } else {
        pack_false(writer);
    }
}

/* The number in the fewest bytes that hold it. A negative zero is no integer. */
static void write_short_number(struct writer *writer, double number)
{
    if (fabs(number) < (double)GZ_ID_LIMIT && number == trunc(number) &&
        (number != 0 || !signbit(number))) {
        pack_int64(writer, (int64_t)number);
    } else if (fabs(number) <= (double)FLT_MAX && (double)(float)number == number) {
        pack_float(writer, (float)number);
    } else {
        pack_double(writer, number);
    }
}

static void write_numbers(struct writer *writer, const double *numbers, size_t count)
{
    if (writer->packed) {
        for (size_t i = 0; i < count; i++) write_short_number(writer, numbers[i]);
        return;
    }
    if (count > 1) pack_array(writer, count);
    for (size_t i = 0; i < count; i++) pack_double(writer, numbers[i]);
}

static void write_typed(struct writer *writer, const struct gz_value *value)
{
    write_numbers(writer, value->numbers, value->count);
}

static void write_value_list(struct writer *writer, const struct gz_value *value)
{
    pack_array(writer, value->count);
    for (uint32_t i = 0; i < value->count; i++) pack_double(writer, value->numbers[i]);
}

static void write_term(struct writer *writer, const struct gz_vocabulary *terms, int value)
{
    const char *word = gz_vocabulary_word(terms, value);
    write_string(writer, word, strlen(word));
}

static void write_terms(struct writer *writer, const struct gz_vocabulary *terms, uint64_t bits)
{
    pack_array(writer, (size_t)__builtin_popcountll(bits));
    for (int value = 0; value < terms->count; value++) {
        if ((bits >> value & 1) != 0) write_term(writer, terms, value);
    }
}

static void write_ids(struct writer *writer, const struct gz_ids *list)
{
    pack_array(writer, list->count);
    for (size_t i = 0; i < list->count; i++) pack_uint64(writer, list->ids[i]);
}

static void write_colour(struct writer *writer, uint32_t rgb)
{
    char text[8];
    snprintf(text, sizeof text, "#%06x", (unsigned)(rgb & 0xffffff));
    write_string(writer, text, 7);
}

static void write_parent(struct writer *writer, uint64_t parent)
{
    if (parent == 0) {
        pack_nil(writer);
    } else {
        pack_uint64(writer, parent);
    }
}

static void write_parent_or_ref(struct writer *writer, const struct gz_create_node *node)
{
    if ((node->has & GZ_HAS_CREATE_NODE_PARENT_REF) != 0) {
        write_string(writer, node->parent_ref.bytes, node->parent_ref.size);
    } else {
        write_parent(writer, node->parent);
    }
}

static void write_pivot(struct writer *writer, const struct gz_tool_message *tool)
{
    if (tool->pivot == GZ_PIVOT_POINT) {
        write_numbers(writer, &tool->pivot_point.x, 3);
    } else {
        write_term(writer, &gz_pivot_words, (int)tool->pivot);
    }
}

static void write_record(struct writer *writer, const struct gz_record_type *record,
                         const void *base, uint64_t has);

/* A struct with its own `has`; those that have none (tuples, hits) hold required fields only. */
static void write_struct(struct writer *writer, const struct gz_record_type *record,
                         const void *base)
{
    uint64_t has = 0;
    if (!record->tuple && record->has_offset < record->size) {
        memcpy(&has, (const char *)base + record->has_offset, sizeof has);
    }
    write_record(writer, record, base, has);
}

static void write_records(struct writer *writer, const struct gz_row *row, const void *base)
{
    const char *structs;
    size_t count;
    memcpy(&structs, (const char *)base + row->offset, sizeof structs);
    memcpy(&count, (const char *)base + row->count_offset, sizeof count);
    pack_array(writer, count);
    for (size_t i = 0; i < count && writer->status == GZ_OK; i++) {
        write_struct(writer, row->record, structs + i * row->record->size);
    }
}

static int int_at(const void *value)
{
    int word;
    memcpy(&word, value, sizeof word);
    return word;
}

static void write_value(struct writer *writer, const struct gz_row *row, const void *base,
                        uint64_t has)
{
    const void *value = (const char *)base + row->offset;
    const struct gz_text *text = value;
    switch (row->kind) {
    case GZ_KIND_OP:
        write_string(writer, gz_op_word(writer->message->op),
                     strlen(gz_op_word(writer->message->op)));
        break;
    case GZ_KIND_BOOL: write_bool(writer, *(const bool *)value); break;
    case GZ_KIND_CHOICE: write_term(writer, row->terms, *(const bool *)value); break;
    case GZ_KIND_COUNT:
    case GZ_KIND_ID: pack_uint64(writer, *(const uint64_t *)value); break;
    case GZ_KIND_PARENT: write_parent(writer, *(const uint64_t *)value); break;
    case GZ_KIND_PARENT_OR_REF: write_parent_or_ref(writer, base); break;
    case GZ_KIND_RGB: pack_uint64(writer, *(const uint32_t *)value); break;
    case GZ_KIND_COLOUR: write_colour(writer, *(const uint32_t *)value); break;
    case GZ_KIND_NUMBERS: write_numbers(writer, value, row->size_max); break;
    case GZ_KIND_VALUE: write_typed(writer, value); break;
    case GZ_KIND_VALUES: write_value_list(writer, value); break;
    case GZ_KIND_TEXT: write_string(writer, text->bytes, text->size); break;
    case GZ_KIND_WORD: write_term(writer, row->terms, int_at(value)); break;
    case GZ_KIND_WORDS: write_terms(writer, row->terms, *(const uint64_t *)value); break;
    case GZ_KIND_STATUS: {
        const char *word = gz_status_word((enum gz_status)int_at(value));
        write_string(writer, word, strlen(word));
        break;
    }
    case GZ_KIND_PIVOT: write_pivot(writer, base); break;
    case GZ_KIND_GROUP: write_record(writer, row->record, base, has); break;
    case GZ_KIND_RECORD: write_struct(writer, row->record, value); break;
    case GZ_KIND_IDS: write_ids(writer, value); break;
    case GZ_KIND_RECORDS: write_records(writer, row, base); break;
    case GZ_KIND_EULER:
    case GZ_KIND_ORDER:
    case GZ_KIND_WHOLE:
    case GZ_KIND_COUNT_OF_KINDS: break;
    }
}

/* Whether an optional field without a bit is written. */
static bool has_content(const struct gz_row *row, const void *base)
{
    const char *value = (const char *)base + row->offset;
    size_t count;
    switch (row->kind) {
    case GZ_KIND_BOOL:
    case GZ_KIND_CHOICE: return *(const bool *)value;
    case GZ_KIND_COUNT:
    case GZ_KIND_WORDS: return *(const uint64_t *)value != 0;
    case GZ_KIND_TEXT: return ((const struct gz_text *)value)->size > 0;
    case GZ_KIND_IDS: return ((const struct gz_ids *)value)->count > 0;
    case GZ_KIND_RECORDS:
        memcpy(&count, (const char *)base + row->count_offset, sizeof count);
        return count > 0;
    default: return false;
    }
}

static inline bool is_there(const struct gz_row *row, const void *base, uint64_t has)
{
    if (row->required && (has & row->unless) == 0) return true;
    if (row->kind == GZ_KIND_EULER) return false;
    if (row->kind == GZ_KIND_PARENT_OR_REF)
        return (has & (GZ_HAS_CREATE_NODE_PARENT | GZ_HAS_CREATE_NODE_PARENT_REF)) != 0;
    return row->has != 0 ? (has & row->has) == row->has : has_content(row, base);
}

static void write_tuple(struct writer *writer, const struct gz_record_type *record,
                        const void *base)
{
    pack_array(writer, record->count);
    for (size_t row = 0; row < record->count; row++)
        write_value(writer, &record->rows[row], base, 0);
}

/* The bits of a whole node without those of fields at their default. The bits of numbers are
 * compared: a negative zero is no default. */
static uint64_t without_defaults(const struct gz_node_state *state, uint64_t has)
{
    const gz_trs *trs = &state->trs, *none = &gz_trs_identity;
    if (memcmp(&trs->t, &none->t, sizeof trs->t) == 0) has &= ~(uint64_t)GZ_HAS_STATE_T;
    if (memcmp(&trs->r, &none->r, sizeof trs->r) == 0) has &= ~(uint64_t)GZ_HAS_STATE_R;
    if (memcmp(&trs->s, &none->s, sizeof trs->s) == 0) has &= ~(uint64_t)GZ_HAS_STATE_S;
    if (state->parent == 0) has &= ~(uint64_t)GZ_HAS_STATE_PARENT;
    return has;
}

/* Which rows of a packed record are present, as the bits of their places; their mask on the wire,
 * and the number of their elements. */
static uint64_t look_at_rows(const struct gz_record_type *record, const void *base, uint64_t has,
                             uint64_t *mask, size_t *elements)
{
    uint64_t there = 0;
    unsigned bit = 0;
    *mask = *elements = 0;
    for (size_t i = 0; i < record->count; i++) {
        const struct gz_row *row = &record->rows[i];
        const bool written = is_there(row, base, has);
        if (!row->required) *mask |= (uint64_t)written << bit++;
        if (!written) continue;
        if (row->kind == GZ_KIND_WHOLE) has = without_defaults(base, has);
        there |= UINT64_C(1) << i;
        *elements += gz_row_elements(row);
    }
    return there;
}

static void write_packed(struct writer *writer, const struct gz_record_type *record,
                         const void *base, uint64_t has)
{
    uint64_t mask;
    size_t elements;
    uint64_t there = look_at_rows(record, base, has, &mask, &elements);
    pack_array(writer, elements + 1 + (record->number != 0));
    if (record->number != 0) pack_uint64(writer, record->number);
    pack_uint64(writer, mask);
    for (; there != 0; there &= there - 1) {
        const struct gz_row *row = &record->rows[__builtin_ctzll(there)];
        writer->packed = true;
        if (gz_row_elements(row) > 0) write_value(writer, row, base, has);
    }
    writer->packed = false;
}

static void write_record(struct writer *writer, const struct gz_record_type *record,
                         const void *base, uint64_t has)
{
    if (record->tuple) {
        write_tuple(writer, record, base);
        return;
    }
    if (record->packed) {
        write_packed(writer, record, base, has);
        return;
    }
    uint64_t there = 0;
    for (size_t i = 0; i < record->count; i++) {
        const struct gz_row *row = &record->rows[i];
        bool written = row->envelope ? is_there(row, writer->message, writer->message->has)
                                     : is_there(row, base, has);
        there |= (uint64_t)written << i;
    }
    pack_map(writer, (size_t)__builtin_popcountll(there));
    for (; there != 0; there &= there - 1) {
        const struct gz_row *row = &record->rows[__builtin_ctzll(there)];
        write_string(writer, row->key, row->key_size);
        write_value(writer, row, row->envelope ? (const void *)writer->message : base, has);
    }
}

enum gz_status gz_encode(struct gz_buffer *out, const struct gz_message *message)
{
    struct writer writer = {.out = out, .message = message};
    size_t size = out->size;
    uint64_t has = message->op == GZ_OP_EDIT ? message->edit.has : message->has;
    write_record(&writer, &gz_message_records[message->op], &message->hello, has);
    if (writer.status != GZ_OK) gz_buffer_truncate(out, size);
    return writer.status;
}
