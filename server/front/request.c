/* Reads the head of an HTTP/1 request. See request.h. */
#include "front/request.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "proto/base/text.h"

/* Digits of a length that fits into 64 bits for everybody. */
#define DIGITS_MAX 18
#define BROKEN_LINE "a line must end in CR LF, and have no other CR, LF or NUL"

/* Headers that are no lists: of two lines nobody could say which one counts. The one that
 * --trust-header names is one more (identity.c). */
static const char *const singles[] = {
    "host",          "content-length",    "transfer-encoding",
    "authorization", "sec-websocket-key", "sec-websocket-version",
    "gizmod-member", "x-forwarded-proto",
};

/* ---- characters ---- */

static bool is_one_of(char c, const char *list)
{
    return c != '\0' && strchr(list, c) != NULL;
}

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_token(const char *text)
{
    const char *c = text;
    while (is_alphanumeric(*c) || is_one_of(*c, "!#$%&'*+-.^_`|~")) c++;
    return c > text && *c == '\0';
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* The byte that "%XX" stands for; -1 for anything else. */
static int decode(const char *text)
{
    const int high = text[0] == '%' ? hex_digit(text[1]) : -1;
    const int low = high >= 0 ? hex_digit(text[2]) : -1;
    return low >= 0 ? high * 16 + low : -1;
}

static bool is_control(int byte)
{
    return byte < 0x20 || byte == 0x7f;
}

/* ---- the target ---- */

/* pchar of RFC 3986, without "%", with "/"; a query may have "?" as well. */
static bool is_plain(char c)
{
    return is_alphanumeric(c) || is_one_of(c, "-._~!$&'()*+,;=:@/");
}

static const char *fault_of_text(const char *text, bool is_query)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '%') {
            const int byte = decode(c);
            if (byte < 0) return "the address has a % without two hexadecimal digits";
            if (is_control(byte)) return "the address has an encoded control character";
            c += 2;
        } else if (!is_plain(*c) && !(is_query && *c == '?')) {
            return "the address has a character that has to be encoded";
        }
    }
    return NULL;
}

/* In its place. An encoded slash is no slash (RFC 3986, 2.2), and stays encoded. */
static void decode_path(char *path)
{
    char *to = path;
    for (const char *from = path; *from != '\0'; from++) {
        int byte = decode(from);
        if (byte == '/' || byte == '\\') byte = -1;
        *to++ = byte >= 0 ? (char)byte : *from;
        if (byte >= 0) from += 2;
    }
    *to = '\0';
}

/* Reads what follows the authority, or the whole target. */
static const char *read_path(struct gz_request *request, char *target)
{
    char *mark = strchr(target, '?');
    const char *fault;
    if (mark != NULL) *mark = '\0';
    request->path = target;
    request->query = mark != NULL ? mark + 1 : NULL;
    if (*target == '\0') request->path = "/";
    fault = fault_of_text(target, false);
    if (fault == NULL && request->query != NULL) fault = fault_of_text(request->query, true);
    if (fault == NULL) decode_path(target);
    return fault;
}

/* The size of "http://" at the beginning; 0 if it is not there. */
static size_t scheme_size(const char *target)
{
    if (strncasecmp(target, "http://", 7) == 0) return 7;
    return strncasecmp(target, "https://", 8) == 0 ? 8 : 0;
}

/* *authority: that of an address in absolute form, as proxies get it; else empty. */
static const char *read_target(struct gz_request *request, char *target, struct gz_request_line *at)
{
    const size_t scheme = scheme_size(target);
    *at = (struct gz_request_line){target, target};
    if (*target == '/') return read_path(request, target);
    if (strcmp(target, "*") == 0 && strcmp(request->method, "OPTIONS") == 0) {
        request->path = target;
        return NULL;
    }
    if (scheme == 0) return "the address must begin with a slash";
    char *path = target + scheme + strcspn(target + scheme, "/?");
    *at = (struct gz_request_line){target + scheme, path};
    return path > at->name ? read_path(request, path) : "the address has no host";
}

/* ---- lines ---- */

/* Takes the line at *at, and terminates it. NULL for a line that does not end in CR LF, or has a
 * CR, an LF or a NUL in it. */
static char *take_line(char **at, const char *end)
{
    char *line = *at;
    char *feed = memchr(line, '\n', (size_t)(end - line));
    if (feed == NULL || feed == line || feed[-1] != '\r') return NULL;
    *at = feed + 1;
    feed[-1] = '\0';
    const size_t size = (size_t)(feed - 1 - line);
    return strlen(line) == size && memchr(line, '\r', size) == NULL ? line : NULL;
}

static const char *read_version(struct gz_request *request, const char *version, int *code)
{
    request->is_1_0 = strcmp(version, "HTTP/1.0") == 0;
    if (request->is_1_0 || strcmp(version, "HTTP/1.1") == 0) return NULL;
    const bool is_other = strncmp(version, "HTTP/", 5) == 0 && isdigit((unsigned char)version[5]) &&
                          version[6] == '.' && isdigit((unsigned char)version[7]) &&
                          version[8] == '\0';
    *code = is_other ? 505 : 400;
    return "the version must be HTTP/1.1 or HTTP/1.0";
}

/* METHOD TARGET VERSION, with one blank between them. */
static const char *read_first(struct gz_request *request, char *line, int *code,
                              struct gz_request_line *authority)
{
    char *target = strchr(line, ' '), *version = target != NULL ? strchr(target + 1, ' ') : NULL;
    if (version == NULL) return "the request line must be METHOD ADDRESS VERSION";
    *target++ = '\0';
    *version++ = '\0';
    const char *fault = read_version(request, version, code);
    if (fault != NULL) return fault;
    if (!is_token(line)) return "the method is not a word";
    request->method = line;
    return read_target(request, target, authority);
}

static const char *fault_of_value(const char *value)
{
    for (const char *c = value; *c != '\0'; c++)
        if (is_control((unsigned char)*c) && *c != '\t')
            return "a header has a control character in its value";
    return NULL;
}

static const char *read_line(struct gz_request_line *entry, char *line)
{
    if (*line == ' ' || *line == '\t') return "a header is folded over two lines";
    char *colon = strchr(line, ':');
    if (colon == NULL) return "a header has no colon";
    *colon = '\0';
    if (colon > line && (colon[-1] == ' ' || colon[-1] == '\t'))
        return "a header has a space before its colon";
    if (!is_token(line)) return "the name of a header is not a word";
    for (char *c = line; *c != '\0'; c++) *c = (char)tolower((unsigned char)*c);
    char *value = colon + 1 + strspn(colon + 1, " \t"), *end = value + strlen(value);
    while (end > value && (end[-1] == ' ' || end[-1] == '\t')) *--end = '\0';
    *entry = (struct gz_request_line){line, value};
    return fault_of_value(value);
}

/* ---- all lines together ---- */

static const char *read_length(struct gz_request *request)
{
    const char *text = gz_request_value(request, "content-length", 0);
    request->length = 0;
    request->has_length = text != NULL;
    if (text == NULL) return NULL;
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > DIGITS_MAX || text[digits] != '\0')
        return "Content-Length: must be a number of at most 18 digits";
    for (size_t i = 0; i < digits; i++)
        request->length = request->length * 10 + (uint64_t)(text[i] - '0');
    return NULL;
}

/* Whether the authority of an address in absolute form is the Host. */
static bool is_host(const struct gz_request *request, const struct gz_request_line *authority)
{
    const size_t size = (size_t)(authority->value - authority->name);
    const char *host = gz_request_value(request, "host", 0);
    return size == 0 ||
           (host != NULL && strlen(host) == size && strncasecmp(host, authority->name, size) == 0);
}

static enum gz_status check_all(struct gz_request *request, const struct gz_request_line *authority,
                                struct gz_error *error)
{
    for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++)
        if (gz_request_value(request, singles[i], 1) != NULL)
            return gz_fail(error, GZ_BAD_MESSAGE, "%s: given more than once", singles[i]);
    const char *fault = read_length(request);
    if (fault == NULL && !is_host(request, authority))
        fault = "Host: is not the one in the address";
    return fault != NULL ? gz_fail(error, GZ_BAD_MESSAGE, "%s", fault) : GZ_OK;
}

/* What no head has, as the first byte of TLS: more of it is not waited for. */
static size_t stray_size(const char *bytes, size_t size, size_t known)
{
    for (size_t i = known; i < size; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (is_control(c) && c != '\r' && c != '\n' && c != '\t') return i + 1;
    }
    return 0;
}

size_t gz_request_head_size(const char *bytes, size_t size, size_t known)
{
    const char *end = bytes + size;
    const char *from = bytes + (known > 2 ? known - 2 : 0);
    for (const char *feed; from < end && (feed = memchr(from, '\n', (size_t)(end - from))) != NULL;
         from = feed + 1) {
        const char *next = feed + 1;
        if (next < end && *next == '\r') next++;
        if (next < end && *next == '\n') return (size_t)(next + 1 - bytes);
    }
    return stray_size(bytes, size, known);
}

static const char *read_lines(struct gz_request *request, char **head, const char *end, int *code)
{
    const char *fault = NULL;
    char *line;
    while ((line = take_line(head, end)) != NULL && *line != '\0' && fault == NULL) {
        if (request->count == GZ_HTTP_LINES_MAX) {
            *code = 431;
            return "the request has too many headers";
        }
        fault = read_line(&request->lines[request->count++], line);
    }
    if (fault != NULL) return fault;
    return line == NULL || *head != end ? BROKEN_LINE : NULL;
}

enum gz_status gz_request_read(struct gz_request *request, char *head, size_t size, int *code,
                               struct gz_error *error)
{
    const char *end = head + size;
    struct gz_request_line authority;
    *request = (struct gz_request){.path = "/"};
    *code = 400;
    if (size >= 2 && head[0] == '\r' && head[1] == '\n') head += 2; /* RFC 9112, 2.2 */
    char *line = take_line(&head, end);
    const char *fault = line != NULL ? read_first(request, line, code, &authority) : BROKEN_LINE;
    if (fault != NULL)
        return gz_fail(error, request->method != NULL ? GZ_BAD_VALUE : GZ_BAD_MESSAGE, "%s", fault);
    fault = read_lines(request, &head, end, code);
    if (fault != NULL) return gz_fail(error, GZ_BAD_MESSAGE, "%s", fault);
    return check_all(request, &authority, error);
}

/* ---- what it says ---- */

const char *gz_request_value(const struct gz_request *request, const char *name, size_t index)
{
    for (size_t i = 0; i < request->count; i++)
        if (strcmp(request->lines[i].name, name) == 0 && index-- == 0)
            return request->lines[i].value;
    return NULL;
}

bool gz_request_list(const struct gz_request *request, const char *name, char *text, size_t size,
                     bool *present)
{
    size_t used = 0;
    const char *value;
    *text = '\0';
    *present = false;
    for (size_t i = 0; (value = gz_request_value(request, name, i)) != NULL; i++) {
        const size_t more = strlen(value), comma = *present ? 2 : 0;
        *present = true;
        if (used + comma + more >= size) return false;
        memcpy(text + used, ", ", comma);
        memcpy(text + used + comma, value, more + 1);
        used += comma + more;
    }
    return true;
}

static bool has_word(const char *list, const char *word)
{
    const size_t size = strlen(word);
    while (*list != '\0') {
        list += strspn(list, ", \t");
        const size_t length = strcspn(list, ",");
        size_t used = length;
        while (used > 0 && (list[used - 1] == ' ' || list[used - 1] == '\t')) used--;
        if (used == size && strncasecmp(list, word, size) == 0) return true;
        list += length;
    }
    return false;
}

bool gz_request_lists(const struct gz_request *request, const char *name, const char *word)
{
    const char *value;
    for (size_t i = 0; (value = gz_request_value(request, name, i)) != NULL; i++)
        if (has_word(value, word)) return true;
    return false;
}

bool gz_request_decode(const char *part, size_t part_size, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < part_size; i++) {
        const int byte = i + 2 < part_size ? decode(part + i) : -1;
        if (used + 1 >= size) return false;
        text[used++] = byte >= 0 ? (char)byte : part[i] == '+' ? ' ' : part[i];
        if (byte >= 0) i += 2;
    }
    text[used] = '\0';
    return strlen(text) == used && gz_text_valid(text, used);
}
