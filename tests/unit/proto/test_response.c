/* Answers of HTTP as the C client reads them, whole and cut at any byte, right ones and others. */
#include <stdlib.h>
#include <string.h>

#include "client/c/response.h"
#include "support/cmocka.h"

#define HEAD "HTTP/1.1 200 OK\r\n"
#define CHUNKED HEAD "Transfer-Encoding: chunked\r\n\r\n"
#define BODY_BYTES_MAX 64

static const struct sample {
    const char *answer;
    enum gz_response_part part; /* at the end of the connection */
    unsigned status;
    const char *body;
} samples[] = {
    {HEAD "Content-Length: 5\r\n\r\nhello", GZ_RESPONSE_WHOLE, 200, "hello"},
    {HEAD "content-length:5 \r\n\r\nhello", GZ_RESPONSE_WHOLE, 200, "hello"},
    {HEAD "Content-Length: 5\n\nhello", GZ_RESPONSE_WHOLE, 200, "hello"},
    {HEAD "Content-Length: 0\r\n\r\n", GZ_RESPONSE_WHOLE, 200, ""},
    {HEAD "Content-Length: 6\r\n\r\nhello", GZ_RESPONSE_BODY, 200, "hello"},
    {HEAD "Content-Length: -1\r\n\r\nhello", GZ_RESPONSE_BROKEN, 200, ""},
    {HEAD "Content-Length: 5x\r\n\r\nhello", GZ_RESPONSE_BROKEN, 200, ""},
    {HEAD "Content-Length: 99999999999999999999\r\n\r\nhello", GZ_RESPONSE_BROKEN, 200, ""},
    {HEAD "\r\nhello", GZ_RESPONSE_WHOLE, 200, "hello"}, /* up to the end of the connection */
    {"HTTP/1.0 404 Not Found\r\n\r\nno", GZ_RESPONSE_WHOLE, 404, "no"},
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\n" HEAD
     "Content-Length: 1\r\n\r\nx",
     GZ_RESPONSE_WHOLE, 200, "x"},
    {"HTTP/1.1 204 No Content\r\n\r\n", GZ_RESPONSE_WHOLE, 204, ""},
    {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", GZ_RESPONSE_WHOLE, 304, ""},
    {"HTTP/1.1 101 Switching Protocols\r\n\r\n", GZ_RESPONSE_WHOLE, 101, ""},
    {CHUNKED "5\r\nhello\r\n0\r\n\r\n", GZ_RESPONSE_WHOLE, 200, "hello"},
    {CHUNKED "2;a=\"b\"\r\nhe\r\n03 \r\nllo\r\n0\r\nTrailer: x\r\nB: y\r\n\r\n", GZ_RESPONSE_WHOLE,
     200, "hello"},
    {CHUNKED "A\r\n0123456789\r\n000\r\n\r\n", GZ_RESPONSE_WHOLE, 200, "0123456789"},
    {CHUNKED "5\r\nhello", GZ_RESPONSE_CHUNK_END, 200, "hello"},
    {CHUNKED "5\r\nhello\r\n0\r\n", GZ_RESPONSE_TRAILER, 200, "hello"},
    {CHUNKED "5\r\nhellox0\r\n\r\n", GZ_RESPONSE_BROKEN, 200, "hello"},
    {CHUNKED "\r\nhello", GZ_RESPONSE_BROKEN, 200, ""},
    {CHUNKED "-5\r\nhello", GZ_RESPONSE_BROKEN, 200, ""},
    {CHUNKED "g\r\nhello", GZ_RESPONSE_BROKEN, 200, ""},
    {CHUNKED "ffffffffffffffff\r\nhello", GZ_RESPONSE_BROKEN, 200, ""},
    {HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", GZ_RESPONSE_BROKEN, 200, ""},
    {"SSH-2.0-OpenSSH_9.2\r\n\r\n", GZ_RESPONSE_BROKEN, 0, ""},
    {"HTTP/2 200 OK\r\n\r\n", GZ_RESPONSE_BROKEN, 0, ""},
    {"HTTP/1.1 20x\r\n\r\n", GZ_RESPONSE_BROKEN, 20, ""},
    {"HTTP/1.1 200 OK\r\nA: b", GZ_RESPONSE_HEAD, 0, ""},
    {"", GZ_RESPONSE_HEAD, 0, ""},
};

/* Feeds the answer in pieces of so many bytes. */
static void check(const struct sample *sample, size_t step)
{
    struct gz_response response;
    char body[BODY_BYTES_MAX + 1] = "";
    size_t size = strlen(sample->answer);
    gz_response_init(&response);
    for (size_t at = 0, there = 0, taken = 1; at < size && taken > 0; at += taken) {
        const uint8_t *piece;
        size_t piece_size;
        if (at == there) there = size - at > step ? at + step : size;
        taken = gz_response_take(&response, (const uint8_t *)sample->answer + at, there - at,
                                 &piece, &piece_size);
        assert_true(taken <= there - at && piece_size <= taken);
        assert_true(strlen(body) + piece_size <= BODY_BYTES_MAX);
        strncat(body, (const char *)piece, piece_size);
    }
    gz_response_end(&response);
    if (response.part != sample->part || response.status != sample->status ||
        strcmp(body, sample->body) != 0)
        fail_msg("%s, by %zu: part %d, status %u, body %s", sample->answer, step,
                 (int)response.part, response.status, body);
    gz_response_finish(&response);
}

TEST(test_an_answer_is_read_the_same_however_it_is_cut)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        for (size_t step = 1; step <= strlen(samples[i].answer) + 1; step++)
            check(&samples[i], step);
}

TEST(test_a_header_is_found_by_its_whole_name_alone)
{
    static const char answer[] = HEAD "X-Gizmod: a\r\nGizmod: b \r\nGizmod-Dropped:\tc d\r\n\r\n";
    struct gz_response response;
    const uint8_t *piece;
    size_t size;
    char value[4];
    gz_response_init(&response);
    assert_false(gz_response_header(&response, "Gizmod", value, sizeof value));
    (void)gz_response_take(&response, (const uint8_t *)answer, strlen(answer), &piece, &size);
    assert_true(gz_response_header(&response, "gizmod", value, sizeof value));
    assert_string_equal(value, "b");
    assert_true(gz_response_header(&response, "Gizmod-Dropped", value, sizeof value));
    assert_string_equal(value, "c d");
    assert_true(gz_response_header(&response, "X-Gizmod", value, 1)); /* cut to fit */
    assert_string_equal(value, "");
    assert_false(gz_response_header(&response, "Dropped", value, sizeof value));
    gz_response_finish(&response);
}

TEST(test_a_head_without_end_is_no_answer)
{
    struct gz_response response;
    const uint8_t *piece;
    size_t size;
    uint8_t *endless = malloc(2 * GZ_RESPONSE_HEAD_BYTES_MAX);
    assert_non_null(endless);
    memset(endless, 'a', 2 * GZ_RESPONSE_HEAD_BYTES_MAX);
    gz_response_init(&response);
    (void)gz_response_take(&response, endless, 2 * GZ_RESPONSE_HEAD_BYTES_MAX, &piece, &size);
    assert_int_equal(response.part, GZ_RESPONSE_BROKEN);
    gz_response_finish(&response);
    free(endless);
}
