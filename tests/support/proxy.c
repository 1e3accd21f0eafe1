/* proxy.c - hands bytes on between a client and a daemon until it is stopped. See proxy.h. */
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

#define LINKS_MAX 32

/* Listens on *port, or on a free one, which it fills in, if *port is 0; -1 if the port is taken. */
static int listen_at(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof address;
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 ||
        listen(listener, LINKS_MAX) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
        close(listener);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return listener;
}

static int listen_anywhere(int *port)
{
    *port = 0;
    int listener = listen_at(port);
    assert_true(listener >= 0);
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

/* ---- many connections ---- */

/* Both ends of all of them; the listener is before them. */
struct links {
    struct pollfd ends[1 + 2 * LINKS_MAX];
    nfds_t count;
};

static int reach(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int daemon = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(daemon, (struct sockaddr *)&address, sizeof address) == 0) return daemon;
    close(daemon);
    return -1;
}

static void add(struct links *links, int client, int daemon)
{
    links->ends[links->count++] = (struct pollfd){.fd = client, .events = POLLIN};
    links->ends[links->count++] = (struct pollfd){.fd = daemon, .events = POLLIN};
}

static void drop(struct links *links, nfds_t first)
{
    close(links->ends[first].fd);
    close(links->ends[first + 1].fd);
    links->count -= 2;
    links->ends[first] = links->ends[links->count];
    links->ends[first + 1] = links->ends[links->count + 1];
}

/* While the daemon does not listen, the proxy does not either. */
static void wait_for_daemon(struct links *links, int port, int daemon_port)
{
    int daemon;
    while (links->count > 1) drop(links, links->count - 2);
    close(links->ends[0].fd);
    while ((daemon = reach(daemon_port)) < 0) usleep(20000);
    close(daemon);
    while ((links->ends[0].fd = listen_at(&port)) < 0) usleep(20000);
}

static void take_client(struct links *links, int port, int daemon_port)
{
    int client = accept(links->ends[0].fd, NULL, NULL), daemon = reach(daemon_port);
    if (daemon >= 0 && client >= 0 && links->count < 1 + 2 * LINKS_MAX) {
        add(links, client, daemon);
        return;
    }
    if (client >= 0) close(client);
    if (daemon >= 0) close(daemon);
    if (daemon < 0) wait_for_daemon(links, port, daemon_port);
}

/* From last to first: the last pair takes the place of a dropped one, and has had its turn. */
static void serve_all(int listener, int port, int daemon_port)
{
    struct links links = {.ends = {{.fd = listener, .events = POLLIN}}, .count = 1};
    while (poll(links.ends, links.count, -1) > 0) {
        for (nfds_t i = links.count; i > 1; i -= 2) {
            struct pollfd *ends = &links.ends[i - 2];
            bool open = ends[0].revents == 0 || hand_on(ends[0].fd, ends[1].fd);
            if (open && ends[1].revents != 0) open = hand_on(ends[1].fd, ends[0].fd);
            if (!open) drop(&links, i - 2);
        }
        if (links.ends[0].revents != 0) take_client(&links, port, daemon_port);
    }
}

void test_proxy_start_many(struct test_proxy *proxy, int daemon_port)
{
    int listener = listen_anywhere(&proxy->port);
    proxy->pid = fork();
    assert_true(proxy->pid >= 0);
    if (proxy->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        serve_all(listener, proxy->port, daemon_port);
        _exit(1);
    }
    close(listener);
}

void test_proxy_kill(struct test_proxy *proxy)
{
    kill(proxy->pid, SIGKILL);
    waitpid(proxy->pid, NULL, 0);
}

/* ---- one connection ---- */

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
