/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/webhook_records.h"

#include <string.h>

#include "base/buf.h"
#include "base/json_writer.h"
#include "service/channel_view.h"
#include "service/price.h"
#include "store/events.h"
#include "store/glossaries.h"
#include "store/ledger.h"
#include "store/requests.h"
#include "store/voices.h"
#include "store/webhooks.h"

static enum err
emit(struct db *db, struct arena *mem, const char *account, const char *type,
    const struct field *fields, const void *record)
{
	struct buf b = { .mem = mem };

	field_write(&(struct json_writer){ .out = &b }, NULL, fields, record);
	return webhook_emit(db, mem, account, type, buf_text(&b));
}

/* ERR_NOT_FOUND is no error: no webhook wants the type, or the record is deleted. */
static enum err
unless_none(enum err e)
{
	return e == ERR_NOT_FOUND ? OK : e;
}

/* "voice.ready" or "voice.failed", by the status; NULL: neither. */
static const char *
outcome(const char *status, const char *ready, const char *failed)
{
	return strcmp(status, "ready") == 0    ? ready
	       : strcmp(status, "failed") == 0 ? failed
					       : NULL;
}

/* ---- voices, glossaries ---- */

/* OK if a webhook wants either type. */
static enum err
wanted(struct db *db, const char *account, const char *type, const char *other)
{
	enum err e = webhook_wanted(db, account, type);

	return e == ERR_NOT_FOUND ? webhook_wanted(db, account, other) : e;
}

enum err
webhook_voice(struct db *db, struct arena *mem, const struct conf *conf,
    const char *account, const char *id)
{
	const char *type;
	struct voice v;
	enum err e = wanted(db, account, "voice.ready", "voice.failed");

	if (e != OK || (e = voice_get(db, mem, account, id, &v)) != OK)
		return unless_none(e);
	if ((type = outcome(v.status, "voice.ready", "voice.failed")) == NULL)
		return OK;
	voice_fill_view(mem, &v, conf->server_base_url);
	v.sample.url = NULL;
	return emit(db, mem, account, type, voice_fields, &v);
}

enum err
webhook_glossary(struct db *db, struct arena *mem, const struct conf *conf,
    const char *account, const char *id)
{
	const char *type;
	struct glossary g;
	enum err e = wanted(db, account, "glossary.ready", "glossary.failed");

	if (e != OK || (e = glossary_get(db, mem, account, id, &g)) != OK)
		return unless_none(e);
	if ((type = outcome(g.status, "glossary.ready", "glossary.failed")) == NULL)
		return OK;
	glossary_fill_view(mem, &g, conf->server_base_url);
	return emit(db, mem, account, type, glossary_fields, &g);
}

/* ---- events ---- */

/* If the cover is a file of the account, it becomes a signed link. */
static enum err
send_event(struct db *db, struct arena *mem, const struct conf *conf, struct event ev,
    const char *type)
{
	bool is_signed = ev.cover_url != NULL;

	event_fill_view(conf, mem, &ev);
	ev.access_code = NULL;
	if (is_signed)
		ev.cover_url = NULL;
	return emit(db, mem, ev.account, type, event_fields, &ev);
}

enum err
webhook_event(struct db *db, struct arena *mem, const struct conf *conf,
    const struct event *ev, const char *type)
{
	enum err e = webhook_wanted(db, ev->account, type);

	return e != OK ? unless_none(e) : send_event(db, mem, conf, *ev, type);
}

enum err
webhook_event_of(struct db *db, struct arena *mem, const struct conf *conf,
    const char *account, const char *id, const char *type)
{
	struct event ev;
	enum err e = webhook_wanted(db, account, type);

	if (e != OK || (e = event_get(db, mem, account, id, &ev)) != OK)
		return unless_none(e);
	return send_event(db, mem, conf, ev, type);
}

/* ---- channels ---- */

enum err
webhook_channel(struct db *db, struct arena *mem, const struct conf *conf,
    const struct channel *c, const char *type)
{
	struct channel copy = *c;
	enum err e = webhook_wanted(db, c->account, type);

	if (e != OK || (e = channel_fill_view(db, conf, mem, &copy, false)) != OK)
		return unless_none(e);
	return emit(db, mem, c->account, type, channel_fields, &copy);
}

static bool
is_live(const struct channel *c)
{
	return c->runtime != NULL && strcmp(c->runtime, "active") == 0;
}

/* True if exactly one channel of the event is live. */
static bool
is_first(const struct event *ev)
{
	const struct stage *s = ev->stages.items;
	int live = 0;

	for (size_t i = 0; i < ev->stages.n; i++)
		for (size_t k = 0; k < s[i].channels.n; k++)
			live += event_channel_active(
			    (const struct event_channel *)s[i].channels.items + k);
	return live == 1;
}

static enum err
send_event_live(
    struct db *db, struct arena *mem, const struct conf *conf, const struct channel *c)
{
	struct event ev;
	enum err e = webhook_wanted(db, c->account, "event.live");

	if (e != OK || (e = event_get(db, mem, c->account, c->event, &ev)) != OK)
		return unless_none(e);
	return is_first(&ev) ? send_event(db, mem, conf, ev, "event.live") : OK;
}

static enum err
send_runtime(
    struct db *db, struct arena *mem, const struct conf *conf, const struct channel *c)
{
	enum err e = webhook_channel(
	    db, mem, conf, c, is_live(c) ? "channel.live" : "channel.stopped");

	if (e == OK && is_live(c) && c->event != NULL)
		e = send_event_live(db, mem, conf, c);
	return e;
}

enum err
webhook_channel_changed(struct db *db, struct arena *mem, const struct conf *conf,
    const struct channel *was, const struct channel *now)
{
	const char *type =
	    strcmp(was->lifecycle, now->lifecycle) != 0
		? outcome(now->lifecycle, "channel.ready", "channel.failed")
		: NULL;
	enum err e = OK;

	if (type != NULL)
		e = webhook_channel(db, mem, conf, now, type);
	if (e == OK && is_live(was) != is_live(now))
		e = send_runtime(db, mem, conf, now);
	return e;
}

/* ---- listeners' requests ---- */

enum err
webhook_request(struct db *db, struct arena *mem, const char *account,
    const char *event, const char *id, const char *type)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	struct listener_request r;
	enum err e = webhook_wanted(db, account, type);

	if (e != OK || (e = request_get(db, mem, account, event, id, &r)) != OK)
		return unless_none(e);
	jw_open(&j, NULL);
	jw_text(&j, "event_id", event);
	field_write_into(&j, request_fields, &r);
	jw_close(&j);
	return webhook_emit(db, mem, account, type, buf_text(&b));
}

/* ---- the balance ---- */

enum err
webhook_balance_moved(struct db *db, struct arena *mem, const struct conf *conf,
    const char *account, int64_t micro)
{
	int64_t now, before, low = conf->billing_low_micro;
	struct balance b;
	enum err e;

	if (micro >= 0 || (e = ledger_balance(db, account, &now)) != OK)
		return micro >= 0 ? OK : e;
	before = now - micro;
	b = balance_of(conf, now);
	if (before > low && now <= low && low > 0)
		e = emit(db, mem, account, "balance.low", balance_fields, &b);
	if (e == OK && before > 0 && now <= 0)
		e = emit(db, mem, account, "balance.empty", balance_fields, &b);
	return e;
}
