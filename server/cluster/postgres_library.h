/* postgres_library.h - loads libpq at run time, only if it is needed: for a cluster. A file that
 * includes this header calls libpq as if it were linked.
 *
 * Threads: any; the functions only after gz_pq_load has returned GZ_OK. */
#ifndef GZ_CLUSTER_POSTGRES_LIBRARY_H
#define GZ_CLUSTER_POSTGRES_LIBRARY_H

#include <libpq-fe.h>

#include "proto/base/status.h"

/* All functions that are used. */
#define GZ_PQ_FUNCTIONS(X)                                                                         \
    X(PQclear)                                                                                     \
    X(PQcmdStatus)                                                                                 \
    X(PQcmdTuples)                                                                                 \
    X(PQconnectdbParams)                                                                           \
    X(PQconninfoFree)                                                                              \
    X(PQconninfoParse)                                                                             \
    X(PQconsumeInput)                                                                              \
    X(PQerrorMessage)                                                                              \
    X(PQfinish)                                                                                    \
    X(PQflush)                                                                                     \
    X(PQgetResult)                                                                                 \
    X(PQgetisnull)                                                                                 \
    X(PQgetlength)                                                                                 \
    X(PQgetvalue)                                                                                  \
    X(PQisBusy)                                                                                    \
    X(PQntuples)                                                                                   \
    X(PQresultErrorField)                                                                          \
    X(PQresultStatus)                                                                              \
    X(PQsendQuery)                                                                                 \
    X(PQsendQueryParams)                                                                           \
    X(PQsetNoticeReceiver)                                                                         \
    X(PQsetSingleRowMode)                                                                          \
    X(PQsetnonblocking)                                                                            \
    X(PQsocket)                                                                                    \
    X(PQstatus)                                                                                    \
    X(PQtransactionStatus)

#define GZ_PQ_MEMBER(name) __typeof__(name) *name;
struct gz_pq {
    GZ_PQ_FUNCTIONS(GZ_PQ_MEMBER)
};

/* Loads libpq, once. GZ_BAD_STATE if it is not installed. */
GZ_MUST_USE enum gz_status gz_pq_load(struct gz_error *error);
const struct gz_pq *gz_pq(void);

#define PQclear (gz_pq()->PQclear)
#define PQcmdStatus (gz_pq()->PQcmdStatus)
#define PQcmdTuples (gz_pq()->PQcmdTuples)
#define PQconnectdbParams (gz_pq()->PQconnectdbParams)
#define PQconninfoFree (gz_pq()->PQconninfoFree)
#define PQconninfoParse (gz_pq()->PQconninfoParse)
#define PQconsumeInput (gz_pq()->PQconsumeInput)
#define PQerrorMessage (gz_pq()->PQerrorMessage)
#define PQfinish (gz_pq()->PQfinish)
#define PQflush (gz_pq()->PQflush)
#define PQgetResult (gz_pq()->PQgetResult)
#define PQgetisnull (gz_pq()->PQgetisnull)
#define PQgetlength (gz_pq()->PQgetlength)
#define PQgetvalue (gz_pq()->PQgetvalue)
#define PQisBusy (gz_pq()->PQisBusy)
#define PQntuples (gz_pq()->PQntuples)
#define PQresultErrorField (gz_pq()->PQresultErrorField)
#define PQresultStatus (gz_pq()->PQresultStatus)
#define PQsendQuery (gz_pq()->PQsendQuery)
#define PQsendQueryParams (gz_pq()->PQsendQueryParams)
#define PQsetNoticeReceiver (gz_pq()->PQsetNoticeReceiver)
#define PQsetSingleRowMode (gz_pq()->PQsetSingleRowMode)
#define PQsetnonblocking (gz_pq()->PQsetnonblocking)
#define PQsocket (gz_pq()->PQsocket)
#define PQstatus (gz_pq()->PQstatus)
#define PQtransactionStatus (gz_pq()->PQtransactionStatus)

#endif
