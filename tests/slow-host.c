/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ten sentences are translated into each of these languages on a slow host: none may be
 * lost, however slow it is.
 *
 *	slow-host URL TARGET[,TARGET...]
 *
 * URL is a socket's with ?token=. The program prints the time of the start and of each
 * sentence, and fails if a sentence was not translated.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "ws.h"

#define SENTENCES 10
#define READY_S 120 /* seconds, all repeated requests included */
#define LATE_S 60   /* seconds for a sentence in all languages */

static struct arena *mem;
static struct ws *ws;

static _Noreturn void
die(const char *what, const char *more)
{
	fprintf(stderr, "slow-host: %s%s\n", what, more);
	exit(EXIT_FAILURE);
}

static void
say(const char *type, const char *data)
{
	const char *s =
	    arena_printf(mem, "{\"message_type\":\"%s\",\"data\":%s}", type, data);

	if (!ws_send(ws, WS_TEXT, s, strlen(s)))
		die("the connection is broken", "");
}

static int
set_task(const char *code)
{
	struct buf b = { .mem = mem };
	int targets = 0;

	buf_str(&b,
	    "{\"input_stream\":{\"source\":{\"type\":\"ws\",\"format\":\"pcm_s16le\","
	    "\"sample_rate\":16000}},\"pipeline\":{\"transcription\":"
	    "{\"source_language\":\"en\"},\"translations\":[");
	for (size_t n; *code != '\0'; code += n + (code[n] == ','), targets++) {
		n = strcspn(code, ",");
		buf_printf(&b, "%s{\"target_language\":\"%.*s\"}",
		    targets == 0 ? "" : ",", (int)n, code);
	}
	buf_str(&b, "],\"allowed_message_types\":[\"translated_transcription\"]}}");
	say("set_task", buf_text(&b));
	return targets;
}

static const char *
text_of(const json_t *j, const char *name)
{
	const char *s = json_string_value(json_object_get(j, name));

	return s != NULL ? s : "";
}

/*
 * Returns the type of the next message, or the code of an error or a warning; "": none
 * came.
 */
static const char *
hear(double s)
{
	struct ws_message m = ws_next(ws, mem, s);
	const char *type, *code;
	json_t *j;

	if (m.kind == WS_SILENCE)
		return "";
	if (m.kind != WS_TEXT)
		die("the connection ended: ", m.p);
	j = json_loadb(m.p, m.n, 0, NULL);
	type = arena_str(mem, text_of(j, "message_type"));
	code = arena_str(mem, text_of(json_object_get(j, "data"), "code"));
	json_decref(j);
	return *code != '\0' ? code : type;
}

static double
since(int64_t us)
{
	return (double)(monotonic_us() - us) / S_US;
}

/*
 * Starts the task; a start that takes longer than 25 s is requested again, as clients
 * do.
 */
static int
start(const char *targets)
{
	int64_t begun_us = monotonic_us();
	int n = set_task(targets);

	for (;;) {
		const char *got;

		if (since(begun_us) > READY_S)
			die("the task does not begin", "");
		say("get_task", "{}");
		for (int64_t us = monotonic_us(); since(us) < 1;) {
			got = hear(1);
			if (strcmp(got, "ENGINE_UNAVAILABLE") == 0) {
				printf("not ready after %.1f s\n", since(begun_us));
				set_task(targets);
			}
			if (strcmp(got, "current_task") == 0) {
				printf("running after %.1f s\n", since(begun_us));
				return n;
			}
		}
	}
}

/* Sends a sentence; returns the number of languages in which it arrived. */
static int
translate(int i, int wanted)
{
	int64_t begun_us = monotonic_us();
	int came = 0;

	say("tts_task",
	    arena_printf(mem,
		"{\"text\":\"The house number %d is big.\",\"language\":\"en\","
		"\"translate_text\":true}",
		i));
	while (came < wanted && since(begun_us) < LATE_S) {
		const char *got = hear(1);

		if (*got == '\0') /* else the silence would end the task */
			say("input_audio_data", "{\"data\":\"AAAAAAAA\"}");
		came += strcmp(got, "translated_transcription") == 0;
		if (strcmp(got, "TRANSLATION_FAILED") == 0) {
			printf("sentence %d: %s\n", i, got);
			wanted--;
		}
	}
	printf("sentence %d: %d after %.2f s\n", i, came, since(begun_us));
	return came;
}

int
main(int argc, char **argv)
{
	const char *answer;
	int targets, came = 0;

	if (argc != 3)
		die("URL TARGET[,TARGET...]", "");
	mem = arena_new();
	if ((ws = ws_open(mem, argv[1], NULL, 60, &answer)) == NULL)
		die("no socket: ", answer);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if ((targets = start(argv[2])) == 0)
		die("no targets", "");
	for (int i = 1; i <= SENTENCES; i++)
		came += translate(i, targets);
	printf("%d of %d translated\n", came, SENTENCES * targets);
	ws_drop(ws);
	arena_free(mem);
	return came == SENTENCES * targets ? EXIT_SUCCESS : EXIT_FAILURE;
}
