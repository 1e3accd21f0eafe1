#include "support/proxy.h"

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cmocka.h"
#include "support/raw_ws.h"

static int listen_anywhere(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return listener;
}

/* False where one of them hung up. */
static bool hand_on(int from, int to)
{
    char bytes[4096];
    ssize_t count = recv(from, bytes, sizeof bytes, 0);
    return count > 0 && raw_send(to, bytes, (size_t)count);
}

static void serve(int client, int daemon)
{
    struct pollfd ends[2] = {{.fd = client, .events = POLLIN}, {.fd = daemon, .events = POLLIN}};
    bool open = true;
    while (open && poll(ends, 2, -1) > 0) {
        for (int i = 0; open && i < 2; i++) {
            if (ends[i].revents != 0) open = hand_on(ends[i].fd, ends[1 - i].fd);
        }
    }
}

void test_proxy_start(struct test_proxy *proxy, int daemon_port)
{
    int listener = listen_anywhere(&proxy->port);
    proxy->pid = fork();
    assert_true(proxy->pid >= 0);
    if (proxy->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(accept(listener, NULL, NULL), raw_connect(daemon_port));
        _exit(0);
    }
    close(listener);
}

void test_proxy_silence(const struct test_proxy *proxy)
{
    int status;
    assert_int_equal(kill(proxy->pid, SIGSTOP), 0);
    assert_int_equal(waitpid(proxy->pid, &status, WUNTRACED), proxy->pid);
    assert_true(WIFSTOPPED(status));
}

void test_proxy_go_on(const struct test_proxy *proxy)
{
    assert_int_equal(kill(proxy->pid, SIGCONT), 0);
}

void test_proxy_finish(struct test_proxy *proxy)
{
    int status;
    assert_int_equal(waitpid(proxy->pid, &status, 0), proxy->pid);
    assert_true(WIFEXITED(status));
}
