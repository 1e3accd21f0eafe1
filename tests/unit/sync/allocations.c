/* allocations.c - lets allocations of the code under test fail. See allocations.h. */
#include "unit/sync/allocations.h"

#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

static size_t until_failure;
static int failed;
static long alive;

void fail_allocation(size_t n)
{
    until_failure = n;
    failed = 0;
}

int allocation_failed(void)
{
    return failed;
}

long allocations_alive(void)
{
    return alive;
}

static int fails_now(void)
{
    if (until_failure == 0 || --until_failure > 0) return 0;
    failed = 1;
    return 1;
}

static void *counted(void *memory)
{
    if (memory != NULL) alive++;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (fails_now()) return NULL;
    void *moved = __real_realloc(memory, size);
    return memory == NULL ? counted(moved) : moved;
}

void __wrap_free(void *memory)
{
    if (memory != NULL) alive--;
    __real_free(memory);
}
