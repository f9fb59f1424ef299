/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "base/clock.h"
#include "rtc/data_channel.c"
#include "tests/unit/suite.h"

#define STEP_US (10 * S_US / 1000)
/* without a packet, whatever the number of losses */
#define SILENT_US (13 * S_US / 10)

static int64_t time_us = S_US, sent_us;

static void
lose(void *arg, const void *p, size_t n)
{
	(void)arg, (void)p, (void)n;
	sent_us = time_us;
}

START_TEST(an_association_is_tried_again_soon)
{
	static const struct data_channel_settings settings = { .port = 5000 };
	static const struct data_channel_events events = { .send = lose };
	struct arena *mem = arena_new();
	struct data_channels *d;
	int64_t end_us;

	data_channel_start();
	d = data_channels_new(mem, &settings, &events, NULL, time_us);
	ck_assert_int_eq(sent_us, time_us);
	for (end_us = time_us + 15 * S_US; time_us < end_us; time_us += STEP_US) {
		data_channel_timers(time_us);
		ck_assert(data_channels_tick(d, time_us));
		ck_assert_int_lt(time_us - sent_us, SILENT_US);
	}
	data_channels_free(d);
	data_channel_stop();
	arena_free(mem);
}
END_TEST

/* ---- COOKIE ACK ---- */

static const unsigned char ack[16] = { [12] = 11 }, echo[16] = { [12] = 10 },
			   data[16] = { 0 };

START_TEST(a_cookie_ack_is_repeated_until_it_has_arrived)
{
	struct cookie_ack a = { 0 };
	int sent = 0;

	ck_assert_int_eq(cookie_ack_due_us(&a, 7), 7);
	cookie_ack_sent(&a, data, sizeof(data));
	ck_assert(!cookie_ack_is_due(&a, time_us));
	ck_assert_int_eq(cookie_ack_due_us(&a, 7), 7);

	cookie_ack_sent(&a, ack, sizeof(ack));
	for (int64_t end_us = time_us + S_US; time_us < end_us; time_us += STEP_US)
		sent += cookie_ack_is_due(&a, time_us);
	ck_assert_int_eq(sent, 3); /* after 0.1, 0.3 and 0.7 s */
	ck_assert_mem_eq(a.p, ack, sizeof(ack));
	cookie_ack_received(&a, echo, sizeof(echo));
	ck_assert_int_lt(cookie_ack_due_us(&a, INT64_MAX), time_us + S_US);
	cookie_ack_received(&a, data, sizeof(data));
	ck_assert_int_eq(cookie_ack_due_us(&a, 7), 7);
	ck_assert(!cookie_ack_is_due(&a, time_us + S_US));
}
END_TEST

START_TEST(a_cookie_ack_is_not_repeated_for_ever)
{
	struct cookie_ack a = { 0 };
	int sent = 0;

	cookie_ack_sent(&a, ack, sizeof(ack));
	for (int64_t end_us = time_us + 60 * S_US; time_us < end_us; time_us += STEP_US)
		sent += cookie_ack_is_due(&a, time_us);
	ck_assert_int_eq(sent, 6);
	ck_assert_int_eq(cookie_ack_due_us(&a, 7), 7);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("cookie_ack");
	TCase *t = tcase_create("handshake");

	tcase_add_test(t, an_association_is_tried_again_soon);
	tcase_add_test(t, a_cookie_ack_is_repeated_until_it_has_arrived);
	tcase_add_test(t, a_cookie_ack_is_not_repeated_for_ever);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
