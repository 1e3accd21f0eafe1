/* The rules about web pages, without a network. */
#include <string.h>

#include "front/address.h"
#include "front/header.h"
#include "support/cmocka.h"

static const char *const allowed[] = {"https://editor.example", "http://dev.example:5173"};
static const struct gz_origin_rules loopback = {allowed, 2, "127.0.0.1"};
static const struct gz_origin_rules beyond = {allowed, 2, "0.0.0.0"};
static const struct gz_origin_rules named = {allowed, 2, "box.example"};

#define OURS "127.0.0.1:7432"

TEST(test_origin_table)
{
    static const struct {
        const char *origin, *host;
        bool is_secure, allowed;
    } rows[] = {
        {"http://127.0.0.1:7432", OURS, false, true},
        {"HTTP://LocalHost:7432", "localhost:7432", false, true},
        {"http://[::1]:7432", "[::1]:7432", false, true},
        {"http://gizmo.example", "gizmo.example:80", false, true},
        {"http://gizmo.example:80", "gizmo.example", false, true},
        {"https://gizmo.example", "gizmo.example", true, true},
        {"https://gizmo.example:443", "gizmo.example", true, true},
        {"https://gizmo.example:7432", "gizmo.example:7432", true, true},
        {"https://editor.example", OURS, false, true},
        {"https://editor.example", OURS, true, true},
        {"https://EDITOR.example:443", OURS, false, true},
        {"http://dev.example:5173", OURS, true, true},
        {"https://editor.example", NULL, false, true},
        /* the same place by another scheme */
        {"https://gizmo.example", "gizmo.example", false, false},
        {"http://gizmo.example", "gizmo.example", true, false},
        {"https://127.0.0.1:7432", OURS, false, false},
        {"http://127.0.0.1:7432", OURS, true, false},
        {"https://gizmo.example", "gizmo.example:80", true, false},
        {"http://editor.example", OURS, false, false},
        {"https://dev.example:5173", OURS, false, false},
        /* another port */
        {"http://127.0.0.1", OURS, false, false},
        {"http://127.0.0.1:7433", OURS, false, false},
        {"http://127.0.0.1:0", "127.0.0.1", false, false},
        {"http://127.0.0.1:65536", "127.0.0.1:65536", false, false},
        {"http://127.0.0.1:72968", OURS, false, false}, /* 7432 in 16 bits */
        {"http://127.0.0.1:", "127.0.0.1", false, false},
        {"http://127.0.0.1:+7432", OURS, false, false},
        {"https://editor.example:8443", OURS, false, false},
        {"http://dev.example", OURS, false, false},
        /* names around an allowed one */
        {"https://editor.example.evil.example", OURS, false, false},
        {"https://evil-editor.example", OURS, false, false},
        {"https://evileditor.example", OURS, false, false},
        {"https://sub.editor.example", OURS, false, false},
        {"https://editor.exampl", OURS, false, false},
        {"https://editor.example.", OURS, false, false},
        {"https://editor.ex\xc3\xa4mple", OURS, false, false},
        {"https://xn--editor-example", OURS, false, false},
        {"https://\xd0\xb5"
         "ditor.example",
         OURS, false, false}, /* a Cyrillic letter */
        /* what a sloppy parser reads as an allowed one */
        {"https://editor.example@evil.example", OURS, false, false},
        {"https://evil.example@editor.example", OURS, false, false},
        {"https://user:word@editor.example", OURS, false, false},
        {"https://evil.example\\editor.example", OURS, false, false},
        {"https:\\\\editor.example", OURS, false, false},
        {"https:editor.example", OURS, false, false},
        {"https:///editor.example", OURS, false, false},
        {"https://evil.example#editor.example", OURS, false, false},
        {"https://evil.example?https://editor.example", OURS, false, false},
        {"https://editor.example/", OURS, false, false},
        {"https://editor.example%2eevil.example", OURS, false, false},
        {"https://editor.example https://evil.example", OURS, false, false},
        {"https://editor.example, https://evil.example", OURS, false, false},
        {"https://editor.example,https://editor.example", OURS, false, false},
        {" https://editor.example", OURS, false, false},
        {"https://editor.example ", OURS, false, false},
        {"https://editor.example\thttp://x", OURS, false, false},
        {"*", OURS, false, false},
        /* no web page of a host */
        {"", OURS, false, false},
        {"null", OURS, false, false},
        {"null", "null", false, false},
        {"http://", OURS, false, false},
        {"ws://127.0.0.1:7432", OURS, false, false},
        {"wss://editor.example", OURS, false, false},
        {"ftp://editor.example", OURS, false, false},
        {"file://", OURS, false, false},
        {"blob:https://editor.example/1", OURS, false, false},
        {"chrome-extension://editor.example", OURS, false, false},
        {"editor.example", OURS, false, false},
        /* other ways to write loopback are other origins */
        {"http://[::ffff:127.0.0.1]:7432", OURS, false, false},
        {"http://127.1:7432", OURS, false, false},
        {"http://2130706433:7432", OURS, false, false},
        {"http://0x7f.0.0.1:7432", OURS, false, false},
        {"http://localhost:7432", OURS, false, false},
        {"http://127.0.0.1:7432@evil.example", OURS, false, false},
        {"http://127.0.0.1:7432", NULL, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (gz_origin_allowed(&loopback, rows[i].origin, rows[i].host, rows[i].is_secure) !=
            rows[i].allowed) {
            fail_msg("row %zu: Origin %s, Host %s", i, rows[i].origin, rows[i].host);
        }
    }
}

/* A page of evil.example, which has let its name point to us, is the same host to its browser. */
TEST(test_host_table)
{
    static const struct {
        const char *host;
        bool on_loopback, beyond; /* allowed there */
    } rows[] = {
        {"127.0.0.1:7432", true, true},
        {"127.1.2.3", true, true},
        {"localhost:7432", true, true},
        {"LOCALHOST", true, true},
        {"[::1]:7432", true, true},
        {"[::ffff:127.0.0.1]:7432", true, true},
        {"editor.example", true, true},
        {"EDITOR.Example:1", true, true},
        {"dev.example:7432", true, true},
        {"192.0.2.1:7432", false, true},
        {"128.0.0.1", false, true},
        {"[2001:db8::1]:7432", false, true},
        {"[::2]:7432", false, true},
        {"0.0.0.0:7432", false, true},
        {"evil.example:7432", false, false},
        {"box", false, false},
        {"localhost.", false, false},
        {"editor.example.", false, false},
        {"localhost.evil.example", false, false},
        {"evil.localhost", false, false},
        {"127.0.0.1.evil.example", false, false},
        {"127.0.0.1.", false, false},
        {"127.1", false, false},
        {"2130706433", false, false},
        {"192.0.2.256", false, false},
        {"192.000.002.001", false, false},
        {"0xc0.0.2.1", false, false},
        {"xn--editor-example", false, false},
        {"[fe80::1%25eth0]", false, false},
        {"[fe80::1%eth0]", false, false},
        {"[::1", false, false},
        {"::1", false, false},
        {"[]", false, false},
        {"[editor.example]", false, false},
        {"editor.example@evil.example", false, false},
        {"user@127.0.0.1", false, false},
        {"127.0.0.1/", false, false},
        {"127.0.0.1,127.0.0.1", false, false},
        {"", false, false},
        {" 127.0.0.1", false, false},
        {"127.0.0.1 ", false, false},
        {"127.0.0.1:", false, false},
        {"127.0.0.1:0", false, false},
        {"127.0.0.1:65536", false, false},
        {"127.0.0.1:80x", false, false},
        {"localhost:7432:7432", false, false},
        {":7432", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (gz_host_allowed(&loopback, rows[i].host) != rows[i].on_loopback ||
            gz_host_allowed(&beyond, rows[i].host) != rows[i].beyond)
            fail_msg("row %zu: Host %s", i, rows[i].host);
    }
    assert_true(gz_host_allowed(&named, "Box.example:7432"));
    assert_false(gz_host_allowed(&named, "box.example.evil.example"));
    assert_false(gz_host_allowed(&named, "other.example"));
}

TEST(test_site_table)
{
    assert_false(gz_site_is_foreign(NULL));
    assert_false(gz_site_is_foreign("same-origin"));
    assert_false(gz_site_is_foreign("none"));
    assert_true(gz_site_is_foreign("same-site"));
    assert_true(gz_site_is_foreign("cross-site"));
    assert_true(gz_site_is_foreign(""));
    assert_true(gz_site_is_foreign("None"));
    assert_true(gz_site_is_foreign("same-origin, none"));
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
