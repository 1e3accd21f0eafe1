/* turn_preload.c - how long the turns of a daemon's loop take: a library that is loaded before the
 * C library (LD_PRELOAD) and notes what passes between two waits of the loop's thread, on the
 * wall's clock and of that thread's processor time, in a page of memory that it shares with a
 * benchmark or a test (turn_preload.h), and what was freed. Threads: only the loop's waits with
 * epoll. */
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/turn_preload.h"

static struct turn_page *page;
static int (*next_wait)(int, struct epoll_event *, int, int);
static int (*next_pwait)(int, struct epoll_event *, int, int, const sigset_t *);
static void (*next_free)(void *);
static int (*next_close)(int);
static uint64_t wall_from_ns, cpu_from_ns;
static _Thread_local bool is_loop;
static _Thread_local uint64_t freed;

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (symbol == NULL) abort();
    memcpy(function, &symbol, sizeof symbol);
}

__attribute__((constructor)) static void map_page(void)
{
    const char *path = getenv(TURN_PAGE_VARIABLE);
    int descriptor = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0) abort();
    find(&next_wait, "epoll_wait");
    find(&next_pwait, "epoll_pwait");
    void *memory = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (memory == MAP_FAILED) abort();
    page = memory;
}

static void note(_Atomic uint64_t *longest, uint64_t taken)
{
    if (taken > atomic_load(longest)) atomic_store(longest, taken);
}

static void end_turn(void)
{
    is_loop = true;
    note(&page->freed_bytes, freed);
    freed = 0;
    if (wall_from_ns == 0) return;
    note(&page->wall_ns, clock_ns(CLOCK_MONOTONIC) - wall_from_ns);
    note(&page->cpu_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_from_ns);
    atomic_fetch_add(&page->turns, 1);
}

static int begin_turn(int count)
{
    wall_from_ns = clock_ns(CLOCK_MONOTONIC);
    cpu_from_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return count;
}

int epoll_wait(int epoll, struct epoll_event *events, int max, int timeout)
{
    end_turn();
    return begin_turn(next_wait(epoll, events, max, timeout));
}

int epoll_pwait(int epoll, struct epoll_event *events, int max, int timeout,
                const sigset_t *signals)
{
    end_turn();
    return begin_turn(next_pwait(epoll, events, max, timeout, signals));
}

void free(void *memory)
{
    if (next_free == NULL) find(&next_free, "free");
    if (is_loop && memory != NULL) freed += malloc_usable_size(memory);
    next_free(memory);
}

/* Of a file without a name that is its end. */
int close(int descriptor)
{
    struct stat info;
    if (next_close == NULL) find(&next_close, "close");
    if (is_loop && fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 0)
        freed += (uint64_t)info.st_size;
    return next_close(descriptor);
}
