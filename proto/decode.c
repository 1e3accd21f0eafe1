/* From bytes to messages, in up to three walks over a message:
 *   1. the envelope: is it well-formed and where does it end, which op, which rid;
 *   2. the check: every field is read by the message's table and judged; lists are read and not
 * kept;
 *   3. the fill, only for a message with lists that passed: their arrays are taken from the arena
 * and read again. So a refused message never takes memory for its structs, whatever it claims. The
 * one exception is the search for an id that comes twice, which sorts a copy of the ids: eight
 * bytes each, in step with their bytes. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/text.h"
#include "proto/fields.h"
#include "proto/limits.h"
#include "proto/read.h"

/* The smallest record that holds an id, in bytes: {id: 1}, and in the packed form [0, 1]. */
#define RECORD_BYTES_MIN 5
#define PACKED_BYTES_MIN 3
/* Room for the path of a field, the longest being
 * "history.edits[999].changes[99999].before.parent". */
#define PATH_BYTES_MAX 96
/* Bytes of a key or op that came from outside and may be repeated in an error. */
#define ECHO_BYTES_MAX 32
/* Room for the names of fields of which one is needed. */
#define NAMES_BYTES_MAX 32

static_assert(sizeof(struct gz_create_node) <= GZ_DECODE_ACCEPTED_FACTOR_MAX * 7,
              "{name: \"\"} pays for its struct");
static_assert(sizeof(struct gz_set_node) + 8 <= GZ_DECODE_ACCEPTED_FACTOR_MAX * 5,
              "{id: 1} pays for its struct");
static_assert(sizeof(struct gz_node_state) + 8 <= GZ_DECODE_ACCEPTED_FACTOR_MAX * 5,
              "{id: 1} pays for its struct");
static_assert(sizeof(struct gz_node_state) + 8 <= GZ_DECODE_TOLD_FACTOR_MAX * PACKED_BYTES_MIN,
              "[0, 1] pays for its struct");
static_assert(sizeof(struct gz_move) + 8 <= GZ_DECODE_ACCEPTED_FACTOR_MAX * PACKED_BYTES_MIN,
              "[0, 1] pays for its struct");
static_assert(sizeof(struct gz_motion_step) + 8 <= GZ_DECODE_ACCEPTED_FACTOR_MAX * PACKED_BYTES_MIN,
              "[0, 1] pays for its struct");
static_assert(sizeof(struct gz_change_message) + 8 <= GZ_DECODE_ACCEPTED_FACTOR_MAX * 12,
              "{id: 1, after: {}} pays");

/* The path to the field that is being read, from the inside out; for errors only. */
struct place {
    const struct place *above;
    const char *key; /* NULL: an element of the list above */
    size_t index;
};

struct decoder {
    struct gz_msgpack_reader reader;
    struct gz_arena *arena;
    struct gz_message *message;
    struct gz_error *error;
    size_t list_max; /* elements of a list */
    bool filling;    /* the third walk */
    bool lists;      /* the second walk found a list that needs memory */
    gz_vec3 euler;   /* of the node that is being read */
    int order;
};

/* One field that is being read. */
struct slot {
    struct decoder *decoder;
    const struct gz_row *row;
    void *base; /* the struct of its record */
    uint64_t *has;
    struct place place;
};

size_t gz_decode_bytes_max(size_t frame_size)
{
    return frame_size * GZ_DECODE_TOLD_FACTOR_MAX + GZ_DECODE_BYTES_FLOOR;
}

/* ---- Errors ---- */

static size_t write_path(const struct place *place, char path[PATH_BYTES_MAX])
{
    if (place == NULL) return 0;
    size_t used = write_path(place->above, path);
    size_t left = PATH_BYTES_MAX - used;
    int size = place->key != NULL
                   ? snprintf(path + used, left, "%s%s", used > 0 ? "." : "", place->key)
                   : snprintf(path + used, left, "[%zu]", place->index);
    return size < (int)left ? used + (size_t)size : PATH_BYTES_MAX - 1;
}

static enum gz_status fail(struct decoder *decoder, const struct place *place,
                           enum gz_status status, const char *what)
{
    char path[PATH_BYTES_MAX] = "";
    write_path(place, path);
    return gz_fail(decoder->error, status, "%s: %s", path, what);
}

static enum gz_status bad_message(const struct slot *slot, const char *what)
{
    return fail(slot->decoder, &slot->place, GZ_BAD_MESSAGE, what);
}

static enum gz_status bad_value(const struct slot *slot, const char *what)
{
    return fail(slot->decoder, &slot->place, GZ_BAD_VALUE, what);
}

/* Element `index` of the list in the slot. */
static enum gz_status bad_element(const struct slot *slot, size_t index, enum gz_status status,
                                  const char *what)
{
    struct place element = {&slot->place, NULL, index};
    return fail(slot->decoder, &element, status, what);
}

static enum gz_status take(struct decoder *decoder, const struct place *place, size_t count,
                           size_t size, void *memory)
{
    void *taken = gz_arena_take(decoder->arena, count, size);
    memcpy(memory, &taken, sizeof taken);
    if (taken != NULL) return GZ_OK;
    bool room = size <= (decoder->arena->max - decoder->arena->used) / count;
    return fail(decoder, place, room ? GZ_NO_MEMORY : GZ_TOO_LARGE,
                room ? "no memory" : "more than may be decoded");
}

/* ---- Values ---- */

static void *target(const struct slot *slot)
{
    return (char *)slot->base + slot->row->offset;
}

/* The envelope's walk has found the message well-formed, so this cannot fail on its content. */
static struct gz_head next_head(struct decoder *decoder)
{
    struct gz_head head = {.type = GZ_MSGPACK_NIL};
    if (gz_read_head(&decoder->reader, &head) != GZ_READ_OK) head.type = GZ_MSGPACK_NIL;
    return head;
}

static bool is_number(const struct gz_head *head)
{
    return head->type == GZ_MSGPACK_POSITIVE_INTEGER || head->type == GZ_MSGPACK_NEGATIVE_INTEGER ||
           head->type == GZ_MSGPACK_FLOAT32 || head->type == GZ_MSGPACK_FLOAT64;
}

/* Why a number is no whole number from `least` to below 2^53; NULL if it is one. */
static const char *whole_fault(const struct gz_head *head, uint64_t least)
{
    if (head->type == GZ_MSGPACK_POSITIVE_INTEGER) {
        if (head->count >= GZ_ID_LIMIT) return "2^53 or more";
        return head->count < least ? "0 is not an id" : NULL;
    }
    if (!isfinite(head->number)) return "not finite";
    if (head->number < 0) return "negative";
    if (head->number >= (double)GZ_ID_LIMIT) return "2^53 or more";
    if (head->number != floor(head->number)) return "not a whole number";
    return head->number < (double)least ? "0 is not an id" : NULL;
}

static uint64_t whole_value(const struct gz_head *head)
{
    return head->type == GZ_MSGPACK_POSITIVE_INTEGER ? head->count : (uint64_t)head->number;
}

static enum gz_status store_whole(const struct slot *slot, const struct gz_head *head,
                                  uint64_t least)
{
    const char *fault = whole_fault(head, least);
    if (fault != NULL) return bad_value(slot, fault);
    uint64_t value = whole_value(head);
    if (slot->row->rule == GZ_FIELD_RULE_ROWS && value > GZ_HISTORY_ROWS_MAX)
        return bad_value(slot, "more than 1000");
    if (slot->row->rule == GZ_FIELD_RULE_POINTS && value > GZ_PATH_POINTS_MAX)
        return bad_value(slot, "more than 65536");
    memcpy(target(slot), &value, sizeof value);
    return GZ_OK;
}
static_assert(GZ_HISTORY_ROWS_MAX == 1000, "the text above says so");

static enum gz_status read_op(const struct slot *slot)
{
    next_head(slot->decoder);
    return GZ_OK;
}

static enum gz_status read_bool(const struct slot *slot)
{
    struct gz_head head = next_head(slot->decoder);
    if (head.type != GZ_MSGPACK_BOOLEAN) return bad_message(slot, "expected true or false");
    *(bool *)target(slot) = head.count == 1;
    return GZ_OK;
}

static enum gz_status read_count(const struct slot *slot)
{
    struct gz_head head = next_head(slot->decoder);
    if (!is_number(&head)) return bad_message(slot, "expected an unsigned integer");
    return store_whole(slot, &head, 0);
}

static enum gz_status read_id(const struct slot *slot)
{
    struct gz_head head = next_head(slot->decoder);
    if (!is_number(&head)) return bad_message(slot, "expected an id");
    return store_whole(slot, &head, 1);
}

static enum gz_status store_parent(const struct slot *slot, const struct gz_head *head,
                                   const char *expected)
{
    if (head->type == GZ_MSGPACK_NIL) {
        *(uint64_t *)target(slot) = 0;
        return GZ_OK;
    }
    if (!is_number(head)) return bad_message(slot, expected);
    return store_whole(slot, head, 1);
}

static enum gz_status read_parent(const struct slot *slot)
{
    struct gz_head head = next_head(slot->decoder);
    return store_parent(slot, &head, "expected an id or nil");
}

static enum gz_status store_text(const struct slot *slot, const struct gz_head *head,
                                 size_t bytes_max, struct gz_text *text)
{
    if (head->count > bytes_max) return bad_value(slot, "too long");
    if (!gz_text_valid((const char *)head->bytes, head->count))
        return bad_value(slot, "not UTF-8, or with NUL");
    *text = (struct gz_text){(const char *)head->bytes, head->count};
    return GZ_OK;
}

static enum gz_status read_parent_or_ref(const struct slot *slot)
{
    struct gz_create_node *node = slot->base;
    struct gz_head head = next_head(slot->decoder);
    if (head.type != GZ_MSGPACK_STR) {
        *slot->has |= GZ_HAS_CREATE_NODE_PARENT;
        return store_parent(slot, &head, "expected an id, an earlier ref, or nil");
    }
    *slot->has |= GZ_HAS_CREATE_NODE_PARENT_REF;
    return store_text(slot, &head, GZ_NAME_BYTES_MAX, &node->parent_ref);
}

static bool is_scene_name(struct gz_text name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.bytes[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!letter && (i == 0 || (c != '_' && c != '-'))) return false;
    }
    return name.size > 0;
}

static enum gz_status read_text(const struct slot *slot)
{
    struct gz_head head = next_head(slot->decoder);
    if (head.type != GZ_MSGPACK_STR) return bad_message(slot, "expected a text");
    struct gz_text *text = target(slot);
    enum gz_status status = store_text(slot, &head, slot->row->size_max, text);
    if (status != GZ_OK) return status;
    if (slot->row->rule == GZ_FIELD_RULE_NOT_EMPTY && text->size == 0)
        return bad_value(slot, "empty");
    if (slot->row->rule == GZ_FIELD_RULE_SCENE_NAME && !is_scene_name(*text)) {
        return bad_value(slot, "not of the form [a-z0-9][a-z0-9_-]{0,63}");
    }
    return GZ_OK;
}

static enum gz_status unknown_word(const struct slot *slot, const struct place *place)
{
    if (slot->row->terms == &gz_handle_words) {
        return fail(slot->decoder, place, GZ_UNKNOWN_HANDLE, "no handle has this name");
    }
    return fail(slot->decoder, place, GZ_BAD_VALUE, "unknown word");
}

static enum gz_status read_term(const struct slot *slot, int *value)
{
    struct gz_head head = next_head(slot->decoder);
    if (head.type != GZ_MSGPACK_STR) return bad_message(slot, "expected a word");
    *value = gz_vocabulary_value(slot->row->terms, (const char *)head.bytes, head.count);
    return *value >= 0 ? GZ_OK : unknown_word(slot, &slot->place);
}

static enum gz_status read_word(const struct slot *slot)
{
    int value = 0;
    enum gz_status status = read_term(slot, &value);
    if (status == GZ_OK) memcpy(target(slot), &value, sizeof value);
    return status;
}
static_assert(sizeof(enum gz_mode) == sizeof(int), "a word is stored as an int");

static enum gz_status read_choice(const struct slot *slot)
{
    int value = 0;
    enum gz_status status = read_term(slot, &value);
    if (status == GZ_OK) *(bool *)target(slot) = value == 1;
    return status;
}

static enum gz_status read_words(const struct slot *slot)
{
    struct gz_head list = next_head(slot->decoder);
    if (list.type != GZ_MSGPACK_ARRAY) return bad_message(slot, "expected a list of words");
    uint64_t bits = 0;
    for (size_t i = 0; i < list.count; i++) {
        struct place element = {&slot->place, NULL, i};
        struct gz_head head = next_head(slot->decoder);
        if (head.type != GZ_MSGPACK_STR)
            return fail(slot->decoder, &element, GZ_BAD_MESSAGE, "expected a word");
        int value = gz_vocabulary_value(slot->row->terms, (const char *)head.bytes, head.count);
        if (value < 0) return unknown_word(slot, &element);
        bits |= UINT64_C(1) << value;
    }
    *(uint64_t *)target(slot) = bits;
    return GZ_OK;
}

static enum gz_status read_status(const struct slot *slot)
{
    struct gz_head head = next_head(slot->decoder);
    if (head.type != GZ_MSGPACK_STR) return bad_message(slot, "expected a word");
    *(enum gz_status *)target(slot) = gz_status_from_word((const char *)head.bytes, head.count);
    return GZ_OK;
}

static enum gz_status read_rgb(const struct slot *slot)
{
    struct gz_head head = next_head(slot->decoder);
    if (!is_number(&head)) return bad_message(slot, "expected a colour as an integer");
    const char *fault = whole_fault(&head, 0);
    if (fault == NULL && whole_value(&head) > 0xffffff) fault = "beyond 0xffffff";
    if (fault != NULL) return bad_value(slot, fault);
    *(uint32_t *)target(slot) = (uint32_t)whole_value(&head);
    return GZ_OK;
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static enum gz_status read_colour(const struct slot *slot)
{
    struct gz_head head = next_head(slot->decoder);
    if (head.type != GZ_MSGPACK_STR) return bad_message(slot, "expected a colour as #rrggbb");
    if (head.count != 7 || head.bytes[0] != '#') return bad_value(slot, "not of the form #rrggbb");
    uint32_t rgb = 0;
    for (size_t i = 1; i < 7; i++) {
        int digit = hex_digit(head.bytes[i]);
        if (digit < 0) return bad_value(slot, "not of the form #rrggbb");
        rgb = rgb << 4 | (uint32_t)digit;
    }
    *(uint32_t *)target(slot) = rgb;
    return GZ_OK;
}

/* ---- Numbers and their rules ---- */

static const char *number_fault(enum gz_field_rule rule, double number)
{
    if (!isfinite(number)) return "not finite";
    switch (rule) {
    case GZ_FIELD_RULE_POSITIVE: return number > 0 ? NULL : "not above 0";
    case GZ_FIELD_RULE_NOT_NEGATIVE: return number >= 0 ? NULL : "negative";
    case GZ_FIELD_RULE_SCALE:
        if (number != 0 && fabs(number) < GZ_SCALE_MIN) return "a scale nearer to 0 than 1e-15";
        break;
    case GZ_FIELD_RULE_COORDINATE:
    case GZ_FIELD_RULE_RAY:
    case GZ_FIELD_RULE_VIEWPORT:
    case GZ_FIELD_RULE_BOX:
    case GZ_FIELD_RULE_RECT: break;
    default: return NULL;
    }
    return fabs(number) > GZ_COORDINATE_MAX ? "beyond 1e15" : NULL;
}

static void put_in_order(double *low, double *high)
{
    if (*low <= *high) return;
    double kept = *low;
    *low = *high;
    *high = kept;
}

static const char *quaternion_fault(double *numbers)
{
    gz_quat unit;
    if (!gz_quat_normalize((gz_quat){numbers[0], numbers[1], numbers[2], numbers[3]}, &unit))
        return "zero quaternion";
    memcpy(numbers, &unit, sizeof unit);
    return NULL;
}

/* Why the numbers of a field break its rule; NULL if they do not. */
static const char *numbers_fault(enum gz_field_rule rule, double *numbers)
{
    switch (rule) {
    case GZ_FIELD_RULE_QUATERNION: return quaternion_fault(numbers);
    case GZ_FIELD_RULE_RAY:
        return numbers[3] == 0 && numbers[4] == 0 && numbers[5] == 0 ? "zero direction" : NULL;
    case GZ_FIELD_RULE_VIEWPORT: return numbers[2] > 0 && numbers[3] > 0 ? NULL : "empty viewport";
    case GZ_FIELD_RULE_BOX:
        for (int i = 0; i < 3; i++) {
            if (numbers[i] > numbers[i + 3]) return "min above max";
        }
        return NULL;
    case GZ_FIELD_RULE_RECT:
        put_in_order(&numbers[0], &numbers[2]);
        put_in_order(&numbers[1], &numbers[3]);
        return NULL;
    default: return NULL;
    }
}

static enum gz_status wrong_count(const struct slot *slot, size_t count)
{
    char what[48];
    snprintf(what, sizeof what, "expected a list of %zu numbers", count);
    return bad_message(slot, what);
}

static enum gz_status read_number_elements(const struct slot *slot, size_t count,
                                           enum gz_field_rule rule, double *numbers)
{
    for (size_t i = 0; i < count; i++) {
        struct gz_head head = next_head(slot->decoder);
        if (!is_number(&head)) return bad_element(slot, i, GZ_BAD_MESSAGE, "expected a number");
        const char *fault = number_fault(rule, head.number);
        if (fault != NULL) return bad_element(slot, i, GZ_BAD_VALUE, fault);
        numbers[i] = head.number;
    }
    const char *fault = numbers_fault(rule, numbers);
    return fault != NULL ? bad_value(slot, fault) : GZ_OK;
}

static enum gz_status read_number_list(const struct slot *slot, size_t count,
                                       enum gz_field_rule rule, double *numbers)
{
    struct gz_head list = next_head(slot->decoder);
    if (list.type != GZ_MSGPACK_ARRAY || list.count != count) return wrong_count(slot, count);
    return read_number_elements(slot, count, rule, numbers);
}

static enum gz_status read_numbers(const struct slot *slot)
{
    const struct gz_row *row = slot->row;
    if (row->size_max > 1) return read_number_list(slot, row->size_max, row->rule, target(slot));
    struct gz_head head = next_head(slot->decoder);
    if (!is_number(&head)) return bad_message(slot, "expected a number");
    const char *fault = number_fault(row->rule, head.number);
    if (fault != NULL) return bad_value(slot, fault);
    *(double *)target(slot) = head.number;
    return GZ_OK;
}

static enum gz_status read_value(const struct slot *slot)
{
    struct gz_value *value = target(slot);
    struct gz_head head = next_head(slot->decoder);
    bool list = head.type == GZ_MSGPACK_ARRAY, bare = slot->row->kind == GZ_KIND_VALUE;
    if (list ? head.count < 1 || head.count > 2 : !bare || !is_number(&head))
        return bad_message(slot, bare ? "expected a number, or a list of one or two"
                                      : "expected a list of one or two");
    value->count = list ? (uint32_t)head.count : 1;
    for (uint32_t i = 0; i < value->count; i++) {
        if (list) head = next_head(slot->decoder);
        if (!is_number(&head)) return bad_element(slot, i, GZ_BAD_MESSAGE, "expected a number");
        const char *fault = number_fault(slot->row->rule, head.number);
        if (fault != NULL)
            return list ? bad_element(slot, i, GZ_BAD_VALUE, fault) : bad_value(slot, fault);
        value->numbers[i] = head.number;
    }
    return GZ_OK;
}

/* Whether a list comes next, without taking it. */
static bool list_is_next(const struct decoder *decoder)
{
    struct gz_msgpack_reader ahead = decoder->reader;
    struct gz_head head;
    return gz_read_head(&ahead, &head) == GZ_READ_OK && head.type == GZ_MSGPACK_ARRAY;
}

static enum gz_status read_pivot(const struct slot *slot)
{
    struct gz_tool_message *tool = slot->base;
    if (!list_is_next(slot->decoder)) return read_word(slot);
    tool->pivot = GZ_PIVOT_POINT;
    return read_number_list(slot, 3, GZ_FIELD_RULE_COORDINATE, &tool->pivot_point.x);
}

static enum gz_status read_euler(const struct slot *slot)
{
    return read_number_list(slot, 3, GZ_FIELD_RULE_COORDINATE, &slot->decoder->euler.x);
}

static enum gz_status read_order(const struct slot *slot)
{
    return read_term(slot, &slot->decoder->order);
}

/* ---- Lists of ids ---- */

/* The bytes that `count` different ids take at least: 127 of them one byte, 128 two, the others
 * three or more. */
static size_t ids_bytes_min(size_t count)
{
    return count <= 127 ? count : count <= 255 ? 2 * count - 127 : 3 * count - 382;
}

static void sift_down(uint64_t *ids, size_t root, size_t count)
{
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && ids[child] < ids[child + 1]) child++;
        if (ids[root] >= ids[child]) return;
        uint64_t kept = ids[root];
        ids[root] = ids[child];
        ids[child] = kept;
        root = child;
    }
}

/* Heapsort: no memory, and no input that makes it slow. */
static void sort_ids(uint64_t *ids, size_t count)
{
    for (size_t root = count / 2; root-- > 0;) sift_down(ids, root, count);
    for (size_t last = count; last-- > 1;) {
        uint64_t kept = ids[0];
        ids[0] = ids[last];
        ids[last] = kept;
        sift_down(ids, 0, last);
    }
}

static enum gz_status refuse_twice(const struct slot *slot, uint64_t *ids, size_t count)
{
    sort_ids(ids, count);
    for (size_t i = 1; i < count; i++) {
        if (ids[i] != ids[i - 1]) continue;
        char what[48];
        snprintf(what, sizeof what, "id %llu is given twice", (unsigned long long)ids[i]);
        return bad_value(slot, what);
    }
    return GZ_OK;
}

static enum gz_status read_list_head(const struct slot *slot, const char *expected, size_t *count)
{
    struct gz_head list = next_head(slot->decoder);
    if (list.type != GZ_MSGPACK_ARRAY) return bad_message(slot, expected);
    if (list.count > slot->decoder->list_max) {
        char what[48];
        snprintf(what, sizeof what, "more than %zu elements", slot->decoder->list_max);
        return fail(slot->decoder, &slot->place, GZ_TOO_MANY, what);
    }
    *count = list.count;
    return GZ_OK;
}

/* Reads a list that the check has accepted. */
static void copy_ids(struct decoder *decoder, uint64_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct gz_head head = next_head(decoder);
        ids[i] = whole_value(&head);
    }
}

/* Each id is valid, but they are not in ascending order, so one may be there twice. */
static enum gz_status check_unordered(const struct slot *slot, const uint8_t *start, size_t count)
{
    struct decoder *decoder = slot->decoder;
    size_t bytes = (size_t)(decoder->reader.at - start);
    if (bytes < ids_bytes_min(count)) return bad_value(slot, "an id is given twice");
    uint64_t *ids;
    enum gz_status status = take(decoder, &slot->place, count, sizeof *ids, &ids);
    if (status != GZ_OK) return status;
    decoder->reader.at = start;
    copy_ids(decoder, ids, count);
    return refuse_twice(slot, ids, count);
}

static enum gz_status check_ids(const struct slot *slot, size_t count)
{
    struct decoder *decoder = slot->decoder;
    const uint8_t *start = decoder->reader.at;
    uint64_t last = 0;
    bool ascending = true;
    for (size_t i = 0; i < count; i++) {
        struct gz_head head = next_head(decoder);
        if (!is_number(&head)) return bad_element(slot, i, GZ_BAD_MESSAGE, "expected an id");
        const char *fault = whole_fault(&head, 1);
        if (fault != NULL) return bad_element(slot, i, GZ_BAD_VALUE, fault);
        if (whole_value(&head) <= last) ascending = false;
        last = whole_value(&head);
    }
    return ascending ? GZ_OK : check_unordered(slot, start, count);
}

static enum gz_status read_ids(const struct slot *slot)
{
    struct decoder *decoder = slot->decoder;
    struct gz_ids *list = target(slot);
    enum gz_status status = read_list_head(slot, "expected a list of ids", &list->count);
    if (status != GZ_OK || list->count == 0) return status;
    if (!decoder->filling) {
        decoder->lists = true;
        return check_ids(slot, list->count);
    }
    uint64_t *ids;
    status = take(decoder, &slot->place, list->count, sizeof *ids, &ids);
    if (status != GZ_OK) return status;
    copy_ids(decoder, ids, list->count);
    list->ids = ids;
    return GZ_OK;
}

/* ---- Records ---- */

static enum gz_status read_record(struct decoder *decoder, const struct gz_record_type *record,
                                  void *base, uint64_t *has, const struct place *place);

static enum gz_status read_group(const struct slot *slot)
{
    return read_record(slot->decoder, slot->row->record, slot->base, slot->has, &slot->place);
}

/* Records without a `has` (tuples, hits) have only required fields; their bits are dropped. */
static enum gz_status read_struct(struct decoder *decoder, const struct gz_record_type *record,
                                  void *base, const struct place *place)
{
    uint64_t dropped = 0;
    bool own = !record->tuple && record->has_offset < record->size;
    return read_record(decoder, record, base,
                       own ? (uint64_t *)((char *)base + record->has_offset) : &dropped, place);
}

static enum gz_status read_inner(const struct slot *slot)
{
    return read_struct(slot->decoder, slot->row->record, target(slot), &slot->place);
}

/* The second walk over a list of records: each is read into the same union, which fields.c checks
 * to have room for every element, and forgotten. */
static enum gz_status check_records(const struct slot *slot, size_t count)
{
    struct decoder *decoder = slot->decoder;
    const struct gz_record_type *record = slot->row->record;
    uint64_t *ids = NULL;
    enum gz_status status = GZ_OK;
    if (record->unique) {
        size_t left = (size_t)(decoder->reader.end - decoder->reader.at);
        if (count > left / (record->packed ? PACKED_BYTES_MIN : RECORD_BYTES_MIN))
            return bad_message(slot, "too few bytes for an id in each element");
        status = take(decoder, &slot->place, count, sizeof *ids, &ids);
    }
    for (size_t i = 0; i < count && status == GZ_OK; i++) {
        union gz_element scratch;
        struct place element = {&slot->place, NULL, i};
        memset(&scratch, 0, record->size);
        status = read_struct(decoder, record, &scratch, &element);
        if (ids != NULL) memcpy(&ids[i], (char *)&scratch + record->rows[0].offset, sizeof *ids);
    }
    if (status != GZ_OK || ids == NULL) return status;
    return refuse_twice(slot, ids, count);
}

static enum gz_status fill_records(const struct slot *slot, size_t count)
{
    struct decoder *decoder = slot->decoder;
    const struct gz_record_type *record = slot->row->record;
    char *structs;
    enum gz_status status = take(decoder, &slot->place, count, record->size, &structs);
    if (status != GZ_OK) return status;
    memcpy(target(slot), &structs, sizeof structs);
    for (size_t i = 0; i < count && status == GZ_OK; i++) {
        struct place element = {&slot->place, NULL, i};
        status = read_struct(decoder, record, structs + i * record->size, &element);
    }
    return status;
}

static enum gz_status read_records(const struct slot *slot)
{
    size_t count = 0;
    enum gz_status status = read_list_head(slot, "expected a list", &count);
    if (status != GZ_OK || count == 0) return status;
    *(size_t *)((char *)slot->base + slot->row->count_offset) = count;
    if (slot->decoder->filling) return fill_records(slot, count);
    slot->decoder->lists = true;
    return check_records(slot, count);
}

static enum gz_status (*const readers[GZ_KIND_COUNT_OF_KINDS])(const struct slot *slot) = {
    [GZ_KIND_OP] = read_op,
    [GZ_KIND_BOOL] = read_bool,
    [GZ_KIND_CHOICE] = read_choice,
    [GZ_KIND_COUNT] = read_count,
    [GZ_KIND_ID] = read_id,
    [GZ_KIND_PARENT] = read_parent,
    [GZ_KIND_PARENT_OR_REF] = read_parent_or_ref,
    [GZ_KIND_RGB] = read_rgb,
    [GZ_KIND_COLOUR] = read_colour,
    [GZ_KIND_NUMBERS] = read_numbers,
    [GZ_KIND_VALUE] = read_value,
    [GZ_KIND_VALUES] = read_value,
    [GZ_KIND_TEXT] = read_text,
    [GZ_KIND_WORD] = read_word,
    [GZ_KIND_WORDS] = read_words,
    [GZ_KIND_STATUS] = read_status,
    [GZ_KIND_PIVOT] = read_pivot,
    [GZ_KIND_EULER] = read_euler,
    [GZ_KIND_ORDER] = read_order,
    [GZ_KIND_GROUP] = read_group,
    [GZ_KIND_RECORD] = read_inner,
    [GZ_KIND_IDS] = read_ids,
    [GZ_KIND_RECORDS] = read_records,
};

static enum gz_status read_field(struct decoder *decoder, const struct gz_row *row, void *base,
                                 uint64_t *has, const struct place *place)
{
    struct slot slot = {decoder, row, base, has, {place, row->key, 0}};
    if (row->envelope) {
        slot.base = decoder->message;
        slot.has = &decoder->message->has;
    }
    enum gz_status status = readers[row->kind](&slot);
    /* A parent that is a ref has set its own bit. */
    if (status == GZ_OK && row->kind != GZ_KIND_PARENT_OR_REF) *slot.has |= row->has;
    return status;
}

/* Most writers keep the order of the table, so the search begins after the row that was found
 * last. */
static size_t find_row(const struct gz_record_type *record, const struct gz_head *key, size_t first)
{
    for (size_t i = 0; i < record->count; i++) {
        size_t row = first + i < record->count ? first + i : first + i - record->count;
        if (gz_head_is_word(key, record->rows[row].key, record->rows[row].key_size)) return row;
    }
    return record->count;
}

static enum gz_status check_missing(struct decoder *decoder, const struct gz_record_type *record,
                                    uint64_t has, uint64_t seen, const struct place *place)
{
    for (size_t row = 0; row < record->count; row++) {
        if (!record->rows[row].required || (seen >> row & 1) != 0) continue;
        if ((has & record->rows[row].unless) != 0) continue;
        struct place missing = {place, record->rows[row].key, 0};
        return fail(decoder, &missing, GZ_BAD_MESSAGE, "missing");
    }
    return GZ_OK;
}

/* The names of these fields: "at, ray". */
static void name_fields(const struct gz_record_type *record, uint64_t bits,
                        char names[NAMES_BYTES_MAX])
{
    size_t used = 0;
    for (size_t row = 0; row < record->count && used < NAMES_BYTES_MAX; row++) {
        if ((record->rows[row].has & bits) == 0) continue;
        int size = snprintf(names + used, NAMES_BYTES_MAX - used, "%s%s", used > 0 ? ", " : "",
                            record->rows[row].key);
        used += (size_t)size;
    }
}

static enum gz_status missing_one_of(struct decoder *decoder, const struct gz_record_type *record,
                                     uint64_t bits, const struct place *place)
{
    char names[NAMES_BYTES_MAX] = "", what[NAMES_BYTES_MAX + 32];
    name_fields(record, bits, names);
    snprintf(what, sizeof what, "one of %s is missing", names);
    return fail(decoder, place, GZ_BAD_MESSAGE, what);
}

static enum gz_status check_one_of(struct decoder *decoder, const struct gz_record_type *record,
                                   uint64_t has, const struct place *place)
{
    char names[NAMES_BYTES_MAX] = "", what[NAMES_BYTES_MAX + 32];
    uint64_t there = has & record->at_most_one;
    if ((there & (there - 1)) != 0) {
        name_fields(record, record->at_most_one, names);
        snprintf(what, sizeof what, "only one of %s may be given", names);
        return fail(decoder, place, GZ_BAD_VALUE, what);
    }
    if (record->at_least_one == 0 || (has & record->at_least_one) != 0) return GZ_OK;
    return missing_one_of(decoder, record, record->at_least_one, place);
}

static void turn_euler_into_r(struct decoder *decoder, struct gz_set_node *node)
{
    if ((node->has & GZ_HAS_SET_NODE_EULER) == 0) return;
    gz_quat r = gz_quat_from_euler(decoder->euler, (enum gz_euler_order)decoder->order);
    if (!gz_quat_normalize(r, &node->trs.r)) node->trs.r = gz_quat_identity;
    node->has |= GZ_HAS_SET_NODE_R;
}

static enum gz_status apply_record_rule(struct decoder *decoder,
                                        const struct gz_record_type *record, void *base,
                                        uint64_t has, uint64_t seen, const struct place *place)
{
    struct gz_pointer_message *pointer = base;
    switch (record->rule) {
    case GZ_RECORD_PLAIN: break;
    case GZ_RECORD_POINTER:
        if (pointer->phase == GZ_PHASE_UP || pointer->phase == GZ_PHASE_CANCEL) break;
        if ((has & record->at_most_one) != 0) break;
        return missing_one_of(decoder, record, record->at_most_one, place);
    case GZ_RECORD_GRAB:
        for (size_t row = 0; row < record->count; row++) {
            bool phase_said = record->rows[row].terms == &gz_phase_words && (seen >> row & 1) != 0;
            if (!phase_said || pointer->phase == GZ_PHASE_DOWN) continue;
            return fail(decoder, &(struct place){place, "phase", 0}, GZ_BAD_VALUE,
                        "must be down for a grab");
        }
        pointer->phase = GZ_PHASE_DOWN;
        break;
    case GZ_RECORD_SET_NODE:
        if ((has & GZ_HAS_SET_NODE_T) != 0 && (has & GZ_HAS_SET_NODE_XYZ) != 0)
            return fail(decoder, place, GZ_BAD_VALUE, "either t or x, y and z may be given");
        turn_euler_into_r(decoder, base);
        break;
    }
    return GZ_OK;
}

static enum gz_status read_tuple(struct decoder *decoder, const struct gz_record_type *record,
                                 void *base, uint64_t *has, const struct place *place)
{
    struct gz_head list = next_head(decoder);
    if (list.type != GZ_MSGPACK_ARRAY || list.count != record->count) {
        char what[48];
        snprintf(what, sizeof what, "expected a list of %zu numbers", record->count);
        return fail(decoder, place, GZ_BAD_MESSAGE, what);
    }
    enum gz_status status = GZ_OK;
    for (size_t row = 0; row < record->count && status == GZ_OK; row++) {
        status = read_field(decoder, &record->rows[row], base, has, place);
    }
    return status;
}

/* ---- The packed form ---- */

/* The rows that are present, as the bits of their places. */
static enum gz_status read_mask(struct decoder *decoder, const struct gz_record_type *record,
                                const struct place *place, uint64_t *there)
{
    struct gz_head head = next_head(decoder);
    struct place mask = {place, "mask", 0};
    if (head.type != GZ_MSGPACK_POSITIVE_INTEGER)
        return fail(decoder, &mask, GZ_BAD_MESSAGE, "expected an unsigned integer");
    unsigned bit = 0;
    *there = 0;
    for (size_t row = 0; row < record->count; row++) {
        const bool is_there = record->rows[row].required || (head.count >> bit & 1) != 0;
        *there |= (uint64_t)is_there << row;
        bit += !record->rows[row].required;
    }
    if (head.count >> bit != 0)
        return fail(decoder, &mask, GZ_BAD_MESSAGE, "the mask has bits without a field");
    return GZ_OK;
}

static enum gz_status read_packed_field(struct decoder *decoder, const struct gz_row *row,
                                        void *base, uint64_t *has, const struct place *place)
{
    struct slot slot = {decoder, row, base, has, {place, row->key, 0}};
    if (gz_row_elements(row) == 1) return read_field(decoder, row, base, has, place);
    *has |= row->has;
    switch (row->kind) {
    case GZ_KIND_BOOL: *(bool *)target(&slot) = true; return GZ_OK;
    case GZ_KIND_WHOLE: ((struct gz_node_state *)base)->trs = gz_trs_identity; return GZ_OK;
    default: return read_number_elements(&slot, row->size_max, row->rule, target(&slot));
    }
}

/* Reads the mask of a packed record, and checks that its list is long enough. */
static enum gz_status read_packed_head(struct decoder *decoder, const struct gz_record_type *record,
                                       const struct place *place, uint64_t *there)
{
    struct gz_head list = next_head(decoder);
    size_t elements = 1 + (record->number != 0);
    if (list.type != GZ_MSGPACK_ARRAY || list.count < elements)
        return fail(decoder, place, GZ_BAD_MESSAGE, "expected a list in the packed form");
    if (record->number != 0) next_head(decoder); /* the envelope's walk has read it */
    enum gz_status status = read_mask(decoder, record, place, there);
    if (status != GZ_OK) return status;
    for (size_t row = 0; row < record->count; row++)
        elements += (*there >> row & 1) != 0 ? gz_row_elements(&record->rows[row]) : 0;
    if (list.count != elements)
        return fail(decoder, place, GZ_BAD_MESSAGE, "the mask does not fit the length of the list");
    return GZ_OK;
}

static enum gz_status read_packed(struct decoder *decoder, const struct gz_record_type *record,
                                  void *base, uint64_t *has, const struct place *place)
{
    uint64_t there = 0;
    enum gz_status status = read_packed_head(decoder, record, place, &there);
    for (size_t row = 0; row < record->count && status == GZ_OK; row++) {
        if ((there >> row & 1) != 0)
            status = read_packed_field(decoder, &record->rows[row], base, has, place);
    }
    return status;
}

/* ---- Maps ---- */

static enum gz_status read_fields(struct decoder *decoder, const struct gz_record_type *record,
                                  void *base, uint64_t *has, const struct place *place,
                                  uint64_t *seen)
{
    struct gz_head map = next_head(decoder);
    if (map.type != GZ_MSGPACK_MAP) return fail(decoder, place, GZ_BAD_MESSAGE, "expected a map");
    size_t next = 0;
    for (size_t i = 0; i < map.count; i++) {
        struct gz_head key = next_head(decoder);
        if (key.type != GZ_MSGPACK_STR)
            return fail(decoder, place, GZ_BAD_MESSAGE, "a key is not a text");
        size_t row = find_row(record, &key, next);
        if (row == record->count) {
            if (gz_read_skip(&decoder->reader, 0) != GZ_READ_OK)
                return fail(decoder, place, GZ_BAD_MESSAGE, "cut off");
            continue;
        }
        if ((*seen >> row & 1) != 0) {
            return fail(decoder, &(struct place){place, record->rows[row].key, 0}, GZ_BAD_MESSAGE,
                        "given twice");
        }
        *seen |= UINT64_C(1) << row;
        next = row + 1;
        enum gz_status status = read_field(decoder, &record->rows[row], base, has, place);
        if (status != GZ_OK) return status;
    }
    return GZ_OK;
}

static enum gz_status read_record(struct decoder *decoder, const struct gz_record_type *record,
                                  void *base, uint64_t *has, const struct place *place)
{
    if (record->tuple) return read_tuple(decoder, record, base, has, place);
    decoder->order = GZ_XYZ;
    uint64_t seen = 0;
    if (record->packed) {
        enum gz_status status = read_packed(decoder, record, base, has, place);
        return status == GZ_OK ? check_one_of(decoder, record, *has, place) : status;
    }
    enum gz_status status = read_fields(decoder, record, base, has, place, &seen);
    if (status == GZ_OK) status = check_missing(decoder, record, *has, seen, place);
    if (status == GZ_OK) status = check_one_of(decoder, record, *has, place);
    if (status == GZ_OK) status = apply_record_rule(decoder, record, base, *has, seen, place);
    return status;
}

/* ---- The envelope ---- */

struct envelope {
    const uint8_t *end;
    struct gz_head op, rid; /* type NIL if it was not there */
    uint64_t number;        /* of a message in the packed form; 0 for a map */
};

/* A key for an error: as it came if it is short and clean. */
static void echo_key(const struct gz_head *key, char text[ECHO_BYTES_MAX + 1])
{
    bool clean = key->type == GZ_MSGPACK_STR && key->count <= ECHO_BYTES_MAX &&
                 gz_text_valid((const char *)key->bytes, key->count);
    snprintf(text, ECHO_BYTES_MAX + 1, "%.*s", clean ? (int)key->count : 7,
             clean ? (const char *)key->bytes : "message");
}

static enum gz_status broken(struct decoder *decoder, const struct gz_head *key,
                             enum gz_read result)
{
    char name[ECHO_BYTES_MAX + 1];
    echo_key(key, name);
    return gz_fail(decoder->error, GZ_BAD_MESSAGE, "%s: %s", name, gz_read_words(result));
}

static enum gz_read scan_pair(struct gz_msgpack_reader *reader, struct envelope *envelope,
                              struct gz_head *key)
{
    struct gz_msgpack_reader ahead = *reader;
    enum gz_read result = gz_read_skip(reader, 1);
    if (result != GZ_READ_OK) return result;
    struct gz_head found;
    if (gz_read_head(&ahead, &found) != GZ_READ_OK) return GZ_READ_SHORT;
    *key = found;
    ahead = *reader;
    result = gz_read_skip(reader, 1);
    if (result != GZ_READ_OK || gz_read_head(&ahead, &found) != GZ_READ_OK) return result;
    if (gz_head_is_word(key, "op", 2) && envelope->op.type == GZ_MSGPACK_NIL) envelope->op = found;
    if (gz_head_is_word(key, "rid", 3) && envelope->rid.type == GZ_MSGPACK_NIL)
        envelope->rid = found;
    return GZ_READ_OK;
}

/* A message that is not a map: it is in the packed form if a number comes first. */
static enum gz_status scan_list(struct decoder *decoder, enum gz_side side,
                                struct envelope *envelope)
{
    struct gz_msgpack_reader reader = decoder->reader, ahead = reader;
    struct gz_head list, first = {.type = GZ_MSGPACK_NIL};
    enum gz_read result = gz_read_skip(&reader, 0);
    if (result != GZ_READ_OK) return broken(decoder, &first, result);
    envelope->end = reader.at;
    bool is_list = gz_read_head(&ahead, &list) == GZ_READ_OK && side == GZ_FROM_SERVER &&
                   list.type == GZ_MSGPACK_ARRAY && list.count > 0;
    if (is_list && gz_read_head(&ahead, &first) == GZ_READ_OK &&
        first.type == GZ_MSGPACK_POSITIVE_INTEGER && first.count > 0) {
        envelope->number = first.count;
        return GZ_OK;
    }
    return gz_fail(decoder->error, GZ_BAD_MESSAGE, "message: expected a map");
}

/* Finds the end, the op and the rid. On an error the reader's end stays the end of the frame. */
static enum gz_status scan_envelope(struct decoder *decoder, enum gz_side side,
                                    struct envelope *envelope)
{
    struct gz_msgpack_reader reader = decoder->reader;
    struct gz_head head, key = {.type = GZ_MSGPACK_NIL};
    *envelope = (struct envelope){.op = key, .rid = key};
    enum gz_read result = gz_read_head(&reader, &head);
    if (result == GZ_READ_OK && head.type != GZ_MSGPACK_MAP)
        return scan_list(decoder, side, envelope);
    for (uint64_t i = 0; result == GZ_READ_OK && i < head.count; i++)
        result = scan_pair(&reader, envelope, &key);
    if (result != GZ_READ_OK) return broken(decoder, &key, result);
    envelope->end = reader.at;
    return GZ_OK;
}

static void note_rid(struct gz_message *message, const struct gz_head *rid)
{
    if (!is_number(rid) || whole_fault(rid, 0) != NULL) return;
    message->has = GZ_HAS_RID;
    message->rid = whole_value(rid);
}

static enum gz_status find_packed_op(struct decoder *decoder, uint64_t number)
{
    for (int candidate = GZ_OP_MOVES; candidate < GZ_OP_COUNT; candidate++) {
        if (gz_message_records[candidate].number != number) continue;
        decoder->message->op = (enum gz_op)candidate;
        return GZ_OK;
    }
    return gz_fail(decoder->error, GZ_UNKNOWN_OP, "op: %llu is not known",
                   (unsigned long long)number);
}

static enum gz_status find_op(struct decoder *decoder, enum gz_side side, const struct gz_head *op)
{
    if (op->type == GZ_MSGPACK_NIL) return gz_fail(decoder->error, GZ_BAD_MESSAGE, "op: missing");
    if (op->type != GZ_MSGPACK_STR)
        return gz_fail(decoder->error, GZ_BAD_MESSAGE, "op: expected a word");
    int first = side == GZ_FROM_CLIENT ? 0 : GZ_OP_CLIENT_COUNT;
    int end = side == GZ_FROM_CLIENT ? GZ_OP_CLIENT_COUNT : GZ_OP_MOVES;
    for (int candidate = first; candidate < end; candidate++) {
        const char *word = gz_op_word((enum gz_op)candidate);
        if (!gz_head_is_word(op, word, strlen(word))) continue;
        decoder->message->op = (enum gz_op)candidate;
        return GZ_OK;
    }
    char name[ECHO_BYTES_MAX + 1];
    echo_key(op, name);
    return gz_fail(decoder->error, GZ_UNKNOWN_OP, "op: \"%s\" is not known", name);
}

/* One walk over the fields of a message whose op is known, from its start. */
static enum gz_status read_message(struct decoder *decoder, const uint8_t *start)
{
    struct gz_message *message = decoder->message;
    *message = (struct gz_message){
        .op = message->op, .rid = message->rid, .has = message->has & GZ_HAS_RID};
    decoder->reader.at = start;
    struct place place = {NULL, gz_op_word(message->op), 0};
    return read_record(decoder, &gz_message_records[message->op], &message->hello,
                       gz_message_has(message), &place);
}

enum gz_status gz_decode(enum gz_side side, const uint8_t *bytes, size_t size, size_t *offset,
                         struct gz_arena *arena, struct gz_message *message, struct gz_error *error)
{
    *message = (struct gz_message){.op = GZ_OP_COUNT};
    if (*offset >= size) return gz_fail(error, GZ_BAD_MESSAGE, "message: the frame is empty");
    struct decoder decoder = {.reader = {bytes + *offset, bytes + size},
                              .arena = arena,
                              .message = message,
                              .error = error,
                              .list_max =
                                  side == GZ_FROM_CLIENT ? GZ_NODES_MAX : GZ_SERVER_LIST_MAX};
    const uint8_t *start = decoder.reader.at;
    struct envelope envelope;
    enum gz_status status = scan_envelope(&decoder, side, &envelope);
    *offset = envelope.end != NULL ? (size_t)(envelope.end - bytes) : size;
    note_rid(message, &envelope.rid);
    if (status == GZ_OK && envelope.number != 0)
        status = find_packed_op(&decoder, envelope.number);
    else if (status == GZ_OK)
        status = find_op(&decoder, side, &envelope.op);
    if (status != GZ_OK) return status;
    decoder.reader.end = envelope.end;
    status = read_message(&decoder, start);
    if (status != GZ_OK || !decoder.lists) return status;
    decoder.filling = true;
    return read_message(&decoder, start);
}
