/* log_end.h - says what a program logged before a test fails. A message of cmocka ends after 1,024
 * bytes, so that the log is no part of it. */
#ifndef TESTS_SUPPORT_LOG_END_H
#define TESTS_SUPPORT_LOG_END_H

#include <stdio.h>

#define LOG_END_BYTES 65536

/* Prints the end of the file to stderr. */
static inline void print_log_end(const char *path)
{
    char bytes[4096];
    size_t got;
    FILE *file = fopen(path, "r");
    fprintf(stderr, "%s:\n", path);
    if (file == NULL) return;
    if (fseek(file, -LOG_END_BYTES, SEEK_END) != 0) rewind(file);
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0) fwrite(bytes, 1, got, stderr);
    fclose(file);
}

#endif
