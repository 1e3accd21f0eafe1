/* status.c - statuses as words, and errors with a message. */
#include "proto/base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const words[GZ_STATUS_COUNT] = {
    [GZ_OK] = "ok",
    [GZ_BAD_MESSAGE] = "bad_message",
    [GZ_BAD_VALUE] = "bad_value",
    [GZ_BAD_STATE] = "bad_state",
    [GZ_UNKNOWN_OP] = "unknown_op",
    [GZ_UNKNOWN_NODE] = "unknown_node",
    [GZ_UNKNOWN_SCENE] = "unknown_scene",
    [GZ_UNKNOWN_HANDLE] = "unknown_handle",
    [GZ_FORBIDDEN] = "forbidden",
    [GZ_UNAUTHORISED] = "unauthorised",
    [GZ_LOCKED] = "locked",
    [GZ_CONFLICT] = "conflict",
    [GZ_TOO_LARGE] = "too_large",
    [GZ_TOO_MANY] = "too_many",
    [GZ_RATE_LIMITED] = "rate_limited",
    [GZ_STORAGE] = "storage",
    [GZ_VERSION] = "version",
    [GZ_INTERNAL] = "internal",
    [GZ_NO_MEMORY] = "internal",
    [GZ_UNREACHABLE] = "unreachable",
};

const char *gz_status_word(enum gz_status status)
{
    return (unsigned)status < GZ_STATUS_COUNT ? words[status] : words[GZ_INTERNAL];
}

enum gz_status gz_status_from_word(const char *word, unsigned long size)
{
    for (int status = 0; status < GZ_NO_MEMORY; status++) {
        if (strlen(words[status]) == size && memcmp(words[status], word, size) == 0)
            return (enum gz_status)status;
    }
    return GZ_INTERNAL;
}

/* A cut in the middle of a character would make the error itself bad UTF-8 for its reader. */
static void cut_at_character(char *text, size_t size)
{
    size_t end = size;
    while (end > 0 && ((unsigned char)text[end - 1] & 0xC0) == 0x80) end--;
    if (end == 0) return;
    unsigned char lead = (unsigned char)text[end - 1];
    size_t width = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (end - 1 + width > size) text[end - 1] = '\0';
}

static void print(char *text, size_t size, const char *format, va_list arguments)
{
    if (vsnprintf(text, size, format, arguments) >= (int)size) cut_at_character(text, size - 1);
}

void gz_print(char *text, unsigned long size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(text, size, format, arguments);
    va_end(arguments);
}

static void fail(struct gz_error *error, enum gz_status status, bool no_room, const char *format,
                 va_list arguments)
{
    if (error == NULL) return;
    error->status = status;
    error->no_room = no_room;
    print(error->message, sizeof error->message, format, arguments);
}

enum gz_status gz_fail(struct gz_error *error, enum gz_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(error, status, false, format, arguments);
    va_end(arguments);
    return status;
}

enum gz_status gz_fail_no_room(struct gz_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(error, GZ_STORAGE, true, format, arguments);
    va_end(arguments);
    return GZ_STORAGE;
}
