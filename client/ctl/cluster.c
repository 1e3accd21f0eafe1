/* cluster.c - `gizmoctl cluster` and `gizmoctl move`: creates the tables of a cluster, prints its
 * members and which of them has which scene, and asks for a scene to move. They use the database
 * that all members share, and no daemon. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cluster/postgres.h"
#include "ctl.h"

#define NAME_COLUMNS 16
#define URL_COLUMNS 32
/* Seconds that a scene may take to move. */
#define MOVE_SECONDS 15

/* ---- members ---- */

static void print_words(const char *before, const char *words)
{
    if (words[0] == '\0') return;
    fputs(before, stdout);
    ctl_put_text(stdout, gz_client_text(words));
}

static void print_member(const struct gz_member *member)
{
    ctl_put_padded(stdout, gz_client_text(member->name), NAME_COLUMNS);
    ctl_put_padded(stdout, gz_client_text(member->url), URL_COLUMNS);
    ctl_put_text(stdout, gz_client_text(member->version));
    if (member->age_s >= GZ_CLUSTER_LEASE_SECONDS)
        printf("  not seen for %.0f s", member->age_s);
    else
        fputs(member->health.trouble[0] == '\0' ? "  alive" : "  not alive: ", stdout);
    ctl_put_text(stdout, gz_client_text(member->health.trouble));
    print_words("  takes no scenes: ", member->health.refuses);
    print_words("  does not reach", member->health.unreached);
    if (member->lag.changes > 0) {
        printf("  %" PRIu64 " changes behind, the most delayed by %.1f s in ", member->lag.changes,
               member->lag.seconds);
        ctl_put_text(stdout, gz_client_text(member->lag.scene));
    }
    putchar('\n');
}

static void print_member_json(const struct gz_member *member)
{
    json_t *json = json_pack("{s:s, s:s, s:s, s:f, s:I}", "member", member->name, "url",
                             member->url, "version", member->version, "age", member->age_s,
                             "behind", (json_int_t)member->lag.changes);
    if (json != NULL && member->lag.changes > 0) {
        json_object_set_new(json, "behind_seconds", json_real(member->lag.seconds));
        json_object_set_new(json, "behind_scene", json_string(member->lag.scene));
    }
    const struct gz_member_health *health = &member->health;
    if (json != NULL && health->trouble[0] != '\0')
        json_object_set_new(json, "trouble", json_string(health->trouble));
    if (json != NULL && health->refuses[0] != '\0')
        json_object_set_new(json, "refuses", json_string(health->refuses));
    if (json != NULL && health->unreached[0] != '\0')
        json_object_set_new(json, "unreached", json_string(health->unreached));
    ctl_put_json(stdout, json);
}

static enum gz_status handle_member(void *to, const struct gz_member *member,
                                    struct gz_error *error)
{
    (void)error;
    if (((const struct ctl_args *)to)->json)
        print_member_json(member);
    else
        print_member(member);
    return GZ_OK;
}

/* ---- scenes ---- */

static void print_scene(const struct gz_cluster_scene *scene)
{
    const char *member = scene->member[0] != '\0' ? scene->member : "-";
    ctl_put_padded(stdout, gz_client_text(scene->name), NAME_COLUMNS);
    ctl_put_padded(stdout, gz_client_text(member), NAME_COLUMNS);
    printf("change %" PRIu64 "  log %.1f MB", scene->n,
           (double)(scene->copy_bytes + scene->bytes_since_copy) / 1e6);
    if (scene->wanted[0] != '\0') {
        fputs("  moves to ", stdout);
        ctl_put_text(stdout, gz_client_text(scene->wanted));
    }
    putchar('\n');
}

static void print_scene_json(const struct gz_cluster_scene *scene)
{
    json_t *json = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "scene", scene->name, "epoch",
                             (json_int_t)scene->epoch, "first_n", (json_int_t)scene->first_n, "n",
                             (json_int_t)scene->n, "copy_bytes", (json_int_t)scene->copy_bytes,
                             "bytes_since_copy", (json_int_t)scene->bytes_since_copy);
    if (json != NULL && scene->member[0] != '\0')
        json_object_set_new(json, "member", json_string(scene->member));
    if (json != NULL && scene->wanted[0] != '\0')
        json_object_set_new(json, "wanted", json_string(scene->wanted));
    if (json != NULL && scene->has_copy)
        json_object_set_new(json, "copy_n", json_integer((json_int_t)scene->copy_n));
    ctl_put_json(stdout, json);
}

/* Deleted scenes are not printed. */
static enum gz_status handle_scene(void *to, const struct gz_cluster_scene *scene,
                                   struct gz_error *error)
{
    (void)error;
    if (scene->is_gone) return GZ_OK;
    if (((const struct ctl_args *)to)->json)
        print_scene_json(scene);
    else
        print_scene(scene);
    return GZ_OK;
}

/* ---- cluster ---- */

/* To a command the database is what a daemon is to others: if it fails, it is out of reach. */
static enum ctl_exit fail(const struct ctl_args *args, struct gz_error *error)
{
    if (error->status == GZ_STORAGE) error->status = GZ_UNREACHABLE;
    return ctl_fail(args, error);
}

static enum ctl_exit list(const struct ctl_args *args, const char *uri)
{
    struct gz_cluster_log log = {0};
    struct gz_error error = {0};
    void *to = (void *)args;
    enum gz_status status = gz_postgres_create(&log, uri, &error);
    if (status == GZ_OK) status = log.members(log.context, handle_member, to, &error);
    if (status == GZ_OK) status = log.scenes(log.context, handle_scene, to, &error);
    gz_postgres_destroy(&log);
    return status == GZ_OK ? ctl_finish_output(args) : fail(args, &error);
}

static enum ctl_exit run_cluster(const struct ctl_args *args)
{
    struct gz_error error = {0};
    const char *first = args->operands[0], *second = args->operands[1];
    bool is_init = strcmp(first, "init") == 0;
    if (is_init && second == NULL) return ctl_usage(args, "init: URI is missing");
    if (!is_init && second != NULL) return ctl_usage(args, "unexpected operand \"%s\"", second);
    if (!is_init) return list(args, first);
    if (gz_postgres_init(second, &error) != GZ_OK) return fail(args, &error);
    if (!args->json) puts("the tables exist and are up to date");
    return ctl_finish(args, GZ_OK, &error);
}

static const struct gz_arg_option options[] = {
    {"--json", .help = "print a JSON object per member, then per scene"},
    {0},
};

const struct ctl_command ctl_cluster = {
    .usage.name = "cluster",
    .usage.operands = "URI|init [URI]",
    .usage.summary =
        "Lists the members of a cluster and its scenes. init URI creates the tables of a cluster.",
    .usage.notes =
        "URI is that of the database, as for gizmod --cluster: postgresql://USER@HOST/DATABASE. "
        "Put a password into the file that PGPASSFILE names, because other users of this machine "
        "can see the URI. init can be repeated.",
    .usage.options = options,
    .run = run_cluster,
};

/* ---- move ---- */

/* The scene that is moved, as it was listed last. */
struct moving {
    const char *name;
    struct gz_cluster_scene scene;
};

static enum gz_status find_moving(void *to, const struct gz_cluster_scene *scene,
                                  struct gz_error *error)
{
    struct moving *moving = to;
    (void)error;
    if (strcmp(scene->name, moving->name) == 0) moving->scene = *scene;
    return GZ_OK;
}

/* Waits until the member has the scene. If that does not come about, takes the wish back, so that
 * it does not come about later. */
static enum gz_status await_move(const struct gz_cluster_log *log, const char *name,
                                 const char *member, struct gz_error *error)
{
    struct moving moving = {.name = name};
    enum gz_status status = GZ_OK;
    for (int i = 0; status == GZ_OK && i < MOVE_SECONDS * 10; i++) {
        status = log->scenes(log->context, find_moving, &moving, error);
        if (status == GZ_OK && strcmp(moving.scene.member, member) == 0) return GZ_OK;
        if (status == GZ_OK && (moving.scene.is_gone || moving.scene.wanted[0] == '\0')) break;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    if (status != GZ_OK) return status;
    if (strcmp(moving.scene.wanted, member) == 0 && moving.scene.member[0] != '\0')
        (void)!log->want(log->context, name, moving.scene.member, NULL);
    return gz_fail(error, GZ_BAD_STATE,
                   "%s did not move to %s: member %s did not give it within %d s", name, member,
                   moving.scene.member, MOVE_SECONDS);
}

static enum ctl_exit run_move(const struct ctl_args *args)
{
    struct gz_cluster_log log = {0};
    struct gz_error error = {0};
    const char *scene = args->operands[1], *member = args->operands[2];
    enum gz_status status = gz_postgres_create(&log, args->operands[0], &error);
    if (status == GZ_OK) status = log.want(log.context, scene, member, &error);
    if (status == GZ_OK) status = await_move(&log, scene, member, &error);
    gz_postgres_destroy(&log);
    return status == GZ_OK ? ctl_finish(args, status, &error) : fail(args, &error);
}

const struct ctl_command ctl_move = {
    .usage.name = "move",
    .usage.operands = "URI SCENE MEMBER",
    .usage.summary = "Moves a scene to another member of a cluster.",
    .usage.notes =
        "URI is that of the database (see gizmoctl cluster). The member that has the "
        "scene saves and closes it, and the new member opens it; people in the scene "
        "see a short pause. The command returns when the new member has the scene, or says "
        "after 15 s that it does not. If the old member is not alive, the scene moves at "
        "once. A member that lacks many changes of the scene does not get it.",
    .run = run_move,
};
