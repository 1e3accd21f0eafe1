/* memory.c - SQLite's memory, counted without a lock. See gz_store_prepare in store.h. */
#include <sqlite3.h>
#include <stdatomic.h>

#include "store/store.h"

/* SQLite has one allocator in a process, and tells it nothing about who asks. */
static sqlite3_mem_methods own; /* what SQLite itself does */
static atomic_llong allocated;

static void count(long long bytes)
{
    atomic_fetch_add_explicit(&allocated, bytes, memory_order_relaxed);
}

static void *take(int bytes)
{
    void *memory = own.xMalloc(bytes);
    if (memory != NULL) count(own.xSize(memory));
    return memory;
}

static void *take_again(void *memory, int bytes)
{
    const int before = own.xSize(memory);
    void *moved = own.xRealloc(memory, bytes);
    if (moved != NULL) count(own.xSize(moved) - before);
    return moved;
}

static void give_back(void *memory)
{
    count(-own.xSize(memory));
    own.xFree(memory);
}

void gz_store_prepare(void)
{
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &own) != SQLITE_OK) return;
    sqlite3_mem_methods methods = own;
    methods.xMalloc = take;
    methods.xRealloc = take_again;
    methods.xFree = give_back;
    (void)sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

uint64_t gz_store_memory(void)
{
    return (uint64_t)atomic_load_explicit(&allocated, memory_order_relaxed);
}
