/* lines.c - input line by line, as it comes: what has been read is given out before more is waited
 * for. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"

void ctl_lines_init(struct ctl_lines *lines, int descriptor, size_t line_max)
{
    memset(lines, 0, sizeof *lines);
    lines->descriptor = descriptor;
    gz_buffer_init(&lines->bytes, line_max + CTL_LINES_PIECE, 0);
    lines->line_max = line_max;
}

void ctl_lines_finish(struct ctl_lines *lines)
{
    gz_buffer_finish(&lines->bytes);
}

enum gz_status ctl_lines_fill(struct ctl_lines *lines, struct gz_error *error)
{
    struct gz_buffer *bytes = &lines->bytes;
    if (lines->begin > 0) {
        memmove(bytes->data, bytes->data + lines->begin, bytes->size - lines->begin);
        gz_buffer_truncate(bytes, bytes->size - lines->begin);
        lines->begin = 0;
    }
    if (gz_buffer_reserve(bytes, CTL_LINES_PIECE) != GZ_OK)
        return gz_fail(error, GZ_NO_MEMORY, "no memory");
    ssize_t size = read(lines->descriptor, bytes->data + bytes->size, CTL_LINES_PIECE);
    if (size < 0 && errno == EINTR) return GZ_OK;
    if (size < 0)
        return gz_fail(error, GZ_INTERNAL, "the input cannot be read: %s", strerror(errno));
    lines->ended = size == 0;
    bytes->size += (size_t)size;
    return GZ_OK;
}

/* The size of the next line with its end; 0 if it is not there yet. */
static size_t next_size(struct ctl_lines *lines)
{
    const size_t left = lines->bytes.size - lines->begin;
    const uint8_t *at = lines->bytes.data + lines->begin;
    const uint8_t *end = left > 0 ? memchr(at, '\n', left) : NULL;
    if (end != NULL) return (size_t)(end - at) + 1;
    return lines->ended || left > lines->line_max ? left : 0;
}

bool ctl_lines_next(struct ctl_lines *lines, const char **text, size_t *size, bool *is_whole)
{
    for (size_t taken; (taken = next_size(lines)) > 0;) {
        *text = (const char *)lines->bytes.data + lines->begin;
        const bool has_end = (*text)[taken - 1] == '\n', was_cut = lines->is_cut;
        lines->begin += taken;
        lines->is_cut = !has_end && !lines->ended;
        if (was_cut) continue; /* the rest of a line that was given out already */
        lines->number++;
        if (lines->number == 1 && taken >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0) {
            *text += 3; /* a mark of UTF-8, which some programs write */
            taken -= 3;
        }
        *is_whole = !lines->is_cut && taken <= lines->line_max + has_end;
        *size = taken - has_end;
        if (*size > 0 && (*text)[*size - 1] == '\r') --*size;
        return true;
    }
    return false;
}

bool ctl_lines_are_there(struct ctl_lines *lines)
{
    return next_size(lines) > 0;
}

bool ctl_lines_are_over(struct ctl_lines *lines)
{
    return lines->ended && next_size(lines) == 0;
}
