/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listeners of a session: one language each, and no commands. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "stream.h"

static struct account me;

static void
before(void)
{
	me = account_new("stream listeners");
	account_plan(&me, "--parallel_sessions", "0");
}

#define TWO                                                                            \
	"{" SOURCE(                                                                    \
	    16000) "," SINK ",\"pipeline\":{\"transcription\":"                        \
		   "{\"source_language\":\"en\"},\"translations\":["                   \
		   "{\"target_language\":\"es\"},{\"target_language\":\"fr\"}],"       \
		   "\"allowed_message_types\":[]}}"

struct broadcast {
	struct session session;
	struct ws *speaker;
};

static struct broadcast
open_broadcast(void)
{
	struct broadcast h = { session_new(&me, "{\"data\":{\"subscriber_count\":2}}"),
		NULL };

	h.speaker = stream_open(&h.session, h.session.publisher);
	start_task(h.speaker, TWO);
	return h;
}

static struct ws *
listen_in(const struct broadcast *h, const char *query)
{
	const char *token = text_at(h->session.json, "subscriber.0");

	return stream_call(
	    text("%s?token=%s%s", h->session.ws_url, token, query), NULL);
}

/* The languages of one phrase that a listener received, as text and as speech. */
struct heard {
	int en, es, fr, es_speech, fr_speech;
};

static struct heard
hear_phrase(struct ws *ws)
{
	struct heard is = { 0 };
	const json_t *j;

	while ((j = hear_any(ws, 0.7)) != NULL) {
		bool speech =
		    strcmp(text_at(j, "message_type"), "output_audio_data") == 0;
		const char *code = text_at(
		    j, speech ? "data.language" : "data.transcription.language");

		is.en += strcmp(code, "en") == 0;
		is.es += !speech && strcmp(code, "es") == 0;
		is.fr += !speech && strcmp(code, "fr") == 0;
		is.es_speech += speech && strcmp(code, "es") == 0;
		is.fr_speech += speech && strcmp(code, "fr") == 0;
	}
	return is;
}

static const struct {
	const char *query;
	struct heard is; /* 1: some */
} wishes[] = {
	{ "", { .es = 1, .es_speech = 1 } },
	{ "&language=fr", { .fr = 1, .fr_speech = 1 } },
	{ "&language=fr&audio=0", { .fr = 1 } },
	{ "&language=fr&format=opus", { .fr = 1, .fr_speech = 1 } },
	{ "&language=all", { 1, 1, 1, 1, 1 } },
};

START_TEST(a_listener_is_sent_his_language_and_nothing_else)
{
	struct broadcast h = open_broadcast();
	struct ws *ws = listen_in(&h, wishes[_i].query);
	struct heard is;

	speak(h.speaker, 0.6, 1.0);
	is = hear_phrase(ws);
	ck_assert_int_eq(is.en > 0, wishes[_i].is.en);
	ck_assert_int_eq(is.es > 0, wishes[_i].is.es);
	ck_assert_int_eq(is.fr > 0, wishes[_i].is.fr);
	ck_assert_int_eq(is.es_speech > 0, wishes[_i].is.es_speech);
	ck_assert_int_eq(is.fr_speech > 0, wishes[_i].is.fr_speech);
}
END_TEST

/* ---- by plain HTTP ---- */

/* Another process deletes the session once some speech is translated. */
static pid_t
speak_and_end(const struct broadcast *h)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	nap(0.5);
	speak(h->speaker, 0.6, 1.0);
	hear_speech(h->speaker, "es", 10);
	nap(2); /* time to play it */
	ASK(.method = "DELETE", .as = &me,
	    .path = text("/session-storage/sessions/%s", h->session.id));
	_exit(0);
}

static const struct {
	const char *form, *type, *begins;
} sounds[] = {
	{ "ogg", "audio/ogg", "OggS" },
	{ "mp3", "audio/mpeg", "\xff\xf3" },
};

START_TEST(a_listener_hears_by_plain_http)
{
	struct broadcast h = open_broadcast();
	const char *token = text_at(h.session.json, "subscriber.0");
	const char *path = text(
	    "/streaming-api/listen.%s?language=es&token=%s", sounds[_i].form, token);
	struct answer head = ASK(.method = "HEAD", .path = path), a;
	pid_t pid = speak_and_end(&h);

	a = ASK(.path = path);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	EXPECT(head, 200);
	EXPECT(a, 200);
	ck_assert_str_eq(header_of(&head, "Content-Type"), sounds[_i].type);
	ck_assert_str_eq(header_of(&a, "Content-Type"), sounds[_i].type);
	ck_assert_str_eq(header_of(&a, "Cache-Control"), "no-store");
	ck_assert_str_eq(header_of(&a, "Access-Control-Allow-Origin"), "*");
	ck_assert_mem_eq(a.body, sounds[_i].begins, strlen(sounds[_i].begins));
	ck_assert_uint_gt(a.n, 2000); /* silence alone would be half of that */
}
END_TEST

static const struct {
	const char *query;
	int status;
	const char *slug;
} refused[] = {
	{ "&language=all", 422, "validation-error" },
	{ "&language=zz", 422, "validation-error" },
	{ "x", 401, "unauthorized" },
};

START_TEST(a_listener_by_plain_http_is_refused)
{
	struct broadcast h = open_broadcast();
	const char *token = text_at(h.session.json, "subscriber.0");
	struct answer a = ASK(.path = text("/streaming-api/listen.ogg?token=%s%s",
				  token, refused[_i].query));

	expect_problem(&a, refused[_i].status, refused[_i].slug);
	a = ASK(.path =
		    text("/streaming-api/listen.ogg?token=%s", h.session.publisher));
	expect_problem(&a, 403, "insufficient-scope");
}
END_TEST

START_TEST(a_listener_changes_his_language)
{
	struct broadcast h = open_broadcast();
	struct ws *ws = listen_in(&h, "&language=es");
	struct heard is;

	say(ws, "set_language", "{\"language\":\"fr\"}");
	nap(0.2);
	speak(h.speaker, 0.6, 1.0);
	is = hear_phrase(ws);
	ck_assert_int_gt(is.fr, 0);
	ck_assert_int_gt(is.fr_speech, 0);
	ck_assert_int_eq(is.es + is.es_speech + is.en, 0);
}
END_TEST

static const char *const forbidden[][2] = { { "set_task", TASK },
	{ "pause_task", "{}" }, { "flush_task", "{}" }, { "end_task", "{}" },
	{ "tts_task", "{\"text\":\"x\",\"language\":\"es\"}" },
	{ "input_audio_data", "{\"data\":\"AAAA\"}" } };

START_TEST(a_listener_says_nothing)
{
	struct broadcast h = open_broadcast();
	struct ws *ws = listen_in(&h, "");
	const json_t *told;

	for (int i = 0; i < ROWS(forbidden); i++) {
		say(ws, forbidden[i][0], forbidden[i][1]);
		hear_error(ws, "PERMISSION_DENIED", 2);
	}
	say(ws, "get_task", "{}");
	told = hear_next(ws, "current_task", 2);
	ck_assert_str_eq(text_at(told, "task_status"), "running");
	ck_assert_ptr_null(at(told, "input_stream"));
	say(h.speaker, "get_task", "{}");
	told = hear_next(h.speaker, "current_task", 2);
	ck_assert_int_eq(int_at(told, "listeners.es"), 1);
}
END_TEST

START_TEST(the_end_is_the_end_for_listeners_too)
{
	struct broadcast h = open_broadcast();
	struct ws *ws = listen_in(&h, "");
	bool eos;

	say(h.speaker, "end_task", "{\"eos_timeout\":1}");
	hear_close(h.speaker, 1000, 3, NULL);
	hear_close(ws, 1000, 3, &eos);
	ck_assert(eos);
}
END_TEST

/* Web servers close connections that are silent for a minute. */
START_TEST(a_stream_that_is_paused_is_pinged)
{
	struct broadcast h = open_broadcast();

	say(h.speaker, "pause_task", "{}");
	hear_nothing(h.speaker, 21);
	ck_assert_int_eq(ws_pings(h.speaker), 1);
	say(h.speaker, "get_task", "{}");
	ck_assert_str_eq(
	    text_at(hear_next(h.speaker, "current_task", 2), "task_status"), "paused");
}
END_TEST

START_TEST(an_unknown_language_is_refused)
{
	struct broadcast h = open_broadcast();
	const char *token = text_at(h.session.json, "subscriber.0");
	struct answer a = stream_refused(
	    text("%s?token=%s&language=klingon", h.session.ws_url, token), NULL, NULL);

	expect_problem(&a, 422, "validation-error");
}
END_TEST

Suite *
stream_listeners_suite(void)
{
	TCase *t;
	Suite *s = suite_of("stream-listeners", before, &t);

	tcase_add_loop_test(
	    t, a_listener_is_sent_his_language_and_nothing_else, 0, ROWS(wishes));
	tcase_add_loop_test(t, a_listener_hears_by_plain_http, 0, ROWS(sounds));
	tcase_add_loop_test(t, a_listener_by_plain_http_is_refused, 0, ROWS(refused));
	tcase_add_test(t, a_listener_changes_his_language);
	tcase_add_test(t, a_listener_says_nothing);
	tcase_add_test(t, a_stream_that_is_paused_is_pinged);
	tcase_add_test(t, an_unknown_language_is_refused);
	tcase_add_test(t, the_end_is_the_end_for_listeners_too);
	return s;
}
