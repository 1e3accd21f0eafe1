/* client_selection.c - predicts this client's selection. See client_selection.h. */
#include "client_selection.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/ids.h"

static void change(struct gz_client_selection_list *list, struct gz_ids named, enum gz_how how)
{
    struct gz_arena scratch;
    size_t count = SIZE_MAX;
    gz_arena_init(&scratch, SIZE_MAX);
    if (gz_grow(&list->ids, &list->capacity, list->count + named.count, sizeof *list->ids))
        count = gz_select_ids(list->ids, list->count, named.ids, named.count, how, &scratch);
    list->count = count != SIZE_MAX ? count : 0;
    gz_arena_finish(&scratch);
}

static struct gz_ids ids_of(const struct gz_client_selection_list *list)
{
    return (struct gz_ids){list->ids, list->count};
}

void gz_client_selection_change(struct gz_client_selection *chosen, struct gz_ids named,
                                enum gz_how how)
{
    chosen->version++;
    change(&chosen->expected, named, how);
}

void gz_client_selection_await(struct gz_client_selection *chosen, uint64_t rid)
{
    chosen->rid = rid;
    chosen->is_press = false;
}

void gz_client_selection_press(struct gz_client_selection *chosen, uint64_t rid, bool adds)
{
    chosen->rid = rid;
    chosen->is_press = true;
    chosen->adds = adds;
}

void gz_client_selection_tell(struct gz_client_selection *chosen, struct gz_ids ids)
{
    change(&chosen->told, ids, GZ_HOW_SET);
    if (chosen->rid == 0) gz_client_selection_change(chosen, ids, GZ_HOW_SET);
}

void gz_client_selection_give_up(struct gz_client_selection *chosen)
{
    chosen->rid = 0;
    gz_client_selection_change(chosen, ids_of(&chosen->told), GZ_HOW_SET);
}

/* Takes the answer to a press: the server has grabbed a handle, or selected a node. */
static void take_press(struct gz_client_selection *chosen, const struct gz_message *message)
{
    struct gz_ids hit = {&message->ok.hit, (message->has & GZ_HAS_OK_HIT) != 0};
    if (message->has & GZ_HAS_OK_HANDLE) return;
    if (hit.count > 0 || !chosen->adds)
        gz_client_selection_change(chosen, hit, chosen->adds ? GZ_HOW_ADD : GZ_HOW_SET);
}

void gz_client_selection_answer(struct gz_client_selection *chosen,
                                const struct gz_message *message)
{
    if (chosen->rid == 0 || message->rid != chosen->rid) return;
    chosen->rid = 0;
    if (message->op == GZ_OP_ERROR) {
        gz_client_selection_give_up(chosen);
        return;
    }
    if (chosen->is_press) take_press(chosen, message);
    change(&chosen->told, ids_of(&chosen->expected), GZ_HOW_SET);
}

void gz_client_selection_clear(struct gz_client_selection *chosen)
{
    chosen->expected.count = chosen->told.count = 0;
    chosen->rid = 0;
    chosen->version++;
}

void gz_client_selection_finish(struct gz_client_selection *chosen)
{
    free(chosen->expected.ids);
    free(chosen->told.ids);
    *chosen = (struct gz_client_selection){.rid = 0};
}
