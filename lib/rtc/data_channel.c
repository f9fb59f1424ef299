/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/data_channel.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdalign.h>
#include <string.h>
#include <usrsctp.h>
#include <uthash.h>

#include "base/be.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "rtc/message_queue.h"
#include "rtc/sctp_packet.h"

#define STREAMS 64      /* stream numbers that are used: 0 to this */
#define STREAMS_IN 1024 /* streams of the peer */
#define PATH_MTU 1150   /* payload of a DTLS datagram of 1200 */
#define TRIES 20 /* tries to send a packet, until a peer connection gives up, too */
#define CONNECT_US (8 * S_US)       /* time until an attempt to connect is given up */
#define CONNECTS 2                  /* attempts */
#define RETRY_US (20 * S_US / 1000) /* time until waiting messages are tried again */
#define TIMERS_MOST_MS 50           /* most time between two looks at the timers */
#define CHECK_US (5 * S_US) /* time between two checks for an end without an event */

/* Payload protocol identifiers: RFC 8831, 8. */
enum ppid { PPID_DCEP = 50, PPID_TEXT = 51, PPID_BINARY = 53 };

/* ---- the two channels ---- */

#define CHANNELS 2

static const struct {
	const char *label;
	bool lossy;
} known[CHANNELS] = { { "_reliable", false }, { "_lossy", true } };

struct channel {
	const char *label; /* NULL: not in use */
	uint16_t stream;
	bool lossy;
	bool open; /* messages may be sent */
};

/* Zero-initialise. */
struct channel_table {
	struct channel channels[CHANNELS];
};

/* Assign this stream to the i-th channel. */
static struct channel *
channel_table_use(struct channel_table *t, int i, uint16_t stream)
{
	t->channels[i] = (struct channel){
		.label = known[i].label, .stream = stream, .lossy = known[i].lossy
	};
	return &t->channels[i];
}

/* The channel of that label; NULL: it is unknown or already has a stream. */
static struct channel *
channel_table_assign(struct channel_table *t, const char *label, uint16_t stream)
{
	for (int i = 0; i < CHANNELS; i++)
		if (strcmp(known[i].label, label) == 0 && t->channels[i].label == NULL)
			return channel_table_use(t, i, stream);
	return NULL;
}

static struct channel *
channel_table_stream(struct channel_table *t, uint16_t stream)
{
	for (int i = 0; i < CHANNELS; i++)
		if (t->channels[i].label != NULL && t->channels[i].stream == stream)
			return &t->channels[i];
	return NULL;
}

static const struct channel *
channel_table_label(const struct channel_table *t, const char *label)
{
	for (int i = 0; i < CHANNELS; i++)
		if (t->channels[i].label != NULL &&
		    strcmp(t->channels[i].label, label) == 0)
			return &t->channels[i];
	return NULL;
}

/* ---- COOKIE ACK ---- */

#define FIRST_WAIT_US 100000 /* doubles */
#define LAST_WAIT_US 3200000

#define CHUNK 12 /* bytes of the common header before the first chunk */
enum chunk_type { COOKIE_ECHO = 10, COOKIE_ACK = 11 };

/*
 * The COOKIE ACK of an association, sent again until it has certainly arrived. RFC 9260
 * relies on the peer's COOKIE ECHO, which browsers repeat after 1, 2, 4 and 8 s;
 * clients do not wait that long for a channel. Peers discard a second COOKIE ACK
 * (5.2.5).
 */
struct cookie_ack {
	unsigned char p[64];     /* the packet */
	size_t n;                /* 0: nothing to send again */
	int64_t due_us, wait_us; /* due 0: it was just sent */
};

static bool
begins_with(enum chunk_type type, const unsigned char *p, size_t n)
{
	return n > CHUNK && p[CHUNK] == type;
}

static void
cookie_ack_sent(struct cookie_ack *a, const void *p, size_t n)
{
	if (!begins_with(COOKIE_ACK, p, n) || n > sizeof(a->p))
		return;
	memcpy(a->p, p, n);
	a->n = n;
	a->wait_us = FIRST_WAIT_US;
	a->due_us = 0;
}

/*
 * Call it before the packet is processed: another packet proves that the COOKIE ACK
 * arrived.
 */
static void
cookie_ack_received(struct cookie_ack *a, const void *p, size_t n)
{
	if (!begins_with(COOKIE_ECHO, p, n))
		a->n = 0;
}

/* True if the packet must be sent again now. */
static bool
cookie_ack_is_due(struct cookie_ack *a, int64_t now_us)
{
	bool due = a->n > 0 && a->due_us > 0 && now_us >= a->due_us;

	if (due)
		a->wait_us *= 2;
	if (due || a->due_us == 0)
		a->due_us = now_us + a->wait_us;
	if (a->wait_us > LAST_WAIT_US)
		a->n = 0;
	return due;
}

/* Returns the earlier of other_us and the time of the next repetition. */
static int64_t
cookie_ack_due_us(const struct cookie_ack *a, int64_t other_us)
{
	return a->n > 0 && a->due_us < other_us ? a->due_us : other_us;
}

/* ---- messages that open a channel: RFC 8832 ---- */

#define DCEP_HEAD 12
#define UNORDERED 0x80
#define REXMIT 0x01 /* partially reliable, by number of retransmissions */
#define TIMED 0x02  /* partially reliable, by time */

enum dcep_kind { DCEP_ACK = 2, DCEP_OPEN = 3 };

#define DCEP_LABEL 65 /* bytes of a label, with NUL; longer ones are cut */
#define DCEP_OPEN_MOST (DCEP_HEAD + DCEP_LABEL)

struct dcep_message {
	enum dcep_kind kind;
	bool lossy; /* limited retransmissions, by number or time */
	char label[DCEP_LABEL];
};

static struct dcep_message
dcep_open(const char *label, bool lossy)
{
	struct dcep_message m = { .kind = DCEP_OPEN, .lossy = lossy };
	size_t n = strlen(label);

	memcpy(m.label, label, n < sizeof(m.label) ? n : sizeof(m.label) - 1);
	return m;
}

/* False: an unknown type, or a length beyond the end.  A label ends at its first NUL.
 */
static bool
dcep_read(const void *bytes, size_t n, struct dcep_message *to)
{
	const unsigned char *p = bytes;
	size_t label;

	*to = (struct dcep_message){ .kind = DCEP_ACK };
	if (n >= 1 && p[0] == DCEP_ACK)
		return true;
	if (n < DCEP_HEAD || p[0] != DCEP_OPEN)
		return false;
	label = be16(p + 8);
	if (DCEP_HEAD + label + be16(p + 10) > n)
		return false;
	to->kind = DCEP_OPEN;
	to->lossy = (p[1] & (UNORDERED | REXMIT | TIMED)) != 0;
	label = label < sizeof(to->label) ? label : sizeof(to->label) - 1;
	memcpy(to->label, p + DCEP_HEAD, label);
	return true;
}

/* Returns the length.  lossy: unordered and never repeated. */
static size_t
dcep_write(const struct dcep_message *m, unsigned char to[DCEP_OPEN_MOST])
{
	size_t label = strlen(m->label);

	to[0] = (unsigned char)m->kind;
	if (m->kind == DCEP_ACK)
		return 1;
	memset(to + 1, 0, DCEP_HEAD - 1);
	to[1] = m->lossy ? UNORDERED | REXMIT : 0;
	to[9] = (unsigned char)label;
	memcpy(to + DCEP_HEAD, m->label, label);
	return DCEP_HEAD + label;
}

/* ---- the library ---- */

struct data_channels {
	/* a random number, because the peer sees it in HEARTBEAT and cookies */
	void *address;
	UT_hash_handle hh;
	struct data_channel_settings settings;
	struct data_channel_events events;
	void *arg;
	struct socket *socket;
	bool up, failed;
	int connects;
	int64_t connect_us;
	struct cookie_ack ack;
	struct channel_table channels;
	struct message_queue queue;
	struct message_parts parts;
};

static struct {
	bool started;
	int users, associations;
	int64_t timers_us;
	struct data_channels *by_address;
} sctp;

static struct data_channels *
find_address(void *address)
{
	struct data_channels *d;

	HASH_FIND_PTR(sctp.by_address, &address, d);
	return d;
}

static int
output(void *address, void *p, size_t n, uint8_t tos, uint8_t df)
{
	struct data_channels *d = find_address(address);

	(void)tos, (void)df;
	if (d == NULL)
		return 0;
	cookie_ack_sent(&d->ack, p, n);
	d->events.send(d->arg, p, n);
	return 0;
}

/* Short timeouts, as users wait for channels; no answers to unknown senders. */
void
data_channel_start(void)
{
	if (sctp.users++ > 0 || sctp.started)
		return;
	sctp.started = true;
	usrsctp_init_nothreads(0, output, NULL);
	usrsctp_sysctl_set_sctp_blackhole(2);
	usrsctp_sysctl_set_sctp_ecn_enable(0);
	usrsctp_sysctl_set_sctp_asconf_enable(0);
	usrsctp_sysctl_set_sctp_rto_initial_default(500);
	usrsctp_sysctl_set_sctp_rto_min_default(200);
	usrsctp_sysctl_set_sctp_rto_max_default(2000);
	usrsctp_sysctl_set_sctp_init_rto_max_default(1000);
	usrsctp_sysctl_set_sctp_init_rtx_max_default(TRIES);
	usrsctp_sysctl_set_sctp_assoc_rtx_max_default(TRIES);
	usrsctp_sysctl_set_sctp_heartbeat_interval_default(10000);
	usrsctp_sysctl_set_sctp_delayed_sack_time_default(20);
}

/* A closed socket may need a timer before it can be freed. */
void
data_channel_stop(void)
{
	if (--sctp.users > 0)
		return;
	for (int i = 0; i < 10 && sctp.started; i++)
		if (usrsctp_finish() == 0)
			sctp.started = false;
		else
			usrsctp_handle_timers(100);
}

/*
 * The library checks all timers at each call, so with more associations it is called
 * less often.
 */
/* The library looks at every timer each time, so many are looked at less often. */
static int64_t
timers_ms(void)
{
	int64_t ms = 10 + sctp.associations / 25;

	return ms < TIMERS_MOST_MS ? ms : TIMERS_MOST_MS;
}

int64_t
data_channel_due_us(void)
{
	return sctp.associations > 0 ? sctp.timers_us + timers_ms() * 1000 : INT64_MAX;
}

void
data_channel_timers(int64_t now_us)
{
	int64_t passed_ms = (now_us - sctp.timers_us) / 1000;

	if (sctp.associations == 0)
		sctp.timers_us = now_us;
	if (sctp.associations == 0 || passed_ms < timers_ms())
		return;
	sctp.timers_us = now_us;
	usrsctp_handle_timers((uint32_t)passed_ms);
}

/* ---- an association ---- */

static void
set(struct socket *s, int level, int name, const void *value, size_t n)
{
	if (usrsctp_setsockopt(s, level, name, value, (socklen_t)n) != 0)
		log_warn("rtc: SCTP option %d: %s", name, strerror(errno));
}

static void
want_event(struct socket *s, uint16_t type)
{
	struct sctp_event e = { SCTP_ALL_ASSOC, type, .se_on = 1 };

	set(s, IPPROTO_SCTP, SCTP_EVENT, &e, sizeof(e));
}

static void
set_options(struct socket *s)
{
	const struct linger at_once = { .l_onoff = 1 };
	const struct sctp_initmsg streams = { STREAMS, STREAMS_IN, 0, 0 };
	const struct sctp_assoc_value resets = { .assoc_id = SCTP_ALL_ASSOC,
		.assoc_value = SCTP_ENABLE_RESET_STREAM_REQ };
	const int on = 1, bytes = DATA_CHANNEL_MESSAGE;

	usrsctp_set_non_blocking(s, 1);
	set(s, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	set(s, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	set(s, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	set(s, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof(on));
	set(s, IPPROTO_SCTP, SCTP_RECVRCVINFO, &on, sizeof(on));
	set(s, IPPROTO_SCTP, SCTP_INITMSG, &streams, sizeof(streams));
	set(s, IPPROTO_SCTP, SCTP_ENABLE_STREAM_RESET, &resets, sizeof(resets));
	want_event(s, SCTP_ASSOC_CHANGE);
	want_event(s, SCTP_STREAM_RESET_EVENT);
}

/* The library identifies both sides by the same address. */
static void
connect_to_peer(struct data_channels *d, int64_t now_us)
{
	struct sockaddr_conn a = { .sconn_family = AF_CONN,
		.sconn_port = htons((uint16_t)d->settings.port),
		.sconn_addr = d->address };
	struct sctp_paddrparams path = { .spp_flags = SPP_PMTUD_DISABLE,
		.spp_pathmtu = PATH_MTU,
		.spp_pathmaxrxt = TRIES };

	memcpy(&path.spp_address, &a, sizeof(a));
	d->connects++;
	d->connect_us = now_us;
	d->socket =
	    usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
	if (d->socket == NULL) {
		log_error("rtc: SCTP socket: %s", strerror(errno));
		return;
	}
	set_options(d->socket);
	if (usrsctp_bind(d->socket, (struct sockaddr *)&a, sizeof(a)) != 0 ||
	    (usrsctp_connect(d->socket, (struct sockaddr *)&a, sizeof(a)) != 0 &&
		errno != EINPROGRESS))
		log_error("rtc: SCTP cannot connect: %s", strerror(errno));
	else
		set(d->socket, IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &path,
		    sizeof(path));
}

static void
disconnect(struct data_channels *d)
{
	if (d->socket != NULL)
		usrsctp_close(d->socket);
	d->socket = NULL;
}

static void
register_address(struct data_channels *d)
{
	do
		random_bytes(&d->address, sizeof(d->address));
	while (d->address == NULL || find_address(d->address) != NULL);
	HASH_ADD_PTR(sctp.by_address, address, d);
	usrsctp_register_address(d->address);
}

struct data_channels *
data_channels_new(struct arena *mem, const struct data_channel_settings *s,
    const struct data_channel_events *events, void *arg, int64_t now_us)
{
	struct data_channels *d = arena_alloc(mem, sizeof(*d));

	d->settings = *s;
	d->events = *events;
	d->arg = arg;
	if (sctp.associations++ == 0)
		sctp.timers_us = now_us;
	register_address(d);
	connect_to_peer(d, now_us);
	return d;
}

void
data_channels_free(struct data_channels *d)
{
	if (d == NULL)
		return;
	disconnect(d);
	usrsctp_deregister_address(d->address);
	HASH_DEL(sctp.by_address, d);
	sctp.associations--;
	message_queue_clear(&d->queue);
	message_parts_clear(&d->parts);
}

/* ---- sending ---- */

static bool
send_now(struct data_channels *d, const struct queued_message *u)
{
	struct sctp_sendv_spa s = { .sendv_flags = SCTP_SEND_SNDINFO_VALID };

	s.sendv_sndinfo.snd_sid = u->stream;
	s.sendv_sndinfo.snd_ppid = htonl(u->ppid);
	if (u->lossy) {
		s.sendv_sndinfo.snd_flags = SCTP_UNORDERED;
		s.sendv_flags |= SCTP_SEND_PRINFO_VALID;
		s.sendv_prinfo.pr_policy = SCTP_PR_SCTP_RTX;
	}
	return usrsctp_sendv(d->socket, u->p, u->n, NULL, 0, &s, sizeof(s),
		   SCTP_SENDV_SPA, 0) >= 0;
}

/* True if the last error of the library means that sending may succeed later. */
static bool
is_full(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS;
}

static void
send_waiting(struct data_channels *d, int64_t now_us)
{
	while (d->queue.first != NULL && d->up && !d->failed) {
		if (!send_now(d, d->queue.first) && is_full())
			return;
		message_queue_drop(&d->queue, now_us);
	}
}

/* Send the message, or queue it after earlier ones. False: refused permanently. */
static bool
send_or_keep(struct data_channels *d, const struct queued_message *u, int64_t now_us)
{
	if (!d->up || d->failed)
		return false;
	if (d->queue.first == NULL && send_now(d, u))
		return true;
	if (d->queue.first == NULL && !is_full())
		return false;
	if (d->queue.bytes + u->n > DATA_CHANNEL_UNSENT)
		return false;
	message_queue_put(&d->queue, u, now_us);
	return true;
}

static void
send_dcep(struct data_channels *d, uint16_t stream, const struct dcep_message *m,
    int64_t now_us)
{
	unsigned char bytes[DCEP_OPEN_MOST];
	const struct queued_message u = { .stream = stream,
		.ppid = PPID_DCEP,
		.p = bytes,
		.n = dcep_write(m, bytes) };

	if (!send_or_keep(d, &u, now_us))
		d->failed = true;
}

bool
data_channels_send(
    struct data_channels *d, const char *label, const void *p, size_t n, int64_t now_us)
{
	const struct channel *c = channel_table_label(&d->channels, label);
	const struct queued_message u = { .stream = c != NULL ? c->stream : 0,
		.ppid = PPID_BINARY,
		.lossy = c != NULL && c->lossy,
		.p = p,
		.n = n };

	return c != NULL && c->open && n > 0 && n <= DATA_CHANNEL_MESSAGE &&
	       send_or_keep(d, &u, now_us);
}

bool
data_channels_is_open(const struct data_channels *d, const char *label)
{
	const struct channel *c = channel_table_label(&d->channels, label);

	return c != NULL && c->open && d->up && !d->failed;
}

size_t
data_channels_unsent(const struct data_channels *d, int64_t *since_us)
{
	*since_us = d->queue.since_us;
	return d->queue.bytes;
}

/* ---- receiving ---- */

static void
open_channels(struct data_channels *d, int64_t now_us)
{
	for (int i = 0; i < CHANNELS; i++) {
		uint16_t stream = (uint16_t)(2 * i + (d->settings.even ? 0 : 1));
		const struct channel *c = channel_table_use(&d->channels, i, stream);
		const struct dcep_message m = dcep_open(c->label, c->lossy);

		send_dcep(d, stream, &m, now_us);
	}
}

static void
set_open(struct data_channels *d, struct channel *c)
{
	if (c->open)
		return;
	c->open = true;
	d->events.open(d->arg, c->label);
}

/* Handle DCEP messages: all channels are acknowledged; the first of each known label is
   used. */
static void
handle_dcep(
    struct data_channels *d, uint16_t stream, const void *p, size_t n, int64_t now_us)
{
	const struct dcep_message ack = { .kind = DCEP_ACK };
	struct channel *c = channel_table_stream(&d->channels, stream);
	struct dcep_message m;

	if (!dcep_read(p, n, &m))
		return;
	if (m.kind == DCEP_ACK) {
		if (c != NULL && d->settings.open)
			set_open(d, c);
		return;
	}
	send_dcep(d, stream, &ack, now_us);
	if (c == NULL &&
	    (c = channel_table_assign(&d->channels, m.label, stream)) != NULL)
		set_open(d, c);
}

static void
receive_message(struct data_channels *d, const struct sctp_rcvinfo *info, const void *p,
    size_t n, int64_t now_us)
{
	uint32_t ppid = ntohl(info->rcv_ppid);
	const struct channel *c = channel_table_stream(&d->channels, info->rcv_sid);

	if (info->rcv_sid >= STREAMS)
		return;
	if (ppid == PPID_DCEP)
		handle_dcep(d, info->rcv_sid, p, n, now_us);
	else if (c != NULL && c->open && (ppid == PPID_TEXT || ppid == PPID_BINARY))
		d->events.message(d->arg, c->label, p, n);
}

/* Close our half of the channel too. */
static void
reset_stream(struct data_channels *d, uint16_t stream)
{
	alignas(struct sctp_reset_streams) unsigned char
	    bytes[sizeof(struct sctp_reset_streams) + sizeof(stream)];
	const struct sctp_reset_streams head = { .srs_assoc_id = SCTP_ALL_ASSOC,
		.srs_flags = SCTP_STREAM_RESET_OUTGOING,
		.srs_number_streams = 1 };

	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), &stream, sizeof(stream));
	set(d->socket, IPPROTO_SCTP, SCTP_RESET_STREAMS, bytes, sizeof(bytes));
}

/* The peer closes channels: close our halves too, which frees the stream numbers. */
static void
handle_reset(struct data_channels *d, const struct sctp_stream_reset_event *e)
{
	size_t n =
	    (e->strreset_length - sizeof(*e)) / sizeof(e->strreset_stream_list[0]);

	if ((e->strreset_flags & SCTP_STREAM_RESET_INCOMING_SSN) == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		struct channel *c =
		    channel_table_stream(&d->channels, e->strreset_stream_list[i]);

		if (c == NULL)
			continue;
		*c = (struct channel){ 0 };
		reset_stream(d, e->strreset_stream_list[i]);
	}
}

static void
handle_notification(struct data_channels *d, const void *p, size_t n, int64_t now_us)
{
	const union sctp_notification *e = p;

	if (n < sizeof(e->sn_header) || n != e->sn_header.sn_length)
		return;
	if (e->sn_header.sn_type == SCTP_STREAM_RESET_EVENT)
		handle_reset(d, &e->sn_strreset_event);
	if (e->sn_header.sn_type != SCTP_ASSOC_CHANGE)
		return;
	if (e->sn_assoc_change.sac_state != SCTP_COMM_UP) {
		d->failed |= d->up && e->sn_assoc_change.sac_state != SCTP_RESTART;
		return;
	}
	if (d->up)
		return;
	d->up = true;
	if (d->settings.open)
		open_channels(d, now_us);
}

static void
receive_read(struct data_channels *d, const struct sctp_rcvinfo *info, int flags,
    const void *p, size_t n, int64_t now_us)
{
	if (!message_parts_put(&d->parts, (flags & MSG_EOR) != 0, &p, &n))
		return;
	if ((flags & MSG_NOTIFICATION) != 0)
		handle_notification(d, p, n, now_us);
	else if (n <= DATA_CHANNEL_MESSAGE)
		receive_message(d, info, p, n, now_us);
	message_parts_clear(&d->parts);
}

static void
receive(struct data_channels *d, int64_t now_us)
{
	static alignas(max_align_t) unsigned char bytes[64U << 10];
	struct sctp_rcvinfo info;

	while (d->socket != NULL && !d->failed) {
		socklen_t info_n = sizeof(info), from_n = 0;
		unsigned type = 0;
		int flags = 0;
		ssize_t n = usrsctp_recvv(d->socket, bytes, sizeof(bytes), NULL,
		    &from_n, &info, &info_n, &type, &flags);

		if (n <= 0) {
			d->failed |= d->up && (n == 0 || !is_full());
			return;
		}
		if (type == SCTP_RECVV_RCVINFO || (flags & MSG_NOTIFICATION) != 0)
			receive_read(d, &info, flags, bytes, (size_t)n, now_us);
	}
}

void
data_channels_put(struct data_channels *d, const void *p, size_t n, int64_t now_us)
{
	if (d->failed || !sctp_packet_is_valid(p, n))
		return;
	cookie_ack_received(&d->ack, p, n);
	usrsctp_conninput(d->address, p, n, 0);
	receive(d, now_us);
	send_waiting(d, now_us);
}

bool
data_channels_tick(struct data_channels *d, int64_t now_us)
{
	receive(d, now_us); /* results of timers */
	if (cookie_ack_is_due(&d->ack, now_us))
		d->events.send(d->arg, d->ack.p, d->ack.n);
	if (!d->up && now_us >= d->connect_us + CONNECT_US) {
		disconnect(d);
		d->failed |= d->connects == CONNECTS;
		if (!d->failed)
			connect_to_peer(d, now_us);
	}
	send_waiting(d, now_us);
	return !d->failed;
}

bool
data_channels_failed(const struct data_channels *d)
{
	return d->failed;
}

int64_t
data_channels_due_us(const struct data_channels *d, int64_t now_us)
{
	if (!d->up)
		return d->connect_us + CONNECT_US;
	return cookie_ack_due_us(
	    &d->ack, now_us + (d->queue.first != NULL ? RETRY_US : CHECK_US));
}
