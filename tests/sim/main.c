/* The program of the simulation.
 *
 *   sim [--seeds N] [--from N] [--first FILE] [--steps N]
 *     runs N seeds; those that FILE lists are run first.
 *
 *   sim --seed N [--steps N]
 *     runs one seed and prints all that happens in it.
 *
 * Exit codes: 0 if every promise held; 1 if one was broken: stderr names it, the seed, the step and
 * how to see it again; 2 if the command line is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/sim.h"
#include "sim/world.h"

enum { SEEDS = 2000, STEPS = 4000 };

struct options {
    uint64_t seed, seeds, from, steps;
    bool one;
    const char *first;
};

static bool read_options(int count, char **words, struct options *options)
{
    *options = (struct options){.seeds = SEEDS, .from = 1, .steps = STEPS};
    for (int i = 1; i + 1 < count; i += 2) {
        uint64_t number = strtoull(words[i + 1], NULL, 10);
        if (strcmp(words[i], "--seed") == 0)
            options->seed = number, options->one = true;
        else if (strcmp(words[i], "--seeds") == 0)
            options->seeds = number;
        else if (strcmp(words[i], "--from") == 0)
            options->from = number;
        else if (strcmp(words[i], "--steps") == 0)
            options->steps = number;
        else if (strcmp(words[i], "--first") == 0)
            options->first = words[i + 1];
        else
            return false;
    }
    return count % 2 == 1;
}

/* A line of the file: a seed, its steps, and why it is there. */
static bool run_first(const char *path, struct sim_counts *counts)
{
    char line[512];
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    while (fgets(line, sizeof line, file) != NULL) {
        char *end;
        uint64_t seed = strtoull(line, &end, 10);
        if (end == line) continue;
        sim_run(seed, strtoull(end, NULL, 10), false, counts);
        counts->seeds++;
    }
    fclose(file);
    return true;
}

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

int main(int count, char **words)
{
    struct options options;
    struct sim_counts counts = {0};
    if (!read_options(count, words, &options)) {
        fprintf(
            stderr,
            "sim [--seeds N] [--from N] [--first FILE] [--steps N] | sim --seed N [--steps N]\n");
        return 2;
    }
    if (options.first != NULL && !run_first(options.first, &counts)) {
        fprintf(stderr, "%s cannot be read\n", options.first);
        return 2;
    }
    uint64_t from = options.one ? options.seed : options.from,
             seeds = options.one ? 1 : options.seeds;
    for (uint64_t seed = from; seed < from + seeds; seed++, counts.seeds++)
        sim_run(seed, options.steps, options.one, &counts);
    printf("%zu seeds, %zu steps, %zu actions, %zu edits, %zu cuts, %zu resumes, %zu places taken, "
           "%zu restarts, %zu refused commits, %zu times bulk, %zu steps of motions; "
           "%.0f seeds/s\n",
           counts.seeds, counts.steps, counts.actions, counts.edits, counts.cuts, counts.resumes,
           counts.replaced, counts.restarts, counts.refusals, counts.bulk, counts.motions,
           (double)counts.seeds / cpu_seconds());
    return 0;
}
