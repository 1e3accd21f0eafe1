/* People who follow a part of the scene: a few subtrees, a box, what their camera sees. After each
 * complete delta they have exactly that part of the scene as it was then, as support/core_part.h
 * finds it in the model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "sim/chance.h"
#include "sim/frames.h"
#include "sim/judge.h"
#include "sim/mirrors.h"
#include "sim/parts.h"
#include "sim/sim.h"

/* ---- what is asked for ---- */

void say_interest(struct sim *sim, struct person *person)
{
    uint64_t ids[2] = {any_node(sim, person), any_node(sim, person)};
    gz_vec3 corner = any_place(sim);
    struct gz_message message = {.op = GZ_OP_INTEREST};
    uint64_t kind = below(sim, 8);
    if (kind < 3) {
        message.has = GZ_HAS_INTEREST_NODES;
        message.interest.nodes = (struct gz_ids){ids, ids[0] == ids[1] ? 1 : below(sim, 3)};
    } else if (kind < 5) {
        message.has = GZ_HAS_INTEREST_BOX;
        message.interest.box =
            (gz_box){corner, gz_add(corner, (gz_vec3){between(sim, 0, 5), 2, 3})};
    } else if (kind < 7) {
        message.has = GZ_HAS_INTEREST_VIEW;
        message.interest.view = true;
    }
    struct part_wish wish = part_wish_of(&message.interest, message.has);
    struct request *request = person_say(sim, person, &message);
    if (wish.kind == PART_WHOLE) {
        part_wish_finish(&wish);
        return;
    }
    request->wish = malloc(sizeof wish);
    if (request->wish == NULL) abort();
    *request->wish = wish;
}

void part_answered(struct person *person, const struct request *request)
{
    person->wish = request->wish;
    person->part |= request->wish != NULL;
    person->checked = UINT64_MAX;
    person->looked = 0;
}

/* ---- cameras ---- */

/* What a moving camera sees is looked at again so long after the end of the look before at the
 * latest. */
#define LOOKS_S (GZ_VIEW_MS_MIN / 1000.0)

bool part_note_camera(const struct sim *sim, struct link *link)
{
    const struct gz_session *session = link->session;
    if (session->view.camera == NULL) return false;
    const struct gz_camera_input *input = &session->view.camera->input;
    struct seen_camera *last =
        link->camera_count > 0 ? &link->cameras[link->camera_count - 1] : NULL;
    if (last != NULL && memcmp(last->camera.view, input->view, sizeof input->view) == 0)
        return false;
    if (last != NULL) last->until_s = sim->now.mono_s;
    link->cameras =
        grow(link->cameras, &link->camera_capacity, link->camera_count + 1, sizeof *link->cameras);
    struct seen_camera *seen = &link->cameras[link->camera_count++];
    *seen = (struct seen_camera){.until_s = INFINITY};
    memcpy(seen->camera.view, input->view, sizeof input->view);
    memcpy(seen->camera.proj, input->proj, sizeof input->proj);
    return true;
}

void part_hide_camera(const struct sim *sim, struct link *link)
{
    link->hidden_until_s = sim->now.mono_s + LOOKS_S;
}

void part_note_look(const struct sim *sim, struct link *link)
{
    const bool was_looked_for = link->is_looked_for;
    link->is_looked_for = !gz_feed_is_ready(sim->core->feed, &link->session->subscriber);
    if (link->is_looked_for && !was_looked_for) link->look_began_s = sim->now.mono_s;
    if (link->is_looked_for || was_looked_for) link->look_s = sim->now.mono_s - link->look_began_s;
}

void part_stamp(const struct sim *sim, const struct link *link, struct parcel *parcel)
{
    const double seen_s = sim->now.mono_s - LOOKS_S - link->look_s;
    size_t first = 0;
    while (first < link->camera_count && link->cameras[first].until_s < seen_s) first++;
    parcel->camera_first = first;
    parcel->camera_last = link->camera_count > 0 ? link->camera_count - 1 : 0;
    parcel->camera_hidden = sim->now.mono_s <= link->hidden_until_s;
}

/* ---- what they have ---- */

static bool has(const struct gz_node_record *nodes, size_t count, uint64_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].id == id) return true;
    }
    return id == 0;
}

static struct gz_node_record record_of(const struct thing *thing, uint64_t id)
{
    struct gz_node_record record = {.id = id, .seq = id};
    record.content = (struct gz_content){
        .name = thing->name,
        .parent = thing->parent,
        .trs = thing->trs,
        .has_bounds = thing->has_bounds != 0,
        .bounds = thing->bounds,
        .asset = thing->asset,
    };
    return record;
}

/* The scene as it was, parents first. */
static struct gz_node_record *nodes_at(const struct model *model, uint64_t seq, size_t *count)
{
    struct gz_node_record *nodes = calloc(model->life_count + 1, sizeof *nodes);
    if (nodes == NULL) abort();
    *count = 0;
    for (size_t before = SIZE_MAX; before != *count;) {
        before = *count;
        for (uint64_t id = 1; id < model->life_count; id++) {
            const struct thing *thing = model_at(model, id, seq);
            if (!thing->there || has(nodes, *count, id) || !has(nodes, *count, thing->parent))
                continue;
            nodes[(*count)++] = record_of(thing, id);
        }
    }
    return nodes;
}

static bool holds(const struct person *person, const struct part_wish *wish,
                  const struct gz_node_record *nodes, size_t count)
{
    bool *must, *may;
    part_wish_nodes(wish, nodes, count, &must, &may);
    bool is_part = mirror_is_part(&person->mirror, nodes, count, must, may);
    free(must);
    free(may);
    return is_part;
}

/* Of cameras that came one soon after the other the view may be of any, but not of one before that
 * it was of already. */
static bool holds_view(struct person *person, const struct gz_node_record *nodes, size_t count,
                       size_t first, size_t last)
{
    struct part_wish wish = *person->wish;
    if (person->looked < first) person->looked = first;
    for (size_t at = person->looked; at <= last; at++) {
        wish.camera = person->link->cameras[at].camera;
        if (!holds(person, &wish, nodes, count)) continue;
        person->looked = at;
        return true;
    }
    return false;
}

static void compare_contents(const struct sim *sim, const struct person *person)
{
    for (size_t i = 0; i < person->mirror.count; i++) {
        const struct mirror_node *node = &person->mirror.nodes[i];
        struct thing thing = thing_told(sim, person, node);
        PROMISE(same_thing(&thing, model_at(&sim->model, node->id, person->mirror.complete)),
                "what is told of a part is as it is", "%s/%d has node %llu wrong at seq %llu",
                person->user, person->index, NUMBER(node->id), NUMBER(person->mirror.complete));
    }
}

void part_compare(struct sim *sim, struct person *person, size_t camera_first, size_t camera_last)
{
    size_t count;
    struct gz_node_record *nodes = nodes_at(&sim->model, person->mirror.complete, &count);
    bool right = person->wish->kind == PART_VIEW
                     ? holds_view(person, nodes, count, camera_first, camera_last)
                     : holds(person, person->wish, nodes, count);
    free(nodes);
    static const char *const kinds[] = {"the whole", "subtrees", "a box", "a view"};
    PROMISE(right, "a part is exactly the part", "%s/%d, who follows %s, has %zu nodes at seq %llu",
            person->user, person->index, kinds[person->wish->kind], person->mirror.count,
            NUMBER(person->mirror.complete));
    compare_contents(sim, person);
}

void part_hear(struct sim *sim, struct person *person, const struct parcel *parcel)
{
    if (person->wish->kind == PART_VIEW && parcel->camera_hidden)
        compare_contents(sim, person);
    else
        part_compare(sim, person, parcel->camera_first, parcel->camera_last);
}
