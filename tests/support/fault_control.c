/* The test's side of fault_preload.h. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/cmocka.h"
#include "support/fault_preload.h"

#define AWAIT_MS 60000

struct fault_control *fault_control_init(struct test_daemon *daemon)
{
    snprintf(daemon->control, sizeof daemon->control, "%s/control", daemon->directory);
    int descriptor = open(daemon->control, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(descriptor >= 0);
    assert_int_equal(ftruncate(descriptor, sizeof(struct fault_control)), 0);
    struct fault_control *control =
        mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    assert_ptr_not_equal(control, MAP_FAILED);
    close(descriptor);
    snprintf(control->folder, sizeof control->folder, "%s/", daemon->data);
    daemon->preload = GZ_FAULT_PRELOAD_PATH;
    return control;
}

void fault_control_finish(struct fault_control *control)
{
    munmap(control, sizeof *control);
}

void fault_disk_arm(struct fault_control *control, unsigned calls, int effect, long well)
{
    atomic_store(&control->calls, 0);
    atomic_store(&control->struck, 0);
    atomic_store(&control->effect, effect);
    atomic_store(&control->well, well);
    atomic_store(&control->calls, calls);
}

bool fault_disk_heal(struct fault_control *control)
{
    atomic_store(&control->calls, 0);
    return atomic_load(&control->struck) > 0;
}

bool fault_disk_await(const struct fault_control *control)
{
    for (int ms = 0; ms < AWAIT_MS && atomic_load(&control->struck) == 0; ms++) usleep(1000);
    return atomic_load(&control->struck) > 0;
}

void fault_memory_arm(struct fault_control *control, bool is_without_sqlite, long first, long last)
{
    atomic_store(&control->first, 0);
    atomic_store(&control->allocations, 0);
    atomic_store(&control->is_without_sqlite, is_without_sqlite);
    atomic_store(&control->last, last);
    atomic_store(&control->first, first);
}

long fault_memory_heal(struct fault_control *control)
{
    atomic_store(&control->first, 0);
    return atomic_load(&control->allocations);
}
