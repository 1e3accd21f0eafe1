/* file.h - a scene's file as people see it: plain SQL on tables that schema/README.md describes,
 * while a daemon has it open or not. It shares no line with the server. Everything here fails the
 * test that called it when it cannot read. Threads: one. */
#ifndef TESTS_RESUME_FILE_H
#define TESTS_RESUME_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct scene_file;

struct scene_file *file_open(const char *path);
void file_close(struct scene_file *file);
/* The first column of the answer, at most `max` rows of it, more is a failure; how many there
 * were. */
size_t file_integers(struct scene_file *file, const char *sql, uint64_t *numbers, size_t max);
/* A single one, or 0. */
uint64_t file_integer(struct scene_file *file, const char *sql);
/* The nodes that are alive, in the words of dump.h. */
void file_dump(FILE *out, struct scene_file *file);

#endif
