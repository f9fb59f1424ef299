/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/caption_outputs.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/lang.h"
#include "base/text.h"
#include "channel/caption_internal.h"
#include "channel/channel_internal.h"
#include "service/captions.h"

/* ---- the outputs of a row ---- */

static enum err
read_output(struct arena *mem, const struct json *o, const struct list *posted,
    struct caption_output_row *to)
{
	const char *protocol = json_get_text(o, "protocol");
	const struct channel_output *is;

	if (protocol == NULL || strcmp(protocol, "captions_push") != 0)
		return ERR_NOT_FOUND;
	to->url = json_get_text(o, "url");
	to->language = json_get_text(o, "lang_code");
	if (to->url == NULL || to->language == NULL)
		return ERR_NOT_FOUND;
	to->language = lang_fold(mem, to->language);
	to->is = (struct channel_output){
		.id = channel_output_id(mem, o), .runtime = "pending", .bitrate = NAN
	};
	if ((is = channel_output_of(posted, to->is.id)) != NULL)
		to->is = *is;
	return OK;
}

enum err
caption_outputs_read(
    struct db *db, struct arena *mem, const struct channel *c, struct list *to)
{
	struct buf b = { .mem = mem };
	struct caption_output_row row;
	const struct json *all, *o;
	struct list posted;
	const char *why;
	enum err e;

	*to = (struct list){ 0 };
	if (strstr(c->outputs, "captions_push") == NULL)
		return OK;
	if ((e = channel_output_list(db, mem, c->id, &posted)) != OK)
		return e;
	all = json_read(mem, c->outputs, strlen(c->outputs), &why);
	for (o = all != NULL ? all->kids : NULL; o != NULL; o = o->next)
		if (read_output(mem, o, &posted, &row) == OK)
			buf_put(&b, &row, sizeof(row));
	*to = (struct list){ b.p, b.len / sizeof(row) };
	return OK;
}

static bool
is_of(const struct caption_feed *f, const struct caption_output_row *r)
{
	return strcmp(r->is.id, f->is.id) == 0 && strcmp(r->language, f->language) == 0;
}

static bool
stays(const struct caption_feed *f, const struct list *rows)
{
	const struct caption_output_row *r = rows->items;
	size_t i = 0;

	while (i < rows->n && !is_of(f, r + i))
		i++;
	return i < rows->n;
}

static bool
is_fed(const struct session *s, const struct caption_output_row *r)
{
	const struct caption_feed *f = s->channel->captions;

	while (f != NULL && !is_of(f, r))
		f = f->next;
	return f != NULL;
}

static void
open_feed(struct session *s, const struct caption_output_row *r)
{
	struct arena *mem = arena_new();
	struct caption_feed *f = arena_alloc(mem, sizeof(*f));

	*f = (struct caption_feed){ .next = s->channel->captions,
		.mem = mem,
		.session = s,
		.url = arena_str(mem, r->url),
		.language = arena_str(mem, r->language),
		.is = r->is };
	f->is.id = arena_str(mem, r->is.id);
	f->is.runtime = strcmp(r->is.runtime, "active") == 0   ? "active"
			: strcmp(r->is.runtime, "failed") == 0 ? "failed"
							       : "pending";
	caption_feed_set_why(f, r->is.error);
	f->last = &f->first;
	s->channel->captions = f;
}

void
caption_outputs_follow(struct session *s, const struct list *rows)
{
	const struct caption_output_row *r = rows->items;
	struct caption_feed **at = &s->channel->captions, *f;

	while ((f = *at) != NULL)
		if (stays(f, rows)) {
			at = &f->next;
		} else {
			*at = f->next;
			caption_feed_free(f);
		}
	for (size_t i = 0; i < rows->n; i++)
		if (!is_fed(s, r + i))
			open_feed(s, r + i);
}

void
caption_outputs_free(struct session *s)
{
	caption_outputs_follow(s, &(const struct list){ 0 });
}

/* ---- texts ---- */

static bool
has_target(const struct task *t, const char *language)
{
	for (size_t i = 0; i < t->n_targets; i++)
		if (strcmp(t->targets[i].language.code, language) == 0)
			return true;
	return false;
}

bool
caption_is_for(
    const char *language, const struct task *t, const struct pipeline_event *event)
{
	if (event->target < 0 && strcmp(language, "original") == 0)
		return true;
	return strcmp(language, event->line.language) == 0 &&
	       (event->target >= 0 || !has_target(t, language));
}

void
caption_split(const struct pipeline_line *l,
    void (*take)(void *, const struct caption *), void *arg)
{
	struct arena *mem = arena_new();
	struct captions *c = captions_new(mem, take, arg);

	captions_put(c, l->text, l->language, l->start_us / 1000, l->end_us / 1000);
	captions_end(c);
	captions_free(c);
	arena_free(mem);
}

struct captions_for {
	struct caption_feed *feed;
	int64_t now_us; /* monotonic */
};

static void
add_caption(void *arg, const struct caption *c)
{
	struct captions_for *to = arg;
	struct arena *mem = arena_small(512);
	const char *text = c->rows[1] == NULL
			       ? arena_str(mem, c->rows[0])
			       : arena_printf(mem, "%s\n%s", c->rows[0], c->rows[1]);

	caption_feed_put(to->feed, mem, text, c->start_ms * 1000, to->now_us);
}

static void
feed(struct caption_feed *f, const struct pipeline_line *l)
{
	struct captions_for to = { f, monotonic_us() };

	caption_split(l, add_caption, &to);
	caption_feed_step(f, to.now_us);
}

void
caption_outputs_add(
    struct session *s, const struct task *t, const struct pipeline_event *event)
{
	const struct pipeline_line *l = &event->line;

	if (s->channel->captions == NULL || l->text == NULL ||
	    !text_valid(l->text, strlen(l->text)))
		return;
	for (struct caption_feed *f = s->channel->captions; f != NULL; f = f->next)
		if (caption_is_for(f->language, t, event))
			feed(f, l);
}

static void
tick(struct session *s, int64_t now)
{
	for (struct caption_feed *f = s->channel->captions; f != NULL; f = f->next)
		caption_feed_step(f, now);
}

const struct sink_ops caption_sink = { .of_channels = true,
	.of_owner = true,
	.send_text = caption_outputs_add,
	.tick = tick,
	.forget = caption_outputs_free };
