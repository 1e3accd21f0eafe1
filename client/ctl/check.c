/* check.c - `gizmoctl check`: checks a scene's file without a daemon. */
#include <inttypes.h>

#include "ctl.h"
#include "store/store.h"

static void handle_fault(void *context, const char *words)
{
    const struct ctl_args *args = context;
    printf("%s: ", args->operands[0]);
    ctl_put_text(stdout, gz_client_text(words));
    fputc('\n', stdout);
}

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_error error = {0};
    struct gz_store_check check = {.handle_fault = handle_fault, .context = (void *)args};
    if (gz_store_check(args->operands[0], &check, &error) != GZ_OK) return ctl_fail(args, &error);
    printf("%s: schema version %d, %" PRIu64 " nodes, %" PRIu64 " edits, seq %" PRIu64 ": ",
           args->operands[0], check.version, check.nodes, check.edits, check.seq);
    if (check.faults == 0)
        puts("nothing is wrong");
    else
        printf("%" PRIu64 " thing%s wrong\n", check.faults, check.faults == 1 ? " is" : "s are");
    enum ctl_exit written = ctl_finish_output(args);
    return check.faults == 0 ? written : CTL_FAILED;
}

const struct ctl_command ctl_check = {
    .usage.name = "check",
    .usage.operands = "FILE.db",
    .usage.summary = "Says what is wrong with a scene's file, if anything: no daemon is needed, "
                     "and nothing is changed.",
    .usage.notes = "A daemon may have it open. Looks at the database itself, the tree, the "
                   "numbers, the order of the "
                   "history, and\n"
                   "whether the history comes to the nodes as they are. Exits with 1 where "
                   "something is wrong.",
    .run = run,
};
