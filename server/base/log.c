#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

static const char *const level_words[] = {"error", "warn", "info", "debug"};

static void escape_control_characters(char *text)
{
    for (char *at = text; *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7F) *at = '?';
    }
}

void gz_log(const struct gz_log *log, enum gz_level level, uint64_t session, const char *format, ...)
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
        fprintf(log->stream, "%s.%03ldZ %-5s %s\n", stamp, now.tv_nsec / 1000000, level_words[level], text);
    } else {
        fprintf(log->stream, "%s.%03ldZ %-5s [%llu] %s\n", stamp, now.tv_nsec / 1000000, level_words[level],
                (unsigned long long)session, text);
    }
}

bool gz_level_from_word(const char *word, enum gz_level *level)
{
    for (int i = GZ_ERROR; i <= GZ_DEBUG; i++) {
        if (strcmp(word, level_words[i]) != 0) continue;
        *level = (enum gz_level)i;
        return true;
    }
    return false;
}
