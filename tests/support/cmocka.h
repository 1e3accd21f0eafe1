/* cmocka.h - cmocka with the headers that it wants before itself, and TEST. */
#ifndef TESTS_SUPPORT_CMOCKA_H
#define TESTS_SUPPORT_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A test that takes nothing from outside. */
#define TEST(name) static void name(void **state __attribute__((unused)))

#endif
