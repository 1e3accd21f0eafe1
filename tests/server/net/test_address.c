/* The rules about addresses, without a network: ranges, and the client behind proxies. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "front/address.h"
#include "support/cmocka.h"

TEST(test_range_table)
{
    static const struct {
        const char *range, *address;
        bool is_in;
    } rows[] = {
        {"192.0.2.0/24", "192.0.2.0", true},
        {"192.0.2.0/24", "192.0.2.255", true},
        {"192.0.2.0/24", "192.0.3.0", false},
        {"192.0.2.0/24", "192.0.1.255", false},
        {"192.0.2.0/24", "::ffff:192.0.2.7", true},
        {"192.0.2.0/24", "2001:db8::1", false},
        {"192.0.2.128/25", "192.0.2.127", false},
        {"192.0.2.128/25", "192.0.2.128", true},
        {"10.0.0.0/7", "11.255.255.255", true},
        {"10.0.0.0/7", "12.0.0.0", false},
        {"192.0.2.7/32", "192.0.2.7", true},
        {"192.0.2.7/32", "192.0.2.6", false},
        {"192.0.2.7", "192.0.2.7", true},
        {"192.0.2.7", "192.0.2.8", false},
        {"192.0.2.6/31", "192.0.2.7", true},
        {"192.0.2.6/31", "192.0.2.8", false},
        {"0.0.0.0/0", "255.255.255.255", true},
        {"0.0.0.0/0", "::ffff:1.2.3.4", true},
        {"0.0.0.0/0", "::1", false},
        {"::/0", "2001:db8::1", true},
        {"::/0", "192.0.2.1", false},
        {"::/0", "::ffff:192.0.2.1", false},
        {"2001:db8::/32", "2001:db8:ffff::1", true},
        {"2001:db8::/32", "2001:db9::", false},
        {"2001:db8::/33", "2001:db8:8000::", false},
        {"2001:db8::7/128", "2001:db8::7", true},
        {"2001:db8::7/128", "2001:db8::6", false},
        {"2001:db8::6/127", "2001:db8::7", true},
        {"2001:DB8::7", "2001:0db8:0:0:0:0:0:7", true},
        {"::ffff:10.0.0.0/104", "10.255.0.1", true},
        {"::ffff:10.0.0.0/104", "11.0.0.1", false},
        {"::ffff:10.0.0.1/128", "10.0.0.1", true},
        {"::ffff:0:0/96", "203.0.113.9", true},
        {"::ffff:0:0/96", "::1", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gz_address_range range;
        struct gz_address address;
        if (!gz_address_range_parse(rows[i].range, &range) ||
            !gz_address_parse(rows[i].address, &address) ||
            gz_address_is_in(&(struct gz_address_ranges){&range, 1}, &address) != rows[i].is_in)
            fail_msg("row %zu: %s in %s", i, rows[i].address, rows[i].range);
    }
}

TEST(test_range_of_nonsense_is_refused)
{
    static const char *const rows[] = {
        "",
        "/",
        "/8",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/+8",
        "10.0.0.0/ 8",
        "10.0.0.0/8 ",
        "10.0.0.0/8/8",
        "10.0.0.0/0008",
        "10.0.0.0/x",
        "10.0.0.0/4294967304",
        "10.0.0.0/255.0.0.0",
        "10.0.0/8",
        "10/8",
        "10.0.0.256/32",
        "010.0.0.0/8",
        "10.0.0.1/8", /* more likely a mistake than 10.0.0.0/8 */
        "192.0.2.7/31",
        "10.0.0.0/0",
        "2001:db8::1/64",
        "2001:db8::/129",
        "::ffff:0:0/80", /* neither IPv4 nor IPv6 */
        "::ffff:10.0.0.0/8",
        "::ffff:10.0.0.1/104",
        "[::1]/128",
        "[::1]",
        "fe80::1%eth0/128",
        "fe80::1%1",
        "localhost",
        "localhost/32",
        "127.0.0.1:80",
        "*",
        "all",
        "2001:db8:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000/32",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gz_address_range range;
        if (gz_address_range_parse(rows[i], &range)) fail_msg("row %zu: %s", i, rows[i]);
    }
}

/* 192.0.2.0/24 and 2001:db8::/32 are proxies. */
TEST(test_forwarded_table)
{
    static const struct {
        const char *list, *client; /* NULL: the list says nothing */
    } rows[] = {
        {"203.0.113.9", "203.0.113.9"},
        {"  203.0.113.9\t", "203.0.113.9"},
        {"2001:4860::8", "2001:4860::8"},
        {"::ffff:203.0.113.9", "203.0.113.9"},
        {"198.51.100.1, 203.0.113.9", "203.0.113.9"}, /* what a client says itself comes first */
        {"203.0.113.9, 192.0.2.7", "203.0.113.9"},
        {"198.51.100.1,203.0.113.9,192.0.2.7, 2001:db8::1", "203.0.113.9"},
        {"203.0.113.9, ::ffff:192.0.2.7", "203.0.113.9"},
        {"192.0.2.8, 192.0.2.7", "192.0.2.8"},
        {"192.0.2.8", "192.0.2.8"},
        {"nonsense, 203.0.113.9", "203.0.113.9"}, /* what was not read does not matter */
        {", 203.0.113.9", "203.0.113.9"},
        {"unknown, 203.0.113.9, 192.0.2.7", "203.0.113.9"},
        {"203.0.113.9:4711", "203.0.113.9"},
        {"203.0.113.9:_hidden", "203.0.113.9"},
        {"198.51.100.1:1, 203.0.113.9:4711, 192.0.2.7:80", "203.0.113.9"},
        {"[2001:4860::8]", "2001:4860::8"},
        {"[2001:4860::8]:4711", "2001:4860::8"},
        {"[::ffff:203.0.113.9]:4711", "203.0.113.9"},
        {"203.0.113.9, [2001:db8::1]:443", "203.0.113.9"},
        {"203.0.113.9,", "203.0.113.9"}, /* empty items do not count */
        {"203.0.113.9, , 192.0.2.7, ,", "203.0.113.9"},
        {"", NULL},
        {" ", NULL},
        {",", NULL},
        {"unknown", NULL},
        {"unknown, 192.0.2.7", NULL},
        {"_hidden", NULL},
        {"203.0.113.9, unknown", NULL},
        {"203.0.113.9, _hidden:_port", NULL},
        {"203.0.113.9:", NULL},
        {"203.0.113.9:x", NULL},
        {"203.0.113.9:123456", NULL},
        {"203.0.113.9:4711:1", NULL},
        {"[203.0.113.9]", NULL},
        {"[2001:4860::8", NULL},
        {"[2001:4860::8]:", NULL},
        {"[2001:4860::8]4711", NULL},
        {"[2001:4860::8]:x", NULL},
        {"2001:4860::8]:1", NULL},
        {"[]", NULL},
        {"[fe80::1%eth0]", NULL},
        {"fe80::1%eth0", NULL},
        {"\"203.0.113.9\"", NULL},
        {"203.0.113.9 192.0.2.7", NULL},
        {"203.0.113.9;192.0.2.7", NULL},
        {"203.0.113.9\n", NULL},
        {"203.0.113.256", NULL},
        {"example.org", NULL},
        {"00000000000000000000000000000000000000000000000000000000000001.2.3.4", NULL},
    };
    struct gz_address_range proxies[2];
    assert_true(gz_address_range_parse("192.0.2.0/24", &proxies[0]));
    assert_true(gz_address_range_parse("2001:db8::/32", &proxies[1]));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gz_address client;
        char text[GZ_ADDRESS_TEXT_BYTES] = "nothing";
        if (gz_forwarded_client(&(struct gz_address_ranges){proxies, 2}, rows[i].list, &client))
            gz_address_print(&client, text);
        if (strcmp(text, rows[i].client != NULL ? rows[i].client : "nothing") != 0)
            fail_msg("row %zu: %s is %s", i, rows[i].list, text);
    }
}

/* RFC 7239. */
TEST(test_forwarded_by_the_standard_table)
{
    static const struct {
        const char *forwarded, *parameter, *list; /* NULL: it is no such header */
    } rows[] = {
        {"for=203.0.113.9", "for", "203.0.113.9"},
        {"For=203.0.113.9;proto=https;by=192.0.2.7", "for", "203.0.113.9"},
        {"proto=https;FOR=203.0.113.9", "proto", "https"},
        {"for=\"[2001:4860::8]:4711\"", "for", "[2001:4860::8]:4711"},
        {"for=\"203.0.113.9:4711\"", "for", "203.0.113.9:4711"},
        {"for=198.51.100.1, for=203.0.113.9 , for=unknown", "for",
         "198.51.100.1, 203.0.113.9, unknown"},
        {"for=198.51.100.1,, ,for=_a", "for", "198.51.100.1, _a"},
        {"by=192.0.2.7, for=203.0.113.9", "for", "unknown, 203.0.113.9"},
        {"for=\"a\\\"b\"", "for", "a\"b"},
        {"for=\"a;b=c\";proto=http", "proto", "http"},
        {"for=\"1.2.3.4, 5.6.7.8\"", "for", NULL},
        {"for=\"203.0.113.9", "for", NULL},
        {"for=", "for", NULL},
        {"for", "for", NULL},
        {"for = 203.0.113.9", "for", NULL},
        {"for=[2001:4860::8]", "for", NULL}, /* has to be quoted */
        {"for=203.0.113.9:4711", "for", NULL},
        {"for=203.0.113.9;", "for", NULL},
        {"for=203.0.113.9;for=198.51.100.1", "for", NULL},
        {"203.0.113.9", "for", NULL},
        {"", "for", NULL},
        {", ,", "for", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char list[64];
        bool is = gz_forwarded_values(rows[i].forwarded, rows[i].parameter, list, sizeof list);
        if (is != (rows[i].list != NULL) || (is && strcmp(list, rows[i].list) != 0))
            fail_msg("row %zu: %s is %s", i, rows[i].forwarded, is ? list : "nothing");
    }
    char small[8];
    assert_false(gz_forwarded_values("for=203.0.113.9", "for", small, sizeof small));
    assert_false(gz_forwarded_values("for=a, for=b, for=cd", "for", small, sizeof small));
    assert_true(gz_forwarded_values("for=a, for=b", "for", small, sizeof small));
}

TEST(test_address_of_a_socket)
{
    struct sockaddr_storage end = {.ss_family = AF_INET};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&end;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&end;
    char text[GZ_ADDRESS_TEXT_BYTES];
    v4->sin_addr.s_addr = htonl(0xcb007109);
    struct gz_address address = gz_address_of(&end);
    gz_address_print(&address, text);
    assert_string_equal(text, "203.0.113.9");
    assert_false(gz_address_is_loopback(&address));
    memset(&end, 0, sizeof end);
    end.ss_family = AF_INET6;
    v6->sin6_addr = in6addr_loopback;
    address = gz_address_of(&end);
    gz_address_print(&address, text);
    assert_string_equal(text, "::1");
    assert_true(gz_address_is_loopback(&address));
    end.ss_family = AF_UNIX;
    address = gz_address_of(&end);
    gz_address_print(&address, text);
    assert_string_equal(text, "?");
    assert_false(gz_address_is_loopback(&address));
}

/* A network of IPv6 is one customer; loopback's is no other's. */
TEST(test_network_of_an_address)
{
    static const char *const rows[][2] = {{"2001:db8:0:1:2:3:4:5", "2001:db8:0:1::"},
                                          {"203.0.113.9", "203.0.113.9"},
                                          {"::1", "::1"},
                                          {"127.0.0.2", "127.0.0.2"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gz_address address;
        char text[GZ_ADDRESS_TEXT_BYTES];
        assert_true(
            gz_forwarded_client(&(struct gz_address_ranges){NULL, 0}, rows[i][0], &address));
        const struct gz_address network = gz_address_network(&address);
        gz_address_print(&network, text);
        assert_string_equal(text, rows[i][1]);
    }
}
