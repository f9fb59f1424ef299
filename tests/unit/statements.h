/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_STATEMENTS_H
#define TESTS_UNIT_STATEMENTS_H

/* All tables of statements; tests/golden/run checks that none is missing. */
#include "service/backup.h"
#include "store/account_data.h"
#include "store/accounts.h"
#include "store/audit.h"
#include "store/blobs.h"
#include "store/channel_outputs.h"
#include "store/channels.h"
#include "store/credentials.h"
#include "store/event_search.h"
#include "store/events.h"
#include "store/glossaries.h"
#include "store/held_lines.h"
#include "store/idempotent_responses.h"
#include "store/join_codes.h"
#include "store/leases.h"
#include "store/ledger.h"
#include "store/listener_joins.h"
#include "store/listening.h"
#include "store/members.h"
#include "store/nodes.h"
#include "store/passkeys.h"
#include "store/public_view_cache.h"
#include "store/recordings.h"
#include "store/requests.h"
#include "store/schema.h"
#include "store/served.h"
#include "store/sessions.h"
#include "store/stats.h"
#include "store/transcripts.h"
#include "store/voices.h"
#include "store/webhook_deliveries.h"
#include "store/webhooks.h"
#include "work/queue.h"

static const struct sql *const statements[] = { account_data_sql, account_sql,
	audit_sql, channel_output_sql, idempotent_response_sql, holdings_sql, blob_sql,
	caller_sql, public_view_cache_sql, channel_sql, credential_sql,
	event_search_sql, event_sql, glossary_sql, join_code_sql, listener_join_sql,
	lease_sql, listening_sql, ledger_sql, member_sql, voice_processing_sql,
	node_sql, passkey_sql, held_sql, queue_sql, recording_sql, request_sql,
	schema_sql, sealed_sql, served_sql, session_sql, stage_sql, stats_sql,
	transcript_sql, voice_sql, webhook_delivery_sql, webhook_sql };

#endif
