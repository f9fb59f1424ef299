#include "service/stream.h"

#include <string.h>

#include "broadcast/broadcast.h"

/* The gateway's address with the scheme of WebSockets, and a path. */
const char *
stream_url(const struct conf *c, struct arena *mem, const char *path)
{
	const char *at = strstr(c->stream_public_url, "://");

	return arena_printf(mem, "%s%s%s",
	    strncmp(c->stream_public_url, "https:", 6) == 0 ? "wss" : "ws",
	    at != NULL ? at : c->stream_public_url, path);
}

const char *
stream_ws_url(const struct conf *c, struct arena *mem, const char *id)
{
	return stream_url(c, mem,
	    arena_printf(mem, "/streaming-api/%.8s/v1/speech-to-speech/stream", id));
}

const char *
stream_stt_url(const struct conf *c, struct arena *mem)
{
	return stream_url(c, mem, "/asr/v1/speech-to-text/stream");
}

const char *
stream_tts_url(const struct conf *c, struct arena *mem)
{
	return stream_url(c, mem, "/tts-api/v1/text-to-speech/stream");
}

const char *
stream_webrtc_url(const struct conf *c, struct arena *mem)
{
	const struct broadcast_driver *d = broadcast_driver(c);

	return d != NULL ? d->webrtc_url(c, mem) : NULL;
}
