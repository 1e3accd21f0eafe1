/* complete.c - the words that could stand at the end of a command line, and the scripts by which
 * bash, zsh and fish ask for them. */
#include <string.h>

#include "proto/args/args.h"

static const char *const shells[] = {"bash", "zsh", "fish"};
const struct gz_vocabulary gz_arg_shell_words = {shells, 3};

struct gz_arg_offers {
    FILE *out;
    const char *begins; /* what the word begins with */
    const char *before; /* what stands before the value in the same word, as "--name=" does */
    size_t before_size;
};

void gz_args_offer(const struct gz_arg_offers *offers, const char *word)
{
    if (strncmp(word, offers->begins, strlen(offers->begins)) == 0)
        fprintf(offers->out, "%.*s%s\n", (int)offers->before_size, offers->before, word);
}

/* ---- the line ---- */

/* What is known of the line before its last word. */
struct line {
    const struct gz_arg_program *program;
    const struct gz_arg_command *command;
    const struct gz_arg_option *option; /* whose value is next; NULL for none */
    int operands;
    bool is_past_options; /* behind -- */
};

static const struct gz_arg_option *find_in(const struct gz_arg_command *command, const char *word,
                                           size_t size)
{
    const struct gz_arg_option *option = command->options;
    for (; option != NULL && option->name != NULL; option++)
        if (strlen(option->name) == size && memcmp(option->name, word, size) == 0) return option;
    return NULL;
}

static const struct gz_arg_option *find_option(const struct line *line, const char *word,
                                               size_t size)
{
    const struct gz_arg_option *option = find_in(line->command, word, size);
    return option != NULL ? option : find_in(&line->program->own, word, size);
}

static const struct gz_arg_command *find_command(const struct gz_arg_program *program,
                                                 const char *word)
{
    for (size_t i = 0; i < program->count; i++)
        if (strcmp(program->commands[i]->name, word) == 0) return program->commands[i];
    return NULL;
}

/* bash makes words of their own of the two sides of "=". */
static void pass(struct line *line, const char *word)
{
    const bool is_value = line->option != NULL;
    if (is_value && strcmp(word, "=") == 0) return;
    line->option = NULL;
    if (is_value) return;
    if (!line->is_past_options && strcmp(word, "--") == 0) {
        line->is_past_options = true;
    } else if (!line->is_past_options && word[0] == '-' && word[1] != '\0') {
        const struct gz_arg_option *option = find_option(line, word, strcspn(word, "="));
        if (option != NULL && option->kind != GZ_ARG_FLAG && strchr(word, '=') == NULL)
            line->option = option;
    } else {
        line->operands++;
    }
}

/* ---- what is offered ---- */

static void offer_options(const struct gz_arg_offers *offers, const struct gz_arg_command *command,
                          const struct gz_arg_command *hides)
{
    const struct gz_arg_option *option = command->options;
    for (; option != NULL && option->name != NULL; option++)
        if (hides == NULL || find_in(hides, option->name, strlen(option->name)) == NULL)
            gz_args_offer(offers, option->name);
}

static void offer_value(const struct gz_arg_offers *offers, const struct gz_arg_option *option,
                        const struct gz_arg_asker *asker)
{
    if (option->kind == GZ_ARG_WORD)
        for (int i = 0; i < option->terms->count; i++)
            gz_args_offer(offers, gz_vocabulary_word(option->terms, i));
    else if (asker != NULL && option->value != NULL)
        asker->ask(asker->context, option->value, strlen(option->value), offers);
}

/* Of the operand with this number, by its name. */
static void offer_operand(const struct gz_arg_offers *offers, const char *operands, int number,
                          const struct gz_arg_asker *asker)
{
    for (; number > 0 && *operands != '\0'; number--) {
        operands += strcspn(operands, " ");
        operands += strspn(operands, " ");
    }
    operands += strspn(operands, "[");
    const size_t size = strcspn(operands, " ].");
    if (size > 0 && asker != NULL) asker->ask(asker->context, operands, size, offers);
}

static void offer_first(const struct gz_arg_offers *offers, const struct gz_arg_program *program)
{
    for (size_t i = 0; i < program->count; i++) gz_args_offer(offers, program->commands[i]->name);
    if (offers->begins[0] == '-') offer_options(offers, &program->own, NULL);
}

static void offer(const struct line *line, const char *last, struct gz_arg_offers *offers,
                  const struct gz_arg_asker *asker)
{
    const struct gz_arg_option *option = line->option;
    const bool is_option = option == NULL && !line->is_past_options && last[0] == '-';
    const size_t size = strcspn(last, "=");
    offers->begins = last;
    if (is_option && last[size] == '=') { /* --name=VALUE as one word */
        option = find_option(line, last, size);
        *offers = (struct gz_arg_offers){offers->out, last + size + 1, last, size + 1};
        if (option == NULL) return;
    }
    if (option != NULL && strcmp(last, "=") == 0) offers->begins = "";
    if (option != NULL) {
        offer_value(offers, option, asker);
    } else if (is_option) {
        const struct gz_arg_command *own = &line->program->own;
        offer_options(offers, line->command, NULL);
        if (line->command != own) offer_options(offers, own, line->command);
    } else {
        offer_operand(offers, line->command->operands, line->operands, asker);
    }
}

void gz_args_complete(FILE *out, const struct gz_arg_program *program, int count, char **words,
                      const struct gz_arg_asker *asker)
{
    const char *last = count > 0 ? words[count - 1] : "";
    struct gz_arg_offers offers = {out, last, "", 0};
    struct line line = {.program = program, .command = &program->own};
    int i = 0;
    if (program->count > 0 && count <= 1) {
        offer_first(&offers, program);
        return;
    }
    if (program->count > 0) line.command = find_command(program, words[i++]);
    if (line.command == NULL) return;
    for (; i < count - 1; i++) pass(&line, words[i]);
    offer(&line, last, &offers, asker);
}

/* ---- scripts: % is the name of the program ---- */

static const char bash[] = "_%() {\n"
                           "    mapfile -t COMPREPLY < <(\"${1/#~/$HOME}\" --complete "
                           "\"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
                           "}\n"
                           "complete -o default -F _% %\n";

static const char zsh[] =
    "#compdef %\n"
    "local -a found\n"
    "found=(\"${(@f)$(\"${(Q)words[1]/#\\~/$HOME}\" --complete \"${(@Q)words[2,CURRENT]}\" "
    "2>/dev/null)}\")\n"
    "if [[ -n $found[1] ]]; then compadd -a found; else _files; fi\n";

static const char fish[] =
    "function __%_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l last (commandline -ct)\n"
    "    set -l found ($words[1] --complete $words[2..-1] \"$last\" 2>/dev/null)\n"
    "    if set -q found[1]\n"
    "        string join -- \\n $found\n"
    "    else\n"
    "        __fish_complete_path \"$last\"\n"
    "    end\n"
    "end\n"
    "complete -c % -f -a '(__%_complete)'\n";

void gz_args_completion(FILE *out, const struct gz_arg_program *program, int shell)
{
    static const char *const scripts[] = {bash, zsh, fish};
    for (const char *at = scripts[shell]; *at != '\0'; at++) {
        if (*at == '%')
            fputs(program->own.name, out);
        else
            fputc(*at, out);
    }
}
