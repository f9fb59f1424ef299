#include "gateway/studio_room.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"

/* Where packets end in a sound, receivers go on with it for a while. */
#define QUIET 3

struct lane *
lane_new(const char *language)
{
	struct arena *mem = arena_new();
	struct lane *l = arena_alloc(mem, sizeof(*l));

	l->mem = mem;
	l->language = arena_str(mem, language);
	l->out = opus_out_new(mem);
	random_bytes(&l->source, sizeof(l->source));
	l->source.last_tick = -1;
	return l;
}

void
lane_free(struct lane *l)
{
	lane_flush(l);
	arena_free(l->mem);
}

/* ---- what waits ---- */

static void
drop_first(struct lane *l)
{
	struct letter *first = l->first;

	l->first = first->next;
	l->at = 0;
	arena_free(first->mem);
}

void
lane_put(struct lane *l, struct cue_play *c)
{
	struct letter *letter = &c->cue.letter;

	l->ended = c->last;
	l->quiet = c->last ? QUIET : 0;
	l->samples += c->n;
	letter->next = NULL;
	if (l->first == NULL)
		l->first = letter;
	else
		l->end->next = letter;
	l->end = letter;
}

void
lane_flush(struct lane *l)
{
	while (l->first != NULL)
		drop_first(l);
	l->quiet = l->samples > 0 ? QUIET : l->quiet;
	l->samples = 0;
	l->ended = true;
}

bool
lane_speaks(const struct lane *l)
{
	return l->samples >= OPUS_OUT_SAMPLES ||
	       (l->ended && (l->samples > 0 || l->quiet > 0));
}

/* What there is of a packet's sound; the rest of it is silence. */
static void
take(struct lane *l, int16_t to[OPUS_OUT_SAMPLES])
{
	size_t n = 0;

	memset(to, 0, OPUS_OUT_SAMPLES * sizeof(*to));
	while (l->first != NULL && n < OPUS_OUT_SAMPLES) {
		const struct cue_play *c = (const struct cue_play *)l->first;
		size_t some = c->n - l->at;

		if (some > OPUS_OUT_SAMPLES - n)
			some = OPUS_OUT_SAMPLES - n;
		if (some > 0)
			memcpy(to + n, c->s + l->at, some * sizeof(*to));
		n += some;
		l->at += some;
		if (l->at == c->n)
			drop_first(l);
	}
	l->samples -= n;
}

/* ---- what is said ---- */

static void
send_packet(struct lane *l, int udp, const unsigned char *p, size_t n)
{
	if (l->to_size > 0 && sendto(udp, p, n, MSG_DONTWAIT,
				  (const struct sockaddr *)&l->to, l->to_size) < 0)
		log_warn("speech could not be sent: %s", strerror(errno));
}

void
lane_tick(struct lane *l, int udp, int64_t tick)
{
	int16_t sound[OPUS_OUT_SAMPLES];
	unsigned char opus[OPUS_OUT_BYTES], packet[RTP_MOST];
	size_t n;

	if (!lane_speaks(l))
		return;
	l->quiet -= l->samples == 0;
	take(l, sound);
	if ((n = opus_out_packet(l->out, sound, opus)) == 0)
		return;
	n = rtp_say(&l->source, tick, opus, n, packet, sizeof(packet));
	send_packet(l, udp, packet, n);
}
