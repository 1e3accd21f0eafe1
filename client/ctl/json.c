/* json.c - messages of the server as JSON, for --json. */
#include <math.h>

#include "ctl.h"

json_t *ctl_json_numbers(const double *numbers, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_real(numbers[i]));
    return list;
}

json_t *ctl_json_ids(struct gz_ids of)
{
    json_t *list = json_array();
    for (size_t i = 0; i < of.count; i++)
        json_array_append_new(list, json_integer((json_int_t)of.ids[i]));
    return list;
}

static json_t *text(struct gz_text of)
{
    return json_stringn(of.size > 0 ? of.bytes : "", of.size);
}

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static void put_state(json_t *object, const struct gz_node_state *state)
{
    const gz_trs *trs = &state->trs;
    if (state->has & GZ_HAS_STATE_BY) json_object_set_new(object, "by", integer(state->by));
    if (state->has & GZ_HAS_STATE_T)
        json_object_set_new(object, "t", ctl_json_numbers(&trs->t.x, 3));
    if (state->has & GZ_HAS_STATE_R)
        json_object_set_new(object, "r", ctl_json_numbers(&trs->r.x, 4));
    if (state->has & GZ_HAS_STATE_S)
        json_object_set_new(object, "s", ctl_json_numbers(&trs->s.x, 3));
    if (state->has & GZ_HAS_STATE_NAME) json_object_set_new(object, "name", text(state->name));
    if (state->has & GZ_HAS_STATE_PARENT)
        json_object_set_new(object, "parent",
                            state->parent != 0 ? integer(state->parent) : json_null());
    if (state->has & GZ_HAS_STATE_BOUNDS)
        json_object_set_new(object, "bounds", ctl_json_numbers(&state->bounds.min.x, 6));
    if (state->has & GZ_HAS_STATE_ASSET)
        json_object_set_new(object, "asset", integer(state->asset));
}

json_t *ctl_json_state(const struct gz_node_state *state)
{
    json_t *object = json_pack("{s:I}", "id", (json_int_t)state->id);
    put_state(object, state);
    return object;
}

json_t *ctl_json_delta(const struct gz_delta *delta)
{
    json_t *nodes = json_array(), *acks = json_array();
    for (size_t i = 0; i < delta->count; i++)
        json_array_append_new(nodes, ctl_json_state(&delta->nodes[i]));
    for (size_t i = 0; i < delta->ack_count; i++)
        json_array_append_new(acks, json_pack("[I,I]", (json_int_t)delta->acks[i].session,
                                              (json_int_t)delta->acks[i].n));
    json_t *object =
        json_pack("{s:s,s:I,s:I,s:f,s:b,s:I,s:o}", "op", "delta", "from", (json_int_t)delta->from,
                  "seq", (json_int_t)delta->seq, "time", delta->time, "more", delta->more, "saved",
                  (json_int_t)delta->saved, "nodes", nodes);
    if (delta->gone.count > 0) json_object_set_new(object, "gone", ctl_json_ids(delta->gone));
    if (delta->ack_count > 0)
        json_object_set_new(object, "acks", acks);
    else
        json_decref(acks);
    return object;
}

static json_t *change(const struct gz_change_message *of)
{
    json_t *object = json_pack("{s:I}", "id", (json_int_t)of->id);
    if (of->has & GZ_HAS_CHANGE_NAME) json_object_set_new(object, "name", text(of->name));
    if (of->has & GZ_HAS_CHANGE_BEFORE) {
        json_t *before = json_object();
        put_state(before, &of->before);
        json_object_set_new(object, "before", before);
    }
    if (of->has & GZ_HAS_CHANGE_AFTER) {
        json_t *after = json_object();
        put_state(after, &of->after);
        json_object_set_new(object, "after", after);
    }
    return object;
}

json_t *ctl_json_edit(const struct gz_edit_message *edit)
{
    json_t *object =
        json_pack("{s:s,s:I,s:I,s:o,s:s,s:o,s:I,s:f,s:f}", "op", "edit", "id", (json_int_t)edit->id,
                  "by", (json_int_t)edit->by, "user", text(edit->user), "kind",
                  gz_vocabulary_word(&gz_edit_kind_words, (int)edit->kind), "nodes",
                  ctl_json_ids(edit->nodes), "seq", (json_int_t)edit->seq, "began", edit->began,
                  "ended", edit->ended);
    if (edit->has & GZ_HAS_EDIT_NAME) json_object_set_new(object, "name", text(edit->name));
    if (edit->has & GZ_HAS_EDIT_HANDLE)
        json_object_set_new(object, "handle",
                            json_string(gz_vocabulary_word(&gz_handle_words, (int)edit->handle)));
    const struct gz_value *value = &edit->value;
    if (edit->has & GZ_HAS_EDIT_VALUE)
        json_object_set_new(object, "value",
                            value->count == 1 ? json_real(value->numbers[0])
                                              : ctl_json_numbers(value->numbers, 2));
    if (edit->has & GZ_HAS_EDIT_RESIDUAL)
        json_object_set_new(object, "residual", json_real(edit->residual));
    if (edit->undone) json_object_set_new(object, "undone", json_true());
    if (edit->has & GZ_HAS_EDIT_TOTAL) json_object_set_new(object, "total", integer(edit->total));
    if (edit->change_count == 0) return object;
    json_t *changes = json_array();
    for (size_t i = 0; i < edit->change_count; i++)
        json_array_append_new(changes, change(&edit->changes[i]));
    json_object_set_new(object, "changes", changes);
    return object;
}

json_t *ctl_json_done(const struct gz_message *done)
{
    json_t *object = json_pack("{s:s}", "op", "ok");
    if (done->has & GZ_HAS_OK_EDIT) json_object_set_new(object, "edit", integer(done->ok.edit));
    if (done->has & GZ_HAS_OK_SEQ) json_object_set_new(object, "seq", integer(done->ok.seq));
    if (done->has & GZ_HAS_OK_NOTE) json_object_set_new(object, "note", integer(done->ok.note));
    if (done->ok.ids.count > 0) json_object_set_new(object, "ids", ctl_json_ids(done->ok.ids));
    return object;
}

json_t *ctl_json_note(const struct gz_note_state *note)
{
    json_t *object = json_pack("{s:I,s:o}", "id", (json_int_t)note->id, "user", text(note->user));
    json_object_set_new(object, "text", text(note->text));
    if (note->has & GZ_HAS_NOTE_STATE_NODE)
        json_object_set_new(object, "node", integer(note->node));
    if (note->has & GZ_HAS_NOTE_STATE_POINT)
        json_object_set_new(object, "point", ctl_json_numbers(&note->point.x, 3));
    if (note->has & GZ_HAS_NOTE_STATE_REPLY)
        json_object_set_new(object, "reply", integer(note->reply));
    if (note->done) json_object_set_new(object, "done", json_true());
    json_object_set_new(object, "made", json_real(note->made));
    json_object_set_new(object, "changed", json_real(note->changed));
    return object;
}

json_t *ctl_json_notes(const struct gz_notes *notes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < notes->count; i++)
        json_array_append_new(list, ctl_json_note(&notes->notes[i]));
    json_t *object = json_pack("{s:s,s:o}", "op", "notes", "notes", list);
    if (notes->gone.count > 0) json_object_set_new(object, "gone", ctl_json_ids(notes->gone));
    if (notes->all) json_object_set_new(object, "all", json_true());
    return object;
}

json_t *ctl_json_checkpoint(const struct gz_checkpoint_state *checkpoint)
{
    json_t *object =
        json_pack("{s:o,s:I}", "name", text(checkpoint->name), "seq", (json_int_t)checkpoint->seq);
    json_object_set_new(object, "user", text(checkpoint->user));
    json_object_set_new(object, "made", json_real(checkpoint->made));
    if (checkpoint->gone) json_object_set_new(object, "gone", json_true());
    return object;
}

json_t *ctl_json_checkpoints(const struct gz_checkpoints *checkpoints)
{
    json_t *list = json_array();
    for (size_t i = 0; i < checkpoints->count; i++)
        json_array_append_new(list, ctl_json_checkpoint(&checkpoints->checkpoints[i]));
    json_t *object = json_pack("{s:s,s:o}", "op", "checkpoints", "checkpoints", list);
    if (checkpoints->all) json_object_set_new(object, "all", json_true());
    return object;
}

json_t *ctl_json_access(const struct gz_access_state *access)
{
    json_t *object = json_pack("{s:o,s:s}", "user", text(access->user), "role",
                               gz_vocabulary_word(&gz_role_words, (int)access->role));
    json_object_set_new(object, "by", text(access->by));
    json_object_set_new(object, "made", json_real(access->made));
    return object;
}

json_t *ctl_json_person(const struct gz_presence_user *person)
{
    char colour[8];
    snprintf(colour, sizeof colour, "#%06x", (unsigned)(person->rgb & 0xFFFFFF));
    json_t *object = json_pack("{s:I,s:o,s:s,s:s}", "session", (json_int_t)person->session, "user",
                               text(person->user), "colour", colour, "role",
                               gz_vocabulary_word(&gz_role_words, (int)person->role));
    if (person->has & GZ_HAS_PRESENCE_AT)
        json_object_set_new(object, "at", ctl_json_numbers(person->at, 2));
    if (person->has & GZ_HAS_PRESENCE_RAY)
        json_object_set_new(object, "ray", ctl_json_numbers(person->ray, 6));
    if (person->has & GZ_HAS_PRESENCE_VIEW)
        json_object_set_new(object, "view", ctl_json_numbers(person->view, 16));
    if (person->has & GZ_HAS_PRESENCE_LENS)
        json_object_set_new(object, "lens", ctl_json_numbers(person->lens, 4));
    if (person->parallel) json_object_set_new(object, "parallel", json_true());
    if (person->has & GZ_HAS_PRESENCE_SELECTION)
        json_object_set_new(object, "selection", ctl_json_ids(person->selection));
    if (person->has & GZ_HAS_PRESENCE_TOOL)
        json_object_set_new(object, "tool",
                            json_string(gz_vocabulary_word(&gz_mode_words, (int)person->tool)));
    if (person->has & GZ_HAS_PRESENCE_LOCKS)
        json_object_set_new(object, "locks", ctl_json_ids(person->locks));
    return object;
}

static int handle_output(const char *bytes, size_t size, void *context)
{
    return fwrite(bytes, 1, size, context) == size ? 0 : -1;
}

void ctl_put_json(FILE *out, json_t *json)
{
    json_dump_callback(json, handle_output, out, JSON_COMPACT | JSON_REAL_PRECISION(17));
    fputc('\n', out);
    json_decref(json);
}

enum gz_status ctl_json_read_numbers(const json_t *object, const char *field, double *numbers,
                                     size_t count, struct gz_error *error)
{
    const json_t *list = json_object_get(object, field);
    if (list == NULL) return gz_fail(error, GZ_BAD_VALUE, "%s: missing", field);
    if (!json_is_array(list) || json_array_size(list) != count)
        return gz_fail(error, GZ_BAD_VALUE, "%s: must be a list of %zu numbers", field, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *number = json_array_get(list, i);
        numbers[i] = json_number_value(number);
        if (!json_is_number(number) || !isfinite(numbers[i]))
            return gz_fail(error, GZ_BAD_VALUE, "%s[%zu]: must be a finite number", field, i);
    }
    return GZ_OK;
}
