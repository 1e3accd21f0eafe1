/* args.c - reads a command line by the table of options that it is given. */
#include "proto/args/take.h"
#include "proto/limits.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_OPTION 256 /* what getopt_long returns for the first of the list: no character */

static const struct gz_arg_option no_options[1];

static const struct gz_arg_option *options_of(const struct gz_arg_command *command)
{
    return command != NULL && command->options != NULL ? command->options : no_options;
}

/* ---- values ---- */

/* Fills `count` numbers from "a,b,c"; false if the text is anything else. */
static bool read_numbers(const char *text, int count, double *numbers)
{
    for (int i = 0; i < count; i++) {
        char *end;
        numbers[i] = strtod(text, &end);
        if (end == text || !isfinite(numbers[i]) || *end != (i + 1 < count ? ',' : '\0'))
            return false;
        text = end + 1;
    }
    return true;
}

static bool read_integer(const char *text, uint64_t *integer)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *integer = value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && value < GZ_ID_LIMIT;
}

static bool is_within(const struct gz_arg_option *option, double number)
{
    return (option->min == 0 && option->max == 0) ||
           (number >= option->min && number <= option->max);
}

static enum gz_status fail_number(const struct gz_arg_option *option, const char *text,
                                  const char *kind, struct gz_error *error)
{
    if (option->min == 0 && option->max == 0)
        return gz_fail(error, GZ_BAD_VALUE, "%s: \"%s\" is not %s", option->name, text, kind);
    return gz_fail(error, GZ_BAD_VALUE, "%s: \"%s\" is not %s from %.16g to %.16g", option->name,
                   text, kind, option->min, option->max);
}

static enum gz_status take_numbers(const struct gz_arg_option *option, const char *text,
                                   struct gz_arg *value, struct gz_error *error)
{
    bool is_right = read_numbers(text, option->count, value->numbers);
    if (is_right && (option->count > 1 || is_within(option, value->numbers[0]))) return GZ_OK;
    if (option->count == 1) return fail_number(option, text, "a number", error);
    return gz_fail(error, GZ_BAD_VALUE, "%s: \"%s\" is not %s (%d numbers separated by commas)",
                   option->name, text, option->value, option->count);
}

static enum gz_status take_pair(const struct gz_arg_option *option, const char *text,
                                struct gz_arg *value, struct gz_error *error)
{
    value->count = strchr(text, ',') != NULL ? 2 : 1;
    if (read_numbers(text, value->count, value->numbers)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE,
                   "%s: \"%s\" is not %s (one number, or two separated by a comma)", option->name,
                   text, option->value);
}

static enum gz_status take_integer(const struct gz_arg_option *option, const char *text,
                                   struct gz_arg *value, struct gz_error *error)
{
    if (!read_integer(text, &value->integer)) {
        const char *kind = option->max > 0 ? "a whole number" : "a whole number from 0 to 2^53 - 1";
        return fail_number(option, text, kind, error);
    }
    return is_within(option, (double)value->integer)
               ? GZ_OK
               : fail_number(option, text, "a whole number", error);
}

static enum gz_status take_word(const struct gz_arg_option *option, const char *text,
                                struct gz_arg *value, struct gz_error *error)
{
    char words[256] = "";
    value->word = gz_vocabulary_value(option->terms, text, strlen(text));
    if (value->word >= 0) return GZ_OK;
    for (int i = 0; i < option->terms->count; i++) {
        const char *word = gz_vocabulary_word(option->terms, i);
        size_t used = strlen(words);
        if (word[0] != '\0')
            snprintf(words + used, sizeof words - used, "%s%s", used > 0 ? " " : "", word);
    }
    return gz_fail(error, GZ_BAD_VALUE, "%s: \"%s\" is not one of %s", option->name, text, words);
}

static enum gz_status take_text(const struct gz_arg_option *option, const char *text,
                                struct gz_arg *value, struct gz_error *error)
{
    if (value->count == GZ_ARG_TEXTS_MAX)
        return gz_fail(error, GZ_BAD_VALUE, "%s may be given at most %d times", option->name,
                       GZ_ARG_TEXTS_MAX);
    value->texts[value->count++] = text;
    return GZ_OK;
}

/* `target` is the second argument; the first is `eye`. */
static enum gz_status take_points(const struct gz_arg_option *option, const char *eye,
                                  const char *target, struct gz_arg *value, struct gz_error *error)
{
    if (target == NULL)
        return gz_fail(error, GZ_BAD_VALUE, "%s needs two points, EYE and TARGET", option->name);
    bool is_first = read_numbers(eye, 3, value->numbers);
    if (is_first && read_numbers(target, 3, value->numbers + 3)) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "%s: \"%s\" is not X,Y,Z", option->name,
                   is_first ? target : eye);
}

static enum gz_status read_value(const struct gz_arg_option *option, const char *text,
                                 struct gz_arg *value, struct gz_error *error)
{
    switch (option->kind) {
    case GZ_ARG_NUMBERS: return take_numbers(option, text, value, error);
    case GZ_ARG_PAIR: return take_pair(option, text, value, error);
    case GZ_ARG_INTEGER: return take_integer(option, text, value, error);
    case GZ_ARG_WORD: return take_word(option, text, value, error);
    case GZ_ARG_TEXTS: return take_text(option, text, value, error);
    case GZ_ARG_READ:
        if (option->read(text, value->numbers)) return GZ_OK;
        return gz_fail(error, GZ_BAD_VALUE, "%s: \"%s\" is not a %s", option->name, text,
                       option->form);
    default: return GZ_OK;
    }
}

/* What a source gives replaces what an earlier one gave. */
enum gz_status gz_arg_take(const struct gz_args *args, const struct gz_arg_option *option,
                           struct gz_arg *value, const char *text, struct gz_error *error)
{
    if (value->source != args->source) *value = (struct gz_arg){.source = args->source};
    if (value->given && option->kind != GZ_ARG_TEXTS && !args->program->repeats)
        return gz_fail(error, GZ_BAD_VALUE, "%s may be given only once", option->name);
    value->given = true;
    value->text = text;
    return read_value(option, text, value, error);
}

/* Those of the present source. */
enum gz_status gz_arg_check(const struct gz_args *args, const struct gz_arg_option *option,
                            const struct gz_arg *value, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    if (option->check == NULL || !value->given || value->source != args->source) return GZ_OK;
    if (option->kind == GZ_ARG_TEXT) return option->check(option, value->text, error);
    for (int i = 0; status == GZ_OK && i < value->count; i++)
        status = option->check(option, value->texts[i], error);
    return status;
}

/* ---- the line ---- */

/* The options for getopt_long; entry i stands for values[i]. */
struct list {
    struct option longs[2 * GZ_ARG_OPTIONS_MAX + 1];
    const struct gz_arg_option *options[2 * GZ_ARG_OPTIONS_MAX];
    int count;
};

static void add_options(struct list *list, const struct gz_arg_option *options)
{
    for (; options->name != NULL; options++) {
        assert(list->count < 2 * GZ_ARG_OPTIONS_MAX);
        list->longs[list->count] = (struct option){
            .name = options->name + 2,
            .has_arg = options->kind == GZ_ARG_FLAG ? no_argument : required_argument,
            .val = FIRST_OPTION + list->count};
        list->options[list->count++] = options;
    }
}

/* The command's come first: of two with one name they are found. */
static void make_list(struct list *list, const struct gz_args *args)
{
    memset(list, 0, sizeof *list);
    add_options(list, options_of(args->command));
    add_options(list, options_of(&args->program->own));
}

static enum gz_status take_option(struct gz_args *args, const struct gz_arg_option *option,
                                  struct gz_arg *value, int argc, char **argv,
                                  struct gz_error *error)
{
    const char *text = optarg;
    enum gz_status status = gz_arg_take(args, option, value, text, error);
    if (status != GZ_OK || option->kind != GZ_ARG_POINTS) return status;
    return take_points(option, text, optind < argc ? argv[optind++] : NULL, value, error);
}

/* What getopt_long takes for an option though it has only its beginning. */
static bool is_abbreviated(const struct gz_arg_option *option, const char *word)
{
    size_t size = strcspn(word, "=");
    return size != strlen(option->name) || memcmp(option->name, word, size) != 0;
}

static enum gz_status take_operand(struct gz_args *args, const char *text, struct gz_error *error)
{
    if (args->operand_count == GZ_ARG_OPERANDS_MAX)
        return gz_fail(error, GZ_BAD_VALUE, "unexpected operand \"%s\"", text);
    args->operands[args->operand_count++] = text;
    return GZ_OK;
}

/* One result of getopt_long, for the word at argv[at]. */
static enum gz_status take(struct gz_args *args, const struct list *list, int result, int at,
                           int argc, char **argv, struct gz_error *error)
{
    if (result == 1) return take_operand(args, optarg, error);
    bool is_missing = result == ':', is_too_much = result == '?' && optopt >= FIRST_OPTION;
    int index = (is_missing || is_too_much ? optopt : result) - FIRST_OPTION;
    const struct gz_arg_option *option = index >= 0 ? list->options[index] : NULL;
    if (option == NULL || is_abbreviated(option, argv[at]))
        return gz_fail(error, GZ_BAD_VALUE, "unknown option %s (--help lists them)", argv[at]);
    if (is_too_much) return gz_fail(error, GZ_BAD_VALUE, "%s takes no value", option->name);
    if (is_missing)
        return gz_fail(error, GZ_BAD_VALUE, "%s needs a value: %s", option->name, option->value);
    return take_option(args, option, &args->values[index], argc, argv, error);
}

void gz_args_keep_streams(void)
{
    int stream = open("/dev/null", O_RDWR);
    while (stream >= 0 && stream <= STDERR_FILENO) stream = open("/dev/null", O_RDWR);
    if (stream > STDERR_FILENO) close(stream);
}

void gz_args_begin(struct gz_args *args, const struct gz_arg_program *program,
                   const struct gz_arg_command *command)
{
    *args = (struct gz_args){.program = program, .command = command};
}

enum gz_status gz_args_read_line(struct gz_args *args, int argc, char **argv,
                                 struct gz_error *error)
{
    struct list list;
    args->source = GZ_ARG_BY_LINE;
    make_list(&list, args);
    enum gz_status status = GZ_OK;
    optind = 0; /* begins anew */
    for (int at = 1; status == GZ_OK; at = optind) {
        /* "-": operands come in their order among the options; ":": a missing value is told
         * apart. */
        int result = getopt_long(argc, argv, "-:", list.longs, NULL);
        if (result == -1) break;
        status = take(args, &list, result, at, argc, argv, error);
    }
    for (; status == GZ_OK && optind < argc; optind++)
        status = take_operand(args, argv[optind], error);
    for (int i = 0; status == GZ_OK && i < list.count; i++)
        status = gz_arg_check(args, list.options[i], &args->values[i], error);
    return status;
}

enum gz_status gz_args_read(struct gz_args *args, const struct gz_arg_program *program,
                            const struct gz_arg_command *command, int argc, char **argv,
                            struct gz_error *error)
{
    gz_args_begin(args, program, command);
    return gz_args_read_line(args, argc, argv, error);
}

enum gz_status gz_args_check(const struct gz_args *args, struct gz_error *error)
{
    char line[64];
    const struct gz_arg_command *command =
        args->command != NULL ? args->command : &args->program->own;
    snprintf(line, sizeof line, "%s", command->operands);
    int i = 0;
    bool goes_on = false;
    for (char *rest = NULL, *word = strtok_r(line, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest), i++) {
        goes_on = strstr(word, "...") != NULL;
        if (goes_on) *strstr(word, "...") = '\0';
        if (i >= args->operand_count && word[0] != '[')
            return gz_fail(error, GZ_BAD_VALUE, "%s is missing", word);
    }
    if (goes_on || args->operand_count <= i) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "unexpected operand \"%s\"", args->operands[i]);
}

/* ---- asking ---- */

static const struct gz_arg *find(const struct gz_args *args, const struct gz_arg_option *options,
                                 size_t first, const char *name)
{
    for (size_t i = 0; options[i].name != NULL; i++)
        if (strcmp(options[i].name, name) == 0) return &args->values[first + i];
    return NULL;
}

static size_t count_options(const struct gz_arg_option *options)
{
    size_t count = 0;
    while (options[count].name != NULL) count++;
    return count;
}

const struct gz_arg *gz_args_get_own(const struct gz_args *args, const char *name)
{
    const struct gz_arg *found =
        find(args, options_of(&args->program->own), count_options(options_of(args->command)), name);
    assert(found != NULL);
    return found;
}

const struct gz_arg *gz_args_get(const struct gz_args *args, const char *name)
{
    const struct gz_arg *found = find(args, options_of(args->command), 0, name);
    return found != NULL ? found : gz_args_get_own(args, name);
}
