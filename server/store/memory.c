/* memory.c - SQLite's memory, counted without a lock. See gz_store_prepare in store.h. */
#include <malloc.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "store/store.h"

/* SQLite has one allocator in a process, and tells it nothing about who asks. */
static atomic_llong allocated;

static void count(long long bytes)
{
    atomic_fetch_add_explicit(&allocated, bytes, memory_order_relaxed);
}

static int size_of(void *memory)
{
    return (int)malloc_usable_size(memory);
}

static void *take(int bytes)
{
    void *memory = malloc((size_t)bytes);
    if (memory != NULL) count(size_of(memory));
    return memory;
}

static void *take_again(void *memory, int bytes)
{
    const int before = size_of(memory);
    void *moved = realloc(memory, (size_t)bytes);
    if (moved != NULL) count(size_of(moved) - before);
    return moved;
}

static void give_back(void *memory)
{
    count(-size_of(memory));
    free(memory);
}

static int round_up(int bytes)
{
    return (bytes + 7) & ~7;
}

static int begin(void *context)
{
    (void)context;
    return SQLITE_OK;
}

static void end(void *context)
{
    (void)context;
}

void gz_store_prepare(void)
{
    sqlite3_mem_methods methods = {.xMalloc = take,
                                   .xFree = give_back,
                                   .xRealloc = take_again,
                                   .xSize = size_of,
                                   .xRoundup = round_up,
                                   .xInit = begin,
                                   .xShutdown = end};
    (void)sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

uint64_t gz_store_memory(void)
{
    return (uint64_t)atomic_load_explicit(&allocated, memory_order_relaxed);
}
