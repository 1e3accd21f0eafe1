/* Reads stories and plays them: a sentence is taken apart, the form that it has is found, and the
 * answer is held against what the sentence expects. */
#include "unit/core/story.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STORIES_MAX 64
#define STORY_FOLDER GZ_SOURCE_DIR "/tests/unit/core/stories/"

struct chapter {
    const char *file, *opening, *rows;
    size_t opening_line, line;
    CMUnitTestFunction rest; /* NULL: the rows are all of it */
};

/* ---- names ---- */

struct client *story_client(struct story *story, const char *user)
{
    for (size_t i = 0; i < story->cast_count; i++)
        if (strcmp(story->cast[i]->user, user) == 0) return story->cast[i];
    return NULL;
}

static bool find_number(const struct story *story, const char *name, uint64_t *number)
{
    size_t size = strcspn(name, "+");
    char *end;
    *number = strtoull(name, &end, 10);
    if (isdigit((unsigned char)name[0]) && *end == '\0') return true;
    for (size_t i = 0; i < story->name_count; i++) {
        if (strlen(story->names[i].name) != size) continue;
        if (strncmp(story->names[i].name, name, size) != 0) continue;
        *number = story->names[i].number + strtoull(name + size, NULL, 10);
        return true;
    }
    return false;
}

uint64_t story_number(struct story *story, const char *name)
{
    uint64_t number;
    if (!find_number(story, name, &number)) fail_msg("nothing is called %s yet", name);
    return number;
}

void story_remember(struct story *story, const char *name, uint64_t number)
{
    uint64_t before;
    if (find_number(story, name, &before)) {
        assert_int_equal(number, before); /* a name has one meaning */
        return;
    }
    assert_true(story->name_count < STORY_NAMES_MAX);
    snprintf(story->names[story->name_count].name, sizeof story->names[0].name, "%s", name);
    story->names[story->name_count++].number = number;
}

struct scene scene_of(struct story *story)
{
    return (struct scene){.host = &story->host,
                          .a = story_client(story, "ann"),
                          .b = story_client(story, "bob"),
                          .admin = story_client(story, "ada"),
                          .watcher = story_client(story, "wes"),
                          .node = story->name_count > 1 ? story->names[1].number : 0};
}

/* ---- the forms ---- */

static bool next_word(const char **text, char word[STORY_WORD_MAX])
{
    *text += strspn(*text, " ");
    bool quoted = **text == '"';
    *text += quoted;
    size_t size = strcspn(*text, quoted ? "\"" : " ");
    if (size == 0 && !quoted) return false;
    assert_true(size < STORY_WORD_MAX);
    memcpy(word, *text, size);
    word[size] = '\0';
    *text += size + quoted;
    return true;
}

static size_t split(const char *text, char words[][STORY_WORD_MAX])
{
    size_t count = 0;
    while (count < STORY_WORDS_MAX && next_word(&text, words[count])) {
        const char *word = words[count];
        count += strcmp(word, "the") != 0 && strcmp(word, "a") != 0 && strcmp(word, "an") != 0;
    }
    return count;
}

static bool take_person(struct story *story, struct client **who, const char *word)
{
    *who = story_client(story, word);
    return *who != NULL;
}

static bool take_number(struct story *story, const char *word)
{
    char *end;
    story->x[story->x_count++] = strtod(word, &end);
    return *end == '\0';
}

/* Whether `word` can stand where the form says `place`; then it is kept. */
static bool take_word(struct story *story, const char *place, const char word[STORY_WORD_MAX])
{
    if (!isupper((unsigned char)place[0])) return strcmp(place, word) == 0;
    if (strcmp(place, "WHO") == 0) return take_person(story, &story->who, word);
    if (strcmp(place, "OTHER") == 0) return take_person(story, &story->other, word);
    if (strcmp(place, "X") == 0) return take_number(story, word);
    if (strncmp(place, "NODE", 4) == 0 || strcmp(place, "N") == 0)
        return find_number(story, word, &story->ids[story->id_count++]);
    memcpy(story->word[story->word_count++], word, STORY_WORD_MAX);
    return true;
}

static bool fits(struct story *story, const char *form, char said[][STORY_WORD_MAX], size_t count)
{
    char places[STORY_WORDS_MAX][STORY_WORD_MAX];
    size_t place_count = split(form, places), place = 0;
    story->word_count = story->id_count = story->x_count = 0;
    memset(story->ids, 0, sizeof story->ids);
    memset(story->x, 0, sizeof story->x);
    for (size_t i = 0; i < count; i++) {
        if (place == place_count) return false;
        if (!take_word(story, places[place], said[i])) return false;
        bool more = place_count - place < count - i && strcmp(places[place], "NODES") == 0;
        place += !more;
    }
    return place == place_count;
}

/* ---- answers ---- */

/* The text that is expected, with the numbers of names in it. */
static void put_numbers(struct story *story, const char *from, char *to, size_t size)
{
    size_t used = 0;
    for (; *from != '\0' && used + 24 < size; from++) {
        if (*from != '{') {
            to[used++] = *from;
            continue;
        }
        char name[STORY_WORD_MAX];
        size_t length = strcspn(++from, "}");
        snprintf(name, sizeof name, "%.*s", (int)length, from);
        used += (size_t)snprintf(to + used, size - used, "%llu",
                                 (unsigned long long)story_number(story, name));
        from += length;
    }
    to[used] = '\0';
}

void story_assert_outcome(struct story *story, enum gz_status status, const char *text)
{
    char expected[STORY_TEXT_MAX], said[STORY_TEXT_MAX];
    assert_false(story->outcome.waits);
    if (status != story->outcome.status)
        fail_msg("the answer is %s: %s", status == GZ_OK ? "ok" : gz_status_word(status), text);
    if (status != GZ_OK) assert_true(text[0] != '\0');
    put_numbers(story, story->outcome.text, expected, sizeof expected);
    if (expected[0] == '\0') return;
    char *dots = strstr(expected, "...");
    if (dots != NULL) *dots = '\0';
    snprintf(said, sizeof said, "%.*s", dots != NULL ? (int)(dots - expected) : -1, text);
    assert_string_equal(said, expected);
}

void story_assert_answer(struct story *story, const struct gz_message *answer)
{
    char text[STORY_TEXT_MAX] = "";
    story->answer = answer;
    if (story->outcome.waits) {
        assert_null(answer);
        return;
    }
    if (answer == NULL) fail_msg("there is no answer yet");
    bool refused = answer->op == GZ_OP_ERROR;
    if (!refused) assert_int_equal(answer->op, GZ_OP_OK);
    if (refused)
        snprintf(text, sizeof text, "%.*s", (int)answer->error.message.size,
                 answer->error.message.bytes);
    story_assert_outcome(story, refused ? answer->error.code : GZ_OK, text);
}

static void expect(struct story *story, const char *outcome)
{
    story->outcome = (struct story_outcome){.status = GZ_OK};
    if (outcome == NULL) return;
    size_t size = strcspn(outcome, ":");
    const char *text = outcome + size + strspn(outcome + size, ": ");
    story->outcome.waits = strcmp(outcome, "waits") == 0;
    if (!story->outcome.waits) story->outcome.status = gz_status_from_word(outcome, size);
    assert_string_equal(story->outcome.waits ? outcome : gz_status_word(story->outcome.status),
                        strndupa(outcome, size));
    snprintf(story->outcome.text, sizeof story->outcome.text, "%s", text);
}

/* ---- sentences ---- */

void story_ask(struct story *story)
{
    if (story->key != NULL) {
        story->message.has |= GZ_HAS_KEY;
        story->message.key = (struct gz_text){story->key, strlen(story->key)};
    }
    story_assert_answer(story, client_ask(story->who, &story->message));
}

static void play_words(struct story *story, char said[][STORY_WORD_MAX], size_t count)
{
    bool keyed =
        count > 3 && strcmp(said[count - 3], "by") == 0 && strcmp(said[count - 2], "key") == 0;
    story->key = keyed ? said[count - 1] : NULL;
    for (size_t i = 0; i < story_verb_count; i++) {
        const struct story_verb *verb = &story_verbs[i];
        if (!fits(story, verb->form, said, keyed ? count - 3 : count)) continue;
        story->message = verb->message;
        if (verb->act != NULL) verb->act(story);
        if (verb->message.op != GZ_OP_COUNT) story_ask(story);
        return;
    }
    fail_msg("no sentence has this form");
}

/* One row: who it is about, what they do, and after an arrow what the last of it must bring. */
static void play(struct story *story, char *row)
{
    char said[STORY_WORDS_MAX + 1][STORY_WORD_MAX], *arrow = strstr(row, " -> ");
    if (arrow != NULL) *arrow = '\0';
    bool first = true;
    for (char *rest = row, *clause; (clause = strsep(&rest, ",")) != NULL; first = false) {
        const char *outcome = rest == NULL && arrow != NULL ? arrow + 4 : NULL;
        size_t skip = !first; /* the first word stays whom it is about */
        size_t count = split(clause, said + skip) + skip;
        expect(story, outcome);
        play_words(story, said, count);
    }
}

static void play_rows(struct story *story, const char *file, size_t line, const char *rows)
{
    for (const char *row = rows; *row != '\0'; line++) {
        char text[STORY_TEXT_MAX / 2];
        size_t indent = strspn(row, " "), size = strcspn(row, "#\n");
        while (size > indent && row[size - 1] == ' ') size--;
        snprintf(text, sizeof text, "%.*s", (int)(size - indent), row + indent);
        row += strcspn(row, "\n");
        row += *row == '\n';
        if (size == indent) continue;
        snprintf(story->row, sizeof story->row, "%s:%zu: %s", file, line, text);
        play(story, text);
    }
}

/* ---- running ---- */

static int open_story(void **state)
{
    struct story *story = calloc(1, sizeof *story);
    if (story == NULL) return -1;
    host_init(&story->host);
    story_remember(story, "nothing", 0);
    *(struct story **)*state = story;
    return 0;
}

struct run {
    struct story *story; /* first: open_story puts it there */
    const struct chapter *chapter;
};

static void run_story(void **state)
{
    struct run *run = *state;
    struct story *story = run->story;
    const struct chapter *chapter = run->chapter;
    void *given = story;
    play_rows(story, chapter->file, chapter->opening_line, chapter->opening);
    if (chapter->rows != NULL) play_rows(story, chapter->file, chapter->line, chapter->rows);
    if (chapter->rest != NULL) chapter->rest(&given);
    host_turn(&story->host);
    host_assert_equal(&story->host);
    host_finish(&story->host);
    story->row[0] = '\0';
}

static int close_story(void **state)
{
    struct run *run = *state;
    if (run->story->row[0] != '\0') print_error("in the row %s\n", run->story->row);
    free(run->story);
    return 0;
}

static char *read_stories(const char *file)
{
    char path[512];
    snprintf(path, sizeof path, STORY_FOLDER "%s", file);
    FILE *stream = fopen(path, "r");
    if (stream == NULL) perror(path);
    if (stream == NULL) exit(1);
    char *text = NULL;
    size_t size = 0;
    if (getdelim(&text, &size, '\0', stream) < 0) exit(1);
    fclose(stream);
    return text;
}

struct book {
    struct chapter chapters[STORIES_MAX];
    struct run runs[STORIES_MAX];
    struct CMUnitTest tests[STORIES_MAX];
    size_t count;
};

static void add_test(struct book *book, const char *name, struct chapter chapter)
{
    size_t i = book->count++;
    if (i == STORIES_MAX) exit(1);
    book->chapters[i] = chapter;
    book->runs[i].chapter = &book->chapters[i];
    book->tests[i] = (struct CMUnitTest){name, run_story, open_story, close_story, &book->runs[i]};
}

/* Cuts the text into stories: each ends before the next line that begins at the margin. */
static struct chapter add_stories(struct book *book, const char *file, char *text)
{
    struct chapter opening = {.file = file, .opening = ""};
    size_t line = 1;
    for (char *end; *text != '\0'; text = end, line++) {
        end = text + strcspn(text, "\n");
        if (*end != '\n' || strchr(" #\n", text[0]) != NULL) {
            end += *end == '\n';
            continue;
        }
        if (line > 1) text[-1] = '\0'; /* the end of the story before it */
        *end++ = '\0';
        const char *name = text;
        if (strcmp(name, "opening") == 0) {
            opening.opening = end;
            opening.opening_line = line + 1;
            continue;
        }
        struct chapter chapter = opening;
        chapter.rows = end;
        chapter.line = line + 1;
        add_test(book, name, chapter);
    }
    return opening;
}

int stories_run(const char *file)
{
    size_t count;
    const struct CMUnitTest *tests = test_list(&count);
    struct book *book = calloc(1, sizeof *book);
    char *text = read_stories(file);
    struct chapter opening = add_stories(book, file, text);
    for (size_t i = 0; i < count; i++) {
        opening.rest = tests[i].test_func;
        add_test(book, tests[i].name, opening);
    }
    int failed = _cmocka_run_group_tests(file, book->tests, book->count, NULL, NULL);
    free(text);
    free(book);
    return failed;
}
