/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ingress/hls_player.h"

#include <string.h>

#include "base/clock.h"
#include "ingress/hls_read.h"
#include "ingress/ingress_wire.h"

#define STILL_US                                                                       \
	(10 * S_US) /* minimum time without a new segment until a playlist is          \
		       considered dead */
#define EMPTY "A segment of the playlist is empty."
#define NO_ADDRESS "The playlist has an invalid address."

/* Limit the rate of calls, whatever a playlist names. */
static void
keep_pace(struct hls_player *p)
{
	const int64_t pace_us = HLS_PACE_MS * 1000;
	int64_t now = monotonic_us();

	if (p->due_us < now - HLS_PACE_CALLS * pace_us)
		p->due_us = now - HLS_PACE_CALLS * pace_us;
	p->due_us += pace_us;
	if (p->due_us > now)
		(void)pull_rest(p->pull, p->due_us - now);
}

static const char *
get(struct hls_player *p, struct arena *mem, struct fetch *f, struct http_answer *to)
{
	f->allow_private = p->pull->order->allow_private;
	f->cookies = p->pull->cookies;
	f->unwanted = pull_is_left;
	f->arg = p->pull;
	keep_pace(p);
	return fetch_get(mem, f, to);
}

/* Fetch a file and pass it on. False: playing ends; *why: the error, or NULL. */
static bool
play_file(struct hls_player *p, struct arena *mem, const char *url, const char **why)
{
	struct arena *file = arena_new();
	struct fetch f = {
		.url = url, .timeout_ms = HLS_SEGMENT_MS, .max_bytes = HLS_SEGMENT_MOST
	};
	struct http_answer a;
	bool goes_on;

	*why = arena_str(mem, get(p, file, &f, &a));
	if (*why == NULL && a.body_len == 0)
		*why = EMPTY;
	goes_on = *why == NULL && pull_put(p->pull, a.body, a.body_len);
	arena_free(file);
	return goes_on;
}

/* True if the URLs are equal without their queries, which may hold a new signature
   each time. */
static bool
is_same_file(const char *a, const char *b)
{
	size_t n = strcspn(a, "?");

	return strncmp(a, b, n) == 0 && strcspn(b, "?") == n;
}

/* Play the initialisation section, unless url is NULL. A different one means a new
   stream. */
static bool
play_map(struct hls_player *p, struct arena *mem, const char *url, const char **why)
{
	*why = NULL;
	if (p->map == NULL && url == NULL)
		return true;
	if (p->began)
		return p->map != NULL && url != NULL && is_same_file(p->map, url);
	p->map = arena_str(p->mem, url);
	return play_file(p, mem, url, why);
}

static bool
play_segment(struct hls_player *p, struct arena *mem, const char *base,
    const struct hls_segment *s, const char **why)
{
	const char *url = http_join(mem, base, s->uri);
	const char *map = s->map != NULL ? http_join(mem, base, s->map) : NULL;

	if (url == NULL || (s->map != NULL && map == NULL)) {
		*why = NO_ADDRESS;
		return false;
	}
	if (!play_map(p, mem, map, why))
		return false;
	p->began = true;
	return play_file(p, mem, url, why);
}

/* True if playback is more than HLS_LATE_S behind the position where it would start. */
static bool
is_late(const struct hls_player *p, const struct hls_playlist *l)
{
	int64_t left_ms = 0, most = (int64_t)l->n - HLS_BEHIND;

	for (int64_t i = p->next - l->sequence; i < most; i++)
		left_ms += l->segments[i].ms;
	return left_ms > HLS_LATE_S * S_US / 1000;
}

/* Set the next segment: after the last one played, if the playlist still has it.
   False: playing must start again, because the decoder would wait for the missing
   part. */
static bool
find_position(struct hls_player *p, const struct hls_playlist *l)
{
	int64_t n = (int64_t)l->n, end = l->sequence + n;

	if (p->began && p->next <= end + n)
		return p->next >= l->sequence && !is_late(p, l);
	p->next = n > HLS_BEHIND ? end - HLS_BEHIND : l->sequence;
	return true;
}

static const char *
read_playlist(struct hls_player *p, struct arena *mem, const char *url,
    const char *text, const char *language, struct hls_playlist *to)
{
	struct hls_variables *own;
	const char *why = hls_variables_replace(
	    mem, &text, HLS_PLAYLIST_MOST, url, p->variables, &own);

	if (why == NULL && (why = hls_playlist_read(mem, text, language, to)) == NULL &&
	    to->media != NULL)
		p->variables = own;
	return why;
}

/* Fetch the playlist, play its new segments, and wait until it may have more. */
static bool
play_round(struct hls_player *p, struct arena *mem, const char *url, const char **why)
{
	int64_t loaded_us = monotonic_us(), wait_us, end;
	struct fetch f = { .url = url,
		.timeout_ms = HLS_PLAYLIST_MS,
		.max_bytes = HLS_PLAYLIST_MOST };
	struct hls_playlist l;
	struct http_answer a;
	bool some;

	if ((*why = get(p, mem, &f, &a)) != NULL ||
	    (*why = read_playlist(p, mem, f.url, a.body, "auto", &l)) != NULL)
		return false;
	if (l.media != NULL || (l.ended && !p->began)) {
		*why = l.media != NULL ? "The playlist names no media playlist."
				       : INGRESS_OVER;
		return false;
	}
	if (!find_position(p, &l))
		return false;
	end = l.sequence + (int64_t)l.n;
	some = p->next < end;
	for (; p->next < end; p->next++) {
		const struct hls_segment *s = l.segments + (p->next - l.sequence);

		if (s->gap || play_segment(p, mem, f.url, s, why))
			continue;
		if (p->failed == p->next)
			p->next++; /* skip it after the second failure */
		else
			p->failed = p->next;
		return false;
	}
	if (some)
		p->changed_us = monotonic_us();
	if (l.ended ||
	    monotonic_us() > p->changed_us + 3 * l.target_s * S_US + STILL_US) {
		*why = l.ended ? INGRESS_OVER : "The playlist has stopped changing.";
		return false;
	}
	wait_us = loaded_us + l.target_s * S_US / (some ? 1 : 2) - monotonic_us();
	return wait_us <= 0 || pull_rest(p->pull, wait_us);
}

const char *
hls_player_run(
    struct hls_player *p, struct arena *mem, const char *url, const char *text)
{
	struct hls_playlist l;
	const char *why;
	bool goes_on = true;

	p->variables = NULL;
	why = read_playlist(p, mem, url, text, p->pull->order->language, &l);
	if (why != NULL)
		return why;
	if (l.media != NULL && (url = http_join(mem, url, l.media)) == NULL)
		return NO_ADDRESS;
	p->changed_us = monotonic_us();
	while (goes_on) {
		struct arena *round = arena_new();

		goes_on = play_round(p, round, url, &why);
		why = arena_str(mem, why);
		arena_free(round);
	}
	return why;
}
