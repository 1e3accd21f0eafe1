/* notes.c - `gizmoctl notes`: lists the notes of the scene. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

static const struct gz_arg_option options[] = {
    {"--all", .help = "list also the notes that are done"},
    {"--json", .help = "print a JSON object per note, with the protocol's names"},
    {0},
};

/* A note, and the first note of its thread. A thread is sorted by age. */
struct row {
    const struct gz_note_state *note;
    uint64_t thread;
    bool hidden;
    char *pin; /* as ctl_pin_words; "" if it is the pin of the note that this one answers */
};

struct table {
    struct row *rows;
    size_t count;
    int id_width, user_width, pin_width;
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    if (left->thread != right->thread) return left->thread < right->thread ? -1 : 1;
    return (left->note->id > right->note->id) - (left->note->id < right->note->id);
}

static struct row *find_row(const struct table *table, uint64_t id)
{
    for (size_t low = 0, high = table->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (table->rows[middle].note->id == id) return &table->rows[middle];
        if (table->rows[middle].note->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool same_pin(const struct gz_note_state *a, const struct gz_note_state *b)
{
    const uint64_t pin = GZ_HAS_NOTE_STATE_NODE | GZ_HAS_NOTE_STATE_POINT;
    return (a->has & pin) == (b->has & pin) && a->node == b->node && a->point.x == b->point.x &&
           a->point.y == b->point.y && a->point.z == b->point.z;
}

static bool fill_row(struct table *table, const struct gz_mirror *mirror,
                     const struct gz_note_state *note, bool all)
{
    /* An answer is younger than its note, so the note's row exists unless the note was deleted. */
    const struct row *answered =
        note->has & GZ_HAS_NOTE_STATE_REPLY ? find_row(table, note->reply) : NULL;
    struct row *row = &table->rows[table->count];
    *row = (struct row){.note = note,
                        .thread = answered != NULL ? answered->thread : note->id,
                        .hidden = !all && (answered != NULL ? answered->hidden : note->done)};
    row->pin = answered != NULL && same_pin(note, answered->note) ? strdup("")
                                                                  : ctl_pin_words(mirror, note);
    table->count++;
    return row->pin != NULL;
}

static int largest(int a, int b)
{
    return a > b ? a : b;
}

static int indent_of(const struct row *row)
{
    return row->thread != row->note->id ? 2 : 0;
}

static int id_width(const struct row *row)
{
    return indent_of(row) + snprintf(NULL, 0, "%" PRIu64, row->note->id);
}

static void measure(struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        if (row->hidden) continue;
        table->id_width = largest(table->id_width, id_width(row));
        table->user_width = largest(table->user_width, ctl_width(row->note->user));
        table->pin_width = largest(table->pin_width, ctl_width(gz_client_text(row->pin)));
    }
}

static void put_padded(const char *text, int columns)
{
    ctl_put_text(stdout, gz_client_text(text));
    printf("%*s", columns - ctl_width(gz_client_text(text)), "");
}

static void print_row(const struct table *table, const struct row *row)
{
    const struct gz_note_state *note = row->note;
    char when[32];
    ctl_when_write(note->made, when, sizeof when);
    int left = printf("%*s%" PRIu64 "%*s  ", indent_of(row), "", note->id,
                      table->id_width - id_width(row), "");
    put_padded(note->user.bytes, table->user_width);
    left += table->user_width + printf("  %s  ", when);
    if (table->pin_width > 0) {
        put_padded(row->pin, table->pin_width);
        left += table->pin_width + printf("  ");
    }
    left += printf("%s  ", note->done ? "done" : "open");
    ctl_put_lines(stdout, note->text, left);
    fputc('\n', stdout);
}

static bool print_table(const struct gz_client *client, bool all, bool json)
{
    const struct gz_pinboard *pinboard = gz_client_pinboard(client);
    size_t count = gz_pinboard_count(pinboard);
    struct table table = {.rows = calloc(count + 1, sizeof *table.rows)};
    bool enough = table.rows != NULL;
    for (size_t i = 0; enough && i < count; i++)
        enough = fill_row(&table, gz_client_mirror(client), gz_pinboard_at(pinboard, i), all);
    if (enough) {
        qsort(table.rows, table.count, sizeof *table.rows, compare_rows);
        measure(&table);
    }
    for (size_t i = 0; enough && i < table.count; i++) {
        if (table.rows[i].hidden) continue;
        if (json)
            ctl_put_json(stdout, ctl_json_note(table.rows[i].note));
        else
            print_row(&table, &table.rows[i]);
    }
    for (size_t i = 0; i < table.count; i++) free(table.rows[i].pin);
    free(table.rows);
    return enough;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_client *client;
    enum ctl_exit result = ctl_join(args, GZ_ROLE_VIEWER, &client);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    enum gz_status status = ctl_await_people(client, &error);
    if (status == GZ_OK && !print_table(client, ctl_get(args, "--all")->given, args->json))
        status = gz_fail(&error, GZ_NO_MEMORY, "no memory");
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

const struct ctl_command ctl_notes = {
    .usage.name = "notes",
    .usage.operands = "SCENE",
    .usage.summary = "Lists the open notes of a scene: author, time, place and text, with replies "
                     "below their notes.",
    .usage.notes =
        "The place of a note is a node, a point in the space of a node, or a point in the world, "
        "in metres. Without --all, replies to a note that is done are left out too.",
    .usage.options = options,
    .run = run,
};
