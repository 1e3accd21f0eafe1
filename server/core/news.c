/* news.c - what happened in a scene as a list of events, for a hook: the messages that viewers are
 * told, each with a name. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/core.h"
#include "core/describe.h"
#include "feed/feed.h"
#include "proto/json.h"
#include "server/maxima.h"

/* The longest text that is printed here. */
#define TEXT_BYTES 256

__attribute__((format(printf, 2, 3))) static bool print(struct gz_buffer *out, const char *format,
                                                        ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return gz_buffer_append(out, text, (size_t)size) == GZ_OK;
}

/* An edit has the id that server-sent events give it. */
static bool print_head(struct gz_buffer *out, const struct gz_news_record *news, enum gz_op op)
{
    char besides[32] = "";
    if (news->id > 0) snprintf(besides, sizeof besides, "-%" PRIu64, news->id);
    return print(out, "{\"event\":\"%" PRIx64 "-%" PRIu64 "%s\",\"op\":\"%s\"", news->epoch,
                 news->seq, besides, gz_op_word(op));
}

/* The message of one event; `note` and `checkpoint` are memory for it. */
static struct gz_message message_of(const struct gz_news_record *news, uint64_t epoch,
                                    struct gz_note_state *note,
                                    struct gz_checkpoint_state *checkpoint)
{
    struct gz_message message = {.op = GZ_OP_EDIT};
    if (news->edit != NULL) {
        message.edit = gz_describe_edit(
            news->edit, epoch, (struct gz_ids){news->edit->nodes, news->edit->change_count});
    } else if (news->checkpoint != NULL) {
        *checkpoint = gz_describe_checkpoint(news->checkpoint);
        message.op = GZ_OP_CHECKPOINT_NEWS;
        message.checkpoint_news = (struct gz_checkpoints){.checkpoints = checkpoint, .count = 1};
    } else if (news->note->gone) {
        message.op = GZ_OP_NOTES;
        message.notes.gone = (struct gz_ids){&news->note->id, 1};
    } else {
        *note = gz_describe_note(news->note);
        message.op = GZ_OP_NOTES;
        message.notes = (struct gz_notes){.notes = note, .count = 1};
    }
    return message;
}

static enum gz_status print_event(struct gz_buffer *out, const struct gz_news_record *news,
                                  uint64_t epoch)
{
    struct gz_note_state note;
    struct gz_checkpoint_state checkpoint;
    const struct gz_message message = message_of(news, epoch, &note, &checkpoint);
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_FRAME_BYTES_MAX, 0);
    enum gz_status status = gz_encode(&bytes, &message);
    const bool ok = print_head(out, news, message.op);
    const size_t fields = out->size;
    if (status == GZ_OK && !ok) status = GZ_NO_MEMORY;
    if (status == GZ_OK) status = gz_json_append_fields(out, bytes.data, bytes.size);
    if (status == GZ_OK) out->data[fields] = ','; /* they go on in the same object */
    gz_buffer_finish(&bytes);
    return status;
}

/* What is no longer kept is said in words, as an event of its own. */
static bool print_missing(struct gz_buffer *out, const struct gz_answer *answer)
{
    return answer->missing == 0 ||
           print(out,
                 "{\"event\":\"missing-%" PRIu64 "\",\"op\":\"missing\",\"seq\":%" PRIu64
                 ",\"message\":\"edits up to this seq were removed from the history before "
                 "they could be posted\"}",
                 answer->missing, answer->missing);
}

enum gz_status gz_core_print_news(const struct gz_answer *answer, uint64_t epoch, size_t most,
                                  struct gz_buffer *out, struct gz_printed_news *printed,
                                  struct gz_error *error)
{
    const size_t begin = out->size;
    *printed = (struct gz_printed_news){.behind = answer->told};
    enum gz_status status = print_missing(out, answer) ? GZ_OK : GZ_NO_MEMORY;
    for (size_t i = 0; status == GZ_OK && i < answer->news_count; i++) {
        const struct gz_news_record *news = &answer->news[i];
        const size_t before = out->size;
        if (before > begin && !print(out, ",\n")) status = GZ_NO_MEMORY;
        if (status == GZ_OK) status = print_event(out, news, epoch);
        if (i > 0 && out->size - begin > most) {
            gz_buffer_truncate(out, before);
            break;
        }
        printed->count++;
        printed->epoch = news->epoch;
        if (news->edit != NULL)
            printed->behind.seq = news->seq;
        else
            printed->behind.news = news->id;
    }
    return status == GZ_OK ? GZ_OK : gz_fail(error, status, "no memory for the news");
}
