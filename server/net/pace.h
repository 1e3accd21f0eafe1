/* pace.h - the least speed of a request's body or of taking an answer. Pure. Threads: any. */
#ifndef GZ_NET_PACE_H
#define GZ_NET_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether `bytes` are enough after `seconds`: the least rate grows with time (server/maxima.h). */
bool gz_pace_suffices(uint64_t bytes, double seconds);

#endif
