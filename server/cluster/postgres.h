/* postgres.h - the log of a cluster in PostgreSQL, or in a database that speaks its protocol and
 * plain SQL. The connection (hosts, TLS, the password) is configured by the URI, the environment
 * and the files of libpq (PGPASSFILE, sslmode=verify-full, several hosts with
 * target_session_attrs=read-write). No error and no line of the log contains a password. Ownership:
 * the log belongs to the caller of create. Threads: as log.h says; create and destroy on one
 * thread, and destroy after all calls have returned. */
#ifndef GZ_CLUSTER_POSTGRES_H
#define GZ_CLUSTER_POSTGRES_H

#include "cluster/log.h"

/* Fills `log`. The first call connects. GZ_BAD_VALUE for a URI that libpq cannot read;
 * GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_postgres_create(struct gz_cluster_log *log, const char *uri,
                                              struct gz_error *error);
/* Closes the connections; fine on a zeroed one. */
void gz_postgres_destroy(struct gz_cluster_log *log);

/* Creates the tables of the log. Several processes may do it at the same
 * time. `uri` as above. */
GZ_MUST_USE enum gz_status gz_postgres_init(const char *uri, struct gz_error *error);

#endif
