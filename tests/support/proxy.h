/* proxy.h - a network between a client and a daemon that can go silent: a child process that hands
 * on what either side says, for one connection or for many. While it is stopped nothing passes and
 * nothing is heard of either side, though neither has hung up; what was said meanwhile arrives when
 * it goes on. A proxy for one connection ends when a side hangs up, and every proxy with the test.
 * Fails the test if it cannot do its work. */
#ifndef TESTS_SUPPORT_PROXY_H
#define TESTS_SUPPORT_PROXY_H

#include <sys/types.h>

struct test_proxy {
    pid_t pid;
    int port; /* the client's side */
};

void test_proxy_start(struct test_proxy *proxy, int daemon_port);
/* The same for many connections: it ends when it is killed, and takes none while the daemon
 * takes none. */
void test_proxy_start_many(struct test_proxy *proxy, int daemon_port);
void test_proxy_kill(struct test_proxy *proxy);
void test_proxy_silence(const struct test_proxy *proxy);
void test_proxy_go_on(const struct test_proxy *proxy);
/* Waits until it has ended because a side has hung up. */
void test_proxy_finish(struct test_proxy *proxy);

#endif
