/* history.c - `gizmoctl history`: prints the edits of a scene. */
#include <inttypes.h>
#include <string.h>

#include "ctl.h"
#include "proto/limits.h"

#define LINES_PER_EDIT 4 /* nodes of an edit that are shown one by one */
#define LIMIT_DEFAULT 100

static const struct gz_arg_option options[] = {
    {"--node", GZ_ARG_TEXT, "N",
     .help = "only edits of this node, by name or id; by id (id:7) if it is deleted"},
    {"--user", GZ_ARG_TEXT, "U", .help = "only edits of this user"},
    {"--since", GZ_ARG_READ, "T", .read = ctl_when_read, .form = CTL_WHEN_FORM,
     .help = "only edits that ended after this time: " CTL_WHEN_FORMS},
    {"--before", GZ_ARG_READ, "T", .read = ctl_when_read, .form = CTL_WHEN_FORM,
     .help = "only edits that ended before this time"},
    {"--limit", GZ_ARG_INTEGER, "N", .min = 1, .max = GZ_HISTORY_ROWS_MAX,
     .help = "at most this many edits, the newest (100, up to 1000)"},
    {"--json", .help = "print a JSON object per edit"},
    {0},
};

/* By the name that the node had then; an older server does not send it, so the present name is
 * used. */
static void put_node_of(const struct gz_mirror *mirror, const struct gz_change_message *change)
{
    if (!(change->has & GZ_HAS_CHANGE_NAME)) {
        ctl_put_node(stdout, mirror, change->id);
        return;
    }
    ctl_put_text(stdout, change->name);
    printf(" #%" PRIu64, change->id);
}

static void put_change_line(const struct gz_mirror *mirror, const struct gz_change_message *change)
{
    put_node_of(mirror, change);
    if (!(change->has & GZ_HAS_CHANGE_BEFORE)) {
        fputs("  made: ", stdout);
        ctl_put_state(stdout, mirror, &change->after);
    } else if (!(change->has & GZ_HAS_CHANGE_AFTER)) {
        fputs("  deleted", stdout);
    } else {
        fputs("  ", stdout);
        ctl_put_change(stdout, mirror, &change->before, &change->after);
    }
    fputc('\n', stdout);
}

/* What is known of the last edit, which may go on in the next answer. */
struct last_edit {
    uint64_t id;  /* 0: there is none */
    size_t nodes; /* to be printed at its end; 0: they were printed one by one */
    json_t *json; /* with --json */
};

static void put_end(struct last_edit *last)
{
    if (last->json != NULL) ctl_put_json(stdout, last->json);
    if (last->nodes > 0) printf("%zu nodes\n", last->nodes);
    *last = (struct last_edit){.id = 0};
}

static void add_json(struct last_edit *last, const struct gz_edit_message *edit)
{
    json_t *json = ctl_json_edit(edit);
    if (last->json == NULL) {
        last->json = json;
        return;
    }
    json_array_extend(json_object_get(last->json, "nodes"), json_object_get(json, "nodes"));
    json_array_extend(json_object_get(last->json, "changes"), json_object_get(json, "changes"));
    json_decref(json);
}

static void put_edit(const struct gz_mirror *mirror, const struct gz_edit_message *edit,
                     struct last_edit *last)
{
    char when[32], what[CTL_EDIT_BYTES];
    ctl_when_write(edit->ended, when, sizeof when);
    ctl_edit_words(edit, what);
    int left = printf("%s  seq %-8" PRIu64 "  edit %-5" PRIu64 "  ", when, edit->seq, edit->id);
    char user[GZ_USER_BYTES_MAX + 1];
    snprintf(user, sizeof user, "%.*s", (int)edit->user.size,
             edit->user.bytes != NULL ? edit->user.bytes : "");
    ctl_put_text(stdout, gz_client_text(user));
    left += printf("%*s  %-13s  ", strlen(user) < 12 ? (int)(12 - strlen(user)) : 0, "", what);
    left += (int)strlen(user);
    if (edit->undone) fputs("(undone) ", stdout);
    if (edit->total > 1) printf("(1 of %" PRIu64 " nodes) ", edit->total);
    if (edit->change_count > LINES_PER_EDIT || edit->change_count == 0) {
        last->nodes = edit->nodes.count;
        if (last->nodes == 0) puts("0 nodes");
        return;
    }
    for (size_t i = 0; i < edit->change_count; i++) {
        if (i > 0) printf("%*s", left, "");
        put_change_line(mirror, &edit->changes[i]);
    }
}

/* A node that is not there was deleted, and is found by its id. */
static enum gz_status find_node(const struct ctl_args *args, struct gz_client *client, uint64_t *id,
                                struct gz_error *error)
{
    const char *text = ctl_get(args, "--node")->text;
    enum gz_status status = ctl_find_node(gz_client_mirror(client), text, id, error);
    if (status != GZ_UNKNOWN_NODE) return status;
    const char *number = strncmp(text, "id:", 3) == 0 ? text + 3 : text;
    return ctl_read_id(number, id) && *id != 0 ? GZ_OK : status;
}

/* The question of the options; *has says which fields it has. */
static enum gz_status read_question(const struct ctl_args *args, struct gz_client *client,
                                    struct gz_history *history, uint64_t *has,
                                    struct gz_error *error)
{
    const struct gz_arg *node = ctl_get(args, "--node"), *user = ctl_get(args, "--user"),
                        *since = ctl_get(args, "--since"), *before = ctl_get(args, "--before");
    *history = (struct gz_history){.user = gz_client_text(user->text),
                                   .since = since->numbers[0],
                                   .before = before->numbers[0]};
    if (user->given) *has |= GZ_HAS_HISTORY_USER;
    if (since->given) *has |= GZ_HAS_HISTORY_SINCE;
    if (before->given) *has |= GZ_HAS_HISTORY_BEFORE;
    if (!node->given) return GZ_OK;
    *has |= GZ_HAS_HISTORY_NODE;
    history->alone = true;
    return find_node(args, client, &history->node, error);
}

static enum gz_status ask(const struct ctl_args *args, struct gz_client *client, uint64_t *rid,
                          struct gz_error *error)
{
    const struct gz_arg *limit = ctl_get(args, "--limit");
    struct gz_message question = {.op = GZ_OP_HISTORY, .has = GZ_HAS_HISTORY_LIMIT};
    enum gz_status status = read_question(args, client, &question.history, &question.has, error);
    question.history.limit = limit->given ? limit->integer : LIMIT_DEFAULT;
    return status == GZ_OK ? gz_client_send(client, &question, rid, error) : status;
}

/* An edit of very many nodes continues in the next answer, under the same id. */
static void put_edits(const struct ctl_args *args, struct gz_client *client, const struct gz_ok *ok,
                      struct last_edit *last)
{
    bool is_json = args->json;
    for (size_t i = 0; i < ok->edit_count; i++) {
        const struct gz_edit_message *edit = &ok->edits[i];
        bool goes_on = edit->id == last->id;
        if (!goes_on) put_end(last);
        last->id = edit->id;
        if (is_json)
            add_json(last, edit);
        else if (goes_on)
            last->nodes += edit->nodes.count;
        else
            put_edit(gz_client_mirror(client), edit, last);
    }
}

static enum gz_status list(const struct ctl_args *args, struct gz_client *client,
                           struct gz_error *error)
{
    uint64_t rid;
    struct last_edit last = {.id = 0};
    enum gz_status status = ask(args, client, &rid, error);
    for (bool more = true; status == GZ_OK && more;) {
        const struct gz_message *answer;
        status = gz_client_answer(client, rid, CTL_ANSWER_SECONDS, &answer, error);
        more = status == GZ_OK && answer->ok.more;
        if (status == GZ_OK) put_edits(args, client, &answer->ok, &last);
    }
    put_end(&last);
    return status;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_client *client;
    enum ctl_exit result = ctl_join(args, GZ_ROLE_VIEWER, &client);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    enum gz_status status = list(args, client, &error);
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

const struct ctl_command ctl_history = {
    .usage.name = "history",
    .usage.operands = "SCENE",
    .usage.summary = "Lists the edits of a scene, the newest first: time, user, handle, nodes, and "
                     "what changed.",
    .usage.notes =
        "t is in metres, r in degrees about x, y and z, s in factors, all relative to the node's "
        "parent. In this command --user chooses the edits to list; it does not set your name.",
    .usage.options = options,
    .run = run,
};
