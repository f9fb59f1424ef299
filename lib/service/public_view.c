/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/public_view.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/version.h"
#include "blob/signed_url.h"
#include "store/channels.h"
#include "store/served.h"

#define VIEW_FORMAT 2 /* changes when members() writes something else */

#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)

/* Append names and kinds of the fields, including those of inner objects. */
static void
add_fields(struct buf *b, const struct field *f)
{
	for (; f->name != NULL; f++) {
		buf_printf(b, "%s %d %x{", f->name, (int)f->type, f->flags);
		if (f->of != NULL)
			add_fields(b, f->of);
		buf_str(b, "}");
	}
}

static const char *
fields_hash(struct arena *mem, const struct field *f)
{
	struct buf b = { .mem = mem };

	add_fields(&b, f);
	return arena_dup(mem, hash_hex(mem, b.p, b.len), 16);
}

/*
 * Identifies everything besides the event that the body depends on. A view with another
 * maker is stale.
 */
static const char *
maker(struct arena *mem, const struct conf *c)
{
	static char fields[17]; /* constant for the life of the process */

	if (fields[0] == '\0')
		snprintf(fields, sizeof(fields), "%s",
		    fields_hash(mem, event_public_fields));
	return arena_printf(mem, "%s " VERSION " " TEXT_OF(VIEW_FORMAT) " %s",
	    c->server_base_url, fields);
}

static bool
is_made(struct arena *mem, const struct conf *c, const struct cached_view *b)
{
	return b->maker != NULL && strcmp(b->maker, maker(mem, c)) == 0;
}

/* ---- languages shown to listeners ---- */

/* The state of a language over the event's channels. */
struct offer {
	bool named;  /* the language is a target of some channel, */
	bool served; /* and engines serve it there */
};

static struct offer
offer_of(struct arena *mem, const struct event *ev, const char *language)
{
	const struct stage *s = ev->stages.items;
	struct offer o = { 0 };

	for (size_t i = 0; i < ev->stages.n; i++)
		for (size_t k = 0; k < s[i].channels.n; k++) {
			const struct event_channel *c =
			    (const struct event_channel *)s[i].channels.items + k;
			struct list has = texts_read(mem, c->target_languages),
				    lacks = texts_read(mem, c->unserved);
			bool named = languages_have(&has, language);

			o.named |= named;
			o.served |= named && !languages_have(&lacks, language);
		}
	return o;
}

/*
 * Limit the event's languages to those that engines serve in their channels, and those
 * of no channel yet that engines can translate to.
 */
static enum err
keep_served(struct db *db, struct arena *mem, struct event *ev)
{
	struct list l = texts_read(mem, ev->languages);
	const char **code = l.items;
	size_t kept = 0;
	enum err e = OK;

	for (size_t i = 0; e == OK && i < l.n; i++) {
		struct offer o = offer_of(mem, ev, code[i]);

		if (!o.named)
			e = served_reached(db, mem, code[i], &o.served);
		if (o.served)
			code[kept++] = code[i];
	}
	if (kept < l.n)
		ev->languages = texts_json(mem, &(struct list){ code, kept });
	return e;
}

static const char *
targets_served(struct arena *mem, const struct event_channel *c)
{
	struct list of = texts_read(mem, c->target_languages),
		    lacks = texts_read(mem, c->unserved);
	const char **code = of.items;
	size_t kept = 0;

	for (size_t i = 0; i < of.n; i++)
		if (!languages_have(&lacks, code[i]))
			code[kept++] = code[i];
	return texts_json(mem, &(struct list){ code, kept });
}

/* Remove channels that are not ready, and languages that engines do not serve. */
static void
keep_ready(struct arena *mem, struct stage *s)
{
	struct event_channel *c = s->channels.items;
	size_t kept = 0;

	for (size_t i = 0; i < s->channels.n; i++) {
		if (strcmp(c[i].lifecycle, "ready") != 0)
			continue;
		if (strcmp(c[i].unserved, "[]") != 0)
			c[i].target_languages = targets_served(mem, &c[i]);
		c[kept++] = c[i];
	}
	s->channels.n = kept;
}

/* ---- the view ---- */

/* The members of an object, without its braces. */
static const char *
members(struct arena *mem, const struct event *ev)
{
	struct buf b = { .mem = mem };

	field_write(&(struct json_writer){ .out = &b }, NULL, event_public_fields, ev);
	return arena_dup(mem, b.p + 1, b.len - 2);
}

static void
render(struct arena *mem, const struct conf *c, struct event *ev, struct cached_view *b)
{
	struct stage *s = ev->stages.items;

	for (size_t i = 0; i < ev->stages.n; i++)
		keep_ready(mem, s + i);
	event_fill_view(c, mem, ev);
	b->maker = maker(mem, c);
	b->body = members(mem, ev);
	b->hash = hash_hex(mem, b->body, strlen(b->body));
}

static bool
same_code(const struct cached_view *a, const struct cached_view *b)
{
	if (a->access_code == NULL || b->access_code == NULL)
		return a->access_code == b->access_code;
	return strcmp(a->access_code, b->access_code) == 0;
}

/*
 * Read the bundle last: if its access code is still the one that was checked, the
 * listener may see everything that was read before.
 */
static enum err
read_again(struct db *db, struct arena *mem, struct cached_view *b, int64_t now_us,
    struct event *ev)
{
	struct cached_view judged = *b;
	enum err e = event_get_public(db, mem, judged.event, ev);

	if (e == OK)
		e = public_view_cache_get(db, mem, judged.event, now_us, b);
	return e == OK && !same_code(b, &judged) ? ERR_STALE : e;
}

/* A reader does not wait for a writer: if the view cannot be stored now, the next
   reader renders it again. */
static enum err
make(struct db *db, struct arena *mem, const struct conf *c, struct cached_view *b,
    int64_t now_us)
{
	bool keep = db_try_begin(db, b->account) == OK;
	struct event ev;
	enum err e = read_again(db, mem, b, now_us, &ev);

	if (e == OK && is_made(mem, c, b)) /* another process stored it meanwhile */
		keep = false;
	else if (e == OK && (e = keep_served(db, mem, &ev)) == OK)
		render(mem, c, &ev, b);
	if (e != OK || !keep || public_view_cache_put(db, b) != OK ||
	    db_commit(db) != OK)
		db_rollback(db);
	return e;
}

void
event_show(const struct conf *c, struct arena *mem, struct event *ev, int64_t now_us)
{
	const char *blob = ev->cover_url; /* a stored blob of the account */

	event_fill_view(c, mem, ev);
	if (blob != NULL)
		ev->cover_url = signed_url_make(c, mem, blob, now_us);
}

/*
 * Returns the next multiple of blob.url_s. A link signed at that time stays the same
 * until then, and is valid for one to two times blob.url_s when it is shown.
 */
static int64_t
span_end(const struct conf *c, int64_t now_us)
{
	int64_t span_us = c->blob_url_s * S_US;

	return (now_us + span_us - 1) / span_us * span_us;
}

static const char *
cover_url(struct arena *mem, const struct conf *c, const struct cached_view *b,
    int64_t now_us)
{
	struct event ev = {
		.id = b->event, .cover_key = b->cover_key, .cover_url = b->cover_blob
	};

	event_show(c, mem, &ev, span_end(c, now_us));
	return ev.cover_url;
}

static const char *
tag(struct arena *mem, const struct cached_view *b, const char *cover)
{
	if (cover == NULL)
		return arena_printf(mem, "\"%.32s-%s\"", b->hash, b->status);
	return arena_printf(mem, "\"%.32s-%s-%.16s\"", b->hash, b->status,
	    hash_hex(mem, cover, strlen(cover)));
}

enum err
public_view_get(struct db *db, struct arena *mem, const struct conf *c,
    struct cached_view *b, int64_t now_us, struct public_view *v)
{
	enum err e = OK;

	if (!is_made(mem, c, b))
		e = make(db, mem, c, b, now_us);
	if (e != OK)
		return e;
	v->body = b->body;
	v->status = b->status;
	v->cover_url = b->cover_key != NULL ? cover_url(mem, c, b, now_us) : NULL;
	v->tag = tag(mem, b, v->cover_url);
	return OK;
}

void
public_view_write(struct json_writer *j, const struct public_view *v)
{
	jw_text(j, "lifecycle_status", v->status);
	if (v->cover_url != NULL)
		jw_text(j, "cover_image_url", v->cover_url);
	jw_bool(j, "captcha_required", false);
	buf_str(j->out, ",");
	buf_str(j->out, v->body);
}
