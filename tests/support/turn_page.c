/* The user's side of turn_preload.h. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/cmocka.h"
#include "support/turn_preload.h"

struct turn_page *turn_page_open(struct test_daemon *daemon)
{
    struct turn_page *page;
    snprintf(daemon->control, sizeof daemon->control, "%s/turns", daemon->directory);
    int file = open(daemon->control, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, sizeof *page), 0);
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    close(file);
    daemon->preload = GZ_TURN_PRELOAD_PATH;
    return page;
}
