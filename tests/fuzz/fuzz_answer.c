/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Answers of backends, engines and object stores, read by the code that asks them. The
 * first byte selects the caller; the answers follow. Each begins with a byte for its
 * status; a line "--" separates them. http_do() is replaced here, so only bodies are
 * fuzzed; fuzz_http uses the real http_do().
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "blob/blob.h"
#include "broadcast/broadcast.h"
#include "net/http.h"
#include "speech/engine.h"
/*
 * The engine caches a server's answers, so each input gets a server address of its own.
 */
#include "lib/speech/mt_libretranslate.c"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* ---- the network ---- */

static struct {
	const char *p, *end;
} wire;

static const char *
find_end(const char *p)
{
	const char *end = memmem(p, (size_t)(wire.end - p), "\n--\n", 4);

	return end != NULL ? end : wire.end;
}

enum err
http_do(struct arena *mem, const struct http_call *call, struct http_answer *to)
{
	static const int statuses[] = { 200, 201, 400, 404, 409, 422, 429, 500, 301 };
	const char *body = wire.p + 1, *end;

	if (wire.end - wire.p < 1)
		return ERR_TIMEOUT;
	end = find_end(body);
	*to = (struct http_answer){
		.status = statuses[(unsigned char)wire.p[0] % 9],
		.content_type = "audio/pcm",
		.etag = "\"abc\"",
		.content_bytes = end - body,
		.body = arena_dup(mem, body, (size_t)(end - body)),
		.body_len = (size_t)(end - body),
	};
	wire.p = wire.end - end >= 4 ? end + 4 : wire.end;
	return to->body_len > call->max_bytes ? ERR_REFUSED : OK;
}

enum err
http_verdict(int status)
{
	if (status >= 200 && status < 300)
		return OK;
	return status == 408 || status == 429 || status >= 500 ? ERR_BUSY : ERR_REFUSED;
}

const char *
http_loggable_url(struct arena *mem, const char *url)
{
	(void)mem;
	return url;
}

void
http_close(void)
{
}

/* ---- callers ---- */

static const char *
valid(const char *s)
{
	if (s == NULL || !text_valid(s, strlen(s)))
		abort();
	return s;
}

static void
list_janus(const struct conf *c, struct arena *mem)
{
	const struct broadcast_seen *b;
	struct list all;

	if (broadcast_janus.list(c, mem, &all) != OK)
		return;
	b = all.items;
	for (size_t i = 0; i < all.n; i++) {
		const char *const *l = b[i].languages.items;

		valid(b[i].name);
		for (size_t k = 0; k < b[i].languages.n; k++)
			valid(l[k]);
		if (i > 0 && strcmp(b[i - 1].name, b[i].name) > 0)
			abort();
	}
}

static void
make_janus(const struct conf *c, struct arena *mem)
{
	const struct broadcast b = { .name = "a",
		.source_language = "en",
		.target_languages = "[\"es\",\"fr\"]",
		.input = "webrtc_push",
		.outputs = "[]" };

	if (broadcast_janus.create(c, mem, &b) == OK)
		(void)!broadcast_janus.change(c, mem, &b);
	(void)!broadcast_janus.destroy(c, mem, b.name);
}

static void
attach_janus(const struct conf *c, struct arena *mem)
{
	const char *languages[] = { "es", "fr" };
	int ports[2] = { 0 };
	struct broadcast_sound s = { .name = "a",
		.languages = { languages, 2 },
		.host = "127.0.0.1",
		.port = 5000,
		.ssrc = 7,
		.to_ports = ports };

	if (broadcast_janus.attach(c, mem, &s) != OK)
		return;
	for (int i = 0; i < 2; i++)
		if (ports[i] < 0 || ports[i] > 65535)
			abort();
}

static void
call_s3(const struct conf *c, struct arena *mem)
{
	struct blob_facts facts;

	if (blob_s3.stat(c, mem, "ab/x", &facts) == OK && facts.bytes < 0)
		abort();
	(void)!blob_s3.remove(c, mem, "ab/x");
}

static const struct engine_at at = { .id = "fuzz",
	.kind = "http",
	.url = "http://engine",
	.key = "k",
	.timeout_ms = 5000 };

static void
translate_by(const struct mt_engine *engine, struct arena *mem)
{
	static const struct mt_term terms[] = { { 6, 5, "Mundo" } };
	const struct mt_text t = { .text = "Hello world, again.",
		.from = "en",
		.to = "es",
		.terms = terms,
		.nterms = 1 };
	const char *out;
	bool guarded;

	if (mt_translate(engine, &at, mem, &t, &out, &guarded) == OK) {
		valid(out);
		if (guarded && strstr(out, "Mundo") == NULL)
			abort();
	}
}

static void
forget_servers(void)
{
	for (size_t i = 0; i < nservers; i++) {
		arena_free(servers[i].mem);
		pthread_mutex_destroy(&servers[i].lock);
	}
	arena_free(servers_mem);
	servers_mem = NULL;
	nservers = 0;
}

static void
use_libretranslate(const struct conf *c, struct arena *mem)
{
	const struct mt_pair *p;
	struct list all;

	(void)c;
	if (mt_libretranslate.list(&at, mem, &all) == OK) {
		p = all.items;
		for (size_t i = 0; i < all.n; i++)
			if (strcmp(valid(p[i].from), valid(p[i].to)) == 0 &&
			    p[i].from[0] == '\0')
				abort();
	}
	translate_by(&mt_libretranslate, mem);
	forget_servers();
}

static void
use_mt_http(const struct conf *c, struct arena *mem)
{
	(void)c;
	translate_by(&mt_http, mem);
}

static void
hear_by(const struct asr_engine *engine, struct arena *mem, const char *lang)
{
	const char *candidates[] = { "en", "es-mx" };
	const struct asr_want want = { .lang = lang, .candidates = { candidates, 2 } };
	const int16_t sound[160] = { 0 };
	struct asr_result heard;
	struct asr *asr;

	if (engine->open(&at, &want, &asr) != OK)
		abort();
	if (engine->feed(asr, sound, 160) == OK &&
	    engine->finish(asr, mem, &heard) == OK) {
		valid(heard.text);
		valid(heard.lang);
	}
	engine->close(asr);
}

static void
hear(const struct conf *c, struct arena *mem)
{
	(void)c;
	hear_by(&asr_openai, mem, "auto");
	hear_by(&asr_http, mem, "auto");
	hear_by(&asr_openai, mem, "en");
}

static void
speak_by(const struct tts_engine *engine, struct arena *mem)
{
	const struct tts_text text = { .text = "Hello.", .lang = "en" };
	struct pcm pcm;

	if (tts_sample(engine, &at, mem, &text, &pcm) == OK &&
	    (pcm.n == 0 || pcm.rate_hz < 8000 || pcm.rate_hz > 192000))
		abort();
}

static void
speak_openai(const struct conf *c, struct arena *mem)
{
	(void)c;
	speak_by(&tts_openai, mem);
}

static void
speak_elevenlabs(const struct conf *c, struct arena *mem)
{
	(void)c;
	speak_by(&tts_elevenlabs, mem);
}

static void
clone_by(const struct clone_engine *engine, struct arena *mem)
{
	float s[160] = { 0 };
	const struct clone_sample sample = { .name = "A voice",
		.ref = "7a6c0a7e",
		.lang = "en",
		.pcm = { .s = s, .n = 160, .rate_hz = 16000 } };
	const char *voice = NULL;

	if (engine->clone(&at, mem, &sample, &voice) == OK)
		(void)!engine->drop(&at, mem, valid(voice));
}

static void
clone_voices(const struct conf *c, struct arena *mem)
{
	(void)c;
	clone_by(&clone_openai, mem);
	clone_by(&clone_elevenlabs, mem);
}

static void (*const askers[])(const struct conf *, struct arena *) = {
	list_janus,
	make_janus,
	attach_janus,
	call_s3,
	use_libretranslate,
	use_mt_http,
	hear,
	speak_openai,
	speak_elevenlabs,
	clone_voices,
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct conf c = { .backend_timeout_ms = 5000,
		.engine_timeout_ms = 5000,
		.janus_admin_url = "http://janus/admin",
		.janus_admin_secret = "s",
		.janus_admin_key = "k",
		.janus_public_url = "http://janus",
		.janus_rtp_host = "",
		.blob_bucket = "b",
		.blob_addressing = "",
		.blob_region = "r",
		.blob_access_key = "a",
		.blob_secret_key = "s",
		.blob_endpoint = "http://s3" };
	struct arena *mem;

	if (size == 0)
		return 0;
	mem = arena_new();
	wire.p = (const char *)data + 1;
	wire.end = (const char *)data + size;
	askers[data[0] % (sizeof(askers) / sizeof(*askers))](&c, mem);
	arena_free(mem);
	return 0;
}
