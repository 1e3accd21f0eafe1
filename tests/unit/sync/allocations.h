/* allocations.h - a test's hand on malloc, calloc, realloc and free of the code under test (linked
 * with --wrap). */
#ifndef GZ_TEST_ALLOCATIONS_H
#define GZ_TEST_ALLOCATIONS_H

#include <stddef.h>

/* The n-th allocation from now on fails, and only that one; 0: none. */
void fail_allocation(size_t n);
/* Whether it has come to that. */
int allocation_failed(void);
/* Pieces of memory that are not freed yet. */
long allocations_alive(void);

#endif
