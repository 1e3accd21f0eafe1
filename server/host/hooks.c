/* hooks.c - tells the operator's hook what happens in the scenes. See hooks.h. */
#include "host/hooks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conn/clock.h"
#include "front/header.h"
#include "host/loan.h"
#include "server/maxima.h"

static void go_on(struct gz_hooks *hooks);

static const struct gz_log *log_of(const struct gz_hooks *hooks)
{
    return hooks->scenes->setting->log;
}

/* The scene of the present request, unless it was closed or opened anew since. */
static struct gz_open_scene *scene_of(const struct gz_hooks *hooks)
{
    struct gz_open_scene *scene = gz_scenes_find_open(hooks->scenes, hooks->name);
    return scene != NULL && gz_open_scene_summary(scene).epoch == hooks->epoch ? scene : NULL;
}

/* ---- how it goes ---- */

static void say_failure(struct gz_hooks *hooks, const char *why)
{
    hooks->failures++;
    const bool is_said = hooks->is_failing && strcmp(hooks->why, why) == 0;
    gz_print(hooks->why, sizeof hooks->why, "%s", why);
    if (!is_said)
        gz_log(log_of(hooks), GZ_WARN, 0,
               "--hook: the receiver does not take events of %s: %s; they are kept, and posted "
               "again",
               hooks->name, hooks->why);
    hooks->is_failing = true;
}

static void say_success(struct gz_hooks *hooks)
{
    hooks->events += hooks->printed.count;
    if (hooks->is_failing)
        gz_log(log_of(hooks), GZ_INFO, 0, "--hook: the receiver takes events again");
    hooks->is_failing = false;
}

/* The scene's next try, after a pause that doubles. */
static void put_off(struct gz_hooks *hooks, double after_s)
{
    struct gz_open_scene *scene = scene_of(hooks);
    if (scene == NULL) return;
    struct gz_hook_place *place = &scene->hook;
    place->pause_s =
        place->pause_s > 0 ? fmin(2 * place->pause_s, GZ_HOOK_PAUSE_S_MAX) : GZ_HOOK_PAUSE_S;
    place->due_s = gz_clock_mono_s() + fmax(place->pause_s, fmin(after_s, GZ_HOOK_PAUSE_S_MAX));
    place->has_news = true;
}

static void end_request(struct gz_hooks *hooks)
{
    free(hooks->path);
    hooks->path = NULL;
    gz_buffer_finish(&hooks->body);
    hooks->is_busy = false;
    go_on(hooks);
}

/* ---- posting ---- */

static void move_place(struct gz_hooks *hooks)
{
    struct gz_open_scene *scene = scene_of(hooks);
    if (scene == NULL) return;
    scene->hook.told = hooks->printed.behind;
    scene->hook.until = (struct gz_told){0};
    scene->hook.pause_s = scene->hook.due_s = 0;
    scene->hook.is_known = scene->hook.has_news = true; /* perhaps there is more */
    gz_store_tell(scene->store, hooks->printed.behind);
}

static void handle_posted(void *context, const struct gz_hook_result *result)
{
    struct gz_hooks *hooks = context;
    hooks->requests++;
    if (result->code >= 200 && result->code <= 299) {
        say_success(hooks);
        move_place(hooks);
    } else if (result->code == 410) {
        say_failure(hooks, result->why);
        put_off(hooks, 0);
        hooks->is_unwanted = true;
        gz_log(log_of(hooks), GZ_ERROR, 0,
               "--hook: the receiver wants no more events (410): nothing is posted until SIGHUP or "
               "a restart");
    } else {
        say_failure(hooks, result->why);
        put_off(hooks, result->after_s);
    }
    end_request(hooks);
}

/* The same events have the same id. */
static void print_id(const struct gz_hooks *hooks, char id[GZ_HOOK_ID_BYTES])
{
    const struct gz_told *behind = &hooks->printed.behind;
    snprintf(id, GZ_HOOK_ID_BYTES, "%s_%" PRIx64 "_%" PRIu64 "-%" PRIu64 "_%" PRIu64 "-%" PRIu64,
             hooks->name, hooks->printed.epoch, hooks->query.told.seq, hooks->query.told.news,
             behind->seq, behind->news);
}

static void post(struct gz_hooks *hooks, struct gz_open_scene *scene)
{
    char id[GZ_HOOK_ID_BYTES];
    print_id(hooks, id);
    scene->hook.until = hooks->printed.behind;
    if (gz_hook_post(hooks->hook, id, gz_clock_now().unix_s, &hooks->body, handle_posted, hooks))
        return;
    say_failure(hooks, "no memory");
    put_off(hooks, 0);
    end_request(hooks);
}

/* ---- reading ---- */

static enum gz_status print_body(struct gz_hooks *hooks, const struct gz_answer *answer)
{
    struct gz_buffer *body = &hooks->body;
    if (answer->news_count == 0 && answer->missing == 0) return GZ_OK;
    if (!gz_text_print(body, "{\"scene\":\"%s\",\"events\":[\n", hooks->name)) return GZ_NO_MEMORY;
    enum gz_status status = gz_core_print_news(answer, hooks->epoch, GZ_HOOK_BYTES_MAX, body,
                                               &hooks->printed, &hooks->error);
    if (status == GZ_OK && !gz_text_print(body, "\n]}\n")) status = GZ_NO_MEMORY;
    return status;
}

static void run_reading(struct gz_job *job)
{
    struct gz_hooks *hooks = job->context;
    struct gz_answer answer;
    gz_store_query(hooks->path, &hooks->query, &answer);
    hooks->error = answer.error;
    hooks->query.told = answer.told;
    hooks->printed = (struct gz_printed_news){.behind = answer.told};
    enum gz_status status = answer.status;
    if (status == GZ_OK) status = print_body(hooks, &answer);
    if (status == GZ_NO_MEMORY) gz_fail(&hooks->error, status, "no memory for the events");
    hooks->error.status = status;
    gz_answer_finish(&answer);
}

/* Nothing was left to be told. */
static void rest(struct gz_open_scene *scene, const struct gz_hooks *hooks)
{
    scene->hook.told = hooks->query.told;
    scene->hook.is_known = true;
    scene->hook.has_news |= scene->hook.until.seq > 0 || scene->hook.until.news > 0;
    scene->hook.until = (struct gz_told){0};
    if (!scene->hook.has_news) scene->hook.since_s = 0;
}

static void handle_read(struct gz_job *job)
{
    struct gz_hooks *hooks = job->context;
    struct gz_open_scene *scene = hooks->is_closing ? NULL : scene_of(hooks);
    if (job->is_cancelled || scene == NULL) {
        end_request(hooks);
    } else if (hooks->error.status != GZ_OK) {
        say_failure(hooks, hooks->error.message);
        put_off(hooks, 0);
        end_request(hooks);
    } else if (hooks->body.size == 0) {
        rest(scene, hooks);
        end_request(hooks);
    } else {
        post(hooks, scene);
    }
}

static void start_job(struct gz_hooks *hooks, void (*run)(struct gz_job *job),
                      void (*done)(struct gz_job *job))
{
    hooks->job = (struct gz_job){.lane = GZ_LANE_HOOK,
                                 .subject = hooks->path != NULL ? hooks->name : "",
                                 .group = "",
                                 .user = "",
                                 .run = run,
                                 .done = done,
                                 .context = hooks};
    hooks->is_busy = true;
    gz_job_start(hooks->scenes->setting->jobs, &hooks->job);
}

static void read_scene(struct gz_hooks *hooks, struct gz_open_scene *scene)
{
    struct gz_hook_place *place = &scene->hook;
    memcpy(hooks->name, scene->name, sizeof hooks->name);
    hooks->epoch = gz_open_scene_summary(scene).epoch;
    hooks->path = strdup(scene->path);
    gz_buffer_init(&hooks->body, SIZE_MAX / 2, 0);
    hooks->query = (struct gz_query){.kind = GZ_QUERY_NEWS,
                                     .limit = GZ_HOOK_EVENTS_MAX,
                                     .has_told = place->is_known,
                                     .told = place->told,
                                     .until = place->until};
    place->has_news = false;
    place->turn = ++hooks->turns;
    if (hooks->path != NULL) {
        start_job(hooks, run_reading, handle_read);
        return;
    }
    say_failure(hooks, "no memory");
    put_off(hooks, 0);
}

/* ---- scenes that are not open ---- */

static void run_look(struct gz_job *job)
{
    struct gz_hooks *hooks = job->context;
    char after[sizeof hooks->name];
    memcpy(after, hooks->name, sizeof after);
    gz_listing_find_news(hooks->listing, hooks->scenes->setting, after, hooks->name);
}

/* The scene is open, which stirs it; or it cannot be opened here. */
static void handle_found(struct gz_scene_wait *wait, const struct gz_error *error)
{
    (void)error;
    end_request(wait->context);
}

static void handle_looked(struct gz_job *job)
{
    struct gz_hooks *hooks = job->context;
    struct gz_net_scene *scene = NULL;
    struct gz_error error;
    const struct gz_text name = {hooks->name, strlen(hooks->name)};
    if (name.size == 0 || job->is_cancelled || hooks->is_closing) {
        hooks->is_looking = false;
        hooks->look_s = gz_clock_mono_s() + GZ_HOOK_LOOK_SECONDS;
        end_request(hooks);
        return;
    }
    memcpy(hooks->looked, hooks->name, sizeof hooks->looked);
    hooks->wait = (struct gz_scene_wait){.again = handle_found, .context = hooks};
    const bool is_found =
        hooks->find(hooks->context, name, false, "", &hooks->wait, &scene, &error) == GZ_OK;
    if (!is_found || hooks->wait.list == NULL) end_request(hooks); /* nothing is waited for */
}

static void look(struct gz_hooks *hooks)
{
    if (!hooks->is_looking) hooks->looked[0] = '\0';
    hooks->is_looking = true;
    memcpy(hooks->name, hooks->looked, sizeof hooks->name);
    start_job(hooks, run_look, handle_looked);
}

/* ---- turns ---- */

static bool can_tell(const struct gz_open_scene *scene)
{
    return scene->hook.has_news && scene->store != NULL;
}

/* The scene whose turn it is now; if there is none, *due_s is when there will be one. */
static struct gz_open_scene *next_scene(const struct gz_hooks *hooks, double now_s, double *due_s)
{
    struct gz_open_scene *next = NULL, *scene = NULL;
    *due_s = INFINITY;
    while ((scene = gz_scenes_next(hooks->scenes, scene)) != NULL) {
        if (!can_tell(scene)) continue;
        *due_s = fmin(*due_s, scene->hook.due_s);
        if (scene->hook.due_s > now_s) continue;
        if (next == NULL || scene->hook.turn < next->hook.turn) next = scene;
    }
    return next;
}

static void handle_timer(uv_timer_t *timer)
{
    go_on(timer->data);
}

static void go_on(struct gz_hooks *hooks)
{
    double due_s;
    const double now_s = gz_clock_mono_s();
    if (hooks->is_busy || hooks->is_closing || hooks->is_unwanted) return;
    struct gz_open_scene *scene = next_scene(hooks, now_s, &due_s);
    /* While the receiver takes nothing, an open scene tries for all. */
    const bool may_look = !hooks->is_failing || due_s == INFINITY;
    if (scene != NULL) {
        read_scene(hooks, scene);
        if (hooks->is_busy) return;
    } else if (may_look && (hooks->is_looking || hooks->look_s <= now_s)) {
        look(hooks);
        return;
    }
    if (may_look) due_s = fmin(due_s, hooks->look_s);
    uv_timer_start(&hooks->timer, handle_timer, (uint64_t)(fmax(due_s - now_s, 0) * 1000) + 1, 0);
}

void gz_hooks_stir(struct gz_hooks *hooks, struct gz_open_scene *scene)
{
    struct gz_hook_place *place = &scene->hook;
    if (hooks->hook == NULL || scene->store == NULL) return;
    const struct gz_store_stats stats = gz_store_stats(scene->store);
    if (stats.is_read_only || (place->turn > 0 && stats.news == place->seen)) return;
    place->seen = stats.news;
    if (place->since_s == 0) place->since_s = gz_clock_mono_s();
    place->has_news = true;
    go_on(hooks);
}

void gz_hooks_resume(struct gz_hooks *hooks)
{
    hooks->is_unwanted = false;
    if (hooks->hook != NULL) go_on(hooks);
}

/* ---- numbers ---- */

bool gz_hooks_measure(const struct gz_hooks *hooks, struct gz_buffer *out)
{
    const double now_s = gz_clock_mono_s();
    double lag_s = 0;
    const struct gz_open_scene *scene = NULL;
    while ((scene = gz_scenes_next(hooks->scenes, scene)) != NULL)
        if (scene->hook.since_s > 0) lag_s = fmax(lag_s, now_s - scene->hook.since_s);
    const struct {
        const char *name, *type, *help;
        double value;
    } values[] = {
        {"events_total", "counter", "Events that the receiver took.", (double)hooks->events},
        {"requests_total", "counter", "Requests that were answered or failed.",
         (double)hooks->requests},
        {"failures_total", "counter", "Requests that the receiver did not take, or tries.",
         (double)hooks->failures},
        {"failing", "gauge", "1 while the receiver takes nothing.", hooks->is_failing},
        {"lag_seconds", "gauge", "How long the open scene that waits longest has had news.",
         lag_s}};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof values / sizeof values[0]; i++)
        ok = gz_text_print(out,
                           "# HELP gizmod_hook_%s %s\n# TYPE gizmod_hook_%s %s\n"
                           "gizmod_hook_%s %.17g\n",
                           values[i].name, values[i].help, values[i].name, values[i].type,
                           values[i].name, values[i].value);
    return ok;
}

/* ---- beginning and end ---- */

void gz_hooks_start(struct gz_hooks *hooks)
{
    uv_timer_init(hooks->scenes->setting->loop, &hooks->timer);
    hooks->timer.data = hooks;
    uv_timer_start(&hooks->timer, handle_timer, 0, 0);
}

void gz_hooks_close(struct gz_hooks *hooks)
{
    if (hooks->hook == NULL) return;
    hooks->is_closing = true;
    gz_scenes_forget(&hooks->wait);
    gz_hook_close(hooks->hook);
    uv_close((uv_handle_t *)&hooks->timer, NULL);
}

void gz_hooks_finish(struct gz_hooks *hooks)
{
    free(hooks->path);
    gz_buffer_finish(&hooks->body);
    gz_hook_destroy(hooks->hook);
}
