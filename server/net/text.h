/* text.h - appends formatted text and JSON strings to a buffer. Threads: any, one buffer at a time.
 * Errors: false if the buffer is full or without memory; then it is unchanged. */
#ifndef GZ_NET_TEXT_H
#define GZ_NET_TEXT_H

#include <stdbool.h>

#include "proto/base/buffer.h"

/* Appends formatted text of at most 1 KiB, without a terminating NUL. */
bool gz_text_print(struct gz_buffer *buffer, const char *format, ...) GZ_PRINTF(2, 3);

/* Appends `text`, which is UTF-8, as a JSON string with its quotes. */
bool gz_text_json(struct gz_buffer *buffer, const char *text);

#endif
