/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holds texts that become final only on request. */
#include "pipeline/recognizer_internal.h"

#include <string.h>

#include "base/lang.h"

/* Replace the held text. Strings of `next` may be in the memory that is freed. */
static void
replace(struct recognizer *r, struct held next)
{
	struct arena *was = r->held.mem;

	next.mem = arena_new();
	next.id = arena_str(next.mem, next.id);
	next.text = arena_str(next.mem, next.text);
	next.shown = arena_str(next.mem, next.shown);
	next.language = arena_str(next.mem, next.language);
	r->held = next;
	arena_free(was);
}

static void
forget(struct recognizer *r)
{
	arena_free(r->held.mem);
	r->held = (struct held){ NULL };
}

void
recognizer_held_begin(struct recognizer *r)
{
	if (r->held.id == NULL)
		replace(r, (struct held){ .id = r->id,
			       .text = "",
			       .shown = "",
			       .start_us = r->start_us });
	r->id = arena_str(r->segment_mem, r->held.id);
	r->text = arena_str(r->segment_mem, r->held.shown);
	r->text_us = r->held.shown_us;
}

const char *
recognizer_held_join(struct recognizer *r, const struct asr_result *h)
{
	const char *before = r->held.text, *text = h->text;

	if (*before == '\0' || *text == '\0')
		return *before == '\0' ? text : before;
	return arena_printf(r->segment_mem, "%s%s%s", before,
	    lang_has_blanks(h->lang) ? " " : "", text);
}

void
recognizer_held_set(struct recognizer *r, const struct asr_result *h, int64_t end_us)
{
	struct held next = r->held;

	next.shown = r->text;
	next.shown_us = r->text_us;
	if (*r->text != '\0')
		next.language = r->text_language;
	if (h != NULL) {
		next.text = h->text;
		next.language = h->lang;
		next.end_us = end_us;
	}
	if (*next.text == '\0' && *next.shown == '\0')
		forget(r);
	else
		replace(r, next);
}

bool
recognizer_held_pop(struct recognizer *r, struct asr_result *h, int64_t *end_us)
{
	const struct held *all = &r->held;

	if (all->id == NULL)
		return false;
	r->id = arena_str(r->segment_mem, all->id);
	r->start_us = all->start_us;
	*end_us = *all->text != '\0' ? all->end_us : all->shown_us;
	*h = (struct asr_result){ .text = arena_str(r->segment_mem, all->text),
		.lang = arena_str(r->segment_mem, all->language) };
	forget(r);
	return true;
}
