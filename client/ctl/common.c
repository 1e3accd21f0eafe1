/* common.c - what most commands do: join a scene, send an HTTP request, wait, find a node. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl.h"
#include "proto/limits.h"

struct gz_client_options ctl_client_options(const struct ctl_args *args, enum gz_role role)
{
    return (struct gz_client_options){
        .url = args->server,
        .scene = args->operands[0],
        .user = args->user,
        .token = args->token,
        .ca = args->ca,
        .headers = args->headers,
        .has_role = true,
        .role = role,
    };
}

enum ctl_exit ctl_join(const struct ctl_args *args, enum gz_role role, struct gz_client **client)
{
    const struct gz_client_options options = ctl_client_options(args, role);
    return ctl_join_with(args, &options, client);
}

enum ctl_exit ctl_join_with(const struct ctl_args *args, const struct gz_client_options *options,
                            struct gz_client **client)
{
    struct gz_error error = {0};
    if (gz_client_create(client, options, &error) != GZ_OK) return ctl_fail(args, &error);
    if (gz_client_await(*client, 0, CTL_ANSWER_SECONDS, &error) == GZ_OK) return CTL_OK;
    gz_client_destroy(*client);
    return ctl_fail(args, &error);
}

/* ---- HTTP ---- */

void ctl_scene_path(const struct ctl_args *args, const char *scene, const char *query,
                    char path[CTL_PATH_BYTES])
{
    size_t used = (size_t)snprintf(path, CTL_PATH_BYTES, "/scenes/%s?%suser=", scene, query);
    for (const char *at = args->user; *at != '\0' && used + 4 < CTL_PATH_BYTES; at++)
        used += (size_t)snprintf(path + used, CTL_PATH_BYTES - used,
                                 isalnum((unsigned char)*at) ? "%c" : "%%%02X", (unsigned char)*at);
}

static enum gz_status handle_answer(void *context, const void *bytes, size_t size)
{
    return gz_buffer_append(context, bytes, size);
}

enum gz_status ctl_http_to_sink(const struct ctl_args *args, struct gz_http http,
                                struct gz_error *error)
{
    http.url = args->server;
    http.token = args->token;
    http.ca = args->ca;
    http.headers = args->headers;
    return gz_http_perform(&http, error);
}

enum gz_status ctl_http(const struct ctl_args *args, struct gz_http http, json_t **answer,
                        struct gz_error *error)
{
    struct gz_buffer body;
    gz_buffer_init(&body, GZ_SERVER_FRAME_BYTES_MAX, 0);
    http.sink = handle_answer;
    http.context = &body;
    enum gz_status status = ctl_http_to_sink(args, http, error);
    *answer = status == GZ_OK ? json_loadb((const char *)body.data, body.size, 0, NULL) : NULL;
    gz_buffer_finish(&body);
    return status;
}

/* ---- time ---- */

double ctl_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void ctl_wait_until(struct gz_client *client, double due)
{
    for (double left; (left = due - ctl_now()) > 0 && gz_client_is_open(client);)
        gz_client_next(client, left);
}

/* ---- nodes ---- */

bool ctl_read_id(const char *text, uint64_t *id)
{
    if (*text == '#') text++;
    char *end;
    errno = 0;
    *id = strtoull(text, &end, 10);
    bool is_padded = text[0] == '0' && text[1] != '\0'; /* 007 is a name, not the id 7 */
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && !is_padded;
}

/* What follows the prefix of a word; NULL if it has another one. */
static const char *behind(const char *text, const char *prefix)
{
    size_t size = strlen(prefix);
    return strncmp(text, prefix, size) == 0 ? text + size : NULL;
}

/* The ways to read a word: the id, and the nodes of the name. */
struct readings {
    bool has_id;
    uint64_t id;
    size_t named;
    uint64_t first;                     /* of the nodes of the name */
    char names[GZ_ERROR_BYTES_MAX / 2]; /* their ids, as many as fit */
};

static void add_named(struct readings *readings, uint64_t id)
{
    char *text = readings->names;
    size_t used = strlen(text), size = sizeof readings->names;
    if (readings->named++ == 0) readings->first = id;
    if (used + 32 <= size)
        snprintf(text + used, size - used, "%s%" PRIu64, used > 0 ? ", " : "", id);
    else if (strcmp(text + used - 3, "...") != 0)
        snprintf(text + used, size - used, ", ...");
}

/* Whether the path of this size names the node: the end of it is the name, and what is before that
 * names the parent, or is nothing, which is the root. A name may have slashes in it. */
static bool is_named(const struct gz_mirror *mirror, const struct gz_mirror_node *node,
                     const char *path, size_t size)
{
    while (node != NULL) {
        const size_t name = strlen(node->name);
        if (name > size || memcmp(path + size - name, node->name, name) != 0) return false;
        size -= name;
        if (size == 0) return true;
        if (path[--size] != '/') return false;
        if (size == 0) return node->parent == 0;
        node = gz_mirror_find(mirror, node->parent);
    }
    return false;
}

/* The editor reads a word alike (panels/nodewords.ts); tests/data/words/cases.json tests both. */
static enum gz_status read_word(const struct gz_mirror *mirror, const char *text,
                                struct readings *readings, struct gz_error *error)
{
    const char *id = behind(text, "id:"), *name = behind(text, "name:");
    *readings = (struct readings){.has_id = false};
    if (name == NULL)
        readings->has_id = ctl_read_id(id != NULL ? id : text, &readings->id) &&
                           gz_mirror_find(mirror, readings->id) != NULL;
    if (id != NULL) return GZ_OK;
    size_t count;
    const struct gz_mirror_node **nodes = gz_mirror_list(mirror, &count);
    if (nodes == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    const char *path = name != NULL ? name : text;
    for (size_t i = 0; i < count; i++)
        if (is_named(mirror, nodes[i], path, strlen(path))) add_named(readings, nodes[i]->id);
    free(nodes);
    return GZ_OK;
}

enum gz_status ctl_find_node(const struct gz_mirror *mirror, const char *text, uint64_t *id,
                             struct gz_error *error)
{
    struct readings readings;
    enum gz_status status = read_word(mirror, text, &readings, error);
    if (status != GZ_OK) return status;
    bool is_one = readings.named == 1 && readings.first == readings.id;
    *id = readings.has_id ? readings.id : readings.first;
    if (!readings.has_id && readings.named == 0)
        return gz_fail(error, GZ_UNKNOWN_NODE, "no node has the name or id \"%s\"", text);
    if (readings.has_id && readings.named > 0 && !is_one)
        return gz_fail(error, GZ_BAD_VALUE,
                       "\"%s\" is the name of node %s and the id of node %" PRIu64
                       "; say which one is meant: id:NUMBER or name:TEXT",
                       text, readings.names, readings.id);
    if (readings.named > 1)
        return gz_fail(error, GZ_BAD_VALUE,
                       "several nodes are named \"%s\"; give one of their ids: %s", text,
                       readings.names);
    return GZ_OK;
}

enum gz_status ctl_name_node(const struct gz_mirror *mirror, const char *text, uint64_t *id,
                             struct gz_error *error)
{
    const char *number = behind(text, "id:");
    const enum gz_status status = ctl_find_node(mirror, text, id, error);
    if (status == GZ_UNKNOWN_NODE && ctl_read_id(number != NULL ? number : text, id) && *id > 0 &&
        *id < GZ_ID_LIMIT)
        return GZ_OK;
    return status;
}

enum gz_status ctl_find_parent(const struct gz_mirror *mirror, const char *text, uint64_t *id,
                               struct gz_error *error)
{
    *id = 0;
    if (strcmp(text, "id:0") == 0 || strcmp(text, "#0") == 0) return GZ_OK;
    if (strcmp(text, "0") != 0) return ctl_name_node(mirror, text, id, error);
    struct readings readings;
    enum gz_status status = read_word(mirror, text, &readings, error);
    if (status != GZ_OK || readings.named == 0) return status;
    return gz_fail(error, GZ_BAD_VALUE,
                   "\"0\" is the name of node %s and means the root; say which one is meant: id:0 "
                   "for the root or name:0",
                   readings.names);
}

/* ---- people ---- */

enum gz_status ctl_await_people(struct gz_client *client, struct gz_error *error)
{
    double deadline = ctl_now() + CTL_ANSWER_SECONDS;
    /* Notes come before people: once these are known, the first notes are here. */
    while (!gz_people_is_complete(gz_client_people(client)) ||
           !gz_pinboard_is_complete(gz_client_pinboard(client))) {
        if (gz_client_next(client, deadline - ctl_now()) != NULL) continue;
        if (!gz_client_is_open(client))
            return gz_fail(error, GZ_UNREACHABLE, "the connection was closed: %s",
                           gz_client_reason(client));
        return gz_fail(error, GZ_UNREACHABLE,
                       "the server did not list the people in the scene within %g s",
                       CTL_ANSWER_SECONDS);
    }
    return GZ_OK;
}

/* ---- states ---- */

enum ctl_exit ctl_read_seq(const struct ctl_args *args, const struct gz_arg *seq, struct gz_at *at,
                           uint64_t *has)
{
    if (seq->text[strspn(seq->text, "0123456789")] != '\0') {
        at->checkpoint = gz_client_text(seq->text);
        *has |= GZ_HAS_AT_CHECKPOINT;
        return CTL_OK;
    }
    if (!ctl_read_id(seq->text, &at->seq) || at->seq >= GZ_ID_LIMIT)
        return ctl_usage(
            args, "--seq: \"%s\" is neither a whole number below 2^53 nor the name of a checkpoint",
            seq->text);
    *has |= GZ_HAS_AT_SEQ;
    return CTL_OK;
}

/* ---- edits ---- */

enum gz_status ctl_request_ids(const struct ctl_args *args, struct gz_client *client,
                               struct gz_message *message, struct gz_message *done, uint64_t *ids,
                               size_t max, struct gz_error *error)
{
    const struct gz_arg *key = ctl_get(args, "--key");
    if (key->given) {
        message->has |= GZ_HAS_KEY;
        message->key = gz_client_text(key->text);
    }
    const struct gz_message *answer;
    enum gz_status status = gz_client_request(client, message, CTL_ANSWER_SECONDS, &answer, error);
    if (status != GZ_OK) return status;
    *done = *answer;
    const struct gz_ids made = answer->ok.ids;
    done->ok.ids = (struct gz_ids){ids, made.count < max ? made.count : max};
    for (size_t i = 0; i < done->ok.ids.count; i++) ids[i] = made.ids[i];
    return done->has & GZ_HAS_OK_SEQ
               ? gz_client_await(client, done->ok.seq, CTL_ANSWER_SECONDS, error)
               : GZ_OK;
}

enum gz_status ctl_request_edit(const struct ctl_args *args, struct gz_client *client,
                                struct gz_message *message, struct gz_message *done,
                                struct gz_error *error)
{
    return ctl_request_ids(args, client, message, done, NULL, 0, error);
}

enum ctl_exit ctl_put_answer(const struct ctl_args *args, const struct gz_message *done)
{
    if (args->json)
        ctl_put_json(stdout, ctl_json_done(done));
    else
        ctl_put_done(stdout, done);
    return ctl_finish_output(args);
}

enum ctl_exit ctl_perform(const struct ctl_args *args, enum gz_role role,
                          struct gz_message *message)
{
    struct gz_client *client;
    enum ctl_exit result = ctl_join(args, role, &client);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    struct gz_message done;
    enum gz_status status = ctl_request_edit(args, client, message, &done, &error);
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_put_answer(args, &done) : ctl_fail(args, &error);
}

enum ctl_exit ctl_ask(const struct ctl_args *args, enum gz_role role, struct gz_message *message,
                      void (*print)(const struct ctl_args *args, const struct gz_client *client,
                                    const struct gz_ok *ok))
{
    struct gz_client *client;
    enum ctl_exit result = ctl_join(args, role, &client);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    const struct gz_message *answer;
    enum gz_status status = gz_client_request(client, message, CTL_ANSWER_SECONDS, &answer, &error);
    if (status == GZ_OK) print(args, client, &answer->ok);
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}
