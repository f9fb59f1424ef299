/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/json_writer.h"
#include "channel/channel_session.h"

/* The settings of a language in the channel's own translations, or NULL. */
static const struct json *
own_settings(const struct json *translations, const char *language)
{
	const struct json *t = translations != NULL && translations->type == JSON_LIST
				   ? translations->kids
				   : NULL;

	for (const char *said; t != NULL; t = t->next) {
		said = t->type == JSON_OBJ ? json_get_text(t, "target_language") : NULL;
		if (said != NULL && strcmp(said, language) == 0)
			return t;
	}
	return NULL;
}

/* Write all members of an object except one. */
static void
write_but(struct json_writer *j, const struct json *v, const char *key)
{
	const struct json *kid = v != NULL && v->type == JSON_OBJ ? v->kids : NULL;

	for (; kid != NULL; kid = kid->next)
		if (strcmp(kid->key, key) != 0)
			jw_json(j, kid->key, kid);
}

static void
write_targets(
    struct json_writer *j, const struct list *languages, const struct json *own)
{
	jw_list(j, "translations");
	for (size_t i = 0; i < languages->n; i++) {
		const char *code = ((const char *const *)languages->items)[i];

		jw_open(j, NULL);
		write_but(j, own_settings(own, code), "target_language");
		jw_text(j, "target_language", code);
		jw_close(j);
	}
	jw_close(j);
}

struct moderation
channel_moderation(struct arena *mem, const struct channel *c)
{
	return (struct moderation){ arena_str(mem, c->blocked_words), c->hold_s,
		c->stopped_us != NULL_INT, c->version };
}

const char *
channel_pipeline(struct arena *mem, const struct channel *c)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	struct list languages = texts_read(mem, c->target_languages);
	const struct json *own = NULL, *kid;
	const char *why;

	if (c->pipeline != NULL)
		own = json_read(mem, c->pipeline, strlen(c->pipeline), &why);
	if (own != NULL && own->type != JSON_OBJ)
		own = NULL;
	jw_open(&j, NULL);
	for (kid = own != NULL ? own->kids : NULL; kid != NULL; kid = kid->next)
		if (strcmp(kid->key, "transcription") != 0 &&
		    strcmp(kid->key, "translations") != 0)
			jw_json(&j, kid->key, kid);
	jw_open(&j, "transcription");
	write_but(
	    &j, own != NULL ? json_get(own, "transcription") : NULL, "source_language");
	jw_text(&j, "source_language", c->source_language);
	jw_close(&j);
	write_targets(
	    &j, &languages, own != NULL ? json_get(own, "translations") : NULL);
	jw_close(&j);
	return buf_text(&b);
}
