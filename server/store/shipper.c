/* shipper.c - records each transaction with SQLite's session extension and hands it to the log.
 *
 * The extension compares the columns of a row before and after a transaction, and 0 and -0 are
 * equal: a row in which only the sign of a zero changed would be missing from the change. Such
 * zeros are set to other numbers first, in a changeset of their own, which is mostly empty. A
 * change is this changeset followed by that of the transaction. */
#include "store/shipper.h"

#include <math.h>
#include <string.h>
#include <uv.h>

#include "store/database.h"
#include "store/rows.h"

enum gz_status gz_shipper_read_place(sqlite3 *db, struct gz_place *place, struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_ship[GZ_SQL_SHIP_PLACE]);
    place->n = place->first = 0;
    if (gz_ask_row(&ask)) {
        place->n = (uint64_t)sqlite3_column_int64(ask.statement, 0);
        place->first = (uint64_t)sqlite3_column_int64(ask.statement, 1);
    }
    return gz_ask_end(&ask, GZ_OK, error, "the scene's file");
}

/* A file that is not past the beginning of this log was in another log, or in none. */
static void find_log(struct gz_shipper *shipper, const struct gz_place *place)
{
    const uint64_t from = shipper->shipping->from;
    const bool is_in = place->n > from;
    shipper->n = is_in ? place->n : from;
    shipper->first = is_in ? place->first : from + 1;
}

enum gz_status gz_shipper_init(struct gz_shipper *shipper, sqlite3 *db,
                               const struct gz_shipping *shipping, struct gz_error *error)
{
    *shipper = (struct gz_shipper){.shipping = shipping, .db = db};
    struct gz_place place;
    enum gz_status status = gz_shipper_read_place(db, &place, error);
    if (status == GZ_OK && shipping == NULL)
        return place.n != 0 ? gz_db_exec(db, "UPDATE scene SET log_n = 0, log_first = 0", error)
                            : GZ_OK;
    if (status == GZ_OK) find_log(shipper, &place);
    if (status == GZ_OK)
        status = gz_db_prepare_all(db, gz_sql_ship, GZ_SQL_SHIP_COUNT, shipper->statements, error);
    if (status != GZ_OK) gz_shipper_finish(shipper);
    return status;
}

void gz_shipper_finish(struct gz_shipper *shipper)
{
    gz_shipper_end(shipper, false);
    for (int i = 0; i < GZ_SQL_SHIP_COUNT; i++) sqlite3_finalize(shipper->statements[i]);
    *shipper = (struct gz_shipper){0};
}

int gz_shipper_begin(struct gz_shipper *shipper)
{
    if (shipper->shipping == NULL) return SQLITE_OK;
    int rc = sqlite3session_create(shipper->db, "main", &shipper->session);
    return rc == SQLITE_OK ? sqlite3session_attach(shipper->session, NULL) : rc;
}

/* Ends the session; its changeset is the next part of the change. */
static int take_changeset(struct gz_shipper *shipper)
{
    struct gz_change_bytes *bytes = &shipper->bytes;
    void *changeset = NULL;
    int size = 0;
    int rc = sqlite3session_changeset(shipper->session, &size, &changeset);
    sqlite3session_delete(shipper->session);
    shipper->session = NULL;
    if (rc == SQLITE_OK && bytes->size > 0 && size > 0) {
        void *longer = sqlite3_realloc64(bytes->data, bytes->size + (size_t)size);
        if (longer == NULL) rc = SQLITE_NOMEM;
        if (longer != NULL) {
            memcpy((uint8_t *)longer + bytes->size, changeset, (size_t)size);
            *bytes = (struct gz_change_bytes){longer, bytes->size + (size_t)size};
        }
    } else if (rc == SQLITE_OK && size > 0) {
        *bytes = (struct gz_change_bytes){changeset, (size_t)size};
        changeset = NULL;
    }
    sqlite3_free(changeset);
    return rc;
}

/* ---- what a changeset would miss ---- */

static struct gz_ask start(struct gz_shipper *shipper, enum gz_sql_ship which, uint64_t id)
{
    struct gz_ask ask = gz_ask_begin(shipper->statements[which]);
    gz_bind_integer(&ask, id);
    return ask;
}

static int run(struct gz_shipper *shipper, enum gz_sql_ship which, uint64_t id)
{
    struct gz_ask ask = start(shipper, which, id);
    return gz_ask_run(&ask);
}

/* Whether a zero of the row, from this column on, changes its sign. */
static bool is_flipped(sqlite3_stmt *row, int column, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (values[i] != 0 || sqlite3_column_type(row, column + i) != SQLITE_FLOAT) continue;
        double before = sqlite3_column_double(row, column + i);
        if (before == 0 && !signbit(before) != !signbit(values[i])) return true;
    }
    return false;
}

static bool has_zero(const double *values, int count)
{
    int i = 0;
    while (i < count && values[i] != 0) i++;
    return i < count;
}

/* If the row exists and a zero of it will change its sign to that in `values`, the statement `set`
 * makes it differ. */
static int prepare_row(struct gz_shipper *shipper, enum gz_sql_ship which, enum gz_sql_ship set,
                       uint64_t id, const double *values, int count)
{
    if (!has_zero(values, count)) return SQLITE_OK;
    struct gz_ask ask = start(shipper, which, id);
    bool has_flip = gz_ask_row(&ask) && is_flipped(ask.statement, 0, values, count);
    int rc = gz_ask_finish(&ask);
    return rc == SQLITE_OK && has_flip ? run(shipper, set, id) : rc;
}

static int prepare_node(struct gz_shipper *shipper, const struct gz_node_record *node)
{
    const struct gz_content *content = &node->content;
    const gz_trs *trs = &content->trs;
    const gz_box *box = &content->bounds;
    const double values[] = {trs->t.x,   trs->t.y,   trs->t.z,   trs->r.x,  trs->r.y,   trs->r.z,
                             trs->r.w,   trs->s.x,   trs->s.y,   trs->s.z,  box->min.x, box->min.y,
                             box->min.z, box->max.x, box->max.y, box->max.z};
    int count = content->has_bounds ? 16 : GZ_TRS_COLUMN_COUNT;
    return prepare_row(shipper, GZ_SQL_SHIP_NODE, GZ_SQL_SHIP_SET_NODE, node->id, values, count);
}

static int prepare_note(struct gz_shipper *shipper, const struct gz_note_record *note)
{
    const double values[] = {note->point.x, note->point.y, note->point.z};
    if (!note->has_point) return SQLITE_OK;
    return prepare_row(shipper, GZ_SQL_SHIP_NOTE, GZ_SQL_SHIP_SET_NOTE, note->id, values, 3);
}

/* The rows from the beginning of a drag are overwritten at its end. If a node came back to its
 * start, another node has the row of its step. */
static int prepare_ended(struct gz_shipper *shipper, const struct gz_edit_record *edit)
{
    struct gz_ask ask = start(shipper, GZ_SQL_SHIP_CHANGED_NODES, edit->id);
    bool is_same = true;
    for (size_t i = 0; is_same && gz_ask_row(&ask); i++)
        is_same = i < edit->change_count &&
                  edit->changes[i].node == (uint64_t)sqlite3_column_int64(ask.statement, 0);
    int rc = gz_ask_finish(&ask);
    return rc == SQLITE_OK && !is_same ? run(shipper, GZ_SQL_SHIP_FORGET_CHANGES, edit->id) : rc;
}

static int prepare_batch(struct gz_shipper *shipper, const struct gz_batch *batch)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < batch->node_count; i++)
        rc = prepare_node(shipper, &batch->nodes[i]);
    for (size_t i = 0; rc == SQLITE_OK && i < batch->note_count; i++)
        rc = prepare_note(shipper, &batch->notes[i]);
    for (size_t i = 0; rc == SQLITE_OK && i < batch->ended_count; i++)
        rc = prepare_ended(shipper, &batch->ended[i]);
    return rc;
}

int gz_shipper_prepare(struct gz_shipper *shipper, const struct gz_batch *first)
{
    int rc = SQLITE_OK;
    if (shipper->shipping == NULL) return rc;
    for (; rc == SQLITE_OK && first != NULL; first = first->next)
        rc = prepare_batch(shipper, first);
    if (rc != SQLITE_OK || sqlite3session_isempty(shipper->session)) return rc;
    rc = take_changeset(shipper);
    return rc == SQLITE_OK ? gz_shipper_begin(shipper) : rc;
}

/* ---- to the log ---- */

static void begin_waiting(struct gz_shipper *shipper)
{
    atomic_store(&shipper->append_from_ns, uv_hrtime());
}

/* A reader in between counts the time twice rather than not at all. */
static void end_waiting(struct gz_shipper *shipper)
{
    atomic_fetch_add(&shipper->append_ns, uv_hrtime() - atomic_load(&shipper->append_from_ns));
    atomic_store(&shipper->append_from_ns, 0);
}

uint64_t gz_shipper_waited_ns(const struct gz_shipper *shipper)
{
    const uint64_t from_ns = atomic_load(&shipper->append_from_ns);
    const uint64_t running_ns = from_ns != 0 ? uv_hrtime() - from_ns : 0;
    return running_ns + atomic_load(&shipper->append_ns);
}

static int set_place(struct gz_shipper *shipper)
{
    struct gz_ask ask = start(shipper, GZ_SQL_SHIP_SET_PLACE, shipper->n + 1);
    gz_bind_integer(&ask, shipper->first);
    return gz_ask_run(&ask);
}

enum gz_status gz_shipper_append(struct gz_shipper *shipper, struct gz_error *error)
{
    if (shipper->is_fenced)
        return gz_fail(error, GZ_BAD_STATE, "the log of the scene has another writer now");
    if (shipper->shipping == NULL ||
        (shipper->bytes.size == 0 && sqlite3session_isempty(shipper->session) != 0))
        return GZ_OK;
    int rc = set_place(shipper);
    if (rc == SQLITE_OK) rc = take_changeset(shipper);
    if (rc != SQLITE_OK) return gz_db_fail(shipper->db, rc, error, "the change for the log");
    begin_waiting(shipper);
    const struct gz_shipping *shipping = shipper->shipping;
    enum gz_status status = shipping->append(shipping->context, shipper->n + 1, shipper->bytes.data,
                                             shipper->bytes.size, error);
    end_waiting(shipper);
    shipper->may_be_in_log = status == GZ_OK || status == GZ_INTERNAL;
    shipper->is_fenced |= status == GZ_BAD_STATE;
    return status;
}

void gz_shipper_end(struct gz_shipper *shipper, bool is_committed)
{
    if (shipper->session != NULL) sqlite3session_delete(shipper->session);
    sqlite3_free(shipper->bytes.data);
    shipper->session = NULL;
    shipper->bytes = (struct gz_change_bytes){0};
    if (shipper->may_be_in_log && is_committed) shipper->n++;
    shipper->is_behind |= shipper->may_be_in_log && !is_committed;
    shipper->may_be_in_log = false;
}
