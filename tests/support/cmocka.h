/* cmocka.h - cmocka with the headers that it wants before itself, and tests that are named once:
 *
 *     TEST(test_it_is_so) { ... }
 *
 * is a test of its program, which needs no main of its own. Tests run in the order in which they
 * stand in their file; one file of a program has all of them. */
#ifndef TESTS_SUPPORT_CMOCKA_H
#define TESTS_SUPPORT_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define TEST(name) TEST_BETWEEN(name, NULL, NULL)
/* A test with the *state that `set_up` gives it, and `tear_down` after it; NULL for none. */
#define TEST_BETWEEN(name, set_up, tear_down) TEST_GIVEN(name, set_up, tear_down, state)
/* The same, in which `state` is called otherwise. */
#define TEST_GIVEN(name, set_up, tear_down, state)                                                 \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        test_add(__LINE__, (struct CMUnitTest){#name, name, set_up, tear_down, NULL});             \
    }                                                                                              \
    static void name(void **state __attribute__((unused)))

/* A further test: of this name, with this state. */
void test_add(int line, struct CMUnitTest test);
/* For a main that has something to do before its tests, or something around all of them: runs
 * them, and returns what main does. */
int test_run(CMFixtureFunction set_up, CMFixtureFunction tear_down);
const struct CMUnitTest *test_list(size_t *length);

#endif
