/* frame.c - the framing of RFC 6455, byte by byte. See frame.h. */
#include "conn/frame.h"

#include <string.h>

#include "proto/base/text.h"

#define FIN 0x80
#define RESERVED 0x70
#define OPCODE 0x0F
#define IS_CONTROL 0x08
#define MASKED 0x80
#define LENGTH 0x7F

enum opcode { CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

static uint8_t opcode_of(const struct gz_frames *frames)
{
    return frames->header[0] & OPCODE;
}

static void fail(struct gz_frames *frames, struct gz_frame_part *part, int code, const char *what)
{
    frames->is_over = true;
    part->kind = GZ_FRAME_BROKEN;
    part->code = code;
    part->what = what;
}

/* ---- the header ---- */

/* The fault of the first byte; NULL for none. */
static const char *fault_of_first(const struct gz_frames *frames)
{
    uint8_t first = frames->header[0], opcode = first & OPCODE;
    if (first & RESERVED) return "a reserved bit is set, and no extension was agreed on";
    if (opcode > PONG || (opcode > BINARY && opcode < CLOSE)) return "the opcode is reserved";
    if ((opcode & IS_CONTROL) && !(first & FIN)) return "a control frame is fragmented";
    if (opcode == CONTINUATION && !frames->in_message)
        return "a continuation frame without a message to continue";
    if ((opcode == TEXT || opcode == BINARY) && frames->in_message)
        return "a new message begins before the last one is complete";
    return NULL;
}

static const char *fault_of_second(const struct gz_frames *frames)
{
    uint8_t second = frames->header[1];
    if (!(second & MASKED) && !frames->is_of_server) return "a frame of a client must be masked";
    if ((second & MASKED) && frames->is_of_server) return "a frame of a server must not be masked";
    if ((opcode_of(frames) & IS_CONTROL) && (second & LENGTH) > GZ_CONTROL_BYTES_MAX)
        return "a control frame is longer than 125 bytes";
    return NULL;
}

/* Bytes of the length after the second byte. */
static unsigned length_bytes(const struct gz_frames *frames)
{
    uint8_t length = frames->header[1] & LENGTH;
    return length == 127 ? 8 : length == 126 ? 2 : 0;
}

static unsigned header_bytes(const struct gz_frames *frames)
{
    return 2 + length_bytes(frames) + (frames->is_of_server ? 0 : 4);
}

static const char *take_length(struct gz_frames *frames)
{
    unsigned count = length_bytes(frames);
    uint64_t length = count == 0 ? frames->header[1] & LENGTH : 0;
    for (unsigned i = 0; i < count; i++) length = length << 8 | frames->header[2 + i];
    if (count == 8 && length >> 63) return "the highest bit of a length is set";
    if ((count == 2 && length < 126) || (count == 8 && length <= UINT16_MAX))
        return "a length is not in its shortest form";
    frames->left = length;
    frames->mask_at = 0;
    frames->in_payload = true;
    return NULL;
}

/* The fault of the byte that just came; NULL for none. */
static const char *check_header(struct gz_frames *frames)
{
    const char *fault = NULL;
    if (frames->header_size == 1) return fault_of_first(frames);
    if (frames->header_size == 2) fault = fault_of_second(frames);
    if (fault == NULL && frames->header_size == header_bytes(frames)) fault = take_length(frames);
    return fault;
}

static size_t read_header(struct gz_frames *frames, const uint8_t *bytes, size_t size,
                          struct gz_frame_part *part)
{
    size_t used = 0;
    while (used < size && !frames->in_payload) {
        frames->header[frames->header_size++] = bytes[used++];
        const char *fault = check_header(frames);
        if (fault == NULL) continue;
        fail(frames, part, GZ_CLOSE_PROTOCOL, fault);
        break;
    }
    return used;
}

/* ---- the payload ---- */

static void unmask(struct gz_frames *frames, uint8_t *bytes, size_t size)
{
    uint8_t mask[4];
    const uint8_t *key = frames->header + 2 + length_bytes(frames);
    for (unsigned i = 0; i < 4; i++) mask[i] = key[(frames->mask_at + i) & 3];
    for (size_t i = 0; i < size; i++) bytes[i] ^= mask[i & 3];
    frames->mask_at = (uint8_t)((frames->mask_at + size) & 3);
}

static bool is_control(const struct gz_frames *frames)
{
    return (opcode_of(frames) & IS_CONTROL) != 0;
}

static bool is_to_be_unmasked(const struct gz_frames *frames)
{
    return !frames->is_of_server && (is_control(frames) || !frames->keeps_mask);
}

static void end_frame(struct gz_frames *frames)
{
    frames->in_payload = false;
    frames->header_size = 0;
}

static void take_data(struct gz_frames *frames, uint8_t *bytes, size_t size,
                      struct gz_frame_part *part)
{
    part->kind = GZ_FRAME_DATA;
    part->bytes = bytes;
    part->size = size;
    part->left = frames->left;
    part->is_first = !frames->in_message;
    part->is_text = part->is_first && opcode_of(frames) == TEXT;
    part->is_last = frames->left == 0 && (frames->header[0] & FIN);
    frames->in_message = !part->is_last;
    if (frames->left == 0) end_frame(frames);
}

bool gz_frame_close_is_valid(int code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

static void take_close(struct gz_frames *frames, struct gz_frame_part *part)
{
    size_t size = frames->control_size;
    const char *reason = (const char *)frames->control + 2;
    part->kind = GZ_FRAME_CLOSE;
    frames->is_over = true;
    part->code = size >= 2 ? frames->control[0] << 8 | frames->control[1] : GZ_CLOSE_NONE;
    if (size == 1 || (size >= 2 && !gz_frame_close_is_valid(part->code)))
        fail(frames, part, GZ_CLOSE_PROTOCOL, "the close has an invalid code");
    else if (size > 2 && !gz_text_valid(reason, size - 2))
        fail(frames, part, GZ_CLOSE_UTF8, "the reason of the close is not UTF-8");
}

static void take_control(struct gz_frames *frames, const uint8_t *bytes, size_t size,
                         struct gz_frame_part *part)
{
    memcpy(frames->control + frames->control_size, bytes, size);
    frames->control_size = (uint8_t)(frames->control_size + size);
    if (frames->left > 0) return;
    part->kind = opcode_of(frames) == PING ? GZ_FRAME_PING : GZ_FRAME_PONG;
    part->bytes = frames->control;
    part->size = frames->control_size;
    if (opcode_of(frames) == CLOSE) take_close(frames, part);
    frames->control_size = 0;
    end_frame(frames);
}

size_t gz_frames_read(struct gz_frames *frames, uint8_t *bytes, size_t size,
                      struct gz_frame_part *part)
{
    *part = (struct gz_frame_part){.kind = GZ_FRAME_NONE};
    if (frames->is_over) return size;
    const bool is_new = !frames->in_payload;
    size_t used = read_header(frames, bytes, size, part);
    if (!frames->in_payload) return used;
    part->header = frames->header;
    part->header_size = is_new ? header_bytes(frames) : 0;
    size_t piece = frames->left < size - used ? (size_t)frames->left : size - used;
    if (is_to_be_unmasked(frames)) unmask(frames, bytes + used, piece);
    frames->left -= piece;
    if (is_control(frames))
        take_control(frames, bytes + used, piece, part);
    else
        take_data(frames, bytes + used, piece, part);
    return used + piece;
}
