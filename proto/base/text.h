/* text.h - what counts as text, on the wire and in a file. Threads: pure, any. */
#ifndef GZ_BASE_TEXT_H
#define GZ_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether these bytes are well-formed UTF-8 without NUL. */
bool gz_text_valid(const char *bytes, size_t size);

#endif
