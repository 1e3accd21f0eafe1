/* The host's part of /healthz and /metrics. */
#include "host/metrics.h"

#include <inttypes.h>

#include "host/loan.h"
#include "net/text.h"
#include "server/maxima.h"

bool gz_scenes_are_healthy(const struct gz_scenes *scenes, struct gz_error *error)
{
    const struct gz_open_scene *scene = NULL;
    while ((scene = gz_scenes_next(scenes, scene)) != NULL) {
        struct gz_store_stats stats = gz_store_stats(scene->store);
        if (stats.last_status != GZ_OK) {
            gz_fail(error, GZ_STORAGE, "%s: the last commit failed", scene->name);
            return false;
        }
        if (stats.last_commit_s > GZ_COMMIT_SECONDS_MAX) {
            gz_fail(error, GZ_STORAGE, "%s: the last commit took %.1f s", scene->name,
                    stats.last_commit_s);
            return false;
        }
    }
    return true;
}

enum measure {
    NODES,
    SEQ,
    SAVED,
    USERS,
    COMMITS,
    ROWS,
    WAL_BYTES,
    COMMIT_SECONDS,
    UNCHECKED,
    READ_ONLY,
    TRIANGLES,
    SURFACE_BYTES,
    UNDO_BYTES,
    DELETED_BYTES,
    MEASURE_COUNT
};

static const struct {
    const char *name, *type, *help;
} lines[MEASURE_COUNT] = {
    [NODES] = {"scene_nodes", "gauge", "Nodes that are not deleted."},
    [SEQ] = {"scene_seq", "gauge", "The seq of the latest change."},
    [SAVED] = {"scene_saved", "gauge", "The seq up to which all is on stable storage."},
    [USERS] = {"scene_users", "gauge", "Sessions in the scene."},
    [COMMITS] = {"scene_commits_total", "counter", "Commits since it was opened."},
    [ROWS] = {"scene_rows_total", "counter", "Rows written since it was opened."},
    [WAL_BYTES] = {"scene_wal_bytes", "gauge", "Bytes in the write-ahead log."},
    [COMMIT_SECONDS] = {"scene_commit_seconds", "gauge",
                        "Duration of the last commit, without the log of a cluster."},
    [UNCHECKED] = {"scene_unchecked", "gauge",
                   "1 while its whole file is still to be checked after a crash."},
    [READ_ONLY] = {"scene_read_only", "gauge", "1 if its file is damaged, or cannot be written."},
    [TRIANGLES] = {"scene_triangles", "gauge",
                   "Triangles that nodes are picked by; 0 until they are loaded."},
    [SURFACE_BYTES] = {"scene_surface_bytes", "gauge",
                       "Bytes of the triangles that nodes are picked by."},
    [UNDO_BYTES] = {"scene_undo_bytes", "gauge", "Bytes of the edits that can be undone."},
    [DELETED_BYTES] = {"scene_deleted_bytes", "gauge",
                       "Bytes of what is known of deleted nodes, for viewers who resume."},
};

static double measure_scene(const struct gz_open_scene *scene, enum measure measure)
{
    struct gz_core_summary summary = gz_open_scene_summary(scene);
    struct gz_store_stats stats = gz_store_stats(scene->store);
    const double values[MEASURE_COUNT] = {
        [NODES] = (double)summary.nodes,
        [SEQ] = (double)summary.seq,
        [SAVED] = (double)summary.saved,
        [USERS] = (double)summary.users,
        [COMMITS] = (double)stats.commits,
        [ROWS] = (double)stats.rows,
        [WAL_BYTES] = (double)stats.wal_bytes,
        [COMMIT_SECONDS] = stats.last_commit_s,
        [UNCHECKED] = stats.is_unchecked,
        [READ_ONLY] = stats.is_read_only,
        [TRIANGLES] = (double)summary.triangles,
        [SURFACE_BYTES] = (double)(summary.surface_bytes + summary.surface_bytes_before),
        [UNDO_BYTES] = (double)summary.undo_bytes,
        [DELETED_BYTES] = (double)summary.grave_bytes};
    return values[measure];
}

static bool measure_disk(const struct gz_disk *disk, struct gz_buffer *out)
{
    return gz_text_print(
        out,
        "# HELP gizmod_disk_free_bytes Bytes that the disk of the data folder has free.\n"
        "# TYPE gizmod_disk_free_bytes gauge\ngizmod_disk_free_bytes %" PRIu64 "\n"
        "# HELP gizmod_disk_short 1 while edits are refused because the disk is nearly full.\n"
        "# TYPE gizmod_disk_short gauge\ngizmod_disk_short %d\n",
        disk->free_bytes, disk->is_short);
}

static bool measure_memory(const struct gz_memory *memory, struct gz_buffer *out)
{
    const struct {
        const char *name, *type, *help;
        uint64_t value;
    } values[] = {{"memory_bytes", "gauge",
                   "Memory of the process' own, with what requests were just allowed to take.",
                   gz_memory_used(memory)},
                  {"memory_max_bytes", "gauge", "The bound that --memory sets; 0 for none.",
                   memory->bytes_max},
                  {"memory_short", "gauge",
                   "1 while nothing more can be forgotten, and large requests are refused.",
                   memory->is_short},
                  {"memory_forgotten_bytes_total", "counter",
                   "Bytes of undo and deleted nodes that were forgotten to keep the bound.",
                   memory->forgotten_bytes},
                  {"memory_refusals_total", "counter",
                   "Requests that were refused to keep the bound.", memory->refusals}};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof values / sizeof values[0]; i++)
        ok = gz_text_print(out, "# HELP gizmod_%s %s\n# TYPE gizmod_%s %s\ngizmod_%s %" PRIu64 "\n",
                           values[i].name, values[i].help, values[i].name, values[i].type,
                           values[i].name, values[i].value);
    return ok;
}

bool gz_scenes_measure(const struct gz_scenes *scenes, struct gz_buffer *out)
{
    bool ok = gz_text_print(
        out,
        "# HELP gizmod_scenes Open scenes.\n# TYPE gizmod_scenes gauge\ngizmod_scenes %zu\n"
        "# HELP gizmod_sqlite_bytes Bytes that SQLite has allocated: a part of gizmod_heap_bytes.\n"
        "# TYPE gizmod_sqlite_bytes gauge\ngizmod_sqlite_bytes %" PRIu64 "\n",
        scenes->count, gz_store_memory());
    if (scenes->setting->disk != NULL) ok = ok && measure_disk(scenes->setting->disk, out);
    if (scenes->setting->memory != NULL) ok = ok && measure_memory(scenes->setting->memory, out);
    for (int i = 0; i < MEASURE_COUNT; i++) {
        ok = ok && gz_text_print(out, "# HELP gizmod_%s %s\n# TYPE gizmod_%s %s\n", lines[i].name,
                                 lines[i].help, lines[i].name, lines[i].type);
        const struct gz_open_scene *scene = NULL;
        while (ok && (scene = gz_scenes_next(scenes, scene)) != NULL)
            ok = gz_text_print(out, "gizmod_%s{scene=\"%s\"} %.17g\n", lines[i].name, scene->name,
                               measure_scene(scene, (enum measure)i));
    }
    return ok;
}

/* ---- the cluster ---- */

/* The scenes whose files are behind. */
static bool measure_lags(struct gz_cluster *cluster, struct gz_buffer *out)
{
    struct gz_cluster_lag lags[GZ_CLUSTER_LAGS_MAX];
    const size_t count = gz_cluster_lags(cluster, lags);
    bool ok = gz_text_print(
        out, "# HELP gizmod_cluster_scene_behind_changes Changes in the log that the file lacks.\n"
             "# TYPE gizmod_cluster_scene_behind_changes gauge\n");
    for (size_t i = 0; ok && i < count; i++)
        ok = gz_text_print(out, "gizmod_cluster_scene_behind_changes{scene=\"%s\"} %" PRIu64 "\n",
                           lags[i].scene, lags[i].changes);
    ok = ok &&
         gz_text_print(
             out,
             "# HELP gizmod_cluster_scene_behind_seconds How long the file has lacked changes.\n"
             "# TYPE gizmod_cluster_scene_behind_seconds gauge\n");
    for (size_t i = 0; ok && i < count; i++)
        ok = gz_text_print(out, "gizmod_cluster_scene_behind_seconds{scene=\"%s\"} %.17g\n",
                           lags[i].scene, lags[i].seconds);
    return ok;
}

bool gz_cluster_measure(struct gz_cluster *cluster, struct gz_buffer *out)
{
    const struct gz_cluster_stats stats = gz_cluster_stats(cluster);
    const struct {
        const char *name, *type, *help;
        double value;
    } values[] = {
        {"claims", "gauge", "Scenes that this member serves.", (double)stats.claims},
        {"scenes", "gauge", "Scenes in the log.", (double)stats.scenes},
        {"behind_changes", "gauge", "Changes in the log that the files of this member lack.",
         (double)stats.behind},
        {"behind_scenes", "gauge", "Scenes whose files lack changes.", (double)stats.behind_scenes},
        {"behind_seconds", "gauge", "How long the most delayed file has lacked changes.",
         stats.behind_s},
        {"leases_total", "counter", "Leases of scenes that were taken.", (double)stats.taken},
        {"fenced_total", "counter", "Leases that another member took from this one.",
         (double)stats.fenced},
        {"appends_total", "counter", "Changes that went into the log.", (double)stats.appends},
        {"append_bytes_total", "counter", "Bytes of the changes that went into the log.",
         (double)stats.append_bytes},
        {"append_seconds_total", "counter", "Time that the log took for all changes.",
         stats.append_s},
        {"append_seconds", "gauge", "Time that the log took for the last change.",
         stats.last_append_s},
        {"silence_seconds", "gauge", "Time since the log last accepted a change.",
         stats.silence_s}};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof values / sizeof values[0]; i++)
        ok = gz_text_print(out,
                           "# HELP gizmod_cluster_%s %s\n# TYPE gizmod_cluster_%s %s\n"
                           "gizmod_cluster_%s %.17g\n",
                           values[i].name, values[i].help, values[i].name, values[i].type,
                           values[i].name, values[i].value);
    return ok && measure_lags(cluster, out);
}
