/* past.c - the edits after a seq, as JSON: those that watch --since prints first. */
#include "ctl.h"
#include "proto/limits.h"

struct past {
    uint64_t since;
    json_t *edits; /* the newest first */
    uint64_t id;   /* of the last of them, which may go on in the next answer */
    double ended;  /* of the last that was read */
    size_t count;  /* read of this page */
    bool is_begun; /* an edit was read that is not after `since` */
};

static enum gz_status add(struct past *past, const struct gz_edit_message *edit,
                          struct gz_error *error)
{
    json_t *json, *last = json_array_get(past->edits, json_array_size(past->edits) - 1);
    past->ended = edit->ended;
    past->is_begun = past->is_begun || edit->seq <= past->since;
    if (past->is_begun) return GZ_OK;
    const bool goes_on = edit->id == past->id;
    if (!goes_on) past->count++;
    past->id = edit->id;
    json = ctl_json_edit(edit);
    const int failed =
        goes_on ? json_array_extend(json_object_get(last, "nodes"), json_object_get(json, "nodes"))
                : json_array_append(past->edits, json);
    json_decref(json);
    return failed == 0 ? GZ_OK : gz_fail(error, GZ_NO_MEMORY, "no memory");
}

/* One page, of up to GZ_HISTORY_ROWS_MAX edits before the last that was read. */
static enum gz_status ask_page(struct gz_client *client, struct past *past, struct gz_error *error)
{
    uint64_t rid = 0;
    struct gz_message question = {.op = GZ_OP_HISTORY, .has = GZ_HAS_HISTORY_CHANGES};
    if (past->ended > 0) question.has |= GZ_HAS_HISTORY_BEFORE;
    question.history.before = past->ended;
    past->count = 0;
    enum gz_status status = gz_client_send(client, &question, &rid, error);
    for (bool more = true; status == GZ_OK && more;) {
        const struct gz_message *answer;
        status = gz_client_answer(client, rid, CTL_ANSWER_SECONDS, &answer, error);
        if (status != GZ_OK) return status;
        more = answer->ok.more;
        for (size_t i = 0; status == GZ_OK && i < answer->ok.edit_count; i++)
            status = add(past, &answer->ok.edits[i], error);
    }
    return status;
}

enum gz_status ctl_past_edits(struct gz_client *client, uint64_t since, json_t **edits,
                              struct gz_error *error)
{
    struct past past = {.since = since, .edits = json_array()};
    enum gz_status status = past.edits != NULL ? GZ_OK : gz_fail(error, GZ_NO_MEMORY, "no memory");
    do {
        if (status == GZ_OK) status = ask_page(client, &past, error);
    } while (status == GZ_OK && !past.is_begun && past.count == GZ_HISTORY_ROWS_MAX);
    if (status != GZ_OK) json_decref(past.edits);
    *edits = status == GZ_OK ? past.edits : NULL;
    return status;
}
