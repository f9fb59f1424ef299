#include "bridge/bridge_internal.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"

/* Receivers conceal missing packets by repeating the last sound: end with silence. */
#define QUIET 3

struct output_track *
output_track_new(const char *language)
{
	struct arena *mem = arena_new();
	struct output_track *l = arena_alloc(mem, sizeof(*l));

	l->mem = mem;
	l->language = arena_str(mem, language);
	l->out = opus_encoder_new(mem);
	random_bytes(&l->source, sizeof(l->source));
	l->source.last_tick = -1;
	return l;
}

void
output_track_free(struct output_track *l)
{
	output_track_flush(l);
	arena_free(l->mem);
}

/* ---- queue ---- */

static void
drop_first(struct output_track *l)
{
	struct actor_message *first = l->first;

	l->first = first->next;
	l->at = 0;
	arena_free(first->mem);
}

void
output_track_put(struct output_track *l, struct bridge_audio *c)
{
	struct actor_message *message = &c->call.message;

	l->ended = c->last;
	l->quiet = c->last ? QUIET : 0;
	l->samples += c->n;
	message->next = NULL;
	if (l->first == NULL)
		l->first = message;
	else
		l->end->next = message;
	l->end = message;
}

void
output_track_flush(struct output_track *l)
{
	while (l->first != NULL)
		drop_first(l);
	l->quiet = l->samples > 0 ? QUIET : l->quiet;
	l->samples = 0;
	l->ended = true;
}

bool
output_track_has_sound(const struct output_track *l)
{
	return l->samples >= OPUS_ENCODER_SAMPLES ||
	       (l->ended && (l->samples > 0 || l->quiet > 0));
}

/* Take the samples of one packet; pad with silence. */
static void
take(struct output_track *l, int16_t to[OPUS_ENCODER_SAMPLES])
{
	size_t n = 0;

	memset(to, 0, OPUS_ENCODER_SAMPLES * sizeof(*to));
	while (l->first != NULL && n < OPUS_ENCODER_SAMPLES) {
		const struct bridge_audio *c = (const struct bridge_audio *)l->first;
		size_t some = c->n - l->at;

		if (some > OPUS_ENCODER_SAMPLES - n)
			some = OPUS_ENCODER_SAMPLES - n;
		if (some > 0)
			memcpy(to + n, c->s + l->at, some * sizeof(*to));
		n += some;
		l->at += some;
		if (l->at == c->n)
			drop_first(l);
	}
	l->samples -= n;
}

/* ---- packets ---- */

static void
send_packet(struct output_track *l, int udp, const unsigned char *p, size_t n)
{
	if (l->to_size > 0 && sendto(udp, p, n, MSG_DONTWAIT,
				  (const struct sockaddr *)&l->to, l->to_size) < 0)
		log_warn("speech could not be sent: %s", strerror(errno));
}

void
output_track_tick(struct output_track *l, int udp, int64_t tick)
{
	int16_t sound[OPUS_ENCODER_SAMPLES];
	unsigned char opus[OPUS_ENCODER_BYTES], packet[RTP_MOST];
	size_t n;

	if (!output_track_has_sound(l))
		return;
	l->quiet -= l->samples == 0;
	take(l, sound);
	if ((n = opus_encoder_packet(l->out, sound, opus)) == 0)
		return;
	n = rtp_next(&l->source, tick, opus, n, packet, sizeof(packet));
	send_packet(l, udp, packet, n);
}
