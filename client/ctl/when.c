/* when.c - reads and writes dates, times of today, "10 min ago", and Unix seconds. */
#include "when.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool ends(const char *rest)
{
    return rest != NULL && *rest == '\0';
}

static bool read_day(const char *text, double *unix_s)
{
    static const char *const forms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
                                        "%Y-%m-%d %H:%M", "%Y-%m-%d"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct tm day = {.tm_isdst = -1};
        if (!ends(strptime(text, forms[i], &day))) continue;
        *unix_s = (double)mktime(&day);
        return true;
    }
    return false;
}

static bool read_today(const char *text, double *unix_s)
{
    time_t now = time(NULL);
    struct tm day;
    localtime_r(&now, &day);
    day.tm_sec = 0;
    day.tm_isdst = -1;
    if (!ends(strptime(text, "%H:%M:%S", &day)) && !ends(strptime(text, "%H:%M", &day)))
        return false;
    *unix_s = (double)mktime(&day);
    return true;
}

bool ctl_duration_read(const char *text, double *seconds)
{
    static const char units[] = "smhd";
    static const double unit_seconds[] = {1, 60, 3600, 86400};
    char *end;
    double number = strtod(text, &end);
    const char *unit =
        end != text && end[0] != '\0' && end[1] == '\0' ? strchr(units, end[0]) : NULL;
    if (unit == NULL || !isfinite(number) || number < 0) return false;
    *seconds = number * unit_seconds[unit - units];
    return true;
}

double ctl_when_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool read_ago(const char *text, double *unix_s)
{
    double seconds;
    if (!ctl_duration_read(text, &seconds)) return false;
    *unix_s = ctl_when_now() - seconds;
    return true;
}

bool ctl_when_read(const char *text, double *unix_s)
{
    char *end;
    *unix_s = strtod(text, &end);
    if (end != text && *end == '\0') return isfinite(*unix_s);
    return read_day(text, unix_s) || read_today(text, unix_s) || read_ago(text, unix_s);
}

void ctl_when_write(double unix_s, char *text, size_t size)
{
    time_t whole = (time_t)floor(unix_s);
    struct tm day;
    if (localtime_r(&whole, &day) == NULL || strftime(text, size, "%Y-%m-%d %H:%M:%S", &day) == 0)
        snprintf(text, size, "%.3f", unix_s);
}
