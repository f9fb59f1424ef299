/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listeners by plain HTTP, over real sockets. */
#include <libgen.h>
#include <sys/socket.h>

#include "audio/opus_decoder.h"
#include "tests/unit/gateway_fixture.h"

#include "lib/channel/http_listener.c"
#include "media/stream_decoder.h"
#include "web/metrics.h"

#define REFUSAL "HTTP/1.1 429 \r\n\r\n{}"
#define ANSWER "HTTP/1.1 200 \r\n\r\n"

struct player {
	int fd;
	struct buf got;
};

static const char *session;
static struct websocket *speaker;

/* Runs a turn as the gateway's loop does. */
static void
turn(void)
{
	gateway_tick();
	http_listeners_tick(&gateway, monotonic_us());
}

static void
wait_ms(int ms)
{
	int64_t until_us = monotonic_us() + ms * INT64_C(1000);

	do
		turn();
	while (monotonic_us() < until_us);
}

static void
begin(void)
{
	gateway_open();
	session = new_session();
	speaker = connect_as(session, true, true, NULL);
	tell(speaker, "set_task", TASK(TO("es") "," TO("fr"), ""));
	await_state(speaker, STATE_RUNNING);
}

static void
end(void)
{
	gateway.stopping = true;
	turn();
	ck_assert_ptr_null(gateway.http_listeners);
	gateway.stopping = false;
	gateway_close();
}

static struct player *
listen_to(const char *credential, const char *language, bool chunked, bool mp3)
{
	struct connection_request *v = THREAD_CALL(struct connection_request);
	struct arena *mem = v->call.message.mem;
	struct audio_answer *a = arena_alloc(mem, sizeof(*a));
	struct player *p = arena_alloc(fixture.mem, sizeof(*p));
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	*a = (struct audio_answer){ ANSWER, strlen(ANSWER), mp3, chunked };
	v->kind = SOCKET_S2S;
	v->account = arena_str(mem, fixture.account);
	v->stream = arena_str(mem, session);
	v->credential = arena_str(mem, credential);
	v->listens = v->audio = true;
	v->language = arena_str(mem, language);
	v->http = a;
	v->refusal = REFUSAL;
	v->refusal_bytes = strlen(REFUSAL);
	v->fd = pair[0];
	*p = (struct player){ .fd = pair[1], .got.mem = fixture.mem };
	/* as the database thread does for an admitted connection */
	gateway.connections++;
	http_listener_open(&gateway, &v->call);
	return p;
}

static struct player *
listen_as(const char *credential, const char *language, bool chunked)
{
	return listen_to(credential, language, chunked, false);
}

/* Reads the bytes received so far; true: the answer has ended. */
static bool
receive(struct player *p)
{
	char bytes[4096];
	ssize_t n;

	while ((n = recv(p->fd, bytes, sizeof(bytes), 0)) > 0)
		buf_put(&p->got, bytes, (size_t)n);
	return n == 0;
}

static void
play(struct player *p, int ms)
{
	int64_t until_us = monotonic_us() + ms * INT64_C(1000);

	while (!receive(p) && monotonic_us() < until_us)
		turn();
}

/* Returns the body with its chunks joined. *whole: it was complete. */
static struct buf
body_of(const struct player *p, bool *whole)
{
	const char *at = p->got.p + strlen(ANSWER), *end = p->got.p + p->got.len;
	struct buf to = { .mem = fixture.mem };

	ck_assert_mem_eq(p->got.p, ANSWER, strlen(ANSWER));
	*whole = false;
	while (at < end) {
		char *text;
		size_t n = strtoul(at, &text, 16);

		ck_assert_mem_eq(text, "\r\n", 2);
		if (text + 2 + n + 2 > end)
			break;
		buf_put(&to, text + 2, n);
		at = text + 2 + n;
		ck_assert_mem_eq(at, "\r\n", 2);
		at += 2;
		*whole = n == 0;
	}
	return to;
}

/* Finds the number of samples of HEARD_HZ, and the first loud one. */
static size_t
decode(const struct buf *ogg, size_t *loud_at)
{
	struct buf to = { .mem = fixture.mem };
	const int16_t *s;
	size_t n;

	ck_assert_int_eq(opus_decoder_stream(opus_decoder_new(fixture.mem), ogg->p,
			     ogg->len, &to, 60 * HEARD_HZ * sizeof(*s)),
	    OK);
	s = (const int16_t *)(const void *)to.p;
	n = to.len / sizeof(*s);
	for (*loud_at = 0; *loud_at < n && abs(s[*loud_at]) < 1000;)
		++*loud_at;
	return n;
}

static double
loud_seconds(const struct buf *ogg)
{
	size_t loud_at, n = decode(ogg, &loud_at);

	return (double)(n - loud_at) / HEARD_HZ;
}

START_TEST(speech_is_heard_between_silence_as_time_goes_by)
{
	struct player *p = listen_as("a", "es", true);
	size_t n, loud_at;
	struct buf ogg;
	bool whole;

	play(p, 500);
	tell(speaker, "tts_task", "{\"text\":\"0123456789\",\"language\":\"es\"}");
	play(p, 2500);
	ogg = body_of(p, &whole);
	ck_assert(!whole);
	n = decode(&ogg, &loud_at);
	ck_assert_uint_ge(n, 16 * 1500);
	ck_assert_uint_le(n, 16 * 3100);
	ck_assert_uint_ge(loud_at, 16 * 400);
	ck_assert_uint_le(loud_at, 16 * 1500);
	ck_assert_int_eq(count_seen(speaker, "error", ""), 0);
}
END_TEST

/* The stream as MP3, decoded by the sandboxed decoder. */
START_TEST(speech_is_heard_as_mp3)
{
	struct player *ogg = listen_as("a", "es", true);
	struct player *p = listen_to("b", "es", true, true);
	struct stream_decoder *decoder;
	char self[1024] = "";
	struct buf mp3, heard = { .mem = fixture.mem };
	const int16_t *s;
	size_t n, loud = 0;
	bool whole;

	play(p, 300);
	tell(speaker, "tts_task", "{\"text\":\"0123456789\",\"language\":\"es\"}");
	play(p, 2500);
	receive(ogg);
	mp3 = body_of(p, &whole);
	ck_assert_int_eq((unsigned char)mp3.p[0], 0xff);
	ck_assert_int_eq((unsigned char)mp3.p[1], 0xf3); /* MPEG 2, layer III */
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	decoder = stream_decoder_start(fixture.mem,
	    arena_printf(fixture.mem, "%s/../bin/dragoman-decode", dirname(self)),
	    "mp3");
	ck_assert_ptr_nonnull(decoder);
	ck_assert_int_eq(stream_decoder_feed(decoder, mp3.p, mp3.len, &heard,
			     10 * HEARD_HZ * sizeof(*s), 5000),
	    OK);
	stream_decoder_stop(decoder);
	s = (const int16_t *)(const void *)heard.p;
	n = heard.len / sizeof(*s);
	for (size_t i = 0; i < n; i++)
		loud += abs(s[i]) > 1000;
	ck_assert_uint_ge(n, 16 * 1300);
	ck_assert_uint_ge(loud, 16 * 300); /* of 600 ms of a sine */
	ck_assert_uint_le(loud, 16 * 700);
	ck_assert_ptr_ne(
	    gateway.http_listeners->stream, gateway.http_listeners->next->stream);
}
END_TEST

START_TEST(another_language_is_silent)
{
	struct player *es = listen_as("a", "es", true),
		      *fr = listen_as("b", "fr", true);
	struct buf ogg;
	bool whole;

	play(fr, 100);
	tell(speaker, "tts_task", "{\"text\":\"0123456789\",\"language\":\"es\"}");
	play(fr, 2000);
	receive(es);
	ogg = body_of(fr, &whole);
	ck_assert_double_eq(loud_seconds(&ogg), 0);
	ogg = body_of(es, &whole);
	ck_assert_double_gt(loud_seconds(&ogg), 0.1);
}
END_TEST

START_TEST(one_stream_is_made_for_all_and_ends_with_the_last)
{
	struct session *s = speaker->connection->session;
	struct player *a = listen_as("a", "es", true);
	struct player *b = listen_as("b", "es", false);
	const char *tail;

	ck_assert_ptr_nonnull(*sink_state(s, &audio_stream_sink));
	play(a, 400);
	receive(b);
	tail = b->got.p + strlen(ANSWER);
	ck_assert_mem_eq(tail, "OggS", 4); /* HTTP/1.0 has no chunks */
	close(a->fd);
	play(b, 1200);
	ck_assert_ptr_nonnull(*sink_state(s, &audio_stream_sink));
	ck_assert_int_eq(gateway.connections, 2);
	close(b->fd);
	wait_ms(1200);
	ck_assert_ptr_null(*sink_state(s, &audio_stream_sink));
	ck_assert_ptr_null(gateway.http_listeners);
	ck_assert_int_eq(gateway.connections, 1);
}
END_TEST

static bool
is_counted(const char *labels)
{
	struct buf b = { .mem = fixture.mem };

	metrics_write(&b, fixture.app.conf.state_dir);
	return strstr(buf_text(&b),
		   arena_printf(fixture.mem, "dragoman_sockets_closed_total{%s} 1\n",
		       labels)) != NULL;
}

START_TEST(a_session_that_ends_ends_the_answer)
{
	struct player *p = listen_as("a", NULL, true);
	bool whole;

	play(p, 300);
	session_close_soon(
	    speaker->connection->session, CLOSE_SESSION_CLOSED, "it is over");
	play(p, 2000);
	ck_assert(receive(p));
	body_of(p, &whole);
	ck_assert(whole);
	ck_assert(is_counted("kind=\"http\",code=\"1008\",reason=\"SESSION_CLOSED\""));
}
END_TEST

START_TEST(the_language_follows_the_task)
{
	struct player *p = listen_as("a", "es-mx", true);
	struct session *s = speaker->connection->session;

	ck_assert_str_eq(
	    audio_stream_language(*sink_state(s, &audio_stream_sink)), "es");
	tell(speaker, "set_task", TASK(TO("es-MX"), ""));
	wait_ms(300);
	play(p, 300);
	ck_assert_ptr_nonnull(strstr(buf_text(&p->got), ANSWER));
	ck_assert_str_eq(audio_stream_language(*sink_state(s, &audio_stream_sink)),
	    gateway.http_listeners->c->tuned.language);
}
END_TEST

/* Lets seconds pass in the simulated clock. */
static void
pass(int seconds)
{
	static int64_t ahead_us;

	if (seconds == 0)
		ahead_us = 0;
	for (int i = 0; i < seconds; i++) {
		int64_t now = monotonic_us() + (ahead_us += S_US);

		audio_stream_tick(speaker->connection->session, now);
		http_listeners_tick(&gateway, now);
	}
}

START_TEST(whole_pages_are_left_out_for_a_slow_player)
{
	struct player *p = listen_as("a", "es", true);
	size_t loud_at, n;
	struct buf ogg;
	bool whole;

	pass(0);
	for (int i = 0; i < 300 && !gateway.http_listeners->waits; i++)
		pass(1);
	ck_assert(gateway.http_listeners->waits);
	pass(20); /* the listener gets the last second of it */
	receive(p);
	pass(3);
	receive(p);
	ogg = body_of(p, &whole);
	n = decode(&ogg, &loud_at);
	ck_assert_int_eq(gateway.http_listeners->waits, false);
	ck_assert_int_le((int)(n / HEARD_HZ),
	    (int)audio_stream_pages(gateway.http_listeners->stream) - 10);
	ck_assert_int_eq(gateway.http_listeners->page,
	    audio_stream_pages(gateway.http_listeners->stream));
}
END_TEST

START_TEST(a_player_that_takes_nothing_is_closed)
{
	struct player *p = listen_as("a", "es", true);

	pass(0);
	for (int i = 0; i < 300 && !gateway.http_listeners->waits; i++)
		pass(1);
	turn();
	ck_assert_ptr_nonnull(gateway.http_listeners);
	gateway.http_listeners->moved_us -= 31 * S_US;
	turn();
	turn();
	ck_assert_ptr_null(gateway.http_listeners);
	ck_assert(receive(p));
}
END_TEST

START_TEST(one_that_comes_too_often_is_refused)
{
	struct player *p = NULL;

	for (int i = 0; i < 100 && (p == NULL || !receive(p)); i++) {
		p = listen_as("always the same", "es", true);
		turn();
	}
	receive(p);
	ck_assert_str_eq(buf_text(&p->got), REFUSAL);
	ck_assert(
	    is_counted("kind=\"http\",code=\"1008\",reason=\"connection rate limit\""));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("http_listener");
	TCase *t = tcase_create("http");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, speech_is_heard_between_silence_as_time_goes_by);
	tcase_add_test(t, speech_is_heard_as_mp3);
	tcase_add_test(t, another_language_is_silent);
	tcase_add_test(t, one_stream_is_made_for_all_and_ends_with_the_last);
	tcase_add_test(t, a_session_that_ends_ends_the_answer);
	tcase_add_test(t, the_language_follows_the_task);
	tcase_add_test(t, whole_pages_are_left_out_for_a_slow_player);
	tcase_add_test(t, a_player_that_takes_nothing_is_closed);
	tcase_add_test(t, one_that_comes_too_often_is_refused);
	suite_add_tcase(s, t);
	return unit_run(s);
}
