#include "service/stream.h"

#include <string.h>

const char *
stream_ws_url(const struct conf *c, struct arena *mem, const char *id)
{
	const char *at = strstr(c->stream_public_url, "://");

	return arena_printf(mem, "%s%s/streaming-api/%.8s/v1/speech-to-speech/stream",
	    strncmp(c->stream_public_url, "https:", 6) == 0 ? "wss" : "ws",
	    at != NULL ? at : c->stream_public_url, id);
}
