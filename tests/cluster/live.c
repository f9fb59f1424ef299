/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: live BASE KEY EVENT CHANNEL LISTENERS fresh|kept|mute
 *
 * One speaker and some listeners of a channel, until SIGTERM.  The speaker says a
 * phrase every two seconds: a tone and silence, in real time.  A client that loses
 * its connection connects again every 250 ms: "fresh": with a new join or address, as
 * the pages do; "kept": with its first address, as an unmodified client does.  "mute":
 * likewise, without a speaker.  Every connection goes to the host of BASE, and follows
 * one redirect.
 *
 * Prints lines; times are microseconds since 1970, LISTENER 0 is the speaker:
 *
 *	say BEGIN END             a phrase was sent over one connection
 *	cut BEGIN END             the connection was lost during a phrase
 *	open LISTENER TIME
 *	close LISTENER TIME CODE
 *	text LISTENER TIME ID     a final translation
 *	failed LISTENER TIME STATUS
 *	refused LISTENER TIME ANSWER   no connection; the end of the answer
 */
#include <curl/curl.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/clock.h"
#include "tests/ws.h"

#define HZ 24000
#define CHUNK_US 100000
#define CHUNK_BYTES (HZ / 10 * 2)
#define TONE 6    /* chunks of a phrase with sound */
#define PHRASE 20 /* chunks of a phrase */
#define CLIENTS 512
#define ANSWER 65536

static struct {
	const char *base, *event, *channel;
	char auth[512];
	bool kept, mute;
	int listeners;
	const char *sound[2];  /* messages: silence, tone */
	atomic_int up, ending; /* listeners that were connected; 1: no phrase, 2: end */
} live;

struct client {
	int number;
	struct arena *mem;  /* of this connection */
	struct arena *life; /* the client's, until it ends */
	const char *url;    /* with its token; NULL: to be asked for */
	char last[64];      /* transcription_id */
	char answer[ANSWER];
	size_t n;
};

static void
tell(const char *what, const struct client *c, const char *more)
{
	printf("%s %d %lld %s\n", what, c->number, (long long)now_us(), more);
}

/* ---- requests ---- */

static size_t
take_answer(char *p, size_t size, size_t n, void *arg)
{
	struct client *c = arg;
	size_t room = sizeof(c->answer) - 1 - c->n, some = n < room ? n : room;

	(void)size;
	memcpy(c->answer + c->n, p, some);
	c->n += some;
	c->answer[c->n] = '\0';
	return n;
}

/* Returns the JSON of a good answer, or NULL. */
static json_t *
request(struct client *c, const char *path, const char *body)
{
	CURL *curl = curl_easy_init();
	struct curl_slist *head = curl_slist_append(NULL, live.auth);
	long status = 0;

	head = curl_slist_append(head, "Content-Type: application/json");
	c->n = 0;
	curl_easy_setopt(
	    curl, CURLOPT_URL, arena_printf(c->mem, "%s%s", live.base, path));
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, 10L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, c);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, head);
	if (body != NULL)
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	if (curl_easy_perform(curl) == CURLE_OK)
		curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_slist_free_all(head);
	curl_easy_cleanup(curl);
	if (status / 100 == 2)
		return json_loads(c->answer, 0, NULL);
	tell("failed", c, arena_printf(c->mem, "%ld", status));
	return NULL;
}

/* Set c->url from an answer's data, of which `in` is a member or NULL. */
static void
take_url(struct client *c, json_t *answer, const char *in, const char *name)
{
	const json_t *data = json_object_get(answer, "data");
	const char *url, *token;

	data = in != NULL ? json_object_get(data, in) : data;
	url = json_string_value(json_object_get(data, name));
	token = json_string_value(json_object_get(data, "token"));
	c->url = url != NULL && token != NULL
		     ? arena_printf(c->life, "%s?token=%s", url, token)
		     : NULL;
	json_decref(answer);
}

static void
find_url(struct client *c)
{
	if (c->number == 0)
		take_url(c,
		    request(c, arena_printf(c->mem, "/saas/channel/%s", live.channel),
			NULL),
		    "input", "url");
	else
		take_url(c,
		    request(c,
			arena_printf(
			    c->mem, "/saas/v2/event/public/%s/join", live.event),
			"{\"data\":{\"language\":\"es\"}}"),
		    NULL, "ws_url");
}

/* ---- connections ---- */

/* The same path and query at the host of BASE. */
static const char *
at_base(struct client *c, const char *url)
{
	const char *path = strchr(url + strlen("ws://"), '/');

	return arena_printf(c->mem, "ws%s%s", live.base + strlen("http"), path);
}

static const char *
redirect_of(struct client *c, const char *answer)
{
	const char *at = answer != NULL ? strcasestr(answer, "\r\nLocation: ") : NULL;

	if (at == NULL || strstr(answer, " 307 ") == NULL)
		return NULL;
	at += strlen("\r\nLocation: ");
	return arena_dup(c->mem, at, strcspn(at, "\r\n"));
}

static const char *
last_line(const char *answer)
{
	const char *at = strrchr(answer, '\n');

	return at != NULL && at[1] != '\0' ? at + 1 : answer;
}

static struct ws *
connect_once(struct client *c)
{
	const char *answer = NULL, *url;
	struct ws *ws;

	arena_reset(c->mem);
	if (c->url == NULL || !live.kept)
		find_url(c);
	if (c->url == NULL)
		return NULL;
	url = at_base(c, c->url);
	if (c->number > 0)
		url = arena_printf(c->mem, "%s&audio=0%s%s", url,
		    c->last[0] != '\0' ? "&since=" : "", c->last);
	if ((ws = ws_open(c->mem, url, NULL, 3, &answer)) != NULL)
		return ws;
	if ((url = redirect_of(c, answer)) != NULL) {
		answer = NULL;
		ws = ws_open(c->mem, url, NULL, 3, &answer);
	}
	if (ws == NULL)
		tell("refused", c,
		    arena_printf(c->mem, "%s: %s", url != NULL ? url : "",
			answer != NULL ? last_line(answer) : "none"));
	return ws;
}

/* NULL: the end has come. */
static struct ws *
call(struct client *c)
{
	struct ws *ws;

	while (live.ending < 2) {
		if ((ws = connect_once(c)) != NULL) {
			tell("open", c, "");
			return ws;
		}
		usleep(250000);
	}
	return NULL;
}

static void
take_text(struct client *c, const struct ws_message *m)
{
	json_t *j = json_loadb(m->p, m->n, 0, NULL);
	const char *type = json_string_value(json_object_get(j, "message_type"));
	const char *id = json_string_value(json_object_get(
	    json_object_get(json_object_get(j, "data"), "transcription"),
	    "transcription_id"));

	if (type != NULL && id != NULL &&
	    strcmp(type, "translated_transcription") == 0) {
		snprintf(c->last, sizeof(c->last), "%s", id);
		tell("text", c, id);
	}
	json_decref(j);
}

/* Receive for s seconds at most. False: the connection has ended. */
static bool
receive(struct client *c, struct ws *ws, struct arena *mem, double s)
{
	struct ws_message m;

	arena_reset(mem);
	while ((m = ws_next(ws, mem, s)).kind == WS_TEXT) {
		if (c->number > 0)
			take_text(c, &m);
		arena_reset(mem);
	}
	if (m.kind == WS_SILENCE || m.kind == WS_BINARY)
		return true;
	tell("close", c, arena_printf(c->mem, "%d", m.code));
	return false;
}

/* ---- clients ---- */

static void *
listen_on(void *arg)
{
	struct client *c = arg;
	struct arena *mem = arena_new();
	bool first = true;
	struct ws *ws;

	while ((ws = call(c)) != NULL) {
		live.up += first;
		first = false;
		while (live.ending < 2 && receive(c, ws, mem, 0.5))
			;
		ws_drop(ws);
	}
	return NULL;
}

/* Say one phrase. False: the connection has ended. */
static bool
say(struct client *c, struct ws *ws, struct arena *mem)
{
	int64_t begin = now_us(), due = monotonic_us();
	bool up = true;

	for (int i = 0; i < PHRASE; i++, due += CHUNK_US) {
		const char *message = live.sound[i < TONE];

		while (due > monotonic_us())
			usleep((useconds_t)(due - monotonic_us()));
		up = up && receive(c, ws, mem, 0) &&
		     ws_send(ws, WS_TEXT, message, strlen(message));
		if (!up && i > TONE + 8)
			break; /* the phrase is complete */
	}
	printf("%s %lld %lld\n", up ? "say" : "cut", (long long)begin,
	    (long long)now_us());
	return up;
}

static void *
speak(void *arg)
{
	struct client *c = arg;
	struct arena *mem = arena_new();
	struct ws *ws;

	while (live.ending == 0 && live.up < live.listeners)
		usleep(100000);
	while (live.ending == 0 && (ws = call(c)) != NULL) {
		while (live.ending == 0 && say(c, ws, mem))
			;
		ws_drop(ws);
	}
	return NULL;
}

/* ---- from the beginning to the end ---- */

static void
stop(int number)
{
	(void)number;
	live.ending = 1;
}

static const char *
message_of(struct arena *mem, double volume)
{
	int16_t *s = arena_alloc(mem, CHUNK_BYTES);

	for (int i = 0; i < CHUNK_BYTES / 2; i++)
		s[i] = (int16_t)(volume * sin(2 * M_PI * 300 * i / HZ));
	return arena_printf(mem,
	    "{\"message_type\":\"input_audio_data\",\"data\":{\"data\":\"%s\"}}",
	    base64(mem, s, CHUNK_BYTES));
}

static void
run(struct arena *mem)
{
	static pthread_t threads[CLIENTS];
	int n = live.listeners + 1, first = live.mute;

	for (int i = first; i < n; i++) {
		struct client *c = arena_alloc(mem, sizeof(*c));

		*c = (struct client){
			.number = i, .mem = arena_new(), .life = arena_new()
		};
		pthread_create(&threads[i], NULL, i == 0 ? speak : listen_on, c);
	}
	while (live.ending == 0)
		usleep(100000);
	sleep(5); /* the last texts */
	live.ending = 2;
	for (int i = first; i < n; i++)
		pthread_join(threads[i], NULL);
}

int
main(int argc, char **argv)
{
	struct arena *mem = arena_new();

	if (argc != 7 || atoi(argv[5]) < 1 || atoi(argv[5]) >= CLIENTS) {
		fprintf(stderr, "usage: live BASE KEY EVENT CHANNEL LISTENERS "
				"fresh|kept|mute\n");
		return 2;
	}
	live.base = argv[1];
	snprintf(live.auth, sizeof(live.auth), "Authorization: Bearer %s", argv[2]);
	live.event = argv[3];
	live.channel = argv[4];
	live.listeners = atoi(argv[5]);
	live.mute = strcmp(argv[6], "mute") == 0;
	live.kept = live.mute || strcmp(argv[6], "kept") == 0;
	live.sound[0] = message_of(mem, 0);
	live.sound[1] = message_of(mem, 8000);
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGTERM, stop);
	signal(SIGPIPE, SIG_IGN);
	curl_global_init(CURL_GLOBAL_ALL);
	run(mem);
	return 0;
}
