/* cddl.c - prints the messages of the plain form in CDDL (RFC 8610), from the table that the server
 * reads and writes by: `gizmod_cddl > proto/gizmod.cddl`. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/linear.h"
#include "proto/base/status.h"
#include "proto/fields.h"
#include "proto/limits.h"

enum { NAME_BYTES = 64, RECORDS_MAX = 64 };

/* ---- names ---- */

struct record_name {
    const struct gz_record_type *record;
    char name[NAME_BYTES];
};

/* Records and groups in the order in which they are met; a message prints those that are new. */
struct naming {
    struct record_name names[RECORDS_MAX];
    size_t count, printed;
};

/* "gz_edit_message" as "edit", "gz_note_state" as "note-state". */
static void dash(const char *from, char to[NAME_BYTES])
{
    static const char prefix[] = "gz_", suffix[] = "_message";
    if (strncmp(from, prefix, sizeof prefix - 1) == 0) from += sizeof prefix - 1;
    snprintf(to, NAME_BYTES, "%s", from);
    const size_t size = strlen(to);
    if (size >= sizeof suffix && strcmp(to + size - (sizeof suffix - 1), suffix) == 0)
        to[size - (sizeof suffix - 1)] = '\0';
    for (char *at = to; *at != '\0'; at++) {
        if (*at == '_') *at = '-';
    }
}

/* `of`: the record or message in which a group is. */
static const char *name_of(struct naming *naming, const struct gz_row *row, const char *of)
{
    for (size_t i = 0; i < naming->count; i++) {
        if (naming->names[i].record == row->record) return naming->names[i].name;
    }
    if (naming->count == RECORDS_MAX) return "any";
    struct record_name *name = &naming->names[naming->count++];
    name->record = row->record;
    if (row->record->name != NULL)
        dash(row->record->name, name->name);
    else
        snprintf(name->name, NAME_BYTES, "%s-%s", of, row->key);
    return name->name;
}

/* ---- types ---- */

/* The vocabularies that have a rule of their own. */
static const struct {
    const struct gz_vocabulary *terms;
    const char *name;
} vocabularies[] = {
    {&gz_handle_words, "handle"}, {&gz_mode_words, "mode"},   {&gz_space_words, "space"},
    {&gz_mod_words, "modifier"},  {&gz_phase_words, "phase"}, {&gz_role_words, "role"},
    {&gz_how_words, "how"},       {&gz_euler_words, "order"}, {&gz_edit_kind_words, "edit-kind"},
};

static void print_choices(const struct gz_vocabulary *terms)
{
    const char *between = "";
    for (int i = 0; i < terms->count; i++) {
        if (terms->words[i] == NULL) continue;
        printf("%s\"%s\"", between, terms->words[i]);
        between = " / ";
    }
}

static void print_words(const struct gz_vocabulary *terms)
{
    for (size_t i = 0; i < sizeof vocabularies / sizeof *vocabularies; i++) {
        if (vocabularies[i].terms != terms) continue;
        printf("%s", vocabularies[i].name);
        return;
    }
    print_choices(terms);
}

static void print_vocabularies(void)
{
    const char *between = "";
    for (size_t i = 0; i < sizeof vocabularies / sizeof *vocabularies; i++) {
        printf("%s = ", vocabularies[i].name);
        print_choices(vocabularies[i].terms);
        printf("\n");
    }
    printf("code = ");
    for (int status = GZ_OK + 1; status < GZ_NO_MEMORY; status++) {
        printf("%s\"%s\"", between, gz_status_word((enum gz_status)status));
        between = " / ";
    }
    printf("\n");
}

static void print_numbers(size_t count)
{
    if (count == 1)
        printf("number");
    else
        printf("[%zu*%zu number]", count, count);
}

static void print_text(const struct gz_row *row)
{
    if (row->rule == GZ_FIELD_RULE_SCENE_NAME)
        printf("scene-name");
    else
        printf("tstr .size (%d..%zu)", row->rule == GZ_FIELD_RULE_NOT_EMPTY ? 1 : 0, row->size_max);
}

static void print_count(const struct gz_row *row)
{
    if (row->rule == GZ_FIELD_RULE_ROWS)
        printf("1..%d", GZ_HISTORY_ROWS_MAX);
    else if (row->rule == GZ_FIELD_RULE_POINTS)
        printf("1..%d", GZ_PATH_POINTS_MAX);
    else
        printf("count");
}

static void print_type(struct naming *naming, const struct gz_row *row, const char *of)
{
    switch (row->kind) {
    case GZ_KIND_BOOL: printf("bool"); break;
    case GZ_KIND_CHOICE:
    case GZ_KIND_WORD:
    case GZ_KIND_ORDER: print_words(row->terms); break;
    case GZ_KIND_COUNT: print_count(row); break;
    case GZ_KIND_ID: printf("id"); break;
    case GZ_KIND_PARENT: printf("id / nil"); break;
    case GZ_KIND_PARENT_OR_REF: printf("id / tstr / nil"); break;
    case GZ_KIND_RGB: printf("0..%d", 0xffffff); break;
    case GZ_KIND_COLOUR: printf("tstr .regexp \"#[0-9a-f]{6}\""); break;
    case GZ_KIND_NUMBERS: print_numbers(row->size_max); break;
    case GZ_KIND_VALUE: printf("number / [1*2 number]"); break;
    case GZ_KIND_VALUES: printf("[1*2 number]"); break;
    case GZ_KIND_TEXT: print_text(row); break;
    case GZ_KIND_WORDS:
        printf("[* ");
        print_words(row->terms);
        printf("]");
        break;
    case GZ_KIND_STATUS: printf("code"); break;
    case GZ_KIND_PIVOT:
        print_words(row->terms);
        printf(" / [3*3 number]");
        break;
    case GZ_KIND_EULER: printf("[3*3 number]"); break;
    case GZ_KIND_GROUP:
    case GZ_KIND_RECORD: printf("%s", name_of(naming, row, of)); break;
    case GZ_KIND_IDS: printf("[* id]"); break;
    case GZ_KIND_RECORDS: printf("[* %s]", name_of(naming, row, of)); break;
    case GZ_KIND_OP:
    case GZ_KIND_WHOLE:
    case GZ_KIND_COUNT_OF_KINDS: break;
    }
}

#define TEXT_AS_IS(number) #number
#define TEXT_OF(number) TEXT_AS_IS(number)

/* What CDDL has no word for. */
static const char *said_of(enum gz_field_rule rule)
{
    static const char *const said[] = {
        [GZ_FIELD_RULE_COORDINATE] = "magnitudes up to " TEXT_OF(GZ_COORDINATE_MAX),
        [GZ_FIELD_RULE_SCALE] =
            "0, or magnitudes from " TEXT_OF(GZ_SCALE_MIN) " to " TEXT_OF(GZ_COORDINATE_MAX),
        [GZ_FIELD_RULE_QUATERNION] = "not zero; the server normalises it",
        [GZ_FIELD_RULE_POSITIVE] = "greater than 0",
        [GZ_FIELD_RULE_NOT_NEGATIVE] = "0 or greater",
        [GZ_FIELD_RULE_RAY] = "origin and direction; the direction is not zero",
        [GZ_FIELD_RULE_VIEWPORT] = "width and height, greater than 0",
        [GZ_FIELD_RULE_BOX] = "the least x, y, z, then the greatest",
        [GZ_FIELD_RULE_RECT] = "two corners",
    };
    return (size_t)rule < sizeof said / sizeof *said ? said[rule] : NULL;
}

/* ---- records ---- */

/* The keys of the fields that have one of `bits`. */
static void print_keys(const struct gz_record_type *record, uint64_t bits)
{
    const char *between = "";
    for (size_t i = 0; i < record->count; i++) {
        if ((record->rows[i].has & bits) == 0) continue;
        printf("%s%s", between, record->rows[i].key);
        between = ", ";
    }
}

static void print_rule(const struct gz_record_type *record, const char *words, uint64_t bits)
{
    if (bits == 0) return;
    printf("; %s: ", words);
    print_keys(record, bits);
    printf("\n");
}

static void print_row(struct naming *naming, const struct gz_row *row, const char *of,
                      const char *op)
{
    const bool optional = !row->required || row->unless != 0;
    printf("  %s%s: ", optional ? "? " : "", row->key);
    if (row->kind == GZ_KIND_OP)
        printf("\"%s\"", op);
    else
        print_type(naming, row, of);
    printf(",");
    if (said_of(row->rule) != NULL) printf(" ; %s", said_of(row->rule));
    printf("\n");
}

static void print_record(struct naming *naming, const struct gz_record_type *record,
                         const char *name, const char *of, const char *op)
{
    printf("\n");
    print_rule(record, "at most one of", record->at_most_one);
    print_rule(record, "at least one of", record->at_least_one);
    if (record->unique) printf("; no id occurs twice in a list of these\n");
    printf("%s = %s\n", name, record->tuple ? "[" : "{");
    for (size_t i = 0; i < record->count; i++) print_row(naming, &record->rows[i], of, op);
    printf("%s\n", record->tuple ? "]" : "}");
}

/* ---- messages ---- */

static bool is_client(int op)
{
    return op < GZ_OP_CLIENT_COUNT;
}

/* Some words are those of a request and of what the server says by itself. */
static bool is_shared(int op)
{
    for (int other = 0; other < GZ_OP_CLIENT_COUNT; other++) {
        if (!is_client(op) &&
            strcmp(gz_op_word((enum gz_op)other), gz_op_word((enum gz_op)op)) == 0)
            return true;
    }
    return false;
}

static void name_message(int op, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%s%s-message", is_shared(op) ? "server-" : "",
             gz_op_word((enum gz_op)op));
}

/* The messages from `from` to before `to`. */
static void print_choice(const char *name, int from, int to)
{
    char message[NAME_BYTES];
    printf("\n%s = ", name);
    for (int op = from; op < to; op++) {
        name_message(op, message);
        printf("%s%s", op > from ? " /\n  " : "", message);
    }
    printf("\n");
}

/* Messages of the packed form come last. */
static int first_packed(void)
{
    int op = GZ_OP_CLIENT_COUNT;
    while (op < GZ_OP_COUNT && !gz_message_records[op].packed) op++;
    return op;
}

static void print_message(struct naming *naming, int op)
{
    char name[NAME_BYTES];
    const char *word = gz_op_word((enum gz_op)op);
    name_message(op, name);
    print_record(naming, &gz_message_records[op], name, word, word);
    for (; naming->printed < naming->count; naming->printed++) {
        const struct record_name *met = &naming->names[naming->printed];
        print_record(naming, met->record, met->name, met->name, "");
    }
}

int main(void)
{
    static struct naming naming;
    const int packed = first_packed();
    printf(
        "; gizmod.cddl - the messages of the plain form, one map each. Made from the table that "
        "the\n"
        "; server reads and writes by (proto/fields.c): do not edit. README.md says what they "
        "mean.\n"
        "; Numbers are finite. No key occurs twice. Keys that are not listed are ignored. Texts\n"
        "; are counted in bytes.\n");
    print_choice("client-message", 0, GZ_OP_CLIENT_COUNT);
    print_choice("server-message", GZ_OP_CLIENT_COUNT, packed);
    printf("\nid = 1..%llu\ncount = 0..%llu\n", (unsigned long long)GZ_ID_LIMIT - 1,
           (unsigned long long)GZ_ID_LIMIT - 1);
    printf("scene-name = tstr .regexp \"[a-z0-9][a-z0-9_-]{0,%d}\"\n", GZ_SCENE_NAME_BYTES_MAX - 1);
    print_vocabularies();
    for (int op = 0; op < packed; op++) print_message(&naming, op);
    return 0;
}
