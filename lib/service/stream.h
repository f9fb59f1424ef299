#ifndef SERVICE_STREAM_H
#define SERVICE_STREAM_H

#include "base/conf.h"

/*
 * Where the real-time interfaces are, without a query: clients append ?token=.
 * ws:// or wss://, after stream.public_url.
 */
const char *stream_url(const struct conf *, struct arena *, const char *path);
/* Speech to speech, of a session or channel; the path names the id's first part. */
const char *stream_ws_url(const struct conf *, struct arena *, const char *id);
const char *stream_stt_url(const struct conf *, struct arena *);
const char *stream_tts_url(const struct conf *, struct arena *);
/* Where participants connect by WebRTC: what the broadcasting backend says. */
const char *stream_webrtc_url(const struct conf *, struct arena *);

#endif
