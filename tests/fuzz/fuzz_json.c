/* Any bytes as a frame of JSON: the first says who sends it. What is accepted is written as JSON
 * and read again, and must come out as the same message. What is refused took no more memory than
 * its bytes allow. The bytes as MessagePack are written as JSON, too: whatever they are, what is
 * written is JSON. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/text.h"
#include "proto/json.h"
#include "proto/limits.h"

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_accepted(enum gz_side side, const struct gz_message *message)
{
    struct gz_buffer once, text, twice;
    struct gz_arena arena;
    struct gz_message again;
    struct gz_error error;
    size_t offset = 0;
    gz_buffer_init(&once, SIZE_MAX / 2, 0);
    gz_buffer_init(&text, SIZE_MAX / 2, 0);
    gz_buffer_init(&twice, SIZE_MAX / 2, 0);
    require(gz_encode(&once, message) == GZ_OK);
    require(gz_json_append_messages(&text, once.data, once.size) == GZ_OK);
    gz_json_end_frame(&text);
    require(gz_text_is_utf8((const char *)text.data, text.size));
    gz_arena_init(&arena, gz_decode_bytes_max(text.size));
    require(gz_decode_json(side, text.data, text.size, &offset, &arena, &again, &error) == GZ_OK);
    require(offset == text.size);
    require(gz_encode(&twice, &again) == GZ_OK);
    require(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
    gz_buffer_finish(&once);
    gz_buffer_finish(&text);
    gz_buffer_finish(&twice);
    gz_arena_finish(&arena);
}

static void read_frame(enum gz_side side, const uint8_t *frame, size_t size)
{
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    for (size_t offset = 0; offset < size;) {
        const size_t start = offset;
        struct gz_message message;
        struct gz_error error = {.message = ""};
        gz_arena_reset(&arena, gz_decode_bytes_max(size));
        const enum gz_status status =
            gz_decode_json(side, frame, size, &offset, &arena, &message, &error);
        require(offset > start && offset <= size);
        require(status != GZ_TOO_LARGE && status != GZ_NO_MEMORY);
        if (status == GZ_OK) {
            check_accepted(side, &message);
        } else {
            require(error.status == status && error.message[0] != '\0');
            require(gz_text_valid(error.message, strlen(error.message)));
            require(arena.used <= (GZ_DECODE_FACTOR_MAX + GZ_JSON_FACTOR_MAX) * (offset - start) +
                                      GZ_DECODE_BYTES_FLOOR);
        }
    }
    gz_arena_finish(&arena);
}

/* A value of MessagePack, in the place of a key that is not known: if it is written, it can be
 * read. */
static void write_value(const uint8_t *value, size_t size)
{
    static const char head[] = "[{\"op\":\"ping\",\"x\":";
    struct gz_buffer text;
    gz_buffer_init(&text, SIZE_MAX / 2, 0);
    require(gz_buffer_append(&text, head, sizeof head - 1) == GZ_OK);
    if (gz_json_append_value(&text, value, size) == GZ_OK &&
        gz_buffer_append(&text, "}]", 2) == GZ_OK)
        require(gz_text_is_utf8((const char *)text.data, text.size));
    gz_buffer_finish(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    read_frame((data[0] & 1) != 0 ? GZ_FROM_SERVER : GZ_FROM_CLIENT, data + 1, size - 1);
    write_value(data + 1, size - 1);
    return 0;
}
