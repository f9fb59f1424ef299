#ifndef BROADCAST_BROADCAST_H
#define BROADCAST_BROADCAST_H

#include "base/conf.h"

/* A channel as the backend has it. */
struct broadcast {
	const char *name;       /* "<channel_id>-<attempt>" */
	const char *input;      /* webrtc_push, rtmp_push, srt_push, hls_pull */
	const char *input_url;  /* of hls_pull, else NULL */
	const char *stream_key; /* of rtmp_push and srt_push, else NULL */
	const char *source_language;
	const char *target_languages; /* JSON array of texts */
	const char *region;
	bool ignore_video;
	double original_delay_s, original_volume;
	const char *audio_settings; /* JSON object, or NULL */
	const char *outputs;        /* JSON array of {protocol, ...} */
	const char *pipeline;       /* JSON object, or NULL */
};

/*
 * A backend.  Each call ends within backend.timeout_ms or little more and
 * answers OK, ERR_REFUSED (for good), ERR_TIMEOUT (unreachable, silent or
 * failing on its side: worth another try) or ERR_UNSUPPORTED (it lacks a
 * protocol), and may be repeated: "exists already" and "no such" are OK.
 */
struct broadcast_driver {
	const char *name;                           /* as broadcast.driver says it */
	const char *const *inputs, *const *outputs; /* protocols, NULL-terminated */
	enum err (*create)(
	    const struct conf *, struct arena *, const struct broadcast *) MUST_CHECK;
	/* Languages and all else but name and input. */
	enum err (*change)(
	    const struct conf *, struct arena *, const struct broadcast *) MUST_CHECK;
	enum err (*destroy)(
	    const struct conf *, struct arena *, const char *name) MUST_CHECK;
};

extern const struct broadcast_driver broadcast_gateway;

/* The one that the settings name; NULL: there is none of that name, it was logged. */
const struct broadcast_driver *broadcast_driver(const struct conf *);
/* The same for a program's start, before it reads its settings; false: refused. */
bool broadcast_known(void);
bool broadcast_takes(const struct broadcast_driver *, const char *input);
bool broadcast_gives(const struct broadcast_driver *, const char *output);

#endif
