/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine kind openai: servers with OpenAI's interface for speech, such as Whisper's
 * and vLLM's.
 */
#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/lang.h"
#include "base/text.h"
#include "speech/asr_remote.h"
#include "speech/asr_text.h"
#include "speech/engine.h"
#include "speech/engine_call.h"
#include "speech/tts_stream.h"

/* ---- recognition ---- */

#define TRANSCRIPTIONS "/v1/audio/transcriptions"
#define PLAIN "json" /* fact: the server refuses verbose_json */

/* The languages of Whisper that are in our lists, with Whisper's names for them. */
static const struct language {
	const char *code, *name;
} languages[] = {
	/* clang-format off */
	{ "ar", "arabic" }, { "az", "azerbaijani" }, { "ba", "bashkir" },
	{ "be", "belarusian" }, { "bg", "bulgarian" }, { "bn", "bengali" },
	{ "bs", "bosnian" }, { "ca", "catalan" }, { "cs", "czech" }, { "cy", "welsh" },
	{ "da", "danish" }, { "de", "german" }, { "el", "greek" }, { "en", "english" },
	{ "es", "spanish" }, { "et", "estonian" }, { "eu", "basque" }, { "fa", "persian" },
	{ "fi", "finnish" }, { "fil", "tagalog" }, { "fr", "french" },
	{ "gl", "galician" }, { "he", "hebrew" }, { "hi", "hindi" }, { "hr", "croatian" },
	{ "hu", "hungarian" }, { "hy", "armenian" }, { "id", "indonesian" },
	{ "is", "icelandic" }, { "it", "italian" }, { "ja", "japanese" },
	{ "kk", "kazakh" }, { "ko", "korean" }, { "lt", "lithuanian" },
	{ "lv", "latvian" }, { "mk", "macedonian" }, { "mn", "mongolian" },
	{ "mr", "marathi" }, { "ms", "malay" }, { "mt", "maltese" }, { "nl", "dutch" },
	{ "no", "norwegian" }, { "pl", "polish" }, { "pt", "portuguese" },
	{ "ro", "romanian" }, { "ru", "russian" }, { "sk", "slovak" },
	{ "sl", "slovenian" }, { "sr", "serbian" }, { "sv", "swedish" },
	{ "sw", "swahili" }, { "ta", "tamil" }, { "th", "thai" }, { "tr", "turkish" },
	{ "uk", "ukrainian" }, { "ur", "urdu" }, { "vi", "vietnamese" },
	{ "yue", "cantonese" }, { "zh", "chinese" },
	/* clang-format on */
};

#define LANGUAGES (sizeof(languages) / sizeof(languages[0]))

static const struct language *
find_code(const char *lang)
{
	const struct language *l = languages, *end = l + LANGUAGES;

	while (l < end && !lang_covers(l->code, strlen(l->code), lang))
		l++;
	return l < end ? l : NULL;
}

static bool
knows(const struct engine_at *at, const char *lang)
{
	return lang_is_auto(lang) ||
	       (find_code(lang) != NULL && lang_covered(at->languages, lang));
}

/* "English" -> "en"; a code is unchanged. */
static const char *
code_of(const char *told)
{
	for (size_t i = 0; i < LANGUAGES; i++)
		if (strcasecmp(languages[i].name, told) == 0)
			return languages[i].code;
	return strcasecmp(told, "tl") == 0 ? "fil" : told;
}

/* Returns Whisper's code: the base, and Tagalog for Filipino. */
static const char *
code_for(const char *lang)
{
	const char *code = find_code(lang)->code;

	return strcmp(code, "fil") == 0 ? "tl" : code;
}

static struct http_part
field(const char *name, const char *value)
{
	return (struct http_part){ .name = name, .data = value, .len = strlen(value) };
}

static enum err
send(const struct asr *a, const struct engine_call *en, const char *format,
    struct http_answer *to)
{
	struct http_part parts[5] = {
		asr_remote_wav(a, en->mem),
		field("model", a->at->model != NULL ? a->at->model : "whisper-1"),
		field("response_format", format),
	};
	struct http_call call = { .method = "POST",
		.parts = parts,
		.nparts = 3,
		.max_bytes = ASR_ANSWER_BYTES };
	const char *prompt = asr_prompt(en->mem, a->prompt, a->detect ? "" : a->before);

	if (!a->detect)
		parts[call.nparts++] = field("language", code_for(a->lang));
	else if (a->at->detect != NULL)
		parts[call.nparts++] = field("language", a->at->detect);
	if (*prompt != '\0')
		parts[call.nparts++] = field("prompt", prompt);
	return engine_ask(en, call, TRANSCRIPTIONS, to);
}

static bool
is_refusal(const struct http_answer *a)
{
	return a->status == 400 || a->status == 422;
}

/*
 * Ask for verbose_json, without which some servers do not return the language. OpenAI's
 * newer models and vLLM refuse it. A server that accepts json instead gets json from
 * then on.
 */
static enum err
send_either(const struct asr *a, const struct engine_call *en, struct http_answer *to)
{
	bool plain = engine_has_fact(a->at, PLAIN);
	enum err e = send(a, en, plain ? "json" : "verbose_json", to);

	if (e != OK || plain || !is_refusal(to))
		return e;
	e = send(a, en, "json", to);
	if (e == OK && http_verdict(to->status) == OK)
		engine_store_fact(a->at, PLAIN);
	return e;
}

static double
number(const struct json *of, const char *key)
{
	const struct json *v = json_get(of, key);

	return v == NULL                ? 0
	       : v->type == JSON_NUMBER ? v->u.r
	       : v->type == JSON_INT    ? (double)v->u.i
					: 0;
}

/* Whisper's own rule and thresholds. */
static bool
is_no_speech(const struct json *segment)
{
	return number(segment, "no_speech_prob") > 0.6 &&
	       number(segment, "avg_logprob") < -1.0;
}

/*
 * Read the text without segments that are no speech, and the lowest confidence of the
 * others: the geometric mean of the probabilities of their words.
 */
static void
read_segments(
    const struct engine_call *en, const struct http_answer *a, struct asr_result *to)
{
	const struct json *list = json_get_list(engine_object(en, a), "segments");
	struct buf b = { .mem = en->mem };
	const char *its;
	bool all = true;

	for (const struct json *s = list != NULL ? list->kids : NULL; s != NULL;
	     s = s->next) {
		double confidence = exp(number(s, "avg_logprob"));

		if (is_no_speech(s)) {
			all = false;
			continue;
		}
		if ((its = json_get_text(s, "text")) != NULL)
			buf_str(&b, its);
		if (json_get(s, "avg_logprob") != NULL &&
		    (to->confidence == 0 || confidence < to->confidence))
			to->confidence = fmin(confidence, 1);
	}
	to->text = asr_text_cut_loops(en->mem, all ? to->text : buf_text(&b));
}

static enum err
ask_text(const struct asr *a, const struct engine_call *en, struct asr_result *to)
{
	struct http_answer answer;
	enum err e;

	if ((e = send_either(a, en, &answer)) != OK ||
	    (e = engine_verdict(en, TRANSCRIPTIONS, &answer)) != OK ||
	    (e = asr_remote_read(a, en, TRANSCRIPTIONS, &answer, to)) != OK)
		return e;
	read_segments(en, &answer, to);
	return OK;
}

static enum err
open_one(const struct engine_at *at, const struct asr_want *want, struct asr **to)
{
	enum err e = asr_remote_open(&asr_openai, at, want, to);

	if (e != OK)
		return e;
	(*to)->ask = ask_text;
	(*to)->code_of = code_of;
	(*to)->prompt = asr_join_hints((*to)->mem, &want->hints);
	return OK;
}

const struct asr_engine asr_openai = { ASR_STREAM | ASR_DETECT | ASR_HINTS, knows,
	open_one, asr_remote_feed, asr_remote_partial, asr_remote_finish,
	asr_remote_drop, asr_remote_close };

/* ---- speech ---- */

/*
 * Asks for WAV, whose header has the rate, as models differ in it. A server that
 * refuses WAV for a stream is asked for bare samples, which OpenAI sends at 24 kHz.
 */
#define RATE_HZ 24000
#define BARE "pcm" /* fact: the server refuses WAV */
#define LOW "onyx"
#define HIGH "nova"
#define DEFAULT "alloy"

/* The languages that OpenAI documents for its models, if they are in L1. */
static const char spoken_languages[] =
    "ar az be bg bs ca cs cy da de el en es et fa fi fil fr gl he hi hr hu id is it ja "
    "kk ko lt lv mk mr ms nl no pl pt ro ru sk sl sr sv sw ta th tr uk ur vi zh";

/* The receiver of the sound, and the status of the answer. */
struct to_listener {
	tts_sink *sink;
	void *arg;
	int status;
};

static bool
speaks(const char *lang)
{
	return lang_covered(spoken_languages, lang);
}

static const char *
choose_voice(const struct tts_text *t)
{
	if (t->voice != NULL)
		return t->voice;
	return t->sample ? DEFAULT : t->high ? HIGH : LOW;
}

static enum err
ask_speech(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    bool bare, struct to_listener *to)
{
	struct buf body = { .mem = mem };
	struct json_writer j = { .out = &body };
	const struct tts_request r = { .path = "/v1/audio/speech",
		.auth = "Authorization: Bearer ",
		.body = &body,
		.rate_hz = bare ? RATE_HZ : 0,
		.status = &to->status };

	jw_open(&j, NULL);
	jw_text(&j, "model", at->model != NULL ? at->model : "tts-1");
	jw_text(&j, "input", t->text);
	jw_text(&j, "voice", choose_voice(t));
	jw_text(&j, "response_format", bare ? "pcm" : "wav");
	if (!t->sample)
		jw_real(&j, "speed", round(t->rate * 1000) / 1000);
	jw_close(&j);
	return tts_ask(at, mem, t, &r, to->sink, to->arg);
}

static enum err
synthesize(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    tts_sink *sink, void *arg)
{
	struct to_listener to = { .sink = sink, .arg = arg };
	bool bare = !t->sample && engine_has_fact(at, BARE);
	enum err e;

	if (!speaks(t->lang))
		return ERR_UNSUPPORTED;
	e = ask_speech(at, mem, t, bare, &to);
	if (bare || t->sample || (to.status != 400 && to.status != 422))
		return e;
	if ((e = ask_speech(at, mem, t, true, &to)) == OK)
		engine_store_fact(at, BARE);
	return e;
}

const struct tts_engine tts_openai = { TTS_RATE, speaks, synthesize };

/* ---- cloning ---- */

/*
 * Reference voices of OpenAI and vLLM-Omni: after POST /v1/audio/voices with a sample
 * and a name, the name is a voice. The name contains our id, so a second attempt finds
 * the voice of the first.
 */
#define VOICES "/v1/audio/voices"
#define AUTH "Authorization: Bearer "

/* True if the voice exists. Servers answer with 409, or more often with 400 or 422 and
   this text. */
static bool
already_exists(const struct http_answer *a)
{
	return a->status == 409 || ((a->status == 400 || a->status == 422) &&
				       strcasestr(a->body, "already exists") != NULL);
}

static enum err
check(const struct engine_call *en, const struct http_answer *a)
{
	const struct json *said, *success;
	enum err e;

	if (already_exists(a))
		return OK;
	if ((e = engine_verdict(en, VOICES, a)) != OK)
		return e;
	if ((said = engine_object(en, a)) == NULL)
		return engine_refuse(en, VOICES, "the answer is not a JSON object");
	success = json_get(said, "success");
	if (success != NULL && success->type == JSON_BOOL && !success->u.b)
		return engine_refuse(en, VOICES, "the answer is 2xx without success");
	return OK;
}

static enum err
clone(const struct engine_at *at, struct arena *mem, const struct clone_sample *sample,
    const char **voice)
{
	struct engine_call en = engine_start(at, mem, AUTH);
	const char *name = engine_voice_name(mem, sample->ref);
	const struct http_part parts[] = {
		{ .name = "name", .data = name, .len = strlen(name) },
		{ .name = "consent", .data = name, .len = strlen(name) },
		engine_sample_part(mem, "audio_sample", &sample->pcm),
	};
	struct http_call call = { .method = "POST", .parts = parts, .nparts = 3 };
	struct http_answer a;
	enum err e;

	if ((e = engine_ask(&en, call, VOICES, &a)) != OK || (e = check(&en, &a)) != OK)
		return e;
	*voice = name;
	return OK;
}

static bool
is_gone(const struct engine_call *en, const struct http_answer *a)
{
	(void)en;
	return a->status == 404;
}

static enum err
drop(const struct engine_at *at, struct arena *mem, const char *voice)
{
	struct engine_call en = engine_start(at, mem, AUTH);

	return engine_delete(&en, VOICES, voice, is_gone);
}

const struct clone_engine clone_openai = { clone, drop };
