/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares predicted records with records that the service returned. */
#include <math.h>
#include <string.h>

#include "../e2e/client.h"
#include "model.h"

/* Returns the kind of a problem; its other members are texts for users. */
static json_t *
slug_of(const json_t *problem)
{
	return json_string(strrchr(text_at(problem, "type"), '/') + 1);
}

static void
slugs(json_t *list)
{
	json_t *p;
	size_t i;

	json_array_foreach(list, i, p) json_array_set_new(list, i, slug_of(p));
}

/*
 * A deletion that was interrupted is completed by a worker, so such records count as
 * deleted.
 */
static void
leave_out_deleted(json_t *channels)
{
	for (size_t i = json_array_size(channels); i-- > 0;)
		if (strcmp(text_at(json_array_get(channels, i), "lifecycle_status"),
			"deleting") == 0)
			json_array_remove(channels, i);
}

json_t *
model_seen(enum kind kind, const json_t *record)
{
	json_t *r = json_deep_copy(record), *one;
	size_t i;

	if (kind == EVENT)
		json_array_foreach(at(r, "stages"), i, one)
		    leave_out_deleted(json_object_get(one, "channels"));

	if (kind == VOICE) {
		slugs(at(r, "processing_result.warnings"));
		slugs(at(r, "processing_result.errors"));
		json_object_del(r, "tts_sample");
		json_object_del(r, "samples");
	}
	if (kind == GLOSSARY)
		json_array_foreach(at(r, "entries_errors"), i, one) json_object_set_new(
		    one, "problem", slug_of(json_object_get(one, "problem")));
	if (kind == CHANNEL)
		json_object_del(at(r, "input"), "token");
	return r;
}

static bool
is_new(const json_t *v)
{
	return json_is_string(v) && strcmp(json_string_value(v), "?") == 0;
}

static bool agrees(
    json_t *is, const json_t *seen, const char *path, const char **where);

static bool
objects_agree(json_t *is, const json_t *seen, const char *path, const char **where)
{
	const char *key;
	json_t *want, *got;

	json_object_foreach(is, key, want)
	{
		const char *here = text("%s.%s", path, key);

		if ((got = json_object_get(seen, key)) == NULL) {
			*where = here;
			return false;
		}
		if (is_new(want))
			json_object_set_new(is, key, json_deep_copy(got));
		else if (!agrees(want, got, here, where))
			return false;
	}
	json_object_foreach(
	    (json_t *)(uintptr_t)seen, key, got) if (json_object_get(is, key) == NULL)
	{
		*where = text("%s.%s, which should not be there", path, key);
		return false;
	}
	return true;
}

static bool
lists_agree(json_t *is, const json_t *seen, const char *path, const char **where)
{
	size_t n = json_array_size(is);

	*where = text("%s, as long", path);
	if (json_array_size(seen) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!agrees(json_array_get(is, i), json_array_get(seen, i),
			text("%s.%zu", path, i), where))
			return false;
	return true;
}

static bool
agrees(json_t *is, const json_t *seen, const char *path, const char **where)
{
	if (json_is_object(is) && json_is_object(seen))
		return objects_agree(is, seen, path, where);
	if (json_is_array(is) && json_is_array(seen))
		return lists_agree(is, seen, path, where);
	*where = path;
	if (json_is_number(is) && json_is_number(seen))
		return fabs(json_number_value(is) - json_number_value(seen)) < 1e-9;
	return json_equal(is, (json_t *)(uintptr_t)seen);
}

bool
model_agrees(json_t *is, const json_t *seen, const char **where)
{
	json_t *tried = json_deep_copy(is);
	bool so = agrees(tried, seen, "", where);

	if (so) /* learnt values are kept only if the records match */
		json_object_update(is, tried);
	json_decref(tried);
	return so;
}

bool
model_same(const json_t *a, const json_t *b)
{
	json_t *x = json_deep_copy(a), *y = json_deep_copy(b);
	const char *where;
	bool so;

	json_object_del(x, "utc_updated_at");
	json_object_del(y, "utc_updated_at");
	so = !is_new(at(a, "sessions.0.session_id")) && agrees(x, y, "", &where);
	json_decref(x);
	json_decref(y);
	return so;
}
