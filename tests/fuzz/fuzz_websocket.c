/* fuzz_websocket.c - any bytes as what a WebSocket's client sends, whole and in pieces whose size
 * the first byte says: the same is read out of them, and nothing is read after the end. */
#include <stdlib.h>
#include <string.h>

#include "conn/frame.h"
#include "proto/base/buffer.h"

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_down(struct gz_buffer *out, const struct gz_frame_part *part)
{
    if (part->kind == GZ_FRAME_NONE) return;
    uint8_t head[] = {(uint8_t)part->kind, (uint8_t)(part->code >> 8), (uint8_t)part->code,
                      (uint8_t)part->size};
    if (part->kind != GZ_FRAME_DATA) require(gz_buffer_append(out, head, sizeof head) == GZ_OK);
    require(gz_buffer_append(out, part->bytes, part->size) == GZ_OK);
    if (part->is_last) require(gz_buffer_append(out, ";", 1) == GZ_OK);
}

static void check(const struct gz_frames *frames, const struct gz_frame_part *part)
{
    bool is_end = part->kind == GZ_FRAME_CLOSE || part->kind == GZ_FRAME_BROKEN;
    require(!is_end || frames->is_over);
    require((part->kind == GZ_FRAME_BROKEN) == (part->what != NULL));
    require(part->kind != GZ_FRAME_BROKEN || strlen(part->what) <= GZ_CONTROL_BYTES_MAX - 2);
    require(!part->is_last || part->left == 0);
    require(part->kind == GZ_FRAME_DATA || part->size <= GZ_CONTROL_BYTES_MAX);
}

static void read_in_pieces(struct gz_buffer *out, const uint8_t *data, size_t size, size_t piece)
{
    struct gz_frames frames = {0};
    for (size_t at = 0; at < size;) {
        uint8_t bytes[256];
        size_t count = size - at < piece ? size - at : piece, used = 0;
        memcpy(bytes, data + at, count);
        while (used < count) {
            struct gz_frame_part part;
            size_t step = gz_frames_read(&frames, bytes + used, count - used, &part);
            require(step > 0 && step <= count - used);
            used += step;
            check(&frames, &part);
            write_down(out, &part);
        }
        at += count;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gz_buffer whole, pieces;
    if (size == 0) return 0;
    gz_buffer_init(&whole, 8 * size, 0);
    gz_buffer_init(&pieces, 8 * size, 0);
    read_in_pieces(&whole, data + 1, size - 1, 256);
    read_in_pieces(&pieces, data + 1, size - 1, data[0] % 16 + 1U);
    require(whole.size == pieces.size);
    require(whole.size == 0 || memcmp(whole.data, pieces.data, whole.size) == 0);
    gz_buffer_finish(&whole);
    gz_buffer_finish(&pieces);
    return 0;
}
