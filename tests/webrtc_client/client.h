/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEBRTC_CLIENT_CLIENT_H
#define WEBRTC_CLIENT_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "hearing.h"
#include "microphone.h"
#include "relay.h"
#include "rtc/rtc.h"
#include "rtc/sdp.h"
#include "tests/ws.h"

#define CLIENT_SENDS 16 /* commands of the command line, at most */

struct client_options {
	const char *url, *token;
	const char *wav;  /* what is spoken; NULL: silence */
	const char *out;  /* what WAV files' names begin with; NULL: none */
	const char *task; /* "en:es,fr"; NULL: none is set */
	const char *sends[CLIENT_SENDS]; /* commands, once there is a channel */
	int n_sends;
	bool lossy;            /* commands by `_lossy` */
	bool tcp;              /* ICE-TCP only */
	bool passive;          /* DTLS server of the subscriber's connection */
	bool listen_only;      /* no microphone */
	bool input;            /* further commands are lines of stdin; "leave" */
	int loss_in, loss_out; /* percent of datagrams */
	bool until;            /* it leaves sooner, when so much came: */
	unsigned until_texts, until_packets; /* translated texts; packets of a track */
	double seconds;
	double cut_at;             /* seconds; 0: signalling is not cut */
	double dark_from, dark_to; /* seconds; equal: never */
	bool vanish;
};

/* One of its two peer connections. */
enum client_role { PUBLISHER, SUBSCRIBER, ROLES };

struct client_side {
	struct client *client;
	enum client_role role;
	struct rtc_peer *peer; /* NULL: none */
	struct ice_credentials ice;
	struct relay *relay; /* NULL: datagrams go directly */
	char remote_ufrag[257];
	unsigned described; /* descriptions written */
	int64_t connected_us, channel_us;
};

struct client {
	struct arena *mem;
	const struct client_options *o;
	struct rtc *rtc;
	struct client_side sides[ROLES];

	/* Signalling. */
	struct ws *ws;                 /* NULL: cut */
	bool joined, connected, ended; /* ended: no more is to be expected */
	const char *left;              /* why the server ended it; NULL: it did not */
	char sid[64], identity[260];
	bool publishes;  /* the server lets it */
	bool published;  /* it was told so */
	unsigned offers; /* of the publisher */
	int64_t cut_us, resume_us, resumed_us, ping_us;
	unsigned pings, pongs, offers_seen, updates;

	/* Commands. */
	bool commanded, tasked; /* those of the command line are sent; the task runs */
	int64_t asked_us;       /* the last get_task */
	bool answered;          /* by "not yet" */
	unsigned messages;      /* that came */
	unsigned answers;       /* tasks and errors among them */
	unsigned texts;         /* of them translated_transcription */
	struct buf line;        /* of stdin, not whole yet */
	bool input_over;

	struct microphone *microphone;
	struct hearing hearing;
	int64_t begun_us, joined_us, tasked_us;
};

/* ---- signalling.c ---- */

/* False: refused; the answer is in stderr. */
bool signalling_open(struct client *, bool resume) MUST_CHECK;
void signalling_receive(struct client *);
/* Pings, the cut and what comes of it. */
void signalling_tick(struct client *, int64_t now_us);
void signalling_leave(struct client *);

/* ---- descriptions.c ---- */

/* Our offer as a publisher; our answer to the server's offer. */
void description_write_offer(struct client_side *, struct buf *);
void description_write_answer(struct client_side *, const struct sdp *, struct buf *);
/* Connects to the server by its description. False: it cannot be used. */
bool description_take(struct client_side *, const char *text, size_t n) MUST_CHECK;

/* ---- commands.c ---- */

/* The first time sends those of the command line. */
void commands_tick(struct client *, int64_t now_us);
void commands_read_input(struct client *);
/* A message of a data channel. */
void commands_take(struct client *, const void *, size_t n);

#endif
