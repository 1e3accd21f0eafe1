/* solver_records.h - recorded drags with their exact answers, from tests/data/drags: JSON lines in
 * gzip. One case and one answer at a time; the reader owns what it points to until the next one. */
#ifndef SOLVER_RECORDS_H
#define SOLVER_RECORDS_H

#include <jansson.h>
#include <zlib.h>

#include "solver/replay.h"

#define RECORD_POINTS_MAX 64

struct records {
    gzFile cases, answers;
    json_t *one, *answer;
    char line[1 << 18];
};

struct record {
    int id;
    char kind[16]; /* its class: typical, steep, ... */
    char tool[24];
    struct gz_replay_case replay;
    double path[RECORD_POINTS_MAX][2];
    double rows[RECORD_POINTS_MAX][GZ_REPLAY_ROW];
    bool has_row[RECORD_POINTS_MAX];
    int duplicate; /* index of a point that is the same as the one before; -1: none */
};

bool records_open(struct records *records, const char *directory);
/* False at the end. A record that cannot be read ends the program with a line on stderr. */
bool records_next(struct records *records, struct record *record);
void records_close(struct records *records);

#endif
