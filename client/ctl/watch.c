#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl.h"

#define RETRY_SECONDS_FIRST 0.25
#define RETRY_SECONDS_MAX 5.0
#define NODES_SHOWN 4 /* of one delta or edit, by name */

static const struct ctl_option options[] = {
    {"--json", CTL_FLAG, NULL, "a JSON object a line, with the protocol's names", 0, NULL},
    {"--count", CTL_INTEGER, "N", "end after so many lines", 0, NULL},
    {"--for", CTL_NUMBERS, "SECONDS", "end after so long", 1, NULL},
    {NULL, CTL_FLAG, NULL, NULL, 0, NULL},
};

struct person {
    uint64_t session;
    char name[GZ_USER_BYTES_MAX + 1];
};

struct watch {
    const struct ctl_args *args;
    struct gz_client *client;
    bool json;
    uint64_t lines, lines_max; /* lines_max 0: no end */
    double deadline;           /* INFINITY: no end */
    struct person *people;     /* everybody who was ever there */
    size_t person_count;
};

static bool is_over(const struct watch *watch)
{
    return (watch->lines_max > 0 && watch->lines >= watch->lines_max) || ctl_now() >= watch->deadline || ferror(stdout);
}

static void end_line(struct watch *watch)
{
    fflush(stdout);
    watch->lines++;
}

/* ---- people ---- */

static struct person *find_person(const struct watch *watch, uint64_t session)
{
    for (size_t i = 0; i < watch->person_count; i++)
        if (watch->people[i].session == session) return &watch->people[i];
    return NULL;
}

static void learn_people(struct watch *watch, const struct gz_presence *presence)
{
    for (size_t i = 0; i < presence->count; i++) {
        const struct gz_presence_user *user = &presence->users[i];
        if (find_person(watch, user->session) != NULL) continue;
        struct person *more = realloc(watch->people, (watch->person_count + 1) * sizeof *more);
        if (more == NULL) return;
        watch->people = more;
        struct person *person = &more[watch->person_count++];
        person->session = user->session;
        snprintf(person->name, sizeof person->name, "%.*s", (int)user->user.size, user->user.bytes);
    }
}

static void put_person(const struct watch *watch, uint64_t session)
{
    const struct person *person = find_person(watch, session);
    if (person != NULL)
        ctl_put_text(stdout, gz_client_text(person->name));
    else
        printf("session %" PRIu64, session);
}

/* ---- lines ---- */

static void put_delta_nodes(const struct watch *watch, const struct gz_delta *delta)
{
    const struct gz_mirror *mirror = gz_client_mirror(watch->client);
    for (size_t i = 0; i < delta->count && i < NODES_SHOWN; i++) {
        struct gz_node_state state = delta->nodes[i];
        fputs(i > 0 ? ", " : "", stdout);
        ctl_put_node(stdout, mirror, state.id);
        fputs("  ", stdout);
        ctl_put_state(stdout, mirror, &state);
        if (state.has & GZ_HAS(BY) && state.by != 0) {
            fputs("  by ", stdout);
            put_person(watch, state.by);
        }
    }
    if (delta->count > NODES_SHOWN) printf(", and %zu more", delta->count - NODES_SHOWN);
    for (size_t i = 0; i < delta->gone.count && i < NODES_SHOWN; i++)
        printf("%s#%" PRIu64 "  gone", i > 0 || delta->count > 0 ? ", " : "", delta->gone.ids[i]);
    if (delta->gone.count > NODES_SHOWN) printf(", and %zu more", delta->gone.count - NODES_SHOWN);
}

static void put_delta(struct watch *watch, const struct gz_delta *delta)
{
    bool snapshot = delta->from == 0;
    if (!watch->json && !snapshot && delta->count == 0 && delta->gone.count == 0) return;
    if (watch->json) {
        ctl_put_json(stdout, ctl_json_delta(delta));
    } else if (snapshot) {
        printf("seq %" PRIu64 "  the scene so far, %zu nodes\n", delta->seq, delta->count);
    } else {
        printf("seq %" PRIu64 "  ", delta->seq);
        put_delta_nodes(watch, delta);
        fputc('\n', stdout);
    }
    end_line(watch);
}

static void put_edit(struct watch *watch, const struct gz_edit_message *edit)
{
    if (watch->json) {
        ctl_put_json(stdout, ctl_json_edit(edit));
        end_line(watch);
        return;
    }
    char what[CTL_EDIT_BYTES];
    ctl_edit_words(edit, what);
    printf("seq %" PRIu64 "  edit %" PRIu64 "  %s  ", edit->seq, edit->id, what);
    for (size_t i = 0; i < edit->nodes.count && i < NODES_SHOWN; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        ctl_put_node(stdout, gz_client_mirror(watch->client), edit->nodes.ids[i]);
    }
    if (edit->nodes.count > NODES_SHOWN) printf(" and %zu more", edit->nodes.count - NODES_SHOWN);
    fputs("  by ", stdout);
    ctl_put_text(stdout, edit->user);
    fputs("  saved\n", stdout);
    end_line(watch);
}

static void take(struct watch *watch, const struct gz_message *message)
{
    switch (message->op) {
    case GZ_OP_DELTA: put_delta(watch, &message->delta); break;
    case GZ_OP_EDIT: put_edit(watch, &message->edit); break;
    case GZ_OP_PRESENCE: learn_people(watch, &message->presence); break;
    default: break;
    }
}

/* ---- staying connected ---- */

static void sleep_s(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
}

static void say(const struct watch *watch, const char *what, const char *why)
{
    if (watch->json) return;
    printf("%s", what);
    ctl_put_text(stdout, gz_client_text(why));
    fputc('\n', stdout);
    fflush(stdout);
}

/* Tries until it is there again, the time is over or the server says no. */
static enum gz_status reconnect(struct watch *watch, struct gz_error *error)
{
    say(watch, "connection lost, trying again: ", gz_client_reason(watch->client));
    for (double pause = RETRY_SECONDS_FIRST; !is_over(watch); pause *= 2) {
        if (pause > RETRY_SECONDS_MAX) pause = RETRY_SECONDS_MAX;
        double left = watch->deadline - ctl_now();
        sleep_s(left < pause ? (left > 0 ? left : 0) : pause);
        enum gz_status status = gz_client_reconnect(watch->client, error);
        if (status == GZ_OK)
            say(watch,
                gz_client_welcome(watch->client)->resumed ? "connected again, nothing missed" : "connected again", "");
        if (status != GZ_INTERNAL) return status;
    }
    return GZ_OK;
}

static enum gz_status follow(struct watch *watch, struct gz_error *error)
{
    while (!is_over(watch)) {
        double left = watch->deadline - ctl_now();
        const struct gz_message *message = gz_client_next(watch->client, left < 1 ? left : 1);
        if (message != NULL) {
            take(watch, message);
        } else if (!gz_client_is_open(watch->client)) {
            enum gz_status status = reconnect(watch, error);
            if (status != GZ_OK) return status;
        }
    }
    return GZ_OK;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    const struct ctl_value *time = ctl_get(args, "--for");
    struct watch watch = {
        .args = args,
        .json = ctl_get(args, "--json")->given,
        .lines_max = ctl_get(args, "--count")->integer,
        .deadline = time->given ? ctl_now() + time->numbers[0] : INFINITY,
    };
    struct gz_error error = {0};
    struct gz_client_options join = {
        .url = args->server, .scene = args->operands[0], .user = args->user, .token = args->token, .has_role = true};
    enum gz_status status = gz_client_create(&watch.client, &join, &error);
    if (status == GZ_OK) status = follow(&watch, &error);
    gz_client_destroy(watch.client);
    free(watch.people);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

const struct ctl_command ctl_watch = {
    .name = "watch",
    .operands = "SCENE",
    .summary = "Prints every change as it comes, and every edit once it is on disk, a line each, until Ctrl-C.",
    .notes = "Lines of changes have their seq, the nodes with what changed (metres, degrees) and by whom. Where the "
             "connection is\n"
             "lost it tries again, resuming where it was.",
    .options = options,
    .run = run,
};
