/* text.h - what counts as text, on the wire and in a file, and patterns for names. Threads: pure,
 * any. */
#ifndef GZ_BASE_TEXT_H
#define GZ_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of the character of UTF-8 at `at`, which has `left` bytes, 1 or more; 0 if there is
 * none. NUL is one. */
size_t gz_text_character(const char *at, size_t left);
/* Whether these bytes are well-formed UTF-8; and whether they are that without NUL. */
bool gz_text_is_utf8(const char *bytes, size_t size);
bool gz_text_valid(const char *bytes, size_t size);

/* Whether the pattern matches the whole text; both are terminated. In a pattern for the names of
 * scenes and users `*` is any characters or none, `?` one character of UTF-8, any other character
 * itself. There is no escape. Takes at most (bytes of the pattern) * (bytes of the text) steps. */
bool gz_glob_matches(const char *pattern, const char *text);

#endif
