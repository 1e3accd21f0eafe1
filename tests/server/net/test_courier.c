/* libcurl on a loop: a socket that cannot be watched is the end of its own transfer alone. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/http_client.h"
#include "support/cmocka.h"

/* A transfer, and how it ended. */
struct transfer {
    CURL *easy;
    bool is_done;
    CURLcode result;
};

struct game {
    uv_loop_t loop;
    struct gz_http_client *courier;
    uv_poll_t mine; /* the socket has a watcher already: libuv takes no second one */
    int listener;
    char url[64];
    struct transfer good, bad;
};

static void handle_done(void *context, void *transfer, CURLcode result)
{
    struct game *game = context;
    struct transfer *done = transfer;
    assert_false(done->is_done);
    done->is_done = true;
    done->result = result;
    if (done == &game->bad) uv_close((uv_handle_t *)&game->mine, NULL); /* before its socket */
    gz_http_client_end(game->courier, done->easy);
}

static void handle_went_on(void *context)
{
    (void)context;
}

static void handle_mine(uv_poll_t *poll, int status, int events)
{
    (void)poll, (void)status, (void)events;
}

static curl_socket_t open_watched(void *context, curlsocktype purpose,
                                  struct curl_sockaddr *address)
{
    struct game *game = context;
    int opened = socket(address->family, address->socktype, address->protocol);
    (void)purpose;
    assert_int_equal(uv_poll_init(&game->loop, &game->mine, opened), 0);
    assert_int_equal(uv_poll_start(&game->mine, UV_DISCONNECT, handle_mine), 0);
    return opened;
}

static void listen_for(struct game *game)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    game->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(game->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(game->listener, 4), 0);
    assert_int_equal(getsockname(game->listener, (struct sockaddr *)&address, &size), 0);
    snprintf(game->url, sizeof game->url, "http://127.0.0.1:%d/", ntohs(address.sin_port));
}

static void begin(struct game *game, struct transfer *transfer)
{
    transfer->easy = curl_easy_init();
    assert_non_null(transfer->easy);
    curl_easy_setopt(transfer->easy, CURLOPT_URL, game->url);
    curl_easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L);
    assert_true(gz_http_client_begin(game->courier, transfer->easy));
}

static void answer(struct game *game)
{
    static const char words[] = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
    char bytes[4096];
    int connection = accept(game->listener, NULL, NULL);
    assert_true(recv(connection, bytes, sizeof bytes, 0) > 0);
    assert_true(send(connection, words, strlen(words), MSG_NOSIGNAL) > 0);
    close(connection);
}

/* The other one goes on at the same time. */
TEST(test_courier_that_cannot_watch_a_socket_ends_that_transfer_alone)
{
    struct game game = {0};
    uv_loop_init(&game.loop);
    assert_int_equal(gz_curl_load(NULL), GZ_OK);
    game.courier = gz_http_client_create(
        &game.loop, (struct gz_http_client_user){NULL, &game, handle_done, handle_went_on});
    assert_non_null(game.courier);
    listen_for(&game);
    begin(&game, &game.good);
    begin(&game, &game.bad);
    curl_easy_setopt(game.bad.easy, CURLOPT_OPENSOCKETFUNCTION, open_watched);
    curl_easy_setopt(game.bad.easy, CURLOPT_OPENSOCKETDATA, &game);
    while (!game.bad.is_done) uv_run(&game.loop, UV_RUN_ONCE);
    assert_int_equal(game.bad.result, CURLE_OUT_OF_MEMORY);
    assert_false(game.good.is_done);
    answer(&game);
    while (!game.good.is_done) uv_run(&game.loop, UV_RUN_ONCE);
    assert_int_equal(game.good.result, CURLE_OK);
    curl_easy_cleanup(game.good.easy);
    curl_easy_cleanup(game.bad.easy);
    gz_http_client_close(game.courier);
    uv_run(&game.loop, UV_RUN_DEFAULT);
    gz_http_client_destroy(game.courier);
    assert_int_equal(uv_loop_close(&game.loop), 0);
    close(game.listener);
}
