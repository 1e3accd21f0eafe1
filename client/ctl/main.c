/* main.c - gizmoctl: finds the command that the arguments name, and runs it. */
#include <stdio.h>
#include <string.h>

#include "ctl.h"

static const struct ctl_command *const commands[] = {
    &ctl_import,  &ctl_export,  &ctl_ls,     &ctl_watch,          &ctl_who,        &ctl_drag,
    &ctl_set,     &ctl_create,  &ctl_delete, &ctl_edit,           &ctl_undo,       &ctl_redo,
    &ctl_revert,  &ctl_history, &ctl_at,     &ctl_restore,        &ctl_checkpoint, &ctl_checkpoints,
    &ctl_note,    &ctl_notes,   &ctl_backup, &ctl_restore_backup, &ctl_rm,         &ctl_mv,
    &ctl_access,  &ctl_link,    &ctl_check,  &ctl_solve,          &ctl_token,      &ctl_key,
    &ctl_cluster, &ctl_move,    &ctl_bench,
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

const struct ctl_command *ctl_find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->usage.name, name) == 0) return commands[i];
    return NULL;
}

/* Prints the completion script for a shell. */
static int describe_completion(const struct gz_arg_program *program, const char *shell)
{
    struct ctl_args none = {0};
    const int value =
        shell != NULL ? gz_vocabulary_value(&gz_arg_shell_words, shell, strlen(shell)) : -1;
    if (value < 0) return ctl_usage(&none, "--completion: give one of bash, zsh and fish");
    gz_args_completion(stdout, program, value);
    return CTL_OK;
}

/* Prints what the first of these words asks of the whole program; false if it is another word. */
static bool describe(const struct gz_arg_program *program, int argc, char **argv, int *result)
{
    const char *word = argv[0];
    if (strcmp(word, "--help") == 0 || strcmp(word, "help") == 0)
        gz_args_help(stdout, program, NULL);
    else if (strcmp(word, "--man") == 0)
        gz_args_man(stdout, program);
    else if (strcmp(word, "--completion") == 0)
        *result = describe_completion(program, argv[1]);
    else if (strcmp(word, "--complete") == 0)
        ctl_complete(program, argc - 1, argv + 1);
    else if (strcmp(word, "--version") == 0)
        puts("gizmoctl " GIZMOD_VERSION);
    else
        return false;
    return true;
}

static int run(const struct gz_arg_program *program, int argc, char **argv)
{
    struct ctl_args args;
    const struct ctl_command *command = argc > 0 ? ctl_find_command(argv[0]) : NULL;
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
                 "SHELL the completion script for bash, zsh or fish, which also completes the "
                 "names of scenes.\n\n"
                 "The words of an exit code are those that an error has in parentheses. With "
                 "--json "
                 "an error is one line on stderr, "
                 "{\"op\":\"error\",\"code\":\"unknown_node\",\"message\":\"...\"}, whose code is "
                 "that "
                 "word, usage for 2, unreachable for 3, or internal; and a command without an "
                 "answer prints {\"op\":\"ok\"}.",
             .options = ctl_shared_options},
        .section = "1",
        .version = GIZMOD_VERSION,
        .commands = usages,
        .count = COMMAND_COUNT,
        .exits = ctl_exits,
    };
    int result = CTL_OK;
    if (argc > 1 && describe(&program, argc - 1, argv + 1, &result)) return result;
    return run(&program, argc - 1, argv + 1);
}
