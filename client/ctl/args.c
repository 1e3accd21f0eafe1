#include "args.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "gizmo_client.h"
#include "when.h"

/* What every command takes; they fill members of ctl_args of their own. */
enum { COMMON_SERVER, COMMON_TOKEN, COMMON_USER, COMMON_HELP, COMMON_COUNT };
static const struct ctl_option common[] = {
    {"--server", CTL_TEXT, "URL", "the daemon (GIZMOD_URL, else " GZ_CLIENT_URL_DEFAULT ")", 0, NULL},
    {"--token", CTL_TEXT, "TOKEN", "who you are, for a daemon that asks (GIZMOD_TOKEN)", 0, NULL},
    {"--user", CTL_TEXT, "NAME", "the name that others see (USER)", 0, NULL},
    {"--help", CTL_FLAG, NULL, "say this", 0, NULL},
    {NULL, CTL_FLAG, NULL, NULL, 0, NULL},
};

enum ctl_exit ctl_usage(const struct ctl_args *args, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "gizmoctl %s: ", args->command->name);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    return CTL_USAGE;
}

const struct ctl_value *ctl_get(const struct ctl_args *args, const char *name)
{
    int i = 0;
    while (strcmp(args->command->options[i].name, name) != 0) i++;
    return &args->values[i];
}

/* ---- values ---- */

/* Fills `count` numbers from "a,b,c"; false where the text is anything else. */
static bool read_numbers(const char *text, int count, double *numbers)
{
    for (int i = 0; i < count; i++) {
        char *end;
        numbers[i] = strtod(text, &end);
        if (end == text || !isfinite(numbers[i]) || *end != (i + 1 < count ? ',' : '\0')) return false;
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

static enum ctl_exit bad_word(const struct ctl_args *args, const struct ctl_option *option, const char *text)
{
    char words[256] = "";
    for (int i = 0; i < option->terms->count; i++) {
        const char *word = gz_term_word(option->terms, i);
        size_t used = strlen(words);
        if (word[0] != '\0') snprintf(words + used, sizeof words - used, "%s%s", used > 0 ? " " : "", word);
    }
    return ctl_usage(args, "%s: \"%s\" is none of %s", option->name, text, words);
}

static enum ctl_exit read_value(const struct ctl_args *args, const struct ctl_option *option, const char *text,
                                struct ctl_value *value)
{
    value->text = text;
    switch (option->kind) {
    case CTL_NUMBERS:
        if (read_numbers(text, option->count, value->numbers)) return CTL_OK;
        return option->count == 1 ? ctl_usage(args, "%s: \"%s\" is not a number", option->name, text)
                                  : ctl_usage(args, "%s: \"%s\" is not %s (%d numbers with commas between)",
                                              option->name, text, option->value, option->count);
    case CTL_VALUE:
        value->count = strchr(text, ',') != NULL ? 2 : 1;
        if (read_numbers(text, value->count, value->numbers)) return CTL_OK;
        return ctl_usage(args, "%s: \"%s\" is not %s (a number, or two with a comma between)", option->name, text,
                         option->value);
    case CTL_INTEGER:
        if (read_integer(text, &value->integer)) return CTL_OK;
        return ctl_usage(args, "%s: \"%s\" is not a whole number from 0 to 2^53 - 1", option->name, text);
    case CTL_WORD:
        value->word = gz_term_value(option->terms, text, strlen(text));
        return value->word >= 0 ? CTL_OK : bad_word(args, option, text);
    case CTL_TEXTS:
        if (value->count == CTL_TEXTS_MAX)
            return ctl_usage(args, "%s is given more than %d times", option->name, CTL_TEXTS_MAX);
        value->texts[value->count++] = text;
        return CTL_OK;
    case CTL_TIME:
        if (ctl_when_read(text, &value->time)) return CTL_OK;
        return ctl_usage(args, "%s: \"%s\" is no time (" CTL_WHEN_FORMS ")", option->name, text);
    default: return CTL_OK;
    }
}

/* The second argument of --look; the first was taken as the value. */
static enum ctl_exit read_look(const struct ctl_args *args, const struct ctl_option *option, const char *eye,
                               const char *target, struct ctl_value *value)
{
    if (target == NULL) return ctl_usage(args, "%s needs two points, EYE and TARGET", option->name);
    if (!read_numbers(eye, 3, value->numbers)) return ctl_usage(args, "%s: \"%s\" is not X,Y,Z", option->name, eye);
    if (!read_numbers(target, 3, value->numbers + 3))
        return ctl_usage(args, "%s: \"%s\" is not X,Y,Z", option->name, target);
    return CTL_OK;
}

/* ---- options ---- */

/* The option that argument `text` names, up to a '='; NULL for none. */
static const struct ctl_option *find_option(const struct ctl_option *options, const char *text)
{
    size_t size = strcspn(text, "=");
    for (; options->name != NULL; options++)
        if (strlen(options->name) == size && memcmp(options->name, text, size) == 0) return options;
    return NULL;
}

/* Reads the option at argv[*at] and moves *at to the last argument that belongs to it. */
static enum ctl_exit read_option(const struct ctl_args *args, const struct ctl_option *option, int argc, char **argv,
                                 int *at, struct ctl_value *value)
{
    if (value->given && option->kind != CTL_TEXTS) return ctl_usage(args, "%s is given twice", option->name);
    value->given = true;
    const char *inside = strchr(argv[*at], '=');
    if (option->kind == CTL_FLAG) return inside == NULL ? CTL_OK : ctl_usage(args, "%s takes no value", option->name);
    const char *text = inside != NULL ? inside + 1 : *at + 1 < argc ? argv[++*at] : NULL;
    if (text == NULL) return ctl_usage(args, "%s needs a value: %s", option->name, option->value);
    if (option->kind == CTL_LOOK) return read_look(args, option, text, *at + 1 < argc ? argv[++*at] : NULL, value);
    return read_value(args, option, text, value);
}

static const char *from_environment(const char *name)
{
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static void take_common(struct ctl_args *args, const struct ctl_value *values)
{
    args->help = values[COMMON_HELP].given;
    args->server = values[COMMON_SERVER].given ? values[COMMON_SERVER].text : from_environment("GIZMOD_URL");
    args->token = values[COMMON_TOKEN].given ? values[COMMON_TOKEN].text : from_environment("GIZMOD_TOKEN");
    args->user = values[COMMON_USER].given ? values[COMMON_USER].text : from_environment("USER");
    if (args->server == NULL) args->server = GZ_CLIENT_URL_DEFAULT;
    if (args->user == NULL) args->user = "gizmoctl";
}

static bool scene_name_is_valid(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    return size > 0 && name[size] == '\0' && size <= GZ_SCENE_NAME_BYTES_MAX && name[0] != '_' && name[0] != '-';
}

/* Compares the operands with what the command's line of them says. */
static enum ctl_exit check_operands(const struct ctl_args *args, int count)
{
    char line[64];
    snprintf(line, sizeof line, "%s", args->command->operands);
    int i = 0;
    for (char *rest = NULL, *word = strtok_r(line, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest), i++) {
        if (i >= count && word[0] != '[') return ctl_usage(args, "%s is missing", word);
        if (i < count && strstr(word, "SCENE") != NULL && !scene_name_is_valid(args->operands[i]))
            return ctl_usage(args,
                             "\"%s\" is no scene name (a-z, 0-9, _ and -, at most %d, the first a letter or digit)",
                             args->operands[i], GZ_SCENE_NAME_BYTES_MAX);
    }
    return count <= i ? CTL_OK : ctl_usage(args, "\"%s\" is one operand too many", args->operands[i]);
}

enum ctl_exit ctl_args_read(struct ctl_args *args, const struct ctl_command *command, int argc, char **argv)
{
    *args = (struct ctl_args){.command = command};
    struct ctl_value common_values[COMMON_COUNT] = {0};
    int count = 0;
    bool options_end = false;
    for (int i = 0; i < argc; i++) {
        if (!options_end && strcmp(argv[i], "--") == 0) {
            options_end = true;
        } else if (!options_end && argv[i][0] == '-' && argv[i][1] != '\0') {
            const struct ctl_option *own = find_option(command->options, argv[i]);
            const struct ctl_option *shared = find_option(common, argv[i]);
            if (own == NULL && shared == NULL)
                return ctl_usage(args, "unknown option %s (see gizmoctl %s --help)", argv[i], command->name);
            struct ctl_value *value =
                own != NULL ? &args->values[own - command->options] : &common_values[shared - common];
            enum ctl_exit result = read_option(args, own != NULL ? own : shared, argc, argv, &i, value);
            if (result != CTL_OK) return result;
        } else if (count == CTL_OPERANDS_MAX) {
            return ctl_usage(args, "\"%s\" is one operand too many", argv[i]);
        } else {
            args->operands[count++] = argv[i];
        }
    }
    take_common(args, common_values);
    return args->help ? CTL_OK : check_operands(args, count);
}

/* ---- help ---- */

/* But those that `own` has under the same name. */
static void print_options(const struct ctl_option *options, const struct ctl_option *own)
{
    for (; options->name != NULL; options++) {
        if (own != NULL && find_option(own, options->name) != NULL) continue;
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", options->name, options->value != NULL ? " " : "",
                 options->value != NULL ? options->value : "");
        printf("  %-24s  %s\n", left, options->help);
    }
}

void ctl_print_help(const struct ctl_command *command)
{
    printf("usage: gizmoctl %s%s%s [OPTION...]\n\n%s\n\n", command->name, command->operands[0] != '\0' ? " " : "",
           command->operands, command->summary);
    print_options(command->options, NULL);
    print_options(common, command->options);
    if (command->notes != NULL) printf("\n%s\n", command->notes);
}
