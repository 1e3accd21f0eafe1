/* log.c - writes log lines: one line for each event, without control characters. */
#include "proto/base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

static const char *const level_words[] = {"error", "warn", "info", "debug"};
const struct gz_vocabulary gz_level_words = {level_words,
                                             sizeof level_words / sizeof level_words[0]};

/* Characters below a space, DEL, and U+0080 to U+009F, which terminals obey as well: C2 80 to C2
 * 9F. */
static void escape_control_characters(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at != '\0'; at++) {
        if (*at < 0x20 || *at == 0x7F) *at = '?';
        if (*at == 0xC2 && (at[1] & 0xE0) == 0x80) at[0] = at[1] = '?';
    }
}

void gz_log(const struct gz_log *log, enum gz_level level, uint64_t session, const char *format,
            ...)
{
    if (log == NULL || log->stream == NULL || level > log->level) return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    escape_control_characters(text);

    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    char stamp[32];
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
    if (session == 0) {
        fprintf(log->stream, "%s.%03ldZ %-5s %s\n", stamp, now.tv_nsec / 1000000,
                level_words[level], text);
    } else {
        fprintf(log->stream, "%s.%03ldZ %-5s [%llu] %s\n", stamp, now.tv_nsec / 1000000,
                level_words[level], (unsigned long long)session, text);
    }
}
