/* The frames of a WebSocket by themselves: any cut of the bytes says the same, and each close code
 * is looked at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conn/frame.h"
#include "feed/bytes.h"
#include "support/cmocka.h"

/* What is read out of bytes that come in pieces, as text: a letter for each thing, and the code. */
static void read_in_pieces(const uint8_t *bytes, size_t size, size_t piece, char *out, size_t room)
{
    struct gz_frames frames = {0};
    struct gz_frame_part part;
    uint8_t copy[512];
    size_t used = 0;
    memcpy(copy, bytes, size);
    for (size_t at = 0; at < size; at += piece) {
        size_t end = at + piece < size ? at + piece : size;
        for (size_t from = at; from < end;) {
            from += gz_frames_read(&frames, copy + from, end - from, &part);
            if (part.kind == GZ_FRAME_NONE) continue;
            if (part.kind == GZ_FRAME_DATA)
                used += (size_t)snprintf(out + used, room - used, "%.*s%s", (int)part.size,
                                         (const char *)part.bytes, part.is_last ? ";" : "");
            else
                used += (size_t)snprintf(out + used, room - used, "<%d %d %.*s>", part.kind,
                                         part.code, (int)part.size, (const char *)part.bytes);
        }
    }
}

static const char conversation[] =
    "\x02\x83\1\2\3\4\x60\x60\x60" /* "abc" in pieces */
    "\x89\x82\1\2\3\4\x69\x6b"     /* a ping */
    "\x00\x80\0\0\0\0"             /* nothing */
    "\x80\x85\x20\0\0\0DEFGH"      /* the end of it */
    "\x8a\x80\0\0\0\0"             /* a pong */
    "\x82\xfe\0\x7e\0\0\0\0"       /* 126 bytes */
    "0123456789012345678901234567890123456789012345678901234567890123456789"
    "01234567890123456789012345678901234567890123456789012345"
    "\x88\x84\0\0\0\0\x03\xe8zo"
    "\x82\x81\0\0\0\0x"; /* does not count */

TEST(test_frame_any_cut_says_the_same)
{
    char whole[1024] = "", pieces[1024];
    size_t size = sizeof conversation - 1;
    read_in_pieces((const uint8_t *)conversation, size, size, whole, sizeof whole);
    assert_memory_equal(whole, "abc<2 0 hi>dEFGh;<3 0 >0123", 27);
    assert_non_null(strstr(whole, "5;<4 1000 "));
    for (size_t piece = 1; piece < size; piece++) {
        *pieces = '\0';
        read_in_pieces((const uint8_t *)conversation, size, piece, pieces, sizeof pieces);
        assert_string_equal(pieces, whole);
    }
}

TEST(test_frame_every_close_code)
{
    for (int code = 0; code <= 0xFFFF; code++) {
        uint8_t bytes[] = {0x88, 0x82, 0, 0, 0, 0, (uint8_t)(code >> 8), (uint8_t)code};
        bool may_be_sent =
            (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006) ||
            (code >= 3000 && code <= 4999);
        struct gz_frames frames = {0};
        struct gz_frame_part part;
        assert_int_equal(gz_frames_read(&frames, bytes, sizeof bytes, &part), sizeof bytes);
        assert_int_equal(part.kind, may_be_sent ? GZ_FRAME_CLOSE : GZ_FRAME_BROKEN);
        assert_int_equal(part.code, may_be_sent ? code : GZ_CLOSE_PROTOCOL);
    }
}

/* Every first and second byte, alone: what is refused is refused before more is waited for. */
TEST(test_frame_every_header)
{
    for (int pair = 0; pair <= 0xFFFF; pair++) {
        uint8_t bytes[] = {(uint8_t)(pair >> 8), (uint8_t)pair};
        uint8_t opcode = bytes[0] & 0x0F;
        bool is_control = opcode >= 8;
        bool is_good = (bytes[0] & 0x70) == 0 && (bytes[1] & 0x80) != 0 &&
                       (opcode == 1 || opcode == 2 || (opcode >= 8 && opcode <= 10)) &&
                       (!is_control || ((bytes[0] & 0x80) != 0 && (bytes[1] & 0x7F) <= 125));
        struct gz_frames frames = {0};
        struct gz_frame_part part;
        gz_frames_read(&frames, bytes, 2, &part);
        assert_int_equal(part.kind, is_good ? GZ_FRAME_NONE : GZ_FRAME_BROKEN);
    }
}

/* What a server puts before a payload is read as a client reads it: each width of a length. */
TEST(test_frame_header_of_a_server)
{
    static const size_t sizes[] = {0, 1, 125, 126, UINT16_MAX, UINT16_MAX + 1};
    static uint8_t memory[GZ_FRAME_HEADER_BYTES_MAX + UINT16_MAX + 1];
    uint8_t *payload = memory + GZ_FRAME_HEADER_BYTES_MAX;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct gz_frames frames = {.is_of_server = true};
        struct gz_frame_part part;
        size_t header = gz_frame_put_header(payload, sizes[i], GZ_FRAME_BINARY_FIRST);
        assert_int_equal(gz_frames_read(&frames, payload - header, header + sizes[i], &part),
                         header + sizes[i]);
        assert_int_equal(part.kind, GZ_FRAME_DATA);
        assert_int_equal(part.size, sizes[i]);
        assert_true(part.is_first && part.is_last && !part.is_text);
    }
    struct gz_frames frames = {.is_of_server = true};
    struct gz_frame_part part;
    size_t header = gz_frame_put_header(payload, 0, GZ_FRAME_PING_FIRST);
    assert_int_equal(gz_frames_read(&frames, payload - header, header, &part), header);
    assert_int_equal(part.kind, GZ_FRAME_PING);
    header = gz_frame_put_header(payload, 3, GZ_FRAME_PONG_FIRST);
    assert_int_equal(gz_frames_read(&frames, payload - header, header + 3, &part), header + 3);
    assert_int_equal(part.kind, GZ_FRAME_PONG);
}

TEST(test_frame_masked_comes_as_it_was)
{
    static const size_t sizes[] = {0, 1, 125, 126, UINT16_MAX, UINT16_MAX + 1};
    static const uint8_t mask[4] = {0x12, 0, 0xFF, 0x80};
    static uint8_t bytes[GZ_FRAME_HEADER_BYTES_MAX + UINT16_MAX + 1];
    uint8_t *payload = bytes + GZ_FRAME_HEADER_BYTES_MAX;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct gz_frames frames = {.is_of_server = false};
        struct gz_frame_part part;
        memset(payload, 0x5A, sizes[i]);
        const size_t size =
            gz_frame_mask(payload, sizes[i], GZ_FRAME_BINARY_FIRST, mask) + sizes[i];
        if (sizes[i] > 0) assert_int_equal(payload[0], 0x5A ^ 0x12);
        assert_int_equal(gz_frames_read(&frames, payload + sizes[i] - size, size, &part), size);
        assert_int_equal(part.kind, GZ_FRAME_DATA);
        assert_true(part.is_first && part.is_last && part.size == sizes[i]);
        for (size_t j = 0; j < sizes[i]; j++) assert_int_equal(part.bytes[j], 0x5A);
    }
}
