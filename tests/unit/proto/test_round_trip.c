/* Messages of random content, made by the tables of the fields: written, read back, and compared
 * field by field. That the tables themselves are right is for the golden vectors to say.
 * GIZMOD_SEED=N in the environment runs the one seed again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/fields.h"
#include "proto/json.h"
#include "proto/limits.h"
#include "support/chance.h"
#include "support/cmocka.h"

#define ROUNDS 300
#define MAKER_BYTES_MAX (64 * 1024 * 1024)

struct maker {
    uint64_t state;
    struct gz_arena arena; /* what the made message points to */
    struct gz_message *message;
};

/* splitmix64: any seed will do. */
static uint64_t draw(struct maker *maker)
{
    uint64_t z = maker->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static bool coin(struct maker *maker)
{
    return (draw(maker) & 1) != 0;
}

/* Of any magnitude, so that every width on the wire comes up. */
static uint64_t draw_whole(struct maker *maker)
{
    return (draw(maker) >> (11 + draw(maker) % 53)) & (GZ_ID_LIMIT - 1);
}

static double draw_number(struct maker *maker)
{
    double unit = (double)(int64_t)draw(maker) / 9.3e18;
    return ldexp(unit == 0 ? 1 : unit, (int)(draw(maker) % 64) - 20);
}

static void *take(struct maker *maker, size_t count, size_t size)
{
    void *memory = gz_arena_take(&maker->arena, count, size);
    assert_non_null(memory);
    return memory;
}

static struct gz_text draw_text(struct maker *maker, const struct gz_row *row)
{
    static const char *const characters[] = {"a", "7", "\"", "\n",           "\x7f",
                                             "é", "ß", "深", "\xef\xbf\xbf", "🦾"};
    bool name = row->rule == GZ_FIELD_RULE_SCENE_NAME;
    size_t size_max = draw(maker) % 4 == 0 ? row->size_max : draw(maker) % 40;
    if (size_max > row->size_max) size_max = row->size_max;
    char *bytes = take(maker, size_max + 1, 1);
    size_t size = 0;
    if (name || row->rule == GZ_FIELD_RULE_NOT_EMPTY) bytes[size++] = 'x';
    while (size < size_max) {
        const char *next = characters[draw(maker) % (name ? 2 : 10)];
        if (size + strlen(next) > size_max) break;
        memcpy(bytes + size, next, strlen(next));
        size += strlen(next);
    }
    return (struct gz_text){bytes, size};
}

static void draw_numbers(struct maker *maker, const struct gz_row *row, double *numbers)
{
    const bool draws_ones = coin(maker);
    for (size_t i = 0; i < row->size_max; i++) {
        double number = draw_number(maker);
        bool positive = row->rule == GZ_FIELD_RULE_POSITIVE ||
                        row->rule == GZ_FIELD_RULE_NOT_NEGATIVE ||
                        row->rule == GZ_FIELD_RULE_VIEWPORT;
        numbers[i] = positive ? fabs(number) : number;
    }
    if (row->rule == GZ_FIELD_RULE_QUATERNION) {
        gz_quat unit;
        assert_true(
            gz_quat_normalize((gz_quat){numbers[0], numbers[1], numbers[2], numbers[3]}, &unit));
        if (coin(maker)) unit = gz_quat_identity;
        if (coin(maker) && unit.x == 0) unit.x = -0.0;
        memcpy(numbers, &unit, sizeof unit);
    }
    for (size_t i = 0; row->rule == GZ_FIELD_RULE_SCALE && draws_ones && i < row->size_max; i++)
        numbers[i] = 1;
    size_t half = row->size_max / 2;
    for (size_t i = 0;
         (row->rule == GZ_FIELD_RULE_BOX || row->rule == GZ_FIELD_RULE_RECT) && i < half; i++) {
        if (numbers[i] > numbers[i + half]) numbers[i] = numbers[i + half] - 1;
    }
}

static struct gz_value draw_value(struct maker *maker)
{
    struct gz_value value = {{draw_number(maker), -0.0}, 1 + (uint32_t)coin(maker)};
    return value;
}

static int draw_word(struct maker *maker, const struct gz_vocabulary *terms)
{
    int value;
    do value = (int)(draw(maker) % (uint64_t)terms->count);
    while (terms->words[value] == NULL);
    return value;
}

static uint64_t draw_words(struct maker *maker, const struct gz_vocabulary *terms)
{
    uint64_t bits = 0;
    for (size_t i = draw(maker) % 8; i > 0; i--) bits |= UINT64_C(1) << draw_word(maker, terms);
    return bits;
}

static size_t draw_count(struct maker *maker)
{
    return draw(maker) % 32 == 0 ? draw(maker) % 2000 : draw(maker) % 6;
}

/* Different ids in no order: a walk upwards, then shuffled. */
static struct gz_ids draw_ids(struct maker *maker, size_t count)
{
    uint64_t *ids = take(maker, count + 1, sizeof *ids);
    uint64_t id = 0, step = draw(maker) % 3 == 0 ? 1 : 1 + draw_whole(maker) % (UINT64_C(1) << 40);
    for (size_t i = 0; i < count; i++) ids[i] = id += 1 + draw(maker) % step;
    for (size_t i = count; i > 1; i--) {
        size_t other = draw(maker) % i;
        uint64_t kept = ids[other];
        ids[other] = ids[i - 1];
        ids[i - 1] = kept;
    }
    return (struct gz_ids){ids, count};
}

static void make_record(struct maker *maker, const struct gz_record_type *record, void *base,
                        uint64_t *has);

static void make_struct(struct maker *maker, const struct gz_record_type *record, void *base)
{
    uint64_t none = 0;
    bool own = !record->tuple && record->has_offset < record->size;
    make_record(maker, record, base, own ? (uint64_t *)((char *)base + record->has_offset) : &none);
}

static void make_records(struct maker *maker, const struct gz_row *row, char *base)
{
    size_t count = draw_count(maker);
    char *structs = take(maker, count + 1, row->record->size);
    struct gz_ids ids = draw_ids(maker, count);
    for (size_t i = 0; i < count; i++) {
        char *element = structs + i * row->record->size;
        make_struct(maker, row->record, element);
        if (row->record->unique)
            memcpy(element + row->record->rows[0].offset, &ids.ids[i], sizeof *ids.ids);
    }
    memcpy(base + row->offset, &structs, sizeof structs);
    memcpy(base + row->count_offset, &count, sizeof count);
}

static void make_pivot(struct maker *maker, struct gz_tool_message *tool)
{
    tool->pivot = (enum gz_pivot)(draw(maker) % GZ_PIVOT_COUNT);
    if (tool->pivot == GZ_PIVOT_POINT)
        tool->pivot_point = (gz_vec3){draw_number(maker), draw_number(maker), -0.0};
}

static void make_parent_or_ref(struct maker *maker, const struct gz_row *row,
                               struct gz_create_node *node)
{
    node->has &= ~GZ_HAS_CREATE_NODE_PARENT;
    node->has |= coin(maker) ? GZ_HAS_CREATE_NODE_PARENT : GZ_HAS_CREATE_NODE_PARENT_REF;
    node->parent = coin(maker) ? 0 : 1 + draw_whole(maker) / 2;
    struct gz_row text = *row;
    text.size_max = GZ_NAME_BYTES_MAX;
    node->parent_ref = draw_text(maker, &text);
}

static void make_value(struct maker *maker, const struct gz_row *row, void *base, uint64_t *has)
{
    char *value = (char *)base + row->offset;
    int word;
    switch (row->kind) {
    case GZ_KIND_BOOL:
    case GZ_KIND_CHOICE: *(bool *)value = coin(maker); break;
    case GZ_KIND_COUNT:
        *(uint64_t *)value =
            draw_whole(maker) % (row->rule == GZ_FIELD_RULE_ROWS     ? GZ_HISTORY_ROWS_MAX + 1
                                 : row->rule == GZ_FIELD_RULE_POINTS ? GZ_PATH_POINTS_MAX + 1
                                                                     : GZ_ID_LIMIT);
        break;
    case GZ_KIND_ID: *(uint64_t *)value = 1 + draw_whole(maker) / 2; break;
    case GZ_KIND_PARENT: *(uint64_t *)value = coin(maker) ? 0 : 1 + draw_whole(maker) / 2; break;
    case GZ_KIND_PARENT_OR_REF: make_parent_or_ref(maker, row, base); break;
    case GZ_KIND_RGB:
    case GZ_KIND_COLOUR: *(uint32_t *)value = draw(maker) & 0xffffff; break;
    case GZ_KIND_NUMBERS: draw_numbers(maker, row, (double *)value); break;
    case GZ_KIND_VALUE:
    case GZ_KIND_VALUES: *(struct gz_value *)value = draw_value(maker); break;
    case GZ_KIND_TEXT: *(struct gz_text *)value = draw_text(maker, row); break;
    case GZ_KIND_WORD:
        word = row->terms == &gz_phase_words && !row->required ? GZ_PHASE_DOWN
                                                               : draw_word(maker, row->terms);
        memcpy(value, &word, sizeof word);
        break;
    case GZ_KIND_WORDS: *(uint64_t *)value = draw_words(maker, row->terms); break;
    case GZ_KIND_STATUS:
        *(enum gz_status *)value = (enum gz_status)(1 + draw(maker) % GZ_INTERNAL);
        break;
    case GZ_KIND_PIVOT: make_pivot(maker, base); break;
    case GZ_KIND_GROUP: make_record(maker, row->record, base, has); break;
    case GZ_KIND_RECORD: make_struct(maker, row->record, value); break;
    case GZ_KIND_IDS: *(struct gz_ids *)value = draw_ids(maker, draw_count(maker)); break;
    case GZ_KIND_RECORDS: make_records(maker, row, base); break;
    case GZ_KIND_OP:
    case GZ_KIND_EULER:
    case GZ_KIND_ORDER:
    case GZ_KIND_WHOLE:
    case GZ_KIND_COUNT_OF_KINDS: break;
    }
}

/* Which of the optional fields are there, as the record allows. */
static uint64_t draw_has(struct maker *maker, const struct gz_record_type *record,
                         bool place_needed)
{
    uint64_t needed = place_needed ? record->at_most_one : record->at_least_one;
    for (;;) {
        uint64_t has = 0;
        for (size_t i = 0; i < record->count; i++) {
            const struct gz_row *row = &record->rows[i];
            bool needed_always = row->required && row->unless == 0;
            if (row->kind != GZ_KIND_EULER && (needed_always || coin(maker))) has |= row->has;
        }
        for (size_t i = 0; i < record->count; i++) {
            if (record->rows[i].unless != 0 && (has & record->rows[i].unless) == 0)
                has |= record->rows[i].has;
        }
        if (record->rule == GZ_RECORD_SET_NODE && (has & GZ_HAS_SET_NODE_T) != 0)
            has &= ~(uint64_t)GZ_HAS_SET_NODE_XYZ;
        uint64_t chosen = has & record->at_most_one;
        if ((chosen & (chosen - 1)) == 0 && (needed == 0 || (has & needed) != 0)) return has;
    }
}

static void make_record(struct maker *maker, const struct gz_record_type *record, void *base,
                        uint64_t *has)
{
    uint64_t there = draw_has(maker, record, record->rule == GZ_RECORD_POINTER);
    for (size_t i = 0; i < record->count; i++) {
        const struct gz_row *row = &record->rows[i];
        if (row->envelope) {
            maker->message->has |= there & row->has;
            make_value(maker, row, maker->message, has);
        } else if ((row->required && row->unless == 0) || row->has == 0 ||
                   (there & row->has) != 0) {
            *has |= there & row->has;
            make_value(maker, row, base, has);
        }
    }
}

/* ---- Comparing ---- */

static bool same_record(const struct gz_record_type *record, const void *a, const void *b,
                        uint64_t has_a, uint64_t has_b);

static bool same_struct(const struct gz_record_type *record, const char *a, const char *b)
{
    uint64_t has_a = 0, has_b = 0;
    if (!record->tuple && record->has_offset < record->size) {
        memcpy(&has_a, a + record->has_offset, sizeof has_a);
        memcpy(&has_b, b + record->has_offset, sizeof has_b);
    }
    return same_record(record, a, b, has_a, has_b);
}

static bool same_text(struct gz_text a, struct gz_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

static bool same_ids(struct gz_ids a, struct gz_ids b)
{
    return a.count == b.count &&
           (a.count == 0 || memcmp(a.ids, b.ids, a.count * sizeof *a.ids) == 0);
}

static bool same_records(const struct gz_row *row, const char *a, const char *b)
{
    const char *structs_a, *structs_b;
    size_t count_a, count_b;
    memcpy(&structs_a, a + row->offset, sizeof structs_a);
    memcpy(&structs_b, b + row->offset, sizeof structs_b);
    memcpy(&count_a, a + row->count_offset, sizeof count_a);
    memcpy(&count_b, b + row->count_offset, sizeof count_b);
    if (count_a != count_b) return false;
    for (size_t i = 0; i < count_a; i++) {
        size_t at = i * row->record->size;
        if (!same_struct(row->record, structs_a + at, structs_b + at)) return false;
    }
    return true;
}

static bool same_values(const struct gz_value *a, const struct gz_value *b)
{
    return a->count == b->count &&
           memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers) == 0;
}

static bool same_pivot(const struct gz_tool_message *a, const struct gz_tool_message *b)
{
    if (a->pivot != b->pivot) return false;
    return a->pivot != GZ_PIVOT_POINT ||
           memcmp(&a->pivot_point, &b->pivot_point, sizeof a->pivot_point) == 0;
}

static bool same_parent(const struct gz_create_node *a, const struct gz_create_node *b)
{
    if ((a->has & GZ_HAS_CREATE_NODE_PARENT_REF) != 0)
        return same_text(a->parent_ref, b->parent_ref);
    return a->parent == b->parent;
}

static bool same_value(const struct gz_row *row, const void *base_a, const void *base_b,
                       uint64_t has_a, uint64_t has_b)
{
    const char *a = (const char *)base_a + row->offset, *b = (const char *)base_b + row->offset;
    switch (row->kind) {
    case GZ_KIND_BOOL:
    case GZ_KIND_CHOICE: return *(const bool *)a == *(const bool *)b;
    case GZ_KIND_COUNT:
    case GZ_KIND_ID:
    case GZ_KIND_PARENT:
    case GZ_KIND_WORDS: return memcmp(a, b, sizeof(uint64_t)) == 0;
    case GZ_KIND_RGB:
    case GZ_KIND_COLOUR: return memcmp(a, b, sizeof(uint32_t)) == 0;
    case GZ_KIND_WORD:
    case GZ_KIND_STATUS: return memcmp(a, b, sizeof(int)) == 0;
    case GZ_KIND_NUMBERS: return memcmp(a, b, row->size_max * sizeof(double)) == 0;
    case GZ_KIND_VALUE:
    case GZ_KIND_VALUES: return same_values((const struct gz_value *)a, (const struct gz_value *)b);
    case GZ_KIND_PARENT_OR_REF: return same_parent(base_a, base_b);
    case GZ_KIND_TEXT: return same_text(*(const struct gz_text *)a, *(const struct gz_text *)b);
    case GZ_KIND_PIVOT: return same_pivot(base_a, base_b);
    case GZ_KIND_GROUP: return same_record(row->record, base_a, base_b, has_a, has_b);
    case GZ_KIND_RECORD: return same_struct(row->record, a, b);
    case GZ_KIND_IDS: return same_ids(*(const struct gz_ids *)a, *(const struct gz_ids *)b);
    case GZ_KIND_RECORDS: return same_records(row, base_a, base_b);
    default: return true;
    }
}

static bool same_record(const struct gz_record_type *record, const void *a, const void *b,
                        uint64_t has_a, uint64_t has_b)
{
    if (has_a != has_b) return false;
    for (size_t i = 0; i < record->count; i++) {
        const struct gz_row *row = &record->rows[i];
        bool required = row->required && (has_a & row->unless) == 0;
        bool noted = required || row->has == 0 || row->kind == GZ_KIND_PARENT_OR_REF ||
                     (has_a & row->has) != 0;
        if (row->envelope || !noted || same_value(row, a, b, has_a, has_b)) continue;
        print_error("%s differs\n", row->key);
        return false;
    }
    return true;
}

static bool same_messages(struct gz_message *a, struct gz_message *b)
{
    if (a->op != b->op || a->has != b->has) return false;
    if ((a->has & GZ_HAS_RID) != 0 && a->rid != b->rid) return false;
    if ((a->has & GZ_HAS_KEY) != 0 && !same_text(a->key, b->key)) return false;
    return same_record(&gz_message_records[a->op], &a->hello, &b->hello, *gz_message_has(a),
                       *gz_message_has(b));
}

/* ---- The test ---- */

struct round {
    struct maker maker;
    struct gz_buffer frame, again, json;
    struct gz_arena arena;
};

/* The same message as JSON, which is read as the same bytes. */
static void check_json(struct round *round, enum gz_side side, uint64_t seed)
{
    struct gz_message read;
    struct gz_error error = {.message = ""};
    size_t offset = 0;
    gz_buffer_clear(&round->json);
    gz_buffer_clear(&round->again);
    assert_int_equal(gz_json_append_messages(&round->json, round->frame.data, round->frame.size),
                     GZ_OK);
    gz_json_end_frame(&round->json);
    gz_arena_reset(&round->arena, gz_decode_bytes_max(round->json.size));
    if (gz_decode_json(side, round->json.data, round->json.size, &offset, &round->arena, &read,
                       &error) != GZ_OK)
        fail_msg("seed %llu: %s in %.*s", (unsigned long long)seed, error.message,
                 (int)round->json.size, (const char *)round->json.data);
    assert_int_equal(offset, round->json.size);
    assert_int_equal(gz_encode(&round->again, &read), GZ_OK);
    assert_int_equal(round->again.size, round->frame.size);
    assert_memory_equal(round->again.data, round->frame.data, round->frame.size);
}

static void check_op(struct round *round, enum gz_op op, uint64_t seed)
{
    struct gz_message made = {.op = op}, read;
    struct gz_error error = {.message = ""};
    round->maker.message = &made;
    gz_arena_reset(&round->maker.arena, MAKER_BYTES_MAX);
    gz_buffer_clear(&round->frame);
    gz_buffer_clear(&round->again);
    make_record(&round->maker, &gz_message_records[op], &made.hello, gz_message_has(&made));
    assert_int_equal(gz_encode(&round->frame, &made), GZ_OK);
    size_t offset = 0;
    gz_arena_reset(&round->arena, gz_decode_bytes_max(round->frame.size));
    enum gz_side side = op < GZ_OP_CLIENT_COUNT ? GZ_FROM_CLIENT : GZ_FROM_SERVER;
    enum gz_status status = gz_decode(side, round->frame.data, round->frame.size, &offset,
                                      &round->arena, &read, &error);
    if (status != GZ_OK)
        fail_msg("seed %llu, %s: %s", (unsigned long long)seed, gz_op_word(op), error.message);
    assert_int_equal(offset, round->frame.size);
    if (!same_messages(&made, &read))
        fail_msg("seed %llu, %s differs", (unsigned long long)seed, gz_op_word(op));
    assert_int_equal(gz_encode(&round->again, &read), GZ_OK);
    assert_int_equal(round->again.size, round->frame.size);
    assert_memory_equal(round->again.data, round->frame.data, round->frame.size);
    check_json(round, side, seed);
}

TEST(test_round_trip_keeps_every_field_of_every_message)
{
    uint64_t first = chance_seed((uint64_t)time(NULL) * 1000), count = chance_count(ROUNDS);
    print_message("GIZMOD_SEED=%llu\n", (unsigned long long)first);
    struct round round;
    gz_buffer_init(&round.frame, MAKER_BYTES_MAX, 0);
    gz_buffer_init(&round.again, MAKER_BYTES_MAX, 0);
    gz_buffer_init(&round.json, MAKER_BYTES_MAX, 0);
    gz_arena_init(&round.arena, 0);
    gz_arena_init(&round.maker.arena, MAKER_BYTES_MAX);
    for (uint64_t seed = first; seed < first + count; seed++) {
        round.maker.state = seed;
        for (int op = 0; op < GZ_OP_COUNT; op++) check_op(&round, (enum gz_op)op, seed);
    }
    gz_buffer_finish(&round.frame);
    gz_buffer_finish(&round.json);
    gz_buffer_finish(&round.again);
    gz_arena_finish(&round.arena);
    gz_arena_finish(&round.maker.arena);
}
