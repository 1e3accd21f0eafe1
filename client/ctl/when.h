/* when.h - times as people write and read them, in the machine's time zone. */
#ifndef CTL_WHEN_H
#define CTL_WHEN_H

#include <stdbool.h>
#include <stddef.h>

#define CTL_WHEN_FORM "time (" CTL_WHEN_FORMS ")"
#define CTL_WHEN_FORMS                                                                             \
    "Unix seconds, YYYY-MM-DD[THH:MM[:SS]], HH:MM[:SS] of today, or 30s, 10m, 2h, 1d ago"

/* Reads one of CTL_WHEN_FORMS into Unix seconds. */
bool ctl_when_read(const char *text, double *unix_s);
/* Reads a duration, "30s", "10m", "2h" or "1d", into seconds. */
bool ctl_duration_read(const char *text, double *seconds);
/* The wall clock, in Unix seconds. */
double ctl_when_now(void);
/* Writes "2025-03-31 14:07:59". */
void ctl_when_write(double unix_s, char *text, size_t size);

#endif
