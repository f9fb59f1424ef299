/* What an STT socket is told when nothing more comes and the engines are late. */
#include "pipeline/stt_output.h"
#include "session/stt_query.h"
#include "tests/unit/gateway_fixture.h"

#include <semaphore.h>

#define THREADS 4 /* of gateway_open() */
#define HZ 16000
#define TONE 8000 /* of 16 bits: a voice to the script's ears */

/* ---- engines that are late: every thread of the pool has something else to do ---- */

static sem_t held, let_go;

static void
hold(void *self, struct actor_message *l)
{
	(void)self;
	sem_post(&held);
	sem_wait(&let_go);
	arena_free(l->mem);
}

static void
forget(void *self)
{
	(void)self;
}

static void
hold_engines(void)
{
	sem_init(&held, 0, 0);
	sem_init(&let_go, 0, 0);
	for (int i = 0; i < THREADS; i++) {
		struct actor *a = actor_new(gateway.pool, NULL, hold, forget);

		actor_send(a, ACTOR_MESSAGE(struct actor_message));
		actor_leave(a);
	}
	for (int i = 0; i < THREADS; i++)
		sem_wait(&held);
}

static void
let_engines_go(void)
{
	for (int i = 0; i < THREADS; i++)
		sem_post(&let_go);
}

/* ---- a socket ---- */

static struct websocket *
connect_stt(void)
{
	const struct stt_in in = { "en", NULL, NULL, NULL, NULL_INT };
	struct connection_request *v = THREAD_CALL(struct connection_request);
	struct arena *mem = v->call.message.mem;
	struct websocket *s = arena_alloc(fixture.mem, sizeof(*s));
	struct stt_params *want = arena_alloc(mem, sizeof(*want));
	struct fault *faults;

	ck_assert(stt_query_read(mem, gateway.engines, &in, want, &faults));
	v->kind = SOCKET_STT;
	v->account = arena_str(mem, fixture.account);
	v->stream = arena_str(mem, new_session());
	v->credential = v->stream;
	v->writes = v->listens = true;
	v->stt = want;
	gateway.connections++;
	s->connection = session_owner.opened(&gateway, s, v);
	return s;
}

/* A second of sound, and what asks for its text. */
static void
speak(struct websocket *s)
{
	int16_t sound[HZ];

	for (int i = 0; i < HZ; i++)
		sound[i] = (int16_t)(TONE * sin(2 * M_PI * 300 * i / HZ));
	session_owner.message(s->connection, (const char *)sound, sizeof(sound), true);
}

static void
finalize(struct websocket *s)
{
	static const char ask[] = "{\"message_type\":\"finalize\"}";

	session_owner.message(s->connection, ask, sizeof(ask) - 1, false);
}

static int
answers(const struct websocket *s)
{
	int n = 0;

	for (int i = 0; i < s->n; i++)
		n += strstr(s->said[i], STT_FIN) != NULL;
	return n;
}

/* Its room thinks so many seconds have gone by without a frame. */
static void
silence(struct websocket *s, int seconds)
{
	struct session *session = s->connection->session;

	session->ops->tick(session, monotonic_us() + seconds * S_US);
}

static void
await_running(struct websocket *s)
{
	while (gateway.tasks == 0)
		gateway_tick();
	ck_assert_int_eq(s->code, 0);
}

/* ---- cases ---- */

START_TEST(a_finalize_is_answered_before_silence_ends_the_socket)
{
	struct websocket *s = connect_stt();

	await_running(s);
	hold_engines();
	speak(s);
	finalize(s);
	silence(s, 11);
	silence(s, 29);
	ck_assert_int_eq(s->code, 0);
	let_engines_go();
	while (s->code == 0)
		gateway_tick();
	ck_assert_int_eq(s->code, 1001);
	ck_assert_int_eq(answers(s), 1);
}
END_TEST

START_TEST(without_anything_to_hear_silence_ends_the_socket)
{
	struct websocket *s = connect_stt();

	await_running(s);
	silence(s, 9);
	ck_assert_int_eq(s->code, 0);
	silence(s, 11);
	while (s->code == 0)
		gateway_tick();
	ck_assert_int_eq(s->code, 1001);
	ck_assert_str_eq(s->reason, "no audio");
}
END_TEST

START_TEST(a_frame_that_comes_meanwhile_keeps_the_socket)
{
	struct websocket *s = connect_stt();

	await_running(s);
	hold_engines();
	speak(s);
	silence(s, 11);
	finalize(s);
	let_engines_go();
	while (answers(s) == 0)
		gateway_tick();
	gateway_wait(50);
	ck_assert_int_eq(s->code, 0);
	silence(s, 11);
	while (s->code == 0)
		gateway_tick();
	ck_assert_int_eq(s->code, 1001);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: silence");
	TCase *t = tcase_create("stt");

	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_finalize_is_answered_before_silence_ends_the_socket);
	tcase_add_test(t, without_anything_to_hear_silence_ends_the_socket);
	tcase_add_test(t, a_frame_that_comes_meanwhile_keeps_the_socket);
	suite_add_tcase(s, t);
	return unit_run(s);
}
