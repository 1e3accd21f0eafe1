/* notify.h - tells systemd how the daemon is (sd_notify(3)), if it was started as a service with
 * Type=notify. Without NOTIFY_SOCKET in the environment all of this does nothing. Threads: any.
 * Errors: none; nobody waits for a service manager that does not read. */
#ifndef GZ_NOTIFY_H
#define GZ_NOTIFY_H

#include <stdint.h>

/* Lines such as "READY=1". */
void gz_notify(const char *lines);
/* "RELOADING=1" with the time, which systemd compares with that of its request. */
void gz_notify_reloading(void);
/* Milliseconds, half of the time after which systemd kills a daemon without "WATCHDOG=1"; 0 for no
 * watchdog. */
uint64_t gz_notify_watchdog_ms(void);

#endif
