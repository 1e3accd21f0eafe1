/* Writes the metrics of the network and of the process for /metrics. */
#include "conn/connection.h"
#include "front/state.h"
#include "link/relaying.h"

#include <dirent.h>
#include <inttypes.h>
#include <malloc.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "front/header.h"
#include "link/link.h"

static bool print(struct gz_buffer *out, const char *name, const char *type, const char *help,
                  uint64_t value)
{
    return gz_text_print(out, "# HELP gizmod_%s %s\n# TYPE gizmod_%s %s\ngizmod_%s %" PRIu64 "\n",
                         name, help, name, type, name, value);
}

static size_t count_links(const struct gz_net *net)
{
    size_t count = 0;
    for (const struct gz_member_link *link = net->links; link != NULL; link = link->next)
        if (!link->is_over) count++;
    return count;
}

/* Only for a member of a cluster. */
static bool print_relays(const struct gz_net *net, struct gz_buffer *out)
{
    const struct gz_net_counters *counters = &net->counters;
    return net->secret == NULL ||
           (print(out, "relayed_websockets", "gauge",
                  "WebSocket connections whose scene another member has.", net->relay_count) &&
            print(out, "relayed_websockets_total", "counter",
                  "WebSocket connections relayed to other members since the start.",
                  counters->relayed) &&
            print(out, "relayed_http_requests_total", "counter",
                  "HTTP requests that another member answers.", counters->relayed_requests) &&
            print(out, "relayed_to_members_bytes_total", "counter",
                  "Bytes of clients passed on to other members.", counters->relayed_in) &&
            print(out, "relayed_from_members_bytes_total", "counter",
                  "Bytes of other members passed on to clients.", counters->relayed_out) &&
            print(out, "trunks", "gauge", "Connections to and from other members, for clients.",
                  count_links(net)) &&
            print(out, "trunk_clients", "gauge", "Sessions of clients of other members.",
                  net->channel_count) &&
            print(out, "trunk_grouped_clients", "gauge",
                  "Such sessions that only watch, and are sent everything together.",
                  net->grouped_count) &&
            print(out, "trunk_sent_bytes_total", "counter", "Bytes sent on links to other members.",
                  counters->trunk_bytes) &&
            print(out, "trunk_records_total", "counter", "Records sent on links to other members.",
                  counters->trunk_records) &&
            print(out, "trunk_pieces_total", "counter",
                  "Pieces of frames for clients of other members.", counters->trunk_given) &&
            print(out, "trunk_pieces_sent_total", "counter",
                  "Pieces whose bytes were sent; a piece for several clients is sent once.",
                  counters->trunk_written));
}

/* Two statuses may share a word. */
static uint64_t count_errors(const _Atomic uint64_t *errors, const char *word)
{
    uint64_t count = 0;
    for (int status = GZ_OK + 1; status < GZ_STATUS_COUNT; status++) {
        if (strcmp(gz_status_word((enum gz_status)status), word) == 0) count += errors[status];
    }
    return count;
}

static bool print_errors(const _Atomic uint64_t *errors, struct gz_buffer *out)
{
    bool ok = gz_text_print(
        out, "# HELP gizmod_errors_total Errors answered, to sessions, handshakes and HTTP.\n"
             "# TYPE gizmod_errors_total counter\n");
    for (int status = GZ_OK + 1; status < GZ_NO_MEMORY; status++) {
        const char *word = gz_status_word((enum gz_status)status);
        ok = ok && gz_text_print(out, "gizmod_errors_total{code=\"%s\"} %" PRIu64 "\n", word,
                                 count_errors(errors, word));
    }
    return ok;
}

/* Adds large blocks, which malloc counts separately. */
static bool print_heap(struct gz_buffer *out)
{
    struct mallinfo2 heap = mallinfo2();
    return print(out, "heap_bytes", "gauge", "Bytes allocated and not freed.",
                 heap.uordblks + heap.hblkhd) &&
           print(out, "heap_free_bytes", "gauge",
                 "Bytes freed that the allocator keeps for its next use.", heap.fordblks);
}

/* ---- the process, under the names that Prometheus' own clients have for it ---- */

static bool print_process(struct gz_buffer *out, const char *name, const char *type,
                          const char *help, double value)
{
    return gz_text_print(out, "# HELP process_%s %s\n# TYPE process_%s %s\nprocess_%s %.17g\n",
                         name, help, name, type, name, value);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static double cpu_seconds(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

static double resident_bytes(void)
{
    size_t bytes = 0;
    return uv_resident_set_memory(&bytes) == 0 ? (double)bytes : 0;
}

/* Without `.`, `..` and the descriptor of this directory. */
static double open_descriptors(void)
{
    int count = -3;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) return 0;
    while (readdir(folder) != NULL) count++;
    closedir(folder);
    return count;
}

static double descriptors_max(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (double)limit.rlim_cur : 0;
}

static bool print_processes(const struct gz_net *net, struct gz_buffer *out)
{
    return print_process(out, "start_time_seconds", "gauge",
                         "When the process started, in Unix seconds.", net->started_s) &&
           print_process(out, "cpu_seconds_total", "counter",
                         "User and system time of all threads.", cpu_seconds()) &&
           print_process(out, "resident_memory_bytes", "gauge", "Memory in use.",
                         resident_bytes()) &&
           print_process(out, "open_fds", "gauge", "Open file descriptors.", open_descriptors()) &&
           print_process(out, "max_fds", "gauge", "Most file descriptors that may be open.",
                         descriptors_max());
}

bool gz_metrics_print(struct gz_net *net, struct gz_buffer *out)
{
    const struct gz_net_counters *counters = &net->counters;
    return print(out, "connections", "gauge", "Sockets open, HTTP included.", net->open_count) &&
           print(out, "websockets", "gauge", "WebSocket connections open.", net->session_count) &&
           print(out, "http_jobs", "gauge", "HTTP requests that hold a body or run on a worker.",
                 net->job_count) &&
           print(out, "websockets_total", "counter", "WebSocket connections since the start.",
                 counters->connections) &&
           print(out, "handshakes_refused_total", "counter", "WebSocket handshakes refused.",
                 counters->refusals) &&
           print(out, "connections_dropped_total", "counter",
                 "Connections closed to make room before their first request.",
                 counters->dropped) &&
           print(out, "http_requests_total", "counter", "HTTP requests.", counters->requests) &&
           print(out, "frames_received_total", "counter", "WebSocket messages received.",
                 counters->frames_in) &&
           print(out, "received_bytes_total", "counter", "Bytes of WebSocket payload received.",
                 counters->bytes_in) &&
           print(out, "frames_sent_total", "counter", "WebSocket messages sent.",
                 counters->frames_out) &&
           print(out, "sent_bytes_total", "counter", "Bytes of WebSocket payload sent.",
                 counters->bytes_out) &&
           gz_histogram_print(out, "input_delta_seconds",
                              "From a message that changes something to the last viewer's frame.",
                              &counters->deltas) &&
           gz_histogram_print(out, "viewer_lag_seconds",
                              "How long a viewer's connection did not take what was new.",
                              &counters->lags) &&
           print_relays(net, out) && print_errors(net->host.errors, out) && print_heap(out) &&
           print_processes(net, out) &&
           gz_text_print(
               out,
               "# HELP gizmod_build_info Always 1. Its labels say the version and the protocol.\n"
               "# TYPE gizmod_build_info gauge\n"
               "gizmod_build_info{version=\"%s\",protocol=\"%d\"} 1\n",
               GIZMOD_VERSION, GZ_PROTOCOL_VERSION);
}
