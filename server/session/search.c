/* search.c - answers a `pick` with `rect`. See search.h. */
#include "session/search.h"

#include <stdlib.h>

#include "scene/look.h"
#include "server/maxima.h"
#include "session/bounds_pick.h"
#include "session/hits.h"
#include "session/past.h"
#include "session/session.h"

struct gz_search {
    uint64_t rid;
    struct gz_pick asked;
    struct gz_look look;
    struct gz_hits hits;
};

void gz_search_destroy(struct gz_search *search)
{
    if (search == NULL) return;
    gz_look_finish(&search->look);
    gz_hits_finish(&search->hits);
    free(search);
}

static enum gz_status no_memory(struct gz_failure *failure)
{
    return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to pick among the nodes");
}

/* Sends the hits as one answer, or in pieces if they are many. */
static enum gz_status answer(struct gz_session *session, struct gz_search *search,
                             struct gz_failure *failure)
{
    struct gz_message request = {.has = GZ_HAS_RID, .rid = search->rid};
    size_t count = search->hits.count;
    if (count > GZ_HITS_PER_MESSAGE) {
        enum gz_status status = gz_past_send_hits(&session->past, search->rid, &search->hits);
        return status == GZ_OK ? GZ_OK : no_memory(failure);
    }
    struct gz_hit *hits = gz_arena_take(&session->core->scratch, count, sizeof *hits);
    if (hits == NULL) return no_memory(failure);
    gz_budget_charge(session, GZ_PRICE_MOVED * count);
    for (size_t i = 0; i < count; i++) hits[i] = gz_hits_take(&search->hits);
    struct gz_ok ok = {.hits = hits, .hit_count = count};
    gz_session_ok(session, &request, GZ_HAS_OK_HITS, &ok);
    return GZ_OK;
}

/* Looks at the next nodes, and charges for them. */
static enum gz_look_step look(struct gz_session *session, struct gz_search *search)
{
    size_t *budget = &session->core->slice;
    const size_t before = search->look.spent;
    const struct gz_node *node;
    enum gz_look_step step;
    while ((step = gz_look_next(&search->look, session->core->scene, budget, &node)) ==
           GZ_LOOK_NODE) {
        struct gz_hit hit;
        if (gz_session_pick_rect(session, &search->asked, node, &hit) &&
            !gz_hits_add(&search->hits, &hit))
            return GZ_LOOK_NO_MEMORY;
    }
    gz_budget_charge(session, search->look.spent - before);
    return step;
}

/* Whether the search is over: it was answered or has failed. */
static bool is_over(struct gz_session *session, struct gz_search *search, enum gz_status *status,
                    struct gz_failure *failure)
{
    const enum gz_look_step step = look(session, search);
    *status = GZ_OK;
    if (step == GZ_LOOK_END) *status = answer(session, search, failure);
    if (step == GZ_LOOK_NO_MEMORY) *status = no_memory(failure);
    return step != GZ_LOOK_PAUSE;
}

enum gz_status gz_session_search(struct gz_session *session, const struct gz_message *message,
                                 struct gz_failure *failure)
{
    struct gz_search *search = calloc(1, sizeof *search);
    enum gz_status status;
    gz_plane planes[GZ_PICK_PLANES];
    if (search == NULL) return no_memory(failure);
    gz_pick_rect_cull(session->view.camera, message->pick.rect, planes);
    search->rid = message->rid;
    search->asked = message->pick;
    search->look = gz_look_into(planes, GZ_PICK_PLANES);
    if (gz_look_fits(session->core->scene, session->core->slice) &&
        is_over(session, search, &status, failure)) {
        gz_search_destroy(search);
        return status;
    }
    session->search = search;
    return GZ_OK;
}

void gz_session_go_on_searching(struct gz_session *session)
{
    struct gz_search *search = session->search;
    struct gz_failure failure = {.node = 0};
    enum gz_status status;
    if (!is_over(session, search, &status, &failure)) return;
    if (status != GZ_OK) gz_session_refuse(session, true, search->rid, &failure, false);
    session->search = NULL;
    gz_search_destroy(search);
}
