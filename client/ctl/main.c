#include <stdio.h>
#include <string.h>

#include "ctl.h"

static const struct ctl_command *const commands[] = {
    &ctl_import, &ctl_export, &ctl_ls,      &ctl_watch, &ctl_who,     &ctl_drag,       &ctl_set,         &ctl_undo,
    &ctl_redo,   &ctl_revert, &ctl_history, &ctl_at,    &ctl_restore, &ctl_checkpoint, &ctl_checkpoints, &ctl_note,
    &ctl_notes,  &ctl_backup, &ctl_rm,      &ctl_mv,    &ctl_check,   &ctl_solve,
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static const struct ctl_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static void print_help(void)
{
    printf(
        "usage: gizmoctl COMMAND [OPERAND...] [OPTION...]\n\nTalks to gizmod, the networked manipulation server.\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", commands[i]->name, commands[i]->operands);
        printf("  %-20s  %s\n", left, commands[i]->summary);
    }
    printf("\nEvery command takes --server URL (or GIZMOD_URL, else " GZ_CLIENT_URL_DEFAULT "), --token TOKEN (or\n"
           "GIZMOD_TOKEN) and --user NAME (or USER). gizmoctl COMMAND --help says the rest.\n"
           "It exits with 0, with 1 where something failed, with 2 where the command line is wrong.\n");
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("gizmoctl: a command is missing (see gizmoctl --help)\n", stderr);
        return CTL_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_help();
        return CTL_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("gizmoctl " GIZMOD_VERSION);
        return CTL_OK;
    }
    const struct ctl_command *command = find_command(argv[1]);
    if (command == NULL) {
        fprintf(stderr, "gizmoctl: unknown %s %s (see gizmoctl --help)\n", argv[1][0] == '-' ? "option" : "command",
                argv[1]);
        return CTL_USAGE;
    }
    struct ctl_args args;
    enum ctl_exit result = ctl_args_read(&args, command, argc - 2, argv + 2);
    if (result != CTL_OK) return result;
    if (!args.help) return command->run(&args);
    ctl_print_help(command);
    return CTL_OK;
}
