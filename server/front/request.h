/* request.h - the head of an HTTP/1 request, by RFC 9112, 9110 and 3986. What these do not allow is
 * refused before any of it is believed, so that a proxy and the daemon cannot see different
 * requests in the same bytes.
 *
 * Pure: no I/O, no allocation; it knows no socket. Ownership: a request points into the caller's
 * bytes, which it changes. Threads: any. */
#ifndef GZ_FRONT_REQUEST_H
#define GZ_FRONT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"
#include "server/maxima.h"

struct gz_request {
    const char *method; /* a token, as sent: methods are case sensitive */
    const char *path;   /* decoded but for "%2F" and "%5C"; begins with "/", or is "*" of OPTIONS */
    const char *query;  /* as sent, without its question mark; NULL for none */
    bool is_1_0;        /* HTTP/1.0; else HTTP/1.1 */
    bool has_length;    /* it has a Content-Length */
    uint64_t length;    /* bytes of its body */
    size_t count;
    struct gz_request_line {
        const char *name, *value; /* the name in lower case; the value without blanks around it */
    } lines[GZ_HTTP_LINES_MAX];
};

/* The size of the head at the beginning of these bytes, its empty line included; 0 if its end has
 * not come. The first `known` bytes were looked at before. Ends that no RFC allows count too:
 * reading them is refused. So does a control
 * character, because no head goes on behind one. */
size_t gz_request_head_size(const char *bytes, size_t size, size_t known);
/* Reads a head of this size. GZ_BAD_MESSAGE, or GZ_BAD_VALUE for the address, says what is wrong;
 * *code is the HTTP status then: 400, 431 or 505. */
GZ_MUST_USE enum gz_status gz_request_read(struct gz_request *request, char *head, size_t size,
                                           int *code, struct gz_error *error);
/* The value of the line with this name, in lower case; of several the one with this index. NULL if
 * there is none. */
const char *gz_request_value(const struct gz_request *request, const char *name, size_t index);
/* The values of all lines with this name, which is a list by its definition, with commas between
 * them. False if they are longer than `size`. Absent: an empty string, and *present is false. */
bool gz_request_list(const struct gz_request *request, const char *name, char *text, size_t size,
                     bool *present);
/* Whether such a list, of words between commas, has this word, in upper or lower case. */
bool gz_request_lists(const struct gz_request *request, const char *name, const char *word);
/* Decodes a part of a query: percent signs, and "+" for a blank. False if it does not fit, or is
 * not valid UTF-8 without NUL. */
bool gz_request_decode(const char *part, size_t part_size, char *text, size_t size);

#endif
