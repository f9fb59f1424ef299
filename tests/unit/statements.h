#ifndef TESTS_UNIT_STATEMENTS_H
#define TESTS_UNIT_STATEMENTS_H

/* Every table of statements there is; tests/golden/run checks that none is missing. */
#include "store/accounts.h"
#include "store/answers.h"
#include "store/blobs.h"
#include "store/bundles.h"
#include "store/channels.h"
#include "store/event_search.h"
#include "store/events.h"
#include "store/glossaries.h"
#include "store/joins.h"
#include "store/ledger.h"
#include "store/making.h"
#include "store/nodes.h"
#include "store/requests.h"
#include "store/schema.h"
#include "store/served.h"
#include "store/sessions.h"
#include "store/stats.h"
#include "store/voices.h"
#include "work/queue.h"

static const struct sql *const statements[] = { account_sql, answer_sql, blob_sql,
	bundle_sql, channel_sql, event_search_sql, event_sql, glossary_sql, join_sql,
	ledger_sql, making_sql, node_sql, queue_sql, request_sql, schema_sql,
	served_sql, session_sql, stage_sql, stats_sql, voice_sql };

#endif
