/* curl_library.c - loads libcurl. */
#include "net/curl_library.h"

#include <assert.h>
#include <pthread.h>

#include "proto/base/library.h"

#define NAME(name) #name,
static const char *const names[] = {GZ_CURL_FUNCTIONS(NAME)};
#define NAME_COUNT (sizeof names / sizeof names[0])

static struct gz_curl functions;
static struct gz_error trouble;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static_assert(sizeof functions == NAME_COUNT * sizeof(void *), "a pointer for each name");

static void load(void)
{
    (void)!gz_library_load(GZ_LIBRARY, names, NAME_COUNT, &functions, &trouble);
}

enum gz_status gz_curl_load(struct gz_error *error)
{
    (void)pthread_once(&once, load);
    if (trouble.status != GZ_OK && error != NULL) *error = trouble;
    return trouble.status;
}

const struct gz_curl *gz_curl(void)
{
    return &functions;
}
