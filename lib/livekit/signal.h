/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LIVEKIT_SIGNAL_H
#define LIVEKIT_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/field.h"

/*
 * LiveKit's signalling, protocol 15: SignalRequest from clients and SignalResponse to
 * clients, each one protobuf message.
 */

enum signal_kind {
	SIGNAL_OTHER, /* nothing to do */
	SIGNAL_OFFER,
	SIGNAL_ANSWER,
	SIGNAL_ADD_TRACK,
	SIGNAL_MUTE,
	SIGNAL_SUBSCRIPTION,
	SIGNAL_TRACK_SETTING,
	SIGNAL_LEAVE,
	SIGNAL_PING, /* deprecated form: unix ms */
	SIGNAL_PING_REQ,
	SIGNAL_UPDATE_METADATA,
};

enum signal_track_type { SIGNAL_AUDIO, SIGNAL_VIDEO };
enum signal_source { SIGNAL_SOURCE_UNKNOWN = 0, SIGNAL_SOURCE_MICROPHONE = 2 };

#define SIGNAL_SIDS 64      /* track sids of a message; further ones are ignored */
#define SIGNAL_SID_BYTES 64 /* longest sid; longer ones are cut */

/*
 * Strings live in the arena, end with NUL and are never NULL; an absent one is "", an
 * absent number 0.
 */
struct signal_request {
	enum signal_kind kind;
	struct signal_description {
		const char *sdp; /* a description of n bytes */
		size_t n;
		uint32_t id;
	} description; /* OFFER, ANSWER */
	struct signal_add_track {
		const char *cid, *name; /* cut at 128 and 256 bytes */
		int64_t type, source;
		bool muted;
		int64_t encryption;
		const char *bytes; /* the request as it came, n bytes */
		size_t n;
	} add_track;
	/* const char *, SIGNAL_SIDS at most: MUTE (one), SUBSCRIPTION, TRACK_SETTING */
	struct list sids;
	bool on;             /* value of: muted; subscribe; disabled */
	int64_t time_ms;     /* PING, PING_REQ */
	uint32_t request_id; /* UPDATE_METADATA */
};

#define SIGNAL_BYTES (256 << 10) /* largest message read */

/* False: truncated, or with field groups.  An unknown message is SIGNAL_OTHER. */
bool signal_read(
    struct arena *, const void *, size_t n, struct signal_request *) MUST_CHECK;

/* TrackInfo; always audio/opus. */
struct signal_track {
	const char *sid, *name;
	bool muted;
	enum signal_source source;
};

/* ParticipantInfo. */
struct signal_participant {
	const char *sid, *identity, *name, *metadata; /* NULL: absent */
	const char *attributes; /* JSON object of strings; NULL: none */
	bool active;            /* else joined */
	const struct signal_track *tracks;
	size_t n_tracks;
	int64_t joined_ms; /* unix */
	uint32_t version;  /* version, larger with each change */
	bool can_subscribe, can_publish, can_publish_data, hidden;
	bool is_publisher;
};

struct signal_ice_server {
	const char *url, *username, *credential; /* the last two may be NULL */
};

struct signal_join {
	const char *room_sid, *room_name;
	int64_t created_s; /* unix */
	const struct signal_participant *self, *translator;
	const struct signal_ice_server *ice_servers;
	size_t n_ice_servers;
	bool subscriber_primary;
};

enum signal_leave_reason {
	SIGNAL_CLIENT_INITIATED = 1,
	SIGNAL_DUPLICATE_IDENTITY,
	SIGNAL_SERVER_SHUTDOWN,
	SIGNAL_PARTICIPANT_REMOVED,
	SIGNAL_ROOM_DELETED,
	SIGNAL_STATE_MISMATCH,
	SIGNAL_JOIN_FAILURE,
};
enum signal_leave_action { SIGNAL_DISCONNECT, SIGNAL_RESUME, SIGNAL_RECONNECT };
enum signal_refusal { SIGNAL_NOT_ALLOWED = 2, SIGNAL_UNSUPPORTED_TYPE = 5 };

/* Each of these functions writes one SignalResponse. */
void signal_write_join(struct buf *, const struct signal_join *);
void signal_write_reconnect(struct buf *, const struct signal_ice_server *, size_t n);
/* type: "offer" or "answer". */
void signal_write_description(
    struct buf *, const char *type, const char *sdp, size_t n, uint32_t id);
void signal_write_update(struct buf *, const struct signal_participant *);
void signal_write_track_published(
    struct buf *, const char *cid, const struct signal_track *);
void signal_write_leave(
    struct buf *, enum signal_leave_reason, enum signal_leave_action);
void signal_write_pong(struct buf *, int64_t now_ms);
void signal_write_pong_resp(struct buf *, int64_t pinged_ms, int64_t now_ms);
/* add_track: the refused request, or NULL: request_id names it. */
void signal_write_refusal(struct buf *, uint32_t request_id, enum signal_refusal,
    const char *message, const struct signal_add_track *add_track);

/* Nouns: sid. */

#define SID_BYTES 16

/* A random id as LiveKit spells it: the prefix, "PA_", and 12 letters and digits. */
void sid_new(char to[SID_BYTES], const char *prefix);

#endif
