/* The formats of streams. */
#include "media/stream_decoder_internal.h"

#include <libavutil/log.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "media/stream_decoder_wire.h"

#define EBML "\x1a\x45\xdf\xa3"
#define OGG "OggS"
#define FRAMES_MUTE (16 * 1024) /* two frames of AAC, a dozen of MP3 */
#define FLAC_MUTE (256 * 1024)
#define FILE_MUTE (1024 * 1024) /* there may be a picture beside the sound */

static bool
begins_webm(const struct live_decoder *l)
{
	return stream_decoder_begins(l, EBML, 4);
}

/* A page that begins a stream (RFC 3533). */
static bool
begins_ogg(const struct live_decoder *l)
{
	return stream_decoder_begins(l, OGG, 4) && l->n > 5 && (l->p[5] & 2) != 0;
}

bool
stream_decoder_run(const char *format)
{
	static struct live_decoder l;

	av_log_set_level(AV_LOG_QUIET);
	l.mixer = (struct mixer){ .to_hz = LIVE_HZ, .to = AV_SAMPLE_FMT_S16 };
	if ((l.frame = av_frame_alloc()) == NULL)
		_exit(EXIT_FAILURE);
	l.mute_most = FILE_MUTE;
	if (strcmp(format, "webm") == 0)
		stream_decoder_file(&l, "matroska,webm", EBML, begins_webm);
	if (strcmp(format, "ogg") == 0)
		stream_decoder_file(&l, "ogg", OGG, begins_ogg);
	l.mute_most = FLAC_MUTE;
	if (strcmp(format, "flac") == 0)
		stream_decoder_flac(&l);
	l.mute_most = FRAMES_MUTE;
	if (strcmp(format, "mp3") == 0)
		stream_decoder_frames(&l, AV_CODEC_ID_MP3);
	if (strcmp(format, "aac") == 0)
		stream_decoder_frames(&l, AV_CODEC_ID_AAC);
	return false;
}
