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

#define CLIENT_SENDS 16 /* most commands on the command line */

struct client_options {
	const char *url, *token;
	const char *wav; /* the speech to send; NULL: silence */
	/* "ADDRESS:PORT" of a server whose descriptions have none; or NULL */
	const char *candidate;
	const char *out;  /* begin of the WAV files' names; NULL: none are written */
	const char *task; /* "en:es,fr"; NULL: no task is set */
	/* commands to send once the data channel is open */
	const char *sends[CLIENT_SENDS];
	int n_sends;
	bool lossy;            /* send commands by `_lossy` */
	bool tcp;              /* ICE-TCP only */
	bool passive;          /* be the DTLS server of the subscriber's connection */
	bool listen_only;      /* no microphone */
	bool http;             /* WHIP or, with listen_only, WHEP */
	bool input;            /* read further commands from stdin; "leave" ends */
	int loss_in, loss_out; /* percent of datagrams to lose */
	bool until;            /* leave earlier, after this number of */
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
	unsigned described; /* descriptions exchanged */
	int64_t connected_us, channel_us;
};

struct client {
	struct arena *mem;
	const struct client_options *o;
	struct rtc *rtc;
	struct client_side sides[ROLES];

	/* Signalling. */
	struct ws *ws;                 /* NULL: cut */
	bool joined, connected, ended; /* ended: no further messages are expected */
	/* reason that the server gave for the end; NULL: it did not end the session */
	const char *left;
	char sid[64], identity[260];
	bool publishes;  /* the server allows publishing */
	bool published;  /* the server has announced the track */
	unsigned offers; /* of the publisher */
	int64_t cut_us, resume_us, resumed_us, ping_us;
	unsigned pings, pongs, offers_seen, updates;

	const char *resource; /* address of the resource of WHIP or WHEP */

	/* Commands. */
	/* the commands of the command line were sent; the task runs */
	bool commanded, tasked;
	int64_t asked_us;  /* time of the last get_task */
	bool answered;     /* number of answers "not yet" */
	unsigned messages; /* that came */
	unsigned answers;  /* received messages, tasks and errors included */
	unsigned texts;    /* of which translated_transcription */
	struct buf line;   /* incomplete line of stdin */
	bool input_over;

	struct microphone *microphone;
	struct hearing hearing;
	int64_t begun_us, joined_us, tasked_us;
};

/* ---- whip.c ---- */

/* False: refused; the answer is on stderr. */
bool whip_begin(struct client *) MUST_CHECK;
/* Restarts ICE. */
void whip_restart(struct client *);
void whip_leave(struct client *);

/* ---- signalling.c ---- */

/* Opens a peer connection unless it is open. */
struct client_side *client_open_side(struct client *, enum client_role);

/* False: refused; the answer is on stderr. */
bool signalling_open(struct client *, bool resume) MUST_CHECK;
void signalling_receive(struct client *);
/* Sends pings, cuts signalling when it is due, and resumes. */
void signalling_tick(struct client *, int64_t now_us);
void signalling_leave(struct client *);

/* ---- descriptions.c ---- */

/* The publisher's offer, or the answer to the server's offer. */
void description_write_offer(struct client_side *, struct buf *);
/* The offer of a player by WHEP. */
void description_write_player(struct client_side *, struct buf *);
void description_write_answer(struct client_side *, const struct sdp *, struct buf *);
/* Connects to the server by its description. False: the description is unusable. */
bool description_take(struct client_side *, const char *text, size_t n) MUST_CHECK;
/* Connects again, by the fragment that an ICE restart was answered with. */
bool description_take_fragment(struct client_side *, const char *text) MUST_CHECK;

/* ---- commands.c ---- */

/* The first call sends the commands of the command line. */
void commands_tick(struct client *, int64_t now_us);
void commands_read_input(struct client *);
/* Receives a message of a data channel. */
void commands_take(struct client *, const void *, size_t n);

#endif
