/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that wait for a slow client, and messages that it misses. */
#include <libwebsockets.h>

#include "tests/unit/unit.h"

static void *loop_of(struct lws *);

/* Messages stay in the queue, because no callback of libwebsockets ends. */
#define lws_get_context(wsi) (wsi)
#define lws_context_user loop_of
#include "lib/gateway/websocket.c"

static struct event_loop loop;
static struct websocket s;

static void *
loop_of(struct lws *wsi)
{
	(void)wsi;
	return &loop;
}

static void
send_as(const char *text, int64_t group, int64_t since_us)
{
	struct shared_buffer *p = shared_buffer_new(text, strlen(text));

	websocket_send(&s, p, group);
	shared_buffer_drop(p);
	s.last->since_us = since_us;
}

static const char *
line(void)
{
	struct buf b = { .mem = fixture.mem };

	for (const struct sending *it = s.first; it != NULL; it = it->next)
		buf_put(&b, it->buffer->text, it->buffer->n);
	return buf_text(&b);
}

static void
begin(void)
{
	fixture.mem = arena_new();
	loop.due = NULL;
	s = (struct websocket){ .mem = fixture.mem };
	send_as("T", 0, 1);
	send_as("a", 7, 1);
	send_as("u", 0, 2);
	send_as("b", 8, 2);
	send_as("A", 7, 3);
	send_as("B", 8, 9);
}

static void
end(void)
{
	while (s.first != NULL)
		drop_first(&s);
	ck_assert_uint_eq(s.unsent, 0);
	ck_assert_ptr_null(s.last);
	arena_free(fixture.mem);
}

START_TEST(whole_groups_are_left_out_and_texts_stay)
{
	ck_assert_str_eq(line(), "TaubAB");
	websocket_skip(&s, 1);
	ck_assert_str_eq(line(), "TaubAB");
	websocket_skip(&s, 2);
	ck_assert_str_eq(line(), "TubB");
	ck_assert_uint_eq(s.unsent, 4);
	websocket_skip(&s, 3);
	ck_assert_str_eq(line(), "Tu");
	send_as("c", 9, 10);
	ck_assert_str_eq(line(), "Tuc");
}
END_TEST

START_TEST(what_was_begun_is_sent_to_its_end)
{
	s.group = 7;
	websocket_skip(&s, 100);
	ck_assert_str_eq(line(), "TauA");
	send_as("c", 7, 10);
	ck_assert_str_eq(line(), "TauAc");
}
END_TEST

START_TEST(the_last_may_be_left_out)
{
	s.group = 8;
	drop_group(&s, 8);
	ck_assert_str_eq(line(), "TauA");
	send_as("c", 0, 10);
	ck_assert_str_eq(line(), "TauAc");
	drop_group(&s, 0);
	ck_assert_str_eq(line(), "aA");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("gateway: socket");
	TCase *t = tcase_create("line");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, whole_groups_are_left_out_and_texts_stay);
	tcase_add_test(t, what_was_begun_is_sent_to_its_end);
	tcase_add_test(t, the_last_may_be_left_out);
	suite_add_tcase(suite, t);
	return unit_run(suite);
}
