/* Appends formatted text and JSON strings. See text.h. */
#include "net/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool gz_text_print(struct gz_buffer *buffer, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof text) return false;
    return gz_buffer_append(buffer, text, (size_t)size) == GZ_OK;
}

static bool append_escaped(struct gz_buffer *buffer, unsigned char c)
{
    switch (c) {
    case '"': return gz_text_print(buffer, "\\\"");
    case '\\': return gz_text_print(buffer, "\\\\");
    case '\n': return gz_text_print(buffer, "\\n");
    case '\t': return gz_text_print(buffer, "\\t");
    default: return gz_text_print(buffer, "\\u%04x", c);
    }
}

bool gz_text_json(struct gz_buffer *buffer, const char *text)
{
    bool ok = gz_buffer_append(buffer, "\"", 1) == GZ_OK;
    while (ok && *text != '\0') {
        size_t plain = 0;
        while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\' &&
               text[plain] != 0x7F) {
            plain++;
        }
        ok = gz_buffer_append(buffer, text, plain) == GZ_OK;
        text += plain;
        if (ok && *text != '\0') ok = append_escaped(buffer, (unsigned char)*text++);
    }
    return ok && gz_buffer_append(buffer, "\"", 1) == GZ_OK;
}
