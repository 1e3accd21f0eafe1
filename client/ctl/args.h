/* args.h - the command line of gizmoctl, read by its table (proto/args). An error is one line on
 * stderr, and CTL_USAGE. Ownership: texts point into argv or the environment. */
#ifndef CTL_ARGS_H
#define CTL_ARGS_H

#include "proto/args/args.h"

/* The exit codes of the program. */
enum ctl_exit { CTL_OK = 0, CTL_FAILED = 1, CTL_USAGE = 2 };

struct ctl_args;

struct ctl_command {
    struct gz_arg_command usage;
    enum ctl_exit (*run)(const struct ctl_args *args);
};

struct ctl_args {
    const struct ctl_command *command;
    struct gz_args said;
    const char *const *operands; /* NULL if one was left out */
    const char *server, *user;
    const char *token, *ca, *headers;        /* NULL for none */
    char token_text[GZ_TOKEN_BYTES_MAX + 2]; /* of --token-file */
    char header_text[8192];                  /* of --header, one a line */
    bool help;
};

/* The options of every command. */
extern const struct gz_arg_option ctl_shared_options[];

/* Reads the arguments after the program's name: argv[0] names the command. `args` must not move. */
enum ctl_exit ctl_args_read(struct ctl_args *args, const struct gz_arg_program *program,
                            const struct ctl_command *command, int argc, char **argv);
/* The value of one of the command's options. */
const struct gz_arg *ctl_get(const struct ctl_args *args, const char *name);

/* One line on stderr, "gizmoctl COMMAND: ..."; returns CTL_USAGE. */
enum ctl_exit ctl_usage(const struct ctl_args *args, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
