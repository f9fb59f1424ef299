/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BROADCAST_BROADCAST_H
#define BROADCAST_BROADCAST_H

#include "base/conf.h"
#include "base/field.h"
#include "base/json_writer.h"

/* A channel as the backend needs it. */
struct broadcast {
	const char *name;       /* "<channel_id>-<attempt>" */
	const char *input;      /* webrtc_push, rtmp_push, srt_push, hls_pull */
	const char *input_url;  /* input of hls_pull, else NULL */
	const char *stream_key; /* key of rtmp_push and srt_push, else NULL */
	const char *source_language;
	const char *target_languages; /* JSON array of texts */
	const char *region;
	bool ignore_video;
	double original_delay_s, original_volume;
	const char *audio_settings; /* JSON object, or NULL */
	const char *outputs;        /* JSON array of {protocol, ...} */
	const char *pipeline;       /* JSON object, or NULL */
};

/* A broadcast that the backend has. */
struct broadcast_seen {
	const char *name;
	bool whole;            /* complete, except perhaps for languages */
	struct list languages; /* target languages, of const char *, in any order */
};

/*
 * The sound of a broadcast, exchanged as RTP between the backend and a UDP port of this
 * program: Opus (RFC 7587), payload type 111 in both directions.
 */
struct broadcast_sound {
	const char *name;
	bool ours; /* true: create and complete the room, and set its languages */
	struct list languages; /* const char *: of its targets */
	/*
	 * The address and port that receive the sound of the participants, and its
	 * source.
	 */
	const char *host;
	int port;
	uint32_t ssrc; /* SSRC, not 0 */
	/* Results: the port of each language; port 0: it does not exist. */
	const char *to_host;
	int *to_ports; /* ports in the order of the languages */
};

/*
 * A backend. Each call ends within about backend.timeout_ms. It returns OK, ERR_REFUSED
 * (permanent), ERR_TIMEOUT (no connection, no answer, or a failure of the backend: try
 * again) or ERR_UNSUPPORTED (it lacks a protocol). Calls may be repeated: "exists
 * already" and "no such" are OK. Errors are logged with the backend's own text.
 */
struct broadcast_driver {
	const char *name;                           /* the value of broadcast.driver */
	const char *const *inputs, *const *outputs; /* protocols, NULL-terminated */
	/* The setting that the driver lacks, as a sentence; NULL: none. */
	const char *(*lacks)(const struct conf *);
	/*
	 * True if participants can connect to it by WebRTC; otherwise only by our
	 * sockets.
	 */
	bool (*webrtc)(const struct conf *);
	/* The address to which participants of sessions and channels connect. */
	const char *(*webrtc_url)(const struct conf *, struct arena *);
	/*
	 * Write members that a publisher needs besides address and token. Secret ones
	 * are null unless `secrets`. Or NULL.
	 */
	void (*admit)(const struct conf *, struct arena *, const char *name,
	    bool secrets, struct json_writer *);
	/*
	 * Create a broadcast, or complete one that is half made. Its objects bear a
	 * mark of this installation, so that list() never returns another
	 * installation's.
	 */
	enum err (*create)(
	    const struct conf *, struct arena *, const struct broadcast *) MUST_CHECK;
	/*
	 * Change the languages and all else except name and input. ERR_NOT_FOUND: the
	 * backend has lost the broadcast; nothing was created.
	 */
	enum err (*change)(
	    const struct conf *, struct arena *, const struct broadcast *) MUST_CHECK;
	enum err (*destroy)(
	    const struct conf *, struct arena *, const char *name) MUST_CHECK;
	/*
	 * List all broadcasts of this installation, struct broadcast_seen, sorted by
	 * name (strcmp), including those that are half created or half removed. NULL:
	 * this backend never loses a broadcast and removes each one completely.
	 */
	enum err (*list)(const struct conf *, struct arena *, struct list *) MUST_CHECK;
	/*
	 * Receive the sound of the participants here, and no longer where it went
	 * before. ERR_NOT_FOUND: the backend has lost the broadcast, and another
	 * process must create it. NULL: sound does not use this interface.
	 */
	enum err (*attach)(
	    const struct conf *, struct arena *, struct broadcast_sound *) MUST_CHECK;
	/*
	 * Write members for a client: the server, the addresses of the targets (const
	 * char *) and, for a speaker, the address to send to. Only with attach.
	 */
	void (*invite)(const struct conf *, struct arena *, const char *name,
	    const struct list *languages, bool speaks, struct json_writer *);
};

extern const struct broadcast_driver broadcast_gateway, broadcast_janus;

/* The driver that the settings name; NULL, and logged: there is none of that name. */
const struct broadcast_driver *broadcast_driver(const struct conf *);
/*
 * Check at a program's start, before it reads its settings, that the driver exists and
 * has all its settings. False, and logged: it does not.
 */
bool broadcast_known(void);
bool broadcast_has_input(const struct broadcast_driver *, const char *input);
bool broadcast_has_output(const struct broadcast_driver *, const char *output);

#endif
