/* answering.c - a server that gives each request the same answer. See answering.h. */
#include "answering.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/cmocka.h"

static void serve_one(struct answering *server, int socket)
{
    char rest[4096], *request = server->count < ANSWERING_REQUESTS_MAX
                                    ? server->requests[server->count++]
                                    : rest;
    size_t size = 0;
    for (ssize_t got; size < sizeof rest - 1 && strstr(request, "\r\n\r\n") == NULL;
         size += (size_t)got) {
        got = recv(socket, request + size, sizeof rest - 1 - size, 0);
        if (got <= 0) break;
        request[size + (size_t)got] = '\0';
    }
    assert_true(send(socket, server->answer, strlen(server->answer), MSG_NOSIGNAL) > 0);
    shutdown(socket, SHUT_WR);
    while (recv(socket, rest, sizeof rest, 0) > 0) continue;
    close(socket);
}

static void *handle_thread(void *context)
{
    struct answering *server = context;
    for (int socket; (socket = accept(server->listener, NULL, NULL)) >= 0;)
        serve_one(server, socket);
    return NULL;
}

int answering_listen(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return listener;
}

void answering_start(struct answering *server, const char *answer)
{
    memset(server, 0, sizeof *server);
    server->answer = answer;
    server->listener = answering_listen(&server->port);
    assert_int_equal(pthread_create(&server->thread, NULL, handle_thread, server), 0);
}

void answering_end(struct answering *server)
{
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
}
