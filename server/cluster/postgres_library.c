/* postgres_library.c - loads libpq. */
#include "cluster/postgres_library.h"

#include <assert.h>
#include <pthread.h>

#include "proto/base/library.h"

#define NAME(name) #name,
static const char *const names[] = {GZ_PQ_FUNCTIONS(NAME)};
#define NAME_COUNT (sizeof names / sizeof names[0])

static struct gz_pq functions;
static struct gz_error trouble;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static_assert(sizeof functions == NAME_COUNT * sizeof(void *), "a pointer for each name");

static void load(void)
{
    (void)!gz_library_load(GZ_LIBRARY, names, NAME_COUNT, &functions, &trouble);
}

enum gz_status gz_pq_load(struct gz_error *error)
{
    (void)pthread_once(&once, load);
    if (trouble.status != GZ_OK && error != NULL) *error = trouble;
    return trouble.status;
}

const struct gz_pq *gz_pq(void)
{
    return &functions;
}
