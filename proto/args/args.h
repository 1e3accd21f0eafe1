/* args.h - command lines: one table describes a program's options, and serves its arguments, its
 * --help, its manual page and its shell completion, and a file and environment variables that give
 * the same options. Options are long ones, `--name VALUE` or
 * `--name=VALUE`, in any order with the operands, up to `--`; names cannot be abbreviated, so that
 * scripts keep working when an option is added. Ownership: texts point into argv. Threads: reading
 * is getopt_long's, one at a time; the rest is pure. Errors: GZ_BAD_VALUE with one line that names
 * the option or operand. */
#ifndef GZ_ARGS_H
#define GZ_ARGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/base/status.h"
#include "proto/base/vocabulary.h"

enum gz_arg_kind {
    GZ_ARG_FLAG,
    GZ_ARG_TEXT,
    GZ_ARG_TEXTS,   /* may be given GZ_ARG_TEXTS_MAX times */
    GZ_ARG_NUMBERS, /* `count` of them, with commas between */
    GZ_ARG_PAIR,    /* one number or two, with a comma between */
    GZ_ARG_POINTS,  /* two arguments of three numbers each */
    GZ_ARG_INTEGER, /* unsigned, below 2^53 */
    GZ_ARG_WORD,    /* one of `terms` */
    GZ_ARG_READ     /* what `read` makes of it */
};

#define GZ_ARG_TEXTS_MAX 32

/* Who may give an option beside the command line. */
enum gz_arg_reach {
    GZ_ARG_ANYWHERE,
    GZ_ARG_NOT_BY_FILE,
    GZ_ARG_BY_LINE_ONLY,
};

struct gz_arg_option {
    const char *name; /* with its dashes; NULL ends a list */
    enum gz_arg_kind kind;
    const char *value; /* the value's name in --help, e.g. "X,Y"; NULL for a flag */
    int count;
    const struct gz_vocabulary *terms;
    double min, max; /* of a number or integer; both 0 for no bounds */
    bool (*read)(const char *text, double *number);
    const char *form; /* the form that `read` accepts, in words: "time (...)" */
    /* Of a text: what else it has to be; the error begins with the option's name. NULL: anything.
     */
    enum gz_status (*check)(const struct gz_arg_option *option, const char *text,
                            struct gz_error *error);
    enum gz_arg_reach reach;
    bool is_live; /* a running program takes up another value; --help marks it by a star */
    const char *help;
};

/* Who gave a value: what the line gives replaces what the environment gives, and that what the file
 * gives, a whole list as well. */
enum gz_arg_source { GZ_ARG_BY_LINE, GZ_ARG_BY_ENVIRONMENT, GZ_ARG_BY_FILE };

/* The value of an option. */
struct gz_arg {
    bool given;
    enum gz_arg_source source;
    int line;         /* of the file, from 1 */
    const char *text; /* as it was given last; NULL if it was not */
    const char *texts[GZ_ARG_TEXTS_MAX];
    double numbers[6]; /* GZ_ARG_READ: one */
    int count;         /* GZ_ARG_PAIR, GZ_ARG_TEXTS: how many */
    uint64_t integer;
    int word; /* in the option's terms */
};

struct gz_arg_command {
    const char *name;
    const char *operands; /* names with blanks between, optional ones in brackets, the last one with
                             "..." if there may be more of it: "SCENE [FILE]", "SCENE NODE..." */
    const char *summary;
    const char *notes; /* more for --help and the manual, or NULL */
    const struct gz_arg_option *options;
};

/* An exit code, and what it means. */
struct gz_arg_exit {
    int code;
    const char *help; /* NULL ends a list */
};

struct gz_arg_program {
    struct gz_arg_command
        own;             /* every command takes these options too, unless it has one of that name */
    const char *section; /* of the manual */
    const char *version;
    bool repeats; /* the last one counts of an option that is given twice, which is an error
                     otherwise */
    const struct gz_arg_command *const *commands; /* none for a program without commands */
    size_t count;
    const struct gz_arg_exit *exits; /* for --help and the manual, or NULL */
};

#define GZ_ARG_OPTIONS_MAX 48 /* of a command, and of a program */
#define GZ_ARG_OPERANDS_MAX 256

struct gz_args {
    const struct gz_arg_program *program;
    const struct gz_arg_command *command; /* NULL for a program without commands */
    struct gz_arg values[2 * GZ_ARG_OPTIONS_MAX];
    const char *operands[GZ_ARG_OPERANDS_MAX]; /* NULL if one was left out */
    int operand_count;
    enum gz_arg_source source; /* that is being read */
    const char *path;          /* of the file; NULL for none */
};

/* The first thing that a program does: a standard stream that is closed becomes /dev/null. A file
 * or a socket that is opened later would have its number, and would get what is printed. */
void gz_args_keep_streams(void);

/* Reads the arguments after argv[0], the name of the command or, if `command` is NULL, of the
 * program. gz_args_check checks the operands. */
GZ_MUST_USE enum gz_status gz_args_read(struct gz_args *args, const struct gz_arg_program *program,
                                        const struct gz_arg_command *command, int argc, char **argv,
                                        struct gz_error *error);
/* The same in steps, for a program without commands that takes options from elsewhere, too: begin,
 * then in this order what there is of the other three. */
void gz_args_begin(struct gz_args *args, const struct gz_arg_program *program,
                   const struct gz_arg_command *command);
/* The text of a file, with lines `NAME = VALUE`, where NAME is an option's without its dashes, and
 * lines that begin with `#`. An option without a value is `yes` or `no`. Changes the text, which
 * has a NUL behind it and has to outlive *args, like `path`. Errors begin with "PATH:LINE: ". */
GZ_MUST_USE enum gz_status gz_args_read_file(struct gz_args *args, char *text, size_t size,
                                             const char *path, struct gz_error *error);
/* The variables PROGRAM_NAME of the options that have one, in capitals and with `_` for `-`; a list
 * has commas. An empty one counts as none. *kept gets the memory of lists, which has to outlive
 * *args, for free(). Errors begin with "VARIABLE: ". */
GZ_MUST_USE enum gz_status gz_args_read_environment(struct gz_args *args, char **kept,
                                                    struct gz_error *error);
GZ_MUST_USE enum gz_status gz_args_read_line(struct gz_args *args, int argc, char **argv,
                                             struct gz_error *error);
/* If an error begins with the name of an option that the file or the environment gave, puts before
 * it where. */
void gz_args_locate(const struct gz_args *args, struct gz_error *error);
/* Whether both were given, with the same words, or neither. */
bool gz_arg_equal(const struct gz_arg *a, const struct gz_arg *b);
/* Checks that no operand is missing or too many. */
GZ_MUST_USE enum gz_status gz_args_check(const struct gz_args *args, struct gz_error *error);
/* An option of the command or, if it has none of this name, of the program. There must be one. */
const struct gz_arg *gz_args_get(const struct gz_args *args, const char *name);
/* The program's option, even if the command has one of the same name. */
const struct gz_arg *gz_args_get_own(const struct gz_args *args, const char *name);

/* Write the text of --help, of the program if `command` is NULL; a manual page (roff, man(7)). */
void gz_args_help(FILE *out, const struct gz_arg_program *program,
                  const struct gz_arg_command *command);
void gz_args_man(FILE *out, const struct gz_arg_program *program);

/* ---- completion (complete.c) ---- */

/* "bash", "zsh", "fish". */
extern const struct gz_vocabulary gz_arg_shell_words;
/* Writes the completion script for a shell, a value of gz_arg_shell_words. The script calls
 * `PROGRAM --complete WORD...`. */
void gz_args_completion(FILE *out, const struct gz_arg_program *program, int shell);

/* Where words are offered: gz_args_offer prints those that begin like the last word of the line. */
struct gz_arg_offers;
void gz_args_offer(const struct gz_arg_offers *offers, const char *word);
/* Who knows values that the table does not: `ask` is called with the name of an operand or of an
 * option's value, such as SCENE, and offers what it may be. */
struct gz_arg_asker {
    void (*ask)(void *context, const char *name, size_t size, const struct gz_arg_offers *offers);
    void *context;
};
/* Writes what could stand in place of the last of these words, which follow the program's name: one
 * a line; nothing where a file is wanted, or anything. `asker` may be NULL. */
void gz_args_complete(FILE *out, const struct gz_arg_program *program, int count, char **words,
                      const struct gz_arg_asker *asker);

#endif
