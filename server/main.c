/* gizmod: arguments, signals, and how the rooms are put together. */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cluster/postgres.h"
#include "cluster/secret.h"
#include "front/address.h"
#include "front/identity.h"
#include "front/tls.h"
#include "host/host.h"
#include "host/memory.h"
#include "notify.h"
#include "options.h"
#include "proto/args/args.h"
#include "server/maxima.h"
#include "store/store.h"

#define SERVER_NAME "gizmod " GIZMOD_VERSION
#define SAMPLE_SCENE "robot-arm"
/* The editor, from the folder of the program: where the build puts it, and where it is
 * installed. */
#define EDITOR_FOLDER "../share/gizmod/web"
/* The audience of tokens without --audience. */
#define AUDIENCE_DEFAULT "gizmod"
/* Seconds after which a client may join again after `bye`. */
#define RETRY_SECONDS 1
/* Milliseconds between checks of whether the end is complete. */
#define END_TICK_MS 10
/* Milliseconds, of GZ_SHUTDOWN_SECONDS_MAX, after which the end stops waiting: for clients that do
 * not take their leave; for a disk that refuses, or that another program has locked; for workers;
 * for a disk, or a cluster's database, that does not answer. */
#define CLIENTS_PATIENCE_MS 3000
#define SAVING_PATIENCE_MS 4300
#define WORKERS_PATIENCE_MS 4500
#define DISK_PATIENCE_MS 4800
/* Descriptors beyond those of connections: six for each scene (its file and the log, each for the
 * writer and for the look-up of keys, the log's index, the owner's lock), and the process' own. */
#define SPARE_DESCRIPTORS (6 * GZ_SCENES_MAX + 64)

static_assert(SAVING_PATIENCE_MS < WORKERS_PATIENCE_MS && WORKERS_PATIENCE_MS < DISK_PATIENCE_MS &&
                  DISK_PATIENCE_MS < GZ_SHUTDOWN_SECONDS_MAX * 1000,
              "the end comes in time");

struct daemon {
    uv_loop_t loop;
    struct gz_log log;
    struct gz_log_counts log_counts;
    int argc;
    char **argv;
    struct gz_options *started; /* of the start, which the rooms hold on to */
    struct gz_options *options; /* as last read; the same, or later ones */
    const char *web;            /* folder of static files; NULL for none */
    char editor[PATH_MAX];
    struct gz_keyring keyring;     /* without a path: none */
    struct gz_cluster_log cluster; /* zeroed: none */
    struct gz_member me;
    struct gz_member_secret secret, hook_secrets;
    struct gz_host *host;
    struct gz_net *net;
    uv_signal_t terminate, interrupt, hang_up;
    uv_timer_t ending, watchdog;
    uint64_t ending_from_ms; /* 0 while it runs */
    bool closed;
    atomic_bool saved; /* everything was, when the end stopped waiting for it */
    bool is_sample_done;
    struct gz_error sample_error;
};

/* ---- the end ---- */

static void close_everything(struct daemon *daemon)
{
    daemon->closed = true;
    daemon->saved = gz_host_is_saved(daemon->host, true);
    gz_net_close(daemon->net);
    gz_host_close(daemon->host);
    /* These handles must not keep the loop running: a second signal does not break off what the
     * first began. */
    uv_unref((uv_handle_t *)&daemon->terminate);
    uv_unref((uv_handle_t *)&daemon->interrupt);
    uv_unref((uv_handle_t *)&daemon->hang_up);
    uv_unref((uv_handle_t *)&daemon->ending);
    uv_unref((uv_handle_t *)&daemon->watchdog);
}

static void handle_ending(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;
    uint64_t spent_ms = uv_now(&daemon->loop) - daemon->ending_from_ms;
    if (!daemon->closed) {
        bool done = gz_host_is_idle(daemon->host) && gz_net_is_quiet(daemon->net);
        uint64_t patience_ms =
            gz_host_is_saved(daemon->host, false) ? CLIENTS_PATIENCE_MS : SAVING_PATIENCE_MS;
        if (done || spent_ms > patience_ms) close_everything(daemon);
    } else if (spent_ms > WORKERS_PATIENCE_MS) {
        gz_log(&daemon->log, GZ_WARN, 0, "a worker thread did not finish; exiting without it%s",
               daemon->saved ? "; everything is saved" : "");
        _exit(daemon->saved ? EXIT_SUCCESS : EXIT_FAILURE);
    }
}

/* A disk that does not answer blocks the loop, which joins the writers; so does a cluster's silent
 * database, which the leases are given back to. This handler runs even then, on any thread. */
static void handle_alarm(int number, siginfo_t *info, void *context)
{
    const struct daemon *daemon = info->si_code == SI_TIMER ? info->si_value.sival_ptr : NULL;
    const bool is_saved = daemon != NULL && daemon->saved;
    const char *words = is_saved ? "gizmod: the disk or the cluster's database does not come to an "
                                   "end in time: leaving; everything is saved\n"
                                 : "gizmod: the disk or the cluster's database does not come to an "
                                   "end in time: leaving; what was not acknowledged may be lost\n";
    ssize_t written = write(STDERR_FILENO, words, strlen(words));
    (void)number, (void)context, (void)written;
    _exit(is_saved ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Without a timer of the kernel the alarm still comes, and does not know what is saved. */
static void set_alarm(struct daemon *daemon)
{
    struct sigaction action = {.sa_sigaction = handle_alarm, .sa_flags = SA_SIGINFO};
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value.sival_ptr = daemon};
    const struct itimerspec time = {.it_value = {.tv_sec = DISK_PATIENCE_MS / 1000,
                                                 .tv_nsec = DISK_PATIENCE_MS % 1000 * 1000000}};
    timer_t timer;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        timer_settime(timer, 0, &time, NULL);
    else
        alarm(GZ_SHUTDOWN_SECONDS_MAX);
}

static void handle_signal(uv_signal_t *signal, int number)
{
    struct daemon *daemon = signal->data;
    if (daemon->ending_from_ms != 0) return;
    gz_log(&daemon->log, GZ_INFO, 0, "signal %d: shutting down", number);
    gz_notify("STOPPING=1");
    daemon->ending_from_ms = uv_now(&daemon->loop);
    set_alarm(daemon);
    gz_net_drain(daemon->net);
    gz_host_end(daemon->host, "the server is going away", RETRY_SECONDS);
    uv_timer_start(&daemon->ending, handle_ending, END_TICK_MS, END_TICK_MS);
}

/* ---- what the rooms are told ---- */

/* The default leaves as much for the files that the system caches, and for other programs. */
static uint64_t memory_bytes(const struct gz_options *options)
{
    if (options->memory_mb > 0) return (uint64_t)(options->memory_mb * 1048576);
    return gz_machine_bytes("/proc/self/cgroup", "/sys/fs/cgroup") / 2;
}

static uint64_t keep_free_bytes(const struct gz_options *options)
{
    return (uint64_t)(options->keep_free_mb * 1048576);
}

static struct gz_net_options net_options(struct daemon *daemon, const struct gz_options *options)
{
    const bool is_member = options->cluster != NULL;
    return (struct gz_net_options){.loop = &daemon->loop,
                                   .log = &daemon->log,
                                   .address = options->address,
                                   .port = options->port,
                                   .cert = options->cert,
                                   .key = options->key,
                                   .web = daemon->web,
                                   .origins = options->origins,
                                   .origin_count = options->origin_count,
                                   .proxies = options->proxies,
                                   .proxy_count = options->proxy_count,
                                   .trust_header = options->trust_header,
                                   .keyring = options->keys != NULL ? &daemon->keyring : NULL,
                                   .admins = options->admins,
                                   .admin_count = options->admin_count,
                                   .ping_s = options->ping_s,
                                   .silence_s = options->silence_s,
                                   .connections_per_address = options->connections_per_address,
                                   .relayed_max = GZ_RELAYED_MAX,
                                   .secret = is_member ? daemon->secret.bytes : NULL,
                                   .secret_size = daemon->secret.size,
                                   .server = SERVER_NAME};
}

/* ---- what is read again ---- */

static void say_reloaded(const struct daemon *daemon, const char *what, enum gz_status status,
                         const struct gz_error *error)
{
    if (status == GZ_OK)
        gz_log(&daemon->log, GZ_INFO, 0, "%s: read again", what);
    else
        gz_log(&daemon->log, GZ_ERROR, 0, "%s; the earlier %s stay in force", error->message, what);
}

static enum gz_status change(struct daemon *daemon, struct gz_options *options,
                             struct gz_error *error)
{
    struct gz_options *before = daemon->options;
    enum gz_status status = gz_options_keep(options, daemon->started, error);
    const struct gz_net_options net = net_options(daemon, options);
    if (status == GZ_OK) status = gz_net_change(daemon->net, &net, error);
    if (status != GZ_OK) return status;
    gz_host_change(daemon->host, keep_free_bytes(options), memory_bytes(options));
    daemon->log.form = options->log_form;
    if (options->log_level > before->log_level) daemon->log.level = options->log_level;
    gz_options_tell_changes(daemon->started, before, options, &daemon->log);
    daemon->log.level = options->log_level;
    daemon->options = options;
    if (before != daemon->started) gz_options_destroy(before);
    return GZ_OK;
}

/* The options change all together or not at all; without them nothing else is read either. */
static bool reload_options(struct daemon *daemon)
{
    struct gz_options *options;
    struct gz_error error;
    enum gz_status status = gz_options_create(&options, daemon->argc, daemon->argv, &error);
    if (status == GZ_OK) {
        status = change(daemon, options, &error);
        if (status != GZ_OK) gz_options_destroy(options);
    }
    if (status != GZ_OK)
        gz_log(&daemon->log, GZ_ERROR, 0, "%s; nothing was read again, and nothing has changed",
               error.message);
    else if (daemon->started->config != NULL)
        gz_log(&daemon->log, GZ_INFO, 0, "%s: read again", daemon->started->config);
    return status == GZ_OK;
}

static enum gz_status load_hook_secrets(struct daemon *daemon, struct gz_error *error)
{
    enum gz_status status =
        gz_member_secret_load(&daemon->hook_secrets, daemon->started->hook_secret, error);
    if (status == GZ_OK)
        return gz_hook_check_secrets(daemon->hook_secrets.bytes, daemon->hook_secrets.size, error);
    const struct gz_error why = *error;
    return gz_fail(error, status, "--hook-secret: %s", why.message);
}

static enum gz_status renew_hook(struct daemon *daemon, struct gz_error *error)
{
    enum gz_status status = load_hook_secrets(daemon, error);
    if (status != GZ_OK) return status;
    return gz_host_renew_hook(daemon->host, daemon->hook_secrets.bytes, daemon->hook_secrets.size,
                              error);
}

/* Each room reads its own files again, or keeps what it has and says why. */
static void reload(struct daemon *daemon)
{
    struct gz_error error;
    const bool has_tls = gz_net_has_tls(daemon->net), has_keys = daemon->keyring.path != NULL,
               has_hook = daemon->started->hook != NULL;
    if (!reload_options(daemon)) return;
    if (!has_tls && !has_keys && !has_hook && daemon->started->config == NULL)
        gz_log(&daemon->log, GZ_INFO, 0,
               "SIGHUP: without --config, --keys, --cert and --hook nothing is read again");
    if (has_tls)
        say_reloaded(daemon, "certificate and key", gz_net_reload(daemon->net, &error), &error);
    if (has_keys)
        say_reloaded(daemon, "keys", gz_keyring_load(&daemon->keyring, &daemon->log, &error),
                     &error);
    if (daemon->keyring.revoked_path != NULL) {
        say_reloaded(daemon, "revoked tokens", gz_keyring_load_revoked(&daemon->keyring, &error),
                     &error);
        gz_host_revoke(daemon->host);
    }
    if (has_hook) say_reloaded(daemon, "secrets of the hook", renew_hook(daemon, &error), &error);
}

static void handle_hang_up(uv_signal_t *signal, int number)
{
    struct daemon *daemon = signal->data;
    (void)number;
    if (daemon->ending_from_ms != 0) return;
    gz_notify_reloading();
    reload(daemon);
    gz_notify("READY=1");
}

static void handle_watchdog(uv_timer_t *watchdog)
{
    (void)watchdog;
    gz_notify("WATCHDOG=1");
}

/* ---- the beginning ---- */

/* As many as the maxima need: a connection that becomes a WebSocket has two for a moment. Many more
 * would cost memory: libwebsockets keeps a table of all possible ones. */
static void set_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    rlim_t wanted = GZ_SESSIONS_MAX + 2 * GZ_CONNECTIONS_SPARE + SPARE_DESCRIPTORS;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* What the kernel's sched_setattr takes; the C library of Debian 12 does not declare it. Before
 * Linux 6.12 slice_ns has no effect. */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice_ns, deadline_ns, period_ns;
};

/* While threads of this or another program keep the processors busy, a thread that wakes waits for
 * the end of a running thread's time slice, unless its own is shorter. Threads that begin later
 * inherit the slice. An operator's other policy than the usual one stays. */
static void shorten_time_slices(void)
{
    struct scheduling now = {.size = 0};
    if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0 || now.policy != SCHED_OTHER)
        return;
    now.slice_ns = GZ_TIME_SLICE_US * UINT64_C(1000);
    (void)syscall(SYS_sched_setattr, 0, &now, 0);
}

/* libuv keeps a table of the descriptors that it watches: watching the highest possible one once
 * gives the table its final size (64 KiB). If that fails, the daemon runs all the same. */
static void reserve_watches(uv_loop_t *loop, uv_poll_t *watch)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    int event = eventfd(0, EFD_CLOEXEC);
    int highest = fcntl(event, F_DUPFD_CLOEXEC, (int)limit.rlim_cur - 1);
    if (highest >= 0 && uv_poll_init(loop, watch, highest) == 0) {
        uv_poll_start(watch, UV_READABLE, NULL);
        uv_close((uv_handle_t *)watch, NULL);
    }
    if (highest >= 0) close(highest);
    if (event >= 0) close(event);
}

static void handle_abort(int number)
{
    static const char words[] = "gizmod: no memory to start\n";
    (void)number;
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

/* SIGTERM, SIGINT and SIGHUP, in this thread and in those that it makes; what was blocked before.
 */
static sigset_t block_signals(void)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    return before;
}

/* SIGTERM, SIGINT and SIGQUIT end the daemon, and so do signals of its own faults. Of the others
 * none does: what would end or stop it is ignored. A file that may not grow is a full disk. */
static void ignore_signals(void)
{
    static const int ignored[] = {SIGPIPE, SIGXFSZ, SIGUSR1,   SIGUSR2, SIGTTIN,
                                  SIGTTOU, SIGALRM, SIGVTALRM, SIGPROF, SIGIO};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++) signal(ignored[i], SIG_IGN);
}

/* SIG_BLOCK: SIGHUP waits until the daemon can read its files again. */
static void hold_hang_up(int how)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(how, &signals, NULL);
}

static void do_nothing(uv_work_t *work)
{
    (void)work;
}

static void handle_nothing(uv_work_t *work, int status)
{
    (void)work, (void)status;
}

/* libuv aborts the process if it has no memory for its table of descriptors or, in a cluster, for
 * its threads, which look up names. It gets both here, and needs no more of them later. */
static bool open_loop(uv_loop_t *loop, bool has_cluster)
{
    uv_poll_t watch;
    uv_work_t work;
    signal(SIGABRT, handle_abort);
    bool is_open = uv_loop_init(loop) == 0;
    if (is_open) reserve_watches(loop, &watch);
    if (is_open && has_cluster) {
        sigset_t before = block_signals();
        uv_queue_work(loop, &work, do_nothing, handle_nothing);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (is_open) uv_run(loop, UV_RUN_DEFAULT); /* ends both */
    signal(SIGABRT, SIG_DFL);
    return is_open;
}

static void watch_signal(struct daemon *daemon, uv_signal_t *signal, uv_signal_cb handle,
                         int number)
{
    uv_signal_init(&daemon->loop, signal);
    signal->data = daemon;
    uv_signal_start(signal, handle, number);
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The folder of --web, or the editor next to this program, where it was built. */
static const char *choose_web(struct daemon *daemon)
{
    char program[PATH_MAX];
    size_t size = sizeof program;
    if (daemon->started->no_web || daemon->started->web != NULL) return daemon->started->web;
    /* A root of its own may have no /proc. */
    if (uv_exepath(program, &size) != 0 &&
        realpath((const char *)getauxval(AT_EXECFN), program) == NULL)
        return NULL;
    int folder_size = (int)(strrchr(program, '/') + 1 - program);
    int needed =
        snprintf(daemon->editor, sizeof daemon->editor, "%.*s" EDITOR_FOLDER, folder_size, program);
    return needed < (int)sizeof daemon->editor && is_folder(daemon->editor) ? daemon->editor : NULL;
}

/* NULL if no tokens are needed. */
static enum gz_status open_keyring(struct daemon *daemon, const struct gz_keyring **keyring,
                                   struct gz_error *error)
{
    const struct gz_options *options = daemon->started;
    *keyring = options->keys != NULL ? &daemon->keyring : NULL;
    if (options->keys == NULL) return GZ_OK;
    daemon->keyring.path = options->keys;
    daemon->keyring.audience = options->audience != NULL ? options->audience : AUDIENCE_DEFAULT;
    daemon->keyring.revoked_path = options->revoked;
    enum gz_status status = gz_keyring_load(&daemon->keyring, &daemon->log, error);
    return status == GZ_OK ? gz_keyring_load_revoked(&daemon->keyring, error) : status;
}

/* host->cluster stays NULL without --cluster. */
static enum gz_status open_cluster(struct daemon *daemon, struct gz_host_options *host,
                                   struct gz_error *error)
{
    const struct gz_options *options = daemon->started;
    if (options->cluster == NULL) return GZ_OK;
    snprintf(daemon->me.name, sizeof daemon->me.name, "%s", options->member);
    snprintf(daemon->me.url, sizeof daemon->me.url, "%s", options->advertise);
    snprintf(daemon->me.version, sizeof daemon->me.version, "%s", GIZMOD_VERSION);
    host->cluster = &daemon->cluster;
    host->me = &daemon->me;
    enum gz_status status = gz_member_secret_load(&daemon->secret, options->secret, error);
    host->secret = daemon->secret.bytes;
    host->secret_size = daemon->secret.size;
    return status == GZ_OK ? gz_postgres_create(&daemon->cluster, options->cluster, error) : status;
}

static enum gz_status open_hook(struct daemon *daemon, struct gz_error *error)
{
    struct gz_hook *hook = NULL;
    const struct gz_options *options = daemon->started;
    if (options->hook == NULL) return GZ_OK;
    enum gz_status status = load_hook_secrets(daemon, error);
    if (status == GZ_OK)
        status = gz_hook_create(&hook, &daemon->loop, &daemon->log, options->hook,
                                daemon->hook_secrets.bytes, daemon->hook_secrets.size, error);
    if (status == GZ_OK) gz_host_take_hook(daemon->host, hook);
    return status;
}

static enum gz_status create_rooms(struct daemon *daemon, struct gz_error *error)
{
    const struct gz_options *options = daemon->started;
    struct gz_host_options host = {.loop = &daemon->loop,
                                   .log = &daemon->log,
                                   .folder = options->data,
                                   .server = SERVER_NAME,
                                   .messages_per_s = options->messages_per_s,
                                   .keep_free_bytes = keep_free_bytes(options),
                                   .memory_bytes = memory_bytes(options),
                                   .recorded = options->recorded,
                                   .kept = options->kept,
                                   .has_hook = options->hook != NULL};
    enum gz_status status = open_keyring(daemon, &host.keyring, error);
    if (status == GZ_OK) status = open_cluster(daemon, &host, error);
    if (status != GZ_OK) return status;
    sigset_t before = block_signals(); /* only the loop's thread gets them */
    status = gz_host_create(&daemon->host, &host, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status == GZ_OK) status = open_hook(daemon, error);
    if (status != GZ_OK) return status;
    struct gz_net_options net = net_options(daemon, options);
    net.host = gz_host_for_net(daemon->host);
    status = gz_net_create(&daemon->net, &net, error);
    if (status == GZ_OK) gz_host_connect(daemon->host, daemon->net);
    return status;
}

static void handle_sample_done(void *context, const struct gz_error *error)
{
    struct daemon *daemon = context;
    daemon->is_sample_done = true;
    daemon->sample_error = *error;
}

/* Opens the scenes of --open and --sample before the daemon listens. */
static enum gz_status open_first_scenes(struct daemon *daemon, struct gz_error *error)
{
    const char *name = daemon->started->open;
    enum gz_status status = name != NULL ? gz_host_open(daemon->host, name, error) : GZ_OK;
    if (status != GZ_OK || !daemon->started->sample) return status;
    gz_host_sample(daemon->host, SAMPLE_SCENE, handle_sample_done, daemon);
    while (!daemon->is_sample_done && daemon->ending_from_ms == 0)
        uv_run(&daemon->loop, UV_RUN_ONCE);
    status = daemon->sample_error.status;
    return status == GZ_OK ? GZ_OK
                           : gz_fail(error, status, "--sample: %s: %s", SAMPLE_SCENE,
                                     daemon->sample_error.message);
}

/* In one write: a program that waits for the first line may read no further. */
static void say_where(const struct daemon *daemon)
{
    const char *s = gz_net_has_tls(daemon->net) ? "s" : "";
    printf("listening ws%s://%s/ws\n", s, gz_net_address(daemon->net));
    if (daemon->web != NULL && is_folder(daemon->web))
        printf("the editor is at http%s://%s/\n", s, gz_net_local_address(daemon->net));
    fflush(stdout);
}

/* From then on systemd waits for signs of life, which the loop gives. */
static void say_ready(struct daemon *daemon)
{
    const uint64_t watchdog_ms = gz_notify_watchdog_ms();
    gz_notify("READY=1");
    if (watchdog_ms > 0)
        uv_timer_start(&daemon->watchdog, handle_watchdog, watchdog_ms, watchdog_ms);
}

/* The risk of --insecure, in words. */
static const char *risk_of(const struct gz_options *options)
{
    if (options->keys == NULL && options->trust_header == NULL)
        return "anybody who reaches it can read, change and delete every scene";
    return options->cert != NULL
               ? "anybody who reaches it can try tokens"
               : "without TLS, anybody on the network between can read scenes and take tokens";
}

static enum gz_status start(struct daemon *daemon, struct gz_error *error)
{
    daemon->web = choose_web(daemon);
    enum gz_status status = create_rooms(daemon, error);
    if (status != GZ_OK) return status;
    watch_signal(daemon, &daemon->terminate, handle_signal, SIGTERM);
    watch_signal(daemon, &daemon->interrupt, handle_signal, SIGINT);
    watch_signal(daemon, &daemon->hang_up, handle_hang_up, SIGHUP);
    hold_hang_up(SIG_UNBLOCK);
    uv_timer_init(&daemon->loop, &daemon->ending);
    daemon->ending.data = daemon;
    uv_timer_init(&daemon->loop, &daemon->watchdog);
    status = open_first_scenes(daemon, error);
    if (status != GZ_OK) {
        close_everything(daemon);
    } else if (daemon->ending_from_ms == 0) {
        gz_net_start(daemon->net);
        if (daemon->started->insecure && !gz_host_is_loopback(daemon->started->address))
            gz_log(&daemon->log, GZ_WARN, 0, "--insecure: listening on %s: %s",
                   gz_net_address(daemon->net), risk_of(daemon->started));
        say_where(daemon);
        say_ready(daemon);
    }
    return status;
}

static void run(struct daemon *daemon)
{
    uv_run(&daemon->loop, UV_RUN_DEFAULT);
    if (daemon->closed) {
        /* The rest is short: another signal would only spoil the exit code. */
        block_signals();
        uv_close((uv_handle_t *)&daemon->terminate, NULL);
        uv_close((uv_handle_t *)&daemon->interrupt, NULL);
        uv_close((uv_handle_t *)&daemon->hang_up, NULL);
        uv_close((uv_handle_t *)&daemon->ending, NULL);
        uv_close((uv_handle_t *)&daemon->watchdog, NULL);
    }
    uv_run(&daemon->loop, UV_RUN_DEFAULT);
    gz_net_destroy(daemon->net);
    gz_host_destroy(daemon->host);
    gz_postgres_destroy(&daemon->cluster);
    gz_keyring_finish(&daemon->keyring);
    if (uv_loop_close(&daemon->loop) != 0)
        gz_log(&daemon->log, GZ_WARN, 0, "the event loop still had open handles at exit");
}

/* In the form of the log, which a program may read. */
static void say_failure(const struct daemon *daemon, const struct gz_error *error)
{
    if (daemon->log.form == GZ_LOG_TEXT)
        fprintf(stderr, "gizmod: %s\n", error->message);
    else
        gz_log(&daemon->log, GZ_ERROR, 0, "%s", error->message);
}

/* The options are right by now: looks at the files that they name. */
static int check_config(struct daemon *daemon)
{
    const struct gz_options *options = daemon->started;
    const struct gz_keyring *keyring;
    struct gz_tls tls = {0};
    struct gz_error error;
    enum gz_status status = open_keyring(daemon, &keyring, &error);
    if (status == GZ_OK && options->cert != NULL)
        status = gz_tls_load(&tls, options->cert, options->key, &daemon->log, &error);
    if (status == GZ_OK && options->secret != NULL)
        status = gz_member_secret_load(&daemon->secret, options->secret, &error);
    if (status == GZ_OK && options->hook != NULL) status = load_hook_secrets(daemon, &error);
    if (status == GZ_OK)
        puts("gizmod: the configuration is ok");
    else
        say_failure(daemon, &error);
    gz_tls_finish(&tls);
    gz_keyring_finish(&daemon->keyring);
    gz_options_destroy(daemon->started);
    return status == GZ_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct daemon daemon = {.argc = argc,
                            .argv = argv,
                            .log = {.stream = stderr, .level = GZ_INFO},
                            .log_counts = {.mutex = PTHREAD_MUTEX_INITIALIZER}};
    daemon.log.counts = &daemon.log_counts;
    struct gz_error error;
    hold_hang_up(SIG_BLOCK);
    ignore_signals();
    gz_args_keep_streams();
    if (gz_options_describe(argc, argv, stdout)) return EXIT_SUCCESS;
    if (gz_options_create(&daemon.started, argc, argv, &error) != GZ_OK) {
        fprintf(stderr, "gizmod: %s\n", error.message);
        return error.status == GZ_NO_MEMORY ? EXIT_FAILURE : 2;
    }
    daemon.options = daemon.started;
    daemon.log.level = daemon.started->log_level;
    daemon.log.form = daemon.started->log_form;
    if (daemon.started->checks_config) return check_config(&daemon);
    umask(S_IRWXG | S_IRWXO); /* other users may not read scenes, unless an operator allows it with
                                 chmod or an ACL */
    set_descriptor_limit();
    gz_store_prepare();
    shorten_time_slices();
    if (!open_loop(&daemon.loop, daemon.started->cluster != NULL)) {
        fputs("gizmod: the loop does not start\n", stderr);
        return EXIT_FAILURE;
    }
    enum gz_status status = start(&daemon, &error);
    run(&daemon);
    if (status != GZ_OK) say_failure(&daemon, &error);
    if (daemon.options != daemon.started) gz_options_destroy(daemon.options);
    gz_options_destroy(daemon.started);
    return status == GZ_OK && daemon.saved ? EXIT_SUCCESS : EXIT_FAILURE;
}
