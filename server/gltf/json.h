/* json.h - JSON as glTF has it. */
#ifndef GZ_GLTF_JSON_H
#define GZ_GLTF_JSON_H

#include <stdint.h>

#include "proto/base/buffer.h"

/* ---- json value ---- */

/* A value of a JSON document, for the files that read and edit documents. Private to
 * json.c and json_read.c. */

/* Sizes are below 2^32, because a document has at most GZ_ASSET_BYTES_MAX bytes. */
struct gz_json {
    const char *text; /* the value itself */
    const char *lead; /* what stands between the comma before and the value, with a member's name */
    const char *key;  /* a member's name; NULL for an element */
    struct gz_json *up;
    union {
        struct {
            const char *at;
            uint32_t size;
        } said; /* of a text */
        struct {
            struct gz_json **items; /* behind them in a large object: the same, sorted by name */
            uint32_t capacity;
        } held; /* of a list or an object */
    };
    uint32_t size, lead_size, key_size;
    uint32_t count : 27; /* of the items */
    uint32_t kind : 3;   /* enum gz_json_kind */
    uint32_t is_edited : 1, is_disregarded : 1;
};

/* How many pointers a holder of `capacity` items needs. */
size_t gz_json_room(unsigned kind, size_t capacity);
/* To be called once the items of a holder are complete, or were changed. */
void gz_json_sort(struct gz_json *holder);

/* ---- json ---- */

/* Reads JSON and writes it again with edits. What was not edited comes back to the byte:
 * each value knows the place in the text that it came from, so numbers keep their digits, objects
 * their order and their names that are twice, texts their escapes. Private to this room.
 *
 * Ownership: a document holds all its values until gz_document_finish; it points into the text that
 * it was read from, which must outlive it. Threads: one at a time. All readers take NULL, and
 * answer that nothing is there. Errors of edits: GZ_NO_MEMORY only. */

enum gz_json_kind {
    GZ_JSON_NULL,
    GZ_JSON_FALSE,
    GZ_JSON_TRUE,
    GZ_JSON_NUMBER,
    GZ_JSON_TEXT,
    GZ_JSON_LIST,
    GZ_JSON_OBJECT
};

struct gz_json;

struct gz_json_document {
    struct gz_arena arena;
    struct gz_json *root;
    const char *front, *back; /* the text around the root: a byte order mark, blanks */
    size_t front_size, back_size;
};

/* UTF-8, not terminated. `at` is NULL if there is no text. A NUL, half a surrogate pair and bytes
 * that are no UTF-8 read as U+FFFD. */
struct gz_json_text {
    const char *at;
    size_t size;
};

/* A byte order mark in front and NULs behind are taken. GZ_BAD_MESSAGE: not JSON, with line and
 * column; GZ_TOO_LARGE: more than GZ_ASSET_VALUES_MAX values, or deeper than GZ_JSON_DEPTH_MAX. On
 * failure nothing is held. */
GZ_MUST_USE enum gz_status gz_document_read(struct gz_json_document *document, const uint8_t *text,
                                            size_t size, struct gz_error *error);
void gz_document_finish(struct gz_json_document *document);
GZ_MUST_USE enum gz_status gz_json_write(struct gz_buffer *out, const struct gz_json *value);

enum gz_json_kind gz_json_kind(const struct gz_json *value);
bool gz_json_is(const struct gz_json *value, enum gz_json_kind kind);
/* The last member of that name, as other readers of JSON take it; NULL if there is none, or
 * `object` is none. */
struct gz_json *gz_json_get(const struct gz_json *object, const char *key);
struct gz_json *gz_json_get_sized(const struct gz_json *object, const char *key, size_t size);
/* Whether there is a member of that name, disregarded or not; null is as if it were not there. */
bool gz_json_has(const struct gz_json *object, const char *key);
/* The elements of a list, or the members of an object by their place. An element that is
 * disregarded is NULL. */
struct gz_json *gz_json_at(const struct gz_json *holder, size_t index);
size_t gz_json_count(const struct gz_json *holder);
/* The name of a member. */
struct gz_json_text gz_json_key(const struct gz_json *member);
/* 0 if it is no number; infinite beyond the doubles. */
double gz_json_number(const struct gz_json *value);
struct gz_json_text gz_json_text(const struct gz_json *value);
bool gz_json_says(const struct gz_json *value, const char *text);

/* The same, but an element that is disregarded too. */
struct gz_json *gz_json_at_any(const struct gz_json *holder, size_t index);

/* From now on readers find nothing here; it is still written. */
void gz_json_disregard(struct gz_json *value);
/* Whether an edit changed it or something in it. */
bool gz_json_is_edited(const struct gz_json *value);

/* A value from its JSON, which the document copies. NULL without memory. */
GZ_MUST_USE struct gz_json *gz_json_make(struct gz_json_document *document, const char *text,
                                         size_t size);
/* A text as a value. */
GZ_MUST_USE struct gz_json *gz_json_make_text(struct gz_json_document *document, const char *text);
/* A text of `size` bytes that is JSON already, with its quotes, in the document's arena. */
GZ_MUST_USE struct gz_json *gz_json_adopt(struct gz_json_document *document, const char *quoted,
                                          size_t size);
/* An object with the same members. */
GZ_MUST_USE struct gz_json *gz_json_copy(struct gz_json_document *document,
                                         const struct gz_json *object);
/* Sets the only member of that name. `value` may be NULL, which is no memory. */
GZ_MUST_USE enum gz_status gz_json_set(struct gz_json_document *document, struct gz_json *object,
                                       const char *key, struct gz_json *value);
GZ_MUST_USE enum gz_status gz_json_append(struct gz_json_document *document, struct gz_json *list,
                                          struct gz_json *value);
/* Makes a number another one, in its place. */
GZ_MUST_USE enum gz_status gz_json_renumber(struct gz_json_document *document,
                                            struct gz_json *number, size_t to);
/* Removes what is disregarded for good: members, and numbers of lists that are not at the top
 * level, whose places nothing counts. */
void gz_json_forget_disregarded(struct gz_json *root);
/* Removes all members of that name. */
void gz_json_remove(struct gz_json *object, const char *key);
/* Keeps the elements of a list that `keep` says yes to, in their order. */
void gz_json_retain(struct gz_json *list, bool (*keep)(size_t index, void *context), void *context);

#endif
