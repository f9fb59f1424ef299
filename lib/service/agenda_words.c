/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/agenda_words.h"

#include <string.h>

#include "base/clock.h"
#include "base/json.h"

#define LATE_US (3600 * S_US)

static void
add(struct list *to, const char *text)
{
	const char **t = to->items;

	if (text == NULL || to->n == AGENDA_TEXTS)
		return;
	for (size_t i = 0; i < to->n; i++)
		if (strcmp(t[i], text) == 0)
			return;
	t[to->n++] = text;
}

static bool
is_wanted(const struct json *session, const char *stage, int64_t now_us)
{
	const char *on = json_get_text(session, "stage_id");
	const char *end = json_get_text(session, "utc_end_dt");
	int64_t end_us;

	if (stage != NULL && on != NULL && strcmp(on, stage) != 0)
		return false;
	return end == NULL || !time_parse(end, &end_us) || end_us > now_us - LATE_US;
}

static void
add_session(const struct json *session, struct list *names, struct list *titles)
{
	const struct json *speakers = json_get_list(session, "speakers");

	add(titles, json_get_text(session, "title"));
	for (const struct json *s = speakers != NULL ? speakers->kids : NULL; s != NULL;
	     s = s->next)
		add(names, json_get_text(s, "name"));
}

void
agenda_words(struct arena *mem, const char *agenda, const char *stage, int64_t now_us,
    struct list *names, struct list *titles)
{
	const char *why;
	const struct json *all =
	    agenda != NULL ? json_read(mem, agenda, strlen(agenda), &why) : NULL;

	*names = (struct list){ arena_alloc(mem, AGENDA_TEXTS * sizeof(char *)), 0 };
	*titles = (struct list){ arena_alloc(mem, AGENDA_TEXTS * sizeof(char *)), 0 };
	if (all == NULL || all->type != JSON_LIST)
		return;
	for (const struct json *s = all->kids; s != NULL; s = s->next)
		if (is_wanted(s, stage, now_us))
			add_session(s, names, titles);
}
