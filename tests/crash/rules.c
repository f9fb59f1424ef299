/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules that the database must follow, and facts that clients may rely on. */
#include "invariants.h"

#define JOB(kinds, ref)                                                                \
	"(SELECT 1 FROM jobs WHERE kind IN (" kinds ") AND ref = " ref                 \
	" AND state <> 'dead')"
#define WITH_BYTES "state IN ('stored', 'checked')"

/* clang-format off */
const struct rule	 rules_always[] = {
	RULE("a balance is not the sum of its entries",
	    "SELECT id FROM accounts a WHERE balance_micro <> (SELECT coalesce(sum(amount_micro), 0)"
	    " FROM ledger WHERE account = a.id)"),
	RULE("an account without a credential",
	    "SELECT id FROM accounts a WHERE NOT EXISTS (SELECT 1 FROM credentials WHERE account = a.id)"),
	RULE("an account's bytes are not those of its files",
	    "SELECT id FROM accounts a WHERE stored_bytes <> (SELECT coalesce(sum(bytes), 0)"
	    " FROM blobs WHERE account = a.id AND " WITH_BYTES " AND kind <> 'glossary')"),

	RULE("a blob in no state of ours",
	    "SELECT id FROM blobs WHERE state NOT IN ('awaiting', 'stored', 'checked', 'rejected', 'gone')"),
	RULE("a blob with bytes does not say which",
	    "SELECT id FROM blobs WHERE " WITH_BYTES " AND (file IS NULL OR bytes IS NULL OR sha256 IS NULL"
	    " OR stored_us IS NULL)"),
	RULE("a blob has a file before one arrived",
	    "SELECT id FROM blobs WHERE state = 'awaiting' AND file IS NOT NULL"),
	RULE("blobs share a file",
	    "SELECT file FROM blobs WHERE file IS NOT NULL GROUP BY file HAVING count(*) > 1"),
	RULE("an uploaded file that no worker will check",
	    "SELECT id FROM blobs b WHERE kind = 'upload' AND state = 'stored' AND NOT EXISTS "
	    JOB("'blob.check'", "b.id")),
	RULE("a recording or sample without its voice",
	    "SELECT id FROM blobs b WHERE kind IN ('voice_sample', 'tts_sample') AND " WITH_BYTES
	    " AND NOT EXISTS (SELECT 1 FROM voices v WHERE v.id = b.voice)"),
	RULE("spoken bytes without their sample",
	    "SELECT id FROM blobs b WHERE kind = 'tts_sample' AND " WITH_BYTES
	    " AND NOT EXISTS (SELECT 1 FROM tts_samples t WHERE t.id = b.id AND t.voice = b.voice)"),
	RULE("bytes of a glossary that no glossary has",
	    "SELECT id FROM blobs b WHERE kind = 'glossary' AND " WITH_BYTES
	    " AND NOT EXISTS (SELECT 1 FROM glossaries g WHERE g.blob = b.id)"),

	RULE("a voice in no status of ours",
	    "SELECT id FROM voices WHERE status NOT IN ('created', 'pending', 'ready', 'failed')"),
	RULE("a voice waits for a recording that no form can bring",
	    "SELECT id FROM voices v WHERE status = 'created' AND NOT EXISTS (SELECT 1 FROM blobs"
	    " WHERE id = v.sample AND voice = v.id AND state = 'awaiting')"),
	RULE("a voice that no worker will make",
	    "SELECT id FROM voices v WHERE status = 'pending' AND NOT EXISTS " JOB("'voice.clone'", "v.id")),
	RULE("a voice is made of a recording that is not there",
	    "SELECT id FROM voices v WHERE account IS NOT NULL AND status IN ('pending', 'ready')"
	    " AND NOT EXISTS (SELECT 1 FROM blobs WHERE id = v.sample AND voice = v.id AND " WITH_BYTES ")"),
	RULE("a voice failed without a reason",
	    "SELECT id FROM voices WHERE status = 'failed' AND errors = ''"),
	RULE("a sample without its bytes",
	    "SELECT id FROM tts_samples t WHERE NOT EXISTS (SELECT 1 FROM blobs b WHERE b.id = t.id"
	    " AND b.voice = t.voice AND " WITH_BYTES ")"),
	RULE("a voice has two samples of one provider",
	    "SELECT voice FROM tts_samples GROUP BY voice, provider HAVING count(*) > 1"),

	RULE("a glossary in no status of ours",
	    "SELECT id FROM glossaries WHERE status NOT IN ('none', 'pending', 'ready', 'failed')"),
	RULE("a glossary that no worker will import",
	    "SELECT id FROM glossaries g WHERE status = 'pending' AND NOT EXISTS "
	    JOB("'glossary.import'", "g.id")),
	RULE("a glossary without the file it came from",
	    "SELECT id FROM glossaries g WHERE status <> 'none' AND NOT EXISTS (SELECT 1 FROM blobs"
	    " WHERE id = g.blob AND " WITH_BYTES ")"),
	RULE("a glossary's terms are not those that it counts",
	    "SELECT g.id FROM glossaries g LEFT JOIN glossary_terms t ON t.glossary = g.id"
	    " WHERE coalesce(length(t.terms) - length(replace(t.terms, char(30), '')), 0) <> g.entries"
	    " OR (g.status = 'ready') <> (t.glossary IS NOT NULL)"),
	RULE("a glossary failed without a fault",
	    "SELECT id FROM glossaries WHERE (status = 'failed') <> (faults <> '')"),

	RULE("an event without statistics",
	    "SELECT id FROM events e WHERE NOT EXISTS (SELECT 1 FROM event_stats WHERE event = e.id)"),
	RULE("an event that cannot be searched for",
	    "SELECT id FROM events e WHERE NOT EXISTS (SELECT 1 FROM event_texts WHERE rowid = e.seq)"),
	RULE("a searched text without its event",
	    "SELECT t.rowid FROM event_texts t WHERE NOT EXISTS (SELECT 1 FROM events WHERE seq = t.rowid)"),
	RULE("an event's stages are not in a row",
	    "SELECT event FROM stages GROUP BY event HAVING min(position) <> 0 OR"
	    " max(position) <> count(*) - 1 OR count(DISTINCT position) <> count(*)"),
	RULE("an event counts other channels than it has",
	    "SELECT id FROM events e WHERE channels_ready <> (SELECT count(*) FROM channels"
	    " WHERE event = e.id AND lifecycle = 'ready') OR channels_active <> (SELECT count(*)"
	    " FROM channels WHERE event = e.id AND lifecycle <> 'deleting' AND runtime = 'active')"),
	RULE("participants are not those that joined",
	    "SELECT event FROM event_stats s WHERE participants <> (SELECT count(DISTINCT listener)"
	    " FROM joins WHERE event = s.event)"),
	RULE("a language is not heard by those that joined",
	    "SELECT e.id FROM events e WHERE EXISTS (SELECT 1 FROM heard h WHERE h.event = e.id AND"
	    " participants <> (SELECT count(*) FROM joins j WHERE j.event = h.event AND"
	    " j.language = h.language)) OR (SELECT coalesce(sum(participants), 0) FROM heard"
	    " WHERE event = e.id) <> (SELECT count(*) FROM joins WHERE event = e.id)"),
	RULE("a request was asked by more than it counts",
	    "SELECT id FROM requests r WHERE asked < (SELECT count(*) FROM askers a"
	    " WHERE a.event = r.event AND a.request = r.id)"),
	RULE("an event's use is not that of the ledger",
	    "SELECT event FROM event_stats s WHERE used_micro <> (SELECT coalesce(-sum(amount_micro), 0)"
	    " FROM ledger WHERE event = s.event)"),
	RULE("last statistics without their time, or before the end",
	    "SELECT s.event FROM event_stats s JOIN events e ON e.id = s.event WHERE (final IS NULL) <>"
	    " (final_us IS NULL) OR (final IS NOT NULL AND e.finished_us IS NULL)"),
	RULE("an event was finished and no worker will take its last statistics",
	    "SELECT e.id FROM events e JOIN event_stats s ON s.event = e.id WHERE finished_us IS NOT NULL"
	    " AND noticed_us IS NULL AND final_us IS NULL"),
	RULE("an event was joined and no worker will write its export",
	    "SELECT event FROM event_stats WHERE participants > 0 AND csv IS NULL AND changed_us IS NULL"),
	RULE("rows of a deleted event that no worker will remove",
	    "SELECT event FROM (SELECT event FROM joins UNION SELECT event FROM askers) x"
	    " WHERE NOT EXISTS (SELECT 1 FROM events WHERE id = x.event)"
	    " AND NOT EXISTS " JOB("'event.purge'", "x.event")),

	RULE("a channel in no state of ours",
	    "SELECT id FROM channels WHERE lifecycle NOT IN ('creating', 'ready', 'failed', 'deleting')"),
	RULE("a channel that no job will create or remove",
	    "SELECT id FROM channels c WHERE (lifecycle = 'creating' AND NOT EXISTS "
	    JOB("'channel.create'", "c.id") ") OR (lifecycle = 'deleting' AND NOT EXISTS "
	    JOB("'channel.remove'", "c.id") ")"),
	RULE("a ready channel is nowhere",
	    "SELECT id FROM channels WHERE lifecycle = 'ready' AND (broadcast IS NULL OR held <> 1)"),
	RULE("a channel outlives its event",
	    "SELECT id FROM channels c WHERE event IS NOT NULL AND lifecycle <> 'deleting'"
	    " AND NOT EXISTS (SELECT 1 FROM events WHERE id = c.event)"),

	RULE("a job in no state of ours",
	    "SELECT kind || ' ' || ref FROM jobs WHERE state NOT IN ('ready', 'leased', 'dead')"
	    " OR (state = 'leased' AND (lease_key IS NULL OR holder IS NULL))"),
	RULE("a session outlives its tokens",
	    "SELECT id FROM sessions WHERE expires_us > tokens_us"),
	RULE("a kept answer is none",
	    "SELECT route FROM answers WHERE status NOT BETWEEN 200 AND 599"),
	{ NULL },
};

const struct rule	 rules_settled[] = {
	RULE("a job is left", "SELECT kind || ' ' || ref || ' ' || coalesce(error, '') FROM jobs"),
	RULE("a voice still waits", "SELECT id FROM voices WHERE status = 'pending'"),
	RULE("a glossary still waits", "SELECT id FROM glossaries WHERE status = 'pending'"),
	RULE("a channel still waits",
	    "SELECT id FROM channels WHERE lifecycle IN ('creating', 'deleting')"),
	RULE("an upload still waits",
	    "SELECT id FROM blobs WHERE kind = 'upload' AND state = 'stored'"),
	RULE("what was deleted still has its bytes",
	    "SELECT id FROM blobs WHERE state = 'gone' OR (state = 'rejected' AND file IS NOT NULL)"),
	RULE("an export still waits", "SELECT event FROM event_stats WHERE changed_us IS NOT NULL"),
	RULE("an export is not what was heard",
	    "SELECT s.event FROM event_stats s WHERE csv IS NOT NULL AND final IS NULL AND"
	    " length(csv) - length(replace(csv, char(10), '')) <> 1 + (SELECT count(*) FROM heard"
	    " WHERE event = s.event)"),
	{ NULL },
};

#define PROMISE(kind, query) { kind, { kind, query, NULL } }

const struct promise	 promises[] = {
	PROMISE("schema", "SELECT max(version) >= CAST($1 AS INTEGER) FROM schema_versions"),
	PROMISE("account", "SELECT count(*) FROM accounts WHERE id = $1 AND name = $2"),
	PROMISE("credential", "SELECT count(*) FROM credentials WHERE hash = $1"),
	PROMISE("entry",
	    "SELECT count(*) FROM ledger WHERE reference = $1 AND amount_micro = CAST($2 AS INTEGER)"),
	PROMISE("balance",
	    "SELECT count(*) FROM accounts WHERE id = $1 AND balance_micro = CAST($2 AS INTEGER)"),
	PROMISE("awaited", "SELECT count(*) FROM blobs WHERE id = $1 AND state = 'awaiting'"),
	PROMISE("file",
	    "SELECT count(*) FROM blobs WHERE id = $1 AND sha256 = $2 AND bytes = CAST($3 AS INTEGER)"
	    " AND " WITH_BYTES),
	PROMISE("no-file", "SELECT count(*) = 0 FROM blobs WHERE id = $1 AND state <> 'gone'"),
	PROMISE("voice", "SELECT count(*) FROM voices WHERE id = $1 AND name = $2"),
	PROMISE("spoken",
	    "SELECT count(*) FROM tts_samples t JOIN blobs b ON b.id = t.id WHERE t.id = $1"
	    " AND t.lang = $2"),
	PROMISE("ready-voice", "SELECT count(*) FROM voices WHERE id = $1 AND status = 'ready'"),
	PROMISE("no-voice", "SELECT count(*) = 0 FROM voices WHERE id = $1"),
	PROMISE("glossary", "SELECT count(*) FROM glossaries WHERE id = $1 AND name = $2"),
	PROMISE("terms",
	    "SELECT count(*) FROM glossaries WHERE id = $1 AND (status = 'pending'"
	    " OR entries = CAST($2 AS INTEGER))"),
	PROMISE("no-glossary", "SELECT count(*) = 0 FROM glossaries WHERE id = $1"),
	PROMISE("event", "SELECT count(*) FROM events WHERE id = $1 AND title = $2"),
	PROMISE("no-event", "SELECT count(*) = 0 FROM events WHERE id = $1"),
	PROMISE("channel",
	    "SELECT count(*) FROM channels WHERE id = $1 AND name = $2 AND lifecycle = 'ready'"),
	PROMISE("no-channel",
	    "SELECT count(*) = 0 FROM channels WHERE id = $1 AND lifecycle <> 'deleting'"),
	PROMISE("joined",
	    "SELECT participants >= CAST($2 AS INTEGER) FROM event_stats WHERE event = $1"),
	PROMISE("asked", "SELECT count(*) FROM requests WHERE event = $1 AND language = $2"),
	PROMISE("session", "SELECT count(*) FROM sessions WHERE id = $1 AND intent = $2"),
	PROMISE("no-session", "SELECT count(*) = 0 FROM sessions WHERE id = $1"),
	{ NULL },
};
/* clang-format on */
