/*
 * The sound as it came in, for who listens to the original: pieces of 200 ms, of one
 * group from the moment it is wanted until it is not.
 */
#include "gateway/ears_room.h"

#include <string.h>

#include "base/hash.h"
#include "stream/chunks.h"

#define PIECE (SPOKEN_HZ / 5)

struct original {
	bool on;
	char id[17]; /* of the group */
	bool begun;  /* something of it was said */
	int16_t s[PIECE];
	size_t n;
};

static void
say_piece(struct ears *e, bool last)
{
	struct original *o = e->original;
	const struct chunk c = { o->s, o->n, last };
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	struct said *said;
	struct say_audio a = {
		.id = o->id, .language = "original", .last = last, .delta_ms = NULL_INT
	};

	a.bytes = chunk_bytes(mem, &c, &a.n);
	say_audio(&b, &a);
	said = said_with(e->run, SAID_ORIGINAL, -1, &b);
	said->times.id = arena_str(said->errand.letter.mem, o->id);
	said->chunk.last = last;
	said_send(said, NULL, -1);
	o->begun = true;
	o->n = 0;
	arena_free(mem);
}

static void
add_sound(struct ears *e, struct pcm16 p)
{
	struct original *o = e->original;

	for (size_t i = 0; i < p.n; i++) {
		o->s[o->n++] = p.s[i];
		if (o->n == PIECE)
			say_piece(e, false);
	}
}

static void
begin_group(struct original *o)
{
	struct arena *mem = arena_new();
	unsigned char id[8];

	random_bytes(id, sizeof(id));
	*o = (struct original){ .on = true };
	memcpy(o->id, hex(mem, id, sizeof(id)), sizeof(o->id));
	arena_free(mem);
}

void
ears_original(struct ears *e, bool on)
{
	if (e->original == NULL && on)
		e->original = arena_alloc(e->mem, sizeof(*e->original));
	if (e->original == NULL || e->original->on == on)
		return;
	if (on) {
		begin_group(e->original);
		return;
	}
	add_sound(e, intake_end_fine(e->in, e->scratch));
	if (e->original->begun || e->original->n > 0)
		say_piece(e, true);
	e->original->on = false;
}

enum err
ears_decode(struct ears *e, const void *p, size_t n, struct pcm16 *to)
{
	struct pcm16 fine;
	enum err how;

	if (e->original == NULL || !e->original->on)
		return intake_feed(e->in, p, n, e->scratch, to, NULL);
	how = intake_feed(e->in, p, n, e->scratch, to, &fine);
	add_sound(e, fine);
	return how;
}
