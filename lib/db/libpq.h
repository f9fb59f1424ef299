/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DB_LIBPQ_H
#define DB_LIBPQ_H

#include <libpq-fe.h>

#include "base/lazy_library.h"

/* The functions of libpq.so.5 in use; see base/lazy_library.h. */
/* clang-format off */
#define LIBPQ_FUNCTIONS(X) \
	X(PQbackendPID) X(PQclear) X(PQcmdStatus) X(PQcmdTuples) \
	X(PQconnectdbParams) X(PQconninfoFree) X(PQconninfoParse) X(PQconsumeInput) \
	X(PQenterPipelineMode) X(PQerrorMessage) X(PQexitPipelineMode) X(PQfinish) \
	X(PQflush) X(PQfname) X(PQgetResult) X(PQgetisnull) X(PQgetlength) \
	X(PQgetvalue) X(PQisBusy) X(PQnfields) X(PQntuples) X(PQpipelineSync) \
	X(PQresultErrorField) X(PQresultStatus) X(PQsendDescribePrepared) \
	X(PQsendPrepare) X(PQsendQuery) X(PQsendQueryParams) X(PQsendQueryPrepared) \
	X(PQsetNoticeReceiver) X(PQsetnonblocking) X(PQsocket) X(PQstatus) \
	X(PQtransactionStatus)
/* clang-format on */

LAZY_LIBRARY(libpq, LIBPQ_FUNCTIONS);

#define PQbackendPID (*libpq_use()->PQbackendPID)
#define PQclear (*libpq_use()->PQclear)
#define PQcmdStatus (*libpq_use()->PQcmdStatus)
#define PQcmdTuples (*libpq_use()->PQcmdTuples)
#define PQconnectdbParams (*libpq_use()->PQconnectdbParams)
#define PQconninfoFree (*libpq_use()->PQconninfoFree)
#define PQconninfoParse (*libpq_use()->PQconninfoParse)
#define PQconsumeInput (*libpq_use()->PQconsumeInput)
#define PQenterPipelineMode (*libpq_use()->PQenterPipelineMode)
#define PQerrorMessage (*libpq_use()->PQerrorMessage)
#define PQexitPipelineMode (*libpq_use()->PQexitPipelineMode)
#define PQfinish (*libpq_use()->PQfinish)
#define PQflush (*libpq_use()->PQflush)
#define PQfname (*libpq_use()->PQfname)
#define PQgetResult (*libpq_use()->PQgetResult)
#define PQgetisnull (*libpq_use()->PQgetisnull)
#define PQgetlength (*libpq_use()->PQgetlength)
#define PQgetvalue (*libpq_use()->PQgetvalue)
#define PQisBusy (*libpq_use()->PQisBusy)
#define PQnfields (*libpq_use()->PQnfields)
#define PQntuples (*libpq_use()->PQntuples)
#define PQpipelineSync (*libpq_use()->PQpipelineSync)
#define PQresultErrorField (*libpq_use()->PQresultErrorField)
#define PQresultStatus (*libpq_use()->PQresultStatus)
#define PQsendDescribePrepared (*libpq_use()->PQsendDescribePrepared)
#define PQsendPrepare (*libpq_use()->PQsendPrepare)
#define PQsendQuery (*libpq_use()->PQsendQuery)
#define PQsendQueryParams (*libpq_use()->PQsendQueryParams)
#define PQsendQueryPrepared (*libpq_use()->PQsendQueryPrepared)
#define PQsetNoticeReceiver (*libpq_use()->PQsetNoticeReceiver)
#define PQsetnonblocking (*libpq_use()->PQsetnonblocking)
#define PQsocket (*libpq_use()->PQsocket)
#define PQstatus (*libpq_use()->PQstatus)
#define PQtransactionStatus (*libpq_use()->PQtransactionStatus)

#endif
