/* claims.h - cmocka's words for the judges of tests/support, where there is no cmocka. */
#ifndef GZ_TEST_SIM_CLAIMS_H
#define GZ_TEST_SIM_CLAIMS_H

#include <string.h>

_Noreturn void judge_broken(const char *claim, const char *file, int line);

#define assert_true(claim) ((claim) ? (void)0 : judge_broken(#claim, __FILE__, __LINE__))
#define assert_false(claim) assert_true(!(claim))
#define assert_null(pointer) assert_true((pointer) == NULL)
#define assert_non_null(pointer) assert_true((pointer) != NULL)
#define assert_int_equal(a, b) assert_true((uint64_t)(a) == (uint64_t)(b))
#define assert_int_not_equal(a, b) assert_true((uint64_t)(a) != (uint64_t)(b))
#define assert_in_range(a, low, high)                                                              \
    assert_true((uint64_t)(a) >= (uint64_t)(low) && (uint64_t)(a) <= (uint64_t)(high))
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)

#endif
