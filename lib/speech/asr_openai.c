/*
 * Servers that speak the way of OpenAI's /v1/audio/transcriptions: Whisper and
 * its like.  The answer names a language in English, so their names stand here.
 */
#include <string.h>

#include "base/lang.h"
#include "base/text.h"
#include "speech/asr_remote.h"
#include "speech/engine.h"
#include "speech/engine_facts.h"

#define PATH "/v1/audio/transcriptions"
#define PLAIN "json" /* the fact that it takes no verbose_json */
#define PROMPT_CHARACTERS 800

/* Those of Whisper that are in our lists, and what it calls them. */
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

/* "English" -> "en"; a code stays one. */
static const char *
code_of(const char *told)
{
	for (size_t i = 0; i < LANGUAGES; i++)
		if (strcasecmp(languages[i].name, told) == 0)
			return languages[i].code;
	return strcasecmp(told, "tl") == 0 ? "fil" : told;
}

/* What Whisper takes for the code: its base, and Tagalog for Filipino. */
static const char *
code_for(const char *lang)
{
	const char *code = find_code(lang)->code;

	return strcmp(code, "fil") == 0 ? "tl" : code;
}

static const char *
join_hints(struct arena *mem, const struct list *hints)
{
	const char *const *h = hints->items;
	struct buf b = { .mem = mem };
	size_t used = 0;

	for (size_t i = 0; i < hints->n; i++) {
		size_t more = text_length(h[i]) + (used > 0 ? 2 : 0);

		if (used + more > PROMPT_CHARACTERS)
			break;
		buf_printf(&b, "%s%s", used > 0 ? ", " : "", h[i]);
		used += more;
	}
	return used > 0 ? buf_text(&b) : NULL;
}

static struct http_part
field(const char *name, const char *value)
{
	return (struct http_part){ .name = name, .data = value, .len = strlen(value) };
}

/* The hints, then the last text: what the phrase is likely to go on with. */
static const char *
prompt_of(const struct asr *a, struct arena *mem)
{
	const char *hints = a->prompt != NULL ? a->prompt : "";

	if (a->detect || a->before[0] == '\0')
		return hints;
	return arena_printf(
	    mem, "%s%s%s", hints, *hints != '\0' ? ". " : "", a->before);
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
	const char *prompt = prompt_of(a, en->mem);

	if (!a->detect)
		parts[call.nparts++] = field("language", code_for(a->lang));
	else if (a->at->detect != NULL)
		parts[call.nparts++] = field("language", a->at->detect);
	if (*prompt != '\0')
		parts[call.nparts++] = field("prompt", prompt);
	return engine_ask(en, call, PATH, to);
}

static bool
is_refusal(const struct http_answer *a)
{
	return a->status == 400 || a->status == 422;
}

/*
 * OpenAI's newer models and vLLM refuse verbose_json, which others need to be asked for
 * to tell the language.  A server that takes json instead is asked for that from then
 * on.
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
		engine_keep_fact(a->at, PLAIN);
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

/* Whisper's own rule, with its own thresholds. */
static bool
is_no_speech(const struct json *segment)
{
	return number(segment, "no_speech_prob") > 0.6 &&
	       number(segment, "avg_logprob") < -1.0;
}

/* The text without that of segments that are no speech. */
static const char *
spoken(const struct engine_call *en, const struct http_answer *a, const char *text)
{
	const struct json *list = json_get_list(engine_object(en, a), "segments");
	struct buf b = { .mem = en->mem };
	const char *its;
	bool all = true;

	for (const struct json *s = list != NULL ? list->kids : NULL; s != NULL;
	     s = s->next)
		if (is_no_speech(s))
			all = false;
		else if ((its = json_get_text(s, "text")) != NULL)
			buf_str(&b, its);
	return all ? text : text_trim(en->mem, buf_text(&b), " ");
}

static enum err
ask(const struct asr *a, const struct engine_call *en, struct heard *to)
{
	struct http_answer answer;
	enum err e;

	if ((e = send_either(a, en, &answer)) != OK ||
	    (e = engine_verdict(en, PATH, &answer)) != OK ||
	    (e = asr_remote_read(a, en, PATH, &answer, to)) != OK)
		return e;
	to->text = spoken(en, &answer, to->text);
	return OK;
}

static enum err
open_one(const struct engine_at *at, const struct asr_want *want, struct asr **to)
{
	enum err e = asr_remote_open(&asr_openai, at, want, to);

	if (e != OK)
		return e;
	(*to)->ask = ask;
	(*to)->code_of = code_of;
	(*to)->prompt = join_hints((*to)->mem, &want->hints);
	return OK;
}

const struct asr_engine asr_openai = { ASR_STREAM | ASR_DETECT | ASR_HINTS, knows,
	open_one, asr_remote_feed, asr_remote_partial, asr_remote_finish,
	asr_remote_drop, asr_remote_close };
