/* roles.c - what a person may do in a scene now: when a token ends, and the scene's own access. */
#include "core/roles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/answers.h"
#include "core/core.h"
#include "core/describe.h"
#include "core/session.h"
#include "proto/base/text.h"
#include "scene/access.h"
#include "server/maxima.h"

/* ---- the end of a token ---- */

/* Ends sessions whose tokens have expired. */

bool gz_session_keep_token(struct gz_session *session, const struct gz_claims *claims)
{
    if (session->core->options.host.is_revoked == NULL) return true;
    if (session->token == NULL) session->token = malloc(sizeof *session->token);
    if (session->token != NULL) *session->token = claims->id;
    return session->token != NULL;
}

void gz_session_set_expiry(struct gz_session *session)
{
    struct gz_core *core = session->core;
    core->expires_unix_s = fmin(core->expires_unix_s, session->rights.expires_unix_s);
}

double gz_core_expires_s(const struct gz_core *core)
{
    const struct gz_clock *clock = &core->clock;
    return clock->now.mono_s + (core->expires_unix_s - clock->wall_s);
}

/* Doubles near today's Unix seconds are some 0.2 us apart, and the two clocks are rounded
 * separately: without this tolerance a turn that comes exactly in time might find that it is too
 * early. */
static bool is_past(const struct gz_core *core, double unix_s)
{
    return core->clock.wall_s + 1e-3 >= unix_s;
}

static void end_token(struct gz_session *session, const char *reason)
{
    struct gz_message message = {.op = GZ_OP_BYE, .has = GZ_HAS_BYE_CODE};
    message.bye =
        (struct gz_bye){.reason = gz_text_of(reason), .fatal = true, .code = GZ_UNAUTHORISED};
    gz_session_send(session, &message);
    gz_session_end(session, reason);
}

bool gz_core_is_revoked(const struct gz_core *core, const char *user, bool is_guest,
                        const struct gz_token_id *id)
{
    const struct gz_core_host *host = &core->options.host;
    return host->is_revoked != NULL && host->is_revoked(host->context, is_guest ? "" : user, id);
}

static void end_revoked(struct gz_core *core)
{
    const uint64_t *now = core->options.host.revocations;
    if (now == NULL || *now == core->revocations) return;
    core->revocations = *now;
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        if (!session->ended && session->token != NULL &&
            gz_core_is_revoked(core, session->user, session->rights.is_guest, session->token))
            end_token(session, "the token was revoked");
    }
}

void gz_core_end_expired(struct gz_core *core)
{
    end_revoked(core);
    if (!is_past(core, core->expires_unix_s)) return;
    core->expires_unix_s = INFINITY;
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        if (session->ended) continue;
        if (is_past(core, session->rights.expires_unix_s))
            end_token(session, "the token has expired");
        else
            gz_session_set_expiry(session);
    }
}

/* ---- the scene's own access ---- */

/* The scene's own access: patterns of users, and their roles. A change takes effect once
 * it is on the disk. */

/* ---- entries that wait for the disk ---- */

struct pending_access {
    struct gz_journal_entry entry;
    struct gz_access_entry *access;
    bool is_new; /* the pattern had no role before */
};

static const struct gz_journal_kind pending_accesses;

static const struct pending_access *next_pending(const struct gz_core *core,
                                                 const struct pending_access *after)
{
    const struct gz_journal_entry *entry = after != NULL ? &after->entry : NULL;
    return (const struct pending_access *)gz_journal_next(&core->journal, &pending_accesses, entry);
}

/* Allocates all memory now, because nothing may fail once the disk has the entry. */
static enum gz_status append(struct gz_session *session, const struct gz_message *message,
                             const struct gz_access_record *record, bool is_new,
                             struct gz_failure *failure)
{
    struct pending_access *pending = calloc(1, sizeof *pending);
    struct gz_access_entry *access = gz_access_entry_create(record);
    if (pending == NULL || access == NULL) {
        free(access);
        free(pending);
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this access");
    }
    pending->access = access;
    pending->is_new = is_new;
    pending->entry = (struct gz_journal_entry){
        .kind = &pending_accesses,
        .bytes = sizeof *pending + sizeof *access,
    };
    gz_session_append(session, message, &pending->entry);
    return GZ_OK;
}

/* The role that the pattern will have once all waiting entries are stored; NULL for none. */
static const struct gz_access_record *find(const struct gz_core *core, const char *glob)
{
    const struct gz_access_record *found = gz_access_list_find(core->access, glob);
    const struct pending_access *pending = NULL;
    while ((pending = next_pending(core, pending)) != NULL) {
        const struct gz_access_record *later = &pending->access->is;
        if (strcmp(later->glob, glob) == 0) found = later->gone ? NULL : later;
    }
    return found;
}

/* How many patterns there will be once all waiting entries are stored. */
static size_t count_patterns(const struct gz_core *core)
{
    size_t count = gz_access_list_count(core->access);
    const struct pending_access *pending = NULL;
    while ((pending = next_pending(core, pending)) != NULL) {
        if (pending->is_new) count++;
        if (pending->access->is.gone) count--;
    }
    return count;
}

/* ---- rights ---- */

/* Raises *role to `other` if that is higher, or if `is_any` says that there is none yet. */
static bool add_role(bool is_any, enum gz_role *role, enum gz_role other)
{
    if (!is_any || other > *role) *role = other;
    return true;
}

/* A pattern gives guests nothing, because they choose their names themselves. */
static bool find_role(const struct gz_core *core, const struct gz_rights *rights, const char *user,
                      enum gz_role *role)
{
    enum gz_role given;
    bool is_any = rights->has_role;
    *role = rights->role;
    if (!rights->is_guest && gz_access_list_role(core->access, user, &given))
        is_any = add_role(is_any, role, given);
    return is_any;
}

bool gz_core_role(const struct gz_core *core, const struct gz_claims *claims, enum gz_role *role)
{
    const struct gz_rights rights = gz_rights_of(claims, core->options.scene);
    return find_role(core, &rights, claims->user, role);
}

/* Whether the pattern will make its users admins once all waiting entries and `last` are stored. */
static bool makes_admins(const struct gz_core *core, const char *glob,
                         const struct gz_access_record *last)
{
    const struct gz_access_record *then = strcmp(glob, last->glob) == 0 ? last : find(core, glob);
    return then != NULL && !then->gone && then->role == GZ_ROLE_ADMIN;
}

/* Whether the session's user will be an admin once all waiting entries and `last` are stored. */
static bool stays_admin(const struct gz_session *session, const struct gz_access_record *last)
{
    const struct gz_core *core = session->core;
    const char *user = session->user;
    if (session->rights.has_role && session->rights.role == GZ_ROLE_ADMIN) return true;
    if (makes_admins(core, last->glob, last) && gz_glob_matches(last->glob, user)) return true;
    for (size_t i = 0; i < gz_access_list_count(core->access); i++) {
        const char *glob = gz_access_list_at(core->access, i)->glob;
        if (gz_glob_matches(glob, user) && makes_admins(core, glob, last)) return true;
    }
    const struct pending_access *pending = NULL;
    while ((pending = next_pending(core, pending)) != NULL) {
        const char *glob = pending->access->is.glob;
        if (gz_glob_matches(glob, user) && makes_admins(core, glob, last)) return true;
    }
    return false;
}

void gz_session_apply_rights(struct gz_session *session)
{
    static const char reason[] = "your rights in this scene have changed";
    enum gz_role role;
    bool may = find_role(session->core, &session->rights, session->user, &role);
    if (may && gz_role_here(session->core, session->asked, role) == session->role) return;
    struct gz_message message = {.op = GZ_OP_BYE, .has = GZ_HAS_BYE_RETRY_S};
    message.bye = (struct gz_bye){.reason = gz_text_of(reason)};
    gz_session_send(session, &message);
    gz_session_end(session, reason);
}

void gz_core_apply_access(struct gz_core *core)
{
    if (!core->is_access_new) return;
    core->is_access_new = false;
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next)
        if (!session->ended) gz_session_apply_rights(session);
}

/* ---- requests ---- */

static enum gz_status check(const struct gz_session *session, const struct gz_message *message,
                            const struct gz_access_record *record, bool is_there,
                            struct gz_failure *failure)
{
    bool has_role = (message->has & GZ_HAS_ACCESS_ROLE) != 0;
    if (has_role == record->gone)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "access.role: give either a role or gone");
    if (record->gone && !is_there)
        return gz_fail(&failure->error, GZ_BAD_VALUE,
                       "access.user: the pattern %s has no access to this scene", record->glob);
    const char *fault = gz_user_fault(record->glob, strlen(record->glob));
    if (!record->gone && fault != NULL)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "access.user: the pattern %s", fault);
    if (!record->gone && !is_there && count_patterns(session->core) >= GZ_ACCESS_MAX)
        return gz_fail(&failure->error, GZ_TOO_MANY, "access: a scene has at most %d patterns",
                       GZ_ACCESS_MAX);
    if (!stays_admin(session, record))
        return gz_fail(
            &failure->error, GZ_CONFLICT,
            "access.user: this would take away your own admin role: ask another admin to do it");
    return GZ_OK;
}

enum gz_status gz_on_access(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure)
{
    const struct gz_access *said = &message->access;
    struct gz_core *core = session->core;
    char glob[GZ_GLOB_BYTES_MAX + 1] = "";
    memcpy(glob, said->user.bytes, said->user.size);
    struct gz_access_record record = {.glob = glob,
                                      .user = session->user,
                                      .role = said->role,
                                      .gone = said->gone,
                                      .made = core->clock.now.unix_s};
    bool is_there = find(core, glob) != NULL;
    enum gz_status status = check(session, message, &record, is_there, failure);
    if (status != GZ_OK) return status;
    gz_budget_charge(session, gz_access_list_count(core->access) * core->roster.count /
                                  GZ_PATTERNS_PER_NODE);
    return append(session, message, &record, !is_there, failure);
}

enum gz_status gz_on_accesses(struct gz_session *session, const struct gz_message *message,
                              struct gz_failure *failure)
{
    const struct gz_access_list *list = session->core->access;
    size_t count = gz_access_list_count(list);
    struct gz_access_state *states = gz_arena_take(&session->core->scratch, count, sizeof *states);
    if (states == NULL) return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the access");
    for (size_t i = 0; i < count; i++) {
        const struct gz_access_record *is = gz_access_list_at(list, i);
        states[i] = (struct gz_access_state){.user = gz_text_of(is->glob),
                                             .by = gz_text_of(is->user),
                                             .role = is->role,
                                             .made = is->made};
    }
    struct gz_ok ok = {.accesses = states, .access_count = count};
    gz_session_ok(session, message, GZ_HAS_OK_ACCESSES, &ok);
    return GZ_OK;
}

/* ---- to the disk and back ---- */

static bool add_access(const struct gz_journal_entry *entry, struct gz_batch *batch)
{
    struct gz_access_record *record =
        gz_arena_add(&batch->arena, &batch->access, &batch->access_count, sizeof *record);
    if (record == NULL) return false;
    *record = ((const struct pending_access *)entry)->access->is;
    return true;
}

static void accept_access(void *context, struct gz_journal_entry *entry,
                          const struct gz_batch *batch, struct gz_journal_outcome *outcome)
{
    (void)batch, (void)outcome;
    struct gz_core *core = context;
    struct pending_access *pending = (struct pending_access *)entry;
    gz_access_list_put(core->access, pending->access);
    pending->access = NULL;
    core->is_access_new = true;
}

static bool refuse_access(void *context, struct gz_journal_entry *entry, const char *why,
                          struct gz_journal_outcome *outcome)
{
    (void)context, (void)entry;
    gz_fail(&outcome->error, GZ_STORAGE, "the access could not be stored: %s", why);
    return true;
}

static void free_access(void *context, struct gz_journal_entry *entry)
{
    (void)context;
    free(((struct pending_access *)entry)->access);
    free(entry);
}

static const struct gz_journal_kind pending_accesses = {.is_urgent = true,
                                                        .add = add_access,
                                                        .accept = accept_access,
                                                        .refuse = refuse_access,
                                                        .free = free_access};
