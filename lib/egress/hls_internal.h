#ifndef EGRESS_HLS_INTERNAL_H
#define EGRESS_HLS_INTERNAL_H

#include <libavformat/avformat.h>

#include "egress/egress.h"
#include "egress/hls_bucket.h"

/*
 * Shared by the files of HLS.
 *
 *	hls_bucket.c     what is put into a bucket, too
 *	hls_folder.c     the folder: sound and captions
 *	hls_picture.c    the picture
 *	hls_write.c      files of segments, the playlists
 */
#define SEGMENT_S 4
#define SEGMENT (SEGMENT_S * EGRESS_HZ)
#define LISTED 6         /* segments of a playlist, */
#define LISTED_MOST 40   /* of sound and text as long as those of the picture */
#define KEPT 3           /* times as many are there: an older playlist names them */
#define CAPTIONS 32      /* that wait to be written, of a language */
#define BANDWIDTH 120000 /* bit/s of a language, at most */
#define PICTURE_BANDWIDTH 6000000 /* of a picture: what encoders of streams send */

struct segment {
	int64_t begin, end; /* media time */
	int64_t number;
	int64_t head;          /* number of its head's file */
	int64_t discontinuity; /* hls_folder.discontinuities at its begin */
	bool gone, mute; /* its file, that of its captions, could not be written */
};

struct rendition {
	const char *code; /* of a language, or "picture" */
	AVFormatContext *fmt;
	struct segment now;               /* begin < 0: none yet */
	size_t bytes;                     /* of now */
	struct segment made[LISTED_MOST]; /* those that are listed */
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
	/* Of all segments so far: all renditions have one target duration, which stays.
	 */
	int64_t longest;
	/* What its pictures are decoded with, and their size; 0 bytes: there are none.
	 */
	unsigned char *picture_head;
	size_t n_picture_head;
	int width, height;
	/* The last picture that needs no other: it is shown on while none comes. */
	unsigned char *still;
	size_t n_still;
	int64_t picture_dts; /* of the last one */
	bool need_key;       /* what refers to others has lost them */
	/* Counted on from the number of the first segment, so that it grows from one
	   child to the next: one for each head that followed another. */
	int64_t discontinuities;
	bool wants_picture; /* one comes, as the order says */
	int64_t begins;     /* media time */
	bool complete;      /* index.m3u8 is there */
	const char *why;    /* until all files of a segment were written again */
	bool failed;        /* one of this segment was not */
	int64_t bytes;
};

/* ---- hls_write.c ---- */

/* Write a file whole, or not at all; into the bucket, too. */
bool hls_write(struct hls_folder *, const char *name, const void *, size_t n);
/* With the coder's parameters, which number its head's file. */
bool hls_rendition_open(struct hls_folder *, struct rendition *, const char *code,
    const AVCodecParameters *, int64_t number);
/* Into the segment; the packet, in media time, is freed. */
void hls_rendition_put(struct rendition *, AVPacket *);
/* The segment ends, and is in the folder, and the last of made. */
void hls_rendition_cut(struct hls_folder *, struct rendition *, int64_t end);
/* Of a segment that begins then. */
int64_t hls_number(const struct hls_folder *, int64_t begin);

/* kind: of the rendition, audio, video or text. */
void hls_playlist_write(
    struct hls_folder *, const struct rendition *, const char *kind);
/* The multivariant playlists; h->complete tells whether they are there. */
void hls_playlist_indexes(struct hls_folder *);

/* ---- hls_picture.c ---- */

void hls_picture_put(void *sink, const struct picture *, int64_t pts, int64_t dts);
/* Media time is now: the last picture is shown on where none has come for a segment. */
void hls_picture_step(struct hls_folder *, int64_t now);
/* Whether players that begin now would miss a picture that is about to come. */
bool hls_picture_awaited(const struct hls_folder *, int64_t now);

#endif
