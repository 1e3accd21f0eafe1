/* settings.c - options that a file and the environment give, beside the command line. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "proto/args/take.h"

#define VARIABLE_BYTES 64
#define PLACE_BYTES 256
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* Of an option without a value: every other word is a yes. */
static const char *const switch_words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
static const struct gz_vocabulary switches = {switch_words, 8};

/* ---- where ---- */

static void put_before(struct gz_error *error, const char *place)
{
    struct gz_error said;
    if (error == NULL) return;
    said = *error;
    gz_print(error->message, sizeof error->message, "%s: %s", place, said.message);
}

/* "GIZMOD_KEEP_EDITS" of "--keep-edits". */
static void print_variable(const struct gz_args *args, const struct gz_arg_option *option,
                           char variable[VARIABLE_BYTES])
{
    gz_print(variable, VARIABLE_BYTES, "%s_%s", args->program->own.name, option->name + 2);
    for (char *c = variable; *c != '\0'; c++) *c = *c == '-' ? '_' : (char)toupper(*c);
}

static void put_line_before(const struct gz_args *args, int line, struct gz_error *error)
{
    char place[PLACE_BYTES];
    gz_print(place, sizeof place, "%s:%d", args->path, line);
    put_before(error, place);
}

/* An option by its name behind the dashes; -1 if there is none. */
static int find(const struct gz_args *args, const char *name, size_t size)
{
    const struct gz_arg_option *options = args->program->own.options;
    for (int i = 0; options[i].name != NULL; i++)
        if (strlen(options[i].name) == size + 2 && memcmp(options[i].name + 2, name, size) == 0)
            return i;
    return -1;
}

void gz_args_locate(const struct gz_args *args, struct gz_error *error)
{
    char variable[VARIABLE_BYTES];
    if (error == NULL || strncmp(error->message, "--", 2) != 0) return;
    const int at = find(args, error->message + 2, strcspn(error->message + 2, ":, "));
    const struct gz_arg *value = at >= 0 ? &args->values[at] : NULL;
    if (value != NULL && value->source == GZ_ARG_BY_FILE) put_line_before(args, value->line, error);
    if (value == NULL || value->source != GZ_ARG_BY_ENVIRONMENT) return;
    print_variable(args, &args->program->own.options[at], variable);
    put_before(error, variable);
}

bool gz_arg_equal(const struct gz_arg *a, const struct gz_arg *b)
{
    if (a->given != b->given || a->count != b->count) return false;
    if (a->texts[0] == NULL)
        return a->text == NULL || b->text == NULL ? a->text == b->text
                                                  : strcmp(a->text, b->text) == 0;
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->texts[i], b->texts[i]) != 0) return false;
    return true;
}

/* ---- one value ---- */

static enum gz_status take_switch(const struct gz_args *args, const struct gz_arg_option *option,
                                  struct gz_arg *value, const char *text, struct gz_error *error)
{
    const int word = gz_vocabulary_value(&switches, text, strlen(text));
    if (word < 0)
        return gz_fail(error, GZ_BAD_VALUE, "%s: \"%s\" is neither yes nor no", option->name, text);
    enum gz_status status = gz_arg_take(args, option, value, NULL, error);
    value->given = word % 2 == 1;
    return status;
}

static enum gz_status take(struct gz_args *args, int at, const char *text, struct gz_error *error)
{
    const struct gz_arg_option *option = &args->program->own.options[at];
    struct gz_arg *value = &args->values[at];
    if (option->kind == GZ_ARG_FLAG) return take_switch(args, option, value, text, error);
    enum gz_status status = gz_arg_take(args, option, value, text, error);
    return status == GZ_OK ? gz_arg_check(args, option, value, error) : status;
}

/* ---- the file ---- */

static char *trim(char *text)
{
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
    return text + strspn(text, " \t");
}

/* What people write in other files, and what would be a part of the value here. */
static enum gz_status check_written(const char *name, const char *text, struct gz_error *error)
{
    if (text[0] == '"' || text[0] == '\'')
        return gz_fail(error, GZ_BAD_VALUE, "--%s: the value has quotes; leave them out", name);
    if (text[0] == '#' || strstr(text, " #") != NULL || strstr(text, "\t#") != NULL)
        return gz_fail(error, GZ_BAD_VALUE,
                       "--%s: a comment stands behind the value; give it a line of its own", name);
    return GZ_OK;
}

static enum gz_status read_setting(struct gz_args *args, const char *name, const char *text,
                                   int line, struct gz_error *error)
{
    const int at = find(args, name, strlen(name));
    if (at < 0)
        return gz_fail(error, GZ_BAD_VALUE,
                       "unknown option \"%.60s\": it must be one of %s --help, without the dashes",
                       name, args->program->own.name);
    const struct gz_arg_option *option = &args->program->own.options[at];
    struct gz_arg *value = &args->values[at];
    const int before = value->source == GZ_ARG_BY_FILE ? value->line : 0;
    if (option->reach != GZ_ARG_ANYWHERE)
        return gz_fail(error, GZ_BAD_VALUE, "%s cannot be given by a file", option->name);
    if (before > 0 && option->kind != GZ_ARG_TEXTS)
        return gz_fail(error, GZ_BAD_VALUE, "%s is in line %d already", option->name, before);
    enum gz_status status = check_written(name, text, error);
    if (status == GZ_OK) status = take(args, at, text, error);
    value->line = line;
    return status;
}

/* The error does not show the line, which may have a password in it. */
static enum gz_status read_file_line(struct gz_args *args, char *text, int line,
                                     struct gz_error *error)
{
    char *name = trim(text), *equals = strchr(name, '=');
    if (*name == '\0' || *name == '#') return GZ_OK;
    if (equals == NULL)
        return gz_fail(error, GZ_BAD_VALUE,
                       "the line is not NAME = VALUE; a comment begins with #");
    *equals = '\0';
    return read_setting(args, trim(name), trim(equals + 1), line, error);
}

enum gz_status gz_args_read_file(struct gz_args *args, char *text, size_t size, const char *path,
                                 struct gz_error *error)
{
    const size_t mark = strlen(BYTE_ORDER_MARK);
    enum gz_status status = GZ_OK;
    args->source = GZ_ARG_BY_FILE;
    args->path = path;
    if (memchr(text, '\0', size) != NULL)
        return gz_fail(error, GZ_BAD_VALUE, "%s: is not a text", path);
    if (strncmp(text, BYTE_ORDER_MARK, mark) == 0) text += mark;
    for (int line = 1; status == GZ_OK && text != NULL; line++) {
        char *next = strchr(text, '\n');
        if (next != NULL) *next++ = '\0';
        status = read_file_line(args, text, line, error);
        if (status != GZ_OK) put_line_before(args, line, error);
        text = next;
    }
    return status;
}

/* ---- the environment ---- */

/* Takes a list apart in `*room`, and moves that on. */
static enum gz_status take_list(struct gz_args *args, int at, const char *text, char **room,
                                struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    char *list = *room, *rest = NULL;
    *room = stpcpy(list, text) + 1;
    for (char *word = strtok_r(list, ",", &rest); status == GZ_OK && word != NULL;
         word = strtok_r(NULL, ",", &rest))
        status = take(args, at, trim(word), error);
    return status;
}

/* The value of an option's variable; NULL if there is none. */
static const char *value_of(const struct gz_args *args, const struct gz_arg_option *option,
                            char variable[VARIABLE_BYTES])
{
    if (option->reach == GZ_ARG_BY_LINE_ONLY) return NULL;
    print_variable(args, option, variable);
    const char *text = getenv(variable);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

enum gz_status gz_args_read_environment(struct gz_args *args, char **kept, struct gz_error *error)
{
    const struct gz_arg_option *options = args->program->own.options;
    char variable[VARIABLE_BYTES];
    size_t bytes = 1;
    enum gz_status status = GZ_OK;
    args->source = GZ_ARG_BY_ENVIRONMENT;
    for (int i = 0; options[i].name != NULL; i++) {
        const char *text = value_of(args, &options[i], variable);
        if (text != NULL) bytes += strlen(text) + 1;
    }
    char *room = *kept = malloc(bytes);
    if (room == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for the environment");
    for (int i = 0; status == GZ_OK && options[i].name != NULL; i++) {
        const char *text = value_of(args, &options[i], variable);
        if (text == NULL) continue;
        status = options[i].kind == GZ_ARG_TEXTS ? take_list(args, i, text, &room, error)
                                                 : take(args, i, text, error);
        if (status != GZ_OK) put_before(error, variable);
    }
    return status;
}
