/* postgres.h - the log of a cluster in PostgreSQL, or in a database that speaks its protocol and
 * plain SQL. Everything about the connection (hosts, TLS, the password) is said by the URI, the
 * environment and the files that libpq knows (PGPASSFILE, sslmode=verify-full, several hosts with
 * target_session_attrs=read-write). No error and no line of a log has a password.
 * Ownership: the log belongs to the caller of create. Threads: as log.h says; create and destroy
 * from one thread, and destroy after all calls have returned. */
#ifndef GZ_CLUSTER_POSTGRES_H
#define GZ_CLUSTER_POSTGRES_H

#include "cluster/log.h"

/* Fills `log`. Nothing is connected yet: whether the engine can be reached, the first call says.
 * GZ_BAD_VALUE for what is not a URI as libpq reads it; GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_postgres_create(struct gz_cluster_log *log, const char *uri,
                                              struct gz_error *error);
/* Closes the connections; fine on a zeroed one. */
void gz_postgres_destroy(struct gz_cluster_log *log);

/* Makes the tables of the log, or brings them up to date; fine if they are. Several processes may
 * do it at once. `uri` as above. */
GZ_MUST_USE enum gz_status gz_postgres_init(const char *uri, struct gz_error *error);

#endif
