/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/account_export.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/log.h"
#include "base/token.h"
#include "base/version.h"
#include "blob/blob.h"
#include "service/cgi_call.h"
#include "service/export_folder.h"
#include "store/accounts.h"
#include "store/blobs.h"
#include "store/ledger.h"
#include "store/listening.h"

#define BATCH 500   /* rows read at once */
#define PIECE 65536 /* bytes of a file copied at once */
#define TOKEN_S 300 /* life of a token in seconds; each call gets a new one */
#define TRIES 100   /* tries of a call that is answered 429 or 503 */

struct export_run {
	struct db *db;
	const struct conf *conf;
	const char *account, *scopes;
	struct export_folder *folder;
	struct export_report *report;
};

/* clang-format off */
const struct export_route	 export_routes[] = {
	{ "balance.json",          "balance",     "/payments/v2/balance", EXPORT_ONE },
	{ "usage_by_day.json",     "balance",     "/payments/v2/usage?group=day&page_size=100", EXPORT_LIST },
	{ "usage_by_kind.json",    "balance",     "/payments/v2/usage?group=kind&page_size=100", EXPORT_LIST },
	{ "usage_by_event.json",   "balance",     "/payments/v2/usage?group=event&page_size=100", EXPORT_LIST },
	{ "usage_by_channel.json", "balance",     "/payments/v2/usage?group=channel&page_size=100", EXPORT_LIST },
	{ "keys.json",             "keys",        "/saas/keys", EXPORT_LIST },
	{ "members.json",          "keys",        "/saas/members", EXPORT_LIST },
	{ "audit.json",            "keys",        "/saas/audit?page_size=100", EXPORT_LIST },
	{ "sign_ins.json",         "sign_ins",    "/auth/sign-ins", EXPORT_LIST },
	{ "voices.json",           "voices",      "/saas/voice?page_size=100", EXPORT_LIST },
	{ "voices_hidden.json",    "voices",      "/saas/voice/hidden?page_size=100", EXPORT_LIST },
	{ "voices_favorite.json",  "voices",      "/saas/voice/builtin?is_favorite=true&page_size=100", EXPORT_LIST },
	{ "tts_samples.json",      "voices",      "/saas/voice/sample/tts?page_size=100", EXPORT_LIST },
	{ "glossaries.json",       "glossaries",  "/saas/glossaries?page_size=100", EXPORT_LIST },
	{ "glossaries/*/terms.csv", "glossaries", "/saas/glossary/*/upload", EXPORT_FILE, "glossaries.json", "glossary_id" },
	{ "events.json",           "events",      "/saas/v2/events", EXPORT_LIST },
	{ "events/*/stats.json",   "events",      "/saas/v2/event/*/stats", EXPORT_ONE, "events.json", "event_id" },
	{ "events/*/series.json",  NULL,          "", EXPORT_SERIES, "events.json", "event_id" },
	{ "events/*/languages.csv", "events",     "/saas/v2/event/*/stats/export", EXPORT_FILE, "events.json", "event_id" },
	{ "events/*/requests.json", "requests",   "/saas/v2/event/*/requests", EXPORT_ONE, "events.json", "event_id" },
	{ "events/*/transcript.csv", "transcripts", "/saas/v2/event/*/transcript", EXPORT_TRANSCRIPT, "events.json", "event_id" },
	{ "channels.json",         "channels",    "/saas/channels", EXPORT_LIST },
	{ "channels/*/transcript.csv", "transcripts", "/saas/channel/*/transcript", EXPORT_TRANSCRIPT,
	  "channels.json", "channel_id", .unless = "event_id" },
	{ "channels/*/recordings.json", "recordings", "/saas/channel/*/recordings?page_size=100", EXPORT_LIST,
	  "channels.json", "channel_id" },
	{ "sessions.json",         "sessions",    "/session-storage/sessions?page_size=100", EXPORT_LIST },
	{ "webhooks.json",         "webhooks",    "/saas/webhooks", EXPORT_LIST },
	{ "webhooks/*/deliveries.json", "webhooks", "/saas/webhook/*/deliveries", EXPORT_LIST, "webhooks.json", "webhook_id" },
	{ NULL },
};
const char *const	 export_files[] = { "account.json", "ledger.csv", "files.json", NULL };

const struct field	 export_fields[] = FIELDS(
	{ "files",   F_INT, MEMBER(export_report, files),   .flags = F_OUT },
	{ "missing", F_INT, MEMBER(export_report, missing), .flags = F_OUT }
);
/* clang-format on */

/* ---- the account, its ledger, its files ---- */

/* clang-format off */
static const struct field	 file_fields[] = FIELDS(
	{ "blob_id",      F_TEXT, MEMBER(blob, id),           .flags = F_OUT },
	{ "kind",         F_TEXT, MEMBER(blob, kind),         .flags = F_OUT },
	{ "state",        F_TEXT, MEMBER(blob, state),        .flags = F_OUT },
	{ "mime_type",    F_TEXT, MEMBER(blob, mime_type),    .flags = F_OUT },
	{ "filename",     F_TEXT, MEMBER(blob, filename),     .flags = F_OUT },
	{ "display_name", F_TEXT, MEMBER(blob, display_name), .flags = F_OUT },
	{ "description",  F_TEXT, MEMBER(blob, description),  .flags = F_OUT },
	{ "voice_id",     F_TEXT, MEMBER(blob, voice),        .flags = F_OUT },
	{ "size_bytes",   F_INT,  MEMBER(blob, bytes),        .flags = F_OUT },
	{ "created_at",   F_TIME, MEMBER(blob, created_us),   .flags = F_OUT },
	{ "stored_at",    F_TIME, MEMBER(blob, stored_us),    .flags = F_OUT }
);
/* clang-format on */

static enum err
export_text(struct export_run *x, const char *name, const char *p, size_t n)
{
	struct export_file f;
	enum err e = export_file_begin(x->folder, name, &f);

	if (e != OK)
		return e;
	if ((e = export_file_put(&f, p, n)) == OK)
		return export_file_end(&f);
	export_file_drop(&f);
	return e;
}

static enum err
export_account(struct export_run *x, struct arena *mem, const struct account *a)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	field_write(&j, NULL, account_fields, a);
	buf_str(&b, "\n");
	return export_text(x, "account.json", b.p, b.len);
}

static enum err
put_entries(struct export_file *f, struct arena *mem, const struct list *entries)
{
	const struct ledger_entry *l = entries->items;
	struct buf b = { .mem = mem };
	char at[TIME_TEXT];

	for (size_t i = 0; i < entries->n; i++)
		buf_printf(&b, "%s,%s,%s,%s,%s\r\n", time_text(l[i].created_us, at),
		    l[i].kind, l[i].credits, csv_cell_guarded(mem, l[i].reference),
		    l[i].event != NULL ? l[i].event : "");
	return export_file_put(f, b.p, b.len);
}

static enum err
export_ledger(struct export_run *x)
{
	static const char head[] = "created_at,kind,credits,reference,event_id\r\n";
	struct ledger_entry after = { .id = "", .created_us = 0 };
	struct arena *mem[] = { arena_new(), arena_new() };
	struct list l = { .n = BATCH };
	struct export_file f;
	enum err e = export_file_begin(x->folder, "ledger.csv", &f);

	if (e == OK)
		e = export_file_put(&f, head, strlen(head));
	/*
	 * Two arenas are used by turns, because the last entry of a batch is needed
	 * while the next batch is read.
	 */
	for (int i = 0; e == OK && l.n == BATCH; i = !i) {
		arena_reset(mem[i]);
		e = ledger_after(x->db, mem[i], x->account, &after, BATCH, &l);
		if (e == OK && l.n > 0) {
			e = put_entries(&f, mem[i], &l);
			after = ((struct ledger_entry *)l.items)[l.n - 1];
		}
	}
	if (e == OK)
		e = export_file_end(&f);
	else
		export_file_drop(&f);
	arena_free(mem[0]);
	arena_free(mem[1]);
	return e;
}

static enum err
export_series(
    struct export_run *x, struct arena *mem, const char *name, const char *event)
{
	const struct listening_span all = { 0, INT64_MAX, LISTENING_MINUTE_US };
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	struct list l;
	enum err e = listening_series(x->db, mem, event, &all, &l);

	if (e != OK)
		return e;
	jw_list(&j, NULL);
	for (size_t i = 0; i < l.n; i++)
		field_write(&j, NULL, listening_point_fields,
		    (struct listening_point *)l.items + i);
	jw_close(&j);
	buf_str(&b, "\n");
	return export_text(x, name, b.p, b.len);
}

/* ---- files ---- */

static enum err
copy_bytes(struct export_file *f, struct arena *mem, int fd)
{
	char *piece = arena_alloc(mem, PIECE);
	enum err e = OK;
	ssize_t n;

	while (e == OK && (n = read(fd, piece, PIECE)) > 0)
		e = export_file_put(f, piece, (size_t)n);
	return e == OK && n < 0 ? ERR_FAILED : e;
}

static enum err
export_blob(struct export_run *x, struct arena *mem, const struct blob *b)
{
	struct blob_file from;
	struct export_file f;
	enum err e;

	if (!blob_has_bytes(b))
		return OK;
	if ((e = blob_open(x->conf, mem, b->file, &from)) == ERR_NOT_FOUND) {
		log_error("export: there is no file of %s", b->id);
		x->report->missing++;
		return OK;
	}
	if (e != OK || (e = export_file_begin(
			    x->folder, arena_printf(mem, "files/%s", b->id), &f)) != OK)
		return e;
	if ((e = copy_bytes(&f, mem, from.fd)) == OK)
		return export_file_end(&f);
	export_file_drop(&f);
	return e;
}

/* Write a record and its file. */
static enum err
put_blob(
    struct export_run *x, struct export_file *list, const struct blob *b, bool *some)
{
	struct arena *mem = arena_new();
	struct buf text = { .mem = mem };
	struct json_writer j = { .out = &text };
	enum err e;

	buf_str(&text, *some ? ",\n" : "[");
	*some = true;
	field_write(&j, NULL, file_fields, b);
	if ((e = export_file_put(list, text.p, text.len)) == OK)
		e = export_blob(x, mem, b);
	arena_free(mem);
	return e;
}

static enum err
export_blobs(struct export_run *x, struct arena *mem)
{
	struct list l = { .n = BATCH };
	const char *after = "";
	struct export_file f;
	bool some = false;
	enum err e = export_file_begin(x->folder, "files.json", &f);

	while (e == OK && l.n == BATCH) {
		const struct blob *b;

		e = blob_of_account(x->db, mem, x->account, after, BATCH, &l);
		b = l.items;
		for (size_t i = 0; e == OK && i < l.n; i++) {
			e = put_blob(x, &f, &b[i], &some);
			after = b[i].id;
		}
	}
	if (e == OK)
		e = export_file_put(&f, some ? "]\n" : "[]\n", some ? 2 : 3);
	if (e == OK)
		return export_file_end(&f);
	export_file_drop(&f);
	return e;
}

/* ---- asking a route ---- */

/* Returns the scopes that only allow reading. */
static const char *
reading_scopes(struct arena *mem)
{
	struct buf b = { .mem = mem };

	for (int i = 0; known_scopes[i] != NULL; i++)
		if (strstr(known_scopes[i], ":read") != NULL)
			buf_printf(&b, "%s%s", b.len > 0 ? " " : "", known_scopes[i]);
	return buf_text(&b);
}

/* Call a route. OK: the answer is 200 or 404. After 429 and 503, wait and try again. */
static enum err
ask(struct export_run *x, struct arena *mem, const char *program, const char *target,
    struct cgi_answer *a)
{
	const struct api_token t = { x->account, x->scopes };
	const struct conf *c = x->conf;
	struct cgi_call call = { program, target };
	enum err e;

	for (int i = 0; i < TRIES; i++) {
		call.bearer = token_make(
		    mem, c->token_secrets, c->token_issuer, now_us(), TOKEN_S, &t);
		if ((e = cgi_call(mem, c, &call, a)) != OK)
			return e;
		if (a->status == 200 || a->status == 404)
			return OK;
		if (a->status != 429 && a->status != 503)
			break;
		sleep(a->retry_after_s > 0 ? (unsigned)a->retry_after_s : 1);
	}
	log_error("export: %s is answered %d: %s", target, a->status, a->body);
	return ERR_FAILED;
}

/* The pattern with its * replaced by the id. */
static const char *
with_id(struct arena *mem, const char *pattern, const char *id)
{
	const char *star = strchr(pattern, '*');

	if (star == NULL)
		return pattern;
	return arena_printf(
	    mem, "%.*s%s%s", (int)(star - pattern), pattern, id, star + 1);
}

/* ---- lists ---- */

static enum err export_one(
    struct export_run *, const struct export_route *, const char *id);

/* Export the files that belong to each record of a list. */
static enum err
export_of(struct export_run *x, const char *list, const struct json *record)
{
	enum err e = OK;

	for (const struct export_route *r = export_routes; e == OK && r->file != NULL;
	     r++) {
		const char *id;

		if (r->of == NULL || strcmp(r->of, list) != 0 ||
		    (r->unless != NULL && json_get_text(record, r->unless) != NULL))
			continue;
		if ((id = json_get_text(record, r->id)) == NULL) {
			log_error("export: a record of %s has no %s", list, r->id);
			return ERR_FAILED;
		}
		e = export_one(x, r, id);
	}
	return e;
}

/* Returns the records of an answer: the list "data", or "items" of "data". */
static const struct json *
records_of(struct arena *mem, const struct cgi_answer *a)
{
	const char *why;
	const struct json *data =
	    json_get(json_read(mem, a->body, a->len, &why), "data");

	return data != NULL && data->type == JSON_OBJ ? json_get_list(data, "items")
						      : data;
}

static enum err
put_records(struct export_run *x, const char *list, const struct json *all,
    struct export_file *f, bool *some)
{
	struct arena *mem = arena_new();
	enum err e = OK;

	for (const struct json *v = all->kids; e == OK && v != NULL; v = v->next) {
		const char *text =
		    arena_printf(mem, "%s%s", *some ? ",\n" : "[", json_text(mem, v));

		*some = true;
		if ((e = export_file_put(f, text, strlen(text))) == OK)
			e = export_of(x, list, v);
		arena_reset(mem);
	}
	arena_free(mem);
	return e;
}

/* Write a page; *target becomes the next one, allocated in keep, or NULL. */
static enum err
put_page(struct export_run *x, const struct export_route *r, struct export_file *f,
    struct arena *keep, const char **target, bool *some)
{
	struct arena *mem = arena_new();
	const struct json *all = NULL;
	struct cgi_answer a;
	enum err e = ask(x, mem, r->program, *target, &a);

	if (e == OK &&
	    ((all = records_of(mem, &a)) == NULL || all->type != JSON_LIST)) {
		log_error("export: %s answers no list: %d", *target, a.status);
		e = ERR_FAILED;
	}
	if (e == OK)
		e = put_records(x, r->file, all, f, some);
	*target = e == OK && a.next != NULL ? arena_str(keep, a.next) : NULL;
	arena_free(mem);
	return e;
}

static enum err
export_list(struct export_run *x, const struct export_route *r, const char *name,
    const char *target)
{
	struct arena *keep = arena_new();
	struct export_file f;
	bool some = false;
	enum err e = export_file_begin(x->folder, name, &f);

	while (e == OK && target != NULL)
		e = put_page(x, r, &f, keep, &target, &some);
	if (e == OK)
		e = export_file_put(&f, some ? "]\n" : "[]\n", some ? 2 : 3);
	arena_free(keep);
	if (e == OK)
		return export_file_end(&f);
	export_file_drop(&f);
	return e;
}

/* ---- single answers ---- */

/* The file of a glossary may be a workbook, a zip file. */
static const char *
true_name(struct arena *mem, const char *name, const char *body)
{
	const char *dot = strrchr(name, '.');

	return strncmp(body, "PK\x03\x04", 4) != 0
		   ? name
		   : arena_printf(mem, "%.*s.xlsx", (int)(dot - name), name);
}

/*
 * Read the body of an answer; *body NULL: the answer was 404, and no file is written.
 */
static enum err
export_answer(struct export_run *x, struct arena *mem, const struct export_route *r,
    const char *const name_target[2], const char **body)
{
	struct cgi_answer a;
	const char *why, *text;
	enum err e = ask(x, mem, r->program, name_target[1], &a);

	*body = NULL;
	if (e != OK || a.status == 404)
		return e;
	*body = a.body;
	if (r->as != EXPORT_ONE)
		return export_text(
		    x, true_name(mem, name_target[0], a.body), a.body, a.len);
	text = arena_printf(mem, "%s\n",
	    json_text(mem, json_get(json_read(mem, a.body, a.len, &why), "data")));
	return export_text(x, name_target[0], text, strlen(text));
}

/* ---- transcripts ---- */

/* Export the lines and the captions of one language. */
static enum err
export_language(struct export_run *x, struct arena *mem, const struct export_route *r,
    const char *const name_target[2], const char *code)
{
	size_t n = strlen(name_target[0]) - strlen(".csv");
	const char *name = arena_printf(mem, "%.*s.%s", (int)n, name_target[0], code);
	const char *target = arena_printf(mem, "%s?language=%s", name_target[1], code);
	const char *const captions[] = { arena_printf(mem, "%s.vtt", name),
		arena_printf(mem, "%s&format=vtt", target) };
	const char *body;
	enum err e = export_list(x, r, arena_printf(mem, "%s.json", name),
	    arena_printf(mem, "%s&page_size=100", target));

	return e == OK ? export_answer(x, mem, r, captions, &body) : e;
}

/* The first row of the table names the languages that have lines. */
static enum err
export_transcript(struct export_run *x, struct arena *mem, const struct export_route *r,
    const char *const name_target[2])
{
	const char *const table[] = { name_target[0],
		arena_printf(mem, "%s?format=csv", name_target[1]) };
	const char *head;
	enum err e = export_answer(x, mem, r, table, &head);

	if (e != OK || head == NULL)
		return e;
	head += strlen("start,end,");
	for (size_t n; e == OK; head += n + 1) {
		n = strcspn(head, ",\r\n");
		e = export_language(x, mem, r, name_target, arena_dup(mem, head, n));
		if (head[n] != ',')
			break;
	}
	return e;
}

static enum err
export_one(struct export_run *x, const struct export_route *r, const char *id)
{
	struct arena *mem = arena_new();
	const char *const name_target[] = { with_id(mem, r->file, id),
		with_id(mem, r->target, id) };
	const char *body;
	enum err e;

	if (r->as == EXPORT_LIST)
		e = export_list(x, r, name_target[0], name_target[1]);
	else if (r->as == EXPORT_SERIES)
		e = export_series(x, mem, name_target[0], id);
	else if (r->as == EXPORT_TRANSCRIPT)
		e = export_transcript(x, mem, r, name_target);
	else
		e = export_answer(x, mem, r, name_target, &body);
	arena_free(mem);
	return e;
}

/* ---- all of it ---- */

static void
write_head(void *arg, struct json_writer *j)
{
	const struct export_run *x = arg;
	char at[TIME_TEXT];

	jw_text(j, "user_id", x->account);
	jw_text(j, "exported_at", time_text(now_us(), at));
	jw_text(j, "base_url", x->conf->server_base_url);
	jw_text(j, "version", VERSION);
	jw_int(j, "missing", x->report->missing);
}

static enum err
export_all(struct export_run *x, struct arena *mem, const struct account *a)
{
	enum err e;

	if ((e = export_account(x, mem, a)) != OK || (e = export_ledger(x)) != OK ||
	    (e = export_blobs(x, mem)) != OK)
		return e;
	for (const struct export_route *r = export_routes; e == OK && r->file != NULL;
	     r++)
		if (r->of == NULL)
			e = export_one(x, r, "");
	return e == OK ? export_folder_end(x->folder, write_head, x, &x->report->files)
		       : e;
}

enum err
account_export(struct db *db, struct arena *mem, const struct conf *c,
    const char *account, const char *dir, struct export_report *to)
{
	struct export_run x = { .db = db, .conf = c, .report = to };
	struct account a;
	enum err e;

	*to = (struct export_report){ 0 };
	if ((e = account_get(db, mem, account, &a)) != OK)
		return e;
	if (strcmp(a.status, "active") != 0)
		return ERR_REFUSED;
	x.account = a.id;
	x.scopes = reading_scopes(mem);
	if ((e = export_folder_begin(mem, dir, &x.folder)) != OK)
		return e;
	e = export_all(&x, mem, &a);
	export_folder_drop(x.folder);
	return e;
}
