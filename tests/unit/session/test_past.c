/* test_past.c - an answer of the past is cut into pieces, and the host gets it back. */
#include <stdlib.h>
#include <string.h>

#include "core/past.h"
#include "server/maxima.h"
#include "support/cmocka.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define ELEMENTS (3 * GZ_PATH_POINTS_PER_MESSAGE + 1)

static int discarded;

static void discard(void *context, struct gz_answer *answer)
{
    (void)context;
    discarded++;
    gz_answer_finish(answer);
}

static const struct gz_core_host host = {.discard = discard};

/* A path of so many points, with the seqs 0, 1, ... */
static struct gz_answer make_answer(size_t count)
{
    struct gz_answer answer = {.status = GZ_OK};
    gz_arena_init(&answer.arena, 1 << 24);
    struct gz_point_record *points = gz_arena_take(&answer.arena, count, sizeof *points);
    assert_non_null(points);
    for (size_t i = 0; i < count; i++) points[i].seq = i;
    answer.points = points;
    answer.point_count = count;
    return answer;
}

TEST(test_pieces)
{
    static const size_t counts[] = {0, 1, GZ_PATH_POINTS_PER_MESSAGE,
                                    GZ_PATH_POINTS_PER_MESSAGE + 1, ELEMENTS};
    static const struct gz_query query = {.kind = GZ_QUERY_PATH};
    for (size_t i = 0; i < COUNT(counts); i++) {
        struct gz_past past = {.open = 0};
        struct gz_answer answer = make_answer(counts[i]);
        struct gz_message piece = {.ok.more = true};
        size_t sent = 0;
        discarded = 0;
        assert_true(gz_past_may_ask(&past));
        assert_int_equal(gz_past_send(&past, 42, &query, &answer), GZ_OK);
        assert_false(gz_past_may_ask(&past));
        while (piece.ok.more) {
            struct gz_arena arena;
            gz_arena_init(&arena, 1 << 20);
            assert_true(gz_past_next_piece(&past, 1, &arena, &piece));
            assert_int_equal(piece.has, GZ_HAS_RID | GZ_HAS_OK_PATH);
            assert_int_equal(piece.rid, 42);
            assert_true(piece.ok.path_count <= GZ_PATH_POINTS_PER_MESSAGE);
            for (size_t j = 0; j < piece.ok.path_count; j++)
                assert_int_equal(piece.ok.path[j].seq, sent++);
            gz_arena_finish(&arena);
        }
        assert_int_equal(sent, counts[i]);
        gz_past_stop(&past, &host);
        gz_past_stop(&past, &host);
        assert_int_equal(discarded, 1);
        assert_true(gz_past_may_ask(&past));
    }
}

/* A piece that there is no memory for is not half an answer: the request is still known. */
TEST(test_piece_without_memory)
{
    static const struct gz_query query = {.kind = GZ_QUERY_PATH};
    struct gz_past past = {.open = 0};
    struct gz_answer answer = make_answer(ELEMENTS);
    struct gz_message piece;
    struct gz_arena arena;
    gz_arena_init(&arena, 10);
    assert_int_equal(gz_past_send(&past, 42, &query, &answer), GZ_OK);
    assert_false(gz_past_next_piece(&past, 1, &arena, &piece));
    assert_int_equal(piece.rid, 42);
    gz_past_stop(&past, &host);
    gz_arena_finish(&arena);
}

/* While the host is asked one question, it is asked no other. */
TEST(test_one_question_at_a_time)
{
    struct gz_past past = {.open = 2};
    assert_true(gz_past_may_ask(&past));
    past.asking = true;
    assert_false(gz_past_may_ask(&past));
}
