/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of a running task to its engines. */
#include <dirent.h>

#include "server/capability_probe.h"
#include "tests/unit/pipeline_engines_fixture.h"

/* ---- talk without a pause ---- */

START_TEST(talk_without_a_pause_is_translated_while_it_goes_on)
{
	struct websocket *s;

	gateway_engines(_i == 0 ? "[speech]\nasr = script\nmt = script\ntts = script\n"
				: arena_printf(fixture.mem, WHISPER, server.port));
	s = start_task(TASK(TO("es"), ""));
	for (int i = 0; i < 21; i++)
		send_talk(s);
	await_seen(s, "validated_transcription", "", 2);
	await_seen(s, "translated_transcription", "", 2);
	send_sound(s, 1000, false);
	await_seen(s, "validated_transcription", "", 3);
}
END_TEST

/* ---- admission ---- */

#define SPHINX "[speech]\nasr = pocketsphinx\nmt = script\ntts = script\n"

/* Returns the number of pipelines that have a recognizer. */
static int
count_hearing(void)
{
	int n = 0;

	for (struct session *s = gateway.sessions; s != NULL; s = s->next)
		for (struct pipeline_slot *slot = s->slots; slot != NULL;
		     slot = slot->next)
			n += pipeline_recognizes(slot->pipeline);
	return n;
}

static void
await_hearing(int n)
{
	gateway_tick();
	gateway_await(count_hearing() == n);
}

START_TEST(a_task_beyond_the_limit_finds_no_capacity)
{
	struct websocket *a, *b = connect_writer();

	gateway_engines(SPHINX);
	asr_limit(1);
	a = start_task(TASK(TO("es"), ""));
	tell(b, "set_task", TASK(TO("es"), ""));
	await_seen(b, "ENGINE_UNAVAILABLE", "\"desc\":\"no capacity\"", 1);
	ck_assert_int_eq(b->connection->session->state, STATE_NONE);
	ck_assert_int_eq(b->code, 0);
	tell(a, "get_task", "{}");
	ck_assert_int_eq(count_seen(a, "current_task", "running"), 1);
	tell(a, "tts_task", "{\"text\":\"still here\",\"language\":\"es\"}");
	await_seen(a, "translated_transcription", "still here", 1);
	tell(a, "end_task", "{\"force\":true}");
	await_hearing(0);
	tell(b, "set_task", TASK(TO("es"), ""));
	await_state(b, STATE_RUNNING);
}
END_TEST

START_TEST(a_replaced_task_needs_no_second_place)
{
	struct websocket *a;

	gateway_engines(SPHINX);
	asr_limit(1);
	a = start_task(TASK(TO("es"), ""));
	tell(a, "set_task", TASK(TO("fr"), ""));
	await_shift(a, 2);
	await_hearing(1);
	tell(a, "pause_task", "{}");
	tell(a, "set_task", TASK(TO("es"), ""));
	await_shift(a, 3);
	await_hearing(1);
	ck_assert_int_eq(count_seen(a, "\"error\"", ""), 0);
}
END_TEST

START_TEST(a_full_engine_is_replaced_by_another)
{
	struct websocket *a, *b;

	gateway_engines("[speech]\nasr = pocketsphinx script\nmt = script\n"
			"tts = script\n");
	asr_limit(1);
	a = start_task(TASK("", ""));
	b = start_task(TASK("", ""));
	send_phrase(b);
	await_seen(b, FINAL, "hello world", 1);
	ck_assert_int_eq(a->code, 0);
}
END_TEST

/* ---- the first phrase ---- */

/*
 * Returns the process ids of the children of one of our threads, separated by blanks.
 */
static const char *
children_of(const char *thread)
{
	const char *path =
	    arena_printf(fixture.mem, "/proc/self/task/%s/children", thread);
	FILE *f = fopen(path, "r");
	char *list = arena_alloc(fixture.mem, 4096);

	if (f != NULL) {
		list[fread(list, 1, 4095, f)] = '\0';
		fclose(f);
	}
	return list;
}

static bool
reads_file(pid_t pid, const char *file)
{
	FILE *f = fopen(arena_printf(fixture.mem, "/proc/%d/cmdline", (int)pid), "r");
	char line[4096];
	size_t n = f != NULL ? fread(line, 1, sizeof(line), f) : 0;

	if (f != NULL)
		fclose(f);
	return memmem(line, n, file, strlen(file)) != NULL;
}

/*
 * Finds a child that reads this file ("": any); *n is their number; 0: there is none.
 */
static pid_t
find_children(const char *file, int *n)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *d;
	pid_t found = 0;

	*n = 0;
	while ((d = readdir(dir)) != NULL) {
		const char *list = children_of(d->d_name);
		char *end;

		for (long pid; (pid = strtol(list, &end, 10)) > 0; list = end)
			if (reads_file((pid_t)pid, file)) {
				found = (pid_t)pid;
				++*n;
			}
	}
	closedir(dir);
	return found;
}

static int
count_children(void)
{
	int n;

	find_children("", &n);
	return n;
}

static pid_t
find_child(const char *file)
{
	int n;

	return find_children(file, &n);
}

#define APERTIUM "[speech]\nasr = script\nmt = apertium\ntts = script\n"

START_TEST(translators_are_ready_for_the_first_phrase)
{
	struct websocket *s;
	int before = count_children();

	gateway_engines(APERTIUM);
	s = start_task(TASK(TO("es-mx"), ""));
	ck_assert_int_ge(count_children(), before + 5);
	ck_assert_int_eq(s->n, count_seen(s, "task_status", ""));
}
END_TEST

/*
 * Starts a task whose translator does not become ready, because one of its programs is
 * stopped.
 */
static struct websocket *
start_stopped(pid_t *pid)
{
	struct websocket *s = connect_writer();

	gateway_engines(APERTIUM);
	tell(s, "set_task", TASK(TO("es"), ""));
	gateway_await((*pid = find_child("eng-spa.t1x.bin")) > 0);
	kill(*pid, SIGSTOP);
	gateway_wait(1500);
	ck_assert_int_eq(s->connection->session->state, STATE_STARTING);
	return s;
}

START_TEST(a_task_runs_when_its_translators_have_answered_once)
{
	pid_t pid;
	struct websocket *s = start_stopped(&pid);

	send_phrase(s);
	kill(pid, SIGCONT);
	await_state(s, STATE_RUNNING);
	await_seen(s, "translated_transcription", "\"language\":\"es\"", 1);
	ck_assert_int_eq(find_child("eng-spa.t1x.bin"), pid);
}
END_TEST

START_TEST(a_translator_that_does_not_get_ready_has_25_seconds)
{
	pid_t pid;
	struct websocket *s = start_stopped(&pid);

	s->connection->session->starting_us -= 25 * S_US;
	await_seen(s, "ENGINE_UNAVAILABLE", "", 1);
	ck_assert_int_eq(s->connection->session->state, STATE_NONE);
	kill(pid, SIGCONT);
	/* The task was not dropped. */
	tell(s, "set_task", TASK(TO("es"), ""));
	await_state(s, STATE_RUNNING);
	ck_assert_int_eq(find_child("eng-spa.t1x.bin"), pid);
}
END_TEST

START_TEST(a_task_that_ends_before_its_translators_are_ready_waits_for_nothing)
{
	pid_t pid;
	struct websocket *s = start_stopped(&pid);

	tell(s, "end_task", "{\"force\":true}");
	hang_up(s);
	gateway_await(gateway.sessions == NULL);
	kill(pid, SIGKILL);
}
END_TEST

/* ---- voices ---- */

static const struct {
	const char *target;
	int hz, warnings;
} voices[] = {
	{ SPOKEN("\"voice_id\":\"default_high\""), 440, 0 },
	/*
	 * the speaker's own voice is not available: the default is used, with a warning
	 */
	{ SPOKEN("\"voice_id\":\"default_high\",\"voice_cloning\":true"), 220, 1 },
	{ SPOKEN("\"voice_cloning\":true"), 220, 1 },
	/* chosen by pitch, whatever the voice's id and owner */
	{ SPOKEN("\"voice_cloning\":true,\"voice_timbre_detection\":{"
		 "\"enabled\":true}"),
	    440, 0 },
};

START_TEST(the_default_replaces_the_speakers_own_voice)
{
	struct websocket *s;

	s = start_task(arena_printf(fixture.mem, TASK("%s", ""), voices[_i].target));
	send_phrase(s); /* 300 Hz */
	await_seen(s, "output_audio_data", "\"last_chunk\":true", 1);
	send_phrase(s);
	await_seen(s, "output_audio_data", "\"last_chunk\":true", 2);
	ck_assert_int_le(abs(count_crossings(s) - voices[_i].hz * 2 / 5), 3);
	ck_assert_int_eq(
	    count_seen(s, "VOICE_NOT_FOUND", "is not available, using default voice"),
	    voices[_i].warnings);
}
END_TEST

/* ---- what engines can do ---- */

static bool told;

static void
note(struct gateway *g, struct thread_call *e)
{
	(void)g;
	told = true;
	arena_free(e->message.mem);
}

/* The server sends no answer for three seconds. */
START_TEST(the_sockets_do_not_wait_for_what_engines_say_of_themselves)
{
	struct capability_probe *probe = capability_probe_new(&gateway);
	struct thread_call *then = THREAD_CALL(struct thread_call);
	struct websocket *s = connect_writer();
	int64_t now = monotonic_us();

	then->run = note;
	told = false;
	gateway_engines(arena_printf(fixture.mem,
	    "[speech]\nasr = script\nmt = libre\ntts = script\n"
	    "[engine.libre]\nkind = libretranslate\ntimeout_ms = 3000\n"
	    "url = http://127.0.0.1:%d/silent\n",
	    server.port));
	capability_probe_ask(probe, gateway.engines, then);
	capability_probe_tick(probe, now + CAPABILITY_PROBE_SOON_US + S_US);
	ck_assert_int_lt(monotonic_us() - now, 5 * S_US / 2);
	gateway_await(told);
	ck_assert_int_ge(monotonic_us() - now, 29 * S_US / 10);
	now = monotonic_us();
	tell(s, "set_task", TASK(TO("es"), ""));
	ck_assert_int_lt(monotonic_us() - now, 5 * S_US / 2);
	ck_assert_int_eq(
	    count_seen(s, "VALIDATION_ERROR", "unsupported language pair"), 1);
	capability_probe_leave(probe);
}
END_TEST

START_TEST(engines_are_asked_anew_after_a_while)
{
	struct capability_probe *probe = capability_probe_new(&gateway);
	int64_t now = monotonic_us();
	int before = engine_server_count(&server, fixture.mem, "requests"), after;

	gateway_engines(arena_printf(fixture.mem,
	    "[speech]\nasr = script\nmt = libre\ntts = script\n"
	    "[engine.libre]\nkind = libretranslate\ntimeout_ms = 1000\n"
	    "url = http://127.0.0.1:%d\n",
	    server.port));
	capability_probe_tick(probe, now + CAPABILITY_PROBE_SOON_US - S_US);
	gateway_wait(100);
	after = engine_server_count(&server, fixture.mem, "requests");
	capability_probe_tick(probe, now + CAPABILITY_PROBE_SOON_US + S_US);
	gateway_await(engine_server_count(&server, fixture.mem, "requests") - after >
		      after - before);
	ck_assert(registry_pairs(gateway.engines, "en", "es"));
	capability_probe_leave(probe);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway_engines");
	TCase *t = tcase_create("engines");

	tcase_add_checked_fixture(t, open_fixture, close_fixture);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(
	    t, talk_without_a_pause_is_translated_while_it_goes_on, 0, 2);
	tcase_add_test(t, a_task_beyond_the_limit_finds_no_capacity);
	tcase_add_test(t, a_replaced_task_needs_no_second_place);
	tcase_add_test(t, a_full_engine_is_replaced_by_another);
	tcase_add_test(t, translators_are_ready_for_the_first_phrase);
	tcase_add_test(t, a_task_runs_when_its_translators_have_answered_once);
	tcase_add_test(t, a_translator_that_does_not_get_ready_has_25_seconds);
	tcase_add_test(
	    t, a_task_that_ends_before_its_translators_are_ready_waits_for_nothing);
	tcase_add_test(t, the_sockets_do_not_wait_for_what_engines_say_of_themselves);
	tcase_add_test(t, engines_are_asked_anew_after_a_while);
	tcase_add_loop_test(
	    t, the_default_replaces_the_speakers_own_voice, 0, COUNT(voices));
	suite_add_tcase(s, t);
	return unit_run(s);
}
