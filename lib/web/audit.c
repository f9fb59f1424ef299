/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The audit of changes that people make.  A row is added by the commit of the change,
 * in its transaction, so it exists if and only if the change does, whichever route made
 * it.  The row of the route has the action and the kind, the answer the record's id.
 */
#include <string.h>

#include "base/text.h"
#include "store/audit.h"
#include "web/policy.h"

#define SUMMARY_BYTES 200

/*
 * The kinds of records by path, the longest first, and the member with their ids.  name
 * NULL: not in the audit.  Programs open and end thousands of sessions a day, and fetch
 * messages.
 */
static const struct kind {
	const char *path, *name, *id;
} kinds[] = {
	{ "/auth/passkey", "passkey", "passkey_id" },
	{ "/auth/sign-ins", "sign_in", "sign_in_id" },
	{ "/auth/token", "sign_in", "sign_in_id" },
	{ "/blobs", "upload", "blob_id" },
	{ "/saas/channel/{channel_id}/held", "transcript", "channel_id" },
	{ "/saas/channel/{channel_id}/recordings", "recording", "recording_id" },
	{ "/saas/channel/{channel_id}/transcript", "transcript", "channel_id" },
	{ "/saas/channel", "channel", "channel_id" },
	{ "/saas/glossaries/rows", NULL, NULL },
	{ "/saas/glossary", "glossary", "glossary_id" },
	{ "/saas/key", "key", "key_id" },
	{ "/saas/member", "member", "member_id" },
	{ "/saas/upload", "upload", "" },
	{ "/saas/v2/event/{event_id}/requests", "request", "request_id" },
	{ "/saas/v2/event", "event", "event_id" },
	{ "/saas/voice/m/{voice_id}/favorite", "favorite", "voice_id" },
	{ "/saas/voice", "voice", "voice_id" },
	{ "/saas/webhook/{webhook_id}/pull", NULL, NULL },
	{ "/saas/webhook", "webhook", "webhook_id" },
	{ "/session-storage/session", NULL, NULL },
};

static const struct kind *
kind_of(const struct route *r)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(r->path, kinds[i].path, strlen(kinds[i].path)) == 0)
			return &kinds[i];
	return NULL;
}

bool
audit_knows(const struct route *r)
{
	return r->method[0] == 'G' || r->needs == NULL || kind_of(r) != NULL;
}

/* create, update, delete, or the part of the path after the record's id. */
static const char *
action_of(const struct route *r, const struct kind *k)
{
	const char *after = strrchr(r->path, '}'), *last = strrchr(r->path, '/') + 1;

	if (strcmp(r->method, "DELETE") == 0)
		return "delete";
	if (after == NULL || strcmp(last, k->name) == 0)
		return "create";
	return after[1] == '\0' ? "update" : last;
}

/* The argument of the path with that name, or NULL. */
static const char *
argument(const struct request *rq, const char *name)
{
	const char *s = rq->route->path;
	size_t n = strlen(name);

	for (int i = 0; (s = strchr(s, '{')) != NULL; i++, s++)
		if (strncmp(s + 1, name, n) == 0 && s[1 + n] == '}')
			return rq->args[i];
	return NULL;
}

/* The record in the answer, if that is written already, or NULL. */
static const struct json *
answered(struct request *rq)
{
	const struct json *all = NULL, *data = NULL;
	const char *why;

	if (rq->out.len > 0 && rq->out.p[0] == '{')
		all = json_read(rq->mem, rq->out.p, rq->out.len, &why);
	if (all != NULL)
		data = json_get(all, "data");
	return data != NULL && data->type == JSON_OBJ ? data : NULL;
}

static const char *
text_in(const struct json *j, const char *name)
{
	return j != NULL && j->type == JSON_OBJ ? json_get_text(j, name) : NULL;
}

/*
 * The name of the record: in the answer, in the body, or in the row to be deleted.
 * Addresses are no names: those of webhooks have secret parts.
 */
static const char *
name_of(const struct request *rq, const struct json *answer)
{
	static const char *const members[] = { "title", "name", "description" };
	const char *s = NULL;

	for (size_t i = 0; s == NULL && i < sizeof(members) / sizeof(members[0]); i++)
		if ((s = text_in(answer, members[i])) == NULL)
			s = text_in(rq->data, members[i]);
	if (s == NULL && rq->it != NULL && rq->route->called != 0)
		s = *(const char *const *)((const char *)rq->it + rq->route->called);
	return s;
}

/* The name, and for an update the members that were sent; cut between characters. */
static const char *
summary_of(struct request *rq, const char *name, bool update)
{
	struct buf b = { .mem = rq->mem };
	const char *between = name != NULL ? ": " : "";

	buf_str(&b, name != NULL ? name : "");
	for (const struct field *f = update ? rq->route->body : NULL;
	     f != NULL && f->name != NULL; f++)
		if (f->name[0] != '\0' && input_has(rq, f->name)) {
			buf_printf(&b, "%s%s", between, f->name);
			between = ", ";
		}
	if (b.len > SUMMARY_BYTES)
		for (b.len = SUMMARY_BYTES; (b.p[b.len] & 0xc0) == 0x80; b.len--)
			;
	return b.len > 0 ? buf_text(&b) : NULL;
}

/* Called by the commit of a change. */
static enum err
record(void *arg)
{
	struct request *rq = arg;
	const struct kind *k = kind_of(rq->route);
	const struct json *answer;
	struct audit_line l = { .action = action_of(rq->route, k), .kind = k->name };

	if (rq->who == NULL)
		return OK;
	answer = answered(rq);
	l.account = rq->who->account;
	l.subject = rq->made != NULL ? rq->made : text_in(answer, k->id);
	if (l.subject == NULL)
		l.subject = argument(rq, k->id);
	if (l.subject == NULL)
		l.subject = text_in(answer, "id");
	l.summary =
	    summary_of(rq, name_of(rq, answer), strcmp(l.action, "update") == 0);
	return audit_add(rq->db, rq->mem, rq->who->credential, &l);
}

void
audit_begin(struct request *rq)
{
	const struct kind *k = kind_of(rq->route);

	if (rq->db != NULL && k != NULL && k->name != NULL)
		db_on_commit(rq->db, record, rq);
}
