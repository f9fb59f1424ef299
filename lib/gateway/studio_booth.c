/*
 * Rooms as the studio has them: their languages, and what the media server is asked
 * for on their behalf.
 */
#include "gateway/studio_room.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

#define SOON_US (5 * S_US)   /* without a packet, then it looks why; */
#define LOOK_US (20 * S_US)  /* and from then on */
#define HALL_US (60 * S_US)  /* or of a channel, which has another name when lost */
#define AGAIN_US (5 * S_US)  /* after a failure */
#define DRAIN_US (30 * S_US) /* that speech is said after everybody left */

/* ---- booths ---- */

static struct lane *
lane_of(const struct booth *b, const char *language)
{
	struct lane *l = b->lanes;

	while (l != NULL && strcmp(l->language, language) != 0)
		l = l->next;
	return l;
}

/* Those that stay go on with what they say. */
static void
change_lanes(struct booth *b, const struct list *languages)
{
	const char *const *texts = languages->items;
	struct lane *old = b->lanes, **at = &b->lanes, *l;

	b->lanes = NULL;
	for (size_t i = 0; i < languages->n; i++) {
		struct lane **from = &old;

		while (*from != NULL && strcmp((*from)->language, texts[i]) != 0)
			from = &(*from)->next;
		if ((l = *from) != NULL)
			*from = l->next;
		else
			l = lane_new(texts[i]);
		l->next = NULL;
		*at = l;
		at = &l->next;
	}
	while ((l = old) != NULL) {
		old = l->next;
		lane_free(l);
	}
}

static void
make_ssrc(struct booth *b)
{
	while (b->ssrc == 0)
		random_bytes(&b->ssrc, sizeof(b->ssrc));
}

/* Whoever had the name has nothing more to do with what bears it. */
static void
take_name(struct studio *s, const struct booth *of)
{
	for (struct booth *b = s->booths; b != NULL; b = b->next)
		if (b != of && strcmp(b->name, of->name) == 0)
			b->replaced = true;
}

void
studio_languages(struct studio *s, struct cue *c)
{
	const struct cue_languages *l = (const struct cue_languages *)c;
	struct booth *b = l->booth;

	if (!b->here) {
		make_ssrc(b);
		take_name(s, b);
		b->next = s->booths;
		s->booths = b;
		b->here = true;
	}
	b->wanted = l->number;
	change_lanes(b, &l->languages);
	arena_free(c->letter.mem);
}

void
studio_say(struct studio *s, struct cue *c)
{
	struct cue_play *p = (struct cue_play *)c;
	struct lane *l = lane_of(p->booth, p->language);

	(void)s;
	if (l != NULL)
		lane_put(l, p);
	else
		arena_free(c->letter.mem);
}

void
studio_hush(struct studio *s, struct cue *c)
{
	const struct cue_play *p = (const struct cue_play *)c;

	(void)s;
	for (struct lane *l = p->booth->lanes; l != NULL; l = l->next)
		if (p->language == NULL || strcmp(l->language, p->language) == 0)
			lane_flush(l);
	arena_free(c->letter.mem);
}

void
studio_leave(struct studio *s, struct cue *c)
{
	struct booth *b = ((struct cue_play *)c)->booth;

	for (struct lane *l = b->lanes; l != NULL; l = l->next)
		l->ended = true;
	side_left(s->gate, b->room);
	b->room = NULL;
	b->left_us = monotonic_us();
	arena_free(c->letter.mem);
}

/* ---- the media server ---- */

static void
set_address(struct booth *b, const struct hand_job *j, size_t i)
{
	struct lane *l = lane_of(b, ((const char *const *)j->sound.languages.items)[i]);
	in_port_t port = htons((uint16_t)j->sound.to_ports[i]);

	if (l == NULL)
		return;
	b->attached &= port != 0; /* of a channel it may not be there yet */
	l->to = j->to;
	l->to_size = port != 0 ? j->to_size : 0;
	if (j->to.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&l->to)->sin6_port = port;
	else
		((struct sockaddr_in *)&l->to)->sin_port = port;
}

void
studio_done(struct studio *s, struct cue *c)
{
	struct hand_job *j = (struct hand_job *)c;
	struct booth *b = j->booth;

	b->busy = false;
	b->dropped = j->drop;
	b->looked_us = monotonic_us();
	b->heard = false;
	b->attached = j->how == OK && !j->drop;
	for (size_t i = 0; j->sound.to_ports != NULL && i < j->sound.languages.n; i++)
		if (j->how == OK)
			set_address(b, j, i);
	if (j->how == OK && !j->drop && b->room != NULL)
		side_ready(s->gate, b->room, j->number);
	arena_free(c->letter.mem);
}

static bool
is_to_look(const struct booth *b, int64_t now)
{
	int64_t since_us = b->looked_us > b->heard_us ? b->looked_us : b->heard_us;
	int64_t quiet_us = b->ours ? LOOK_US : HALL_US;
	int64_t patience_us = !b->attached ? AGAIN_US : b->heard ? SOON_US : quiet_us;

	return b->wanted != b->sent || now >= since_us + patience_us;
}

/* It was left, and has said what there was to say. */
static bool
is_over(const struct studio *s, const struct booth *b, int64_t now)
{
	if (b->room != NULL || b->busy)
		return false;
	for (const struct lane *l = b->lanes; l != NULL && !b->replaced; l = l->next)
		if (lane_speaks(l) && now < b->left_us + DRAIN_US && !s->stopping)
			return false;
	return true;
}

static void
free_booth(struct booth *b)
{
	change_lanes(b, &(struct list){ NULL, 0 });
	arena_free(b->mem);
}

bool
booth_turn(struct studio *s, struct booth *b, int64_t now)
{
	if (is_over(s, b, now)) {
		if (!b->ours || b->replaced || b->dropped) {
			free_booth(b);
			return false;
		}
		hand_drop(s, b);
	} else if (b->room != NULL && !b->busy && !b->replaced && is_to_look(b, now))
		hand_attach(s, b);
	return true;
}
