/* The tests of a program, and its main. */
#include "support/cmocka.h"

#include <stdio.h>

#define TESTS_MAX 128

static struct {
    struct CMUnitTest tests[TESTS_MAX];
    int lines[TESTS_MAX]; /* where they stand: a compiler may call them in another order */
    size_t count;
} list;

void test_add(int line, struct CMUnitTest test)
{
    if (list.count == TESTS_MAX) abort();
    size_t at = list.count++;
    for (; at > 0 && list.lines[at - 1] > line; at--) {
        list.tests[at] = list.tests[at - 1];
        list.lines[at] = list.lines[at - 1];
    }
    list.tests[at] = test;
    list.lines[at] = line;
}

const struct CMUnitTest *test_list(size_t *length)
{
    *length = list.count;
    return list.tests;
}

/* Passes over the tests whose names match the pattern in GIZMOD_SKIP: see gizmod_test. */
__attribute__((constructor)) static void skip_tests(void)
{
    const char *pattern = getenv("GIZMOD_SKIP");
    if (pattern != NULL) cmocka_set_skip_filter(pattern);
}

int test_run(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    if (list.count == 0) {
        fputs("this program has no test\n", stderr);
        return EXIT_FAILURE;
    }
    return _cmocka_run_group_tests("tests", list.tests, list.count, set_up, tear_down);
}

/* Of programs that have no other. */
__attribute__((weak)) int main(void)
{
    return test_run(NULL, NULL);
}
