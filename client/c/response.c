/* response.c - reads the answer to an HTTP request. See response.h. */
#include "response.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define VALUE_BYTES 128
#define LINE_BYTES_MAX 8192 /* of chunks and trailers */
#define CHUNK_DIGITS_MAX 15

void gz_response_init(struct gz_response *answer)
{
    *answer = (struct gz_response){.part = GZ_RESPONSE_HEAD};
    gz_buffer_init(&answer->head, GZ_RESPONSE_HEAD_BYTES_MAX, 0);
}

void gz_response_finish(struct gz_response *answer)
{
    gz_buffer_finish(&answer->head);
}

bool gz_response_header(const struct gz_response *answer, const char *name, char *value,
                        size_t size)
{
    const char *line = answer->status != 0 ? (const char *)answer->head.data : "";
    const size_t name_size = strlen(name);
    for (line += strcspn(line, "\n"); *line != '\0'; line += strcspn(line, "\n")) {
        line++;
        if (strncasecmp(line, name, name_size) != 0 || line[name_size] != ':') continue;
        const char *at = line + name_size + 1;
        at += strspn(at, " \t");
        size_t length = strcspn(at, "\r\n");
        while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t')) length--;
        snprintf(value, size, "%.*s", (int)length, at);
        return true;
    }
    return false;
}

/* What follows the head. */
static enum gz_response_part part_behind(struct gz_response *answer)
{
    char value[VALUE_BYTES];
    if (answer->status == 101 || answer->status == 204 || answer->status == 304)
        return GZ_RESPONSE_WHOLE;
    if (gz_response_header(answer, "Transfer-Encoding", value, sizeof value))
        return strcasecmp(value, "chunked") == 0 ? GZ_RESPONSE_CHUNK_SIZE : GZ_RESPONSE_BROKEN;
    if (!gz_response_header(answer, "Content-Length", value, sizeof value))
        return GZ_RESPONSE_TO_END;
    size_t digits = strspn(value, "0123456789");
    if (digits == 0 || digits > 18 || value[digits] != '\0') return GZ_RESPONSE_BROKEN;
    answer->left = strtoull(value, NULL, 10);
    return answer->left > 0 ? GZ_RESPONSE_BODY : GZ_RESPONSE_WHOLE;
}

static enum gz_response_part read_head(struct gz_response *answer)
{
    const char *head = (const char *)answer->head.data;
    int end = 0;
    if (strlen(head) + 1 != answer->head.size ||
        sscanf(head, "HTTP/1.%*1[01] %3u%n", &answer->status, &end) != 1 || end != 12 ||
        answer->status < 100 || answer->status > 999)
        return GZ_RESPONSE_BROKEN;
    if (answer->status >= 200 || answer->status == 101) return part_behind(answer);
    answer->status = 0;
    gz_buffer_clear(&answer->head);
    return GZ_RESPONSE_HEAD;
}

static size_t take_head(struct gz_response *answer, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        struct gz_buffer *head = &answer->head;
        if (gz_buffer_append(head, bytes + i, 1) != GZ_OK) {
            answer->part = GZ_RESPONSE_BROKEN;
            return size;
        }
        if (bytes[i] != '\n' || head->size < 4) continue;
        if (memcmp(head->data + head->size - 4, "\r\n\r\n", 4) != 0 &&
            memcmp(head->data + head->size - 2, "\n\n", 2) != 0)
            continue;
        const bool ends = gz_buffer_append(head, "", 1) == GZ_OK;
        answer->part = ends ? read_head(answer) : GZ_RESPONSE_BROKEN;
        return i + 1;
    }
    return size;
}

/* A byte of the line that has a chunk's size, which extensions may follow. */
static void take_size(struct gz_response *answer, uint8_t byte)
{
    const bool is_extension = answer->line > CHUNK_DIGITS_MAX;
    if (byte == '\n') {
        if (answer->line == 0)
            answer->part = GZ_RESPONSE_BROKEN;
        else
            answer->part = answer->left > 0 ? GZ_RESPONSE_CHUNK : GZ_RESPONSE_TRAILER;
        answer->line = 0;
    } else if (isxdigit(byte) && answer->line < CHUNK_DIGITS_MAX) {
        answer->left =
            answer->left * 16 + (uint64_t)(isdigit(byte) ? byte - '0' : (byte | 0x20) - 'a' + 10);
        answer->line++;
    } else if (answer->line == 0 ||
               (!is_extension && byte != ';' && byte != '\r' && byte != ' ' && byte != '\t') ||
               answer->line == LINE_BYTES_MAX) {
        answer->part = GZ_RESPONSE_BROKEN;
    } else {
        answer->line = is_extension ? answer->line + 1 : CHUNK_DIGITS_MAX + 1;
    }
}

/* An empty line ends what follows the chunks. */
static void take_trailer(struct gz_response *answer, uint8_t byte)
{
    if (byte == '\n' && answer->line == 0) answer->part = GZ_RESPONSE_WHOLE;
    if (byte == '\n') answer->line = 0;
    if (byte != '\n' && byte != '\r' && ++answer->line == LINE_BYTES_MAX)
        answer->part = GZ_RESPONSE_BROKEN;
}

static void take_line_byte(struct gz_response *answer, uint8_t byte)
{
    switch (answer->part) {
    case GZ_RESPONSE_CHUNK_SIZE: take_size(answer, byte); break;
    case GZ_RESPONSE_TRAILER: take_trailer(answer, byte); break;
    default: /* the end of a chunk */
        if (byte == '\n') answer->part = GZ_RESPONSE_CHUNK_SIZE;
        if (byte != '\n' && byte != '\r') answer->part = GZ_RESPONSE_BROKEN;
    }
}

size_t gz_response_take(struct gz_response *answer, const uint8_t *bytes, size_t size,
                        const uint8_t **piece, size_t *piece_size)
{
    *piece = bytes;
    *piece_size = 0;
    if (size == 0 || answer->part == GZ_RESPONSE_WHOLE || answer->part == GZ_RESPONSE_BROKEN)
        return 0;
    if (answer->part == GZ_RESPONSE_HEAD) return take_head(answer, bytes, size);
    if (answer->part == GZ_RESPONSE_TO_END) {
        *piece_size = size;
        return size;
    }
    if (answer->part != GZ_RESPONSE_BODY && answer->part != GZ_RESPONSE_CHUNK) {
        take_line_byte(answer, *bytes);
        return 1;
    }
    *piece_size = answer->left < size ? (size_t)answer->left : size;
    answer->left -= *piece_size;
    if (answer->left == 0)
        answer->part = answer->part == GZ_RESPONSE_BODY ? GZ_RESPONSE_WHOLE : GZ_RESPONSE_CHUNK_END;
    return *piece_size;
}

void gz_response_end(struct gz_response *answer)
{
    if (answer->part == GZ_RESPONSE_TO_END) answer->part = GZ_RESPONSE_WHOLE;
}
