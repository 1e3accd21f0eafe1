/* edit_bench - how fast edits are stored: `set` of one node over a socket with so many in flight,
 * beside the same rows written by the store's statements alone, the same with each transaction
 * made a change for a log, and fsync alone.
 * edit_bench FOLDER [SECONDS [FLIGHT]]        the files are made in FOLDER and removed; FLIGHT:
 * with that many in flight alone; $GIZMOD: the daemon
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/edits.h"
#include "store/database.h"
#include "store/ship.h"
#include "store/store.h"
#include "store/writer.h"
#include "support/cmocka.h"
#include "support/crowd.h"
#include "support/daemon.h"

#define NODES EDITS_NODES
#define FLIGHT_MAX EDITS_FLIGHT_MAX
#define START 1.7e9

static double seconds = 2;

/* ---- fsync alone ---- */

/* Four kilobytes are written over and made durable, again and again. */
static double bench_fsync(const char *folder)
{
    char path[256], bytes[4096] = "";
    size_t count = 0;
    snprintf(path, sizeof path, "%s/fsync", folder);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    for (int i = 0; i < 256; i++) assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    assert_int_equal(fsync(fd), 0);
    double begin = crowd_unix_s();
    for (; crowd_unix_s() - begin < seconds; count++) {
        bytes[0]++;
        assert_int_equal(pwrite(fd, bytes, sizeof bytes, (off_t)(count % 256) * 4096), 4096);
        assert_int_equal(fdatasync(fd), 0);
    }
    double per_s = (double)count / (crowd_unix_s() - begin);
    close(fd);
    unlink(path);
    return per_s;
}

/* ---- the store's statements alone ---- */

struct bare {
    char path[256], wal_path[272];
    struct gz_shipper shipper;
    struct gz_writer writer;
    uint64_t seq, edit;
    double x[NODES];
};

static void open_bare(struct bare *bare, const char *folder, const struct gz_shipping *shipping)
{
    struct gz_error error;
    struct gz_store *store;
    struct gz_scene_state state;
    sqlite3 *db;
    snprintf(bare->path, sizeof bare->path, "%s/bare.db", folder);
    snprintf(bare->wal_path, sizeof bare->wal_path, "%s-wal", bare->path);
    struct gz_store_options options = {.path = bare->path, .create = true, .time = START};
    if (gz_store_open(&store, &options, &state, &error) != GZ_OK) fail_msg("%s", error.message);
    gz_store_close(store);
    if (gz_db_open(bare->path, SQLITE_OPEN_READWRITE, &db, &error) != GZ_OK ||
        gz_db_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", &error) != GZ_OK ||
        gz_db_exec(db, "UPDATE scene SET time = time", &error) != GZ_OK ||
        gz_shipper_init(&bare->shipper, db, shipping, &error) != GZ_OK ||
        gz_writer_init(&bare->writer, &bare->shipper, bare->wal_path, state.epoch, GZ_RECORD_THIN,
                       &error) != GZ_OK)
        fail_msg("%s", error.message);
    gz_scene_state_finish(&state);
}

static struct gz_content content(double x)
{
    struct gz_content content = {.name = "a node of a bench", .trs = gz_trs_identity, .asset = -1};
    content.trs.t.x = x;
    return content;
}

static void add_edit(struct bare *bare, struct gz_edit_record *edit, struct gz_change *change,
                     struct gz_node_record *node)
{
    uint64_t i = bare->edit % NODES;
    double time = START + (double)bare->edit * 1e-4;
    bool existed = bare->edit >= NODES;
    *change = (struct gz_change){.node = i + 1,
                                 .existed = existed,
                                 .exists = true,
                                 .before = content(bare->x[i]),
                                 .after = content((double)bare->edit)};
    bare->x[i] = (double)bare->edit;
    *edit = (struct gz_edit_record){.id = ++bare->edit,
                                    .kind = existed ? GZ_EDIT_SET : GZ_EDIT_CREATE,
                                    .user = "crowd",
                                    .began = time,
                                    .ended = time,
                                    .began_seq = bare->seq,
                                    .seq = bare->seq + 1,
                                    .changes = change,
                                    .change_count = 1};
    *node = (struct gz_node_record){.id = i + 1, .seq = ++bare->seq, .content = change->after};
}

static void commit_bare(struct bare *bare, size_t count)
{
    static struct gz_edit_record edits[FLIGHT_MAX];
    static struct gz_change changes[FLIGHT_MAX];
    static struct gz_node_record nodes[FLIGHT_MAX];
    struct gz_error error;
    for (size_t i = 0; i < count; i++) add_edit(bare, &edits[i], &changes[i], &nodes[i]);
    size_t first = count > NODES ? count - NODES : 0; /* each node is in a batch once */
    struct gz_batch batch = {.seq = bare->seq,
                             .time = START + (double)bare->edit * 1e-4,
                             .next_node = NODES + 1,
                             .next_edit = bare->edit + 1,
                             .nodes = nodes + first,
                             .node_count = count - first,
                             .ended = edits,
                             .ended_count = count};
    if (gz_writer_commit(&bare->writer, &batch, &error) != GZ_OK) fail_msg("%s", error.message);
    if (bare->writer.wal_pages > 8000) { /* as often as a store copies its log */
        (void)gz_writer_wal_checkpoint(&bare->writer, false);
        bare->writer.wal_pages = 0;
    }
}

/* What a change weighs is counted, and nothing is done with it. */
static enum gz_status append(void *context, uint64_t n, const uint8_t *bytes, size_t size,
                             struct gz_error *error)
{
    size_t *sum = context;
    (void)n;
    (void)bytes;
    (void)error;
    *sum += size;
    return GZ_OK;
}

static double bench_bare(const char *folder, size_t flight, const struct gz_shipping *shipping)
{
    static struct bare bare;
    bare = (struct bare){.seq = 0};
    open_bare(&bare, folder, shipping);
    commit_bare(&bare, NODES);
    size_t count = 0;
    double begin = crowd_unix_s();
    for (; crowd_unix_s() - begin < seconds; count += flight) commit_bare(&bare, flight);
    double per_s = (double)count / (crowd_unix_s() - begin);
    gz_writer_finish(&bare.writer);
    unlink(bare.path);
    return per_s;
}

/* ---- over a socket ---- */

/* Bytes that the process had written to files. */
static double written_bytes(const struct test_daemon *daemon)
{
    char path[64], line[128];
    double bytes = NAN;
    snprintf(path, sizeof path, "/proc/%d/io", (int)daemon->pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) (void)sscanf(line, "write_bytes: %lf", &bytes);
    fclose(file);
    return bytes;
}

static void bench_live(size_t flight)
{
    struct test_daemon daemon;
    test_daemon_init(&daemon);
    test_daemon_start(&daemon, "--messages-per-s", "1000000");
    double bytes = written_bytes(&daemon);
    const struct edits edits = edits_go(daemon.port, "bench", flight, seconds);
    bytes = written_bytes(&daemon) - bytes;
    printf(" %.0f | %.2f / %.2f | %.1f |\n", edits.per_s, edits.p50_ms, edits.p99_ms,
           bytes / edits.count / 1000);
    fflush(stdout);
    test_daemon_end(&daemon);
    test_daemon_finish(&daemon);
}

int main(int count, char **arguments)
{
    static const size_t flights[] = {1, 16, 64, 256};
    if (count < 2) {
        fprintf(stderr, "edit_bench FOLDER [SECONDS [FLIGHT]]\n");
        return 1;
    }
    if (count > 2) seconds = atof(arguments[2]);
    const size_t only = count > 3 ? strtoul(arguments[3], NULL, 10) : 0;
    printf("fsync alone %.0f/s\n\n| in flight | statements alone | shipped | gizmod | p50 / p99 ms "
           "| kB |\n"
           "| --- | --- | --- | --- | --- | --- |\n",
           bench_fsync(arguments[1]));
    for (size_t i = 0; i < sizeof flights / sizeof flights[0]; i++) {
        size_t bytes = 0;
        if (only != 0 && only != flights[i]) continue;
        const struct gz_shipping shipping = {.context = &bytes, .append = append};
        printf("| %zu | %.0f |", flights[i], bench_bare(arguments[1], flights[i], NULL));
        printf(" %.0f |", bench_bare(arguments[1], flights[i], &shipping));
        fflush(stdout);
        bench_live(flights[i]);
    }
    return 0;
}
