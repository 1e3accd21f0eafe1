/* cmocka.h - cmocka with the headers that it wants before itself, and TEST. */
#ifndef TESTS_SUPPORT_CMOCKA_H
#define TESTS_SUPPORT_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* A test that takes nothing from outside. */
#define TEST(name) static void name(void **state __attribute__((unused)))

/* Passes over the tests whose names match the pattern in GIZMOD_SKIP: see gizmod_test. */
__attribute__((constructor)) static void skip_tests(void)
{
    const char *pattern = getenv("GIZMOD_SKIP");
    if (pattern != NULL) cmocka_set_skip_filter(pattern);
}

#endif
