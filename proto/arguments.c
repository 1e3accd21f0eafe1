/* arguments.c - from texts to a message, by the table of its fields. */
#include "proto/arguments.h"

#include <string.h>

#include "proto/base/json.h"
#include "proto/fields.h"

/* The head of a map whose count is in four bytes, so that it can be raised. */
#define MAP_BYTES 5

static enum gz_status put(struct gz_buffer *out, uint8_t first, uint64_t value, unsigned width)
{
    uint8_t bytes[9] = {first};
    for (unsigned i = 0; i < width; i++) bytes[1 + i] = (uint8_t)(value >> 8 * (width - 1 - i));
    return gz_buffer_append(out, bytes, 1 + width);
}

static enum gz_status put_text(struct gz_buffer *out, const char *text)
{
    const size_t size = strlen(text);
    const enum gz_status status = put(out, 0xdb, size, 4);
    return status == GZ_OK ? gz_buffer_append(out, text, size) : status;
}

static enum gz_status put_number(struct gz_buffer *out, const char *text)
{
    struct gz_json_digits digits;
    const char *at = text, *end = text + strlen(text);
    uint64_t bits;
    if (!gz_json_skip_number(&at, end, &digits) || at != end) return put_text(out, text);
    if (digits.is_whole && !digits.is_negative) return put(out, 0xcf, digits.whole, 8);
    const double value = gz_json_value(&digits);
    memcpy(&bits, &value, sizeof bits);
    return put(out, 0xcb, bits, 8);
}

/* What is named without a value is true. */
static enum gz_status put_bool(struct gz_buffer *out, const char *text)
{
    const bool is_true = *text == '\0' || strcmp(text, "true") == 0;
    if (!is_true && strcmp(text, "false") != 0) return put_text(out, text);
    return put(out, is_true ? 0xc3 : 0xc2, 0, 0);
}

static enum gz_status put_value(struct gz_buffer *out, const struct gz_row *row, const char *text)
{
    switch (row->kind) {
    case GZ_KIND_BOOL: return put_bool(out, text);
    case GZ_KIND_COUNT:
    case GZ_KIND_ID:
    case GZ_KIND_NUMBERS: return put_number(out, text);
    default: return put_text(out, text);
    }
}

static const struct gz_row *find_row(enum gz_op op, const char *key)
{
    const struct gz_record_type *record = &gz_message_records[op];
    for (size_t i = 0; i < record->count; i++) {
        const struct gz_row *row = &record->rows[i];
        if (row->kind != GZ_KIND_OP && !row->envelope && strcmp(row->key, key) == 0) return row;
    }
    return NULL;
}

static void raise_count(struct gz_buffer *out)
{
    for (int i = MAP_BYTES - 1; i > 0 && ++out->data[i] == 0; i--) continue;
}

enum gz_status gz_arguments_begin(struct gz_buffer *out, enum gz_op op)
{
    enum gz_status status = put(out, 0xdf, 1, 4);
    if (status == GZ_OK) status = put_text(out, "op");
    return status == GZ_OK ? put_text(out, gz_op_word(op)) : status;
}

enum gz_status gz_arguments_add(struct gz_buffer *out, enum gz_op op, const char *key,
                                const char *value)
{
    const struct gz_row *row = find_row(op, key);
    const size_t before = out->size;
    if (row == NULL) return GZ_OK;
    enum gz_status status = put_text(out, key);
    if (status == GZ_OK) status = put_value(out, row, value);
    if (status == GZ_OK)
        raise_count(out);
    else
        gz_buffer_truncate(out, before);
    return status;
}
