/* made_message.c - fills a message's fields row by row. See made_message.h. */
#include "fuzz/made_message.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/fields.h"
#include "proto/limits.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* Bytes below it make usual values, the others hostile ones. */
#define HOSTILE 224
#define ELEMENTS_MAX 4
#define LONGEST 5000

uint8_t source_next(struct source *source)
{
    return source->at < source->end ? *source->at++ : 0;
}

static const double hostile_numbers[] = {
    NAN,    INFINITY, -INFINITY, 0,       -0.0,   1e-15, 1e15, -1e15,
    1.1e15, 1e100,    DBL_MAX,   DBL_MIN, 5e-324, 1e-9,  1e9,  3.141592653589793};
static const uint64_t hostile_counts[] = {0,          GZ_ID_LIMIT - 1, GZ_ID_LIMIT,
                                          UINT64_MAX, GZ_ID_LIMIT / 2, UINT32_MAX,
                                          INT64_MAX,  65536,           100001};

static double make_number(struct source *source, double usual)
{
    const uint8_t byte = source_next(source);
    const double step = fabs(usual) > 10 ? 2 : 0.0625;
    if (byte >= HOSTILE) return hostile_numbers[byte % COUNT(hostile_numbers)];
    return usual + ((double)byte - HOSTILE / 2) * step;
}

/* Of places in the past and of limits, which are small. */
static uint64_t make_count(struct source *source, uint64_t most)
{
    const uint8_t byte = source_next(source);
    if (byte >= HOSTILE) return hostile_counts[byte % COUNT(hostile_counts)];
    return byte % most;
}

/* Of nodes, edits, notes and sessions: of those that are there from the beginning, or later. */
static uint64_t make_id(struct source *source)
{
    const uint8_t byte = source_next(source);
    if (byte >= HOSTILE) return hostile_counts[byte % COUNT(hostile_counts)];
    return 1 + byte % (byte < HOSTILE / 2 ? 6 : 16);
}

/* Most messages have none of the words that may be in such a list. */
static uint64_t make_words(struct source *source, const struct gz_vocabulary *terms)
{
    const uint8_t byte = source_next(source);
    return byte < HOSTILE / 2 ? 0 : byte & ((UINT64_C(1) << terms->count) - 1);
}

/* Few texts, so that names are given, taken away and given again. */
static struct gz_text make_text(struct source *source, const struct gz_row *row)
{
    static const char *const words[] = {"a",    "b",        "ada",           "ben",        "eve",
                                        "*",    "good",     "?e*",           "",           "\xff",
                                        "a\nb", "\xc3\xa4", "x\xe2\x80\xae", "zoe (guest)"};
    static char longest[LONGEST];
    const uint8_t byte = source_next(source);
    if (longest[0] == '\0') memset(longest, 'x', sizeof longest);
    if (byte >= HOSTILE) return (struct gz_text){longest, row->size_max + byte % 2};
    const char *word = words[byte % COUNT(words)];
    return (struct gz_text){word, strlen(word)};
}

static void make_usual_numbers(double *numbers, const struct gz_row *row)
{
    static const double quaternion[] = {0, 0, 0, 1}, ray[] = {0, 0, 10, 0, 0, -1},
                        viewport[] = {0, 0, 800, 600}, box[] = {-1, -1, -1, 1, 1, 1},
                        rect[] = {300, 200, 500, 400}, middle[] = {400, 300}, one[] = {1, 1, 1};
    const double *usual = NULL;
    switch (row->rule) {
    case GZ_FIELD_RULE_QUATERNION: usual = quaternion; break;
    case GZ_FIELD_RULE_RAY: usual = ray; break;
    case GZ_FIELD_RULE_VIEWPORT: usual = viewport; break;
    case GZ_FIELD_RULE_BOX: usual = box; break;
    case GZ_FIELD_RULE_RECT: usual = rect; break;
    case GZ_FIELD_RULE_SCALE:
    case GZ_FIELD_RULE_POSITIVE: usual = one; break;
    default:
        if (row->size_max == 2) usual = middle;
    }
    if (usual != NULL) memcpy(numbers, usual, row->size_max * sizeof *numbers);
}

/* As usual, but for one, two or all of them. */
static void make_numbers(struct source *source, const struct gz_row *row, double *numbers)
{
    const uint8_t how = source_next(source);
    make_usual_numbers(numbers, row);
    if (how % 4 == 3) {
        for (size_t i = 0; i < row->size_max; i++) numbers[i] = make_number(source, numbers[i]);
        return;
    }
    for (size_t i = 0; i < how % 4; i++) {
        double *number = &numbers[(how / 4 + i) % row->size_max];
        *number = make_number(source, *number);
    }
}

static struct gz_ids make_ids(struct source *source, struct gz_arena *arena)
{
    const size_t count = source_next(source) % (ELEMENTS_MAX + 1);
    uint64_t *ids = gz_arena_take(arena, ELEMENTS_MAX, sizeof *ids);
    if (ids == NULL) abort();
    for (size_t i = 0; i < count; i++) ids[i] = make_id(source);
    return (struct gz_ids){ids, count};
}

static uint64_t make_record(struct source *source, const struct gz_record_type *record,
                            struct gz_message *message, void *base, struct gz_arena *arena);

static void make_records(struct source *source, const struct gz_row *row, void *base,
                         struct gz_arena *arena)
{
    const struct gz_record_type *record = row->record;
    const size_t count = source_next(source) % ELEMENTS_MAX;
    char *structs = gz_arena_take(arena, ELEMENTS_MAX, record->size);
    if (structs == NULL) abort();
    for (size_t i = 0; i < count; i++) {
        char *one = structs + i * record->size;
        uint64_t has = make_record(source, record, NULL, one, arena);
        memcpy(one + record->has_offset, &has, sizeof has);
    }
    memcpy((char *)base + row->offset, &structs, sizeof structs);
    memcpy((char *)base + row->count_offset, &count, sizeof count);
}

static uint64_t make_parent_or_ref(struct source *source, const struct gz_row *row,
                                   struct gz_create_node *node)
{
    const bool is_ref = source_next(source) % 2 == 1;
    if (is_ref)
        node->parent_ref = make_text(source, row);
    else
        node->parent = make_id(source) - 1;
    return is_ref ? GZ_HAS_CREATE_NODE_PARENT_REF : GZ_HAS_CREATE_NODE_PARENT;
}

static void make_value(struct source *source, struct gz_value *value)
{
    value->count = 1 + source_next(source) % 2;
    for (uint32_t i = 0; i < value->count; i++) value->numbers[i] = make_number(source, 0);
}

static void make_pivot(struct source *source, struct gz_tool_message *tool)
{
    tool->pivot = (enum gz_pivot)(source_next(source) % GZ_PIVOT_COUNT);
    if (tool->pivot == GZ_PIVOT_POINT) tool->pivot_point.y = make_number(source, 1);
}

/* Fills one field, and gives the bits that say so. */
static uint64_t make_field(struct source *source, const struct gz_row *row, void *base,
                           struct gz_arena *arena)
{
    void *value = (char *)base + row->offset;
    switch (row->kind) {
    case GZ_KIND_BOOL:
    case GZ_KIND_CHOICE: *(bool *)value = source_next(source) % 2 == 1; break;
    case GZ_KIND_COUNT: *(uint64_t *)value = make_count(source, 40); break;
    case GZ_KIND_ID: *(uint64_t *)value = make_id(source); break;
    case GZ_KIND_PARENT: *(uint64_t *)value = make_id(source) - 1; break;
    case GZ_KIND_PARENT_OR_REF: return make_parent_or_ref(source, row, base);
    case GZ_KIND_NUMBERS: make_numbers(source, row, value); break;
    case GZ_KIND_VALUE: make_value(source, value); break;
    case GZ_KIND_TEXT: *(struct gz_text *)value = make_text(source, row); break;
    case GZ_KIND_WORD: *(int *)value = source_next(source) % row->terms->count; break;
    case GZ_KIND_WORDS: *(uint64_t *)value = make_words(source, row->terms); break;
    case GZ_KIND_PIVOT: make_pivot(source, base); break;
    case GZ_KIND_GROUP: return row->has | make_record(source, row->record, NULL, base, arena);
    case GZ_KIND_IDS: *(struct gz_ids *)value = make_ids(source, arena); break;
    case GZ_KIND_RECORDS: make_records(source, row, base, arena); break;
    default: break;
    }
    return row->has;
}

/* Of bits that exclude each other the lowest stays; of those of which one must be there, one is. */
static uint64_t make_sense(const struct gz_record_type *record, uint64_t has)
{
    const uint64_t one = has & record->at_most_one;
    has &= ~record->at_most_one | (one & (~one + 1));
    if (record->at_least_one != 0 && (has & record->at_least_one) == 0)
        has |= record->at_least_one & (~record->at_least_one + 1);
    return has;
}

static uint64_t choose_fields(struct source *source, const struct gz_record_type *record)
{
    uint64_t has = 0;
    uint32_t mask = 1;
    for (size_t i = 0; i < record->count; i++) {
        const struct gz_row *row = &record->rows[i];
        if (row->has == 0 || row->has == GZ_HAS_RID) continue;
        if (mask == 1) mask = 0x100u | source_next(source);
        if ((mask & 1) != 0) has |= row->has;
        mask >>= 1;
    }
    return make_sense(record, has);
}

/* Rows of the envelope stand in `message`. */
static uint64_t make_record(struct source *source, const struct gz_record_type *record,
                            struct gz_message *message, void *base, struct gz_arena *arena)
{
    const uint64_t chosen = choose_fields(source, record);
    uint64_t has = 0;
    for (size_t i = 0; i < record->count; i++) {
        const struct gz_row *row = &record->rows[i];
        const bool is_left_out = row->has != 0 && (chosen & row->has) == 0;
        const bool is_needed = row->required && (chosen & row->unless) == 0;
        if (row->has == GZ_HAS_RID || (is_left_out && !is_needed)) continue;
        has |= make_field(source, row, row->envelope ? (void *)message : base, arena);
    }
    return has;
}

struct gz_message made_message(struct source *source, enum gz_op op, struct gz_arena *arena)
{
    struct gz_message message = {.op = op};
    if (op == GZ_OP_CAMERA) message = made_camera(160);
    message.has = make_record(source, &gz_message_records[op], &message, &message.hello, arena);
    return message;
}

struct gz_message made_camera(uint8_t distance)
{
    return (struct gz_message){
        .op = GZ_OP_CAMERA,
        .camera = {.view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -distance / 16.0, 1},
                   .proj = {0.75, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0},
                   .viewport = {0, 0, 800, 600}},
    };
}
