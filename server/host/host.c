/* host.c - the daemon's scenes for the network, and the daemon among the members of a cluster. */
#include "host/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conn/clock.h"
#include "front/header.h"
#include "host/hooks.h"
#include "host/listing.h"
#include "host/loan.h"
#include "host/memory.h"
#include "host/retire.h"
#include "host/scenes.h"
#include "host/transfer.h"
#include "host/triangles.h"
#include "link/members.h"
#include "proto/base/histogram.h"
#include "server/maxima.h"

/* ---- the daemon as a member ---- */

/* Between the cluster and the network. */

/* Milliseconds between looks. */
#define LOOK_MS 250

/* A full disk keeps a member from taking scenes that others have room for. */
static void look_at_disk(const struct gz_membership *membership)
{
    struct gz_error error = {.message = ""};
    const bool is_full = gz_disk_check(membership->disk, &error) != GZ_OK;
    gz_cluster_refuse(membership->cluster, is_full ? error.message : "");
}

static void look(uv_timer_t *timer)
{
    struct gz_membership *membership = timer->data;
    struct gz_cluster *cluster = membership->cluster;
    const size_t count = gz_cluster_peers(cluster, membership->peers);
    gz_net_tell(membership->net, gz_cluster_silence(cluster));
    for (size_t i = 0; i < count; i++) {
        const struct gz_cluster_peer *peer = &membership->peers[i];
        double silence_s = 0;
        gz_net_meet(membership->net, peer->url);
        gz_net_judge(membership->net, peer->url, peer->is_over);
        const bool is_heard = gz_net_hears(membership->net, peer->url, &silence_s);
        gz_cluster_hear(cluster, peer->url, is_heard, silence_s);
    }
    gz_net_part(membership->net);
    look_at_disk(membership);
    gz_cluster_look(cluster);
}

void gz_membership_start(struct gz_membership *membership, uv_loop_t *loop)
{
    uv_timer_init(loop, &membership->timer);
    membership->timer.data = membership;
    uv_timer_start(&membership->timer, look, 0, LOOK_MS);
}

void gz_membership_close(struct gz_membership *membership)
{
    uv_close((uv_handle_t *)&membership->timer, NULL);
}

bool gz_membership_divert(struct gz_membership *membership, const char *scene, bool is_open,
                          struct gz_scene_wait *wait, struct gz_error *error)
{
    struct gz_cluster *cluster = membership->cluster;
    const bool is_ready = gz_cluster_is_ready(cluster, error);
    const bool is_silent = gz_cluster_silence(cluster) > GZ_CLUSTER_SILENCE_SECONDS;
    if (is_ready && (is_open || !is_silent)) return false;
    error->status = GZ_OK;
    if (gz_cluster_recall(cluster, scene, wait->url)) return true;
    if (is_ready)
        error->status = gz_fail(error, GZ_STORAGE,
                                "the cluster's database does not answer, and scene %s is not open "
                                "at a member that does",
                                scene);
    else
        error->status = GZ_BAD_STATE;
    wait->is_away = !is_ready;
    return true;
}

/* ---- host ---- */

/* Connects the parts of the host. */

struct gz_host {
    struct gz_net *net;
    struct gz_cluster *cluster; /* NULL: no cluster */
    struct gz_jobs jobs;
    struct gz_scene_setting setting;
    struct gz_scenes scenes;
    struct gz_retirements retirements;
    struct gz_listing listing;
    struct gz_transfers transfers;
    struct gz_hooks hooks;
    uint64_t keep_free_bytes, memory_bytes;
    struct gz_disk disk;
    struct gz_memory memory;
    struct gz_membership membership; /* in the cluster, if there is one */
    const uint8_t *secret;           /* of the cluster's members */
    size_t secret_size;
    uv_timer_t rest; /* closes unused scenes */
    struct gz_shares shares;
    struct gz_store_turns *turns;
    _Atomic uint64_t errors[GZ_STATUS_COUNT];
    struct gz_histogram commits, answers;
    const char *end_reason; /* NULL until its end begins */
    double retry_s;
};

/* ---- callbacks of the scenes ---- */

static void handle_opened(void *context, struct gz_open_scene *scene)
{
    struct gz_host *host = context;
    gz_net_add(host->net, &scene->net);
    gz_triangles_make(&host->scenes, scene);
    gz_hooks_stir(&host->hooks, scene);
}

/* Nodes may have come back from the past. */
static void handle_stored(void *context, struct gz_open_scene *scene)
{
    struct gz_host *host = context;
    gz_triangles_make(&host->scenes, scene);
    gz_hooks_stir(&host->hooks, scene);
}

static void end_scene(const struct gz_host *host, struct gz_open_scene *scene)
{
    /* in a cluster others go on: clients at other members come back there at once */
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    struct gz_bye bye = {.reason = {host->end_reason, strlen(host->end_reason)},
                         .retry_s = host->cluster != NULL ? 0 : host->retry_s};
    if (scene->claim != NULL && gz_scene_lease_successor(scene->claim, url))
        bye.url = (struct gz_text){url, strlen(url)};
    gz_core_end_all(gz_open_scene_touch(scene), &bye, gz_clock_now());
}

static void handle_returned(void *context, struct gz_open_scene *scene)
{
    struct gz_host *host = context;
    gz_hooks_stir(&host->hooks, scene);
    if (host->end_reason != NULL) end_scene(host, scene);
}

static void handle_closing(void *context, struct gz_open_scene *scene)
{
    struct gz_host *host = context;
    gz_net_remove(host->net, &scene->net);
}

/* Retires a scene that was lost, unless it is retired already; the retirement logs it. */
static void handle_lost(void *context, struct gz_open_scene *scene)
{
    struct gz_host *host = context;
    struct gz_error error;
    struct gz_retire_request request = {.how = GZ_RETIRE_GONE, .name = scene->name, .user = ""};
    if (gz_store_stats(scene->store).is_damaged) request.how = GZ_RETIRE_DAMAGED;
    if (scene->claim != NULL) request.how = GZ_RETIRE_AWAY;
    (void)!gz_retire(&host->retirements, &request, &error);
}

static void handle_elsewhere(void *context, const struct gz_open_scene *scene)
{
    struct gz_host *host = context;
    if (host->net != NULL) gz_net_meet(host->net, scene->url);
}

/* ---- requests of the network ---- */

static void lend(void *context, struct gz_net_scene *scene)
{
    (void)context;
    gz_open_scene_lend((struct gz_open_scene *)scene, NULL);
}

static enum gz_status find(void *context, struct gz_text name, bool create, const char *payer,
                           struct gz_scene_wait *wait, struct gz_net_scene **scene,
                           struct gz_error *error)
{
    struct gz_host *host = context;
    char terminated[GZ_SCENE_NAME_BYTES_MAX + 1] = "";
    struct gz_open_scene *found = NULL;
    if (name.size < sizeof terminated) memcpy(terminated, name.bytes, name.size);
    const bool is_open = gz_scenes_find_open(&host->scenes, terminated) != NULL;
    enum gz_status status =
        gz_memory_take(&host->memory, GZ_SESSION_BYTES, GZ_SESSION_BYTES, error);
    if (status == GZ_OK && host->cluster != NULL &&
        gz_membership_divert(&host->membership, terminated, is_open, wait, error))
        status = error->status;
    else if (status == GZ_OK)
        status = gz_scenes_find(&host->scenes, terminated, create, payer, wait, &found, error);
    *scene = found != NULL ? &found->net : NULL;
    return status;
}

static void forget(void *context, struct gz_scene_wait *wait)
{
    (void)context;
    gz_scenes_forget(wait);
}

static void admit(void *context, struct gz_http_request *request)
{
    struct gz_host *host = context;
    gz_transfer_admit(&host->transfers, request);
}

static void serve(void *context, struct gz_http_request *request)
{
    struct gz_host *host = context;
    gz_transfer_serve(&host->transfers, request);
}

static void spool(void *context, struct gz_http_request *request)
{
    (void)context;
    gz_transfer_spool(request);
}

static void abandon(void *context, struct gz_transfer *transfer)
{
    (void)context;
    gz_transfer_free(transfer);
}

static void discard(void *context, struct gz_body *body)
{
    struct gz_host *host = context;
    gz_transfer_discard(&host->transfers, body);
}

static bool is_ready(void *context, struct gz_error *error)
{
    struct gz_host *host = context;
    if (!gz_scenes_are_healthy(&host->scenes, error)) return false;
    if (host->cluster != NULL && !gz_cluster_is_ready(host->cluster, error)) return false;
    /* Without the cluster's database open scenes go on, but edits wait. */
    if (host->cluster != NULL && !gz_cluster_is_healthy(host->cluster, error)) return true;
    error->status = gz_disk_check(&host->disk, error);
    /* A member whose disk is short gives its scenes to others, and relays. */
    const bool has_disk = error->status == GZ_OK || host->cluster != NULL;
    if (error->status == GZ_OK) error->status = gz_memory_check(&host->memory, error);
    return has_disk && !gz_disk_is_full(&host->disk);
}

static bool measure(void *context, struct gz_buffer *out)
{
    struct gz_host *host = context;
    return gz_scenes_measure(&host->scenes, out) &&
           gz_histogram_print(out, "commit_seconds",
                              "Duration of commits, without a cluster's log.", &host->commits) &&
           gz_histogram_print(out, "edit_ok_seconds",
                              "From an edit to the answer that it is saved.", &host->answers) &&
           (host->hooks.hook == NULL || gz_hooks_measure(&host->hooks, out)) &&
           (host->cluster == NULL || gz_cluster_measure(host->cluster, out));
}

struct gz_net_host gz_host_for_net(struct gz_host *host)
{
    return (struct gz_net_host){.context = host,
                                .errors = host->errors,
                                .find = find,
                                .lend = lend,
                                .forget = forget,
                                .admit = admit,
                                .serve = serve,
                                .spool = spool,
                                .abandon = abandon,
                                .discard = discard,
                                .ready = is_ready,
                                .measure = measure};
}

/* ---- the beginning ---- */

static enum gz_status make_folder(const struct gz_host_options *options, struct gz_error *error)
{
    struct stat status;
    if (mkdir(options->folder, S_IRWXU) != 0 && errno != EEXIST)
        return gz_fail(error, GZ_STORAGE, "--data: cannot make %s: %s", options->folder,
                       strerror(errno));
    if (stat(options->folder, &status) != 0 || !S_ISDIR(status.st_mode))
        return gz_fail(error, GZ_STORAGE, "--data: %s is not a folder", options->folder);
    if (access(options->folder, W_OK) != 0)
        gz_log(options->log, GZ_WARN, 0,
               "--data: %s is not writable (%s): scenes can be viewed, but not edited or created",
               options->folder, strerror(errno));
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        gz_log(options->log, GZ_WARN, 0,
               "--data: other users can read %s (mode %03o); run chmod 700 on it", options->folder,
               (unsigned)(status.st_mode & 0777));
    return GZ_OK;
}

/* Creating a mutex cannot fail on Linux. */
static void open_shares(struct gz_shares *shares)
{
    (void)uv_mutex_init(&shares->mutex);
    shares->written.at_once = GZ_WRITTEN_BYTES_AT_ONCE;
    shares->written.per_s = GZ_WRITTEN_BYTES_PER_S;
    shares->written_in_scene.at_once = GZ_WRITTEN_USERS_PER_SCENE * GZ_WRITTEN_BYTES_AT_ONCE;
    shares->written_in_scene.per_s = GZ_WRITTEN_USERS_PER_SCENE * GZ_WRITTEN_BYTES_PER_S;
    shares->made.at_once = GZ_SCENES_MADE_AT_ONCE;
    shares->made.per_s = GZ_SCENES_MADE_PER_MINUTE / 60.0;
}

static void sign(void *context, const char *name, const char *url,
                 char signature[GZ_MEMBER_SIGNATURE_BYTES + 1])
{
    static_assert(GZ_SIGNATURE_BYTES == GZ_MEMBER_SIGNATURE_BYTES + 1, "a signature fits");
    const struct gz_host *host = context;
    gz_proof_sign(host->secret, host->secret_size, name, url, signature);
}

static enum gz_status join_cluster(struct gz_host *host, const struct gz_host_options *options,
                                   struct gz_error *error)
{
    const struct gz_cluster_options cluster = {.log = options->cluster,
                                               .messages = options->log,
                                               .folder = options->folder,
                                               .me = options->me,
                                               .rules = {host, sign, gz_scene_name_valid}};
    host->secret = options->secret;
    host->secret_size = options->secret_size;
    if (options->cluster == NULL) return GZ_OK;
    enum gz_status status = gz_cluster_create(&host->cluster, &cluster, error);
    host->setting.cluster = host->cluster;
    return status;
}

enum gz_status gz_host_create(struct gz_host **out, const struct gz_host_options *options,
                              struct gz_error *error)
{
    enum gz_status status = make_folder(options, error);
    if (status != GZ_OK) return status;
    struct gz_host *host = calloc(1, sizeof *host);
    if (host == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    host->turns = gz_store_turns_create();
    status = host->turns != NULL ? gz_jobs_init(&host->jobs, options->loop, error)
                                 : gz_fail(error, GZ_NO_MEMORY, "no memory");
    if (status != GZ_OK) {
        gz_store_turns_destroy(host->turns);
        free(host);
        return status;
    }
    host->setting = (struct gz_scene_setting){.loop = options->loop,
                                              .log = options->log,
                                              .folder = options->folder,
                                              .server = options->server,
                                              .messages_per_s = options->messages_per_s,
                                              .recorded = options->recorded,
                                              .kept = options->kept,
                                              .has_hook = options->has_hook,
                                              .keyring = options->keyring,
                                              .jobs = &host->jobs,
                                              .disk = &host->disk,
                                              .memory = &host->memory,
                                              .shares = &host->shares,
                                              .turns = host->turns,
                                              .errors = host->errors,
                                              .commits = &host->commits,
                                              .answers = &host->answers,
                                              .context = host,
                                              .handle_opened = handle_opened,
                                              .handle_stored = handle_stored,
                                              .handle_returned = handle_returned,
                                              .handle_closing = handle_closing,
                                              .handle_lost = handle_lost,
                                              .handle_elsewhere = handle_elsewhere};
    open_shares(&host->shares);
    host->keep_free_bytes = options->keep_free_bytes;
    host->memory_bytes = options->memory_bytes;
    gz_scenes_init(&host->scenes, &host->setting);
    host->retirements.scenes = &host->scenes;
    gz_listing_init(&host->listing);
    host->transfers =
        (struct gz_transfers){&host->scenes, &host->retirements, &host->listing, NULL};
    gz_folder_tidy(&host->scenes);
    status = join_cluster(host, options, error);
    if (status == GZ_OK) {
        *out = host;
        return GZ_OK;
    }
    gz_host_destroy(host);
    return status;
}

void gz_host_change(struct gz_host *host, uint64_t keep_free_bytes, uint64_t memory_bytes)
{
    gz_disk_keep(&host->disk, keep_free_bytes);
    if (host->memory.bytes_max != 0 && memory_bytes != 0) host->memory.bytes_max = memory_bytes;
}

void gz_host_revoke(struct gz_host *host)
{
    struct gz_open_scene *scene = NULL;
    while ((scene = gz_scenes_next(&host->scenes, scene)) != NULL) scene->net.touched = true;
}

void gz_host_take_hook(struct gz_host *host, struct gz_hook *hook)
{
    host->hooks.hook = hook;
    host->hooks.scenes = &host->scenes;
    host->hooks.listing = &host->listing;
    host->hooks.context = host;
    host->hooks.find = find;
}

enum gz_status gz_host_renew_hook(struct gz_host *host, const uint8_t *secrets, size_t size,
                                  struct gz_error *error)
{
    enum gz_status status = gz_hook_take_secrets(host->hooks.hook, secrets, size, error);
    if (status == GZ_OK) gz_hooks_resume(&host->hooks);
    return status;
}

static void handle_rest(uv_timer_t *rest)
{
    struct gz_host *host = rest->data;
    gz_scenes_rest(&host->scenes, gz_clock_mono_s());
}

static uint64_t spare(void *context)
{
    const struct gz_host *host = context;
    return gz_scenes_spare(&host->scenes);
}

static uint64_t relieve(void *context, uint64_t bytes)
{
    struct gz_host *host = context;
    return gz_scenes_relieve(&host->scenes, bytes);
}

void gz_host_connect(struct gz_host *host, struct gz_net *net)
{
    const struct gz_scene_setting *setting = &host->setting;
    host->net = net;
    gz_disk_watch(&host->disk, setting->loop, &host->jobs, setting->folder, host->keep_free_bytes,
                  setting->log);
    gz_memory_watch(&host->memory, setting->loop, &host->jobs, host->memory_bytes, setting->log);
    host->memory.spare = spare;
    host->memory.relieve = relieve;
    host->memory.context = host;
    host->membership.cluster = host->cluster;
    host->membership.net = net;
    host->membership.disk = &host->disk;
    if (host->cluster != NULL) gz_membership_start(&host->membership, setting->loop);
    if (host->hooks.hook != NULL) gz_hooks_start(&host->hooks);
    uv_timer_init(setting->loop, &host->rest);
    host->rest.data = host;
    uv_timer_start(&host->rest, handle_rest, GZ_SCENE_LOOK_SECONDS * 1000,
                   GZ_SCENE_LOOK_SECONDS * 1000);
}

/* ---- the first scenes ---- */

enum gz_status gz_host_open(struct gz_host *host, const char *name, struct gz_error *error)
{
    if (gz_scenes_find_open(&host->scenes, name) != NULL) return GZ_OK;
    return gz_scenes_open_here(&host->scenes, name, error);
}

void gz_host_sample(struct gz_host *host, const char *name,
                    void (*done)(void *context, const struct gz_error *error), void *context)
{
    struct gz_error error = {.status = GZ_OK};
    if (!gz_scenes_have(&host->scenes, name)) {
        gz_transfer_sample(&host->transfers, name, done, context);
        return;
    }
    error.status = gz_host_open(host, name, &error);
    done(context, &error);
}

/* ---- the end ---- */

void gz_host_end(struct gz_host *host, const char *reason, double retry_s)
{
    struct gz_open_scene *scene = NULL;
    host->end_reason = reason;
    host->retry_s = retry_s;
    while ((scene = gz_scenes_next(&host->scenes, scene)) != NULL) {
        if (!scene->net.is_lent) end_scene(host, scene);
    }
}

bool gz_host_is_idle(const struct gz_host *host)
{
    const struct gz_open_scene *scene = NULL;
    while ((scene = gz_scenes_next(&host->scenes, scene)) != NULL) {
        if (!gz_open_scene_is_idle(scene)) return false;
    }
    return gz_transfer_is_idle(&host->transfers) && gz_retire_is_idle(&host->retirements);
}

bool gz_host_is_saved(const struct gz_host *host, bool says)
{
    bool is_saved = true;
    const struct gz_open_scene *scene = NULL;
    while ((scene = gz_scenes_next(&host->scenes, scene)) != NULL) {
        if (gz_open_scene_is_saved(scene)) continue;
        is_saved = false;
        if (says)
            gz_log(host->setting.log, GZ_ERROR, 0,
                   "%s: the latest edits are not saved; they were not acknowledged", scene->name);
    }
    return is_saved;
}

void gz_host_close(struct gz_host *host)
{
    if (host->cluster != NULL) {
        gz_cluster_end(host->cluster);
        gz_membership_close(&host->membership);
    }
    gz_disk_close(&host->disk);
    gz_memory_close(&host->memory);
    uv_close((uv_handle_t *)&host->rest, NULL);
    gz_hooks_close(&host->hooks);
    gz_jobs_close(&host->jobs);
    gz_retire_cancel(&host->retirements);
    gz_transfer_cancel(&host->transfers);
    gz_scenes_close(&host->scenes);
}

void gz_host_destroy(struct gz_host *host)
{
    if (host == NULL) return;
    gz_cluster_destroy(host->cluster);
    gz_hooks_finish(&host->hooks);
    gz_jobs_finish(&host->jobs);
    uv_mutex_destroy(&host->shares.mutex);
    gz_listing_finish(&host->listing);
    gz_store_turns_destroy(host->turns);
    free(host);
}
