/* Reads the text of a JSON document into values. */
#include <stdlib.h>
#include <string.h>

#include "gltf/json.h"
#include "proto/base/json.h"
#include "proto/base/text.h"
#include "server/maxima.h"

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

static enum gz_status read_text(struct reader *reader, const char **said, uint32_t *size)
{
    const char *start = ++reader->at;
    bool is_plain;
    const char *flaw = gz_json_skip_text(&reader->at, reader->end, &is_plain);
    if (flaw != NULL) return refuse(reader, flaw);
    const char *end = reader->at++;
    *said = start;
    *size = (uint32_t)(end - start);
    if (is_plain && gz_text_is_utf8(start, *size)) return GZ_OK;
    const size_t length = gz_json_read_text(start, end, GZ_JSON_MENDED, NULL);
    char *copy = gz_arena_take(&reader->document->arena, length + 1, 1);
    if (copy == NULL) return out_of_memory(reader);
    *said = copy;
    *size = (uint32_t)gz_json_read_text(start, end, GZ_JSON_MENDED, copy);
    return GZ_OK;
}

/* ---- numbers and words ---- */

static bool take(struct reader *reader, const char *letters)
{
    if (reader->at >= reader->end || *reader->at == '\0' || strchr(letters, *reader->at) == NULL)
        return false;
    reader->at++;
    return true;
}

static bool is_next(const char *at, const char *end, const char *word)
{
    const size_t size = strlen(word);
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0;
}

/* Python writes these, and no other reader of JSON takes them. */
static const char no_numbers[] = "NaN and Infinity are no numbers in JSON";

static bool says_infinite(const struct reader *reader)
{
    const char *at = reader->at;
    if (at < reader->end && *at == '-') at++;
    return is_next(at, reader->end, "NaN") || is_next(at, reader->end, "Infinity");
}

static enum gz_status read_number(struct reader *reader)
{
    struct gz_json_digits digits;
    if (says_infinite(reader)) return refuse(reader, no_numbers);
    return gz_json_skip_number(&reader->at, reader->end, &digits)
               ? GZ_OK
               : refuse(reader, "a number does not have the form of JSON");
}

static enum gz_status read_word(struct reader *reader, enum gz_json_kind *kind)
{
    static const struct {
        const char *word;
        enum gz_json_kind kind;
    } words[] = {{"null", GZ_JSON_NULL}, {"true", GZ_JSON_TRUE}, {"false", GZ_JSON_FALSE}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!is_next(reader->at, reader->end, words[i].word)) continue;
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
