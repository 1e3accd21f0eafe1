/* peers.c - the connections of a server by address and activity. See peers.h. */
#include "net/peers.h"

#include <stdlib.h>
#include <string.h>

/* An address with connections. */
struct gz_peer_address {
    struct gz_address network;
    size_t count;
    struct gz_peer_address *next; /* in its bucket */
};

void gz_peers_init(struct gz_peers *peers, size_t per_address, uint64_t seed)
{
    *peers = (struct gz_peers){.per_address = per_address, .seed = seed};
}

/* ---- addresses ---- */

static struct gz_peer_address **bucket_of(struct gz_peers *peers, const struct gz_address *network)
{
    return &peers->buckets[gz_address_hash(network, peers->seed) % GZ_PEER_BUCKETS];
}

/* The link to this address, or to the end of its bucket. */
static struct gz_peer_address **find(struct gz_peers *peers, const struct gz_address *network)
{
    struct gz_peer_address **link = bucket_of(peers, network);
    while (*link != NULL && !gz_address_equal(&(*link)->network, network)) link = &(*link)->next;
    return link;
}

void gz_peer_uncount(struct gz_peers *peers, struct gz_peer *peer)
{
    struct gz_peer_address *address = peer->address;
    peer->address = NULL;
    if (address == NULL || --address->count > 0) return;
    *find(peers, &address->network) = address->next;
    free(address);
}

bool gz_peer_count(struct gz_peers *peers, struct gz_peer *peer, const struct gz_address *address)
{
    gz_peer_uncount(peers, peer);
    if (gz_address_is_loopback(address)) return true;
    struct gz_address network = gz_address_network(address);
    struct gz_peer_address **link = find(peers, &network);
    if (*link == NULL) {
        struct gz_peer_address *made = calloc(1, sizeof *made);
        if (made == NULL) return false;
        made->network = network;
        *link = made;
    } else if ((*link)->count >= peers->per_address) {
        return false;
    }
    peer->address = *link;
    peer->address->count++;
    return true;
}

/* ---- kinds ---- */

static void link_peer(struct gz_peers *peers, struct gz_peer *peer, enum gz_peer_kind kind)
{
    struct gz_peer_list *list = &peers->kinds[kind];
    peer->kind = kind;
    peer->next = NULL;
    peer->previous = list->last;
    *(list->last != NULL ? &list->last->next : &list->first) = peer;
    list->last = peer;
    list->count++;
}

static void unlink_peer(struct gz_peers *peers, struct gz_peer *peer)
{
    struct gz_peer_list *list = &peers->kinds[peer->kind];
    *(peer->previous != NULL ? &peer->previous->next : &list->first) = peer->next;
    *(peer->next != NULL ? &peer->next->previous : &list->last) = peer->previous;
    list->count--;
}

void gz_peer_enter(struct gz_peers *peers, struct gz_peer *peer)
{
    peer->address = NULL;
    link_peer(peers, peer, GZ_PEER_SILENT);
}

void gz_peer_become(struct gz_peers *peers, struct gz_peer *peer, enum gz_peer_kind kind)
{
    unlink_peer(peers, peer);
    link_peer(peers, peer, kind);
}

void gz_peer_leave(struct gz_peers *peers, struct gz_peer *peer)
{
    unlink_peer(peers, peer);
    gz_peer_uncount(peers, peer);
}

struct gz_peer *gz_peers_oldest(const struct gz_peers *peers, enum gz_peer_kind kind)
{
    return peers->kinds[kind].first;
}
