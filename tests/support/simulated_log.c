/* simulated_log.c - the log of a cluster in memory, with faults. See simulated_log.h. */
#include "support/simulated_log.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/buffer.h"
#include "support/chance.h"

/* A request that is late arrives after so many others, at most. */
#define LATER 12

struct change {
    struct gz_cluster_change change; /* owns its bytes */
};

struct scene {
    struct gz_cluster_scene scene;
    struct change *changes; /* those after the copy, in order */
    size_t count, capacity;
    uint8_t *copy;
    uint64_t copy_epoch;
};

struct process {
    struct simulated_engine *engine;
    struct simulated_faults faults;
    bool (*watch)(void *context, const struct simulated_call *call);
    void *watch_context;
    int number;
    char me[GZ_MEMBER_BYTES_MAX + 1];
};

struct member {
    struct gz_member member;
    double seen_s, since_s;
    int process;
};

enum kind {
    ENTER,
    RENEW,
    LEAVE,
    REPORT,
    TAKE,
    DEFER,
    GIVE,
    WANT,
    APPEND,
    COPY,
    FORGET,
    RENAME,
    KIND_COUNT
};

/* Strings are the caller's, unless it waits. */
struct request {
    enum kind kind;
    struct process *from;
    const char *scene, *other; /* a member or another scene */
    bool create;
    const struct gz_member *member;
    const struct gz_member_health *health; /* NULL if it waits: nothing new */
    const struct gz_member_lag *lag;
    struct gz_scene_offer offer;
    uint64_t epoch, n;
    int version;
    const uint8_t *bytes;
    size_t size;
    uint64_t due; /* by the count of calls */
};

struct simulated_engine {
    pthread_mutex_t mutex;
    uint64_t chance, calls;
    double now_s;
    struct process **processes;
    size_t process_count, process_capacity;
    struct member *members;
    size_t member_count, member_capacity;
    struct scene **scenes;
    size_t scene_count, scene_capacity;
    struct request *waiting;
    size_t waiting_count, waiting_capacity;
};

static struct gz_cluster_log functions_of(struct process *process);

/* ---- members and scenes ---- */

static void room(void *array, size_t *capacity, size_t count, size_t size)
{
    if (!gz_grow(array, capacity, count + 1, size)) abort();
}

static struct member *find_member(struct simulated_engine *engine, const char *name)
{
    for (size_t i = 0; i < engine->member_count; i++) {
        if (strcmp(engine->members[i].member.name, name) == 0) return &engine->members[i];
    }
    return NULL;
}

static bool is_alive(struct simulated_engine *engine, const char *name)
{
    const struct member *member = find_member(engine, name);
    return member != NULL && member->member.health.trouble[0] == '\0' &&
           engine->now_s - member->seen_s < GZ_CLUSTER_LEASE_SECONDS;
}

/* Whether the member could take the scene at once. */
static bool is_ready(const struct member *member, const char *scene)
{
    const char *lacking = member->member.lag.lacking;
    char word[GZ_SCENE_NAME_BYTES_MAX + 3];
    gz_print(word, sizeof word, " %s ", scene);
    return member->member.health.refuses[0] == '\0' && strcmp(lacking, "*") != 0 &&
           strstr(lacking, word) == NULL;
}

/* Whether `me` may take what the member has: see log.h. */
static bool may_take_from(struct simulated_engine *engine, const char *me, const char *name)
{
    const struct member *holder = find_member(engine, name), *taker = find_member(engine, me);
    if (name[0] == '\0' || strcmp(name, me) == 0 || holder == NULL) return true;
    bool is_steady = taker == NULL || engine->now_s - taker->since_s >= GZ_CLUSTER_LEASE_SECONDS;
    return is_steady && !is_alive(engine, name);
}

static struct scene *find_scene(struct simulated_engine *engine, const char *name)
{
    for (size_t i = 0; i < engine->scene_count; i++) {
        if (strcmp(engine->scenes[i]->scene.name, name) == 0) return engine->scenes[i];
    }
    return NULL;
}

static struct scene *find_live(struct simulated_engine *engine, const char *name)
{
    struct scene *scene = find_scene(engine, name);
    return scene != NULL && !scene->scene.is_gone ? scene : NULL;
}

/* The scene, if the lease is the process' still. */
static struct scene *find_mine(struct simulated_engine *engine, const struct request *request)
{
    struct scene *scene = find_live(engine, request->scene);
    bool is_mine = scene != NULL && scene->scene.epoch == request->epoch &&
                   strcmp(scene->scene.member, request->from->me) == 0;
    return is_mine ? scene : NULL;
}

static void drop_changes(struct scene *scene, uint64_t up_to)
{
    size_t gone = 0;
    while (gone < scene->count && scene->changes[gone].change.n <= up_to)
        free((void *)(uintptr_t)scene->changes[gone++].change.bytes);
    scene->count -= gone;
    if (scene->count > 0)
        memmove(scene->changes, scene->changes + gone, scene->count * sizeof *scene->changes);
}

static void empty(struct scene *scene)
{
    drop_changes(scene, UINT64_MAX);
    free(scene->copy);
    scene->copy = NULL;
}

static struct scene *name_scene(struct simulated_engine *engine, const char *name)
{
    struct scene *scene = find_scene(engine, name);
    if (scene != NULL) return scene;
    room(&engine->scenes, &engine->scene_capacity, engine->scene_count, sizeof *engine->scenes);
    scene = calloc(1, sizeof *scene);
    if (scene == NULL) abort();
    gz_print(scene->scene.name, sizeof scene->scene.name, "%s", name);
    engine->scenes[engine->scene_count++] = scene;
    return scene;
}

static enum gz_status fenced(const struct request *request, struct gz_error *error)
{
    return gz_fail(error, GZ_BAD_STATE, "scene %s: another member is its authority now",
                   request->scene);
}

static enum gz_status unknown(const char *scene, struct gz_error *error)
{
    return gz_fail(error, GZ_UNKNOWN_SCENE, "the cluster has no scene %s", scene);
}

/* ---- requests that change something ---- */

static enum gz_status enter(struct simulated_engine *engine, const struct request *request,
                            struct gz_lease *lease, struct gz_error *error)
{
    struct member *member = find_member(engine, request->member->name);
    (void)lease;
    (void)error;
    if (member == NULL) {
        room(&engine->members, &engine->member_capacity, engine->member_count,
             sizeof *engine->members);
        member = &engine->members[engine->member_count++];
    }
    *member =
        (struct member){*request->member, engine->now_s, engine->now_s, request->from->number};
    member->member.lag = (struct gz_member_lag){.lacking = "*"};
    return GZ_OK;
}

static enum gz_status renew(struct simulated_engine *engine, const struct request *request,
                            struct gz_lease *lease, struct gz_error *error)
{
    struct member *member = find_member(engine, request->from->me);
    (void)lease;
    if (member == NULL || member->process != request->from->number)
        return gz_fail(error, GZ_BAD_STATE, "another process is member %s now", request->from->me);
    if (engine->now_s - member->seen_s >= GZ_CLUSTER_LEASE_SECONDS) member->since_s = engine->now_s;
    member->seen_s = engine->now_s;
    if (request->health != NULL) member->member.health = *request->health;
    return GZ_OK;
}

static enum gz_status leave(struct simulated_engine *engine, const struct request *request,
                            struct gz_lease *lease, struct gz_error *error)
{
    struct member *member = find_member(engine, request->from->me);
    (void)lease;
    (void)error;
    if (member != NULL && member->process == request->from->number)
        *member = engine->members[--engine->member_count];
    return GZ_OK;
}

static enum gz_status report(struct simulated_engine *engine, const struct request *request,
                             struct gz_lease *lease, struct gz_error *error)
{
    struct member *member = find_member(engine, request->from->me);
    (void)lease;
    (void)error;
    if (member != NULL && member->process == request->from->number && request->lag != NULL)
        member->member.lag = *request->lag;
    return GZ_OK;
}

/* Of this scene, and those that had its name before. */
static uint64_t last_of(const struct scene *scene)
{
    const struct gz_cluster_scene *row = &scene->scene;
    return row->n > row->before_n ? row->n : row->before_n;
}

static void make(struct simulated_engine *engine, const char *name, uint64_t after)
{
    struct scene *scene = name_scene(engine, name);
    uint64_t clock = (uint64_t)(1000 * engine->now_s);
    const uint64_t before = last_of(scene);
    if (after < before) after = before;
    struct gz_cluster_scene fresh = {.epoch = scene->scene.epoch,
                                     .before_n = before,
                                     .first_n = clock > after ? clock : after + 1};
    empty(scene);
    fresh.n = fresh.first_n;
    gz_print(fresh.name, sizeof fresh.name, "%s", name);
    scene->scene = fresh;
}

static enum gz_status take(struct simulated_engine *engine, const struct request *request,
                           struct gz_lease *lease, struct gz_error *error)
{
    struct scene *scene = find_scene(engine, request->scene);
    const char *me = request->from->me;
    if (scene != NULL) lease->scene = scene->scene;
    if (scene == NULL || scene->scene.is_gone) {
        if (!request->create) return unknown(request->scene, error);
        make(engine, request->scene, request->n);
        scene = find_scene(engine, request->scene);
    }
    struct gz_cluster_scene *row = &scene->scene;
    lease->is_mine = may_take_from(engine, me, row->member);
    if (lease->is_mine) {
        row->epoch++;
        gz_print(row->member, sizeof row->member, "%s", me);
        if (strcmp(row->wanted, me) == 0) row->wanted[0] = '\0';
    } else {
        const struct gz_member *holder = &find_member(engine, row->member)->member;
        gz_print(lease->url, sizeof lease->url, "%s", holder->url);
        gz_print(lease->signature, sizeof lease->signature, "%s", holder->signature);
    }
    lease->scene = *row;
    return GZ_OK;
}

static enum gz_status defer(struct simulated_engine *engine, const struct request *request,
                            struct gz_lease *lease, struct gz_error *error)
{
    struct scene *scene = find_live(engine, request->scene);
    const struct gz_scene_offer *mine = &request->offer;
    const char *me = request->from->me;
    (void)lease, (void)error;
    if (scene == NULL || !scene->scene.has_copy) return GZ_OK;
    struct gz_cluster_scene *row = &scene->scene;
    if (!may_take_from(engine, me, row->member) ||
        !(mine->refuses || row->first_n != mine->first_n ||
          (int64_t)(row->n - mine->n) > GZ_CLUSTER_LEVEL_CHANGES))
        return GZ_OK;
    for (size_t i = 0; i < engine->member_count; i++) {
        const struct member *other = &engine->members[i];
        if (strcmp(other->member.name, me) == 0 || !is_alive(engine, other->member.name) ||
            !is_ready(other, row->name))
            continue;
        gz_print(row->member, sizeof row->member, "%s", other->member.name);
        row->wanted[0] = '\0';
        row->epoch++;
        break;
    }
    return GZ_OK;
}

static enum gz_status give(struct simulated_engine *engine, const struct request *request,
                           struct gz_lease *lease, struct gz_error *error)
{
    struct scene *scene = find_mine(engine, request);
    (void)lease;
    if (scene == NULL) return fenced(request, error);
    struct gz_cluster_scene *row = &scene->scene;
    gz_print(row->member, sizeof row->member, "%s",
             is_alive(engine, row->wanted) ? row->wanted : "");
    row->wanted[0] = '\0';
    return GZ_OK;
}

static enum gz_status want(struct simulated_engine *engine, const struct request *request,
                           struct gz_lease *lease, struct gz_error *error)
{
    struct scene *scene = find_live(engine, request->scene);
    (void)lease;
    if (scene == NULL) return unknown(request->scene, error);
    if (!is_alive(engine, request->other))
        return gz_fail(error, GZ_BAD_VALUE, "no member %s is alive", request->other);
    if (strcmp(scene->scene.member, request->other) != 0 &&
        !is_ready(find_member(engine, request->other), request->scene))
        return gz_fail(error, GZ_BAD_VALUE, "member %s lacks changes of it", request->other);
    struct gz_cluster_scene *row = &scene->scene;
    if (is_alive(engine, row->member)) {
        bool is_same = strcmp(row->member, request->other) == 0;
        gz_print(row->wanted, sizeof row->wanted, "%s", is_same ? "" : request->other);
        return GZ_OK;
    }
    gz_print(row->member, sizeof row->member, "%s", request->other);
    row->wanted[0] = '\0';
    row->epoch++;
    return GZ_OK;
}

static bool is_there(const struct scene *scene, const struct request *request)
{
    for (size_t i = 0; i < scene->count; i++) {
        const struct gz_cluster_change *change = &scene->changes[i].change;
        if (change->n == request->n)
            return change->epoch == request->epoch && change->size == request->size &&
                   memcmp(change->bytes, request->bytes, request->size) == 0;
    }
    return false;
}

static uint8_t *keep_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t *kept = malloc(size > 0 ? size : 1);
    if (kept == NULL) abort();
    if (size > 0) memcpy(kept, bytes, size);
    return kept;
}

static enum gz_status append(struct simulated_engine *engine, const struct request *request,
                             struct gz_lease *lease, struct gz_error *error)
{
    struct scene *scene = find_live(engine, request->scene);
    (void)lease;
    if (scene != NULL && is_there(scene, request)) return GZ_OK;
    scene = find_mine(engine, request);
    if (scene == NULL || request->n != scene->scene.n + 1) return fenced(request, error);
    room(&scene->changes, &scene->capacity, scene->count, sizeof *scene->changes);
    scene->changes[scene->count++].change =
        (struct gz_cluster_change){.n = request->n,
                                   .epoch = request->epoch,
                                   .version = request->version,
                                   .bytes = keep_bytes(request->bytes, request->size),
                                   .size = request->size};
    scene->scene.n++;
    scene->scene.bytes_since_copy += request->size;
    return GZ_OK;
}

static enum gz_status copy(struct simulated_engine *engine, const struct request *request,
                           struct gz_lease *lease, struct gz_error *error)
{
    struct scene *scene = find_mine(engine, request);
    (void)lease;
    if (scene == NULL) return fenced(request, error);
    struct gz_cluster_scene *row = &scene->scene;
    if (request->n < row->first_n || request->n > row->n ||
        (row->has_copy && request->n < row->copy_n))
        return gz_fail(error, GZ_BAD_STATE, "scene %s: no such place", request->scene);
    free(scene->copy);
    scene->copy = keep_bytes(request->bytes, request->size);
    scene->copy_epoch = request->epoch;
    row->has_copy = true;
    row->copy_n = request->n;
    row->copy_version = request->version;
    row->copy_bytes = request->size;
    drop_changes(scene, request->n);
    row->bytes_since_copy = 0;
    for (size_t i = 0; i < scene->count; i++)
        row->bytes_since_copy += scene->changes[i].change.size;
    return GZ_OK;
}

static void leave_name(struct scene *scene, const char *became)
{
    scene->scene.is_gone = true;
    scene->scene.epoch++;
    scene->scene.member[0] = scene->scene.wanted[0] = '\0';
    gz_print(scene->scene.became, sizeof scene->scene.became, "%s", became);
}

/* Whether the very same was done before, and the answer was lost. */
static bool was_done(struct simulated_engine *engine, const struct request *request,
                     const char *became)
{
    const struct scene *scene = find_scene(engine, request->scene);
    return scene != NULL && scene->scene.is_gone && scene->scene.epoch == request->epoch + 1 &&
           strcmp(scene->scene.became, became) == 0;
}

static enum gz_status forget(struct simulated_engine *engine, const struct request *request,
                             struct gz_lease *lease, struct gz_error *error)
{
    struct scene *scene = find_mine(engine, request);
    (void)lease;
    if (scene == NULL) return was_done(engine, request, "") ? GZ_OK : fenced(request, error);
    empty(scene);
    leave_name(scene, "");
    return GZ_OK;
}

static enum gz_status rename_scene(struct simulated_engine *engine, const struct request *request,
                                   struct gz_lease *lease, struct gz_error *error)
{
    struct scene *scene = find_mine(engine, request);
    const struct scene *live = find_live(engine, request->other);
    if (live != NULL) lease->scene = live->scene;
    if (scene == NULL && was_done(engine, request, request->other))
        return live != NULL ? GZ_OK : fenced(request, error);
    if (live != NULL)
        return gz_fail(error, GZ_CONFLICT, "the cluster has a scene %s", request->other);
    if (scene == NULL) return fenced(request, error);
    struct scene *to = name_scene(engine, request->other);
    const uint64_t epoch = to->scene.epoch, before = last_of(to);
    empty(to);
    free(to->changes);
    *to = *scene;
    if (epoch > to->scene.epoch) to->scene.epoch = epoch;
    to->scene.before_n = before;
    lease->scene = to->scene;
    gz_print(to->scene.name, sizeof to->scene.name, "%s", request->other);
    scene->changes = NULL;
    scene->count = scene->capacity = 0;
    scene->copy = NULL;
    leave_name(scene, request->other);
    return GZ_OK;
}

/* ---- how requests arrive ---- */

static enum gz_status perform(struct simulated_engine *engine, const struct request *request,
                              struct gz_lease *lease, struct gz_error *error)
{
    static enum gz_status (*const performers[KIND_COUNT])(
        struct simulated_engine *, const struct request *, struct gz_lease *, struct gz_error *) = {
        [ENTER] = enter,   [RENEW] = renew, [LEAVE] = leave,   [REPORT] = report,
        [TAKE] = take,     [DEFER] = defer, [GIVE] = give,     [WANT] = want,
        [APPEND] = append, [COPY] = copy,   [FORGET] = forget, [RENAME] = rename_scene};
    return performers[request->kind](engine, request, lease, error);
}

static const char *keep_text(const char *text)
{
    return text != NULL ? (const char *)keep_bytes((const uint8_t *)text, strlen(text) + 1) : NULL;
}

static void keep_request(struct simulated_engine *engine, const struct request *request)
{
    struct request kept = *request;
    kept.scene = keep_text(request->scene);
    kept.other = keep_text(request->other);
    kept.bytes = keep_bytes(request->bytes, request->size);
    kept.health = NULL;
    kept.lag = NULL;
    kept.due = engine->calls + 1 + chance_below(&engine->chance, LATER);
    room(&engine->waiting, &engine->waiting_capacity, engine->waiting_count,
         sizeof *engine->waiting);
    engine->waiting[engine->waiting_count++] = kept;
}

static void drop_request(const struct request *request)
{
    free((void *)(uintptr_t)request->scene);
    free((void *)(uintptr_t)request->other);
    free((void *)(uintptr_t)request->bytes);
}

/* Late requests that are due arrive, and their results go to nobody. */
static void arrive(struct simulated_engine *engine, uint64_t calls)
{
    for (size_t i = 0; i < engine->waiting_count;) {
        struct request request = engine->waiting[i];
        if (request.due > calls) {
            i++;
            continue;
        }
        struct gz_lease lease;
        struct gz_error error;
        engine->waiting[i] = engine->waiting[--engine->waiting_count];
        (void)!perform(engine, &request, &lease, &error);
        drop_request(&request);
    }
}

static bool happens(struct simulated_engine *engine, double chance)
{
    return (double)chance_below(&engine->chance, 1000000) < chance * 1e6;
}

static enum gz_status fail_away(struct gz_error *error)
{
    return gz_fail(error, GZ_STORAGE, "the simulated log does not answer");
}

static enum gz_status go(struct simulated_engine *engine, const struct request *request,
                         struct gz_lease *lease, struct gz_error *error)
{
    const struct simulated_faults *faults = &request->from->faults;
    bool can_wait = request->kind != ENTER;
    engine->calls++;
    arrive(engine, engine->calls);
    if (faults->is_cut || happens(engine, faults->lost)) return fail_away(error);
    if (can_wait && happens(engine, faults->late)) {
        keep_request(engine, request);
        return fail_away(error);
    }
    enum gz_status status = perform(engine, request, lease, error);
    if (can_wait && happens(engine, faults->doubled)) keep_request(engine, request);
    return happens(engine, faults->unanswered) ? fail_away(error) : status;
}

static void delay(struct process *process)
{
    if (process->faults.delay_us == 0) return;
    pthread_mutex_lock(&process->engine->mutex);
    unsigned us = (unsigned)chance_below(&process->engine->chance, process->faults.delay_us);
    pthread_mutex_unlock(&process->engine->mutex);
    usleep(us);
}

/* Whether the request arrives. */
static bool show(const struct process *process, const struct request *request,
                 const struct gz_lease *lease, bool is_answer, enum gz_status status)
{
    const struct simulated_call call = {.is_answer = is_answer,
                                        .is_append = request->kind == APPEND,
                                        .status = status,
                                        .scene = request->scene,
                                        .change = {.n = request->n,
                                                   .epoch = request->epoch,
                                                   .version = request->version,
                                                   .bytes = request->bytes,
                                                   .size = request->size},
                                        .lease = is_answer && request->kind == TAKE ? lease : NULL};
    return process->watch == NULL || process->watch(process->watch_context, &call);
}

static enum gz_status ask(struct process *process, struct request request, struct gz_lease *lease,
                          struct gz_error *error)
{
    request.from = process;
    delay(process);
    if (!show(process, &request, lease, false, GZ_OK)) return fail_away(error);
    pthread_mutex_lock(&process->engine->mutex);
    enum gz_status status = go(process->engine, &request, lease, error);
    pthread_mutex_unlock(&process->engine->mutex);
    return show(process, &request, lease, true, status) ? status : fail_away(error);
}

/* ---- the functions of log.h ---- */

static enum gz_status ask_enter(void *context, const struct gz_member *me, struct gz_error *error)
{
    struct process *process = context;
    gz_print(process->me, sizeof process->me, "%s", me->name);
    return ask(process, (struct request){.kind = ENTER, .member = me}, NULL, error);
}

static enum gz_status ask_renew(void *context, const struct gz_member_health *health,
                                struct gz_error *error)
{
    return ask(context, (struct request){.kind = RENEW, .health = health}, NULL, error);
}

static enum gz_status ask_leave(void *context, struct gz_error *error)
{
    return ask(context, (struct request){.kind = LEAVE}, NULL, error);
}

static enum gz_status ask_report(void *context, const struct gz_member_lag *lag,
                                 struct gz_error *error)
{
    return ask(context, (struct request){.kind = REPORT, .lag = lag}, NULL, error);
}

static enum gz_status ask_take(void *context, const char *scene, bool create, uint64_t after,
                               struct gz_lease *lease, struct gz_error *error)
{
    *lease = (struct gz_lease){0};
    const struct request request = {.kind = TAKE, .scene = scene, .create = create, .n = after};
    return ask(context, request, lease, error);
}

static enum gz_status ask_defer(void *context, const char *scene, const struct gz_scene_offer *mine,
                                struct gz_error *error)
{
    return ask(context, (struct request){.kind = DEFER, .scene = scene, .offer = *mine}, NULL,
               error);
}

static enum gz_status ask_give(void *context, const char *scene, uint64_t epoch,
                               struct gz_error *error)
{
    return ask(context, (struct request){.kind = GIVE, .scene = scene, .epoch = epoch}, NULL,
               error);
}

static enum gz_status ask_want(void *context, const char *scene, const char *member,
                               struct gz_error *error)
{
    return ask(context, (struct request){.kind = WANT, .scene = scene, .other = member}, NULL,
               error);
}

static enum gz_status ask_append(void *context, const char *scene,
                                 const struct gz_cluster_change *change, struct gz_error *error)
{
    struct request request = {.kind = APPEND,
                              .scene = scene,
                              .epoch = change->epoch,
                              .n = change->n,
                              .version = change->version,
                              .bytes = change->bytes,
                              .size = change->size};
    return ask(context, request, NULL, error);
}

static enum gz_status ask_copy(void *context, const char *scene, uint64_t epoch, uint64_t n,
                               int version, int file, struct gz_error *error)
{
    off_t size = lseek(file, 0, SEEK_END);
    uint8_t *bytes = malloc((size_t)size + 1);
    if (bytes == NULL || pread(file, bytes, (size_t)size, 0) != (ssize_t)size) abort();
    struct request request = {.kind = COPY,
                              .scene = scene,
                              .epoch = epoch,
                              .n = n,
                              .version = version,
                              .bytes = bytes,
                              .size = (size_t)size};
    enum gz_status status = ask(context, request, NULL, error);
    free(bytes);
    return status;
}

static enum gz_status ask_forget(void *context, const char *scene, uint64_t epoch,
                                 struct gz_error *error)
{
    return ask(context, (struct request){.kind = FORGET, .scene = scene, .epoch = epoch}, NULL,
               error);
}

static enum gz_status ask_rename(void *context, const char *scene, uint64_t epoch, const char *to,
                                 uint64_t *new_epoch, struct gz_error *error)
{
    struct request request = {.kind = RENAME, .scene = scene, .epoch = epoch, .other = to};
    struct gz_lease lease = {0};
    enum gz_status status = ask(context, request, &lease, error);
    *new_epoch = lease.scene.epoch;
    return status;
}

/* Begins to read, with the lock; unless it returns GZ_OK nothing is locked. */
static enum gz_status begin_look(struct process *process, struct gz_error *error)
{
    struct simulated_engine *engine = process->engine;
    delay(process);
    if (!show(process, &(struct request){.kind = KIND_COUNT}, NULL, false, GZ_OK))
        return fail_away(error);
    pthread_mutex_lock(&engine->mutex);
    engine->calls++;
    arrive(engine, engine->calls);
    if (!process->faults.is_cut && !happens(engine, process->faults.lost)) return GZ_OK;
    pthread_mutex_unlock(&engine->mutex);
    return fail_away(error);
}

/* The change after place n, its bytes for free(); n in *change is 0 if there is none. */
static enum gz_status next_change(struct process *process, const char *name, uint64_t n,
                                  struct gz_cluster_change *change, struct gz_error *error)
{
    enum gz_status status = begin_look(process, error);
    if (status != GZ_OK) return status;
    const struct scene *scene = find_live(process->engine, name);
    *change = (struct gz_cluster_change){0};
    if (scene == NULL) {
        status = unknown(name, error);
    } else if (n > scene->scene.n || n < scene->scene.n - scene->count) {
        status = gz_fail(error, GZ_CONFLICT, "scene %s: begin with the copy", name);
    } else if (n < scene->scene.n) {
        *change = scene->changes[n - (scene->scene.n - scene->count)].change;
        change->bytes = keep_bytes(change->bytes, change->size);
    }
    pthread_mutex_unlock(&process->engine->mutex);
    return status;
}

static enum gz_status read_changes(void *context, const char *scene, uint64_t after,
                                   enum gz_status (*handle)(void *to,
                                                            const struct gz_cluster_change *change,
                                                            struct gz_error *error),
                                   void *to, struct gz_error *error)
{
    for (;;) {
        struct gz_cluster_change change;
        enum gz_status status = next_change(context, scene, after, &change, error);
        if (status != GZ_OK || change.n == 0) return status;
        status = handle(to, &change, error);
        free((void *)(uintptr_t)change.bytes);
        if (status != GZ_OK) return status;
        after++;
    }
}

static enum gz_status read_copy(void *context, const char *name, int file,
                                struct gz_cluster_scene *found, struct gz_error *error)
{
    struct process *process = context;
    enum gz_status status = begin_look(process, error);
    if (status != GZ_OK) return status;
    const struct scene *scene = find_live(process->engine, name);
    if (scene == NULL) {
        status = unknown(name, error);
    } else if (!scene->scene.has_copy) {
        status = gz_fail(error, GZ_BAD_STATE, "scene %s: there is no copy yet", name);
    } else {
        *found = scene->scene;
        if (write(file, scene->copy, scene->scene.copy_bytes) != (ssize_t)scene->scene.copy_bytes)
            status = gz_fail(error, GZ_STORAGE, "the copy cannot be written");
    }
    pthread_mutex_unlock(&process->engine->mutex);
    return status;
}

static int compare_scenes(const void *a, const void *b)
{
    return strcmp(((const struct gz_cluster_scene *)a)->name,
                  ((const struct gz_cluster_scene *)b)->name);
}

static enum gz_status list_scenes(void *context,
                                  enum gz_status (*handle)(void *to,
                                                           const struct gz_cluster_scene *scene,
                                                           struct gz_error *error),
                                  void *to, struct gz_error *error)
{
    struct process *process = context;
    enum gz_status status = begin_look(process, error);
    if (status != GZ_OK) return status;
    size_t count = process->engine->scene_count;
    struct gz_cluster_scene *scenes = calloc(count + 1, sizeof *scenes);
    if (scenes == NULL) abort();
    for (size_t i = 0; i < count; i++) scenes[i] = process->engine->scenes[i]->scene;
    pthread_mutex_unlock(&process->engine->mutex);
    qsort(scenes, count, sizeof *scenes, compare_scenes);
    for (size_t i = 0; i < count && status == GZ_OK; i++) status = handle(to, &scenes[i], error);
    free(scenes);
    return status;
}

static int compare_members(const void *a, const void *b)
{
    return strcmp(((const struct gz_member *)a)->name, ((const struct gz_member *)b)->name);
}

static enum gz_status list_members(void *context,
                                   enum gz_status (*handle)(void *to,
                                                            const struct gz_member *member,
                                                            struct gz_error *error),
                                   void *to, struct gz_error *error)
{
    struct process *process = context;
    struct simulated_engine *engine = process->engine;
    enum gz_status status = begin_look(process, error);
    if (status != GZ_OK) return status;
    size_t count = engine->member_count;
    struct gz_member *members = calloc(count + 1, sizeof *members);
    if (members == NULL) abort();
    for (size_t i = 0; i < count; i++) {
        members[i] = engine->members[i].member;
        members[i].age_s = engine->now_s - engine->members[i].seen_s;
    }
    pthread_mutex_unlock(&engine->mutex);
    qsort(members, count, sizeof *members, compare_members);
    for (size_t i = 0; i < count && status == GZ_OK; i++) status = handle(to, &members[i], error);
    free(members);
    return status;
}

/* ---- the engine ---- */

static struct gz_cluster_log functions_of(struct process *process)
{
    return (struct gz_cluster_log){.context = process,
                                   .enter = ask_enter,
                                   .renew = ask_renew,
                                   .leave = ask_leave,
                                   .report = ask_report,
                                   .members = list_members,
                                   .take = ask_take,
                                   .defer = ask_defer,
                                   .give = ask_give,
                                   .want = ask_want,
                                   .append = ask_append,
                                   .copy = ask_copy,
                                   .read = read_changes,
                                   .read_copy = read_copy,
                                   .scenes = list_scenes,
                                   .forget = ask_forget,
                                   .rename = ask_rename};
}

struct simulated_engine *simulated_engine_create(uint64_t seed)
{
    struct simulated_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL) abort();
    engine->chance = seed;
    engine->now_s = 1e9;
    pthread_mutex_init(&engine->mutex, NULL);
    return engine;
}

void simulated_engine_destroy(struct simulated_engine *engine)
{
    for (size_t i = 0; i < engine->waiting_count; i++) drop_request(&engine->waiting[i]);
    for (size_t i = 0; i < engine->scene_count; i++) {
        empty(engine->scenes[i]);
        free(engine->scenes[i]->changes);
        free(engine->scenes[i]);
    }
    for (size_t i = 0; i < engine->process_count; i++) free(engine->processes[i]);
    free(engine->processes);
    free(engine->members);
    free(engine->scenes);
    free(engine->waiting);
    pthread_mutex_destroy(&engine->mutex);
    free(engine);
}

void simulated_engine_pass(struct simulated_engine *engine, double seconds)
{
    pthread_mutex_lock(&engine->mutex);
    engine->now_s += seconds;
    pthread_mutex_unlock(&engine->mutex);
}

void simulated_engine_connect(struct simulated_engine *engine, struct gz_cluster_log *log)
{
    struct process *process = calloc(1, sizeof *process);
    if (process == NULL) abort();
    pthread_mutex_lock(&engine->mutex);
    room(&engine->processes, &engine->process_capacity, engine->process_count,
         sizeof *engine->processes);
    process->engine = engine;
    process->number = (int)engine->process_count;
    engine->processes[engine->process_count++] = process;
    pthread_mutex_unlock(&engine->mutex);
    *log = functions_of(process);
}

void simulated_log_set_faults(const struct gz_cluster_log *log, struct simulated_faults faults)
{
    struct process *process = log->context;
    pthread_mutex_lock(&process->engine->mutex);
    process->faults = faults;
    pthread_mutex_unlock(&process->engine->mutex);
}

void simulated_log_watch(const struct gz_cluster_log *log,
                         bool (*handle)(void *context, const struct simulated_call *call),
                         void *context)
{
    struct process *process = log->context;
    process->watch = handle;
    process->watch_context = context;
}

void simulated_engine_settle(struct simulated_engine *engine)
{
    pthread_mutex_lock(&engine->mutex);
    arrive(engine, UINT64_MAX);
    pthread_mutex_unlock(&engine->mutex);
}
