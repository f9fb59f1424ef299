#ifndef MEDIA_MEDIA_H
#define MEDIA_MEDIA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "media/pcm.h"

/*
 * Files that strangers sent, and sound for others to hear.  The codecs run in
 * a child of their own for each call (workers/dragoman-media.c), walled in and
 * timed, so a hostile file costs at most a call that fails.  Nothing here needs
 * libav in the caller.
 *
 * All calls answer ERR_TIMEOUT when the child was killed for its time, ERR_FAILED
 * when it could not be run, crashed or talked nonsense (both were logged), and
 * ERR_NOT_FOUND when the file is not there.  What is wrong with the file itself
 * is no error but the verdict.  Results are set only when the answer is OK.
 */
struct media_at {
	const char *program; /* path of dragoman-media */
	int timeout_ms;      /* for the whole call */
};

enum media_verdict {
	MEDIA_FINE,
	MEDIA_MISMATCH,    /* not what its MIME type says */
	MEDIA_UNDECODABLE, /* that format, but broken or in an unknown codec */
	MEDIA_NO_AUDIO,    /* a picture, or a film without sound */
};

/* Texts are ASCII and live in the arena. */
struct media_info {
	enum media_verdict verdict;
	const char *format; /* "wav" "mp3" "aac" "webm" "mp4" "mpeg" "flac" "ogg"
			       "png" "jpeg" "webp"; NULL: none of them */
	const char *codec;  /* "pcm_s16le", "opus", "h264" ...; the sound's if there
			       is any, else the picture's; NULL: unknown */
	double duration_s;  /* of what was decoded; after a check what the file
			       claims, NaN: nothing */
	bool has_audio;
};

/*
 * Whether the content is what the MIME type says, judged by the bytes alone:
 * the structure of the container, and one frame that really decodes (pictures
 * are decoded whole).  The verdict is FINE or MISMATCH.  Types known: wav
 * x-wav mpeg mp3 aac webm x-m4a flac ogg of audio/, webm mp4 mpeg of video/,
 * png jpeg webp of image/; any other is a MISMATCH.
 */
enum err media_check(const struct media_at *, struct arena *, const char *file,
    const char *mime_type, struct media_info *) MUST_CHECK;

struct media_want {
	const char *mime_type; /* as declared; NULL: any that is known */
	int rate_hz;           /* 8000 to 48000 */
	int max_s;             /* leave out what comes later; 0: 600 */
	bool denoise;          /* take steady noise away */
	bool normalise;        /* to -18 LUFS, true peak at most -2 dBTP (EBU R128);
				  below 0.4 s or silent it stays as it is */
};

#define MEDIA_MAX_S 600 /* the longest that is decoded */

/*
 * The sound of a file, mixed down to mono.  With verdict FINE the samples,
 * n >= 1 and each within -1 to 1, live in the arena; otherwise n is 0.
 * MISMATCH is only answered when mime_type is given.
 */
enum err media_decode(const struct media_at *, struct arena *, const char *file,
    const struct media_want *, struct pcm *, struct media_info *) MUST_CHECK;

/* An encoded sound; all of it lives in the arena or for ever. */
struct media_file {
	const char *bytes;
	size_t n;
	const char *format;    /* "mp3", "ogg", "wav" */
	const char *codec;     /* "mp3", "opus", "pcm_s16le" */
	const char *mime_type; /* "audio/mpeg", "audio/ogg", "audio/wav" */
	double duration_s;
};

/*
 * Encode 1 sample to 600 s of sound at 8000 to 48000 Hz.  The rate in the file
 * is the nearest the codec has that loses nothing.  ERR_UNSUPPORTED: no such
 * format, or no sound.
 */
enum err media_encode(const struct media_at *, struct arena *, const struct pcm *,
    const char *format, struct media_file *) MUST_CHECK;

#endif
