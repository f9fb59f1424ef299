/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Participants that left use no memory and no rows. */
#include <dirent.h>
#include <malloc.h>

#include "gateway/connect_limiter.h"
#include "tests/unit/participant_fixture.h"

#define VISITS 1000
#define GROWTH_MOST (64 << 10) /* bytes: 65 per visit */

static int
entries(const char *folder)
{
	DIR *d = opendir(folder);
	int n = 0;

	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

/* Returns the number of bytes in use. */
static int64_t
memory(void)
{
	struct mallinfo2 m = mallinfo2();

	return (int64_t)(m.uordblks + m.hblkhd);
}

static bool
is_free(struct participant *left)
{
	struct rtc_stats stats;
	unsigned peers = 0;

	webrtc_stats(gateway.webrtc_thread, &stats);
	for (int i = RTC_NEW; i <= RTC_FAILED; i++)
		peers += stats.peers[i];
	return gateway.participants == left && peers == 1; /* its own */
}

/* A listener joins, answers, and leaves. host: the participant that stays. */
static void
visit(struct participant *host, int i)
{
	struct arena *outer = fixture.mem;
	struct client *c;

	fixture.mem = arena_new();
	gateway.limiter = connect_limiter_new(fixture.mem);
	n_clients = 1;
	c = settle(come_listener(arena_printf(fixture.mem, "visitor %d", i)));
	send_number(c, LEAVE, 2, SIGNAL_CLIENT_INITIATED);
	cut(c);
	gateway_tick();
	ck_assert_ptr_eq(gateway.participants, host);
	gateway.limiter = NULL;
	arena_free(fixture.mem);
	fixture.mem = outer;
}

START_TEST(a_thousand_visitors_leave_nothing_behind)
{
	struct client *anna = settle(come_as("anna"));
	struct participant *host = participant_of(anna);
	int64_t before, until_us = monotonic_us() + 3 * AWAIT_US;
	int files, threads;

	send_json(anna, "set_task", WEBRTC_TASK(TO("es") "," TO("de")));
	await_running(anna);
	next_of(anna, GOT_UPDATE);
	answer(anna, next_of(anna, GOT_OFFER));
	/* the participant is not given up, however long this takes */
	host->was_connected = true;
	participant_drop_data(host);
	for (int i = 0; i < VISITS / 10; i++) /* memory that is allocated only once */
		visit(host, i);
	while (!is_free(host) && monotonic_us() < until_us)
		gateway_tick();
	before = memory();
	files = entries("/proc/self/fd");
	threads = entries("/proc/self/task");
	for (int i = 0; i < VISITS; i++)
		visit(host, i);
	until_us = monotonic_us() + AWAIT_US;
	while ((!is_free(host) || memory() > before + GROWTH_MOST) &&
	       monotonic_us() < until_us)
		gateway_tick();
	ck_assert(is_free(host));
	ck_assert_int_le(memory(), before + GROWTH_MOST);
	ck_assert_int_eq(entries("/proc/self/fd"), files);
	ck_assert_int_eq(entries("/proc/self/task"), threads);
	ck_assert_int_eq(gateway.n_participants, 1);
	ck_assert_int_eq(gateway.connections, 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("participant_growth");
	TCase *t = tcase_create("participant_growth");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, participants_setup, participants_teardown);
	tcase_add_test(t, a_thousand_visitors_leave_nothing_behind);
	suite_add_tcase(s, t);
	return unit_run(s);
}
