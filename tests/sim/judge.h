/* judge.h - a promise was broken; the trace of a seed. */
#ifndef GZ_TEST_SIM_JUDGE_H
#define GZ_TEST_SIM_JUDGE_H

#include "proto/message.h"

#define NUMBER(id) ((unsigned long long)(id))

struct sim;

/* The promise does not hold: says where and how to see it again, and ends the program. */
_Noreturn void broken(const char *promise, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#define PROMISE(holds, promise, ...) ((holds) ? (void)0 : broken(promise, __VA_ARGS__))
void judge_begin(struct sim *sim);
void trace(const struct sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A message in few words, in `text`. */
void describe(const struct gz_message *message, char text[256]);

#endif
