/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EGRESS_HLS_INTERNAL_H
#define EGRESS_HLS_INTERNAL_H

#include <libavformat/avformat.h>

#include "egress/egress.h"
#include "egress/hls_bucket.h"

/*
 * Shared by the files of HLS.
 *
 *	hls_bucket.c     uploads to a bucket
 *	hls_folder.c     the folder: sound and captions
 *	hls_picture.c    the picture
 *	hls_write.c      files of segments, the playlists
 */
#define SEGMENT_S 4
#define SEGMENT (SEGMENT_S * EGRESS_HZ)
#define LISTED 6 /* segments of a playlist, */
/* segments of sound and text, enough to cover those of the picture */
#define LISTED_MOST 40
#define KEPT 3           /* times as many files are kept: older playlists name them */
#define CAPTIONS 32      /* queued per language */
#define BANDWIDTH 120000 /* bit/s of a language, at most */
#define PICTURE_BANDWIDTH 6000000 /* bandwidth of a picture: typical of encoders */

struct segment {
	int64_t begin, end; /* media time */
	int64_t number;
	int64_t head;          /* number of its head's file */
	int64_t discontinuity; /* hls_folder.discontinuities when it began */
	bool gone, mute; /* its file, or that of its captions, could not be written */
};

struct rendition {
	const char *code; /* language code, or "picture" */
	AVFormatContext *fmt;
	struct segment now;               /* begin < 0: none yet */
	size_t bytes;                     /* current size */
	struct segment made[LISTED_MOST]; /* the segments in the playlist */
	int n_made;
	struct egress_caption captions[CAPTIONS];
	struct arena *caption_mem[CAPTIONS];
	int n_captions;
};

struct hls_folder {
	int fd;
	struct hls_bucket *bucket; /* NULL: none */
	int64_t epoch_us;
	struct rendition *all;
	size_t n;
	struct rendition picture;
	/* Length of the longest segment so far: all renditions share one target
	   duration, which never shrinks. */
	int64_t longest;
	/* The picture's decoder configuration and size; 0 bytes: no picture yet. */
	unsigned char *picture_head;
	size_t n_picture_head;
	int width, height;
	/* The last keyframe, repeated while no picture comes. */
	unsigned char *still;
	size_t n_still;
	int64_t picture_dts; /* time of the last picture */
	bool need_key;       /* wait for a keyframe: pictures were lost */
	/* Number of changes of the picture's head, counted from the number of the
	   first segment so that it also grows from one child to the next. */
	int64_t discontinuities;
	bool wants_picture; /* the order announces a picture */
	int64_t begins;     /* media time */
	bool complete;      /* index.m3u8 has been written */
	/* error to report until all files of a segment have been written */
	const char *why;
	bool failed; /* a file of this segment could not be written */
	int64_t bytes;
};

/* ---- hls_write.c ---- */

/* Write a file atomically; also upload it to the bucket. */
bool hls_write(struct hls_folder *, const char *name, const void *, size_t n);
/* Open a rendition with these codec parameters; number: of the file of its head. */
bool hls_rendition_open(struct hls_folder *, struct rendition *, const char *code,
    const AVCodecParameters *, int64_t number);
/* Add a packet, whose times are in media time, to the segment, then free the packet. */
void hls_rendition_put(struct rendition *, AVPacket *);
/* End the segment: write it to the folder and append it to made. */
void hls_rendition_cut(struct hls_folder *, struct rendition *, int64_t end);
/* Number of the segment that begins at this media time. */
int64_t hls_number(const struct hls_folder *, int64_t begin);

/* Write a playlist of a rendition; kind: audio, video or text. */
void hls_playlist_write(
    struct hls_folder *, const struct rendition *, const char *kind);
/* Write the multivariant playlists; sets h->complete on success. */
void hls_playlist_indexes(struct hls_folder *);

/* ---- hls_picture.c ---- */

void hls_picture_put(void *sink, const struct picture *, int64_t pts, int64_t dts);
/* Repeat the last picture when none has come for a segment. */
void hls_picture_step(struct hls_folder *, int64_t now);
/* True while a picture is expected, so players should not start yet. */
bool hls_picture_awaited(const struct hls_folder *, int64_t now);

#endif
