/* glob.h - patterns for the names of scenes and users: `*` is any characters or none, `?` is one
 * character of UTF-8, all else is itself. There is no escape. Pure; takes at most as many steps as
 * the pattern and the text have bytes, multiplied. */
#ifndef GZ_BASE_GLOB_H
#define GZ_BASE_GLOB_H

#include <stdbool.h>

/* Whether the pattern matches the whole text; both are terminated. */
bool gz_glob_matches(const char *pattern, const char *text);

#endif
