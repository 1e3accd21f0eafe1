/* args.h - the command line, checked: what a command takes stands in a table, which is also its --help.
 * A value that is not of its option's kind, an unknown option or a missing operand is one line on stderr that names it, and
 * CTL_USAGE. Ownership: texts point into argv or the environment. */
#ifndef CTL_ARGS_H
#define CTL_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/terms.h"

/* What the program exits with. */
enum ctl_exit { CTL_OK = 0, CTL_FAILED = 1, CTL_USAGE = 2 };

enum ctl_kind {
    CTL_FLAG,
    CTL_TEXT,
    CTL_NUMBERS, /* `count` of them, with commas between */
    CTL_VALUE,   /* one number or two, with a comma between */
    CTL_LOOK,    /* two arguments of three numbers each */
    CTL_INTEGER, /* unsigned, below 2^53 */
    CTL_WORD,    /* one of `terms` */
    CTL_TIME,    /* becomes Unix seconds */
    CTL_TEXTS    /* as often as CTL_TEXTS_MAX */
};

struct ctl_option {
    const char *name; /* with its dashes; NULL ends a list */
    enum ctl_kind kind;
    const char *value; /* what --help calls the value, e.g. "X,Y" */
    const char *help;
    int count;
    const struct gz_terms *terms;
};

#define CTL_TEXTS_MAX 16

struct ctl_value {
    bool given;
    const char *text; /* as it was written, CTL_TEXTS: the last time */
    const char *texts[CTL_TEXTS_MAX];
    double numbers[6];
    int count; /* CTL_VALUE, CTL_TEXTS: how many */
    uint64_t integer;
    int word;    /* in the option's terms */
    double time; /* Unix seconds */
};

#define CTL_OPTIONS_MAX 24
#define CTL_OPERANDS_MAX 3

struct ctl_args;

struct ctl_command {
    const char *name;
    const char *operands; /* words with blanks between, optional ones in brackets: "SCENE [FILE]" */
    const char *summary;
    const char *notes; /* more for --help, or NULL */
    const struct ctl_option *options;
    enum ctl_exit (*run)(const struct ctl_args *args);
};

struct ctl_args {
    const struct ctl_command *command;
    const char *operands[CTL_OPERANDS_MAX]; /* NULL where one was left out */
    struct ctl_value values[CTL_OPTIONS_MAX];
    const char *server, *token, *user; /* token may be NULL */
    bool help;
};

/* Reads what follows the command's name. */
enum ctl_exit ctl_args_read(struct ctl_args *args, const struct ctl_command *command, int argc, char **argv);
/* The value of one of the command's own options. */
const struct ctl_value *ctl_get(const struct ctl_args *args, const char *name);

/* One line on stderr, "gizmoctl COMMAND: ..."; returns CTL_USAGE. */
enum ctl_exit ctl_usage(const struct ctl_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

void ctl_print_help(const struct ctl_command *command);

#endif
