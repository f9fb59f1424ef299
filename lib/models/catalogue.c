/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/catalogue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789-"
#define NAME_LENGTH 32 /* longest name; it is also the ID of an engine */

static const char *
text_of(const struct json *v, const char *key)
{
	const char *s = json_get_text(v, key);

	return s != NULL ? s : "";
}

/* Returns NULL if the part is usable, else its fault. */
static const char *
read_part(const struct json *v, struct model_part *to)
{
	*to = (struct model_part){ .from = text_of(v, "from"),
		.sha256 = text_of(v, "sha256"),
		.take = json_get_list(v, "take") };
	if (*to->from == '\0')
		return "has a download without \"from\"";
	if (*to->sha256 != '\0' &&
	    (strlen(to->sha256) != 64 || strspn(to->sha256, "0123456789abcdef") != 64))
		return "has a sum that is not 64 digits";
	if (to->take == NULL || to->take->n == 0 || to->take->n % 2 != 0)
		return "has a download without pairs of names in \"take\"";
	for (const struct json *name = to->take->kids; name != NULL; name = name->next)
		if (name->type != JSON_TEXT || strstr(name->u.s, "..") != NULL ||
		    name->u.s[0] == '/')
			return "has a name in \"take\" that leads elsewhere";
	return NULL;
}

static const char *
read_source(struct arena *mem, const struct json *v, struct model_source *to)
{
	const struct json *parts = json_get_list(v, "parts");
	const char *why = NULL;

	*to = (struct model_source){ .by = text_of(v, "by"),
		.machine = text_of(v, "machine"),
		.then = text_of(v, "then") };
	if (strcmp(to->by, "https") != 0 && strcmp(to->by, "pip") != 0 &&
	    strcmp(to->by, "npm") != 0)
		return "has a source that is not by https, pip or npm";
	if (*to->then != '\0' && strcmp(to->then, "whisper") != 0 &&
	    strcmp(to->then, "piper") != 0)
		return "has a conversion that is not whisper or piper";
	if (parts == NULL || parts->n == 0)
		return "has a source without \"parts\"";
	to->parts = arena_alloc(mem, parts->n * sizeof(*to->parts));
	for (v = parts->kids; v != NULL && why == NULL; v = v->next)
		why = read_part(v, &to->parts[to->nparts++]);
	return why;
}

static const char *
read_row(struct arena *mem, const struct json *v, struct model_row *to)
{
	const struct json *sources = json_get_list(v, "sources");
	const char *why = NULL;

	*to = (struct model_row){ .name = text_of(v, "name"),
		.purpose = text_of(v, "for"),
		.languages = text_of(v, "languages"),
		.size_mb = json_get_int(v, "size_mb", 0),
		.memory_mb = json_get_int(v, "memory_mb", 0),
		.speed = text_of(v, "speed"),
		.licence = text_of(v, "licence"),
		.licence_url = text_of(v, "licence_url"),
		.cpu = text_of(v, "cpu"),
		.tried = json_get_bool(v, "tried"),
		.needs = json_get_list(v, "needs"),
		.settings = json_get(v, "settings"),
		.list = text_of(v, "list"),
		.over = text_of(v, "over") };
	if (*to->name == '\0' || strlen(to->name) > NAME_LENGTH ||
	    strspn(to->name, NAME_CHARACTERS) != strlen(to->name))
		return "has no name of small letters, digits and -";
	if (strcmp(to->purpose, "bundle") == 0)
		return to->needs != NULL ? NULL : "is a bundle of nothing";
	if (*to->licence == '\0' || *to->licence_url == '\0')
		return "has no licence with its address";
	if (to->size_mb <= 0)
		return "has no size_mb";
	if (sources == NULL || sources->n == 0)
		return "has no sources";
	to->sources = arena_alloc(mem, sources->n * sizeof(*to->sources));
	for (v = sources->kids; v != NULL && why == NULL; v = v->next)
		why = read_source(mem, v, &to->sources[to->nsources++]);
	return why;
}

/* Check that each need names another row. */
static const char *
check_needs(struct arena *mem, const struct catalogue *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (const struct json *v =
			 c->rows[i].needs != NULL ? c->rows[i].needs->kids : NULL;
		     v != NULL; v = v->next)
			if (v->type != JSON_TEXT || catalogue_find(c, v->u.s) == NULL)
				return arena_printf(mem,
				    "%s needs a model that is not there",
				    c->rows[i].name);
	return NULL;
}

enum err
catalogue_read(
    struct arena *mem, const char *file, struct catalogue *to, const char **why)
{
	struct buf text = { .mem = mem };
	const struct json *all;

	*to = (struct catalogue){ 0 };
	if (!file_read(file, &text)) {
		*why = arena_printf(mem, "%s: %s", file, strerror(errno));
		return ERR_REFUSED;
	}
	if ((all = json_read(mem, text.p, text.len, why)) == NULL ||
	    all->type != JSON_LIST) {
		*why = arena_printf(
		    mem, "%s %s", file, all == NULL ? *why : "is not a list of models");
		return ERR_REFUSED;
	}
	to->rows = arena_alloc(mem, (all->n + 1) * sizeof(*to->rows));
	for (const struct json *v = all->kids; v != NULL; v = v->next) {
		struct model_row *row = &to->rows[to->n];
		const char *fault = read_row(mem, v, row);

		if (fault == NULL && catalogue_find(to, row->name) != NULL)
			fault = "is there twice";
		if (fault != NULL) {
			*why = arena_printf(mem, "%s: the model %zu, %s, %s", file,
			    to->n + 1, row->name, fault);
			return ERR_REFUSED;
		}
		to->n++;
	}
	*why = check_needs(mem, to);
	return *why == NULL ? OK : ERR_REFUSED;
}

const struct model_row *
catalogue_find(const struct catalogue *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->rows[i].name, name) == 0)
			return &c->rows[i];
	return NULL;
}

int64_t
catalogue_whole_mb(const struct catalogue *c, const struct model_row *row)
{
	const struct json *v = row->needs != NULL ? row->needs->kids : NULL;
	int64_t mb = row->size_mb;

	for (; v != NULL; v = v->next)
		mb += catalogue_whole_mb(c, catalogue_find(c, v->u.s));
	return mb;
}
