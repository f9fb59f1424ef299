#include "service/public_view.h"

#include <string.h>

#include "base/clock.h"
#include "base/version.h"
#include "service/event_view.h"

static const char *
maker(struct arena *mem, const struct conf *c)
{
	return arena_printf(mem, "%s " VERSION, c->server_base_url);
}

/* Everybody sees only what he can listen to. */
static void
keep_ready(struct stage *s)
{
	struct event_channel *c = s->channels.items;
	size_t kept = 0;

	for (size_t i = 0; i < s->channels.n; i++)
		if (strcmp(c[i].lifecycle, "ready") == 0)
			c[kept++] = c[i];
	s->channels.n = kept;
}

/* The members of an object, without its braces. */
static const char *
members(struct arena *mem, const struct event *ev)
{
	struct buf b = { .mem = mem };

	field_write(&(struct jw){ .out = &b }, NULL, event_public_fields, ev);
	return arena_dup(mem, b.p + 1, b.len - 2);
}

static void
render(struct arena *mem, const struct conf *c, struct event *ev, struct bundle *b)
{
	struct stage *s = ev->stages.items;

	b->status = ev->lifecycle;
	b->cover_key = ev->cover_key;
	b->cover_blob = ev->cover_url;
	for (size_t i = 0; i < ev->stages.n; i++)
		keep_ready(s + i);
	event_tell(c, mem, ev);
	b->maker = maker(mem, c);
	b->body = members(mem, ev);
	b->hash = hash_hex(mem, b->body, strlen(b->body));
}

/* A reader need not wait for a writer: what cannot be kept now is made again. */
static enum err
make(struct db *db, struct arena *mem, const struct conf *c, struct bundle *b)
{
	bool keep = db_begin(db) == OK;
	struct event ev;
	enum err e = event_get_public(db, mem, b->event, &ev);

	if (e == OK)
		render(mem, c, &ev, b);
	if (e != OK || !keep || bundle_put(db, b) != OK || db_commit(db) != OK)
		db_rollback(db);
	return e;
}

/* The next end of a span of blob.url_s: a link signed then is the same until then. */
static int64_t
span_end(const struct conf *c, int64_t now_us)
{
	int64_t span_us = c->blob_url_s * S_US;

	return (now_us + span_us - 1) / span_us * span_us;
}

static const char *
cover_url(
    struct arena *mem, const struct conf *c, const struct bundle *b, int64_t now_us)
{
	struct event ev = {
		.id = b->event, .cover_key = b->cover_key, .cover_url = b->cover_blob
	};

	event_show(c, mem, &ev, span_end(c, now_us));
	return ev.cover_url;
}

static const char *
tag(struct arena *mem, const struct bundle *b, const char *cover)
{
	if (cover == NULL)
		return arena_printf(mem, "\"%.32s-%s\"", b->hash, b->status);
	return arena_printf(mem, "\"%.32s-%s-%.16s\"", b->hash, b->status,
	    hash_hex(mem, cover, strlen(cover)));
}

enum err
public_view_get(struct db *db, struct arena *mem, const struct conf *c,
    struct bundle *b, int64_t now_us, struct public_view *v)
{
	enum err e = OK;

	if (b->maker == NULL || strcmp(b->maker, maker(mem, c)) != 0)
		e = make(db, mem, c, b);
	if (e != OK)
		return e;
	v->body = b->body;
	v->status = b->status;
	v->cover_url = b->cover_key != NULL ? cover_url(mem, c, b, now_us) : NULL;
	v->tag = tag(mem, b, v->cover_url);
	return OK;
}

void
public_view_write(struct jw *j, const struct public_view *v)
{
	jw_text(j, "lifecycle_status", v->status);
	if (v->cover_url != NULL)
		jw_text(j, "cover_image_url", v->cover_url);
	jw_bool(j, "captcha_required", false);
	buf_str(j->out, ",");
	buf_str(j->out, v->body);
}
