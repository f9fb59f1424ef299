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
	struct output_track *t = arena_alloc(mem, sizeof(*t));

	t->mem = mem;
	t->language = arena_str(mem, language);
	t->out = opus_encoder_new(mem);
	random_bytes(&t->source, sizeof(t->source));
	t->source.last_tick = -1;
	return t;
}

void
output_track_free(struct output_track *t)
{
	output_track_flush(t);
	arena_free(t->mem);
}

/* ---- queue ---- */

static void
drop_first(struct output_track *t)
{
	struct actor_message *first = t->first;

	t->first = first->next;
	t->at = 0;
	arena_free(first->mem);
}

void
output_track_put(struct output_track *t, struct bridge_audio *c)
{
	struct actor_message *message = &c->call.message;

	t->ended = c->last;
	t->quiet = c->last ? QUIET : 0;
	t->samples += c->n;
	message->next = NULL;
	if (t->first == NULL)
		t->first = message;
	else
		t->end->next = message;
	t->end = message;
}

void
output_track_flush(struct output_track *t)
{
	while (t->first != NULL)
		drop_first(t);
	t->quiet = t->samples > 0 ? QUIET : t->quiet;
	t->samples = 0;
	t->ended = true;
}

bool
output_track_has_sound(const struct output_track *t)
{
	return t->samples >= OPUS_ENCODER_SAMPLES ||
	       (t->ended && (t->samples > 0 || t->quiet > 0));
}

/* Take the samples of one packet; pad with silence. */
static void
take(struct output_track *t, int16_t to[OPUS_ENCODER_SAMPLES])
{
	size_t n = 0;

	memset(to, 0, OPUS_ENCODER_SAMPLES * sizeof(*to));
	while (t->first != NULL && n < OPUS_ENCODER_SAMPLES) {
		const struct bridge_audio *c = (const struct bridge_audio *)t->first;
		size_t some = c->n - t->at;

		if (some > OPUS_ENCODER_SAMPLES - n)
			some = OPUS_ENCODER_SAMPLES - n;
		if (some > 0)
			memcpy(to + n, c->s + t->at, some * sizeof(*to));
		n += some;
		t->at += some;
		if (t->at == c->n)
			drop_first(t);
	}
	t->samples -= n;
}

/* ---- packets ---- */

static void
send_packet(struct output_track *t, int udp, const unsigned char *p, size_t n)
{
	if (t->to_size > 0 && sendto(udp, p, n, MSG_DONTWAIT,
				  (const struct sockaddr *)&t->to, t->to_size) < 0)
		log_warn("speech could not be sent: %s", strerror(errno));
}

void
output_track_tick(struct output_track *t, int udp, int64_t tick)
{
	int16_t sound[OPUS_ENCODER_SAMPLES];
	unsigned char opus[OPUS_ENCODER_BYTES], packet[RTP_MOST];
	size_t n;

	if (!output_track_has_sound(t))
		return;
	t->quiet -= t->samples == 0;
	take(t, sound);
	if ((n = opus_encoder_packet(t->out, sound, opus)) == 0)
		return;
	n = rtp_next(&t->source, tick, opus, n, packet, sizeof(packet));
	send_packet(t, udp, packet, n);
}
