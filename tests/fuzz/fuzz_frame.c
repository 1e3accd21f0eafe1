/* Any bytes as a frame: the first says who sends it, the rest is read as a server or a client reads
 * it. What is accepted is written and read again, and must come out as the same bytes: what we
 * would send is what we would take. A client also turns what is in the packed form into what it
 * stands for, or refuses it. */
#include <stdint.h>
#include <stdlib.h>

#include "packed.h"
#include "proto/limits.h"
#include "proto/message.h"

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_message(struct gz_buffer *out, const struct gz_message *message)
{
    gz_buffer_init(out, 64 * GZ_MESSAGE_BYTES_MAX, 0);
    require(gz_encode(out, message) == GZ_OK);
}

static void check_accepted(enum gz_side side, const struct gz_message *message)
{
    struct gz_buffer once, twice;
    struct gz_arena arena;
    struct gz_message again;
    struct gz_error error;
    size_t offset = 0;
    write_message(&once, message);
    gz_arena_init(&arena, gz_decode_bytes_max(once.size));
    require(gz_decode(side, once.data, once.size, &offset, &arena, &again, &error) == GZ_OK);
    require(offset == once.size);
    write_message(&twice, &again);
    require(once.size == twice.size && __builtin_memcmp(once.data, twice.data, once.size) == 0);
    gz_buffer_finish(&once);
    gz_buffer_finish(&twice);
    gz_arena_finish(&arena);
}

/* Each node is somewhere. */
static const gz_trs *place_of(const void *scene, uint64_t id)
{
    static const gz_trs place = {{1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}};
    (void)scene;
    return id % 8 != 0 ? &place : NULL;
}

static void turn(struct gz_packed *packed, struct gz_arena *arena, struct gz_message message)
{
    struct gz_error error = {.message = ""};
    enum gz_status status = gz_packed_turn(packed, arena, &message, &error);
    require(status == GZ_OK || status == GZ_CONFLICT || status == GZ_BAD_VALUE);
    require((status == GZ_OK) == (error.message[0] == '\0'));
    require(status != GZ_OK || message.op < GZ_OP_MOVES || message.op == GZ_OP_MOTION);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    enum gz_side side = (data[0] & 1) != 0 ? GZ_FROM_SERVER : GZ_FROM_CLIENT;
    const uint8_t *frame = data + 1;
    size--;
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    struct gz_packed *packed = gz_packed_create(place_of, NULL);
    require(packed != NULL);
    for (size_t offset = 0; offset < size;) {
        size_t start = offset;
        struct gz_message message;
        struct gz_error error = {.message = ""};
        gz_arena_reset(&arena, gz_decode_bytes_max(size));
        enum gz_status status = gz_decode(side, frame, size, &offset, &arena, &message, &error);
        require(offset > start && offset <= size);
        require(status != GZ_TOO_LARGE && status != GZ_NO_MEMORY);
        if (status == GZ_OK) {
            check_accepted(side, &message);
            arena.max = gz_packed_bytes_max(size);
            if (side == GZ_FROM_SERVER) turn(packed, &arena, message);
        } else {
            require(error.status == status && error.message[0] != '\0');
            require(arena.used <= GZ_DECODE_FACTOR_MAX * (offset - start) + GZ_DECODE_BYTES_FLOOR);
        }
    }
    gz_packed_destroy(packed);
    gz_arena_finish(&arena);
    return 0;
}
