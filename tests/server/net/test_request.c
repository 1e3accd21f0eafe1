/* The reader of a request's head by itself: what it finds, and what it makes of lists and
 * queries. What it refuses is tried over sockets (test_requests.c), and by a second reader
 * (fuzz/fuzz_request.c). */
#include "support/cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "front/request.h"

static enum gz_status read(struct gz_request *request, char *head, int *code)
{
    struct gz_error error;
    return gz_request_read(request, head, strlen(head), code, &error);
}

TEST(test_request_says_what_is_in_it)
{
    struct gz_request request;
    int code;
    char head[] = "PUT /scenes/a%20b%2Fc?replace&user=%C3%BC HTTP/1.0\r\n"
                  "HOST: \t example.org:1 \r\nX-List: a\r\nx-list:b, c\r\nX-Empty:\r\n"
                  "Content-Length: 012\r\n\r\n";
    assert_int_equal(read(&request, head, &code), GZ_OK);
    assert_string_equal(request.method, "PUT");
    assert_string_equal(request.path, "/scenes/a b%2Fc");
    assert_string_equal(request.query, "replace&user=%C3%BC");
    assert_true(request.is_1_0 && request.has_length);
    assert_int_equal(request.length, 12);
    assert_string_equal(gz_request_value(&request, "host", 0), "example.org:1");
    assert_string_equal(gz_request_value(&request, "x-list", 1), "b, c");
    assert_string_equal(gz_request_value(&request, "x-empty", 0), "");
    assert_null(gz_request_value(&request, "x-list", 2));
    assert_null(gz_request_value(&request, "x-lis", 0));
}

/* Where a proxy and the daemon could see different ends of a body. */
TEST(test_request_length_is_a_number_and_nothing_else)
{
    static const struct {
        const char *lines;
        bool is_good;
        uint64_t length;
    } rows[] = {
        {"Content-Length: 0\r\n", true, 0},
        {"Content-Length: \t 00040 \r\n", true, 40},
        {"Content-Length: 999999999999999999\r\n", true, 999999999999999999},
        {"Content-Length: 1000000000000000000\r\n", false, 0},
        {"Content-Length: 18446744073709551657\r\n", false, 0},
        {"Content-Length:\r\n", false, 0},
        {"Content-Length: +5\r\n", false, 0},
        {"Content-Length: -0\r\n", false, 0},
        {"Content-Length: 0x5\r\n", false, 0},
        {"Content-Length: 5.\r\n", false, 0},
        {"Content-Length: 1e2\r\n", false, 0},
        {"Content-Length: 5, 5\r\n", false, 0},
        {"Content-Length: 5,\r\n", false, 0},
        {"Content-Length: 4 0\r\n", false, 0},
        {"Content-Length: \"5\"\r\n", false, 0},
        {"Content-Length: \xb5\r\n", false, 0},
        {"Content-Length: 5\r\nContent-Length: 5\r\n", false, 0},
        {"content-length: 5\r\nCONTENT-LENGTH: 6\r\n", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gz_request request;
        char head[256] = "PUT / HTTP/1.1\r\nHost: a\r\n";
        int code;
        strcat(strcat(head, rows[i].lines), "\r\n");
        const enum gz_status status = read(&request, head, &code);
        if ((status == GZ_OK) != rows[i].is_good || (status != GZ_OK && code != 400) ||
            (status == GZ_OK && request.length != rows[i].length))
            fail_msg("%s", rows[i].lines);
    }
}

TEST(test_request_lists_are_joined)
{
    struct gz_request request;
    int code;
    bool present;
    char text[12], small[7];
    char head[] = "GET / HTTP/1.1\r\nA: one\r\nB: x\r\nA: two,Three\r\n\r\n";
    assert_int_equal(read(&request, head, &code), GZ_OK);
    assert_false(gz_request_list(&request, "a", text, sizeof text, &present));
    assert_true(present);
    assert_true(gz_request_list(&request, "c", text, sizeof text, &present));
    assert_false(present);
    assert_string_equal(text, "");
    assert_true(gz_request_list(&request, "b", small, sizeof small, &present));
    assert_string_equal(small, "x");
    static const struct {
        const char *word;
        bool is_there;
    } rows[] = {{"one", true}, {"two", true},   {"three", true}, {"thre", false},
                {"x", false},  {"two,", false}, {"", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(gz_request_lists(&request, "a", rows[i].word), rows[i].is_there);
}

TEST(test_request_parts_of_a_query_are_decoded)
{
    static const struct {
        const char *part, *text; /* NULL: it is refused */
    } rows[] = {
        {"a+b%20c", "a b c"}, {"%C3%BC", "\xc3\xbc"}, {"", ""},        {"1234567", "1234567"},
        {"12345678", NULL},   {"%ff", NULL},          {"a%00b", NULL}, {"%4", "%4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[8];
        bool is = gz_request_decode(rows[i].part, strlen(rows[i].part), text, sizeof text);
        if (is != (rows[i].text != NULL) || (is && strcmp(text, rows[i].text) != 0))
            fail_msg("%s", rows[i].part);
    }
}

/* The end of the head is found wherever a piece ends, and nowhere else. */
TEST(test_request_end_is_found_in_pieces)
{
    static const struct {
        const char *bytes;
        size_t size;
    } rows[] = {
        {"GET / HTTP/1.1\r\nA: b\r\n\r\nrest", 24},
        {"GET / HTTP/1.1\n\nrest", 16},
        {"GET / HTTP/1.1\r\n\nrest", 17},
        {"\r\nGET / HTTP/1.1\r\n\r\n", 20},
        {"GET / HTTP/1.1\r\nA: b\r\n\r", 0},
        {"GET / HTTP/1.1\r\nA: \x01...", 20},
        {"\x16\x03\x01", 1},
        {"", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t size = strlen(rows[i].bytes);
        for (size_t piece = 1; piece <= size + 1; piece++) {
            size_t found = 0;
            for (size_t known = 0; known < size && found == 0; known += piece)
                found = gz_request_head_size(rows[i].bytes,
                                             known + piece < size ? known + piece : size, known);
            if (found != rows[i].size) fail_msg("row %zu by %zu: %zu", i, piece, found);
        }
    }
}

int main(void)
{
    return test_run(NULL, NULL);
}
