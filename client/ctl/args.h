/* args.h - the command line of gizmoctl, read by its table (proto/args). An error is one line on
 * stderr, and CTL_USAGE. Ownership: texts point into argv or the environment. */
#ifndef CTL_ARGS_H
#define CTL_ARGS_H

#include "proto/args/args.h"

/* The exit codes of the program, by the kind of error; ctl_exits has them in words. */
enum ctl_exit {
    CTL_OK = 0,
    CTL_FAILED = 1,
    CTL_USAGE = 2,
    CTL_UNREACHABLE = 3,
    CTL_FORBIDDEN = 4,
    CTL_UNKNOWN = 5,
    CTL_IN_THE_WAY = 6,
    CTL_BAD_INPUT = 7,
    CTL_BUSY = 8
};

extern const struct gz_arg_exit ctl_exits[];

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
    bool help, json;
};

/* The options of every command. */
extern const struct gz_arg_option ctl_shared_options[];

/* What an error of the command line needs, before it is read. `command` NULL: none is known. */
void ctl_args_begin(struct ctl_args *args, const struct ctl_command *command, int argc,
                    char **argv);
/* CTL_USAGE with a line on stderr if it is no name of a scene. */
enum ctl_exit ctl_check_scene(const struct ctl_args *args, const char *name);
/* Reads the arguments after the program's name: argv[0] names the command. `args` must not move. */
enum ctl_exit ctl_args_read(struct ctl_args *args, const struct gz_arg_program *program,
                            const struct ctl_command *command, int argc, char **argv);
/* Reads what it can of a line that is not complete; what is wrong with it is not said. */
void ctl_args_guess(struct ctl_args *args, const struct gz_arg_program *program,
                    const struct ctl_command *command, int argc, char **argv);
/* Whether it can be the name of a scene. */
bool ctl_is_scene(const char *name);
/* The value of one of the command's options. */
const struct gz_arg *ctl_get(const struct ctl_args *args, const char *name);

/* One line on stderr, "gizmoctl COMMAND: ...", or an error as JSON; returns CTL_USAGE (fail.c). */
enum ctl_exit ctl_usage(const struct ctl_args *args, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
