/* pack.c - a message in JSON, with the protocol's words, becomes the struct: its JSON is written as
 * MessagePack and read by the table of fields, which says of every field what is wrong with it. */
#include <string.h>

#include "ctl.h"

/* Of a message as it is written here, each number in its longest form: a message that may be sent
 * fits. */
#define PACKED_BYTES_MAX (9 * (size_t)GZ_MESSAGE_BYTES_MAX)

/* Appends a type of MessagePack and its length or bits, the highest byte first. */
static enum gz_status put(struct gz_buffer *out, uint8_t type, uint64_t bits, int bytes)
{
    uint8_t text[9] = {type};
    for (int i = 0; i < bytes; i++) text[1 + i] = (uint8_t)(bits >> 8 * (bytes - 1 - i));
    return gz_buffer_append(out, text, 1 + (size_t)bytes);
}

static enum gz_status put_number(struct gz_buffer *out, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return put(out, 0xcb, bits, 8);
}

static enum gz_status put_text(struct gz_buffer *out, const char *bytes, size_t size)
{
    enum gz_status status = put(out, 0xdb, size, 4);
    return status == GZ_OK ? gz_buffer_append(out, bytes, size) : status;
}

static enum gz_status put_value(struct gz_buffer *out, const json_t *value, int depth);

static enum gz_status put_object(struct gz_buffer *out, const json_t *object, int depth)
{
    const char *key;
    json_t *value;
    enum gz_status status = put(out, 0xdf, json_object_size(object), 4);
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (status == GZ_OK) status = put_text(out, key, strlen(key));
        if (status == GZ_OK) status = put_value(out, value, depth);
    }
    return status;
}

static enum gz_status put_list(struct gz_buffer *out, const json_t *list, int depth)
{
    enum gz_status status = put(out, 0xdd, json_array_size(list), 4);
    for (size_t i = 0; status == GZ_OK && i < json_array_size(list); i++)
        status = put_value(out, json_array_get(list, i), depth);
    return status;
}

static enum gz_status put_value(struct gz_buffer *out, const json_t *value, int depth)
{
    if (depth == GZ_DEPTH_MAX) return GZ_BAD_MESSAGE;
    switch (json_typeof(value)) {
    case JSON_OBJECT: return put_object(out, value, depth + 1);
    case JSON_ARRAY: return put_list(out, value, depth + 1);
    case JSON_STRING: return put_text(out, json_string_value(value), json_string_length(value));
    case JSON_INTEGER: return put(out, 0xd3, (uint64_t)json_integer_value(value), 8);
    case JSON_REAL: return put_number(out, json_real_value(value));
    case JSON_TRUE: return put(out, 0xc3, 0, 0);
    case JSON_FALSE: return put(out, 0xc2, 0, 0);
    default: return put(out, 0xc0, 0, 0);
    }
}

static enum gz_status pack(struct gz_buffer *out, const json_t *json, struct gz_error *error)
{
    if (!json_is_object(json))
        return gz_fail(error, GZ_BAD_MESSAGE, "a message is an object, with an op");
    const enum gz_status status = put_value(out, json, 0);
    if (status == GZ_BAD_MESSAGE)
        return gz_fail(error, status, "it is nested more than %d deep", GZ_DEPTH_MAX);
    if (status == GZ_TOO_LARGE)
        return gz_fail(error, status, "the message is larger than %d bytes", GZ_MESSAGE_BYTES_MAX);
    return status == GZ_OK ? GZ_OK : gz_fail(error, status, "no memory");
}

enum gz_status ctl_message_read(struct ctl_message *read, const char *text, size_t size,
                                struct gz_error *error)
{
    json_error_t fault;
    size_t offset = 0;
    read->message = (struct gz_message){.op = GZ_OP_COUNT};
    json_t *json =
        json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &fault);
    if (json == NULL) return gz_fail(error, GZ_BAD_MESSAGE, "it is not JSON: %s", fault.text);
    gz_buffer_clear(&read->bytes);
    const enum gz_status status = pack(&read->bytes, json, error);
    json_decref(json);
    if (status != GZ_OK) return status;
    gz_arena_reset(&read->arena, gz_decode_bytes_max(read->bytes.size));
    return gz_decode(GZ_FROM_CLIENT, read->bytes.data, read->bytes.size, &offset, &read->arena,
                     &read->message, error);
}

void ctl_message_init(struct ctl_message *read)
{
    memset(read, 0, sizeof *read);
    gz_buffer_init(&read->bytes, PACKED_BYTES_MAX, 0);
    gz_arena_init(&read->arena, 0);
}

void ctl_message_finish(struct ctl_message *read)
{
    gz_buffer_finish(&read->bytes);
    gz_arena_finish(&read->arena);
}
