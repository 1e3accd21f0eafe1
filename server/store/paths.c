/* paths.c - keeps a path for each node of each running drag, and a copy to restore if a transaction
 * fails. */
#include "store/paths.h"

#include <stdlib.h>
#include <string.h>

struct gz_path_run {
    struct gz_path_run *next;
    uint64_t edit, began_seq;
    double tolerance_m;
    size_t count, at; /* at: index of the node that was found last */
    uint64_t *nodes;
    struct gz_path_recorder *paths,
        *settled; /* with the effects of this transaction, and without */
    bool is_new, is_over, is_touched;
};

static void destroy_run(struct gz_path_run *run)
{
    free(run->nodes);
    free(run->paths);
    free(run->settled);
    free(run);
}

void gz_paths_finish(struct gz_paths *paths)
{
    while (paths->runs != NULL) {
        struct gz_path_run *next = paths->runs->next;
        destroy_run(paths->runs);
        paths->runs = next;
    }
}

void gz_paths_begin(struct gz_paths *paths, const struct gz_edit_record *edit)
{
    struct gz_path_run *run = calloc(1, sizeof *run);
    if (run == NULL) return;
    run->nodes = calloc(edit->change_count + 1, sizeof *run->nodes);
    run->paths = calloc(edit->change_count + 1, sizeof *run->paths);
    run->settled = calloc(edit->change_count + 1, sizeof *run->settled);
    if (run->nodes == NULL || run->paths == NULL || run->settled == NULL) {
        destroy_run(run);
        return;
    }
    run->edit = edit->id;
    run->began_seq = edit->began_seq;
    run->tolerance_m = edit->path_m;
    run->is_new = true;
    run->count = edit->change_count;
    for (size_t i = 0; i < run->count; i++) {
        run->nodes[i] = edit->changes[i].node;
        gz_path_recorder_begin(&run->paths[i], edit->began, &edit->changes[i].before.trs);
    }
    run->next = paths->runs;
    paths->runs = run;
}

static struct gz_path_run *find_run(const struct gz_paths *paths, uint64_t edit)
{
    struct gz_path_run *run = paths->runs;
    while (run != NULL && run->edit != edit) run = run->next;
    return run;
}

bool gz_paths_find(struct gz_paths *paths, uint64_t edit, uint64_t node,
                   struct gz_path_found *found)
{
    struct gz_path_run *run = find_run(paths, edit);
    if (run == NULL) return false;
    for (size_t tried = 0; tried < run->count; tried++) {
        size_t i = (run->at + tried) % run->count;
        if (run->nodes[i] != node) continue;
        run->at = i;
        run->is_touched = true;
        *found = (struct gz_path_found){&run->paths[i], run->tolerance_m, run->began_seq};
        return true;
    }
    return false;
}

void gz_paths_end(struct gz_paths *paths, uint64_t edit)
{
    struct gz_path_run *run = find_run(paths, edit);
    if (run != NULL) run->is_over = true;
}

void gz_paths_settle(struct gz_paths *paths, bool committed)
{
    for (struct gz_path_run **at = &paths->runs, *run = *at; run != NULL; run = *at) {
        if (committed ? run->is_over : run->is_new) {
            *at = run->next;
            destroy_run(run);
            continue;
        }
        if (run->is_touched || run->is_new)
            memcpy(committed ? run->settled : run->paths, committed ? run->paths : run->settled,
                   run->count * sizeof *run->paths);
        run->is_new = run->is_over = run->is_touched = false;
        at = &run->next;
    }
}
