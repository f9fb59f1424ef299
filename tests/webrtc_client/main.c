/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A client of LiveKit's protocol for tests.
 *
 *	webrtc-client [OPTION...] URL TOKEN
 *
 * URL is a session's webrtc_url.  Each received JSON message is a line of stdout, and
 * message_type "webrtc_connected" when the client is connected; the last line has the
 * measured values: message_type "webrtc_client".
 *
 *	--speak FILE.wav          what is spoken; then silence
 *	--listen-only             no microphone
 *	--whip                    by WHIP, with --listen-only by WHEP
 *	--task SOURCE:TARGET,...  sets a task; it speaks when the task runs
 *	--send JSON               a command, as soon as there is a channel; repeatable
 *	--input                   further commands are lines of stdin; "leave" ends it
 *	--lossy                   commands go by `_lossy`
 *	--out PREFIX              what is heard is in PREFIX{track}.wav
 *	--seconds N               then it leaves (10)
 *	--until TEXTS,PACKETS     or sooner: when so many texts were translated, so many
 *	                          packets of each track came, and all was answered
 *	--tcp                     ICE-TCP alone
 *	--candidate ADDRESS:PORT  of a server whose descriptions have none
 *	--passive                 answers the server's offers so, as pion does
 *	--loss-in, --loss-out PERCENT   of all datagrams
 *	--cut-signalling-at S     or when the task runs, if that is later; and resume
 *	                          (WHIP: restart ICE)
 *	--dark FROM:TO            seconds in which no datagram comes through
 *	--vanish                  at the end it says nothing, as if its host was gone
 *
 * It ends with 0 when it was connected, and the server did not end it.
 */
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "client.h"

#define TURN_MS 5

/* ---- callbacks ---- */

static void
note_state(void *owner, enum rtc_state state)
{
	struct client_side *s = owner;

	if (state == RTC_CONNECTED && s->connected_us == 0)
		s->connected_us = monotonic_us();
	if (state == RTC_FAILED)
		fprintf(stderr, "webrtc-client: %s: %s\n",
		    s->role == PUBLISHER ? "publisher" : "subscriber",
		    rtc_peer_failure(s->peer));
}

static void
note_packet(void *owner, const struct rtp_packet *r)
{
	struct client_side *s = owner;

	if (s->role == SUBSCRIBER)
		hearing_take(&s->client->hearing, r, monotonic_us());
}

static void
note_channel(void *owner, const char *label)
{
	struct client_side *s = owner;

	(void)label;
	if (s->channel_us == 0)
		s->channel_us = monotonic_us();
}

static void
note_message(void *owner, const char *label, const void *p, size_t n)
{
	struct client_side *s = owner;

	(void)label;
	commands_take(s->client, p, n);
}

static void
note_loss(void *owner, uint32_t ssrc, int percent)
{
	(void)owner, (void)ssrc, (void)percent;
}

/* ---- options ---- */

static _Noreturn void
usage(void)
{
	fprintf(stderr, "usage: webrtc-client [OPTION...] URL TOKEN; see main.c\n");
	exit(2);
}

static void
take_until(struct client_options *o)
{
	o->until = true;
	if (sscanf(optarg, "%u,%u", &o->until_texts, &o->until_packets) != 2)
		usage();
}

static void
take_option(struct client_options *o, int which)
{
	switch (which) {
	case 's':
		o->wav = optarg;
		break;
	case 't':
		o->task = optarg;
		break;
	case 'c':
		if (o->n_sends == CLIENT_SENDS)
			usage();
		o->sends[o->n_sends++] = optarg;
		break;
	case 'o':
		o->out = optarg;
		break;
	case 'n':
		o->seconds = atof(optarg);
		break;
	case 'e':
		take_until(o);
		break;
	case 'i':
		o->loss_in = atoi(optarg);
		break;
	case 'u':
		o->loss_out = atoi(optarg);
		break;
	case 'x':
		o->cut_at = atof(optarg);
		break;
	case 'a':
		o->candidate = optarg;
		break;
	case 'd':
		if (sscanf(optarg, "%lf:%lf", &o->dark_from, &o->dark_to) != 2)
			usage();
		break;
	case 0: /* a flag */
		break;
	default:
		usage();
	}
}

static void
read_options(struct client_options *o, int argc, char **argv)
{
	int tcp = 0, listen_only = 0, lossy = 0, input = 0, vanish = 0, passive = 0,
	    whip = 0, which;
	const struct option options[] = {
		{ "speak", required_argument, NULL, 's' },
		{ "task", required_argument, NULL, 't' },
		{ "send", required_argument, NULL, 'c' },
		{ "out", required_argument, NULL, 'o' },
		{ "seconds", required_argument, NULL, 'n' },
		{ "until", required_argument, NULL, 'e' },
		{ "loss-in", required_argument, NULL, 'i' },
		{ "loss-out", required_argument, NULL, 'u' },
		{ "cut-signalling-at", required_argument, NULL, 'x' },
		{ "dark", required_argument, NULL, 'd' },
		{ "candidate", required_argument, NULL, 'a' },
		{ "tcp", no_argument, &tcp, 1 },
		{ "listen-only", no_argument, &listen_only, 1 },
		{ "whip", no_argument, &whip, 1 },
		{ "lossy", no_argument, &lossy, 1 },
		{ "input", no_argument, &input, 1 },
		{ "passive", no_argument, &passive, 1 },
		{ "vanish", no_argument, &vanish, 1 },
		{ NULL, 0, NULL, 0 },
	};

	while ((which = getopt_long(argc, argv, "", options, NULL)) != -1)
		take_option(o, which);
	if (optind + 2 != argc)
		usage();
	o->url = argv[optind];
	o->token = argv[optind + 1];
	o->tcp = tcp;
	o->listen_only = listen_only;
	o->lossy = lossy;
	o->input = input;
	o->vanish = vanish;
	o->passive = passive;
	o->http = whip;
}

/* ---- turns ---- */

/* Wait until the data channel is open, so that no command of stdin is lost. */
static bool
reads_input(const struct client *c)
{
	return c->o->input && (c->commanded || c->o->listen_only) && !c->input_over;
}

/* Waits until there is something to do, at most TURN_MS. */
static void
wait_a_turn(const struct client *c)
{
	struct pollfd p[3 + 2 * ROLES] = { { rtc_fd(c->rtc), POLLIN, 0 } };
	nfds_t n = 1;

	if (c->ws != NULL)
		p[n++] = (struct pollfd){ ws_fd(c->ws), POLLIN, 0 };
	if (reads_input(c))
		p[n++] = (struct pollfd){ STDIN_FILENO, POLLIN, 0 };
	for (int i = 0; i < 2 * ROLES; i++)
		if (c->sides[i / 2].relay != NULL)
			p[n++] =
			    (struct pollfd){ relay_fd(c->sides[i / 2].relay, i % 2),
				    POLLIN, 0 };
	poll(p, n, TURN_MS);
}

static void
speak(struct client *c, int64_t now)
{
	struct rtc_peer *p = c->sides[PUBLISHER].peer;

	if (c->microphone != NULL && c->published && p != NULL &&
	    rtc_peer_state(p) == RTC_CONNECTED)
		microphone_tick(c->microphone, p, c->tasked || c->o->task == NULL, now);
}

static void
read_input(struct client *c)
{
	struct pollfd p = { STDIN_FILENO, POLLIN, 0 };

	if (reads_input(c) && poll(&p, 1, 0) > 0)
		commands_read_input(c);
}

static bool
is_dark(const struct client *c, int64_t now)
{
	double s = (double)(now - c->begun_us) / S_US;

	return s >= c->o->dark_from && s < c->o->dark_to;
}

static void
turn(struct client *c)
{
	int64_t now;

	wait_a_turn(c);
	signalling_receive(c);
	rtc_receive(c->rtc);
	now = monotonic_us();
	rtc_tick(c->rtc, now);
	if (!c->o->http) {
		signalling_tick(c, now);
		commands_tick(c, now);
	} else if (c->cut_us > 0 && now >= c->cut_us) {
		c->cut_us = 0;
		whip_restart(c);
	}
	read_input(c);
	speak(c, now);
	rtc_flush(c->rtc);
	for (int i = 0; i < ROLES; i++)
		if (c->sides[i].relay != NULL)
			relay_turn(c->sides[i].relay, is_dark(c, now));
}

/* ---- the report at the end ---- */

/* Milliseconds since the start; the member is absent when the event never happened. */
static void
tell_time(struct json_writer *w, const struct client *c, const char *key, int64_t us)
{
	if (us > 0)
		jw_int(w, key, (us - c->begun_us) / 1000);
}

static void
tell_tracks(struct json_writer *w, const struct client *c)
{
	jw_list(w, "tracks");
	for (int i = 0; i < c->hearing.n; i++) {
		const struct heard_track *t = &c->hearing.tracks[i];

		jw_open(w, NULL);
		jw_text(w, "sid", t->sid);
		jw_text(w, "name", t->name);
		jw_int(w, "packets", t->packets);
		jw_int(w, "lost", hearing_lost(t));
		tell_time(w, c, "first_ms", t->first_us);
		tell_time(w, c, "last_ms", t->last_us);
		jw_close(w);
	}
	jw_close(w);
}

static int64_t
first_audio(const struct client *c)
{
	int64_t first = 0;

	for (int i = 0; i < c->hearing.n; i++) {
		int64_t us = c->hearing.tracks[i].first_us;

		if (us > 0 && (first == 0 || us < first))
			first = us;
	}
	return first;
}

static int64_t
lost_on_purpose(const struct client *c)
{
	uint64_t lost = 0;

	for (int i = 0; i < ROLES; i++)
		if (c->sides[i].relay != NULL)
			lost += relay_lost(c->sides[i].relay);
	return (int64_t)lost;
}

static void
tell_times(struct json_writer *w, const struct client *c)
{
	const struct client_side *p = &c->sides[PUBLISHER], *s = &c->sides[SUBSCRIBER];

	tell_time(w, c, "joined_ms", c->joined_us);
	tell_time(w, c, "subscriber_ms", s->connected_us);
	tell_time(w, c, "publisher_ms", p->connected_us);
	tell_time(w, c, "channel_ms", p->channel_us);
	tell_time(w, c, "task_ms", c->tasked_us);
	tell_time(w, c, "resumed_ms", c->resumed_us);
	tell_time(w, c, "first_audio_ms", first_audio(c));
}

static void
tell(const struct client *c)
{
	struct buf b = { .mem = c->mem };
	struct json_writer w = { .out = &b };

	jw_open(&w, NULL);
	jw_text(&w, "message_type", "webrtc_client");
	jw_open(&w, "data");
	jw_text(&w, "sid", c->sid);
	jw_text(&w, "identity", c->identity);
	jw_text(&w, "left", c->left);
	tell_times(&w, c);
	jw_int(&w, "messages", c->messages);
	jw_int(&w, "offers", c->offers_seen);
	jw_int(&w, "updates", c->updates);
	jw_int(&w, "pings", c->pings);
	jw_int(&w, "pongs", c->pongs);
	jw_int(&w, "spoken_packets",
	    c->microphone != NULL ? microphone_packets(c->microphone) : 0);
	jw_int(&w, "lost_on_purpose", lost_on_purpose(c));
	jw_int(&w, "unknown_packets", c->hearing.unknown);
	tell_tracks(&w, c);
	jw_close(&w);
	jw_close(&w);
	puts(buf_text(&b));
}

/* ---- from the beginning to the end ---- */

static bool
open_client(struct client *c)
{
	const struct rtc_events events = { note_state, note_packet, note_channel,
		note_message, note_loss };
	const struct rtc_settings settings = {
		.at = { .listen = "127.0.0.1", .address = "" },
		.max_peers = ROLES,
		.client = true,
	};

	c->line.mem = c->hearing.mem = c->mem;
	if (!c->o->listen_only &&
	    (c->microphone = microphone_open(c->mem, c->o->wav)) == NULL) {
		fprintf(stderr, "webrtc-client: no sound in %s\n", c->o->wav);
		return false;
	}
	c->rtc = rtc_open(c->mem, &settings, &events);
	c->begun_us = monotonic_us();
	if (c->o->cut_at > 0)
		c->cut_us = c->begun_us + (int64_t)(c->o->cut_at * S_US);
	return c->rtc != NULL &&
	       (c->o->http ? whip_begin(c) : signalling_open(c, false));
}

static bool
is_connected(const struct client *c)
{
	for (int i = 0; i < ROLES; i++)
		if (c->sides[i].peer != NULL && c->sides[i].connected_us == 0)
			return false;
	return c->sides[SUBSCRIBER].peer != NULL || c->sides[PUBLISHER].peer != NULL;
}

/* Once. */
static void
tell_connected(struct client *c)
{
	if (c->connected || !is_connected(c))
		return;
	c->connected = true;
	puts("{\"message_type\":\"webrtc_connected\",\"data\":{}}");
	fflush(stdout);
}

/* Number of targets of its task; one when it sets no task. */
static int
count_targets(const struct client *c)
{
	const char *s = c->o->task;
	int n = 1;

	while (s != NULL && (s = strchr(s, ',')) != NULL) {
		s++;
		n++;
	}
	return n;
}

/* True when --until is reached, and signalling that was cut has been resumed. */
static bool
has_enough(const struct client *c)
{
	const struct heard_track *t = c->hearing.tracks;

	if (!c->o->until || !c->connected || c->texts < c->o->until_texts ||
	    c->answers < (unsigned)c->o->n_sends || c->hearing.n < count_targets(c) ||
	    (c->o->cut_at > 0 && (c->o->http ? c->cut_us > 0 : c->resumed_us == 0)))
		return false;
	for (; t < c->hearing.tracks + c->hearing.n; t++)
		if (t->name[0] == '\0' || t->packets < c->o->until_packets)
			return false;
	return true;
}

int
main(int argc, char **argv)
{
	struct client_options o = { .seconds = 10 };
	struct client c = { .mem = arena_new(), .o = &o };
	int64_t end_us;
	bool good;

	read_options(&o, argc, argv);
	srandom((unsigned)getpid());
	if (!open_client(&c))
		return 1;
	end_us = c.begun_us + (int64_t)(o.seconds * S_US);
	while (!c.ended && !has_enough(&c) && monotonic_us() < end_us) {
		turn(&c);
		tell_connected(&c);
	}
	good = is_connected(&c) && c.left == NULL;
	tell(&c);
	if (!o.vanish) {
		if (o.http)
			whip_leave(&c);
		else
			signalling_leave(&c);
		rtc_close(c.rtc);
	}
	good = (o.out == NULL || hearing_write(&c.hearing, o.out)) && good;
	arena_free(c.mem);
	return good ? 0 : 1;
}
