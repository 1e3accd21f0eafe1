/* postgres_library.c - loads libpq. */
#include "cluster/postgres_library.h"

#include <assert.h>

#include "proto/base/library.h"

#define NAME(name) #name,
static const char *const names[] = {GZ_PQ_FUNCTIONS(NAME)};
static struct gz_pq functions;
static struct gz_library library = GZ_LIBRARY_INIT(GZ_LIBRARY, names, &functions);
static_assert(sizeof functions == sizeof names / sizeof names[0] * sizeof(void *),
              "a pointer for each name");

enum gz_status gz_pq_load(struct gz_error *error)
{
    return gz_library_load(&library, error);
}

const struct gz_pq *gz_pq(void)
{
    return &functions;
}
