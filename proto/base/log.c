/* log.c - writes log lines: one line for each event, without control characters. */
#include "proto/base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "proto/base/json.h"

static const char *const level_words[] = {"error", "warn", "info", "debug"};
const struct gz_vocabulary gz_level_words = {level_words,
                                             sizeof level_words / sizeof level_words[0]};

static const char *const form_words[] = {"text", "json", "journal"};
const struct gz_vocabulary gz_log_form_words = {form_words,
                                                sizeof form_words / sizeof form_words[0]};

#define STAMP_BYTES 32

/* Characters below a space, DEL, and U+0080 to U+009F, which terminals obey as well: C2 80 to C2
 * 9F. */
static void escape_control_characters(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at != '\0'; at++) {
        if (*at < 0x20 || *at == 0x7F) *at = '?';
        if (*at == 0xC2 && (at[1] & 0xE0) == 0x80) at[0] = at[1] = '?';
    }
}

static void print_stamp(char stamp[STAMP_BYTES])
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t used = strftime(stamp, STAMP_BYTES, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(stamp + used, STAMP_BYTES - used, ".%03ldZ", now.tv_nsec / 1000000);
}

/* The text is at most so long; as JSON each of its bytes may be an escape. */
#define TEXT_BYTES 1024
#define LINE_BYTES (6 * TEXT_BYTES + 256)

static size_t put_json_text(char *line, const char *text)
{
    size_t used = 0;
    for (size_t left = strlen(text); left > 0; text++, left--) {
        size_t plain = gz_json_plain_size(text, left);
        memcpy(line + used, text, plain);
        used += plain, text += plain, left -= plain;
        if (left == 0) break;
        used += gz_json_escape((unsigned char)*text, line + used);
    }
    return used;
}

static size_t print_json(char line[LINE_BYTES], enum gz_level level, uint64_t session,
                         const char *text)
{
    char stamp[STAMP_BYTES];
    print_stamp(stamp);
    size_t used = (size_t)snprintf(line, LINE_BYTES, "{\"time\":\"%s\",\"level\":\"%s\",", stamp,
                                   level_words[level]);
    if (session != 0)
        used += (size_t)snprintf(line + used, LINE_BYTES - used, "\"session\":%llu,",
                                 (unsigned long long)session);
    used += (size_t)snprintf(line + used, LINE_BYTES - used, "\"message\":\"");
    used += put_json_text(line + used, text);
    return used + (size_t)snprintf(line + used, LINE_BYTES - used, "\"}\n");
}

/* As text: time and level, "[7] " for a session, the words. */
static size_t print_text(char line[LINE_BYTES], bool is_for_journal, enum gz_level level,
                         uint64_t session, const char *text)
{
    static const int priorities[] = {[GZ_ERROR] = 3, [GZ_WARN] = 4, [GZ_INFO] = 6, [GZ_DEBUG] = 7};
    char stamp[STAMP_BYTES], who[32] = "";
    if (session != 0) snprintf(who, sizeof who, "[%llu] ", (unsigned long long)session);
    if (is_for_journal)
        return (size_t)snprintf(line, LINE_BYTES, "<%d>%s%s\n", priorities[level], who, text);
    print_stamp(stamp);
    return (size_t)snprintf(line, LINE_BYTES, "%s %-5s %s%s\n", stamp, level_words[level], who,
                            text);
}

/* In one piece, whatever other threads write. */
static void write_line(const struct gz_log *log, enum gz_level level, uint64_t session,
                       const char *text)
{
    char line[LINE_BYTES];
    const enum gz_log_form form = log->form;
    size_t size = form == GZ_LOG_JSON
                      ? print_json(line, level, session, text)
                      : print_text(line, form == GZ_LOG_JOURNAL, level, session, text);
    fwrite(line, 1, size, log->stream);
}

/* ---- repeated lines ---- */

static double mono_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The kind is shown as it is written here: "refused: %s: %s". */
static void tell_count(const struct gz_log *log, struct gz_log_kind *kind)
{
    char text[256];
    if (kind->left_out == 0) return;
    snprintf(text, sizeof text, "and %llu more of these: \"%s\"",
             (unsigned long long)kind->left_out, kind->format);
    write_line(log, GZ_INFO, kind->session, text);
    kind->left_out = 0;
}

static size_t place_of(const char *format, uint64_t session)
{
    uint64_t value = (uint64_t)(uintptr_t)format ^ session << 24;
    return (size_t)(value * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}

/* The place where this kind is counted, or the next free one. */
static struct gz_log_kind *find_kind(struct gz_log_counts *counts, const char *format)
{
    size_t at = place_of(format, 0);
    struct gz_log_kind *kind = &counts->kinds[at % GZ_LOG_KINDS];
    for (size_t i = 1; i < GZ_LOG_KINDS && kind->format != NULL && kind->format != format; i++)
        kind = &counts->kinds[(at + i) % GZ_LOG_KINDS];
    return kind;
}

/* A kind that takes the place of another one ends the count of that one. */
static bool count(const struct gz_log *log, struct gz_log_kind *kind, const char *format,
                  uint64_t session, unsigned lines_max)
{
    double now_s = mono_s();
    bool is_same = kind->format == format && kind->session == session;
    if (!is_same || now_s - kind->since_s > GZ_LOG_SECONDS) {
        tell_count(log, kind);
        *kind = (struct gz_log_kind){.format = format, .session = session, .since_s = now_s};
    }
    bool is_few = kind->lines < lines_max;
    if (is_few)
        kind->lines++;
    else
        kind->left_out++;
    return is_few;
}

static bool count_of_session(const struct gz_log *log, const char *format, uint64_t session)
{
    size_t at = place_of(format, session) % GZ_LOG_SESSION_KINDS;
    return count(log, &log->counts->of_sessions[at], format, session, GZ_LOG_LINES_PER_SESSION);
}

static bool is_to_be_written(const struct gz_log *log, enum gz_level level, const char *format,
                             uint64_t session)
{
    if (log->counts == NULL || level == GZ_DEBUG) return true;
    pthread_mutex_lock(&log->counts->mutex);
    bool is_few = session == 0 || count_of_session(log, format, session);
    if (is_few) is_few = count(log, find_kind(log->counts, format), format, 0, GZ_LOG_LINES_IN_ALL);
    pthread_mutex_unlock(&log->counts->mutex);
    return is_few;
}

static void tell_counts(const struct gz_log *log, struct gz_log_kind *kinds, size_t count)
{
    double now_s = mono_s();
    for (size_t i = 0; i < count; i++) {
        if (kinds[i].left_out > 0 && now_s - kinds[i].since_s > GZ_LOG_SECONDS)
            tell_count(log, &kinds[i]);
    }
}

void gz_log_tell_counts(const struct gz_log *log)
{
    if (log == NULL || log->stream == NULL || log->counts == NULL) return;
    pthread_mutex_lock(&log->counts->mutex);
    tell_counts(log, log->counts->kinds, GZ_LOG_KINDS);
    tell_counts(log, log->counts->of_sessions, GZ_LOG_SESSION_KINDS);
    pthread_mutex_unlock(&log->counts->mutex);
}

void gz_log(const struct gz_log *log, enum gz_level level, uint64_t session, const char *format,
            ...)
{
    if (log == NULL || log->stream == NULL || level > log->level) return;
    if (!is_to_be_written(log, level, format, session)) return;
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    escape_control_characters(text);
    write_line(log, level, session, text);
}
