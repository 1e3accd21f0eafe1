/* news.c - answers what happened in a scene behind a place: edits, and what was done besides
 * (schema/README.md, "news"), in one order. */
#include "server/maxima.h"
#include "store/parts.h"
#include "store/rows.h"

/* Columns of GZ_SQL_QUERY_NEWS_AFTER: the checkpoint, the note, and whether that is gone. */
enum { CHECKPOINT_COLUMN = 3, NOTE_COLUMN = 8, GONE_COLUMN = NOTE_COLUMN + 12 };
/* In a row that begins with the columns {edit}. */
enum { EDIT_EPOCH_COLUMN = 4, EDIT_SEQ_COLUMN = 11 };

struct reading {
    struct gz_ask edits, nodes, news;
    bool has_edit, has_news; /* the next row of each */
    struct gz_news_record *records;
    size_t node_count; /* of the edits */
};

static struct gz_ask ask_after(sqlite3 *db, enum gz_sql_query which, uint64_t after, uint64_t until,
                               uint32_t limit)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_query[which]);
    gz_bind_integer(&ask, after);
    gz_bind_integer(&ask, until);
    gz_bind_integer(&ask, limit);
    return ask;
}

static enum gz_status read_edit(struct reading *reading, struct gz_answer *answer,
                                struct gz_news_record *record)
{
    struct gz_edit_record *edit = gz_arena_take(&answer->arena, 1, sizeof *edit);
    if (edit == NULL) return GZ_NO_MEMORY;
    enum gz_status status = gz_read_brief_edit(reading->edits.statement, reading->nodes.statement,
                                               0, &answer->arena, edit, &answer->error);
    if (status != GZ_OK) return status;
    *record = (struct gz_news_record){.epoch = edit->epoch, .seq = edit->seq, .edit = edit};
    reading->node_count += edit->change_count;
    reading->has_edit = gz_ask_row(&reading->edits);
    return GZ_OK;
}

static enum gz_status read_checkpoint(sqlite3_stmt *row, struct gz_answer *answer,
                                      struct gz_news_record *record)
{
    const int at = CHECKPOINT_COLUMN;
    struct gz_checkpoint_record *checkpoint = gz_arena_take(&answer->arena, 1, sizeof *checkpoint);
    if (checkpoint == NULL) return GZ_NO_MEMORY;
    if (gz_text_fault(row, at, GZ_CHECKPOINT_BYTES_MAX) != NULL ||
        gz_text_fault(row, at + 2, GZ_USER_BYTES_MAX) != NULL ||
        gz_counter_fault(row, at + 1, 0) != NULL || gz_time_fault(row, at + 3) != NULL)
        return gz_row_fail(&answer->error, "news", (int64_t)record->id, "it is no checkpoint");
    *checkpoint = (struct gz_checkpoint_record){.name = gz_read_text(row, at, &answer->arena),
                                                .seq = (uint64_t)sqlite3_column_int64(row, at + 1),
                                                .user = gz_read_text(row, at + 2, &answer->arena),
                                                .made = sqlite3_column_double(row, at + 3),
                                                .gone = sqlite3_column_int(row, at + 4) != 0};
    record->checkpoint = checkpoint;
    return checkpoint->name != NULL && checkpoint->user != NULL ? GZ_OK : GZ_NO_MEMORY;
}

static enum gz_status read_note(sqlite3_stmt *row, struct gz_answer *answer,
                                struct gz_news_record *record)
{
    struct gz_note_record *note = gz_arena_take(&answer->arena, 1, sizeof *note);
    if (note == NULL) return GZ_NO_MEMORY;
    record->note = note;
    enum gz_status status = gz_read_note(row, NOTE_COLUMN, &answer->arena, note, &answer->error);
    note->gone = sqlite3_column_int(row, GONE_COLUMN) != 0;
    return status;
}

static enum gz_status read_news(struct reading *reading, struct gz_answer *answer,
                                struct gz_news_record *record)
{
    sqlite3_stmt *row = reading->news.statement;
    *record = (struct gz_news_record){.id = (uint64_t)sqlite3_column_int64(row, 0),
                                      .epoch = (uint64_t)sqlite3_column_int64(row, 1),
                                      .seq = (uint64_t)sqlite3_column_int64(row, 2)};
    for (int column = 0; column < 3; column++)
        if (gz_counter_fault(row, column, 0) != NULL)
            return gz_row_fail(&answer->error, "news", (int64_t)record->id, "it has no place");
    const bool is_note = sqlite3_column_type(row, CHECKPOINT_COLUMN) == SQLITE_NULL;
    enum gz_status status =
        is_note ? read_note(row, answer, record) : read_checkpoint(row, answer, record);
    if (status == GZ_OK) reading->has_news = gz_ask_row(&reading->news);
    return status;
}

/* The edits up to the seq of the other news come before them. */
static bool is_edit_next(const struct reading *reading)
{
    return reading->has_edit &&
           (!reading->has_news || sqlite3_column_int64(reading->edits.statement, EDIT_SEQ_COLUMN) <=
                                      sqlite3_column_int64(reading->news.statement, 2));
}

static enum gz_status read_all(struct reading *reading, uint32_t limit, struct gz_answer *answer)
{
    enum gz_status status = GZ_OK;
    reading->has_edit = gz_ask_row(&reading->edits);
    reading->has_news = gz_ask_row(&reading->news);
    while (status == GZ_OK && (reading->has_edit || reading->has_news) &&
           answer->news_count < limit && reading->node_count < GZ_NEWS_NODES_MAX) {
        struct gz_news_record *record = &reading->records[answer->news_count++];
        status = is_edit_next(reading) ? read_edit(reading, answer, record)
                                       : read_news(reading, answer, record);
    }
    return status;
}

/* From where on, and what of it is no longer kept. */
static enum gz_status find_place(sqlite3 *db, const struct gz_query *query,
                                 struct gz_answer *answer)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_query[GZ_SQL_QUERY_TOLD]);
    uint64_t since = 0;
    if (gz_ask_row(&ask)) {
        answer->told = (struct gz_told){(uint64_t)sqlite3_column_int64(ask.statement, 0),
                                        (uint64_t)sqlite3_column_int64(ask.statement, 1)};
        since = (uint64_t)sqlite3_column_int64(ask.statement, 2);
    }
    if (query->has_told) answer->told = query->told;
    if (since > answer->told.seq) answer->told.seq = answer->missing = since;
    return gz_ask_end(&ask, GZ_OK, &answer->error, "the news");
}

enum gz_status gz_answer_news(struct gz_db_reader *reader, const struct gz_query *query,
                              struct gz_answer *answer)
{
    enum gz_status status = find_place(reader->db, query, answer);
    if (status != GZ_OK) return status;
    const bool has_end = query->until.seq > 0 || query->until.news > 0;
    const struct gz_told until =
        has_end ? query->until : (struct gz_told){GZ_COUNTER_MAX, GZ_COUNTER_MAX};
    struct reading reading = {
        .edits = ask_after(reader->db, GZ_SQL_QUERY_EDITS_AFTER, answer->told.seq, until.seq,
                           query->limit),
        .nodes = gz_ask_prepare(reader->db, gz_sql_rows[GZ_SQL_ROWS_NODES]),
        .news = ask_after(reader->db, GZ_SQL_QUERY_NEWS_AFTER, answer->told.news, until.news,
                          query->limit),
        .records = gz_arena_take(&answer->arena, query->limit, sizeof *reading.records)};
    answer->news = reading.records;
    status = reading.records == NULL ? GZ_NO_MEMORY : GZ_OK;
    if (status == GZ_OK && reading.nodes.rc == SQLITE_OK)
        status = read_all(&reading, query->limit, answer);
    if (status == GZ_NO_MEMORY) gz_fail(&answer->error, status, "no memory for the news");
    status = gz_ask_end(&reading.edits, status, &answer->error, "the news");
    status = gz_ask_end(&reading.nodes, status, &answer->error, "the news");
    return gz_ask_end(&reading.news, status, &answer->error, "the news");
}
