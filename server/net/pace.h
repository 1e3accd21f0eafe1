/* pace.h - how fast a body has to come, or an answer has to be taken. Pure. Threads: any. */
#ifndef GZ_NET_PACE_H
#define GZ_NET_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether so many bytes are enough after so many seconds: the least rate grows with time, see
 * server/maxima.h. */
bool gz_pace_suffices(uint64_t bytes, double seconds);

#endif
