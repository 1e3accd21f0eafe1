/* asker.c - see asker.h. */
#include "bench/asker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cmocka.h"

#include "proto/limits.h"
#include "support/crowd.h"
#include "support/raw_ws.h"

#define IMPORT_PATIENCE_S 120.0

/* ---- the scene ---- */

static void make_asset(struct large_scene *scene)
{
    FILE *file = open_memstream(&scene->asset, &scene->asset_size);
    assert_non_null(file);
    fputs("{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{"
          "\"name\":\"root\",\"children\":[",
          file);
    for (uint64_t i = 1; i < scene->nodes; i++) fprintf(file, "%s%d", i > 1 ? "," : "", (int)i);
    fputs("]}", file);
    for (uint64_t i = 1; i < scene->nodes; i++)
        fprintf(file, ",{\"name\":\"part %d\",\"translation\":[%d,%d,0]}", (int)i,
                (int)(i % 316) * 2 - 316, (int)(i / 316) * 2 - 316);
    fputs("]}", file);
    fclose(file);
}

void large_scene_init(struct large_scene *scene, uint64_t nodes)
{
    *scene = (struct large_scene){.nodes = nodes, .ids = malloc((size_t)nodes * sizeof(uint64_t))};
    assert_non_null(scene->ids);
    for (uint64_t i = 0; i < nodes; i++) scene->ids[i] = i + 1;
    make_asset(scene);
}

void large_scene_finish(struct large_scene *scene)
{
    free(scene->ids);
    free(scene->asset);
}

struct gz_ids large_scene_half(const struct large_scene *scene)
{
    return (struct gz_ids){scene->ids + 1, (size_t)scene->nodes / 2};
}

void large_scene_import(const struct large_scene *scene, int port, const char *path)
{
    struct raw_response response;
    char length[64];
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", scene->asset_size);
    const double begin_s = crowd_unix_s();
    do {
        raw_request(port, "PUT", path, length, scene->asset, scene->asset_size, &response);
    } while (response.status == 503 && crowd_unix_s() < begin_s + IMPORT_PATIENCE_S &&
             usleep(100000) == 0);
    if (response.status / 100 != 2) {
        fprintf(stderr, "PUT: %d %s\n", response.status, response.body);
        exit(1);
    }
}

/* ---- its process and its connection ---- */

pid_t asker_fork(void)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
    (void)setpriority(PRIO_PROCESS, 0, 19);
    return 0;
}

void asker_end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

void asker_connect(struct asker *asker)
{
    asker->n = asker->written = 0;
    asker->socket = raw_open(asker->port);
    if (!raw_send_hello(asker->socket, asker->name, "mallory")) _exit(1);
    fcntl(asker->socket, F_SETFL, fcntl(asker->socket, F_GETFL) | O_NONBLOCK);
    gz_buffer_init(&asker->out, 64 * GZ_MESSAGE_BYTES_MAX, 0);
}

void asker_hang_up(struct asker *asker)
{
    close(asker->socket);
    gz_buffer_finish(&asker->out);
}

bool asker_drain(struct asker *asker)
{
    static char bytes[1 << 18];
    ssize_t size;
    while ((size = recv(asker->socket, bytes, sizeof bytes, 0)) > 0) continue;
    return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

static bool write_more(struct asker *asker)
{
    struct gz_buffer *out = &asker->out;
    while (asker->written < out->size) {
        ssize_t size = send(asker->socket, out->data + asker->written, out->size - asker->written,
                            MSG_NOSIGNAL);
        if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        asker->written += (size_t)size;
    }
    gz_buffer_clear(out);
    asker->written = 0;
    return true;
}

_Noreturn void asker_ask(struct asker *asker, asker_act *before, asker_act *ask, double per_s)
{
    for (;;) {
        asker_connect(asker);
        asker_put_camera(asker);
        if (before != NULL) before(asker);
        double next_s = crowd_unix_s();
        while (asker_drain(asker) && write_more(asker)) {
            double now_s = crowd_unix_s();
            if (next_s < now_s - 0.1) next_s = now_s - 0.1;
            for (; next_s <= now_s && asker->out.size < (1 << 20); next_s += 1 / per_s) ask(asker);
            struct pollfd poll_for = {asker->socket,
                                      asker->out.size > 0 ? POLLIN | POLLOUT : POLLIN, 0};
            poll(&poll_for, 1, 1);
        }
        asker_hang_up(asker);
        usleep(10000);
    }
}

/* ---- what it asks for ---- */

void asker_put_bytes(struct asker *asker, const void *bytes, size_t size)
{
    assert_int_equal(gz_buffer_append(&asker->out, bytes, size), GZ_OK);
}

/* A masked binary frame. */
void asker_put(struct asker *asker, const struct gz_message *message)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, 16 * GZ_MESSAGE_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, message), GZ_OK);
    uint8_t head[14] = {0x82, 0x80 | 127};
    for (int i = 0; i < 8; i++) head[2 + i] = (uint8_t)((uint64_t)bytes.size >> (56 - 8 * i));
    size_t head_size = 14;
    if (bytes.size < 126) {
        head[1] = (uint8_t)(0x80 | bytes.size);
        memset(head + 2, 0, 4);
        head_size = 6;
    } else if (bytes.size < 65536) {
        head[1] = 0x80 | 126;
        head[2] = (uint8_t)(bytes.size >> 8);
        head[3] = (uint8_t)bytes.size;
        memset(head + 4, 0, 4);
        head_size = 8;
    }
    asker_put_bytes(asker, head, head_size);
    asker_put_bytes(asker, bytes.data, bytes.size);
    gz_buffer_finish(&bytes);
}

void asker_put_op(struct asker *asker, enum gz_op op)
{
    struct gz_message message = {.op = op};
    asker_put(asker, &message);
}

void asker_put_camera(struct asker *asker)
{
    const double distance = 500 + (double)(asker->n++ % 16);
    struct gz_message message = {
        .op = GZ_OP_CAMERA,
        .camera = {.view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -distance, 1},
                   .proj = {0.75, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0},
                   .viewport = {0, 0, 800, 600}},
    };
    asker_put(asker, &message);
}

void asker_put_pointer(struct asker *asker, enum gz_phase phase, double x)
{
    struct gz_message message = {.op = GZ_OP_POINTER,
                                 .has = GZ_HAS_POINTER_AT | GZ_HAS_POINTER_N,
                                 .pointer = {.phase = phase, .at = {x, 300}, .n = ++asker->n}};
    asker_put(asker, &message);
}

void asker_put_grab(struct asker *asker, struct gz_ids ids)
{
    struct gz_message message = {
        .op = GZ_OP_GRAB,
        .has = GZ_HAS_POINTER_AT | GZ_HAS_POINTER_N | GZ_HAS_POINTER_NODES,
        .pointer = {.phase = GZ_PHASE_DOWN, .at = {400, 300}, .n = ++asker->n}};
    message.pointer.handle = GZ_TX;
    message.pointer.nodes = ids;
    asker_put(asker, &message);
}

void asker_put_grab_half(struct asker *asker)
{
    asker_put_grab(asker, large_scene_half(asker->scene));
}

void asker_put_drag(struct asker *asker)
{
    asker_put_pointer(asker, GZ_PHASE_MOVE, 420 + (double)(asker->n % 16));
}

void asker_put_whole_drag(struct asker *asker)
{
    asker_put_grab_half(asker);
    asker_put_drag(asker);
    asker_put_pointer(asker, GZ_PHASE_UP, 440 + (double)(asker->n % 16));
}

void asker_put_undo_or_redo(struct asker *asker)
{
    asker_put_op(asker, asker->n++ % 2 == 0 ? GZ_OP_UNDO : GZ_OP_REDO);
}
