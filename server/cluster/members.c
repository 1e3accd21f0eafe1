/* members.c - the list of members, and what their files lack. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/member.h"

/* ---- lag ---- */

/* How far the files of this member are behind the logs of their scenes. */

void gz_lag_begin(struct gz_cluster *cluster)
{
    cluster->lag_count = 0;
    cluster->lacking[0] = '\0';
    cluster->stats.behind = cluster->stats.behind_scenes = 0;
}

static struct gz_cluster_lag *find_latest(struct gz_cluster *cluster)
{
    struct gz_cluster_lag *latest = cluster->lags;
    for (size_t i = 1; i < cluster->lag_count; i++)
        if (cluster->lags[i].seconds > latest->seconds) latest = &cluster->lags[i];
    return latest;
}

void gz_lag_add(struct gz_cluster *cluster, const struct gz_cluster_lag *lag)
{
    cluster->stats.behind += lag->changes;
    cluster->stats.behind_scenes++;
    if (cluster->lag_count < GZ_CLUSTER_LAGS_MAX) {
        cluster->lags[cluster->lag_count++] = *lag;
        return;
    }
    struct gz_cluster_lag *latest = find_latest(cluster);
    if (lag->seconds < latest->seconds) *latest = *lag;
}

/* NULL if there is none. */
static const struct gz_cluster_lag *find_first(const struct gz_cluster *cluster)
{
    const struct gz_cluster_lag *first = cluster->lag_count > 0 ? cluster->lags : NULL;
    for (size_t i = 1; i < cluster->lag_count; i++)
        if (cluster->lags[i].seconds < first->seconds) first = &cluster->lags[i];
    return first;
}

double gz_lag_seconds(const struct gz_cluster *cluster)
{
    const struct gz_cluster_lag *first = find_first(cluster);
    return first != NULL ? gz_cluster_now() - first->seconds : 0;
}

size_t gz_cluster_lags(struct gz_cluster *cluster, struct gz_cluster_lag lags[GZ_CLUSTER_LAGS_MAX])
{
    pthread_mutex_lock(&cluster->mutex);
    size_t count = cluster->lag_count;
    const double now_s = gz_cluster_now();
    for (size_t i = 0; i < count; i++) {
        lags[i] = cluster->lags[i];
        lags[i].seconds = now_s - lags[i].seconds;
    }
    pthread_mutex_unlock(&cluster->mutex);
    return count;
}

/* The report; its `seconds` is the beginning. */
static struct gz_member_lag sum_up(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    const struct gz_cluster_lag *first = find_first(cluster);
    struct gz_member_lag sum = {.changes = cluster->stats.behind};
    memcpy(sum.lacking, cluster->lacking, sizeof sum.lacking);
    if (first != NULL) {
        sum.seconds = first->seconds;
        memcpy(sum.scene, first->scene, sizeof sum.scene);
    }
    pthread_mutex_unlock(&cluster->mutex);
    return sum;
}

static bool is_same(const struct gz_member_lag *one, const struct gz_member_lag *other)
{
    return one->changes == other->changes && one->seconds == other->seconds &&
           strcmp(one->scene, other->scene) == 0 && strcmp(one->lacking, other->lacking) == 0;
}

/* Whether it is the first report since the member entered. */
static bool begin_report(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    const bool is_first = !cluster->has_reported;
    cluster->has_reported = true;
    pthread_mutex_unlock(&cluster->mutex);
    return is_first;
}

static void repeat_report(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    cluster->has_reported = false;
    pthread_mutex_unlock(&cluster->mutex);
}

/* A report that fails is repeated the next time. */
void gz_lag_report(struct gz_cluster *cluster)
{
    struct gz_error error;
    const struct gz_member_lag sum = sum_up(cluster);
    struct gz_member_lag report = sum;
    if (!begin_report(cluster) && is_same(&sum, &cluster->reported)) return;
    if (sum.changes > 0) report.seconds = gz_cluster_now() - sum.seconds;
    const bool is_told = cluster->log->report(cluster->log->context, &report, &error) == GZ_OK;
    if (is_told)
        cluster->reported = sum;
    else
        repeat_report(cluster);
}

/* ---- members ---- */

/* What this member knows of the others, and whether it may go on: its lease by its own clock, and
 * what keeps it from counting as alive. */

/* ---- lists of names ---- */

bool gz_list_has(const char *list, const char *name)
{
    char word[GZ_SCENE_NAME_BYTES_MAX + 3];
    gz_print(word, sizeof word, " %s ", name);
    return strcmp(list, "*") == 0 || strstr(list, word) != NULL;
}

void gz_list_add(char *list, size_t size, const char *name)
{
    const size_t used = strlen(list);
    if (strcmp(list, "*") == 0) return;
    if (used + strlen(name) + 3 > size)
        snprintf(list, size, "*");
    else
        snprintf(list + used, size - used, "%s%s ", used == 0 ? " " : "", name);
}

/* ---- the list of members ---- */

static struct gz_known_member *find(const struct gz_cluster *cluster, const char *name)
{
    for (size_t i = 0; i < cluster->peer_count; i++)
        if (strcmp(cluster->peers[i].member.name, name) == 0) return &cluster->peers[i];
    return NULL;
}

static bool is_me(const struct gz_cluster *cluster, const struct gz_known_member *peer)
{
    return strcmp(peer->member.name, cluster->me->name) == 0;
}

/* Whether it was there when the list was read. */
static bool is_there(const struct gz_known_member *peer)
{
    return peer->is_signed && peer->member.age_s < GZ_CLUSTER_LEASE_SECONDS;
}

static bool is_alive(const struct gz_known_member *peer)
{
    return is_there(peer) && peer->member.health.trouble[0] == '\0';
}

bool gz_cluster_is_signed(const struct gz_cluster *cluster, const char *name, const char *url,
                          const char *signature)
{
    char expected[GZ_MEMBER_SIGNATURE_BYTES + 1];
    if (!gz_member_name_valid(name) || !gz_member_url_valid(url)) return false;
    if (cluster->rules.sign == NULL) return true;
    cluster->rules.sign(cluster->rules.context, name, url, expected);
    return strcmp(expected, signature) == 0;
}

struct reading {
    struct gz_cluster *cluster;
    struct gz_known_member *peers;
    size_t count;
};

static enum gz_status add_member(void *to, const struct gz_member *member, struct gz_error *error)
{
    struct reading *reading = to;
    (void)error;
    if (reading->count == GZ_CLUSTER_MEMBERS_MAX) return GZ_OK;
    reading->peers[reading->count++] =
        (struct gz_known_member){.member = *member,
                                 .is_signed = gz_cluster_is_signed(reading->cluster, member->name,
                                                                   member->url, member->signature)};
    return GZ_OK;
}

/* Logs what is new about a member that does not count as alive, here as well as there. */
static void say(const struct gz_cluster *cluster, const struct gz_known_member *before,
                const struct gz_known_member *now)
{
    const struct gz_member *member = &now->member;
    const char *trouble = member->health.trouble;
    const bool is_here = member->age_s < GZ_CLUSTER_LEASE_SECONDS;
    if (is_me(cluster, now) || !is_here) return;
    if (!now->is_signed && (before == NULL || before->is_signed) && trouble[0] == '\0')
        gz_log(cluster->messages, GZ_WARN, 0,
               "cluster: member %s is not trusted: its address %s was not signed with the --secret "
               "of this member",
               member->name, member->url);
    if (strcmp(trouble, before != NULL ? before->member.health.trouble : "") == 0) return;
    if (trouble[0] != '\0')
        gz_log(cluster->messages, GZ_WARN, 0, "cluster: member %s does not count as alive: %s",
               member->name, trouble);
    else
        gz_log(cluster->messages, GZ_INFO, 0, "cluster: member %s is well again", member->name);
}

/* Keeps what was heard of a member on its link. */
static void keep_heard(const struct gz_cluster *cluster, struct gz_known_member *peer)
{
    const struct gz_known_member *before = find(cluster, peer->member.name);
    peer->listed_s = before != NULL && is_there(before) ? before->listed_s : gz_cluster_now();
    if (before == NULL) return;
    peer->is_reached = before->is_reached;
    peer->was_reached = before->was_reached && is_there(before);
    peer->silence_s = before->silence_s;
    peer->back_s = before->back_s;
}

static enum gz_status read_members(struct gz_cluster *cluster, struct gz_error *error)
{
    struct reading reading = {cluster, calloc(GZ_CLUSTER_MEMBERS_MAX, sizeof *reading.peers), 0};
    if (reading.peers == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    enum gz_status status =
        cluster->log->members(cluster->log->context, add_member, &reading, error);
    if (status == GZ_OK) {
        for (size_t i = 0; i < reading.count; i++)
            say(cluster, find(cluster, reading.peers[i].member.name), &reading.peers[i]);
        pthread_mutex_lock(&cluster->mutex);
        for (size_t i = 0; i < reading.count; i++) keep_heard(cluster, &reading.peers[i]);
        struct gz_known_member *before = cluster->peers;
        cluster->peers = reading.peers;
        cluster->peer_count = reading.count;
        cluster->listed_s = gz_cluster_now();
        reading.peers = before;
        pthread_mutex_unlock(&cluster->mutex);
    }
    free(reading.peers);
    return status;
}

/* ---- what keeps this member from counting as alive ---- */

/* By how many of the others it is reached. */
static size_t reach_of(const struct gz_cluster *cluster, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < cluster->peer_count; i++) {
        const struct gz_known_member *other = &cluster->peers[i];
        count += is_alive(other) && strcmp(other->member.name, name) != 0 &&
                 !gz_list_has(other->member.health.unreached, name);
    }
    return count;
}

/* Most of those who are alive have another secret. A member that was accepted once has the right
 * one. */
static bool judge_secret(const struct gz_cluster *cluster, char *trouble, size_t size)
{
    const struct gz_known_member *stranger = NULL;
    size_t others = 0, strangers = 0;
    if (cluster->is_accepted) return false;
    for (size_t i = 0; i < cluster->peer_count; i++) {
        const struct gz_known_member *peer = &cluster->peers[i];
        if (is_me(cluster, peer) || peer->member.health.trouble[0] != '\0' ||
            peer->member.age_s >= GZ_CLUSTER_LEASE_SECONDS)
            continue;
        others++;
        strangers += !peer->is_signed;
        if (!peer->is_signed) stranger = peer;
    }
    if (strangers == 0 || 2 * strangers < others) return false;
    gz_print(trouble, size, "its --secret is not that of member %s", stranger->member.name);
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The clock that most agree with: the database's is one of them. */
static double middle_clock(const struct gz_cluster *cluster)
{
    double clocks[GZ_CLUSTER_MEMBERS_MAX + 1] = {0};
    size_t count = 1;
    for (size_t i = 0; i < cluster->peer_count; i++) {
        const struct gz_known_member *peer = &cluster->peers[i];
        if (is_alive(peer) || is_me(cluster, peer)) clocks[count++] = peer->member.clock_s;
    }
    qsort(clocks, count, sizeof *clocks, compare_numbers);
    return clocks[(count - 1) / 2];
}

/* Its clock differs too much from another one's, and that other is nearer to the middle. */
static bool judge_clock(const struct gz_cluster *cluster, char *trouble, size_t size)
{
    const struct gz_known_member *me = find(cluster, cluster->me->name);
    const double middle_s = middle_clock(cluster);
    for (size_t i = 0; me != NULL && i < cluster->peer_count; i++) {
        const struct gz_known_member *other = &cluster->peers[i];
        const double ahead_s = me->member.clock_s - other->member.clock_s;
        if (!is_alive(other) || is_me(cluster, other) || fabs(ahead_s) <= GZ_PROOF_SECONDS ||
            fabs(me->member.clock_s - middle_s) < fabs(other->member.clock_s - middle_s))
            continue;
        gz_print(trouble, size, "its clock is %.0f s %s that of member %s; %d s are allowed",
                 fabs(ahead_s), ahead_s > 0 ? "ahead of" : "behind", other->member.name,
                 GZ_PROOF_SECONDS);
        return true;
    }
    return false;
}

/* No other member reaches it, while another one is reached. */
static bool judge_reach(const struct gz_cluster *cluster, char *trouble, size_t size)
{
    if (reach_of(cluster, cluster->me->name) > 0) return false;
    for (size_t i = 0; i < cluster->peer_count; i++) {
        const struct gz_known_member *other = &cluster->peers[i];
        if (is_me(cluster, other) || !is_alive(other) || reach_of(cluster, other->member.name) == 0)
            continue;
        gz_print(trouble, size, "no other member can reach it at %s; their logs say why",
                 cluster->me->url);
        return true;
    }
    return false;
}

/* A member that has just begun may need some seconds for its first answer. */
static bool had_time(const struct gz_known_member *peer)
{
    const double grace_s =
        peer->was_reached ? GZ_CLUSTER_SILENCE_SECONDS : GZ_RELAY_CONNECT_SECONDS;
    return gz_cluster_now() - peer->listed_s > grace_s;
}

/* Members that do not answer for some seconds. */
static void list_unreached(const struct gz_cluster *cluster, char *list, size_t size)
{
    list[0] = '\0';
    for (size_t i = 0; i < cluster->peer_count; i++) {
        const struct gz_known_member *peer = &cluster->peers[i];
        if (cluster->has_trunks && !is_me(cluster, peer) && is_there(peer) && !peer->is_reached &&
            had_time(peer))
            gz_list_add(list, size, peer->member.name);
    }
}

/* Under the mutex. True if this changes whether it counts as alive. */
static bool judge(struct gz_cluster *cluster)
{
    struct gz_member_health *health = &cluster->health;
    char trouble[sizeof health->trouble] = "";
    if (!judge_secret(cluster, trouble, sizeof trouble) &&
        !judge_clock(cluster, trouble, sizeof trouble))
        (void)judge_reach(cluster, trouble, sizeof trouble);
    const bool changes = (trouble[0] == '\0') != (health->trouble[0] == '\0');
    memcpy(health->trouble, trouble, sizeof trouble);
    list_unreached(cluster, health->unreached, sizeof health->unreached);
    return changes;
}

/* ---- renewing ---- */

static enum gz_status renew_once(struct gz_cluster *cluster, struct gz_error *error)
{
    pthread_mutex_lock(&cluster->mutex);
    struct gz_member_health health = cluster->health;
    pthread_mutex_unlock(&cluster->mutex);
    const double from_s = gz_cluster_now();
    enum gz_status status = cluster->log->renew(cluster->log->context, &health, error);
    pthread_mutex_lock(&cluster->mutex);
    if (status == GZ_OK && health.trouble[0] == '\0') {
        if (from_s - cluster->renewed_s > GZ_CLUSTER_LEASE_SECONDS) cluster->back_s = from_s;
        cluster->renewed_s = from_s;
    }
    pthread_mutex_unlock(&cluster->mutex);
    return status;
}

void gz_members_say_trouble(struct gz_cluster *cluster)
{
    const char *trouble = cluster->health.trouble;
    struct gz_error error;
    if (trouble[0] == '\0') return;
    gz_fail(&error, GZ_STORAGE, "this member does not count as alive: %s", trouble);
    gz_cluster_heard(cluster, GZ_STORAGE, &error);
}

enum gz_status gz_members_renew(struct gz_cluster *cluster, struct gz_error *error)
{
    enum gz_status status = renew_once(cluster, error);
    if (status == GZ_OK) status = read_members(cluster, error);
    if (status != GZ_OK) return status;
    pthread_mutex_lock(&cluster->mutex);
    const bool is_news = judge(cluster);
    pthread_mutex_unlock(&cluster->mutex);
    if (is_news) status = renew_once(cluster, error);
    pthread_mutex_lock(&cluster->mutex);
    if (status == GZ_OK && cluster->health.trouble[0] == '\0') cluster->is_accepted = true;
    pthread_mutex_unlock(&cluster->mutex);
    return status;
}

/* ---- whether it may go on ---- */

/* After an outage the first member that is back takes no scene for as long as a lease (`free` in
 * sql/log.sql): the others go on meanwhile. */
static bool is_just_back(double back_s)
{
    return back_s > 0 && gz_cluster_now() - back_s < GZ_CLUSTER_LEASE_SECONDS;
}

/* Whether nobody can have taken the scenes: each other member that was alive says that it does not
 * hear the database either, or has heard it again for less than a lease. One that says nothing may
 * be about to take the scenes. */
static bool is_away_for_others(const struct gz_cluster *cluster)
{
    for (size_t i = 0; i < cluster->peer_count; i++) {
        const struct gz_known_member *peer = &cluster->peers[i];
        if (is_me(cluster, peer) || !is_alive(peer)) continue;
        if (!peer->is_reached) return false;
        if (peer->silence_s < GZ_CLUSTER_SILENCE_SECONDS && !is_just_back(peer->back_s))
            return false;
    }
    return true;
}

static bool is_over(const struct gz_cluster *cluster)
{
    if (!cluster->is_accepted) return false;
    if (cluster->is_replaced || cluster->health.trouble[0] != '\0') return true;
    return gz_cluster_now() - cluster->renewed_s > GZ_CLUSTER_LEASE_SECONDS &&
           !is_away_for_others(cluster);
}

static const char *words_of(const struct gz_cluster *cluster)
{
    if (cluster->is_replaced) return "another process has its name";
    if (cluster->health.trouble[0] != '\0') return cluster->health.trouble;
    return "it has lost the cluster's database, which others may have";
}

static void end_claims(struct gz_cluster *cluster)
{
    for (struct gz_scene_lease *claim = cluster->claims; claim != NULL; claim = claim->next) {
        if (claim->epoch == 0 || claim->state >= GZ_SCENE_LEASE_OVER) continue;
        claim->state = GZ_SCENE_LEASE_OVER;
        if (claim->is_opened) claim->request.notify(claim->request.context);
    }
    pthread_cond_broadcast(&cluster->change);
}

void gz_cluster_look(struct gz_cluster *cluster)
{
    char words[GZ_MEMBER_WORDS_BYTES_MAX + 1] = "";
    pthread_mutex_lock(&cluster->mutex);
    const bool was_over = cluster->is_over;
    cluster->is_over = is_over(cluster);
    if (cluster->is_over) end_claims(cluster);
    if (cluster->is_over != was_over) gz_print(words, sizeof words, "%s", words_of(cluster));
    pthread_mutex_unlock(&cluster->mutex);
    if (words[0] == '\0') return;
    if (was_over)
        gz_log(cluster->messages, GZ_INFO, 0, "cluster: this member takes scenes again");
    else
        gz_log(cluster->messages, GZ_ERROR, 0,
               "cluster: this member steps down from all its scenes: %s", words);
}

bool gz_cluster_is_ready(struct gz_cluster *cluster, struct gz_error *error)
{
    pthread_mutex_lock(&cluster->mutex);
    const bool is_in = cluster->is_accepted, has_trouble = cluster->health.trouble[0] != '\0';
    const bool is_well = is_in && !is_over(cluster) && !cluster->is_ending;
    if (!is_well && (is_in || has_trouble))
        gz_fail(error, GZ_BAD_STATE, "this member is not in the cluster: %s", words_of(cluster));
    else if (!is_well)
        gz_fail(error, GZ_BAD_STATE, "this member has not joined the cluster yet: %s",
                cluster->trouble.status != GZ_OK ? cluster->trouble.message : "no answer yet");
    pthread_mutex_unlock(&cluster->mutex);
    return is_well;
}

void gz_cluster_refuse(struct gz_cluster *cluster, const char *why)
{
    pthread_mutex_lock(&cluster->mutex);
    gz_print(cluster->health.refuses, sizeof cluster->health.refuses, "%s", why);
    pthread_mutex_unlock(&cluster->mutex);
}

/* ---- what is heard of the others ---- */

/* One that this member did not see while the database was away for itself may come back. */
static bool is_lost(const struct gz_cluster *cluster, const struct gz_known_member *peer)
{
    const bool has_trouble = !peer->is_signed || peer->member.health.trouble[0] != '\0';
    return has_trouble || (!is_alive(peer) && !is_just_back(cluster->back_s));
}

size_t gz_cluster_peers(struct gz_cluster *cluster,
                        struct gz_cluster_peer peers[GZ_CLUSTER_MEMBERS_MAX])
{
    size_t count = 0;
    pthread_mutex_lock(&cluster->mutex);
    cluster->has_trunks = true;
    const bool is_new = gz_cluster_now() - cluster->listed_s < GZ_CLUSTER_SILENCE_SECONDS;
    for (size_t i = 0; i < cluster->peer_count; i++) {
        const struct gz_known_member *peer = &cluster->peers[i];
        if (is_me(cluster, peer) || !peer->is_signed) continue;
        if (is_new && !is_there(peer) && peer->member.age_s > GZ_CLUSTER_GONE_SECONDS) continue;
        memcpy(peers[count].url, peer->member.url, sizeof peers[count].url);
        peers[count++].is_over = is_new && is_lost(cluster, peer);
    }
    pthread_mutex_unlock(&cluster->mutex);
    return count;
}

void gz_cluster_hear(struct gz_cluster *cluster, const char *url, bool is_reached, double silence_s)
{
    pthread_mutex_lock(&cluster->mutex);
    for (size_t i = 0; i < cluster->peer_count; i++) {
        struct gz_known_member *peer = &cluster->peers[i];
        if (strcmp(peer->member.url, url) != 0) continue;
        peer->is_reached = is_reached;
        peer->was_reached |= is_reached;
        if (!is_reached) continue;
        if (peer->silence_s > GZ_CLUSTER_LEASE_SECONDS && silence_s < peer->silence_s)
            peer->back_s = gz_cluster_now();
        peer->silence_s = silence_s;
    }
    pthread_mutex_unlock(&cluster->mutex);
}

double gz_cluster_silence(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    const double silence_s =
        cluster->is_accepted ? gz_cluster_now() - cluster->renewed_s : INFINITY;
    pthread_mutex_unlock(&cluster->mutex);
    return silence_s;
}

/* ---- other members for a scene ---- */

static bool is_ready(const struct gz_known_member *peer, const char *scene)
{
    return is_alive(peer) && peer->member.health.refuses[0] == '\0' &&
           !gz_list_has(peer->member.lag.lacking, scene);
}

bool gz_members_can_take(const struct gz_cluster *cluster, const char *scene)
{
    for (size_t i = 0; i < cluster->peer_count; i++)
        if (!is_me(cluster, &cluster->peers[i]) && is_ready(&cluster->peers[i], scene)) return true;
    return false;
}

bool gz_members_choose(struct gz_cluster *cluster, const char *holder, const char *scene,
                       char chosen[GZ_MEMBER_BYTES_MAX + 1])
{
    const struct gz_known_member *best = NULL;
    pthread_mutex_lock(&cluster->mutex);
    const struct gz_known_member *peer = find(cluster, holder);
    const bool is_due =
        peer != NULL && gz_list_has(cluster->health.unreached, holder) && !cluster->is_over;
    size_t most = is_due ? reach_of(cluster, holder) : 0;
    for (size_t i = 0; is_due && i < cluster->peer_count; i++) {
        const struct gz_known_member *other = &cluster->peers[i];
        const size_t reach = reach_of(cluster, other->member.name);
        if (reach <= most || !is_ready(other, scene)) continue;
        best = other;
        most = reach;
    }
    if (best == NULL && is_due && most == 0 &&
        gz_cluster_now() - cluster->asked_s > GZ_CLUSTER_ASK_SECONDS) {
        best = find(cluster, cluster->me->name);
        cluster->asked_s = gz_cluster_now();
    }
    if (best != NULL) memcpy(chosen, best->member.name, sizeof best->member.name);
    pthread_mutex_unlock(&cluster->mutex);
    return best != NULL;
}

bool gz_members_find(const struct gz_cluster *cluster, const char *member,
                     char url[GZ_MEMBER_URL_BYTES_MAX + 1])
{
    const struct gz_known_member *peer = find(cluster, member);
    if (peer == NULL || !peer->is_signed || is_me(cluster, peer)) return false;
    memcpy(url, peer->member.url, sizeof peer->member.url);
    return true;
}

bool gz_members_find_next(const struct gz_cluster *cluster, const char *scene,
                          char url[GZ_MEMBER_URL_BYTES_MAX + 1])
{
    const struct gz_known_member *next = NULL;
    for (size_t i = 0; i < cluster->peer_count; i++) {
        const struct gz_known_member *peer = &cluster->peers[i];
        if (is_me(cluster, peer) || !peer->is_reached || !is_alive(peer)) continue;
        if (next == NULL || (is_ready(peer, scene) && !is_ready(next, scene))) next = peer;
    }
    if (next != NULL) memcpy(url, next->member.url, sizeof next->member.url);
    return next != NULL;
}
