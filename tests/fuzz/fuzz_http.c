/* fuzz_http.c - any text as what a request says, as far as this server reads it itself: Host and
 * Origin, addresses and proxies, entity tags, encodings, names in answers. The first byte says
 * which. What one function takes, another one does not refuse. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "front/address.h"
#include "front/header.h"

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const allowed[] = {"https://editor.example", "http://other.example:8080"};

static void ask_host(const char *text)
{
    static const char *const addresses[] = {"127.0.0.1", "0.0.0.0", "::1", "arm.example"};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        struct gz_origin_rules rules = {allowed, 2, addresses[i]};
        if (gz_host_allowed(&rules, text)) require(gz_host_valid(text));
    }
    (void)gz_host_is_loopback(text);
    (void)gz_site_is_foreign(text);
}

/* The text up to the first blank is the Origin, what follows the Host. */
static void ask_origin(char *text)
{
    struct gz_origin_rules rules = {allowed, 2, "127.0.0.1"};
    char *host = strchr(text, ' ');
    if (host != NULL) *host++ = '\0';
    bool is_ours = gz_origin_allowed(&rules, text, host, false);
    bool is_ours_by_tls = gz_origin_allowed(&rules, text, host, true);
    if (!is_ours && !is_ours_by_tls) return;
    require(gz_origin_valid(text));
    require(strncasecmp(text, "http://", 7) == 0 || strncasecmp(text, "https://", 8) == 0);
}

static void read_address(const char *text)
{
    struct gz_address address, again;
    struct gz_address_range range;
    char printed[GZ_ADDRESS_TEXT_BYTES];
    if (gz_address_parse(text, &address)) {
        gz_address_print(&address, printed);
        require(gz_address_parse(printed, &again) && again.bits == address.bits);
        require(memcmp(again.bytes, address.bytes, (size_t)address.bits / 8) == 0);
    } else {
        require(address.bits == 0);
    }
    if (!gz_address_range_parse(text, &range)) return;
    struct gz_address_ranges ranges = {&range, 1};
    require(range.bits >= 0 && range.bits <= range.first.bits);
    require(gz_address_is_in(&ranges, &range.first));
}

static void find_client(const char *text)
{
    struct gz_address_range trusted[2];
    struct gz_address client;
    char printed[GZ_ADDRESS_TEXT_BYTES];
    require(gz_address_range_parse("10.0.0.0/8", &trusted[0]));
    require(gz_address_range_parse("fd00::/8", &trusted[1]));
    struct gz_address_ranges proxies = {trusted, 2};
    if (!gz_forwarded_client(&proxies, text, &client)) return;
    gz_address_print(&client, printed);
    require(strcmp(printed, "?") != 0);
}

static void negotiate(const char *text)
{
    if (gz_etag_is_listed(text, "\"a-1\"")) require(strpbrk(text, "*\"") != NULL);
    if (gz_gzip_is_accepted(text)) require(strpbrk(text, "*gG") != NULL);
}

/* Between its quotes there is neither a quote nor anything that ends a line. */
static void print_json(const char *text)
{
    struct gz_buffer out;
    gz_buffer_init(&out, 8 * 4096, 0);
    if (gz_text_json(&out, text)) {
        require(out.size >= 2 && out.data[0] == '"' && out.data[out.size - 1] == '"');
        for (size_t i = 1; i + 1 < out.size; i++) {
            require(out.data[i] >= 0x20);
            if (out.data[i] == '\\')
                i++;
            else
                require(out.data[i] != '"');
        }
    }
    gz_buffer_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[4096];
    if (size == 0 || size > sizeof text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    switch (data[0] % 6) {
    case 0: ask_host(text); break;
    case 1: ask_origin(text); break;
    case 2: read_address(text); break;
    case 3: find_client(text); break;
    case 4: negotiate(text); break;
    default: print_json(text);
    }
    return 0;
}
