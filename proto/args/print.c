/* Texts made from a table of arguments: --help and the manual page. */
#include <ctype.h>
#include <string.h>

#include "proto/args/args.h"

static const struct gz_arg_option none[1];

static const struct gz_arg_option *options_of(const struct gz_arg_command *command)
{
    return command->options != NULL ? command->options : none;
}

static bool has_option(const struct gz_arg_command *command, const char *name)
{
    const struct gz_arg_option *option = options_of(command);
    while (option->name != NULL && strcmp(option->name, name) != 0) option++;
    return option->name != NULL;
}

/* ---- help ---- */

#define COLUMNS 80
#define OPTION_COLUMNS 28
#define COMMAND_COLUMNS 26
#define EXIT_COLUMNS 5

/* Prints a text whose first line begins in column `indent`, with breaks between its words. */
static void print_wrapped(FILE *out, const char *text, int indent)
{
    for (int column = indent; *text != '\0';) {
        int size = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + size > COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out), column++;
        }
        fprintf(out, "%.*s", size, text);
        column += size;
        text += size;
        for (; *text == '\n'; text++, column = indent)
            fprintf(out, "\n%*s", text[1] == '\n' ? 0 : indent, "");
        if (*text == ' ') text++;
    }
    fputc('\n', out);
}

/* Two columns; a long `left` has a line of its own. */
static void print_row(FILE *out, const char *left, const char *text, int indent)
{
    int used = fprintf(out, "  %s", left), gap = indent - used;
    fprintf(out, "%s%*s", gap < 2 ? "\n" : "", gap < 2 ? indent : gap, "");
    print_wrapped(out, text, indent);
}

static void print_options(FILE *out, const struct gz_arg_option *options,
                          const struct gz_arg_command *hides)
{
    for (const struct gz_arg_option *option = options; option->name != NULL; option++) {
        char left[64];
        if (hides != NULL && has_option(hides, option->name)) continue;
        snprintf(left, sizeof left, "%s%s%s%s", option->name, option->value != NULL ? " " : "",
                 option->value != NULL ? option->value : "", option->is_live ? " *" : "");
        print_row(out, left, option->help, OPTION_COLUMNS);
    }
}

static void print_commands(FILE *out, const struct gz_arg_program *program)
{
    for (size_t i = 0; i < program->count; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", program->commands[i]->name,
                 program->commands[i]->operands);
        print_row(out, left, program->commands[i]->summary, COMMAND_COLUMNS);
    }
    if (program->count > 0) fputc('\n', out);
}

static void print_exits(FILE *out, const struct gz_arg_program *program)
{
    const struct gz_arg_exit *row = program->exits;
    if (row != NULL) fputs("\nExit codes:\n", out);
    for (; row != NULL && row->help != NULL; row++) {
        char code[16];
        snprintf(code, sizeof code, "%d", row->code);
        print_row(out, code, row->help, EXIT_COLUMNS);
    }
}

void gz_args_help(FILE *out, const struct gz_arg_program *program,
                  const struct gz_arg_command *command)
{
    const struct gz_arg_command *own = &program->own, *shown = command != NULL ? command : own;
    fprintf(out, "usage: %s%s%s%s%s [OPTION...]\n\n", own->name, command != NULL ? " " : "",
            command != NULL ? command->name : "", shown->operands[0] != '\0' ? " " : "",
            shown->operands);
    print_wrapped(out, shown->summary, 0);
    fputc('\n', out);
    if (command == NULL) print_commands(out, program);
    if (command != NULL) print_options(out, options_of(command), NULL);
    print_options(out, options_of(own), command);
    if (command == NULL) print_exits(out, program);
    if (shown->notes == NULL) return;
    fputc('\n', out);
    print_wrapped(out, shown->notes, 0);
}

/* ---- the manual ---- */

/* A text whose bytes mean nothing to roff; empty lines part paragraphs. */
static void put_inline(FILE *out, const char *text)
{
    bool begins = true;
    for (; *text != '\0'; text++) {
        if (begins && (*text == '.' || *text == '\'')) fputs("\\&", out);
        begins = *text == '\n';
        if (begins && text[1] == '\n') fputs("\n.PP", out), text++;
        if (*text == '-' || *text == '\\') fputs(*text == '-' ? "\\" : "\\e", out);
        if (*text != '\\') fputc(*text, out);
    }
}

static void put_roff(FILE *out, const char *text)
{
    put_inline(out, text);
    fputc('\n', out);
}

static void put_option_pages(FILE *out, const struct gz_arg_command *command)
{
    for (const struct gz_arg_option *option = options_of(command); option->name != NULL; option++) {
        fputs(".TP\n\\fB", out);
        put_inline(out, option->name);
        fputs("\\fR \\fI", out);
        put_inline(out, option->value != NULL ? option->value : "");
        fprintf(out, "\\fR%s\n", option->is_live ? " *" : "");
        put_roff(out, option->help);
    }
}

static void put_command_page(FILE *out, const struct gz_arg_command *command)
{
    fprintf(out, ".SS \"%s%s%s\"\n", command->name, command->operands[0] != '\0' ? " " : "",
            command->operands);
    put_roff(out, command->summary);
    if (command->notes != NULL) {
        fputs(".PP\n", out);
        put_roff(out, command->notes);
    }
    put_option_pages(out, command);
}

static void put_exits(FILE *out, const struct gz_arg_exit *row)
{
    if (row != NULL) fputs(".SH EXIT STATUS\n", out);
    for (; row != NULL && row->help != NULL; row++) {
        fprintf(out, ".TP\n\\fB%d\\fR\n", row->code);
        put_roff(out, row->help);
    }
}

void gz_args_man(FILE *out, const struct gz_arg_program *program)
{
    const struct gz_arg_command *own = &program->own;
    fprintf(out, ".TH %s %s \"\" \"gizmod %s\"\n.SH NAME\n%s \\- ", own->name, program->section,
            program->version, own->name);
    put_roff(out, own->summary);
    fprintf(out, ".SH SYNOPSIS\n.B %s\n.I \\&%s\n.RI [ OPTION ...]\n.SH OPTIONS\n", own->name,
            own->operands);
    put_option_pages(out, own);
    if (program->count > 0) fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; i < program->count; i++) put_command_page(out, program->commands[i]);
    put_exits(out, program->exits);
    if (own->notes != NULL) {
        fputs(".SH NOTES\n", out);
        put_roff(out, own->notes);
    }
}
