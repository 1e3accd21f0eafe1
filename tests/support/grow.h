/* grow.h - arrays that grow. A test without memory ends at once. */
#ifndef GZ_TEST_GROW_H
#define GZ_TEST_GROW_H

#include <stdlib.h>
#include <string.h>

/* The array with room for `count` elements of `size` bytes; those that are new are 0. */
static inline void *grow(void *array, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity) return array;
    size_t wanted = *capacity > 0 ? *capacity : 8;
    while (wanted < count) wanted *= 2;
    char *grown = realloc(array, wanted * size);
    if (grown == NULL) abort();
    memset(grown + *capacity * size, 0, (wanted - *capacity) * size);
    *capacity = wanted;
    return grown;
}

#endif
