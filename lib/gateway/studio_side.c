/*
 * The studio as rooms see it, on the sockets' thread: letters there and back.  A room
 * stays as long as letters may come, see side_left().
 */
#include "gateway/studio_room.h"

#include <string.h>

/* A room's own part of its booth. */
struct stand {
	struct booth *booth; /* the studio's */
	struct arena *mem;
	const char *name;
	struct list languages; /* const char * */
	int number;            /* of these, as asked for; */
	int ready;             /* and of those that are there */
};

/* ---- letters to the studio ---- */

static struct cue_play *
cue_for(const struct room *r, size_t bytes)
{
	struct cue_play *c = (struct cue_play *)letter_new(sizeof(*c) + bytes);

	c->booth = r->stand->booth;
	return c;
}

static struct stand *
stand_new(struct room *r, const char *name, bool ours)
{
	struct arena *mem = arena_new(); /* the studio frees it */
	struct booth *b = arena_alloc(mem, sizeof(*b));
	struct arena *its = arena_new();
	struct stand *to = arena_alloc(its, sizeof(*to));

	*b = (struct booth){
		.mem = mem, .name = arena_str(mem, name), .ours = ours, .room = r
	};
	*to = (struct stand){ .mem = its, .booth = b, .name = arena_str(its, name) };
	r->owed++;
	return to;
}

static bool
same_languages(const struct stand *s, const struct list *languages)
{
	const char *const *a = s->languages.items, *const *b = languages->items;
	size_t i = 0;

	if (s->number == 0 || s->languages.n != languages->n)
		return false;
	while (i < languages->n && strcmp(a[i], b[i]) == 0)
		i++;
	return i == languages->n;
}

static struct list
copy_languages(struct arena *mem, const struct list *languages)
{
	const char **to = arena_alloc(mem, (languages->n + 1) * sizeof(*to));

	for (size_t i = 0; i < languages->n; i++)
		to[i] = arena_str(mem, ((const char *const *)languages->items)[i]);
	return (struct list){ to, languages->n };
}

static void
send_languages(struct room *r)
{
	struct cue_languages *l = CUE(struct cue_languages);

	l->booth = r->stand->booth;
	l->number = r->stand->number;
	l->languages = copy_languages(l->cue.letter.mem, &r->stand->languages);
	cue_send(r->gate->studio, &l->cue, studio_languages);
}

void
studio_open(struct room *r, const char *media, const struct list *languages, bool ours)
{
	if (r->stand != NULL && strcmp(r->stand->name, media) != 0)
		studio_close(r);
	if (r->stand == NULL) {
		hear_forget(r); /* it came another way */
		r->stand = stand_new(r, media, ours);
	}
	if (same_languages(r->stand, languages))
		return;
	r->stand->number++;
	r->stand->languages = copy_languages(r->stand->mem, languages);
	send_languages(r);
}

/* As its messages call them. */
static struct list
languages_of(const struct task *t, const char *to[TASK_TARGETS])
{
	for (size_t i = 0; i < t->n_targets; i++)
		to[i] = t->targets[i].language.said;
	return (struct list){ to, t->n_targets };
}

void
studio_take(struct room *r, const char *media, const struct task *t)
{
	const char *texts[TASK_TARGETS];
	struct list languages = languages_of(t, texts);

	if (t->source == TASK_WEBRTC && media != NULL)
		studio_open(r, media, &languages, true);
	else if (r->air == NULL)
		studio_close(r);
}

bool
studio_ready(const struct room *r)
{
	return r->stand == NULL || r->stand->ready == r->stand->number;
}

void
studio_play(struct room *r, const char *language, const int16_t *s, size_t n, bool last)
{
	struct cue_play *c;

	if (r->stand == NULL)
		return;
	c = cue_for(r, n * sizeof(*s) + strlen(language));
	c->language = arena_str(c->cue.letter.mem, language);
	if (n > 0)
		c->s = memcpy(
		    arena_alloc(c->cue.letter.mem, n * sizeof(*s)), s, n * sizeof(*s));
	c->n = n;
	c->last = last;
	cue_send(r->gate->studio, &c->cue, studio_say);
}

void
studio_flush(struct room *r, const char *language)
{
	struct cue_play *c;

	if (r->stand == NULL)
		return;
	c = cue_for(r, 0);
	c->language = arena_str(c->cue.letter.mem, language);
	cue_send(r->gate->studio, &c->cue, studio_hush);
}

void
studio_close(struct room *r)
{
	struct cue_play *c;

	if (r->stand == NULL)
		return;
	c = cue_for(r, 0);
	arena_free(r->stand->mem);
	r->stand = NULL;
	cue_send(r->gate->studio, &c->cue, studio_leave);
}

const char *
studio_told(const struct room *r, struct arena *mem, bool speaks)
{
	const struct task *t = r->now != NULL ? run_task(r->now->run) : NULL;
	const struct studio *s = r->gate->studio;
	const char *texts[TASK_TARGETS];
	struct list languages;
	struct buf b = { .mem = mem };
	struct jw j = { .out = &b };

	if (r->stand == NULL || t == NULL || t->source != TASK_WEBRTC)
		return NULL;
	languages = languages_of(t, texts);
	jw_open(&j, NULL);
	s->driver->invite(&s->conf, mem, r->stand->name, &languages, speaks, &j);
	jw_close(&j);
	return buf_text(&b);
}

/* ---- letters from the studio ---- */

struct side_letter {
	struct errand errand;
	struct room *room;
	int number;
	const void *p;
	size_t n;
};

static struct side_letter *
letter_for(struct room *r, size_t bytes)
{
	struct side_letter *l = (struct side_letter *)letter_new(sizeof(*l) + bytes);

	l->room = r;
	return l;
}

static void
post(struct gate *g, struct side_letter *l, void (*run)(struct gate *, struct errand *))
{
	l->errand.run = run;
	mailbox_send(g->to_sockets, &l->errand.letter);
}

static void
take_packet(struct gate *g, struct errand *e)
{
	const struct side_letter *l = (const struct side_letter *)e;

	(void)g;
	hear_packet(l->room, l->p, l->n);
	arena_free(e->letter.mem);
}

void
side_packet(struct gate *g, struct room *r, const unsigned char *p, size_t n)
{
	struct side_letter *l = letter_for(r, n);

	l->p = arena_dup(l->errand.letter.mem, (const char *)p, n);
	l->n = n;
	post(g, l, take_packet);
}

static void
take_ready(struct gate *g, struct errand *e)
{
	const struct side_letter *l = (const struct side_letter *)e;
	struct room *r = l->room;

	(void)g;
	if (r->stand != NULL && r->stand->ready != l->number) {
		r->stand->ready = l->number;
		play_ready(r);
	}
	arena_free(e->letter.mem);
}

void
side_ready(struct gate *g, struct room *r, int number)
{
	struct side_letter *l = letter_for(r, 0);

	l->number = number;
	post(g, l, take_ready);
}

static void
take_leave(struct gate *g, struct errand *e)
{
	struct room *r = ((struct side_letter *)e)->room;

	(void)g;
	arena_free(e->letter.mem);
	room_paid(r);
}

void
side_left(struct gate *g, struct room *r)
{
	post(g, letter_for(r, 0), take_leave);
}
