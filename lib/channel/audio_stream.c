/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams of languages for listeners by HTTP: a queue of packets, of which one is due
 * each 20 ms, and the last pages made of them.
 */
#include "channel/audio_stream.h"

#include <string.h>

#include "audio/mp3_encoder.h"
#include "audio/opus_decoder.h"
#include "audio/opus_muxer.h"
#include "audio/packet_queue.h"
#include "audio/rtp.h"

#define LATE_TICKS 250   /* missed ticks that are still served: 5 s */
#define PAGE_PACKETS 50  /* a second */
#define FIRST_PACKETS 10 /* packets in the page that begins speech */
#define KEPT 64          /* pages */

struct kept_page {
	struct arena *mem; /* NULL: none */
	struct audio_page page;
};

struct audio_stream {
	struct audio_stream *next; /* next stream of the session */
	struct arena *mem;
	char language[24];
	int listeners;
	struct packet_queue queue;
	struct opus_muxer *muxer; /* NULL: MP3 */
	struct audio_page head;
	struct opus_decoder *decoder;
	struct mp3_encoder *encoder; /* NULL: Ogg */
	struct arena *frames_mem;    /* arena of frames; NULL: none */
	struct buf frames;           /* MP3 frames for the next page */
	int64_t tick;                /* last tick served, of RTP_TICK_US; 0: none */
	bool speaks;                 /* the last packet was speech */
	int packets;                 /* packets in the next page */
	int most;                    /* packets of that page */
	int64_t pages;
	struct kept_page kept[KEPT]; /* page n is at n % KEPT */
};

/* The streams of a session: a list. */
static struct audio_stream **
streams_of(const struct session *session)
{
	return (struct audio_stream **)sink_state(session, &audio_stream_sink);
}

/* ---- pages ---- */

static struct audio_page
page_of(struct arena *mem, const struct buf *bytes)
{
	struct buf to = { .mem = mem };
	size_t before;

	buf_printf(&to, "%zx\r\n", bytes->len);
	before = to.len;
	buf_put(&to, bytes->p, bytes->len);
	buf_str(&to, "\r\n");
	return (struct audio_page){ .chunk = to.p,
		.plain = to.p + before,
		.chunk_bytes = to.len,
		.plain_bytes = bytes->len };
}

static void
store_page(struct audio_stream *s, const struct buf *bytes)
{
	struct kept_page *k = &s->kept[s->pages % KEPT];

	if (bytes->len == 0)
		return;
	arena_free(k->mem);
	k->mem = arena_small(bytes->len + 64);
	k->page = page_of(k->mem, bytes);
	s->pages++;
}

static void
finish_page(struct audio_stream *s)
{
	struct arena *mem = s->muxer != NULL ? arena_new() : s->frames_mem;
	struct buf pages = { .mem = mem };

	if (s->muxer != NULL)
		opus_muxer_page(s->muxer, &pages);
	store_page(s, s->muxer != NULL ? &pages : &s->frames);
	arena_free(mem);
	s->frames_mem = NULL;
	s->frames = (struct buf){ .mem = NULL };
	s->packets = 0;
	s->most = PAGE_PACKETS;
}

/* For MP3 the Opus packets are decoded again, as few players need it. */
static void
encode(struct audio_stream *s, const struct opus_packet *packet)
{
	struct arena *mem = arena_new();
	struct buf heard = { .mem = mem }, fine = { .mem = mem };

	if (s->frames_mem == NULL)
		s->frames_mem = arena_new();
	s->frames.mem = s->frames_mem;
	opus_decoder_fine(s->decoder, &fine);
	if (opus_decoder_packet(s->decoder, packet->bytes, packet->n, &heard) == OK)
		mp3_encoder_put(s->encoder, (const int16_t *)(const void *)fine.p,
		    fine.len / sizeof(int16_t), &s->frames);
	arena_free(mem);
}

/* Add a packet. Speech begins with a new, short page, so that listeners receive it
   sooner. */
static void
add_packet(struct audio_stream *s, const struct opus_packet *packet, bool speech)
{
	if (speech && !s->speaks) {
		if (s->packets > 0)
			finish_page(s);
		s->most = FIRST_PACKETS;
	}
	s->speaks = speech;
	if (s->muxer != NULL)
		opus_muxer_put(s->muxer, packet);
	else
		encode(s, packet);
	if (++s->packets >= s->most)
		finish_page(s);
}

static void
make_due(struct audio_stream *s, int64_t now)
{
	if (s->tick == 0)
		s->tick = now / RTP_TICK_US - 1;
	while (rtp_tick_next(&s->tick, now, LATE_TICKS)) {
		bool speech = s->queue.waiting > 0;
		struct opus_packet packet;

		if (!packet_queue_due(&s->queue, &packet))
			packet = opus_packets_silence();
		add_packet(s, &packet, speech);
	}
}

void
audio_stream_tick(struct session *session, int64_t now)
{
	for (struct audio_stream *s = *streams_of(session); s != NULL; s = s->next)
		make_due(s, now);
}

/* ---- listeners ---- */

static void
begin_ogg(struct audio_stream *s)
{
	struct buf b = { .mem = s->mem };

	s->muxer = opus_muxer_new(s->mem);
	opus_muxer_head(s->muxer, &b);
	s->head = page_of(s->mem, &b);
}

static struct audio_stream *
new_stream(struct session *session, const char *language, bool mp3)
{
	struct arena *mem = arena_new();
	struct audio_stream *s = arena_alloc(mem, sizeof(*s));

	*s = (struct audio_stream){
		.next = *streams_of(session), .mem = mem, .most = FIRST_PACKETS
	};
	if (mp3) {
		s->decoder = opus_decoder_new(mem);
		s->encoder = mp3_encoder_new(mem);
	} else
		begin_ogg(s);
	strncpy(s->language, language, sizeof(s->language) - 1);
	*streams_of(session) = s;
	return s;
}

struct audio_stream *
audio_stream_enter(struct session *session, const char *language, bool mp3)
{
	struct audio_stream *s = *streams_of(session);

	while (s != NULL &&
	       (strcmp(s->language, language) != 0 || (s->encoder != NULL) != mp3))
		s = s->next;
	if (s == NULL)
		s = new_stream(session, language, mp3);
	s->listeners++;
	return s;
}

void
audio_stream_leave(struct session *session, struct audio_stream *s)
{
	struct audio_stream **at = streams_of(session);

	if (--s->listeners > 0)
		return;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	packet_queue_free(&s->queue);
	for (int i = 0; i < KEPT; i++)
		arena_free(s->kept[i].mem);
	arena_free(s->frames_mem);
	arena_free(s->mem);
}

const char *
audio_stream_language(const struct audio_stream *s)
{
	return s->language;
}

struct audio_page
audio_stream_head(const struct audio_stream *s)
{
	return s->head;
}

int64_t
audio_stream_pages(const struct audio_stream *s)
{
	return s->pages;
}

bool
audio_stream_page(const struct audio_stream *s, int64_t number, struct audio_page *to)
{
	if (number < 0 || number >= s->pages || number < s->pages - KEPT)
		return false;
	*to = s->kept[number % KEPT].page;
	return true;
}

/* ---- sound ---- */

static bool
is_of(const struct audio_stream *s, const struct task *t, int target)
{
	if (target < 0)
		return strcmp(s->language, "original") == 0;
	return s->language[0] == '\0'
		   ? target == 0
		   : strcmp(s->language, t->targets[target].language.code) == 0;
}

static void
put(struct audio_stream *s, struct opus_packets packets, bool last)
{
	struct arena *mem = arena_small(sizeof(struct queued_packets) + packets.n + 64);
	struct queued_packets *p = arena_alloc(mem, sizeof(*p) + packets.n);

	*p = (struct queued_packets){ .mem = mem, .packets = packets, .last = last };
	if (packets.n > 0)
		p->packets.bytes = memcpy(p + 1, packets.bytes, packets.n);
	packet_queue_put(&s->queue, p);
}

static void
play(struct session *session, const struct sink_audio *a)
{
	for (struct audio_stream *s = *streams_of(session); s != NULL; s = s->next)
		if (is_of(s, a->task, a->target))
			put(s, a->packets, a->last);
}

static void
flush(struct session *session, const struct task *t, int target)
{
	for (struct audio_stream *s = *streams_of(session); s != NULL; s = s->next)
		if (target < 0 || is_of(s, t, target))
			packet_queue_flush(&s->queue);
}

const struct sink_ops audio_stream_sink = {
	.play = play, .flush = flush, .tick = audio_stream_tick
};
