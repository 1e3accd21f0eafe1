#include "wish.h"

#include <stdlib.h>
#include <string.h>

bool gz_wishes_ask(struct gz_wishes *wishes, const struct gz_message *interest)
{
    size_t count = interest->has & GZ_HAS(NODES) ? interest->interest.nodes.count : 0;
    struct gz_wish *wish = malloc(sizeof *wish + count * sizeof wish->ids[0]);
    if (wish == NULL) return false;
    wish->next = NULL;
    wish->message = *interest;
    if (count > 0) memcpy(wish->ids, interest->interest.nodes.ids, count * sizeof wish->ids[0]);
    wish->message.interest.nodes = (struct gz_ids){wish->ids, count};
    struct gz_wish **end = &wishes->asked;
    while (*end != NULL) end = &(*end)->next;
    *end = wish;
    return true;
}

static bool is_whole(const struct gz_message *interest)
{
    bool view = interest->has & GZ_HAS(VIEW) && interest->interest.view;
    return !view && !(interest->has & (GZ_HAS(NODES) | GZ_HAS(BOX)));
}

static void set_taken(struct gz_wishes *wishes, struct gz_wish *wish)
{
    free(wishes->taken);
    wishes->taken = wish;
}

bool gz_wishes_answer(struct gz_wishes *wishes, uint64_t rid, bool taken)
{
    if (wishes->taken != NULL && wishes->taken->message.rid == rid) {
        if (!taken) set_taken(wishes, NULL);
        return taken;
    }
    struct gz_wish **link = &wishes->asked;
    while (*link != NULL && (*link)->message.rid != rid) link = &(*link)->next;
    struct gz_wish *wish = *link;
    if (wish == NULL) return false;
    *link = wish->next;
    bool whole = is_whole(&wish->message);
    if (taken) set_taken(wishes, whole ? NULL : wish);
    if (!taken || whole) free(wish);
    return taken;
}

void gz_wishes_forget_asked(struct gz_wishes *wishes)
{
    while (wishes->asked != NULL) {
        struct gz_wish *wish = wishes->asked;
        wishes->asked = wish->next;
        free(wish);
    }
}

void gz_wishes_clear(struct gz_wishes *wishes)
{
    gz_wishes_forget_asked(wishes);
    set_taken(wishes, NULL);
}
