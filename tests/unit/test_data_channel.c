/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two associations, connected by queues in memory: actions of a client on channels. */
#include "rtc/data_channel.c"

#include <check.h>
#include <stdlib.h>

#include "tests/unit/suite.h"

#define QUEUED 256

struct end {
	struct data_channels *d;
	struct end *other;
	unsigned opened, messages;
	char last[16];
	struct {
		size_t n;
		unsigned char p[1500];
	} queue[QUEUED];
	int n;
	bool cut;   /* all packets it sends are lost */
	bool leaks; /* a packet held an address of the heap */
};

static struct arena *mem;
static struct end ends[2];
static int64_t now;

static void
to_queue(void *arg, const void *p, size_t n)
{
	struct end *e = arg;

	for (int i = 0; i < 2; i++)
		e->leaks |= ends[i].d != NULL &&
			    memmem(p, n, &ends[i].d, sizeof(ends[i].d)) != NULL;
	if (e->cut)
		return;
	ck_assert_int_lt(e->other->n, QUEUED);
	ck_assert_uint_le(n, sizeof(e->other->queue[0].p));
	e->other->queue[e->other->n].n = n;
	memcpy(e->other->queue[e->other->n++].p, p, n);
}

static void
note_open(void *arg, const char *label)
{
	struct end *e = arg;

	(void)label;
	e->opened++;
}

static void
note_message(void *arg, const char *label, const void *p, size_t n)
{
	struct end *e = arg;

	(void)label;
	e->messages++;
	n = n < sizeof(e->last) ? n : sizeof(e->last) - 1;
	memcpy(e->last, p, n);
	e->last[n] = '\0';
}

static const struct data_channel_events end_events = { to_queue, note_open,
	note_message };

/* Runs this many steps of 10 ms. */
static void
pass(int steps)
{
	while (steps-- > 0) {
		now += 10000;
		data_channel_timers(now);
		for (int i = 0; i < 2; i++) {
			struct end *e = &ends[i];

			for (int k = 0; k < e->n && e->d != NULL; k++)
				data_channels_put(
				    e->d, e->queue[k].p, e->queue[k].n, now);
			e->n = 0;
		}
	}
}

/* The first end opens the channels. */
static void
begin(int port)
{
	mem = arena_new();
	now = S_US;
	data_channel_start();
	for (int i = 0; i < 2; i++) {
		const struct data_channel_settings s = {
			.port = port, .open = i == 0, .even = i == 1
		};

		ends[i] = (struct end){ .other = &ends[1 - i] };
		ends[i].d = data_channels_new(mem, &s, &end_events, &ends[i], now);
	}
}

static void
finish(void)
{
	for (int i = 0; i < 2; i++) {
		data_channels_free(ends[i].d);
		ends[i].d = NULL;
	}
	data_channel_stop();
	arena_free(mem);
}

/* The second end sends a message, bypassing its table of channels. */
static void
say(uint16_t stream, enum ppid ppid, const void *p, size_t n)
{
	const struct queued_message m = {
		.stream = stream, .ppid = ppid, .p = p, .n = n
	};

	ck_assert(send_now(ends[1].d, &m));
	pass(10);
}

static void
say_open(uint16_t stream, const char *label)
{
	const struct dcep_message m = dcep_open(label, false);
	unsigned char p[DCEP_OPEN_MOST];

	say(stream, PPID_DCEP, p, dcep_write(&m, p));
}

START_TEST(channels_that_are_reset_may_be_opened_again)
{
	begin(5000);
	pass(100);
	ck_assert_uint_eq(ends[0].opened, 2);
	ck_assert_uint_eq(ends[1].opened, 2);
	ck_assert(data_channels_is_open(ends[0].d, "_reliable"));
	reset_stream(ends[1].d, 1);
	pass(100);
	ck_assert(!data_channels_is_open(ends[0].d, "_reliable"));
	ck_assert(data_channels_is_open(ends[0].d, "_lossy"));
	ck_assert(!data_channels_send(ends[0].d, "_reliable", "x", 1, now));
	say_open(8, "_reliable");
	ck_assert(data_channels_is_open(ends[0].d, "_reliable"));
	ck_assert(data_channels_tick(ends[0].d, now));
	finish();
}
END_TEST

START_TEST(other_channels_are_not_heard)
{
	begin(5000);
	pass(100);
	say_open(6, "_data_track");
	say(6, PPID_BINARY, "x", 1);
	say_open(10, "_reliable"); /* a second one */
	say(10, PPID_BINARY, "x", 1);
	say(12, PPID_BINARY, "x", 1); /* never opened */
	say_open(63, "_lossy");
	say(1, 56, "\0", 1); /* empty */
	ck_assert_uint_eq(ends[0].messages, 0);
	say(1, PPID_TEXT, "text", 4);
	say(1, PPID_BINARY, "bytes", 5);
	ck_assert_uint_eq(ends[0].messages, 2);
	ck_assert_str_eq(ends[0].last, "bytes");
	ck_assert(data_channels_tick(ends[0].d, now));
	finish();
}
END_TEST

START_TEST(malformed_openings_do_no_harm)
{
	unsigned char p[300];

	begin(5000);
	pass(100);
	for (int i = 0; i < 500; i++) {
		size_t n = 1 + (size_t)i % sizeof(p);

		memset(p, i, sizeof(p));
		p[0] = (unsigned char)(i % 5);
		say((uint16_t)(i % 60), i % 3 == 0 ? PPID_BINARY : PPID_DCEP, p, n);
	}
	ck_assert(data_channels_tick(ends[0].d, now));
	ck_assert(data_channels_send(ends[0].d, "_reliable", "x", 1, now));
	ends[1].messages = 0;
	pass(10);
	ck_assert_uint_eq(ends[1].messages, 1);
	finish();
}
END_TEST

START_TEST(another_port_than_5000_may_be_told)
{
	begin(6000);
	pass(100);
	ck_assert_uint_eq(ends[0].opened, 2);
	finish();
}
END_TEST

/* The first attempt is lost; the second attempt, after 8 s, succeeds. */
START_TEST(an_association_is_begun_twice)
{
	begin(5000);
	ends[0].cut = ends[1].cut = true;
	for (int i = 0; i < 79; i++) {
		pass(10);
		ck_assert(data_channels_tick(ends[0].d, now));
	}
	ck_assert_int_eq(ends[0].d->connects, 1);
	pass(20);
	ck_assert(data_channels_tick(ends[0].d, now));
	ck_assert_int_eq(ends[0].d->connects, 2);
	ends[0].cut = ends[1].cut = false;
	pass(300);
	ck_assert_uint_eq(ends[0].opened, 2);
	ck_assert_uint_eq(ends[1].opened, 2);
	ck_assert(data_channels_tick(ends[0].d, now));
	finish();
}
END_TEST

/* A HEARTBEAT, here sent at once, contains the address of the path. */
START_TEST(no_packet_holds_an_address_of_memory)
{
	struct sctp_paddrparams path = { .spp_flags = SPP_HB_DEMAND };
	struct sockaddr_conn a = { .sconn_family = AF_CONN, .sconn_port = htons(5000) };

	begin(5000);
	pass(100);
	a.sconn_addr = ends[0].d->address;
	memcpy(&path.spp_address, &a, sizeof(a));
	set(ends[0].d->socket, IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &path,
	    sizeof(path));
	ck_assert_int_eq(ends[1].n, 1);
	ck_assert_uint_eq(ends[1].queue[0].p[12], 4);
	pass(10);
	ck_assert(!ends[0].leaks);
	ck_assert(!ends[1].leaks);
	finish();
}
END_TEST

/* True if the peer was informed, by SHUTDOWN or ABORT. */
START_TEST(an_end_is_noticed)
{
	begin(5000);
	pass(100);
	disconnect(ends[1].d);
	pass(10);
	ck_assert(data_channels_failed(ends[0].d));
	ck_assert(!data_channels_tick(ends[0].d, now));
	ck_assert(!data_channels_send(ends[0].d, "_reliable", "x", 1, now));
	finish();
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("data_channel");
	TCase *t = tcase_create("data_channel");

	tcase_set_timeout(t, 20);
	tcase_add_test(t, channels_that_are_reset_may_be_opened_again);
	tcase_add_test(t, other_channels_are_not_heard);
	tcase_add_test(t, malformed_openings_do_no_harm);
	tcase_add_test(t, another_port_than_5000_may_be_told);
	tcase_add_test(t, an_association_is_begun_twice);
	tcase_add_test(t, no_packet_holds_an_address_of_memory);
	tcase_add_test(t, an_end_is_noticed);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
