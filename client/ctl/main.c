/* main.c - gizmoctl: finds the command that the arguments name, and runs it. */
#include <stdio.h>
#include <string.h>

#include "ctl.h"

static const struct ctl_command *const commands[] = {
    &ctl_import, &ctl_export,  &ctl_ls,     &ctl_watch,   &ctl_who,        &ctl_drag,
    &ctl_set,    &ctl_create,  &ctl_delete, &ctl_edit,    &ctl_undo,       &ctl_redo,
    &ctl_revert, &ctl_history, &ctl_at,     &ctl_restore, &ctl_checkpoint, &ctl_checkpoints,
    &ctl_note,   &ctl_notes,   &ctl_backup, &ctl_rm,      &ctl_mv,         &ctl_access,
    &ctl_link,   &ctl_check,   &ctl_solve,  &ctl_token,   &ctl_key,        &ctl_cluster,
    &ctl_move,   &ctl_bench,
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static const struct ctl_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->usage.name, name) == 0) return commands[i];
    return NULL;
}

/* Prints what `word` asks of the whole program; false if it is another word. */
static bool describe(const struct gz_arg_program *program, const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "help") == 0)
        gz_args_help(stdout, program, NULL);
    else if (strcmp(word, "--man") == 0)
        gz_args_man(stdout, program);
    else if (strcmp(word, "--completion") == 0)
        gz_args_completion(stdout, program);
    else if (strcmp(word, "--version") == 0)
        puts("gizmoctl " GIZMOD_VERSION);
    else
        return false;
    return true;
}

static int run(const struct gz_arg_program *program, int argc, char **argv)
{
    struct ctl_args args;
    const struct ctl_command *command = argc > 0 ? find_command(argv[0]) : NULL;
    ctl_args_begin(&args, NULL, argc, argv);
    if (argc == 0) return ctl_usage(&args, "a command is missing (gizmoctl --help lists them)");
    if (command == NULL)
        return ctl_usage(&args, "unknown %s %s (gizmoctl --help lists them)",
                         argv[0][0] == '-' ? "option" : "command", argv[0]);
    enum ctl_exit result = ctl_args_read(&args, program, command, argc, argv);
    if (result != CTL_OK) return result;
    if (!args.help) return command->run(&args);
    gz_args_help(stdout, program, &command->usage);
    return CTL_OK;
}

int main(int argc, char **argv)
{
    const struct gz_arg_command *usages[COMMAND_COUNT];
    gz_args_keep_streams();
    for (size_t i = 0; i < COMMAND_COUNT; i++) usages[i] = &commands[i]->usage;
    const struct gz_arg_program program = {
        .own =
            {.name = "gizmoctl",
             .operands = "COMMAND [OPERAND...]",
             .summary = "Controls gizmod, the networked manipulation server.",
             .notes =
                 "Every command takes these options. gizmoctl COMMAND --help describes a command. "
                 "gizmoctl --version prints the version, --man the manual page, and --completion "
                 "the completion script for bash.\n\n" CTL_EXIT_HELP,
             .options = ctl_shared_options},
        .section = "1",
        .version = GIZMOD_VERSION,
        .commands = usages,
        .count = COMMAND_COUNT,
    };
    if (argc > 1 && describe(&program, argv[1])) return CTL_OK;
    return run(&program, argc - 1, argv + 1);
}
