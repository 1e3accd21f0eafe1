/* proxy.h - a network that fails: a TCP proxy before the daemon. While the weather is foul each
 * connection that it carries has a fate: after a random number of bytes from the server, often in
 * the middle of a frame, it is cut, stalls, goes on after a while, or is closed in order as a
 * client would. Threads: it runs on one of its own; the functions may be called from any other.
 * Fails the test where it cannot begin. */
#ifndef TESTS_RESUME_PROXY_H
#define TESTS_RESUME_PROXY_H

#include <stdbool.h>
#include <stdint.h>

struct proxy;

/* Carries connections to this port of 127.0.0.1; the weather is fair. Fates come after 2^bits_min
 * to 2^bits_max bytes, now and then after up to eight times as many; with a bits_min of 7 from
 * within the handshake on. */
struct proxy *proxy_start(int daemon_port, uint64_t bits_min, uint64_t bits_max, uint64_t seed);
void proxy_finish(struct proxy *proxy);
/* ws://127.0.0.1:PORT/ws, as long as it runs. */
const char *proxy_url(const struct proxy *proxy);
/* In fair weather all that there is goes on, and nothing more is cut. */
void proxy_set_foul(struct proxy *proxy, bool foul);

enum proxy_fate {
    PROXY_END,   /* both sides see the end of the connection */
    PROXY_RESET, /* both sides see a reset */
    PROXY_STALL, /* nothing goes through for a while, then both see the end */
    PROXY_DELAY, /* nothing goes through for a while, then it goes on to another fate */
    PROXY_CLOSE, /* the server reads a close frame, as from a client that says goodbye */
    PROXY_FATES
};
/* How often each has come so far. */
uint64_t proxy_count(struct proxy *proxy, enum proxy_fate fate);

#endif
