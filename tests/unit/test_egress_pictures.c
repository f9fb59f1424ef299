/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures for a child that does not read for a while. */
#include "channel/egress_outputs.c"

#include "tests/unit/suite.h"

#define MOST 100000 /* messages: more than fit in a socket's buffer */

static struct channel_session of;
static struct egress_output output;
static struct session session = { .channel = &of };
static int ends[2];

/* Sends a message with pictures, numbered from this number on. */
static bool
put_picture(struct arena *mem, bool key, int number)
{
	const struct picture is = {
		.key = key, .bytes = (unsigned char *)&number, .n = sizeof(number)
	};
	struct buf message = { .mem = mem };
	size_t done = 0;

	ck_assert(picture_message(&is, &done, &message));
	egress_outputs_picture(&session, 0, message.p, message.len);
	return !output.no_picture;
}

/* Returns the number of the next picture that the child reads; -1: none. */
static int
taken(void)
{
	char bytes[256];
	ssize_t n = recv(ends[1], bytes, sizeof(bytes), MSG_DONTWAIT);
	int number = -1;

	if (n >= (ssize_t)sizeof(number))
		memcpy(&number, bytes + n - sizeof(number), sizeof(number));
	return number;
}

START_TEST(after_a_lost_picture_the_next_is_a_keyframe)
{
	struct arena *mem = arena_new();
	int sent = 0, last = -1, n;

	ck_assert_int_eq(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	output = (struct egress_output){ .child.socket = { getpid(), ends[0] } };
	of.egress = &output;
	while (sent < MOST && put_picture(mem, sent == 0, sent))
		sent++;
	ck_assert_int_lt(sent, MOST);
	while ((n = taken()) >= 0)
		last = n;
	ck_assert_int_eq(last, sent - 1);
	put_picture(mem, false, sent + 1); /* depends on the lost picture */
	ck_assert_int_eq(taken(), -1);
	put_picture(mem, true, sent + 2);
	put_picture(mem, false, sent + 3);
	ck_assert_int_eq(taken(), sent + 2);
	ck_assert_int_eq(taken(), sent + 3);
	close(ends[0]);
	close(ends[1]);
	arena_free(mem);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("pictures of outputs");
	TCase *t = tcase_create("all");

	tcase_add_test(t, after_a_lost_picture_the_next_is_a_keyframe);
	suite_add_tcase(s, t);
	return unit_run(s);
}
