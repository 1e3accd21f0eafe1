/* Cameras, tools, nodes and pointers made of any bytes: results are finite and within limits, or
 * there are none. */
#include <stdio.h>
#include <stdlib.h>

#include "property/solver_hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct supply supply = {data, size, 0};
    const char *fault = hostile_run(&supply);
    if (fault != NULL) {
        fprintf(stderr, "%s\n", fault);
        abort();
    }
    return 0;
}
