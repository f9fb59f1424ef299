/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BROADCAST_BROADCAST_H
#define BROADCAST_BROADCAST_H

#include "base/conf.h"
#include "base/field.h"
#include "base/json_writer.h"

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

/* One that the backend has. */
struct broadcast_seen {
	const char *name;
	bool whole;            /* nothing of it is missing but, perhaps, languages */
	struct list languages; /* target languages, of const char *, in any order */
};

/*
 * The sound of one, between the backend and a UDP port of this program: RTP with
 * Opus (RFC 7587), payload type 111 both ways.
 */
struct broadcast_sound {
	const char *name;
	bool ours; /* it is made, completed and kept in these languages by this call */
	struct list languages; /* const char *: of its targets */
	/* Where its participants are to be heard, and the source that they come as. */
	const char *host;
	int port;
	uint32_t ssrc; /* not 0 */
	/* Once attached: where each language is spoken to; port 0: it is not there. */
	const char *to_host;
	int *to_ports; /* in the order of the languages */
};

/*
 * A backend.  Each call ends within backend.timeout_ms or little more and
 * answers OK, ERR_REFUSED (for good), ERR_TIMEOUT (unreachable, silent or
 * failing on its side: worth another try) or ERR_UNSUPPORTED (it lacks a
 * protocol), and may be repeated: "exists already" and "no such" are OK.  What
 * is not OK was logged, with the backend's own words.
 */
struct broadcast_driver {
	const char *name;                           /* as broadcast.driver says it */
	const char *const *inputs, *const *outputs; /* protocols, NULL-terminated */
	/* What the settings lack for it, as a sentence; NULL: nothing. */
	const char *(*lacks)(const struct conf *);
	/* Can participants connect there by WebRTC?  Else by our sockets alone. */
	bool (*webrtc)(const struct conf *);
	/* Where participants of sessions and channels connect. */
	const char *(*webrtc_url)(const struct conf *, struct arena *);
	/* Members that a publisher needs besides address and token, null those that
	   are secret unless `secrets`; or NULL. */
	void (*admit)(const struct conf *, struct arena *, const char *name,
	    bool secrets, struct json_writer *);
	/*
	 * A half-made one is completed.  Whatever was made bears a mark of this
	 * installation, so that list() never shows another's.
	 */
	enum err (*create)(
	    const struct conf *, struct arena *, const struct broadcast *) MUST_CHECK;
	/*
	 * Languages and all else but name and input.  ERR_NOT_FOUND: the backend
	 * has lost it; nothing was made.
	 */
	enum err (*change)(
	    const struct conf *, struct arena *, const struct broadcast *) MUST_CHECK;
	enum err (*destroy)(
	    const struct conf *, struct arena *, const char *name) MUST_CHECK;
	/*
	 * All broadcasts of this installation, struct broadcast_seen, half-made
	 * and half-removed ones as well, sorted by name (strcmp).  NULL: this
	 * backend neither loses one nor keeps one.
	 */
	enum err (*list)(const struct conf *, struct arena *, struct list *) MUST_CHECK;
	/*
	 * Its participants are heard here, and no longer where they were before.
	 * ERR_NOT_FOUND: the backend has lost it, and it is not for us to make it.
	 * NULL: sound goes another way.
	 */
	enum err (*attach)(
	    const struct conf *, struct arena *, struct broadcast_sound *) MUST_CHECK;
	/*
	 * Members that tell a client which server it is, where the targets (const
	 * char *) are heard, and who speaks, too, where to speak; with attach.
	 */
	void (*invite)(const struct conf *, struct arena *, const char *name,
	    const struct list *languages, bool speaks, struct json_writer *);
};

extern const struct broadcast_driver broadcast_gateway, broadcast_janus;

/* The one that the settings name; NULL: there is none of that name, it was logged. */
const struct broadcast_driver *broadcast_driver(const struct conf *);
/*
 * The same for a program's start, before it reads its settings, and whether the
 * driver has all it needs; false: refused, it was logged.
 */
bool broadcast_known(void);
bool broadcast_takes(const struct broadcast_driver *, const char *input);
bool broadcast_gives(const struct broadcast_driver *, const char *output);

#endif
