/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEDIA_MEDIA_H
#define MEDIA_MEDIA_H

#include <stdbool.h>
#include <stddef.h>

#include "audio/pcm.h"
#include "base/arena.h"
#include "base/err.h"

/*
 * Checks and decodes untrusted files, and encodes sound.  The codecs run in a child
 * process for each call (workers/dragoman-media.c), sandboxed and with a time limit, so
 * a hostile file costs at most one failed call.  The caller does not need libav.
 *
 * All calls return ERR_TIMEOUT if the child exceeded its time, ERR_FAILED if it could
 * not be run, crashed or sent an invalid answer (both are logged), and ERR_NOT_FOUND if
 * there is no such file.  A fault of the file itself is not an error but the verdict.
 * Results are set only with OK.
 */
struct media_at {
	const char *program; /* path of dragoman-media */
	int timeout_ms;      /* time limit of the whole call */
};

enum media_verdict {
	MEDIA_FINE,
	MEDIA_MISMATCH, /* the file has another format than its MIME type */
	/* the file has that format, but is broken or has an unknown codec */
	MEDIA_UNDECODABLE,
	MEDIA_NO_AUDIO, /* a picture, or a video without sound */
};

/* Texts are ASCII and live in the arena. */
struct media_info {
	enum media_verdict verdict;
	const char *format; /* "wav" "mp3" "aac" "webm" "mp4" "mpeg" "flac" "ogg" "png"
			       "jpeg" "webp"; of a MISMATCH the real one, for people:
			       also "PDF", "a script" ...; NULL: unknown */
	const char *codec;  /* "pcm_s16le", "opus", "h264" ...; of the sound if there
			       is any, else of the picture; NULL: unknown */
	/* duration of the decoded sound; after a check, the duration that the file
	   claims; NaN: none */
	double duration_s;
	bool has_audio;
};

/*
 * Check that the content has the format of the MIME type: the structure of the
 * container, and one frame (pictures are decoded whole).  The verdict is FINE or
 * MISMATCH.  Types known: wav x-wav mpeg mp3 aac webm x-m4a flac ogg of audio/, webm
 * mp4 mpeg of video/, png jpeg webp of image/; any other is a MISMATCH.
 */
enum err media_check(const struct media_at *, struct arena *, const char *file,
    const char *mime_type, struct media_info *) MUST_CHECK;

struct media_want {
	const char *mime_type; /* type as declared; NULL: any known type */
	int rate_hz;           /* 8000 to 48000 */
	int max_s;             /* ignore later sound; 0: MEDIA_MAX_S */
	int track;    /* number of the sound track, from 0; beyond the last: NO_AUDIO */
	bool denoise; /* remove steady noise */
	bool normalise; /* to -18 LUFS, true peak at most -2 dBTP (EBU R128);
			   not below 0.4 s, and not silence */
};

#define MEDIA_MAX_S 600 /* longest sound decoded */

/*
 * The sound of a file, mixed down to mono.  With verdict FINE the samples,
 * n >= 1 and each within -1 to 1, live in the arena; otherwise n is 0.
 * MISMATCH occurs only if mime_type is given.
 */
enum err media_decode(const struct media_at *, struct arena *, const char *file,
    const struct media_want *, struct pcm *, struct media_info *) MUST_CHECK;

/* An encoded sound.  Everything lives in the arena or is static. */
struct media_file {
	const char *bytes;
	size_t n;
	const char *format;    /* "mp3", "ogg", "wav" */
	const char *codec;     /* "mp3", "opus", "pcm_s16le" */
	const char *mime_type; /* "audio/mpeg", "audio/ogg", "audio/wav" */
	double duration_s;
};

/*
 * Encode 1 sample to 600 s of sound at 8000 to 48000 Hz.  The file has the codec's
 * lowest rate that is not below the sound's.  ERR_UNSUPPORTED: no such format, or no
 * sound.
 */
enum err media_encode(const struct media_at *, struct arena *, const struct pcm *,
    const char *format, struct media_file *) MUST_CHECK;

#endif
