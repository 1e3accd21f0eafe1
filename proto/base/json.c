/* json.c - reads and writes the texts and the numbers of JSON. */
#include "proto/base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/text.h"

/* U+FFFD, for what is no character. */
#define NO_CHARACTER 0xFFFDu
#define NO_CHARACTER_UTF8 "\xEF\xBF\xBD"
/* Decimal digits that an integer of 64 bits holds, whatever they are. */
#define DIGITS_MAX 19
/* Up to this one the powers of ten are doubles, and so is each integer up to 2^53: their product
 * and quotient are the nearest double. */
#define EXACT_POWER_MAX 22
#define EXACT_WHOLE_MAX (UINT64_C(1) << 53)
/* An exponent of more digits is as good as this one. */
#define EXPONENT_MAX 100000

/* ---- texts ---- */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* At the letter behind a backslash; goes to the last byte of the escape. */
static const char *skip_escape(const char **at, const char *end)
{
    if (*at == end || **at == '\0' || strchr("\"\\/bfnrtu", **at) == NULL)
        return "a text has a backslash that begins no escape";
    if (**at != 'u') return NULL;
    for (int i = 0; i < 4; i++) {
        if (++*at >= end || hex_value(**at) < 0)
            return "\\u must be followed by four hexadecimal digits";
    }
    return NULL;
}

const char *gz_json_skip_text(const char **at, const char *end, bool *is_plain)
{
    *is_plain = true;
    for (; *at < end && **at != '"'; ++*at) {
        if ((unsigned char)**at < 0x20)
            return "a text may not have a line break or a control character";
        if (**at != '\\') continue;
        *is_plain = false;
        ++*at;
        const char *flaw = skip_escape(at, end);
        if (flaw != NULL) return flaw;
    }
    return *at < end ? NULL : "a text has no end";
}

/* The four digits of \uXXXX, which were checked. */
static uint32_t read_unit(const char *digits)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++) unit = unit << 4 | (uint32_t)hex_value(digits[i]);
    return unit;
}

static size_t put_character(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size; i-- > 1; c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(first[size] | c);
    return size;
}

/* The character of an escape; *at goes behind it. */
static uint32_t read_escape(const char **at, const char *end, enum gz_json_text_rule rule)
{
    static const char letters[] = "\"\\/bfnrt", characters[] = "\"\\/\b\f\n\r\t";
    const char letter = (*at)[1];
    *at += 2;
    if (letter != 'u') return (uint32_t)characters[strchr(letters, letter) - letters];
    const uint32_t unit = read_unit(*at);
    *at += 4;
    if (unit >= 0xD800 && unit < 0xDC00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        const uint32_t low = read_unit(*at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            *at += 6;
            return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    const bool is_flawed = unit == 0 || (unit >= 0xD800 && unit < 0xE000);
    return is_flawed && rule == GZ_JSON_MENDED ? NO_CHARACTER : unit;
}

/* Up to the next backslash, all as it is. */
static size_t copy_plain(const char **at, const char *end, char *out)
{
    const char *stop = memchr(*at, '\\', (size_t)(end - *at));
    const size_t size = (size_t)((stop != NULL ? stop : end) - *at);
    if (out != NULL) memcpy(out, *at, size);
    *at += size;
    return size;
}

/* One character, or U+FFFD for a byte that begins none. */
static size_t copy_mended(const char **at, const char *end, char *out)
{
    const size_t size = gz_text_character(*at, (size_t)(end - *at));
    const char *said = size > 0 ? *at : NO_CHARACTER_UTF8;
    if (out != NULL) memcpy(out, said, size > 0 ? size : 3);
    *at += size > 0 ? size : 1;
    return size > 0 ? size : 3;
}

size_t gz_json_read_text(const char *at, const char *end, enum gz_json_text_rule rule, char *out)
{
    size_t written = 0;
    while (at < end) {
        char bytes[4];
        char *place = out != NULL ? out + written : NULL;
        if (*at == '\\') {
            const size_t size = put_character(bytes, read_escape(&at, end, rule));
            if (place != NULL) memcpy(place, bytes, size);
            written += size;
        } else if (rule == GZ_JSON_AS_IT_IS) {
            written += copy_plain(&at, end, place);
        } else {
            written += copy_mended(&at, end, place);
        }
    }
    return written;
}

/* Whether the next eight bytes may stand in a text as they are, and are ASCII. */
static bool are_plain(const char *at)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t eight;
    memcpy(&eight, at, sizeof eight);
    const uint64_t quotes = eight ^ (ones * '"'), slashes = eight ^ (ones * '\\');
    const uint64_t low =
        (eight - ones * 0x20) | (quotes - ones) | (slashes - ones) | (eight + ones) | eight;
    return (low & tops) == 0;
}

size_t gz_json_plain_size(const char *at, size_t size)
{
    size_t plain = 0;
    while (plain < size) {
        if (size - plain >= 8 && are_plain(at + plain)) {
            plain += 8;
            continue;
        }
        const unsigned char c = (unsigned char)at[plain];
        const size_t step = gz_text_character(at + plain, size - plain);
        if (step == 0 || c < 0x20 || c == 0x7F || c == '"' || c == '\\') break;
        plain += step;
    }
    return plain;
}

size_t gz_json_escape(unsigned char byte, char out[6])
{
    static const char digits[] = "0123456789abcdef";
    static const char characters[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    if (byte >= 0x80) {
        memcpy(out, NO_CHARACTER_UTF8, 3);
        return 3;
    }
    const char *letter = byte != 0 ? strchr(characters, byte) : NULL;
    out[0] = '\\';
    if (letter != NULL) {
        out[1] = letters[letter - characters];
        return 2;
    }
    memcpy(out + 1, "u00", 3);
    out[4] = digits[byte >> 4];
    out[5] = digits[byte & 15];
    return 6;
}

enum gz_status gz_json_append_text(struct gz_buffer *out, const char *text, size_t size)
{
    enum gz_status status = gz_buffer_append(out, "\"", 1);
    while (status == GZ_OK && size > 0) {
        char escape[6];
        const size_t plain = gz_json_plain_size(text, size), step = plain > 0 ? plain : 1;
        const size_t said = plain > 0 ? plain : gz_json_escape((unsigned char)*text, escape);
        status = gz_buffer_append(out, plain > 0 ? text : escape, said);
        text += step;
        size -= step;
    }
    return status == GZ_OK ? gz_buffer_append(out, "\"", 1) : status;
}

/* ---- numbers ---- */

static bool is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

static bool read_digits(const char **at, const char *end, bool is_fraction,
                        struct gz_json_digits *digits)
{
    if (!is_digit(*at, end)) return false;
    for (; is_digit(*at, end); ++*at) {
        const bool fits = digits->count < DIGITS_MAX;
        if (fits) digits->whole = digits->whole * 10 + (uint64_t)(**at - '0');
        if (digits->whole > 0) digits->count++;
        if (fits && is_fraction) digits->exponent--;
        if (!fits && !is_fraction) digits->exponent++;
    }
    return true;
}

static bool read_exponent(const char **at, const char *end, struct gz_json_digits *digits)
{
    const bool is_negative = *at < end && **at == '-';
    long exponent = 0;
    if (*at < end && (**at == '-' || **at == '+')) ++*at;
    if (!is_digit(*at, end)) return false;
    for (; is_digit(*at, end); ++*at)
        if (exponent < EXPONENT_MAX) exponent = exponent * 10 + (**at - '0');
    digits->exponent += is_negative ? -exponent : exponent;
    return true;
}

double gz_json_value(const struct gz_json_digits *digits)
{
    static const double powers[EXACT_POWER_MAX + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const long exponent = digits->exponent;
    double value = (double)digits->whole;
    if (digits->count > DIGITS_MAX || digits->whole > EXACT_WHOLE_MAX ||
        labs(exponent) > EXACT_POWER_MAX)
        value = strtod(digits->start, NULL);
    else
        value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
    return digits->is_negative ? -value : value;
}

static bool skip_fraction(const char **at, const char *end, struct gz_json_digits *digits)
{
    if (*at == end || **at != '.') return true;
    ++*at;
    return read_digits(at, end, true, digits);
}

static bool skip_exponent(const char **at, const char *end, struct gz_json_digits *digits)
{
    if (*at == end || (**at != 'e' && **at != 'E')) return true;
    ++*at;
    return read_exponent(at, end, digits);
}

bool gz_json_skip_number(const char **at, const char *end, struct gz_json_digits *digits)
{
    const bool is_negative = *at < end && **at == '-';
    *at += is_negative;
    *digits = (struct gz_json_digits){.start = *at, .is_negative = is_negative};
    const bool is_zero = *at < end && **at == '0';
    *at += is_zero;
    if (!is_zero && !read_digits(at, end, false, digits)) return false;
    const char *behind = *at;
    if (!skip_fraction(at, end, digits) || !skip_exponent(at, end, digits)) return false;
    digits->is_whole = *at == behind && digits->count <= DIGITS_MAX;
    return !is_digit(*at, end);
}
