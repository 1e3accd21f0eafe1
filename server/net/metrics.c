#include "net/internal.h"

#include <inttypes.h>
#include <string.h>

#include "net/text.h"

static bool print(struct gz_buffer *out, const char *name, const char *type, const char *help, uint64_t value)
{
    return gz_text_print(out, "# HELP gizmod_%s %s\n# TYPE gizmod_%s %s\ngizmod_%s %" PRIu64 "\n", name, help, name,
                         type, name, value);
}

/* Two statuses may share a word. */
static uint64_t count_errors(const uint64_t *errors, const char *word)
{
    uint64_t count = 0;
    for (int status = GZ_OK + 1; status < GZ_STATUS_COUNT; status++) {
        if (strcmp(gz_status_word((enum gz_status)status), word) == 0) count += errors[status];
    }
    return count;
}

static bool print_errors(const uint64_t *errors, struct gz_buffer *out)
{
    bool ok = gz_text_print(out, "# HELP gizmod_errors_total Errors answered, to sessions, handshakes and HTTP.\n"
                                 "# TYPE gizmod_errors_total counter\n");
    for (int status = GZ_OK + 1; status < GZ_NO_MEMORY; status++) {
        const char *word = gz_status_word((enum gz_status)status);
        ok = ok &&
             gz_text_print(out, "gizmod_errors_total{code=\"%s\"} %" PRIu64 "\n", word, count_errors(errors, word));
    }
    return ok;
}

bool gz_metrics_print(struct gz_net *net, struct gz_buffer *out)
{
    const struct gz_net_counters *counters = &net->counters;
    return print(out, "connections", "gauge", "Sockets open, HTTP included.", net->open_count) &&
           print(out, "websockets", "gauge", "WebSocket connections open.", net->session_count) &&
           print(out, "http_jobs", "gauge", "HTTP requests that hold a body or run on a worker.", net->job_count) &&
           print(out, "websockets_total", "counter", "WebSocket connections ever.", counters->connections) &&
           print(out, "handshakes_refused_total", "counter", "WebSocket handshakes refused.", counters->refusals) &&
           print(out, "http_requests_total", "counter", "HTTP requests.", counters->requests) &&
           print(out, "frames_received_total", "counter", "WebSocket messages received.", counters->frames_in) &&
           print(out, "received_bytes_total", "counter", "Bytes of WebSocket payload received.", counters->bytes_in) &&
           print(out, "frames_sent_total", "counter", "WebSocket messages sent.", counters->frames_out) &&
           print(out, "sent_bytes_total", "counter", "Bytes of WebSocket payload sent.", counters->bytes_out) &&
           print_errors(net->host.errors, out);
}
