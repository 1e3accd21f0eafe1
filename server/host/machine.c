/* machine.c - the memory of the machine and the maxima of control groups. See machine.h. */
#include "host/machine.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define GROUP_BYTES_MAX 4096

/* The path of the process' group of version 2, which has the number 0; empty if there is none. */
static void find_group(const char *groups, char path[GROUP_BYTES_MAX])
{
    char line[GROUP_BYTES_MAX];
    FILE *file = fopen(groups, "re");
    path[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::", 3) == 0) memcpy(path, line + 3, strlen(line + 3) + 1);
    }
    if (file != NULL) fclose(file);
}

/* The maximum of one group: "max" is none. */
static uint64_t maximum_of(const char *folder, const char *group)
{
    uint64_t bytes = 0;
    char *path;
    if (asprintf(&path, "%s%s/memory.max", folder, group) < 0) return UINT64_MAX;
    FILE *file = fopen(path, "re");
    const bool is_read = file != NULL && fscanf(file, "%" SCNu64, &bytes) == 1 && bytes > 0;
    if (file != NULL) fclose(file);
    free(path);
    return is_read ? bytes : UINT64_MAX;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t gz_machine_bytes(const char *groups, const char *folder)
{
    char group[GROUP_BYTES_MAX], *end;
    uint64_t bytes = uv_get_total_memory();
    const uint64_t constrained = uv_get_constrained_memory(); /* by groups of version 1 */
    if (constrained > 0) bytes = lesser(bytes, constrained);
    find_group(groups, group);
    do {
        bytes = lesser(bytes, maximum_of(folder, group));
        end = strrchr(group, '/');
        if (end != NULL) *end = '\0';
    } while (end != NULL);
    return bytes;
}
