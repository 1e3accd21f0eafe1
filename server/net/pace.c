/* pace.c - the least speed of a body or an answer. See pace.h. */
#include "net/pace.h"

#include "server/maxima.h"

#define SECONDS_PER_MINUTE 60.0

bool gz_pace_suffices(uint64_t bytes, double seconds)
{
    double counted_s = seconds - GZ_HTTP_BODY_SECONDS;
    if (counted_s <= 0) return true;
    double rate = GZ_HTTP_BODY_BYTES_PER_S * (1 + counted_s / SECONDS_PER_MINUTE);
    return seconds <= GZ_HTTP_BODY_SECONDS_MAX && (double)bytes >= rate * counted_s;
}
