/* json.c - The values of a JSON document: looking them up, editing and writing them. */
#include "gltf/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/json.h"

/* An object of more members than this has a sorted list of them behind the others. */
#define SORTED_FROM 16

void gz_document_finish(struct gz_json_document *document)
{
    gz_arena_finish(&document->arena);
    *document = (struct gz_json_document){0};
}

/* ---- reading ---- */

bool gz_json_is(const struct gz_json *value, enum gz_json_kind kind)
{
    return value != NULL && value->kind == kind;
}

enum gz_json_kind gz_json_kind(const struct gz_json *value)
{
    return value != NULL ? (enum gz_json_kind)value->kind : GZ_JSON_NULL;
}

static bool is_holder(const struct gz_json *value)
{
    return gz_json_is(value, GZ_JSON_OBJECT) || gz_json_is(value, GZ_JSON_LIST);
}

size_t gz_json_count(const struct gz_json *holder)
{
    return is_holder(holder) ? holder->count : 0;
}

struct gz_json *gz_json_at(const struct gz_json *holder, size_t index)
{
    if (index >= gz_json_count(holder)) return NULL;
    struct gz_json *item = holder->held.items[index];
    return item->is_disregarded ? NULL : item;
}

struct gz_json *gz_json_at_any(const struct gz_json *holder, size_t index)
{
    return index < gz_json_count(holder) ? holder->held.items[index] : NULL;
}

static int compare_text(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t both = a_size < b_size ? a_size : b_size;
    int order = both > 0 ? memcmp(a, b, both) : 0;
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

/* Only what was read can have a name twice: it is in the order of the text. */
static int compare_members(const void *a, const void *b)
{
    const struct gz_json *x = *(struct gz_json *const *)a, *y = *(struct gz_json *const *)b;
    int order = compare_text(x->key, x->key_size, y->key, y->key_size);
    return order != 0 ? order : (x->text > y->text) - (x->text < y->text);
}

size_t gz_json_room(unsigned kind, size_t capacity)
{
    return kind == GZ_JSON_OBJECT && capacity > SORTED_FROM ? 2 * capacity : capacity;
}

void gz_json_sort(struct gz_json *holder)
{
    struct gz_json **items = holder->held.items;
    if (holder->kind != GZ_JSON_OBJECT || holder->count <= SORTED_FROM) return;
    memcpy(items + holder->held.capacity, items, holder->count * sizeof(struct gz_json *));
    qsort(items + holder->held.capacity, holder->count, sizeof(struct gz_json *), compare_members);
}

/* How many members of the object, in the order of their names, are not behind this name. */
static size_t find_behind(const struct gz_json *object, const char *key, size_t size)
{
    struct gz_json *const *sorted = object->held.items + object->held.capacity;
    size_t low = 0, high = object->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct gz_json *member = sorted[middle];
        if (compare_text(member->key, member->key_size, key, size) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct gz_json *gz_json_get_sized(const struct gz_json *object, const char *key, size_t size)
{
    if (!gz_json_is(object, GZ_JSON_OBJECT)) return NULL;
    bool is_sorted = object->count > SORTED_FROM;
    struct gz_json *const *members = object->held.items + (is_sorted ? object->held.capacity : 0);
    for (size_t i = is_sorted ? find_behind(object, key, size) : object->count; i-- > 0;) {
        bool is_it = compare_text(members[i]->key, members[i]->key_size, key, size) == 0;
        if (is_it && !members[i]->is_disregarded) return members[i];
        if (is_sorted && !is_it) return NULL;
    }
    return NULL;
}

struct gz_json *gz_json_get(const struct gz_json *object, const char *key)
{
    return gz_json_get_sized(object, key, strlen(key));
}

/* The place of the last member of that name, read or disregarded; `count` if there is none. */
static size_t find_member(const struct gz_json *object, const char *key)
{
    for (size_t i = object->count; i-- > 0;) {
        const struct gz_json *member = object->held.items[i];
        if (compare_text(member->key, member->key_size, key, strlen(key)) == 0) return i;
    }
    return object->count;
}

bool gz_json_has(const struct gz_json *object, const char *key)
{
    if (!gz_json_is(object, GZ_JSON_OBJECT)) return false;
    size_t place = find_member(object, key);
    return place < object->count && object->held.items[place]->kind != GZ_JSON_NULL;
}

struct gz_json_text gz_json_key(const struct gz_json *member)
{
    return (struct gz_json_text){member->key, member->key_size};
}

double gz_json_number(const struct gz_json *value)
{
    struct gz_json_digits digits;
    if (!gz_json_is(value, GZ_JSON_NUMBER)) return 0;
    const char *at = value->text;
    return gz_json_skip_number(&at, at + value->size, &digits) ? gz_json_value(&digits) : 0;
}

struct gz_json_text gz_json_text(const struct gz_json *value)
{
    if (!gz_json_is(value, GZ_JSON_TEXT)) return (struct gz_json_text){NULL, 0};
    return (struct gz_json_text){value->said.at, value->said.size};
}

bool gz_json_says(const struct gz_json *value, const char *text)
{
    struct gz_json_text said = gz_json_text(value);
    return said.at != NULL && compare_text(said.at, said.size, text, strlen(text)) == 0;
}

void gz_json_disregard(struct gz_json *value)
{
    value->is_disregarded = true;
}

bool gz_json_is_edited(const struct gz_json *value)
{
    return value != NULL && value->is_edited;
}

/* ---- editing ---- */

static void mark_edited(struct gz_json *value)
{
    for (; value != NULL && !value->is_edited; value = value->up) value->is_edited = true;
}

struct gz_json *gz_json_adopt(struct gz_json_document *document, const char *quoted, size_t size)
{
    struct gz_json *value = gz_arena_take(&document->arena, 1, sizeof *value);
    if (value == NULL || quoted == NULL) return NULL;
    *value = (struct gz_json){.kind = GZ_JSON_TEXT,
                              .text = quoted,
                              .size = (uint32_t)size,
                              .said = {quoted + 1, (uint32_t)size - 2}};
    return value;
}

static char *quote(struct gz_arena *arena, const char *text, const char *end, size_t *size)
{
    size_t length = strlen(text);
    char *quoted = gz_arena_take(arena, 6 * length + 3 + strlen(end), 1);
    if (quoted == NULL) return NULL;
    char *out = quoted;
    *out++ = '"';
    while (length > 0) {
        const size_t plain = gz_json_plain_size(text, length), step = plain > 0 ? plain : 1;
        if (plain > 0)
            out = mempcpy(out, text, plain);
        else
            out += gz_json_escape((unsigned char)*text, out);
        text += step;
        length -= step;
    }
    *out++ = '"';
    out = stpcpy(out, end);
    *size = (size_t)(out - quoted);
    return quoted;
}

struct gz_json *gz_json_make_text(struct gz_json_document *document, const char *text)
{
    size_t size;
    const char *quoted = quote(&document->arena, text, "", &size);
    return quoted != NULL ? gz_json_adopt(document, quoted, size) : NULL;
}

struct gz_json *gz_json_copy(struct gz_json_document *document, const struct gz_json *object)
{
    struct gz_json *copy = gz_arena_take(&document->arena, 1, sizeof *copy);
    if (copy == NULL) return NULL;
    *copy = *object;
    copy->up = NULL;
    copy->lead_size = 0;
    copy->held.capacity = copy->count;
    size_t room = gz_json_room(copy->kind, copy->count);
    copy->held.items = gz_arena_take(&document->arena, room + 1, sizeof *copy->held.items);
    if (copy->held.items == NULL) return NULL;
    if (copy->count > 0)
        memcpy(copy->held.items, object->held.items, copy->count * sizeof *copy->held.items);
    gz_json_sort(copy);
    return copy;
}

enum gz_status gz_json_append(struct gz_json_document *document, struct gz_json *list,
                              struct gz_json *value)
{
    if (value == NULL) return GZ_NO_MEMORY;
    if (list->count >= list->held.capacity) {
        uint32_t capacity = list->count > 2 ? 2 * list->count : 4;
        struct gz_json **more =
            gz_arena_take(&document->arena, gz_json_room(list->kind, capacity), sizeof *more);
        if (more == NULL) return GZ_NO_MEMORY;
        if (list->count > 0) memcpy(more, list->held.items, list->count * sizeof *more);
        list->held.items = more;
        list->held.capacity = capacity;
    }
    value->up = list;
    list->held.items[list->count++] = value;
    gz_json_sort(list);
    mark_edited(list);
    return GZ_OK;
}

struct keep_others {
    const struct gz_json *object;
    const char *key;
    size_t but; /* the one of that name that stays */
};

static bool is_other(size_t index, void *context)
{
    const struct keep_others *others = context;
    const struct gz_json *member = others->object->held.items[index];
    return index == others->but ||
           compare_text(member->key, member->key_size, others->key, strlen(others->key)) != 0;
}

enum gz_status gz_json_set(struct gz_json_document *document, struct gz_json *object,
                           const char *key, struct gz_json *value)
{
    size_t lead_size, place = find_member(object, key);
    if (value == NULL) return GZ_NO_MEMORY;
    if (place < object->count) {
        const struct gz_json *old = object->held.items[place];
        value->lead = old->lead;
        value->lead_size = old->lead_size;
        value->key = old->key;
        value->key_size = old->key_size;
        value->up = object;
        object->held.items[place] = value;
        mark_edited(object);
        gz_json_retain(object, is_other, &(struct keep_others){object, key, place});
        gz_json_sort(object);
        return GZ_OK;
    }
    value->lead = quote(&document->arena, key, ":", &lead_size);
    if (value->lead == NULL) return GZ_NO_MEMORY;
    value->lead_size = (uint32_t)lead_size;
    value->key = value->lead + 1;
    value->key_size = (uint32_t)strlen(key);
    return gz_json_append(document, object, value);
}

void gz_json_retain(struct gz_json *list, bool (*keep)(size_t index, void *context), void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool stays = keep(i, context);
        if (!stays) mark_edited(list);
        if (stays) list->held.items[kept++] = list->held.items[i];
    }
    list->count = (uint32_t)kept;
    gz_json_sort(list);
}

void gz_json_remove(struct gz_json *object, const char *key)
{
    if (find_member(object, key) == object->count) return;
    gz_json_retain(object, is_other, &(struct keep_others){object, key, SIZE_MAX});
}

enum gz_status gz_json_renumber(struct gz_json_document *document, struct gz_json *number,
                                size_t to)
{
    char *text = gz_arena_take(&document->arena, 24, 1);
    if (text == NULL) return GZ_NO_MEMORY;
    number->size = (uint32_t)snprintf(text, 24, "%zu", to);
    number->text = text;
    mark_edited(number->up);
    return GZ_OK;
}

static bool is_regarded(size_t index, void *context)
{
    const struct gz_json *holder = context, *item = holder->held.items[index];
    return !item->is_disregarded || (holder->kind == GZ_JSON_LIST && item->kind != GZ_JSON_NUMBER);
}

static void forget_below(struct gz_json *holder, bool is_top_list)
{
    if (holder->kind != GZ_JSON_LIST && holder->kind != GZ_JSON_OBJECT) return;
    if (!is_top_list) gz_json_retain(holder, is_regarded, holder);
    for (size_t i = 0; i < holder->count; i++) forget_below(holder->held.items[i], false);
}

void gz_json_forget_disregarded(struct gz_json *root)
{
    gz_json_retain(root, is_regarded, root);
    for (size_t i = 0; i < root->count; i++)
        forget_below(root->held.items[i], root->held.items[i]->kind == GZ_JSON_LIST);
}

/* ---- writing ---- */

/* The blanks in front of the closing bracket. */
static size_t find_tail(const struct gz_json *holder)
{
    size_t tail = holder->size - 1;
    while (tail > 1 && strchr(" \t\r\n", holder->text[tail - 1]) != NULL) tail--;
    return tail;
}

/* As deep as there are edits inside each other: a list in a node of the list of nodes. */
enum gz_status gz_json_write(struct gz_buffer *out, const struct gz_json *value)
{
    if (!value->is_edited) return gz_buffer_append(out, value->text, value->size);
    enum gz_status status = gz_buffer_append(out, value->text, 1);
    for (size_t i = 0; i < value->count && status == GZ_OK; i++) {
        const struct gz_json *item = value->held.items[i];
        if (i > 0) status = gz_buffer_append(out, ",", 1);
        if (status == GZ_OK) status = gz_buffer_append(out, item->lead, item->lead_size);
        if (status == GZ_OK) status = gz_json_write(out, item);
    }
    size_t tail = find_tail(value);
    return status == GZ_OK ? gz_buffer_append(out, value->text + tail, value->size - tail) : status;
}
