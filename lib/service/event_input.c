/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/event_input.h"

#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/id.h"

struct event_in
event_as_input(struct arena *mem, const struct event *ev)
{
	return (struct event_in){ .event = *ev,
		.languages = texts_read(mem, ev->languages) };
}

/* ---- the stored event ---- */

/* Returns the item whose id, its first member, equals this one in any case; or NULL. */
static const void *
find_id(const struct list *l, size_t size, const char *id)
{
	const char *item = l->items;

	for (size_t i = 0; i < l->n; i++, item += size)
		if (strcasecmp(*(const char *const *)(const void *)item, id) == 0)
			return item;
	return NULL;
}

static const struct stage *
find_stage(const struct list *stages, const char *id)
{
	return find_id(stages, sizeof(struct stage), id);
}

/* Returns the fields without rules, for stored data: a stricter rule must not reject
   it. */
static const struct field *
without_rules(struct arena *mem, const struct field *fs)
{
	struct field *to;
	size_t n = 0;

	while (fs[n].name != NULL)
		n++;
	to = arena_alloc(mem, (n + 1) * sizeof(*to));
	for (size_t i = 0; i < n; i++) {
		to[i] = fs[i];
		to[i].min = to[i].max = 0;
		to[i].check = NULL;
		to[i].flags &= ~(unsigned)F_REQUIRED;
		if (fs[i].of != NULL)
			to[i].of = without_rules(mem, fs[i].of);
	}
	return to;
}

static struct list
agenda_read(struct arena *mem, const struct event *ev)
{
	const struct field all[] = FIELDS(
	    { "", F_LIST, .flags = F_IN, .of = without_rules(mem, agenda_item_fields),
		.size = sizeof(struct agenda_item) });
	struct list to = { 0 };
	const struct json *v;
	const char *why;

	if (ev != NULL && ev->agenda != NULL &&
	    (v = json_read(mem, ev->agenda, strlen(ev->agenda), &why)) != NULL)
		field_read(mem, all, v, "", 0, &to);
	return to;
}

/* ---- rules ---- */

/* The faults found so far. */
struct rules {
	struct arena *mem;
	const struct event_in *in;
	const struct event *before;
	struct fault *faults;
};

#define WRONG(r, sentence, ...)                                                        \
	((r)->faults = fault_add(                                                      \
	     (r)->mem, (r)->faults, arena_printf((r)->mem, __VA_ARGS__), sentence))

static void
check_times(struct rules *r)
{
	int64_t start = r->in->event.start_us, end = r->in->event.end_us;

	if (start == NULL_INT && r->before != NULL)
		start = r->before->start_us;
	if (end == NULL_INT && r->before != NULL)
		end = r->before->end_us;
	if (start != NULL_INT && end != NULL_INT && end <= start)
		WRONG(r, "utc_end_dt must be after utc_start_dt.", "/data/utc_end_dt");
}

static void
check_languages(struct rules *r)
{
	const char *const *code = r->in->languages.items;

	for (size_t i = 0; i < r->in->languages.n; i++)
		for (size_t k = 0; k < i && code[i] != NULL; k++)
			if (code[k] == code[i]) { /* names of one table */
				WRONG(r, "The language is listed twice.",
				    "/data/target_languages/%zu", i);
				break;
			}
}

/* True if an earlier item has the same id. */
static bool
repeated(const char *items, size_t size, size_t at, size_t i)
{
	const char *id = *(const char *const *)(items + i * size + at);

	for (size_t k = 0; id != NULL && k < i; k++) {
		const char *other = *(const char *const *)(items + k * size + at);

		if (other != NULL && strcasecmp(id, other) == 0)
			return true;
	}
	return false;
}

static void
check_stages(struct rules *r)
{
	const struct list *l = &r->in->stages;
	const struct stage *s = l->items;

	for (size_t i = 0; i < l->n; i++)
		if (repeated(l->items, sizeof(*s), offsetof(struct stage, id), i))
			WRONG(r, "The stage is listed twice.",
			    "/data/stages/%zu/stage_id", i);
}

static void
check_session(struct rules *r, const struct agenda_item *s, size_t i)
{
	size_t stages = r->in->stages.n > 0 ? r->in->stages.n
			: r->before != NULL ? r->before->stages.n
					    : 1;
	if (s->stage_index != NULL_INT && s->stage != NULL)
		WRONG(r, "stage_index must not be combined with stage_id.",
		    "/data/sessions/%zu/stage_index", i);
	else if (s->stage_index != NULL_INT && s->stage_index >= (int64_t)stages)
		WRONG(
		    r, "No stage has this index.", "/data/sessions/%zu/stage_index", i);
	if (s->start_us != NULL_INT && s->end_us != NULL_INT && s->end_us < s->start_us)
		WRONG(r, "utc_end_dt must not be before utc_start_dt.",
		    "/data/sessions/%zu/utc_end_dt", i);
}

static void
check_sessions(struct rules *r)
{
	const struct list *l = &r->in->sessions;
	const struct agenda_item *s = l->items;

	for (size_t i = 0; i < l->n; i++) {
		if (repeated(l->items, sizeof(*s), offsetof(struct agenda_item, id), i))
			WRONG(r, "The session is listed twice.",
			    "/data/sessions/%zu/session_id", i);
		check_session(r, s + i, i);
	}
}

struct fault *
event_rules(struct arena *mem, const struct event_in *in, const struct event *before)
{
	struct rules r = { mem, in, before, NULL };

	check_times(&r);
	check_languages(&r);
	check_stages(&r);
	check_sessions(&r);
	return r.faults;
}

/* True if a session may name this stage: it exists and is not removed. */
static bool
stage_stays(const struct event_in *in, const struct event *before, const char *id)
{
	const struct stage *s = in->stages.items;

	if (before == NULL || find_stage(&before->stages, id) == NULL)
		return false;
	for (size_t i = 0; i < in->stages.n; i++)
		if (s[i].id != NULL && strcasecmp(s[i].id, id) == 0)
			return true;
	return in->stages.n == 0;
}

const char *
event_unknown(struct arena *mem, const struct event_in *in, const struct event *before)
{
	const struct list agenda = agenda_read(mem, before);
	const struct stage *stage = in->stages.items;
	const struct agenda_item *s = in->sessions.items;

	for (size_t i = 0; i < in->stages.n; i++)
		if (stage[i].id != NULL && !stage_stays(in, before, stage[i].id))
			return arena_printf(mem, "/data/stages/%zu/stage_id", i);
	for (size_t i = 0; i < in->sessions.n; i++) {
		if (s[i].id != NULL && find_id(&agenda, sizeof(*s), s[i].id) == NULL)
			return arena_printf(mem, "/data/sessions/%zu/session_id", i);
		if (s[i].stage != NULL && !stage_stays(in, before, s[i].stage))
			return arena_printf(mem, "/data/sessions/%zu/stage_id", i);
	}
	return NULL;
}

/* ---- applying ---- */

static struct stage
stage_of(
    struct arena *mem, const struct event *ev, const struct stage *in, int64_t now_us)
{
	const struct stage *was =
	    in->id != NULL ? find_stage(&ev->stages, in->id) : NULL;
	struct stage s = {
		.event = ev->id, .created_us = now_us, .updated_us = now_us
	};

	if (was != NULL)
		s = *was;
	else
		s.id = id_new(mem);
	if (!field_same(mem, stage_in_fields, &s, in))
		s.updated_us = now_us;
	field_copy(stage_in_fields, in, &s);
	return s;
}

static void
replace_stages(
    struct arena *mem, const struct list *in, int64_t now_us, struct event *ev)
{
	struct stage *s = arena_alloc(mem, in->n * sizeof(*s));

	for (size_t i = 0; i < in->n; i++)
		s[i] = stage_of(mem, ev, (const struct stage *)in->items + i, now_us);
	ev->stages = (struct list){ s, in->n };
}

/* Sort by start; items with the same start keep their order. */
static void
insert(struct agenda_item *s, size_t n, const struct agenda_item *one)
{
	for (; n > 0 && s[n - 1].start_us > one->start_us; n--)
		s[n] = s[n - 1];
	s[n] = *one;
}

static const char *
agenda_write(struct arena *mem, const struct list *sessions)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_list(&j, NULL);
	for (size_t i = 0; i < sessions->n; i++)
		field_write(&j, NULL, agenda_item_fields,
		    (const struct agenda_item *)sessions->items + i);
	jw_close(&j);
	return buf_text(&b);
}

/*
 * Use the given sessions, or else the stored ones; leave out those whose stages do not
 * exist.
 */
static void
replace_sessions(struct arena *mem, const struct event_in *in, struct event *ev)
{
	const struct list was = agenda_read(mem, ev);
	const struct list *from = in->new_sessions ? &in->sessions : &was;
	struct list to = { arena_alloc(mem, from->n * sizeof(struct agenda_item)), 0 };

	for (size_t i = 0; i < from->n; i++) {
		struct agenda_item s = ((const struct agenda_item *)from->items)[i];
		const struct stage *on = ev->stages.items;

		if (s.stage != NULL)
			on = find_stage(&ev->stages, s.stage);
		else if (s.stage_index != NULL_INT)
			on += s.stage_index;
		if (on == NULL)
			continue;
		s.stage = on->id;
		s.id = s.id != NULL ? id_read(mem, s.id) : id_new(mem);
		insert(to.items, to.n++, &s);
	}
	ev->agenda = agenda_write(mem, &to);
}

/* 8 of a-z 0-9 */
static const char *
suffix_new(struct arena *mem)
{
	static const char of[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char dice[8];
	char *s = arena_alloc(mem, sizeof(dice) + 1);

	random_bytes(dice, sizeof(dice));
	for (size_t i = 0; i < sizeof(dice); i++)
		s[i] = of[dice[i] % (sizeof(of) - 1)];
	return s;
}

static void
begin(struct arena *mem, int64_t now_us, struct event *ev)
{
	static const struct stage first = { .name = "Main stage" };
	struct stage one = first;

	ev->id = id_new(mem);
	ev->room_suffix = suffix_new(mem);
	ev->finished_us = NULL_INT;
	replace_stages(mem, &(struct list){ &one, 1 }, now_us, ev);
}

void
event_apply(
    struct arena *mem, const struct event_in *in, int64_t now_us, struct event *ev)
{
	if (ev->id == NULL)
		begin(mem, now_us, ev);
	field_copy(event_in_fields, &in->event, ev);
	ev->languages = texts_json(mem, &in->languages);
	if (ev->listener_mode == NULL)
		ev->listener_mode = "approval";
	if (ev->transcript == NULL)
		ev->transcript = "off";
	if (in->new_stages)
		replace_stages(mem, &in->stages, now_us, ev);
	if (in->new_stages || in->new_sessions || ev->agenda == NULL)
		replace_sessions(mem, in, ev);
}

/* ---- copies ---- */

static struct list
stages_copied(struct arena *mem, const struct list *of)
{
	const struct stage *from = of->items;
	struct stage *to = arena_alloc(mem, of->n * sizeof(*to));

	for (size_t i = 0; i < of->n; i++)
		field_copy(stage_in_fields, from + i, to + i);
	return (struct list){ to, of->n };
}

/* The items on stages that the event still has; their copies name these by position. */
static struct list
agenda_copied(struct arena *mem, const struct event *ev, int64_t later_us)
{
	const struct list was = agenda_read(mem, ev);
	struct list to = { arena_alloc(mem, was.n * sizeof(struct agenda_item)), 0 };

	for (size_t i = 0; i < was.n; i++) {
		struct agenda_item s = ((const struct agenda_item *)was.items)[i];
		const struct stage *on =
		    s.stage != NULL ? find_stage(&ev->stages, s.stage) : NULL;

		if (on == NULL)
			continue;
		s.id = s.stage = NULL;
		s.stage_index = on - (const struct stage *)ev->stages.items;
		s.start_us += later_us;
		s.end_us += later_us;
		((struct agenda_item *)to.items)[to.n++] = s;
	}
	return to;
}

struct event_in
event_as_copy(
    struct arena *mem, const struct event *ev, const char *title, int64_t start_us)
{
	int64_t later_us = start_us - ev->start_us;
	struct event_in in = event_as_input(mem, ev);

	in.event.title = title;
	in.event.start_us = start_us;
	in.event.end_us += later_us;
	in.event.access_code = NULL;
	in.stages = stages_copied(mem, &ev->stages);
	in.sessions = agenda_copied(mem, ev, later_us);
	in.new_stages = in.new_sessions = true;
	return in;
}

const struct stage *
event_stage_in_use(const struct event *before, const struct event *after)
{
	const struct stage *s = before->stages.items;

	for (size_t i = 0; i < before->stages.n; i++) {
		const struct event_channel *c = s[i].channels.items;

		if (find_stage(&after->stages, s[i].id) != NULL)
			continue;
		for (size_t k = 0; k < s[i].channels.n; k++)
			if (!event_channel_deleting(c + k))
				return s + i;
	}
	return NULL;
}
