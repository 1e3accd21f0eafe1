/* check.c - `gizmoctl check`: checks a scene's file without a daemon, or compares two. */
#include <inttypes.h>

#include "ctl.h"
#include "store/store.h"

static const struct gz_arg_option options[] = {
    {"--against", GZ_ARG_TEXT, "FILE.db",
     .help = "compare two files row by row instead, and print the first difference"},
    {0},
};

/* The disk is this machine's, not the server's. */
static enum ctl_exit fail(const struct ctl_args *args, struct gz_error *error)
{
    if (error->status == GZ_STORAGE) error->status = GZ_INTERNAL;
    return ctl_fail(args, error);
}

static void put_line(const struct ctl_args *args, const char *words)
{
    printf("%s: ", args->operands[0]);
    ctl_put_text(stdout, gz_client_text(words));
    fputc('\n', stdout);
}

/* Prints the first difference. */
static enum ctl_exit compare(const struct ctl_args *args, const char *against)
{
    struct gz_error error = {0};
    char difference[GZ_ERROR_BYTES_MAX];
    if (gz_store_compare(args->operands[0], against, difference, &error) != GZ_OK)
        return fail(args, &error);
    if (args->json)
        ctl_put_json(stdout, json_pack("{s:s,s:o*}", "op", "ok", "difference",
                                       difference[0] != '\0' ? ctl_json_shown(difference) : NULL));
    else
        put_line(args, difference[0] != '\0' ? difference : "equal, row by row");
    enum ctl_exit written = ctl_finish_output(args);
    return difference[0] == '\0' ? written : CTL_FAILED;
}

static void handle_fault(void *context, const char *words)
{
    const struct ctl_args *args = context;
    if (args->json)
        ctl_put_json(stdout,
                     json_pack("{s:s,s:o}", "op", "fault", "message", ctl_json_shown(words)));
    else
        put_line(args, words);
}

static void put_summary(const struct ctl_args *args, const struct gz_store_check *check)
{
    if (check->is_rolled_back)
        printf("%s: a change that a crash broke off was taken back; it was not acknowledged\n",
               args->operands[0]);
    printf("%s: schema version %d, %" PRIu64 " nodes, %" PRIu64 " edits, seq %" PRIu64 ": ",
           args->operands[0], check->version, check->nodes, check->edits, check->seq);
    if (check->faults == 0)
        puts("nothing is wrong");
    else
        printf("%" PRIu64 " thing%s wrong\n", check->faults, check->faults == 1 ? " is" : "s are");
}

static void put_summary_json(const struct gz_store_check *check)
{
    ctl_put_json(stdout,
                 json_pack("{s:s,s:i,s:I,s:I,s:I,s:I,s:b}", "op", "ok", "version", check->version,
                           "nodes", (json_int_t)check->nodes, "edits", (json_int_t)check->edits,
                           "seq", (json_int_t)check->seq, "faults", (json_int_t)check->faults,
                           "rolled_back", check->is_rolled_back));
}

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_error error = {0};
    const struct gz_arg *against = ctl_get(args, "--against");
    if (against->given) return compare(args, against->text);
    struct gz_store_check check = {.handle_fault = handle_fault, .context = (void *)args};
    if (gz_store_check(args->operands[0], &check, &error) != GZ_OK) return fail(args, &error);
    if (args->json)
        put_summary_json(&check);
    else
        put_summary(args, &check);
    enum ctl_exit written = ctl_finish_output(args);
    return check.faults == 0 ? written : CTL_FAILED;
}

const struct ctl_command ctl_check = {
    .usage.name = "check",
    .usage.operands = "FILE.db",
    .usage.summary =
        "Checks a scene's file, and prints every fault. Needs no daemon, and changes nothing but "
        "what a crash broke off.",
    .usage.options = options,
    .usage.notes = "A daemon may have the file open. The check covers the database, the tree, the "
                   "numbers, the order of the history, and whether the history leads to the "
                   "present nodes. The exit code is 1 if there is a fault or a difference.",
    .run = run,
};
