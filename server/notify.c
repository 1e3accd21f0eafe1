/* notify.c - datagrams to the socket of the service manager. */
#include "notify.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* A name that begins with @ has no file. */
void gz_notify(const char *lines)
{
    const char *name = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t size = name != NULL ? strlen(name) : 0;
    if (size < 2 || size >= sizeof address.sun_path || (*name != '/' && *name != '@')) return;
    memcpy(address.sun_path, name, size);
    if (*name == '@') address.sun_path[0] = '\0';
    int socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) return;
    (void)sendto(socket_, lines, strlen(lines), MSG_NOSIGNAL | MSG_DONTWAIT,
                 (const struct sockaddr *)&address,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size));
    close(socket_);
}

void gz_notify_reloading(void)
{
    char lines[64];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(lines, sizeof lines, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
             (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
    gz_notify(lines);
}

/* The variables may have been meant for the process that started this one. */
uint64_t gz_notify_watchdog_ms(void)
{
    const char *time = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (time == NULL || (pid != NULL && strtoll(pid, NULL, 10) != getpid())) return 0;
    const uint64_t half_ms = strtoull(time, NULL, 10) / 2000;
    return half_ms > 0 ? half_ms : 1;
}
