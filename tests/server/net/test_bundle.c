/* Records of a link: any cut of the bytes says the same, what is wrong is refused, and what goes
 * to several channels stands in the bytes once, while each channel gets its pieces in order. */
#include <stdlib.h>
#include <string.h>

#include "link/link.h"
#include "support/cmocka.h"

#define OUT_MAX ((size_t)64 * 1024 * 1024)
#define CHANNELS 40

static void init(struct gz_mux *bundle)
{
    gz_mux_init(bundle, OUT_MAX);
}

/* Bytes without a header. */
static struct gz_bytes *make(const void *bytes, size_t size)
{
    struct gz_bytes *made = gz_bytes_copy(GZ_FRAME_RAW, bytes, size);
    assert_non_null(made);
    return made;
}

/* The same for a text that others hold, too, until let_go. */
static struct gz_bytes *make_shared(const char *text)
{
    return gz_bytes_hold(make(text, strlen(text)));
}

/* Nobody else may hold it any more. */
static void let_go(struct gz_bytes *bytes)
{
    gz_bytes_release(bytes);
    assert_false(gz_bytes_are_shared(bytes));
    gz_bytes_release(bytes);
}

static bool share(struct gz_mux *bundle, uint16_t channel, struct gz_bytes *frame)
{
    return gz_mux_share(bundle, channel, frame, 0, gz_bytes_wire_size(frame));
}

/* A piece for one channel alone. */
static bool share_alone(struct gz_mux *bundle, uint16_t channel, const char *text)
{
    struct gz_bytes *frame = make(text, strlen(text));
    const bool is_written = share(bundle, channel, frame);
    gz_bytes_release(frame);
    return is_written;
}

/* ---- the codec ---- */

TEST(test_bundle_reads_what_was_written)
{
    struct gz_mux bundle;
    struct gz_record record;
    size_t used;
    init(&bundle);
    assert_true(gz_mux_add(&bundle, GZ_RECORD_OPEN, 0x1234, "who", 3));
    for (size_t size = 0; size < bundle.out.size; size++)
        assert_int_equal(gz_mux_read(bundle.out.data, size, &record, &used), GZ_BUNDLE_NONE);
    assert_int_equal(gz_mux_read(bundle.out.data, bundle.out.size + 0, &record, &used),
                     GZ_BUNDLE_RECORD);
    assert_int_equal(used, bundle.out.size);
    assert_int_equal(record.kind, GZ_RECORD_OPEN);
    assert_int_equal(record.count, 1);
    assert_int_equal(gz_record_channel(&record, 0), 0x1234);
    assert_int_equal(record.size, 3);
    assert_memory_equal(record.bytes, "who", 3);
    gz_mux_finish(&bundle);
}

TEST(test_bundle_refuses_what_is_no_record)
{
    static const struct {
        const char *name, *header;
        enum gz_mux_found found;
    } rows[] = {
        {"kind 0", "\0\0\1\0\0\0\0\0", GZ_BUNDLE_BROKEN},
        {"a kind that there is not", "\7\0\1\0\0\0\0\0", GZ_BUNDLE_BROKEN},
        {"a group for two", "\6\0\2\0\2\0\0\0", GZ_BUNDLE_BROKEN},
        {"a group without a number", "\6\0\1\0\1\0\0\0", GZ_BUNDLE_BROKEN},
        {"a group", "\6\0\1\0\2\0\0\0", GZ_BUNDLE_NONE},
        {"no channel", "\2\0\0\0\1\0\0\0", GZ_BUNDLE_BROKEN},
        {"open for two", "\1\0\2\0\1\0\0\0", GZ_BUNDLE_BROKEN},
        {"took for two", "\4\0\2\0\4\0\0\0", GZ_BUNDLE_BROKEN},
        {"close for two", "\5\0\2\0\2\0\0\0", GZ_BUNDLE_BROKEN},
        {"open that is too large", "\1\0\1\0\1\1\0\0", GZ_BUNDLE_BROKEN},
        {"the largest open", "\1\0\1\0\0\1\0\0", GZ_BUNDLE_NONE},
        {"data of nothing", "\2\0\1\0\0\0\0\0", GZ_BUNDLE_BROKEN},
        {"the largest data", "\2\0\1\0\0\x40\0\0", GZ_BUNDLE_NONE},
        {"data that is too large", "\2\0\1\0\1\x40\0\0", GZ_BUNDLE_BROKEN},
        {"data of 4 GiB", "\2\0\1\0\xff\xff\xff\xff", GZ_BUNDLE_BROKEN},
        {"again with bytes", "\3\0\1\0\1\0\0\0", GZ_BUNDLE_BROKEN},
        {"a place that there is not", "\3\x40\1\0\0\0\0\0", GZ_BUNDLE_BROKEN},
        {"the last place", "\3\xbf\1\0\0\0\0\0", GZ_BUNDLE_NONE},
        {"took of three bytes", "\4\0\1\0\3\0\0\0", GZ_BUNDLE_BROKEN},
        {"close of one byte", "\5\0\1\0\1\0\0\0", GZ_BUNDLE_BROKEN},
        {"the longest close", "\5\0\1\0\x7d\0\0\0", GZ_BUNDLE_NONE},
        {"a close that is too long", "\5\0\1\0\x7e\0\0\0", GZ_BUNDLE_BROKEN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[GZ_RECORD_HEADER_BYTES];
        struct gz_record record;
        size_t used;
        memcpy(bytes, rows[i].header, sizeof bytes);
        if (gz_mux_read(bytes, sizeof bytes, &record, &used) != rows[i].found)
            fail_msg("%s", rows[i].name);
    }
}

/* ---- sharing ---- */

TEST(test_bundle_shares_a_piece)
{
    struct gz_mux bundle;
    struct gz_record record;
    size_t used;
    struct gz_bytes *same = make_shared("the same for all");
    init(&bundle);
    for (uint16_t i = 0; i < 1000; i++) assert_true(share(&bundle, i, same));
    assert_int_equal(bundle.given, 1000);
    assert_int_equal(bundle.written, 1);
    assert_int_equal(bundle.records, 1);
    assert_int_equal(bundle.out.size, GZ_RECORD_HEADER_BYTES + 16 + 2 * 1000);
    assert_int_equal(gz_mux_read(bundle.out.data, bundle.out.size, &record, &used),
                     GZ_BUNDLE_RECORD);
    assert_int_equal(record.count, 1000);
    assert_int_equal(gz_record_channel(&record, 999), 999);
    /* Sent is not forgotten: later ones are told where it is. */
    gz_bytes_release(gz_mux_take(&bundle, NULL));
    assert_true(share(&bundle, 7, same));
    assert_true(share(&bundle, 8, same));
    assert_int_equal(bundle.written, 1);
    assert_int_equal(bundle.out.size, GZ_RECORD_HEADER_BYTES + 2 * 2);
    gz_mux_finish(&bundle);
    let_go(same);
}

/* Pieces of a frame are told apart by their place, also if their bytes are equal, and frames by who
 * they are. */
TEST(test_bundle_shares_only_the_same_piece)
{
    struct gz_mux bundle;
    struct gz_bytes *frame = make_shared("piecepiece"), *other = make_shared("piecepiece");
    init(&bundle);
    assert_true(gz_mux_share(&bundle, 1, frame, 0, 5));
    assert_true(gz_mux_share(&bundle, 1, frame, 5, 5));
    assert_true(gz_mux_share(&bundle, 2, frame, 0, 4));
    assert_true(gz_mux_share(&bundle, 3, other, 0, 5));
    assert_int_equal(bundle.written, 4);
    assert_true(gz_mux_share(&bundle, 4, frame, 0, 5));
    assert_true(gz_mux_share(&bundle, 4, frame, 5, 5));
    assert_int_equal(bundle.written, 4);
    gz_mux_finish(&bundle);
    let_go(frame);
    let_go(other);
}

/* A link does not keep the memory of what is for one alone. */
TEST(test_bundle_holds_no_frame_that_nobody_else_holds)
{
    struct gz_mux bundle;
    struct gz_bytes *alone = make("alone", 5), *shared = make_shared("shared");
    init(&bundle);
    assert_true(share(&bundle, 1, alone));
    assert_false(gz_bytes_are_shared(alone));
    gz_bytes_release(shared); /* one of the two who hold it, after its piece */
    assert_false(gz_bytes_are_shared(shared));
    gz_bytes_hold(shared);
    assert_true(share(&bundle, 1, shared));
    gz_bytes_release(shared);
    assert_true(gz_bytes_are_shared(shared));
    for (int i = 0; i < GZ_TRUNK_SLOTS; i++) assert_true(share_alone(&bundle, 1, "another"));
    assert_false(gz_bytes_are_shared(shared));
    gz_mux_finish(&bundle);
    gz_bytes_release(alone);
    gz_bytes_release(shared);
}

/* What is for one alone, between, does not make the others' be forgotten; too many at once do. */
TEST(test_bundle_remembers_what_is_used)
{
    struct gz_mux bundle;
    struct gz_bytes *for_all = make_shared("for all");
    init(&bundle);
    for (uint16_t i = 0; i < 100; i++) {
        assert_true(share(&bundle, i, for_all));
        assert_true(share_alone(&bundle, i, "for one alone"));
    }
    assert_int_equal(bundle.written, 101);
    for (uint16_t i = 0; i < GZ_TRUNK_SLOTS; i++) assert_true(share_alone(&bundle, i, "more"));
    assert_true(share(&bundle, 1, for_all));
    assert_int_equal(bundle.written, 101 + GZ_TRUNK_SLOTS + 1);
    gz_mux_finish(&bundle);
    let_go(for_all);
}

/* ---- both ends ---- */

/* The other end: what each channel got, by its pieces' numbers. */
struct reader {
    uint32_t places[GZ_TRUNK_SLOTS]; /* the piece there */
    uint32_t *got[CHANNELS];
    size_t count[CHANNELS];
};

static void read_record(struct reader *reader, const struct gz_record *record)
{
    if (record->kind == GZ_RECORD_DATA)
        reader->places[record->slot] = gz_record_number(record->bytes, 4);
    for (size_t i = 0; i < record->count; i++) {
        const uint16_t channel = gz_record_channel(record, i);
        assert_true(channel < CHANNELS);
        reader->got[channel][reader->count[channel]++] = reader->places[record->slot];
    }
}

static void read_all(struct reader *reader, struct gz_mux *bundle)
{
    struct gz_record record;
    size_t used;
    for (size_t at = 0; at < bundle->out.size; at += used) {
        assert_int_equal(gz_mux_read(bundle->out.data + at, bundle->out.size - at, &record, &used),
                         GZ_BUNDLE_RECORD);
        read_record(reader, &record);
    }
    struct gz_bytes *sent = bundle->out.size > 0 ? gz_mux_take(bundle, NULL) : NULL;
    if (sent != NULL) gz_mux_give_back(bundle, sent);
}

/* Pieces for all, for some and for one alone, sent at any moment: each channel gets its own, all of
 * them, in order. */
TEST(test_bundle_keeps_the_order_of_each_channel)
{
    enum { PIECES = 20000, FRAMES = 100 /* more than there are places */ };
    static uint32_t wanted[CHANNELS][PIECES], got[CHANNELS][PIECES];
    static struct reader reader;
    size_t wanted_count[CHANNELS] = {0};
    struct gz_mux bundle;
    struct gz_bytes *frames[FRAMES];
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint8_t bytes[800] = {0};
        gz_record_set_number(bytes, 4, i);
        frames[i] = gz_bytes_hold(make(bytes, 4 + i * 7 % 790));
    }
    init(&bundle);
    srand(1);
    for (size_t i = 0; i < CHANNELS; i++) reader.got[i] = got[i];
    for (int i = 0; i < PIECES; i++) {
        const uint32_t piece = (uint32_t)(rand() % FRAMES);
        const uint16_t channel = (uint16_t)(rand() % CHANNELS);
        assert_true(share(&bundle, channel, frames[piece]));
        wanted[channel][wanted_count[channel]++] = piece;
        if (rand() % 50 == 0) read_all(&reader, &bundle);
    }
    read_all(&reader, &bundle);
    for (size_t i = 0; i < CHANNELS; i++) {
        assert_int_equal(reader.count[i], wanted_count[i]);
        assert_memory_equal(got[i], wanted[i], wanted_count[i] * sizeof wanted[i][0]);
    }
    assert_true(bundle.written < bundle.given);
    gz_mux_finish(&bundle);
    for (size_t i = 0; i < FRAMES; i++) let_go(frames[i]);
}

/* Without room nothing is said that could be taken for something else. */
TEST(test_bundle_that_is_full)
{
    struct gz_mux bundle;
    struct gz_bytes *ten = make_shared("ten bytes."), *another = make_shared("another one");
    gz_mux_init(&bundle, 30);
    assert_true(share(&bundle, 1, ten));
    assert_false(share(&bundle, 2, another)); /* its header has room */
    assert_false(share(&bundle, 3, another));
    assert_false(share(&bundle, 3, ten));
    gz_mux_finish(&bundle);
    let_go(ten);
    let_go(another);
}
