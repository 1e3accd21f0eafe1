/* glob.h - patterns for the names of scenes and users: `*` matches any characters or none, `?` one
 * character of UTF-8, any other character itself. There is no escape. Pure; takes at most (bytes of
 * the pattern) * (bytes of the text) steps. */
#ifndef GZ_BASE_GLOB_H
#define GZ_BASE_GLOB_H

#include <stdbool.h>

/* Whether the pattern matches the whole text; both are terminated. */
bool gz_glob_matches(const char *pattern, const char *text);

#endif
