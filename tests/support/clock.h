/* clock.h - seconds of a clock, for tests and benchmarks. */
#ifndef TESTS_SUPPORT_CLOCK_H
#define TESTS_SUPPORT_CLOCK_H

#include <stdio.h>
#include <sys/types.h>
#include <time.h>

static inline double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Monotonic. */
static inline double now_s(void)
{
    return clock_s(CLOCK_MONOTONIC);
}

/* That the first thread of a process has had a processor. */
static inline double processor_s(pid_t pid)
{
    char path[64];
    double nanoseconds = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)pid, (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%lf", &nanoseconds) != 1) perror(path);
    if (file != NULL) fclose(file);
    return nanoseconds * 1e-9;
}

#endif
