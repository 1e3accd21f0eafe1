/* fuzz_request.c - any bytes as the head of a request, in pieces whose size the first byte says:
 * what the daemon's reader allows, and what it makes of it, against a second reader that goes by
 * the grammars of RFC 9112, 9110 and 3986, one rule after the other, and never writes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "front/request.h"

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- the second reader ---- */

struct span {
    const uint8_t *at;
    size_t size;
};

struct second {
    const uint8_t *at, *end;
    struct span method, authority, path, query, version;
    bool has_query;
    size_t count;
    struct span names[GZ_HTTP_LINES_MAX], values[GZ_HTTP_LINES_MAX];
};

static bool is_text(struct span span, const char *text)
{
    return span.size == strlen(text) && memcmp(span.at, text, span.size) == 0;
}

static bool is_name(struct span span, const char *text)
{
    return span.size == strlen(text) && strncasecmp((const char *)span.at, text, span.size) == 0;
}

static bool eat(struct second *reader, const char *text)
{
    const size_t size = strlen(text);
    if ((size_t)(reader->end - reader->at) < size || memcmp(reader->at, text, size) != 0)
        return false;
    reader->at += size;
    return true;
}

/* The longest row of bytes of a class. */
static struct span span_of(struct second *reader, bool (*belongs)(uint8_t byte))
{
    struct span span = {reader->at, 0};
    while (reader->at < reader->end && belongs(*reader->at)) reader->at++;
    span.size = (size_t)(reader->at - span.at);
    return span;
}

static bool is_tchar(uint8_t byte)
{
    return byte < 0x80 && byte > 0x20 && byte != 0x7f &&
           strchr("\"(),/:;<=>?@[\\]{}", byte) == NULL;
}

static bool is_visible(uint8_t byte)
{
    return byte > 0x20 && byte != 0x7f;
}

static bool is_of_value(uint8_t byte)
{
    return is_visible(byte) || byte == ' ' || byte == '\t';
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t';
}

static bool is_of_authority(uint8_t byte)
{
    return byte != '/' && byte != '?' && byte != ' ' && byte != '\r' && byte != '\n' && byte != 0;
}

/* pchar, "/", and in a query "?". */
static bool is_of_target(struct span span, bool is_query)
{
    for (size_t i = 0; i < span.size; i++) {
        const uint8_t byte = span.at[i];
        if (byte == '%') {
            if (span.size - i < 3 || !isxdigit(span.at[i + 1]) || !isxdigit(span.at[i + 2]))
                return false;
            /* an encoded control character: 00 to 1f, and 7f */
            if (span.at[i + 1] == '0' || span.at[i + 1] == '1') return false;
            if (span.at[i + 1] == '7' && tolower(span.at[i + 2]) == 'f') return false;
            i += 2;
        } else if (byte >= 0x80 || byte <= 0x20 || byte == 0x7f ||
                   strchr("\"#<>[\\]^`{|}", byte) != NULL || (byte == '?' && !is_query)) {
            return false;
        }
    }
    return true;
}

static bool split_target(struct second *reader, struct span target)
{
    const uint8_t *mark = memchr(target.at, '?', target.size);
    reader->has_query = mark != NULL;
    reader->path =
        (struct span){target.at, mark != NULL ? (size_t)(mark - target.at) : target.size};
    if (mark != NULL) reader->query = (struct span){mark + 1, target.size - reader->path.size - 1};
    return is_of_target(reader->path, false) && (mark == NULL || is_of_target(reader->query, true));
}

static bool read_target(struct second *reader, struct span target)
{
    struct second inner = {.at = target.at, .end = target.at + target.size};
    if (target.size > 0 && target.at[0] == '/') return split_target(reader, target);
    if (is_text(target, "*")) {
        reader->path = target;
        return is_text(reader->method, "OPTIONS");
    }
    const size_t scheme =
        target.size > 7 && strncasecmp((const char *)target.at, "http://", 7) == 0    ? 7
        : target.size > 8 && strncasecmp((const char *)target.at, "https://", 8) == 0 ? 8
                                                                                      : 0;
    inner.at += scheme;
    reader->authority = span_of(&inner, is_of_authority);
    return scheme > 0 && reader->authority.size > 0 &&
           split_target(reader, (struct span){inner.at, (size_t)(inner.end - inner.at)});
}

static bool is_of_words(uint8_t byte)
{
    return byte != ' ' && byte != '\r' && byte != '\n' && byte != 0;
}

static bool read_first(struct second *reader)
{
    (void)eat(reader, "\r\n");
    reader->method = span_of(reader, is_tchar);
    if (reader->method.size == 0 || !eat(reader, " ")) return false;
    const struct span target = span_of(reader, is_of_words);
    if (!eat(reader, " ")) return false;
    reader->version = span_of(reader, is_visible);
    return (is_text(reader->version, "HTTP/1.1") || is_text(reader->version, "HTTP/1.0")) &&
           read_target(reader, target) && eat(reader, "\r\n");
}

static bool read_field(struct second *reader)
{
    if (reader->count == GZ_HTTP_LINES_MAX) return false;
    struct span name = span_of(reader, is_tchar);
    if (name.size == 0 || !eat(reader, ":")) return false;
    (void)span_of(reader, is_blank);
    struct span value = span_of(reader, is_of_value);
    while (value.size > 0 && is_blank(value.at[value.size - 1])) value.size--;
    reader->names[reader->count] = name;
    reader->values[reader->count++] = value;
    return eat(reader, "\r\n");
}

static size_t count_of(const struct second *reader, const char *name, struct span *first)
{
    size_t count = 0;
    for (size_t i = reader->count; i-- > 0;) {
        if (!is_name(reader->names[i], name)) continue;
        *first = reader->values[i];
        count++;
    }
    return count;
}

static bool check_lines(const struct second *reader)
{
    static const char *const singles[] = {
        "Host",          "Content-Length",    "Transfer-Encoding",     "Authorization",
        "Gizmod-Member", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "X-Forwarded-Proto"};
    struct span value = {NULL, 0};
    for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++)
        if (count_of(reader, singles[i], &value) > 1) return false;
    if (count_of(reader, "Content-Length", &value) == 1) {
        if (value.size == 0 || value.size > 18) return false;
        for (size_t i = 0; i < value.size; i++)
            if (!isdigit(value.at[i])) return false;
    }
    if (reader->authority.size == 0) return true;
    return count_of(reader, "Host", &value) == 1 && value.size == reader->authority.size &&
           strncasecmp((const char *)value.at, (const char *)reader->authority.at, value.size) == 0;
}

static bool read_all(struct second *reader)
{
    if (!read_first(reader)) return false;
    while (!eat(reader, "\r\n"))
        if (!read_field(reader)) return false;
    return check_lines(reader);
}

/* ---- both together ---- */

static bool is_same(const char *text, struct span span)
{
    return strlen(text) == span.size && memcmp(text, span.at, span.size) == 0;
}

/* The path is decoded but for slashes. */
static void compare_path(const char *path, struct span span)
{
    size_t at = 0;
    if (span.size == 0) span = (struct span){(const uint8_t *)"/", 1};
    for (size_t i = 0; i < span.size; i++, at++) {
        char digits[3] = "";
        unsigned byte = span.at[i];
        if (byte == '%') memcpy(digits, span.at + i + 1, 2);
        const unsigned decoded = (unsigned)strtoul(digits, NULL, 16);
        if (byte == '%' && decoded != '/' && decoded != '\\') {
            byte = decoded;
            i += 2;
        }
        require((unsigned char)path[at] == byte);
    }
    require(path[at] == '\0');
}

static void compare(const struct gz_request *request, const struct second *reader)
{
    struct span value;
    require(is_same(request->method, reader->method));
    require(request->is_1_0 == is_text(reader->version, "HTTP/1.0"));
    require((request->query != NULL) == reader->has_query);
    if (request->query != NULL) require(is_same(request->query, reader->query));
    compare_path(request->path, reader->path);
    require(request->count == reader->count);
    for (size_t i = 0; i < reader->count; i++) {
        require(is_name(reader->names[i], request->lines[i].name));
        for (const char *c = request->lines[i].name; *c != '\0'; c++) require(!isupper(*c));
        require(is_same(request->lines[i].value, reader->values[i]));
    }
    require(request->has_length == (count_of(reader, "content-length", &value) == 1));
    char text[20] = "0";
    if (request->has_length) memcpy(text, value.at, value.size), text[value.size] = '\0';
    require(request->length == strtoull(text, NULL, 10));
}

/* What its users ask of it. */
static void use(const struct gz_request *request)
{
    char text[64];
    bool present;
    (void)gz_request_list(request, "forwarded", text, sizeof text, &present);
    require(present == (gz_request_value(request, "forwarded", 0) != NULL));
    (void)gz_request_lists(request, "connection", "upgrade");
    if (request->query != NULL &&
        gz_request_decode(request->query, strlen(request->query), text, sizeof text))
        require(strlen(text) < sizeof text);
}

static size_t size_in_pieces(const char *bytes, size_t size, size_t piece)
{
    size_t found = 0;
    for (size_t known = 0; known < size && found == 0; known += piece) {
        const size_t now = size - known < piece ? size : known + piece;
        found = gz_request_head_size(bytes, now, known);
    }
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct gz_request request;
    static struct second reader;
    struct gz_error error;
    int code = 0;
    if (size < 2 || size > GZ_HTTP_HEADER_BYTES_MAX) return 0;
    const size_t piece = data[0] > 0 ? data[0] : 1;
    reader = (struct second){.at = data + 1, .end = data + size};
    const bool is_allowed = read_all(&reader);
    const size_t whole = gz_request_head_size((const char *)data + 1, size - 1, 0);
    require(whole <= size - 1);
    require((size_in_pieces((const char *)data + 1, size - 1, piece) == 0) == (whole == 0));
    if (whole == 0) {
        require(!is_allowed);
        return 0;
    }
    char *head = malloc(whole);
    require(head != NULL);
    memcpy(head, data + 1, whole);
    const bool is_taken = gz_request_read(&request, head, whole, &code, &error) == GZ_OK;
    require(is_taken == is_allowed);
    require(is_taken || code == 400 || code == 431 || code == 505);
    if (is_taken) {
        require(reader.at == data + 1 + whole);
        require(size_in_pieces((const char *)data + 1, size - 1, piece) == whole);
        compare(&request, &reader);
        use(&request);
    }
    free(head);
    return 0;
}
