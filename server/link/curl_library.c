/* curl_library.c - loads libcurl. */
#include "link/curl_library.h"

#include <assert.h>

#include "proto/base/library.h"

#define NAME(name) #name,
static const char *const names[] = {GZ_CURL_FUNCTIONS(NAME)};
static struct gz_curl functions;
static struct gz_library library = GZ_LIBRARY_INIT(GZ_LIBRARY, names, &functions);
static_assert(sizeof functions == sizeof names / sizeof names[0] * sizeof(void *),
              "a pointer for each name");

enum gz_status gz_curl_load(struct gz_error *error)
{
    return gz_library_load(&library, error);
}

const struct gz_curl *gz_curl(void)
{
    return &functions;
}
