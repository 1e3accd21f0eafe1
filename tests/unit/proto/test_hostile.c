/* Frames made to hurt: changed bytes, claims that the bytes do not cover, nesting, text that is
 * none. Whatever comes, the decoder answers, moves on, and takes no more memory than limits.h
 * allows. */
#include <stdlib.h>
#include <string.h>

#include "proto/base/text.h"
#include "proto/limits.h"
#include "support/chance.h"
#include "support/cmocka.h"
#include "unit/proto/wire.h"

static const enum gz_side sides[] = {GZ_FROM_CLIENT, GZ_FROM_SERVER};

/* Reads a whole frame as a server would, and holds the decoder to what its header says. Returns the
 * first status. */
static enum gz_status read_frame(enum gz_side side, const uint8_t *bytes, size_t size,
                                 struct gz_arena *arena)
{
    enum gz_status first = GZ_OK;
    for (size_t offset = 0; offset < size;) {
        size_t start = offset;
        struct gz_message message;
        struct gz_error error = {.message = ""};
        gz_arena_reset(arena, gz_decode_bytes_max(size));
        enum gz_status status = gz_decode(side, bytes, size, &offset, arena, &message, &error);
        if (start == 0) first = status;
        assert_true(offset > start && offset <= size);
        assert_int_not_equal(status, GZ_TOO_LARGE);
        assert_int_not_equal(status, GZ_NO_MEMORY);
        if (status == GZ_OK) continue;
        assert_int_equal(error.status, status);
        assert_true(strlen(error.message) > 0 &&
                    gz_text_valid(error.message, strlen(error.message)));
        assert_true(arena->used <= GZ_DECODE_FACTOR_MAX * (offset - start) + GZ_DECODE_BYTES_FLOOR);
    }
    return first;
}

/* So many changes of a byte: all of them in the long suite. */
#define CHANGES 16

TEST(test_hostile_every_changed_byte_is_answered)
{
    unsigned changes =
        (unsigned)chance_count(CHANGES) < 255 ? (unsigned)chance_count(CHANGES) : 255;
    struct wire_vectors vectors = wire_load();
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    for (size_t i = 0; i < vectors.count; i++) {
        struct wire_vector *vector = &vectors.all[i];
        for (size_t at = 0; at < vector->size; at++) {
            uint8_t kept = vector->bytes[at];
            for (unsigned k = 0; k < changes; k++) {
                vector->bytes[at] = (uint8_t)(kept ^ (1 + (at + k * 255 / changes) % 255));
                (void)read_frame(vector->side, vector->bytes, vector->size, &arena);
            }
            vector->bytes[at] = kept;
        }
    }
    gz_arena_finish(&arena);
    wire_unload(&vectors);
}

/* A frame of `size` bytes: `head`, then `filler` over and over. */
static uint8_t *make_frame(const char *head, size_t head_size, const char *filler,
                           size_t filler_size, size_t size)
{
    uint8_t *frame = malloc(size);
    assert_non_null(frame);
    memcpy(frame, head, head_size);
    for (size_t i = head_size; i < size; i++)
        frame[i] = (uint8_t)filler[(i - head_size) % filler_size];
    return frame;
}

struct bytes {
    const char *bytes;
    size_t size;
};
#define BYTES(text)                                                                                \
    {                                                                                              \
        (text), sizeof(text) - 1                                                                   \
    }

/* Claims, as the first bytes of a frame. */
static const struct bytes claims[] = {
    BYTES("\xdd\x10\x00\x00\x00"),
    BYTES("\xdd\xff\xff\xff\xff"),
    BYTES("\xdc\xff\xff"),
    BYTES("\xdf\xff\xff\xff\xff"),
    BYTES("\xde\xff\xff"),
    BYTES("\xdb\xff\xff\xff\xff"),
    BYTES("\xc6\xff\xff\xff\xff"),
    BYTES("\xc9\xff\xff\xff\xff\x01"),
    BYTES("\x82\xa2op\xa3set\xa5nodes\xdd\x00\x01\x86\xa0"),
    BYTES("\x82\xa2op\xa3set\xa5nodes\xdc\xff\xff"),
    BYTES("\x82\xa2op\xa3set\xa5nodes\xdd\x10\x00\x00\x00"),
    BYTES("\x82\xa2op\xa6"
          "create\xa5nodes\xdd\x00\x01\x86\xa0"),
    BYTES("\x82\xa2op\xa6"
          "delete\xa5nodes\xdd\x00\x01\x86\xa0"),
    BYTES("\x82\xa2op\xa6"
          "delete\xa5nodes\xdd\x00\x0f\x00\x00"),
    BYTES("\x82\xa2op\xa6select\xa5nodes\xdf\x00\x01\x86\xa0"),
    BYTES("\x82\xa2op\xa7pointer\xa4mods\xdd\x00\x01\x86\xa0"),
    BYTES("\x82\xa2op\xa4ping\xa1x\xdd\x00\x01\x86\xa0"),
    BYTES("\x82\xa2op\xa4ping\xa1x\xdf\x00\x01\x86\xa0"),
    BYTES("\x82\xa2op\xa5hello\xa4user\xdb\x00\x0f\x00\x00"),
    BYTES("\x82\xa2op\xa5"
          "delta\xa5nodes\xdd\x00\x01\x86\xa0"),
    BYTES("\x82\xa2op\xa5"
          "delta\xa4"
          "acks\xdd\x00\x01\x86\xa0"),
    BYTES("\x82\xa2op\xa8presence\xa5users\xdd\x00\x01\x86\xa0"),
    BYTES("\x82\xa2op\xa5gizmo\xa5lines\xdd\x00\x01\x86\xa0"),
    BYTES("\x83\xa2op\xa2ok\xa3rid\x01\xa5"
          "edits\xdd\x00\x01\x86\xa0"),
};

/* What fills the rest. */
static const struct bytes fillers[] = {
    BYTES("\x00"),
    BYTES("\x01"),
    BYTES("\x80"),
    BYTES("\x90"),
    BYTES("\xc0"),
    BYTES("\xa0"),
    BYTES("\x91"),
    BYTES("\x81\xa2id\x01"),
    BYTES("\x81\xa2id\xcd\x01\x02"),
    BYTES("\x81\xa4name\xa0"),
    BYTES("\x92\x01\x01"),
    BYTES("\xdc\xff\xff"),
    BYTES("\xdd\x00\x0f\xff\xff"),
    BYTES("\xdf\x00\x07\xff\xff"),
    BYTES("\xc1"),
    BYTES("\xff"),
};

TEST(test_hostile_claims_cost_no_memory)
{
    static const size_t sizes[] = {64, 4096, 600000};
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        for (size_t j = 0; j < sizeof fillers / sizeof *fillers; j++) {
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                uint8_t *frame = make_frame(claims[i].bytes, claims[i].size, fillers[j].bytes,
                                            fillers[j].size, sizes[k]);
                size_t end = sizes[k];
                for (size_t side = 0; side < 2; side++) {
                    size_t offset = 0;
                    struct gz_message message;
                    struct gz_error error = {.message = ""};
                    gz_arena_reset(&arena, gz_decode_bytes_max(end));
                    enum gz_status status =
                        gz_decode(sides[side], frame, end, &offset, &arena, &message, &error);
                    if (status == GZ_OK) continue; /* a list that is all there and well-formed */
                    assert_true(arena.used <= GZ_DECODE_FACTOR_MAX * end + GZ_DECODE_BYTES_FLOOR);
                    assert_true(strlen(error.message) > 0);
                }
                free(frame);
            }
        }
    }
    gz_arena_finish(&arena);
}

TEST(test_hostile_bare_claims_are_bad_message)
{
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(
            read_frame(GZ_FROM_CLIENT, (const uint8_t *)claims[i].bytes, claims[i].size, &arena),
            GZ_BAD_MESSAGE);
        assert_int_equal(arena.used, 0);
    }
    gz_arena_finish(&arena);
}

TEST(test_hostile_nesting_is_refused_at_any_depth)
{
    static const struct bytes nests[] = {BYTES("\x91"),
                                         BYTES("\x81\xa1"
                                               "a"),
                                         BYTES("\xdc\x00\x01"), BYTES("\xdf\x00\x00\x00\x01\xa0"),
                                         BYTES("\x81")};
    static const char prefix[] = "\x82\xa2op\xa4ping\xa1x";
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        for (size_t head = 0; head < 2; head++) {
            size_t size = 1000000 * nests[i].size + sizeof prefix;
            uint8_t *frame =
                make_frame(prefix, head * (sizeof prefix - 1), nests[i].bytes, nests[i].size, size);
            size_t offset = 0;
            struct gz_message message;
            struct gz_error error = {.message = ""};
            enum gz_status status =
                gz_decode(GZ_FROM_CLIENT, frame, size, &offset, &arena, &message, &error);
            assert_int_equal(status, GZ_BAD_MESSAGE);
            assert_int_equal(offset, size);
            assert_non_null(strstr(error.message, "nested"));
            assert_int_equal(arena.used, 0);
            free(frame);
        }
    }
    gz_arena_finish(&arena);
}

/* The shortest messages of many elements are accepted: their memory is the other limit's. */
TEST(test_hostile_shortest_elements_fit_their_limit)
{
    static uint64_t ids[GZ_NODES_MAX];
    static struct gz_set_node nodes[GZ_NODES_MAX];
    for (size_t i = 0; i < GZ_NODES_MAX; i++) {
        ids[i] = GZ_NODES_MAX - i;
        nodes[i].id = ids[i];
    }
    struct gz_buffer frame;
    struct gz_arena arena;
    gz_buffer_init(&frame, GZ_MESSAGE_BYTES_MAX, 0);
    gz_arena_init(&arena, 0);
    for (size_t count = 0; count <= GZ_NODES_MAX; count = count < 300 ? count + 1 : count * 7 / 2) {
        const struct gz_message messages[] = {
            {.op = GZ_OP_SELECT, .select.nodes = {ids + GZ_NODES_MAX - count, count}},
            {.op = GZ_OP_SET, .set = {.nodes = nodes + GZ_NODES_MAX - count, .count = count}},
        };
        for (size_t i = 0; i < 2; i++) {
            gz_buffer_clear(&frame);
            assert_int_equal(gz_encode(&frame, &messages[i]), GZ_OK);
            assert_int_equal(read_frame(GZ_FROM_CLIENT, frame.data, frame.size, &arena), GZ_OK);
        }
    }
    gz_arena_finish(&arena);
    gz_buffer_finish(&frame);
}

/* One id that comes twice among many, wherever it stands and whatever the order. */
TEST(test_hostile_twin_is_found_in_any_order)
{
    struct gz_arena arena;
    struct gz_buffer frame;
    gz_arena_init(&arena, 0);
    gz_buffer_init(&frame, GZ_MESSAGE_BYTES_MAX, 0);
    for (size_t count = 2; count < 200; count++) {
        uint64_t ids[200];
        const struct gz_message message = {.op = GZ_OP_DELETE, .remove = {ids, count}};
        for (size_t i = 0; i < count; i++) ids[i] = 1 + i * 7919 % 1009;
        gz_buffer_clear(&frame);
        assert_int_equal(gz_encode(&frame, &message), GZ_OK);
        assert_int_equal(read_frame(GZ_FROM_CLIENT, frame.data, frame.size, &arena), GZ_OK);
        for (size_t twin = 1; twin < count; twin++) {
            uint64_t kept = ids[twin];
            ids[twin] = ids[(twin * 31 + count) % twin];
            gz_buffer_clear(&frame);
            assert_int_equal(gz_encode(&frame, &message), GZ_OK);
            assert_int_equal(read_frame(GZ_FROM_CLIENT, frame.data, frame.size, &arena),
                             GZ_BAD_VALUE);
            ids[twin] = kept;
        }
    }
    gz_arena_finish(&arena);
    gz_buffer_finish(&frame);
}

/* Sorting these would take eight times their bytes; that there are too few bytes for so many ids is
 * answer enough. */
TEST(test_hostile_one_id_over_and_over_costs_no_memory)
{
    static const char head[] = "\x82\xa2op\xa6"
                               "delete\xa5nodes\xdc\xff\xff";
    size_t size = sizeof head - 1 + 65535;
    uint8_t *frame = make_frame(head, sizeof head - 1, "\x01", 1, size);
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    assert_int_equal(read_frame(GZ_FROM_CLIENT, frame, size, &arena), GZ_BAD_VALUE);
    assert_int_equal(arena.used, 0);
    gz_arena_finish(&arena);
    free(frame);
}

TEST(test_hostile_list_beyond_the_largest_scene_is_too_many)
{
    static const char head[] = "\x83\xa2op\xa6select\xa3how\xa3set\xa5nodes\xdd\x00\x01\x86\xa1";
    size_t size = sizeof head - 1 + 100001;
    uint8_t *frame = make_frame(head, sizeof head - 1, "\x01", 1, size);
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    assert_int_equal(read_frame(GZ_FROM_CLIENT, frame, size, &arena), GZ_TOO_MANY);
    assert_int_equal(arena.used, 0);
    gz_arena_finish(&arena);
    free(frame);
}

/* An import that replaces the largest scene names the nodes that go and the nodes that come. */
TEST(test_edit_of_the_server_names_every_node_twice_over)
{
    static uint64_t ids[GZ_SERVER_LIST_MAX + 1];
    struct gz_arena arena;
    gz_arena_init(&arena, SIZE_MAX / 2);
    for (size_t i = 0; i <= GZ_SERVER_LIST_MAX; i++) ids[i] = i + 1;
    for (size_t more = 0; more < 2; more++) {
        struct gz_message edit = {.op = GZ_OP_EDIT, .edit.kind = GZ_EDIT_IMPORT};
        struct gz_buffer bytes;
        edit.edit.nodes = (struct gz_ids){ids, GZ_SERVER_LIST_MAX + more};
        gz_buffer_init(&bytes, GZ_FRAME_BYTES_MAX, 0);
        assert_int_equal(gz_encode(&bytes, &edit), GZ_OK);
        assert_int_equal(read_frame(GZ_FROM_SERVER, bytes.data, bytes.size, &arena),
                         more > 0 ? GZ_TOO_MANY : GZ_OK);
        gz_buffer_finish(&bytes);
    }
    gz_arena_finish(&arena);
}

TEST(test_hostile_arena_too_small_is_too_large)
{
    static const char frame[] = "\x83\xa2op\xa6select\xa3how\xa3set\xa5nodes\x93\x01\x02\x03";
    struct gz_arena arena;
    gz_arena_init(&arena, 16);
    size_t offset = 0;
    struct gz_message message;
    struct gz_error error = {.message = ""};
    enum gz_status status = gz_decode(GZ_FROM_CLIENT, (const uint8_t *)frame, sizeof frame - 1,
                                      &offset, &arena, &message, &error);
    assert_int_equal(status, GZ_TOO_LARGE);
    assert_string_equal(error.message, "select.nodes: more than may be decoded");
    assert_int_equal(offset, sizeof frame - 1);
    gz_arena_finish(&arena);
}

/* The edges of the table of well-formed byte sequences in the Unicode standard, from both sides. */
static const struct {
    struct bytes text;
    bool valid;
} texts[] = {
    {BYTES(""), true},
    {BYTES("\x01"), true},
    {BYTES("\x7f"), true},
    {BYTES("\0"), false},
    {BYTES("a\0b"), false},
    {BYTES("\x80"), false},
    {BYTES("\xbf"), false},
    {BYTES("\xc0\x80"), false},
    {BYTES("\xc1\xbf"), false},
    {BYTES("\xc2\x80"), true},
    {BYTES("\xc2\x7f"), false},
    {BYTES("\xc2\xc0"), false},
    {BYTES("\xdf\xbf"), true},
    {BYTES("\xc2"), false},
    {BYTES("\xe0\x9f\xbf"), false},
    {BYTES("\xe0\xa0\x80"), true},
    {BYTES("\xe1\x80\x80"), true},
    {BYTES("\xec\xbf\xbf"), true},
    {BYTES("\xed\x9f\xbf"), true},
    {BYTES("\xed\xa0\x80"), false},
    {BYTES("\xed\xbf\xbf"), false},
    {BYTES("\xee\x80\x80"), true},
    {BYTES("\xef\xbf\xbf"), true},
    {BYTES("\xe1\x80"), false},
    {BYTES("\xe1\x80\x7f"), false},
    {BYTES("\xf0\x8f\xbf\xbf"), false},
    {BYTES("\xf0\x90\x80\x80"), true},
    {BYTES("\xf3\xbf\xbf\xbf"), true},
    {BYTES("\xf4\x8f\xbf\xbf"), true},
    {BYTES("\xf4\x90\x80\x80"), false},
    {BYTES("\xf5\x80\x80\x80"), false},
    {BYTES("\xf0\x90\x80"), false},
    {BYTES("\xf0\x90\x80\xc0"), false},
    {BYTES("\xff"), false},
    {BYTES("\xfe"), false},
    {BYTES("ok \xe6\xb7\xb1 \xf0\x9f\xa6\xbe"), true},
    {BYTES("bad at the end \xe6\xb7"), false},
};

TEST(test_text_valid_follows_the_unicode_table)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *copy = malloc(texts[i].text.size +
                            1); /* on the heap, so that a sanitizer sees a step beyond */
        assert_non_null(copy);
        char *end_aligned = memcpy(copy + 1, texts[i].text.bytes, texts[i].text.size);
        if (gz_text_valid(end_aligned, texts[i].text.size) != texts[i].valid)
            fail_msg("text %zu", i);
        free(copy);
    }
}
