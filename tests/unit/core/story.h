/* story.h - tests of the core as tables: each row is a sentence that says who does what, and what
 * must come back. A file in stories/ holds the rows:
 *
 *     a drag follows the pointer              a name at the margin begins a story
 *         ann takes box, moves to 1 2         rows are indented; a comma goes on with who it was
 *         bob takes box -> locked             every request must be answered ok unless "->" says
 *                                             a status, with the error's text after a colon
 *                                             (`...` ends a beginning), or "waits": no answer yet
 *         box is near 1 2 0                   # a remark
 *
 * The story called "opening" comes before each of the others. The sentences that there are stand
 * in story_verbs.c. `the`, `a` and `an` count for nothing; "by key WORD" at the end of a request
 * gives it a key. A name stands for the id that it was given, `name+1` for the number after it; in
 * the text of an error `{name}` does. A story that fails names its row. */
#ifndef GZ_TEST_STORY_H
#define GZ_TEST_STORY_H

#include "support/cmocka.h"
#include "unit/core/saying.h"

enum {
    STORY_CAST_MAX = 8,
    STORY_NAMES_MAX = 64,
    STORY_WORDS_MAX = 16,
    STORY_WORD_MAX = 48,
    STORY_TEXT_MAX = 512,
};

/* What a sentence expects of the request in it. */
struct story_outcome {
    bool waits;
    enum gz_status status;
    char text[STORY_TEXT_MAX]; /* "": any */
};

struct story {
    struct host host;
    struct client *cast[STORY_CAST_MAX]; /* in the order in which they joined */
    size_t cast_count;
    struct {
        char name[STORY_WORD_MAX];
        uint64_t number;
    } names[STORY_NAMES_MAX];
    size_t name_count;
    const struct gz_message *answer; /* the latest one; NULL: it waits */
    gz_trs kept;                     /* where a node was */

    /* The present sentence: its file and line, its words by what they are in its form, what is said
     * to the core for it, and what has to come back. */
    char row[STORY_TEXT_MAX];
    struct client *who, *other;
    const char *key; /* NULL: none */
    char word[STORY_WORDS_MAX][STORY_WORD_MAX];
    uint64_t ids[STORY_WORDS_MAX];
    double x[STORY_WORDS_MAX];
    size_t word_count, id_count, x_count;
    struct gz_message message;
    struct gz_set_node set[STORY_WORDS_MAX];
    struct story_outcome outcome;
};

/* A form that a sentence may have: WHO and OTHER are people, NODE and NODES have ids, X is a number
 * with a fraction, N one without or a name; all other capitals stand for one word. `act` puts the
 * words into the message or does what the sentence says; then `message` is asked unless its op is
 * GZ_OP_COUNT. */
struct story_verb {
    const char *form;
    void (*act)(struct story *story); /* or NULL */
    struct gz_message message;
};

extern const struct story_verb story_verbs[];
extern const size_t story_verb_count;

/* What a test in C has of its story, which is its *state; NULL, 0: the opening makes none. */
struct scene {
    struct host *host;
    struct client *a, *b, *admin, *watcher; /* ann, bob, ada and wes */
    uint64_t node;                          /* the first one that the opening names */
};

struct scene scene_of(struct story *story);

/* A test in C in the scene `s` of a story. */
#define STORY_TEST(name)                                                                           \
    static void name##_in(struct scene *s);                                                        \
    TEST(name)                                                                                     \
    {                                                                                              \
        struct scene s = scene_of(*state);                                                         \
        name##_in(&s);                                                                             \
    }                                                                                              \
    static void name##_in(struct scene *s)

struct client *story_client(struct story *story, const char *user);
uint64_t story_number(struct story *story, const char *name);
void story_remember(struct story *story, const char *name, uint64_t number);
/* Asks who it is about, and fails the test unless the answer is what the present sentence
 * expects. */
void story_ask(struct story *story);
/* Fails the test unless the answer is what the present sentence expects. */
void story_assert_answer(struct story *story, const struct gz_message *answer);
void story_assert_outcome(struct story *story, enum gz_status status, const char *text);

/* Runs the stories of a file in stories/ and the tests of the program, each with a scene of its
 * own, in which at the end everybody has to see what the core has. Returns what main does. */
int stories_run(const char *file);

#endif
