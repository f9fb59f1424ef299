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
 *	hls_folder.c     the folder: sound
 *	hls_captions.c   captions
 *	hls_picture.c    the picture
 *	hls_write.c      files of segments and of their parts
 *	hls_list.c       the playlists
 *
 * Low latency (draft-pantos-hls-rfc8216bis): segments of sound and of the picture are
 * also written in parts, and captions have short segments. The gateway holds requests
 * for what does not exist yet (server/hls_routes.h).
 */
#define SEGMENT_S 4
#define SEGMENT (SEGMENT_S * EGRESS_HZ)
#define SHORT_SEGMENT                                                                  \
	EGRESS_HZ /* captions; in a bucket without a picture also sound                \
		   */
#define PART (EGRESS_HZ / 2)
/* Longest part, in seconds: PART and less than a packet of AAC more. Each part but a
   segment's last has at least 85 % of it, as the draft requires. */
#define PART_TARGET_S 0.52
#define LISTED 6 /* segments of a picture's playlist */
/* Seconds listed of sound and text, or as much as of the picture. Players with low
   latency need not read again what is older than SKIP_TARGETS. */
#define LISTED_S (LISTED * SEGMENT_S)
#define LISTED_LOW_S 36
#define LISTED_MOST 160
#define KEPT 3           /* times as many files are kept: older playlists name them */
#define SKIP_TARGETS 6   /* target durations that partial playlists still have */
#define PARTS_LISTED 3   /* target durations whose parts are listed */
#define PARTS_MOST 96    /* parts of a rendition that are listed */
#define CAPTIONS 32      /* queued per language */
#define BANDWIDTH 120000 /* bit/s of a language, at most */
#define PICTURE_BANDWIDTH 6000000 /* bandwidth of a picture: typical of encoders */

struct segment {
	int64_t begin, end; /* media time */
	int64_t number;
	int64_t head;          /* number of its head's file */
	int64_t discontinuity; /* hls_folder.discontinuities when it began */
	bool gone;             /* its file could not be written */
};

/* The segments of a playlist. */
struct segments {
	int64_t length;     /* media time; 0: a picture has segments of any length */
	struct segment now; /* begin < 0: none yet */
	struct segment made[LISTED_MOST];
	int n_made;
};

struct part {
	int64_t segment, begin, end; /* number of its segment; media time */
	int number;                  /* in its segment, from 0 on */
	bool dependent; /* without a keyframe: it needs the parts before it */
	bool gone;      /* its file could not be written */
};

struct rendition {
	const char *code; /* language code, or "picture" */
	AVFormatContext *fmt;
	size_t bytes;       /* current size of the segment */
	AVIOContext *whole; /* fragments of the segment so far */
	struct segments media, text;
	/* Parts of the segment being made and of those before it, oldest first; none
	   without low latency. part: the one being made. */
	struct part part, parts[PARTS_MOST];
	int n_parts;
	struct egress_caption captions[CAPTIONS];
	struct arena *caption_mem[CAPTIONS];
	int n_captions;
};

struct hls_folder {
	int fd;
	struct hls_bucket *bucket; /* NULL: none */
	int64_t epoch_us;
	bool low_latency;
	int64_t later; /* segments of sound have numbers greater by this; see
			  hls_folder.c */
	struct rendition *all;
	size_t n;
	struct rendition picture;
	/* Length of the longest segment so far, or expected: all renditions share one
	   target duration, which never shrinks. */
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
/* End the part: write it to the folder and append it to parts. */
void hls_part_cut(struct hls_folder *, struct rendition *, int64_t end);
/* End the segment, and its last part: write it to the folder and append it to made. */
void hls_rendition_cut(struct hls_folder *, struct rendition *, int64_t end);
/* Write the name of a part's file, which no other part ever has, and return it. */
const char *hls_part_name(const struct rendition *, const struct part *, char to[64]);
/* Append the current segment to a playlist, of r or of its text. */
void hls_segment_add(struct hls_folder *, const struct rendition *r, struct segments *);
/* The target duration of all playlists, in seconds. */
int hls_target_duration(const struct hls_folder *);
/* Segments of this length in a playlist of sound or text, at least. */
int hls_listed(const struct hls_folder *, int64_t length);
/* Number of the segment of this length that begins at this media time. */
int64_t hls_number(const struct hls_folder *, int64_t length, int64_t begin);

/* ---- hls_list.c ---- */

/* Write a playlist of a rendition; kind: audio, video or text. */
void hls_playlist_write(
    struct hls_folder *, const struct rendition *, const char *kind);
/* Write the multivariant playlists, once all renditions have their first segment; sets
   h->complete on success. */
void hls_playlist_indexes(struct hls_folder *);

/* ---- hls_captions.c ---- */

void hls_caption_put(void *sink, size_t language, const struct egress_caption *);
/* End the segment of captions, and begin the next one. */
void hls_captions_cut(struct hls_folder *, struct rendition *, int64_t end);
/* Begin a segment of captions. */
void hls_captions_begin(struct hls_folder *, struct rendition *, int64_t begin);

/* ---- hls_picture.c ---- */

void hls_picture_put(void *sink, const struct picture *, int64_t pts, int64_t dts);
/* Repeat the last picture when none has come for a segment. */
void hls_picture_step(struct hls_folder *, int64_t now);
/* True while a picture is expected, so players should not start yet. */
bool hls_picture_awaited(const struct hls_folder *, int64_t now);

#endif
