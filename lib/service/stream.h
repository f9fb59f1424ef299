#ifndef SERVICE_STREAM_H
#define SERVICE_STREAM_H

#include "base/conf.h"

/*
 * Where a session or channel is spoken and listened to over WebSocket,
 * "wss://host/prefix/streaming-api/5f8be0c2/v1/speech-to-speech/stream";
 * clients append ?token=.
 */
const char *stream_ws_url(const struct conf *, struct arena *, const char *id);

#endif
