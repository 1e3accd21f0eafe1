/* Says that a promise was broken, and what happens in a seed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/claims.h"
#include "sim/judge.h"
#include "sim/sim.h"

/* The judges of tests/support know of no sim: whoever runs now is who is meant. */
static struct sim *judged;

void judge_begin(struct sim *sim)
{
    judged = sim;
}

static void say_where(const char *promise)
{
    fflush(stdout);
    fprintf(stderr, "\nseed %llu, step %llu, at %.6f s: BROKEN PROMISE %s: ", NUMBER(judged->seed),
            NUMBER(judged->step), judged->now.mono_s, promise);
}

static _Noreturn void end(void)
{
    fprintf(stderr, "\nto see it again: sim --seed %llu --steps %llu\n", NUMBER(judged->seed),
            NUMBER(judged->steps));
    exit(1);
}

_Noreturn void broken(const char *promise, const char *format, ...)
{
    say_where(promise);
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    end();
}

_Noreturn void judge_broken(const char *claim, const char *file, int line)
{
    say_where(judged->claim);
    fprintf(stderr, "%s:%d: %s", file, line, claim);
    end();
}

void trace(const struct sim *sim, const char *format, ...)
{
    if (!sim->trace) return;
    printf("%6llu %11.6f  ", NUMBER(sim->step), sim->now.mono_s);
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
}

/* ---- messages in words ---- */

struct words {
    char *text;
    size_t used;
};

static void add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct words *words, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int size = vsnprintf(words->text + words->used, 256 - words->used, format, list);
    va_end(list);
    if (size > 0) words->used += (size_t)size;
    if (words->used > 255) words->used = 255;
}

static void add_ids(struct words *words, const char *what, struct gz_ids ids)
{
    if (ids.count > 0) add(words, " %s", what);
    for (size_t i = 0; i < ids.count && i < 8; i++) add(words, " %llu", NUMBER(ids.ids[i]));
}

static void add_note(struct words *words, const struct gz_message *message)
{
    const struct gz_note *note = &message->note;
    if (message->has & GZ_HAS_NOTE_NOTE)
        add(words, " %llu%s", NUMBER(note->note), note->gone ? " gone" : "");
    if (message->has & GZ_HAS_NOTE_REPLY) add(words, " to %llu", NUMBER(note->reply));
    if (message->has & GZ_HAS_NOTE_NODE) add(words, " at node %llu", NUMBER(note->node));
    add(words, "%s%s%s", message->has & GZ_HAS_NOTE_TEXT ? " text" : "",
        message->has & GZ_HAS_NOTE_POINT ? " point" : "",
        message->has & GZ_HAS_NOTE_DONE ? " done" : "");
}

static void add_from_client(struct words *words, const struct gz_message *message)
{
    const struct gz_pointer_message *pointer = &message->pointer;
    switch (message->op) {
    case GZ_OP_POINTER:
        add(words, " %s n %llu", gz_vocabulary_word(&gz_phase_words, (int)pointer->phase),
            NUMBER(pointer->n));
        break;
    case GZ_OP_GRAB:
        add(words, " %s%s", gz_vocabulary_word(&gz_handle_words, (int)pointer->handle),
            pointer->value.count > 0 ? " typed" : "");
        if (message->has & GZ_HAS_POINTER_NODES) add_ids(words, "of", pointer->nodes);
        break;
    case GZ_OP_NOTE: add_note(words, message); break;
    case GZ_OP_INTEREST:
        if (message->has & GZ_HAS_INTEREST_NODES)
            add_ids(words, "in nodes", message->interest.nodes);
        add(words, "%s%s", message->has & GZ_HAS_INTEREST_BOX ? " in a box" : "",
            message->interest.view ? " in view" : "");
        break;
    case GZ_OP_SET: add(words, " node %llu", NUMBER(message->set.nodes[0].id)); break;
    case GZ_OP_CREATE: add(words, " %zu nodes", message->create.count); break;
    case GZ_OP_DELETE: add_ids(words, "nodes", message->remove); break;
    case GZ_OP_SELECT: add_ids(words, "nodes", message->select.nodes); break;
    case GZ_OP_UNDO:
    case GZ_OP_REDO: add(words, "%s", message->force ? " by force" : ""); break;
    case GZ_OP_REVERT:
        add(words, " edit %llu%s", NUMBER(message->revert.edit),
            message->revert.force ? " by force" : "");
        break;
    case GZ_OP_RESTORE: add(words, " seq %llu", NUMBER(message->restore.seq)); break;
    default: break;
    }
}

static void add_from_server(struct words *words, const struct gz_message *message)
{
    const struct gz_delta *delta = &message->delta;
    switch (message->op) {
    case GZ_OP_DELTA:
        add(words, " %llu..%llu%s, %zu nodes, saved %llu", NUMBER(delta->from), NUMBER(delta->seq),
            delta->more ? " more" : "", delta->count, NUMBER(delta->saved));
        add_ids(words, "gone", delta->gone);
        break;
    case GZ_OP_WELCOME:
        add(words, " session %llu epoch %llu seq %llu%s", NUMBER(message->welcome.session),
            NUMBER(message->welcome.epoch), NUMBER(message->welcome.seq),
            message->welcome.resumed ? " resumed" : "");
        break;
    case GZ_OP_SAVED: add(words, " %llu", NUMBER(message->saved_seq)); break;
    case GZ_OP_PRESENCE:
        add(words, " of %zu", message->presence.count);
        add_ids(words, "left", message->presence.left);
        break;
    case GZ_OP_EDIT:
        add(words, " %llu seq %llu of %.*s, %s", NUMBER(message->edit.id),
            NUMBER(message->edit.seq), (int)message->edit.user.size, message->edit.user.bytes,
            gz_vocabulary_word(&gz_edit_kind_words, (int)message->edit.kind));
        add_ids(words, "on", message->edit.nodes);
        break;
    case GZ_OP_NOTES:
        add(words, " %zu%s%s", message->notes.count, message->notes.all ? " all" : "",
            message->notes.more ? " more" : "");
        add_ids(words, "gone", message->notes.gone);
        break;
    case GZ_OP_CHECKPOINT_NEWS:
        add(words, " %zu%s", message->checkpoint_news.count,
            message->checkpoint_news.all ? " all" : "");
        break;
    case GZ_OP_OK:
        if (message->has & GZ_HAS_OK_NOTE) add(words, " note %llu", NUMBER(message->ok.note));
        if (message->has & GZ_HAS_OK_EDIT) add(words, " edit %llu", NUMBER(message->ok.edit));
        if (message->has & GZ_HAS_OK_SEQ) add(words, " seq %llu", NUMBER(message->ok.seq));
        break;
    case GZ_OP_ERROR:
        add(words, " %s: %.*s", gz_status_word(message->error.code),
            (int)message->error.message.size, message->error.message.bytes);
        break;
    default: break;
    }
}

void describe(const struct gz_message *message, char text[256])
{
    struct words words = {text, 0};
    add(&words, "%s", gz_op_word(message->op));
    if (message->has & GZ_HAS_RID) add(&words, " #%llu", NUMBER(message->rid));
    if (message->op < GZ_OP_CLIENT_COUNT)
        add_from_client(&words, message);
    else
        add_from_server(&words, message);
    if (message->op < GZ_OP_CLIENT_COUNT && (message->has & GZ_HAS_KEY) != 0)
        add(&words, " key %.*s", (int)message->key.size, message->key.bytes);
}
