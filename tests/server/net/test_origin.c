/* The rules about web pages, without a network. */
#include <string.h>

#include "net/origin.h"
#include "net/text.h"
#include "support/cmocka.h"

static const char *const allowed[] = {"https://editor.example", "http://dev.example:5173"};
static const struct gz_origin_rules loopback = {allowed, 2, true};
static const struct gz_origin_rules open_to_all = {allowed, 2, false};

TEST(test_origin_table)
{
    static const struct {
        const char *origin, *host;
        bool allowed;
    } rows[] = {
        {NULL, "127.0.0.1:7432", true},
        {NULL, NULL, true},
        {"http://127.0.0.1:7432", "127.0.0.1:7432", true},
        {"HTTP://LocalHost:7432", "localhost:7432", true},
        {"http://[::1]:7432", "[::1]:7432", true},
        {"https://gizmo.example", "gizmo.example", true},
        {"https://gizmo.example:443", "gizmo.example", true},
        {"http://gizmo.example", "gizmo.example:80", true},
        {"https://editor.example", "127.0.0.1:7432", true},
        {"https://EDITOR.example:443", "127.0.0.1:7432", true},
        {"http://dev.example:5173", "127.0.0.1:7432", true},
        {"http://editor.example", "127.0.0.1:7432", false},
        {"https://editor.example:8443", "127.0.0.1:7432", false},
        {"https://editor.example.evil.example", "127.0.0.1:7432", false},
        {"https://evil-editor.example", "127.0.0.1:7432", false},
        {"http://dev.example", "127.0.0.1:7432", false},
        {"http://127.0.0.1", "127.0.0.1:7432", false},
        {"http://127.0.0.1:7433", "127.0.0.1:7432", false},
        {"https://gizmo.example", "gizmo.example:80", false},
        {"http://127.0.0.1:7432", NULL, false},
        {"", "127.0.0.1:7432", false},
        {"null", "127.0.0.1:7432", false},
        {"null", "null", false},
        {"http://", "127.0.0.1:7432", false},
        {"http://127.0.0.1:7432/", "127.0.0.1:7432", false},
        {"http://127.0.0.1:7432/x", "127.0.0.1:7432", false},
        {"http://user@127.0.0.1:7432", "127.0.0.1:7432", false},
        {"http://127.0.0.1:7432@evil.example", "127.0.0.1:7432", false},
        {"http://127.0.0.1:07432x", "127.0.0.1:7432", false},
        {"http://127.0.0.1:70000", "127.0.0.1:70000", false},
        {"ws://127.0.0.1:7432", "127.0.0.1:7432", false},
        {"file://", "127.0.0.1:7432", false},
        {"http:\\\\127.0.0.1:7432", "127.0.0.1:7432", false},
        {"http://127.0.0.1:7432 http://evil.example", "127.0.0.1:7432", false},
        {"http://evil.example, http://127.0.0.1:7432", "127.0.0.1:7432", false},
        {"http://127.0.0.1:7432\thttp://x", "127.0.0.1:7432", false},
        {" http://127.0.0.1:7432", "127.0.0.1:7432", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (gz_origin_allowed(&loopback, rows[i].origin, rows[i].host) != rows[i].allowed) {
            fail_msg("row %zu: Origin %s, Host %s", i, rows[i].origin, rows[i].host);
        }
    }
}

/* A page of evil.example, which has let its name point to 127.0.0.1, is the same host to its
 * browser. */
TEST(test_host_table)
{
    static const struct {
        const char *host;
        bool allowed;
    } rows[] = {
        {NULL, true},
        {"127.0.0.1:7432", true},
        {"127.1.2.3", true},
        {"localhost:7432", true},
        {"[::1]:7432", true},
        {"editor.example", true},
        {"dev.example:7432", true},
        {"evil.example:7432", false},
        {"localhost.evil.example", false},
        {"127.0.0.1.evil.example", false},
        {"128.0.0.1", false},
        {"[::2]:7432", false},
        {"", false},
        {"localhost:7432:7432", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (gz_host_allowed(&loopback, rows[i].host) != rows[i].allowed)
            fail_msg("row %zu: Host %s", i, rows[i].host);
        assert_true(gz_host_allowed(&open_to_all, rows[i].host));
    }
}

TEST(test_json_text_is_escaped)
{
    struct gz_buffer buffer;
    static const char wanted[] = "\"a\\\"b\\\\c\\nd\\te\\u0001\\u007fü\"";
    gz_buffer_init(&buffer, 256, 0);
    assert_true(gz_text_json(&buffer, "a\"b\\c\nd\te\x01\x7fü"));
    assert_int_equal(buffer.size, sizeof wanted - 1);
    assert_memory_equal(buffer.data, wanted, buffer.size);
    gz_buffer_finish(&buffer);
}

TEST(test_json_text_without_room_says_so)
{
    struct gz_buffer buffer;
    gz_buffer_init(&buffer, 4, 0);
    assert_false(gz_text_json(&buffer, "abcdef"));
    gz_buffer_finish(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_origin_table),
        cmocka_unit_test(test_host_table),
        cmocka_unit_test(test_json_text_is_escaped),
        cmocka_unit_test(test_json_text_without_room_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
