/* machine.h - how much memory the process may use. Threads: any; reads files. Errors: none; what is
 * not known does not count. */
#ifndef GZ_HOST_MACHINE_H
#define GZ_HOST_MACHINE_H

#include <stdint.h>

/* Bytes of the machine's memory; or fewer, if the control group of the process, or one above it,
 * has a maximum. `groups` says which group that is (/proc/self/cgroup), `folder` has the groups
 * (/sys/fs/cgroup). */
uint64_t gz_machine_bytes(const char *groups, const char *folder);

#endif
