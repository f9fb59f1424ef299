/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_AUDIO_STREAM_H
#define CHANNEL_AUDIO_STREAM_H

#include "session/sink.h"

/*
 * One continuous stream of a language, made once for all that listen to it by HTTP:
 * speech as it is played out, in real time, and silence between.  It exists while
 * it has listeners.
 */
struct audio_stream;

/* A page of the stream, as one chunk of HTTP/1.1; see audio_stream_page(). */
struct audio_page {
	const char *chunk, *plain; /* plain: within the chunk */
	size_t chunk_bytes, plain_bytes;
};

/*
 * The stream of a folded language ("": the first target) as Ogg Opus or MP3, with one
 * listener more.
 */
struct audio_stream *audio_stream_enter(
    struct session *, const char *language, bool mp3);
/* One listener less.  Frees the stream of the last one. */
void audio_stream_leave(struct session *, struct audio_stream *);
const char *audio_stream_language(const struct audio_stream *);
/* What each listener gets first; of MP3 it is empty. */
struct audio_page audio_stream_head(const struct audio_stream *);
/* Pages made so far. */
int64_t audio_stream_pages(const struct audio_stream *);
/* A page by its number, from 0; false: too old, or not made yet. */
bool audio_stream_page(const struct audio_stream *, int64_t, struct audio_page *);

/* Make the pages that are due. */
void audio_stream_tick(struct session *, int64_t now_us);
extern const struct sink_ops audio_stream_sink;

#endif
