/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_AUDIO_STREAM_H
#define CHANNEL_AUDIO_STREAM_H

#include "session/sink.h"

/*
 * One continuous stream of a language in real time: speech as it is played out, and
 * silence in between. It is encoded once for all its HTTP listeners and exists while it
 * has listeners.
 */
struct audio_stream;

/* A page of the stream, as one chunk of HTTP/1.1; see audio_stream_page(). */
struct audio_page {
	const char *chunk, *plain; /* plain: within the chunk */
	size_t chunk_bytes, plain_bytes;
};

/*
 * Add a listener to the stream of a folded language ("": the first target), as Ogg Opus
 * or MP3.
 */
struct audio_stream *audio_stream_enter(
    struct session *, const char *language, bool mp3);
/* Remove a listener. Frees the stream when it was the last one. */
void audio_stream_leave(struct session *, struct audio_stream *);
const char *audio_stream_language(const struct audio_stream *);
/* The first page for each listener; empty for MP3. */
struct audio_page audio_stream_head(const struct audio_stream *);
/* The number of pages made so far. */
int64_t audio_stream_pages(const struct audio_stream *);
/* A page by its number, from 0; false: too old, or not made yet. */
bool audio_stream_page(const struct audio_stream *, int64_t, struct audio_page *);

/* Make the pages that are due. */
void audio_stream_tick(struct session *, int64_t now_us);
extern const struct sink_ops audio_stream_sink;

#endif
