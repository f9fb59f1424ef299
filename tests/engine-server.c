/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plays OpenAI's and ElevenLabs' speech servers on 127.0.0.1 for the tests.
 *
 *     engine-server [KEY]      KEY is the credential it takes, "test-key"
 *
 * It prints its port and serves until its standard input closes.  Voices are
 * kept in memory; speech is a sine whose pitch depends on the voice, a
 * twentieth of a second a byte of text.  Besides the providers' paths:
 *
 *     GET /count        {"voices": kept, "connections": accepted so far, "requests" of
 *                       any kind, "heard": those to hear, "at_once": most of them at a
 *                       time, "streamed": the last voice that was heard on a stream, or
 *                       at OpenAI's
 *     ANY /echo         the request as it arrived, head and body
 *     GET /bytes/N      N zeros
 *     POST /mt          a translation, of the generic kind; /translate and /languages
 *                       are LibreTranslate's
 *     POST /say         speech, of the generic kind
 *     POST /script/hear, /script/chat   the body is what models called "scripted" say
 *
 * In front of any path, one of the table `faults` ("http://127.0.0.1:PORT/silent"
 * is a base address all of whose calls go unanswered), or:
 *
 *     /status-NNN       that status, as JSON; 429 with Retry-After: 7
 *     /redirect         302 to the same path without the fault
 *     /lost             a POST is done, then the connection closes
 *     /late-NNN         so many ms go by from the request to the answer, however
 *                       many there are; for what is hearing, translation, speech
 */
#include <netinet/tcp.h>
#include <stdatomic.h>

#include "engine-hear.h"
#include "engine-mt.h"
#include "engine-say.h"
#include "engine-socket.h"

#define VOICES 64

/* OpenAI's API finds a voice by its name, ElevenLabs' by its id, "v" and a number. */
struct voice {
	char name[128];
	char id[128]; /* "": free */
	bool openai;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct voice voices[VOICES];
static atomic_int connections, requests, last_id;
static const char *server_key = "test-key";
static char streamed[128]; /* the last voice that was requested as a stream */

static bool
is_openai(const struct request *rq)
{
	return strncmp(rq->path, "/v1/audio/", 10) == 0;
}

static struct voice *
find_voice(const char *id, bool openai)
{
	for (struct voice *v = voices; v < voices + VOICES; v++)
		if (*v->id != '\0' && v->openai == openai && strcmp(v->id, id) == 0)
			return v;
	return NULL;
}

static struct voice *
add_voice(const char *name, bool openai)
{
	struct voice *v = voices;

	while (*v->id != '\0')
		if (++v == voices + VOICES)
			abort();
	snprintf(v->name, sizeof(v->name), "%s", name);
	v->openai = openai;
	if (openai)
		snprintf(v->id, sizeof(v->id), "%s", name);
	else
		snprintf(v->id, sizeof(v->id), "v%d", ++last_id);
	return v;
}

static bool
openai_speech(struct request *rq)
{
	const char *text = member(rq, "input"), *voice = member(rq, "voice"),
		   *format = member(rq, "response_format");
	struct buf pcm, file;

	if (text == NULL || voice == NULL || format == NULL ||
	    member(rq, "model") == NULL)
		return reply_error(rq, 422, "a field is missing");
	if (strstr(" alloy onyx nova slow ", arena_printf(rq->mem, " %s ", voice)) ==
		NULL &&
	    find_voice(voice, true) == NULL)
		return reply_error(rq, 400, "no such voice");
	snprintf(streamed, sizeof(streamed), "%s", voice);
	if (strstr(member(rq, "model"), "-only") != NULL && strcmp(format, "pcm") != 0)
		return reply_error(rq, 422, "response_format is not supported");
	pcm = sine(rq->mem, voice, text, 24000);
	if (strcmp(format, "pcm") == 0 && say_coded(rq, member(rq, "model"), &pcm))
		return true;
	file = wav(rq->mem, &pcm);
	if (strcmp(voice, "slow") == 0)
		return say_slowly(rq, strcmp(format, "pcm") == 0 ? &pcm : &file);
	if (strcmp(format, "pcm") == 0)
		return reply(rq, 200, "audio/pcm", pcm.p, pcm.len);
	return reply(rq, 200, "audio/wav", file.p, file.len);
}

static bool
eleven_list(struct request *rq)
{
	struct buf b = { .mem = rq->mem };

	buf_str(&b, "{\"voices\":[{}");
	for (struct voice *v = voices; v < voices + VOICES; v++)
		if (*v->id != '\0' && !v->openai)
			buf_printf(&b, ",{\"voice_id\":\"%s\",\"name\":\"%s\"}", v->id,
			    v->name);
	buf_str(&b, "]}");
	return reply_json(rq, 200, buf_text(&b));
}

/* ElevenLabs makes a second voice of the same name, OpenAI does not. */
static bool
add(struct request *rq)
{
	bool openai = is_openai(rq);
	const char *name = part(rq, "name");
	const char *sample = part(rq, openai ? "audio_sample" : "files");

	if (*name == '\0' || strncmp(sample, "RIFF", 4) != 0 ||
	    *part(rq, openai ? "consent" : "labels") == '\0')
		return reply_error(rq, 422, "a part is missing");
	if (openai && find_voice(name, true) != NULL)
		return reply_error(rq, 400, "Voice already exists");
	return reply_json(rq, 200,
	    arena_printf(
		rq->mem, "{\"voice_id\":\"%s\"}", add_voice(name, openai)->id));
}

static bool
eleven_speech(struct request *rq)
{
	const char *text = member(rq, "text"), *model = member(rq, "model_id");
	const char *voice = arena_dup(rq->mem, rq->rest, strcspn(rq->rest, "/"));
	const char *more = rq->rest + strlen(voice);
	struct buf pcm;

	if (*more != '\0' && strcmp(more, "/stream") != 0)
		return reply_error(rq, 404, "Not Found");
	if (text == NULL || model == NULL ||
	    strcmp(rq->query, "?output_format=pcm_22050") != 0)
		return reply_error(rq, 422, "a field is missing");
	if (strstr(model, "_v2_5") == NULL && member(rq, "language_code") != NULL)
		return reply_error(rq, 400, "this model takes no language");
	if (strcmp(voice, "JBFqnCBsd6RMkjVDRZzb") != 0 &&
	    strcmp(voice, "EXAVITQu4vr4xnSDxMaL") != 0 &&
	    find_voice(voice, false) == NULL)
		return reply_error(rq, 404, "voice_not_found");
	pcm = sine(rq->mem, voice, text, 22050);
	if (*more != '\0')
		snprintf(streamed, sizeof(streamed), "%s", voice);
	if (*more != '\0')
		return say_in_pieces(rq, &pcm);
	return reply(rq, 200, "audio/pcm", pcm.p, pcm.len);
}

/* For an unknown voice OpenAI answers 404, ElevenLabs 400. */
static bool
drop_voice(struct request *rq)
{
	bool openai = is_openai(rq);
	struct voice *v = find_voice(rq->rest, openai);

	if (v == NULL)
		return reply_error(rq, openai ? 404 : 400, "voice_does_not_exist");
	*v->id = '\0';
	return reply_json(rq, 200, "{\"success\":true}");
}

static bool
count(struct request *rq)
{
	int n = 0;

	for (struct voice *v = voices; v < voices + VOICES; v++)
		n += *v->id != '\0';
	return reply_json(rq, 200,
	    arena_printf(rq->mem,
		"{\"voices\":%d,\"connections\":%d,\"requests\":%d,\"heard\":%d,"
		"\"at_once\":%d,\"streamed\":\"%s\"}",
		n, (int)connections, (int)requests, (int)heard_requests,
		(int)heard_most_at_once, streamed));
}

static bool
echo(struct request *rq)
{
	struct buf b = { .mem = rq->mem };

	buf_printf(&b, "%s\r\n", rq->head);
	buf_put(&b, rq->body, rq->body_len);
	return reply(rq, 200, "application/octet-stream", b.p, b.len);
}

static bool
zeros(struct request *rq)
{
	size_t n = strtoul(rq->rest, NULL, 10);

	return reply(rq, 200, "application/zip", arena_alloc(rq->mem, n), n);
}

static bool
as_asked(struct request *rq)
{
	return reply_error(rq, atoi(rq->rest), "asked for");
}

static bool
redirect(struct request *rq)
{
	struct buf b = { .mem = rq->mem };

	buf_printf(&b, "HTTP/1.1 302 Found\r\nLocation: /%s\r\n\r\n", rq->rest);
	send_all(rq->fd, b.p, b.len);
	return false;
}

/* Sets the answer of models called "scripted" to the body. */
static bool
script(struct request *rq)
{
	bool hears = strcmp(rq->rest, "hear") == 0;

	snprintf(hears ? scripted_hear : scripted_chat, sizeof(scripted_hear), "%.*s",
	    (int)rq->body_len, rq->body);
	return reply_json(rq, 200, "{}");
}

/* A path that ends with a slash or a dash stands for all paths that begin with it. */
static const struct route {
	const char *method; /* NULL: any */
	const char *path;
	bool (*run)(struct request *);
	bool open; /* works without a credential */
	bool free; /* needs no lock, because it uses no voices */
} routes[] = {
	/* clang-format off */
	{ NULL,     "/status-",            as_asked,      true },
	{ NULL,     "/redirect/",          redirect,      true },
	{ NULL,     "/echo",               echo,          true },
	{ NULL,     "/bytes/",             zeros,         true },
	{ "GET",    "/count",              count,         true },
	{ "POST",   "/script/",            script,        true },
	{ "POST",   "/v1/audio/speech",    openai_speech, false },
	{ "POST",   "/v1/audio/voices",    add,           false },
	{ "DELETE", "/v1/audio/voices/",   drop_voice,    false },
	{ "GET",    "/v1/voices",          eleven_list,   false },
	{ "POST",   "/v1/voices/add",      add,           false },
	{ "DELETE", "/v1/voices/",         drop_voice,    false },
	{ "POST",   "/v1/text-to-speech/", eleven_speech, false },
	{ "GET",    "/languages",          libre_languages, true },
	{ "POST",   "/translate",          libre_translate, true },
	{ "POST",   "/v1/chat/completions", chat,         true },
	{ "POST",   "/v2/translate",       deepl,         true },
	{ "GET",    "/vosk",               vosk,          true, true },
	{ "GET",    "/sherpa",             sherpa,        true, true },
	{ "GET",    "/v1/listen",          deepgram,      true, true },
	{ "GET",    "/v1/realtime",        openai_realtime, true, true },
	{ "POST",   "/mt",                 http_translate, true },
	{ "POST",   "/say",                http_speech,   true },
	{ "POST",   "/v1/audio/transcriptions", openai_hear, false, true },
	{ "POST",   "/hear",               http_hear,     true },
	/* clang-format on */
};

#define X16(s) s s s s s s s s s s s s s s s s
#define X64K X16(X16(X16("xxxxxxxxxxxxxxxx")))
#define HEAD(type) "HTTP/1.1 200 OK\r\nContent-Type: " type "\r\n"

/*
 * A fault: sends the first bytes, then repeats the second bytes; closes when there are
 * none.
 */
static const struct fault {
	const char *path, *first, *again;
	unsigned pause_s;
} faults[] = {
	/* clang-format off */
	{ "/silent/",  "",                                              "",   1 },
	{ "/drip/",    HEAD("audio/wav") "\r\n",                        "x",  1 },
	{ "/flood/",   HEAD("audio/wav") "\r\n",                        X64K, 0 },
	{ "/headers/", HEAD("audio/wav") "X:",                          X64K, 0 },
	{ "/cut/",     HEAD("audio/wav") "Content-Length: 9\r\n\r\nRI", NULL, 0 },
	{ "/odd/",     HEAD("audio/wav") "\r\nabc",                     NULL, 0 },
	{ "/folded/",  HEAD("audio/wav") "ETag:\r\n \"a\"\r\n\r\nabc", NULL, 0 },
	{ "/cookie/",  HEAD("audio/wav") "Set-Cookie: a=b; Path=/\r\n\r\nabc", NULL, 0 },
	{ "/empty/",   HEAD("audio/wav") "\r\n",                        NULL, 0 },
	{ "/html/",    HEAD("text/html") "\r\n<html>Hello</html>",      NULL, 0 },
	{ "/json/",    HEAD("application/json") "\r\n{\"error\":{}}",   NULL, 0 },
	{ "/garbage/", "\1\2\3 hello\r\n\r\n",                          NULL, 0 },
	/* clang-format on */
};

static bool
misbehave(struct request *rq, const struct fault *f)
{
	bool on = send_all(rq->fd, f->first, strlen(f->first));

	while (on && f->again != NULL) {
		sleep(f->pause_s);
		on = send_all(rq->fd, f->again, strlen(f->again));
	}
	return false;
}

static bool
may(struct request *rq)
{
	bool openai = is_openai(rq);
	const char *got = header(rq, openai ? "Authorization" : "xi-api-key");

	return got != NULL &&
	       strcmp(got, arena_printf(rq->mem, "%s%s", openai ? "Bearer " : "",
			       server_key)) == 0;
}

static bool
match(const struct route *r, struct request *rq)
{
	size_t n = strlen(r->path);

	rq->rest = rq->path + n;
	return (r->method == NULL || strcmp(r->method, rq->method) == 0) &&
	       strncmp(r->path, rq->path, n) == 0 &&
	       (strchr("/-", r->path[n - 1]) != NULL || *rq->rest == '\0');
}

/* Wait exactly this long, as a slow engine does. */
static void
delay(struct request *rq)
{
	const char *ms = rq->path + strlen("/late-");

	rq->due_us = monotonic_us() + atoll(ms) * 1000;
	rq->path = ms + strcspn(ms, "/");
}

static bool
answer(struct request *rq)
{
	const struct route *r = routes, *end = r + sizeof(routes) / sizeof(*r);
	bool on;

	requests++;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (strncmp(faults[i].path, rq->path, strlen(faults[i].path)) == 0)
			return misbehave(rq, &faults[i]);
	if (strncmp(rq->path, "/broken/", 8) == 0 ||
	    strncmp(rq->path, "/shut/", 6) == 0) {
		rq->breaks = rq->path[1] == 'b' ? 1 : 2;
		rq->path += strcspn(rq->path + 1, "/") + 1;
	}
	if (strncmp(rq->path, "/lost/", 6) == 0) {
		rq->path += 5;
		rq->mute = strcmp(rq->method, "POST") == 0;
	}
	if (strncmp(rq->path, "/late-", 6) == 0)
		delay(rq);
	while (r < end && !match(r, rq))
		r++;
	if (r == end || (!r->open && !may(rq)))
		return reply_error(rq, r == end ? 404 : 401, "no such path or key");
	if (rq->due_us > 0 || r->free)
		return r->run(rq);
	pthread_mutex_lock(&lock);
	on = r->run(rq);
	pthread_mutex_unlock(&lock);
	return on;
}

static void *
serve(void *arg)
{
	struct arena *mem = arena_new();
	struct request rq;
	int on = 1;

	connections++;
	/*
	 * Send head and body together, so that the peer's acknowledgement is not
	 * awaited in between.
	 */
	setsockopt((int)(intptr_t)arg, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	do {
		arena_reset(mem);
		rq = (struct request){ .mem = mem, .fd = (int)(intptr_t)arg };
	} while (read_request(&rq) && answer(&rq));
	close(rq.fd);
	arena_free(mem);
	return NULL;
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		server_key = argv[1];
	serve_all(0, serve);
}
