/* The library's side of fault_preload.h: what the daemon's calls come to first. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "support/fault_preload.h"

#define HANG_LOOK_US 1000

static struct fault_control *control;
static uintptr_t sqlite_begin, sqlite_end; /* addresses of SQLite's code */

static int find_sqlite(struct dl_phdr_info *library, size_t size, void *context)
{
    (void)size, (void)context;
    if (strstr(library->dlpi_name, "libsqlite3") == NULL) return 0;
    sqlite_begin = library->dlpi_addr;
    for (size_t i = 0; i < library->dlpi_phnum; i++) {
        uintptr_t end =
            library->dlpi_addr + library->dlpi_phdr[i].p_vaddr + library->dlpi_phdr[i].p_memsz;
        if (library->dlpi_phdr[i].p_type == PT_LOAD && end > sqlite_end) sqlite_end = end;
    }
    return 1;
}

__attribute__((constructor)) static void map_control(void)
{
    const char *path = getenv(FAULT_CONTROL_VARIABLE);
    int descriptor = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0) abort();
    void *page = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (page == MAP_FAILED) abort();
    dl_iterate_phdr(find_sqlite, NULL);
    control = page;
}

/* The next function of this name: the C library's, or a sanitizer's before it. */
static void find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (symbol == NULL) abort();
    memcpy(function, &symbol, sizeof symbol);
}

/* ---- the disk ---- */

static bool is_file(int descriptor)
{
    struct stat info;
    return descriptor > STDERR_FILENO && fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
}

static bool is_armed(enum fault_disk_call call)
{
    return control != NULL && (atomic_load(&control->calls) & 1u << call) != 0;
}

/* Whether this call is to fail; if so errno says how, or `is_short` is set. */
static bool fails(enum fault_disk_call call, bool *is_short)
{
    if (!is_armed(call) || atomic_fetch_sub(&control->well, 1) > 0) return false;
    bool is_first = atomic_fetch_add(&control->struck, 1) == 0;
    int effect = atomic_load(&control->effect);
    if (effect == FAULT_EFFECT_KILL) (void)kill(getpid(), SIGKILL);
    while (effect == FAULT_EFFECT_HANG && is_armed(call)) usleep(HANG_LOOK_US);
    *is_short = effect == FAULT_EFFECT_SHORT && is_first;
    errno = effect == FAULT_EFFECT_SHORT ? ENOSPC : effect;
    return effect != FAULT_EFFECT_HANG;
}

static bool is_in_folder(const char *path)
{
    return control != NULL && strncmp(path, control->folder, strlen(control->folder)) == 0;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset)
{
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    bool is_short = false;
    if (real == NULL) find(&real, "pwrite64");
    if (!is_file(descriptor) || !fails(FAULT_DISK_WRITE, &is_short))
        return real(descriptor, bytes, size, offset);
    return is_short && size > 1 ? real(descriptor, bytes, size / 2, offset) : -1;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset)
{
    return pwrite64(descriptor, bytes, size, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t size, off64_t offset)
{
    static ssize_t (*real)(int, void *, size_t, off64_t);
    bool is_short = false;
    if (real == NULL) find(&real, "pread64");
    if (!is_file(descriptor) || !fails(FAULT_DISK_READ, &is_short))
        return real(descriptor, bytes, size, offset);
    return -1;
}

ssize_t pread(int descriptor, void *bytes, size_t size, off_t offset)
{
    return pread64(descriptor, bytes, size, offset);
}

static int sync_by(int (*real)(int), int descriptor)
{
    bool is_short = false;
    return is_file(descriptor) && fails(FAULT_DISK_SYNC, &is_short) ? -1 : real(descriptor);
}

int fsync(int descriptor)
{
    static int (*real)(int);
    if (real == NULL) find(&real, "fsync");
    return sync_by(real, descriptor);
}

int fdatasync(int descriptor)
{
    static int (*real)(int);
    if (real == NULL) find(&real, "fdatasync");
    return sync_by(real, descriptor);
}

int ftruncate64(int descriptor, off64_t size)
{
    static int (*real)(int, off64_t);
    bool is_short = false;
    if (real == NULL) find(&real, "ftruncate64");
    return is_file(descriptor) && fails(FAULT_DISK_TRUNCATE, &is_short) ? -1
                                                                        : real(descriptor, size);
}

int ftruncate(int descriptor, off_t size)
{
    return ftruncate64(descriptor, size);
}

int open64(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    bool is_short = false;
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (real == NULL) find(&real, "open64");
    const bool is_ours = is_in_folder(path);
    if (is_ours && (flags & O_CREAT) != 0) (void)fails(FAULT_DISK_CREATE, &is_short);
    return is_ours && fails(FAULT_DISK_OPEN, &is_short) ? -1 : real(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open64(path, flags, mode);
}

int unlink(const char *path)
{
    static int (*real)(const char *);
    bool is_short = false;
    if (real == NULL) find(&real, "unlink");
    if (is_in_folder(path)) (void)fails(FAULT_DISK_NAME, &is_short);
    return real(path);
}

int rename(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    bool is_short = false;
    if (real == NULL) find(&real, "rename");
    if (is_in_folder(from)) (void)fails(FAULT_DISK_NAME, &is_short);
    return real(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    static int (*real)(int, const char *, int, const char *, unsigned);
    bool is_short = false;
    if (real == NULL) find(&real, "renameat2");
    if (is_in_folder(from)) (void)fails(FAULT_DISK_NAME, &is_short);
    return real(from_folder, from, to_folder, to, flags);
}

int lsetxattr(const char *path, const char *name, const void *value, size_t size, int flags)
{
    static int (*real)(const char *, const char *, const void *, size_t, int);
    bool is_short = false;
    if (real == NULL) find(&real, "lsetxattr");
    if (is_in_folder(path)) (void)fails(FAULT_DISK_STAMP, &is_short);
    return real(path, name, value, size, flags);
}

/* ---- the memory ---- */

/* AddressSanitizer's, where it is there. dlsym, which is how the others are found, allocates. */
extern void *__interceptor_malloc(size_t size) __attribute__((weak));
extern void *__interceptor_calloc(size_t count, size_t size) __attribute__((weak));
extern void *__interceptor_realloc(void *memory, size_t size) __attribute__((weak));
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

/* In the storage that a thread has from its start: any other is allocated. */
static _Thread_local bool asks_for_stack __attribute__((tls_model("initial-exec")));

/* AddressSanitizer asks for the stack of each new thread, and ends the process where there is no
 * memory for the answer. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    int (*real)(pthread_t, pthread_attr_t *);
    asks_for_stack = true;
    find(&real, "pthread_getattr_np");
    int result = real(thread, attributes);
    asks_for_stack = false;
    return result;
}

static bool is_refused(const void *caller)
{
    if (asks_for_stack || control == NULL || atomic_load(&control->first) == 0) return false;
    bool is_sqlites = (uintptr_t)caller >= sqlite_begin && (uintptr_t)caller < sqlite_end;
    if (is_sqlites && atomic_load(&control->is_without_sqlite)) return false;
    long turn = atomic_fetch_add(&control->allocations, 1) + 1;
    if (turn < atomic_load(&control->first) || turn > atomic_load(&control->last)) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    if (is_refused(__builtin_return_address(0))) return NULL;
    return __interceptor_malloc != NULL ? __interceptor_malloc(size) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (is_refused(__builtin_return_address(0))) return NULL;
    return __interceptor_calloc != NULL ? __interceptor_calloc(count, size)
                                        : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    if (is_refused(__builtin_return_address(0))) return NULL;
    return __interceptor_realloc != NULL ? __interceptor_realloc(memory, size)
                                         : __libc_realloc(memory, size);
}
