/* Reads the text of a JSON document into values. */
#include <stdlib.h>
#include <string.h>

#include "gltf/json.h"
#include "server/maxima.h"

/* U+FFFD, for what is no character. */
#define NO_CHARACTER 0xFFFDu
#define NO_CHARACTER_UTF8 "\xEF\xBF\xBD"
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

struct reader {
    struct gz_json_document *document;
    const char *start, *at, *end;
    const char *lead;       /* where what stands before the next value begins */
    struct gz_json *holder; /* the innermost open list or object; its `count` is, until it is
                               closed, how many values wait in `open` before its own */
    struct gz_json **open;
    size_t open_count, open_capacity, depth;
    struct gz_error *error;
};

/* ---- errors ---- */

static enum gz_status refuse(struct reader *reader, const char *flaw)
{
    int line = 1, column = 1;
    for (const char *c = reader->start; c < reader->at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return gz_fail(reader->error, GZ_BAD_MESSAGE, "JSON line %d, column %d: %s", line, column,
                   flaw);
}

static enum gz_status out_of_memory(struct reader *reader)
{
    return gz_fail(reader->error, GZ_NO_MEMORY, "JSON: not enough memory for this file");
}

/* ---- texts ---- */

/* The bytes of the UTF-8 character at `at`; 0 if there is none. */
static size_t character_size(const char *at, const char *end)
{
    const unsigned char *c = (const unsigned char *)at;
    size_t size = c[0] < 0x80   ? 1
                  : c[0] < 0xC2 ? 0
                  : c[0] < 0xE0 ? 2
                  : c[0] < 0xF0 ? 3
                  : c[0] < 0xF5 ? 4
                                : 0;
    if (size == 0 || (size_t)(end - at) < size) return 0;
    for (size_t i = 1; i < size; i++)
        if ((c[i] & 0xC0) != 0x80) return 0;
    if (size == 3 && ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F))) return 0;
    if (size == 4 && ((c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F))) return 0;
    return size;
}

bool gz_is_utf8(const char *at, const char *end)
{
    while (at < end) {
        size_t size = character_size(at, end);
        if (size == 0) return false;
        at += size;
    }
    return true;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
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
static uint32_t read_escape(const char **at, const char *end)
{
    static const char letters[] = "\"\\/bfnrt", characters[] = "\"\\/\b\f\n\r\t";
    char letter = (*at)[1];
    *at += 2;
    if (letter != 'u') return (uint32_t)characters[strchr(letters, letter) - letters];
    uint32_t unit = read_unit(*at);
    *at += 4;
    if (unit >= 0xD800 && unit < 0xDC00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        uint32_t low = read_unit(*at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            *at += 6;
            return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return unit == 0 || (unit >= 0xD800 && unit < 0xE000) ? NO_CHARACTER : unit;
}

/* What the text between two quotes says. Returns its size; writes it if `out` is set. */
static size_t decode(const char *at, const char *end, char *out)
{
    size_t written = 0;
    while (at < end) {
        char bytes[4];
        size_t size = character_size(at, end);
        if (*at == '\\') {
            size = put_character(bytes, read_escape(&at, end));
        } else if (size > 0) {
            memcpy(bytes, at, size);
            at += size;
        } else {
            size = 3;
            memcpy(bytes, NO_CHARACTER_UTF8, size);
            at++;
        }
        if (out != NULL) memcpy(out + written, bytes, size);
        written += size;
    }
    return written;
}

/* At the opening quote; goes behind the closing one. */
static enum gz_status skip_text(struct reader *reader, bool *is_plain)
{
    bool is_ascii = true;
    const char *start = ++reader->at;
    *is_plain = true;
    for (; reader->at < reader->end && *reader->at != '"'; reader->at++) {
        unsigned char c = (unsigned char)*reader->at;
        if (c >= 0x80) is_ascii = false;
        if (c < 0x20)
            return refuse(reader, "a text may not have a line break or a control character");
        if (c != '\\') continue;
        *is_plain = false;
        const char *letter = ++reader->at;
        if (letter == reader->end || *letter == '\0' || strchr("\"\\/bfnrtu", *letter) == NULL)
            return refuse(reader, "a text has a backslash that begins no escape");
        if (*letter != 'u') continue;
        for (int i = 0; i < 4; i++) {
            if (++reader->at >= reader->end || hex_value(*reader->at) < 0)
                return refuse(reader, "\\u must be followed by four hexadecimal digits");
        }
    }
    if (reader->at >= reader->end) return refuse(reader, "a text has no end");
    if (!is_ascii && !gz_is_utf8(start, reader->at)) *is_plain = false;
    reader->at++;
    return GZ_OK;
}

static enum gz_status read_text(struct reader *reader, const char **said, uint32_t *size)
{
    const char *start = reader->at + 1;
    bool is_plain;
    enum gz_status status = skip_text(reader, &is_plain);
    if (status != GZ_OK) return status;
    const char *end = reader->at - 1;
    *said = start;
    *size = (uint32_t)(end - start);
    if (is_plain) return GZ_OK;
    size_t length = decode(start, end, NULL);
    char *copy = gz_arena_take(&reader->document->arena, length + 1, 1);
    if (copy == NULL) return out_of_memory(reader);
    *said = copy;
    *size = (uint32_t)decode(start, end, copy);
    return GZ_OK;
}

/* ---- numbers and words ---- */

static bool is_digit(const struct reader *reader)
{
    return reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9';
}

static bool take(struct reader *reader, const char *letters)
{
    if (reader->at >= reader->end || *reader->at == '\0' || strchr(letters, *reader->at) == NULL)
        return false;
    reader->at++;
    return true;
}

static bool take_digits(struct reader *reader)
{
    if (!is_digit(reader)) return false;
    while (is_digit(reader)) reader->at++;
    return true;
}

static bool is_next(const struct reader *reader, const char *word)
{
    const size_t size = strlen(word);
    return (size_t)(reader->end - reader->at) >= size && memcmp(reader->at, word, size) == 0;
}

/* Python writes these, and no other reader of JSON takes them. */
static const char no_numbers[] = "NaN and Infinity are no numbers in JSON";

static bool says_infinite(const struct reader *reader)
{
    return is_next(reader, "NaN") || is_next(reader, "Infinity");
}

static enum gz_status read_number(struct reader *reader)
{
    (void)take(reader, "-");
    if (says_infinite(reader)) return refuse(reader, no_numbers);
    bool ok = take(reader, "0") ? !is_digit(reader) : take_digits(reader);
    if (ok && take(reader, ".")) ok = take_digits(reader);
    if (ok && take(reader, "eE")) {
        (void)take(reader, "+-");
        ok = take_digits(reader);
    }
    return ok ? GZ_OK : refuse(reader, "a number has not the form of JSON");
}

static enum gz_status read_word(struct reader *reader, enum gz_json_kind *kind)
{
    static const struct {
        const char *word;
        enum gz_json_kind kind;
    } words[] = {{"null", GZ_JSON_NULL}, {"true", GZ_JSON_TRUE}, {"false", GZ_JSON_FALSE}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!is_next(reader, words[i].word)) continue;
        reader->at += strlen(words[i].word);
        *kind = words[i].kind;
        return GZ_OK;
    }
    if (says_infinite(reader)) return refuse(reader, no_numbers);
    return refuse(reader, reader->at == reader->end
                              ? "the text ends where a value is expected; the file is not complete"
                              : "a value is expected");
}

static void skip_blanks(struct reader *reader)
{
    while (take(reader, " \t\r\n")) continue;
}

/* ---- lists and objects ---- */

static enum gz_status push(struct reader *reader, struct gz_json *value)
{
    if (!gz_grow(&reader->open, &reader->open_capacity, reader->open_count + 1,
                 sizeof(struct gz_json *)))
        return out_of_memory(reader);
    reader->open[reader->open_count++] = value;
    return GZ_OK;
}

static enum gz_status close_holder(struct reader *reader)
{
    struct gz_json *holder = reader->holder;
    size_t start = holder->count, count = reader->open_count - start;
    holder->size = (uint32_t)(reader->at - holder->text);
    holder->count = holder->held.capacity = (uint32_t)count;
    holder->held.items = gz_arena_take(
        &reader->document->arena, gz_json_room(holder->kind, count) + 1, sizeof(struct gz_json *));
    if (holder->held.items == NULL) return out_of_memory(reader);
    if (count > 0)
        memcpy(holder->held.items, reader->open + start, count * sizeof(struct gz_json *));
    gz_json_sort(holder);
    reader->open_count = start;
    reader->holder = holder->up;
    reader->depth--;
    return push(reader, holder);
}

/* The name of a member and its colon. */
static enum gz_status read_key(struct reader *reader, struct gz_json *value)
{
    if (reader->at >= reader->end || *reader->at != '"')
        return refuse(reader, "the name of a member is expected");
    enum gz_status status = read_text(reader, &value->key, &value->key_size);
    skip_blanks(reader);
    if (status == GZ_OK && !take(reader, ":")) status = refuse(reader, "a colon is expected");
    skip_blanks(reader);
    return status;
}

static enum gz_status open_holder(struct reader *reader, struct gz_json *value)
{
    if (reader->depth++ == GZ_JSON_DEPTH_MAX)
        return refuse(reader, "lists and objects are too deep inside each other");
    value->count = (uint32_t)reader->open_count;
    reader->holder = value;
    reader->at++;
    return GZ_OK;
}

/* A value up to its end, or up to its opening bracket. */
static enum gz_status read_value(struct reader *reader)
{
    struct gz_json *value = gz_arena_take(&reader->document->arena, 1, sizeof *value);
    if (value == NULL) return out_of_memory(reader);
    enum gz_status status = GZ_OK;
    value->up = reader->holder;
    value->lead = reader->lead;
    skip_blanks(reader);
    if (gz_json_is(reader->holder, GZ_JSON_OBJECT)) status = read_key(reader, value);
    if (status != GZ_OK) return status;
    value->text = reader->at;
    value->lead_size = (uint32_t)(reader->at - reader->lead);
    char first = reader->at < reader->end ? *reader->at : '\0';
    value->kind = first == '{'   ? GZ_JSON_OBJECT
                  : first == '[' ? GZ_JSON_LIST
                  : first == '"' ? GZ_JSON_TEXT
                                 : GZ_JSON_NUMBER;
    if (first == '{' || first == '[') return open_holder(reader, value);
    if (first == '"') {
        status = read_text(reader, &value->said.at, &value->said.size);
    } else if (first == '-' || (first >= '0' && first <= '9')) {
        status = read_number(reader);
    } else {
        enum gz_json_kind kind = GZ_JSON_NULL;
        status = read_word(reader, &kind);
        value->kind = kind;
    }
    value->size = (uint32_t)(reader->at - value->text);
    return status == GZ_OK ? push(reader, value) : status;
}

/* After a value, or after an opening bracket (`opened`): goes to where the next value begins, and
 * closes what ends before it. *done: there is none. */
static enum gz_status go_on(struct reader *reader, bool opened, bool *done)
{
    enum gz_status status = GZ_OK;
    while (reader->holder != NULL && status == GZ_OK) {
        reader->lead = reader->at;
        skip_blanks(reader);
        bool is_object = reader->holder->kind == GZ_JSON_OBJECT;
        if (take(reader, is_object ? "}" : "]")) {
            status = close_holder(reader);
            opened = false;
        } else if (opened) {
            reader->at = reader->lead;
            return GZ_OK;
        } else if (take(reader, ",")) {
            reader->lead = reader->at;
            return GZ_OK;
        } else {
            return refuse(reader, reader->at == reader->end
                                      ? "the text ends inside a list or an object; the file is not "
                                        "complete"
                                      : "a comma or a closing bracket is expected");
        }
    }
    *done = true;
    return status;
}

static enum gz_status read_all(struct reader *reader)
{
    enum gz_status status = GZ_OK;
    for (bool done = false; status == GZ_OK && !done;) {
        size_t depth = reader->depth;
        status = read_value(reader);
        if (status == GZ_OK) status = go_on(reader, reader->depth > depth, &done);
    }
    return status;
}

/* ---- documents ---- */

/* Every value of a list but the first follows a comma, and every list and object opens with a
 * bracket. Their count bounds the values, and so the memory, before any memory is spent. */
static bool too_many_values(const uint8_t *text, size_t size)
{
    size_t values = 0;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        uint8_t c = text[i];
        if (in_string) {
            if (c == '\\') i++;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == ',' || c == '[' || c == '{') {
            values++;
        }
    }
    return values > GZ_ASSET_VALUES_MAX;
}

/* NULs behind the root are how some programs pad a chunk. */
static enum gz_status read_document(struct reader *reader)
{
    struct gz_json_document *document = reader->document;
    size_t mark = strlen(BYTE_ORDER_MARK);
    if (reader->end - reader->start >= (long)mark &&
        memcmp(reader->start, BYTE_ORDER_MARK, mark) == 0)
        reader->at += mark;
    skip_blanks(reader);
    if (reader->at == reader->end) return refuse(reader, "there is nothing in the file");
    document->front = reader->start;
    document->front_size = (size_t)(reader->at - reader->start);
    reader->lead = reader->at;
    enum gz_status status = read_all(reader);
    if (status != GZ_OK) return status;
    document->root = reader->open[0];
    document->back = reader->at;
    skip_blanks(reader);
    document->back_size = (size_t)(reader->at - document->back);
    while (reader->at < reader->end && *reader->at == '\0') {
        reader->at++;
        skip_blanks(reader);
    }
    return reader->at == reader->end ? GZ_OK : refuse(reader, "the file goes on behind its end");
}

static struct reader start(struct gz_json_document *document, const char *text, size_t size,
                           struct gz_error *error)
{
    return (struct reader){
        .document = document, .start = text, .at = text, .end = text + size, .error = error};
}

enum gz_status gz_document_read(struct gz_json_document *document, const uint8_t *text, size_t size,
                                struct gz_error *error)
{
    *document = (struct gz_json_document){0};
    if (too_many_values(text, size)) {
        return gz_fail(error, GZ_TOO_LARGE, "JSON: a file may have at most %d values",
                       GZ_ASSET_VALUES_MAX);
    }
    gz_arena_init(&document->arena, GZ_JSON_BYTES_MAX);
    struct reader reader = start(document, (const char *)text, size, error);
    enum gz_status status = read_document(&reader);
    free(reader.open);
    if (status != GZ_OK) gz_document_finish(document);
    return status;
}

/* A text that this room wrote itself: there is no error but want of memory. */
struct gz_json *gz_json_make(struct gz_json_document *document, const char *text, size_t size)
{
    char *copy = gz_arena_text(&document->arena, text, size);
    if (copy == NULL) return NULL;
    struct reader reader = start(document, copy, size, NULL);
    reader.lead = copy;
    struct gz_json *value = read_all(&reader) == GZ_OK ? reader.open[0] : NULL;
    free(reader.open);
    return value;
}
