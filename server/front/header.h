/* header.h - texts and lists in the headers of HTTP. */
#ifndef GZ_FRONT_HEADER_H
#define GZ_FRONT_HEADER_H

#include <stdbool.h>

#include "proto/base/buffer.h"
#include "proto/base/histogram.h"

/* ---- texts ---- */

/* Appends formatted text and JSON strings to a buffer. Threads: any, one buffer at a time.
 * Errors: false if the buffer is full or without memory; then it is unchanged. */

/* Appends formatted text of at most 1 KiB, without a terminating NUL. */
bool gz_text_print(struct gz_buffer *buffer, const char *format, ...) GZ_PRINTF(2, 3);
/* Appends it as the metric gizmod_NAME, in Prometheus' form; false without memory. */
bool gz_histogram_print(struct gz_buffer *out, const char *name, const char *help,
                        const struct gz_histogram *histogram);

/* Appends `text`, which is UTF-8, as a JSON string with its quotes. */
bool gz_text_json(struct gz_buffer *buffer, const char *text);

/* ---- lists ---- */

/* Content negotiation: If-None-Match and Accept-Encoding. Invalid parts are ignored.
 * Pure: no I/O, no allocation. Threads: any. */

/* Whether the entity tag, with its quotes, is in an If-None-Match. Weak tags count, as the RFC
 * demands. */
bool gz_etag_is_listed(const char *list, const char *etag);

/* Whether an Accept-Encoding allows gzip. */
bool gz_gzip_is_accepted(const char *list);

#endif
