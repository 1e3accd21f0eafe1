/* interests.c - keeps the interests of a client, so that it can ask for them again after a
 * reconnect. See interests.h. */
#include "interests.h"

#include <stdlib.h>
#include <string.h>

bool gz_interests_ask(struct gz_interests *interests, const struct gz_message *interest)
{
    size_t count = interest->has & GZ_HAS_INTEREST_NODES ? interest->interest.nodes.count : 0;
    struct gz_interest_request *request = malloc(sizeof *request + count * sizeof request->ids[0]);
    if (request == NULL) return false;
    request->next = NULL;
    request->message = *interest;
    if (count > 0)
        memcpy(request->ids, interest->interest.nodes.ids, count * sizeof request->ids[0]);
    request->message.interest.nodes = (struct gz_ids){request->ids, count};
    struct gz_interest_request **end = &interests->asked;
    while (*end != NULL) end = &(*end)->next;
    *end = request;
    return true;
}

static bool is_whole(const struct gz_message *interest)
{
    bool view = interest->has & GZ_HAS_INTEREST_VIEW && interest->interest.view;
    return !view && !(interest->has & (GZ_HAS_INTEREST_NODES | GZ_HAS_INTEREST_BOX));
}

static void set_taken(struct gz_interests *interests, struct gz_interest_request *request)
{
    free(interests->taken);
    interests->taken = request;
}

static struct gz_interest_request *take_first(struct gz_interests *interests)
{
    struct gz_interest_request *first = interests->asked;
    interests->asked = first->next;
    return first;
}

static bool is_asked(const struct gz_interests *interests, uint64_t rid)
{
    const struct gz_interest_request *at = interests->asked;
    while (at != NULL && at->message.rid != rid) at = at->next;
    return at != NULL;
}

bool gz_interests_answer(struct gz_interests *interests, uint64_t rid, bool taken)
{
    if (interests->taken != NULL && interests->taken->message.rid == rid) {
        if (!taken) set_taken(interests, NULL);
        return taken;
    }
    if (!is_asked(interests, rid)) return false;
    while (interests->asked->message.rid != rid) free(take_first(interests));
    struct gz_interest_request *request = take_first(interests);
    bool whole = is_whole(&request->message);
    if (taken) set_taken(interests, whole ? NULL : request);
    if (!taken || whole) free(request);
    return taken;
}

void gz_interests_forget_asked(struct gz_interests *interests)
{
    while (interests->asked != NULL) free(take_first(interests));
}

void gz_interests_clear(struct gz_interests *interests)
{
    gz_interests_forget_asked(interests);
    set_taken(interests, NULL);
}
