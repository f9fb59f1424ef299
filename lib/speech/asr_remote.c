/* Recognisers behind HTTP: they are sent the whole phrase, or what there is of it. */
#include "speech/asr_remote.h"

#include <string.h>

#include "base/lang.h"
#include "base/text.h"

#define BLANK " \t\r\n"

static struct list
copy_codes(struct arena *mem, const struct asr_engine *en, const struct engine_at *at,
    const struct list *from)
{
	const char *const *c = from->items;
	const char **to = arena_alloc(mem, (from->n + 1) * sizeof(*to));
	size_t n = 0;

	for (size_t i = 0; i < from->n; i++)
		if (!lang_is_auto(c[i]) && en->knows(at, c[i]))
			to[n++] = arena_str(mem, c[i]);
	return (struct list){ to, n };
}

static enum err
set_language(struct asr *a, const struct asr_engine *en, const struct engine_at *at,
    const struct asr_want *want)
{
	if ((a->lang = asr_choose(a->mem, en, at, want)) == NULL)
		return ERR_UNSUPPORTED;
	a->among = copy_codes(a->mem, en, at, &want->candidates);
	a->detect = lang_is_auto(want->lang) && a->among.n != 1;
	return OK;
}

enum err
asr_remote_open(const struct asr_engine *en, const struct engine_at *at,
    const struct asr_want *want, struct asr **to)
{
	struct arena *mem = arena_new();
	struct asr *a = arena_alloc(mem, sizeof(*a));
	enum err e;

	a->mem = mem;
	if ((e = set_language(a, en, at, want)) != OK) {
		arena_free(mem);
		return e;
	}
	a->s = arena_alloc(mem, ASR_PHRASE_MAX_S * ASR_RATE_HZ * sizeof(*a->s));
	a->at = at;
	*to = a;
	return OK;
}

enum err
asr_remote_feed(struct asr *a, const int16_t *s, size_t n)
{
	size_t room = ASR_PHRASE_MAX_S * ASR_RATE_HZ - a->n;

	n = n < room ? n : room;
	memcpy(a->s + a->n, s, n * sizeof(*s));
	a->n += n;
	return OK;
}

/* Sound, request and answer are large: they do not stay in the caller's arena. */
enum err
asr_remote_partial(struct asr *a, struct arena *mem, struct heard *to)
{
	struct heard said = { .text = "", .lang = a->lang };
	struct arena *scratch;
	struct engine_call en;
	enum err e = OK;

	if (a->n > 0) {
		scratch = arena_new();
		en = engine_start(a->at, scratch, "Authorization: Bearer ");
		e = a->ask(a, &en, &said);
		said.text = arena_str(mem, said.text);
		said.lang = arena_str(mem, said.lang);
		arena_free(scratch);
	}
	if (e == OK)
		*to = said;
	return e;
}

enum err
asr_remote_finish(struct asr *a, struct arena *mem, struct heard *to)
{
	enum err e = asr_remote_partial(a, mem, to);

	asr_remote_drop(a);
	return e;
}

void
asr_remote_drop(struct asr *a)
{
	a->n = 0;
}

void
asr_remote_close(struct asr *a)
{
	if (a != NULL)
		arena_free(a->mem);
}

struct http_part
asr_remote_wav(const struct asr *a, struct arena *mem)
{
	return engine_wav_part(mem, "phrase.wav", a->s, a->n, ASR_RATE_HZ);
}

/* A code as it is spelt among the candidates. */
static const char *
spell(const struct asr *a, struct arena *mem, const char *told)
{
	const char *const *c = a->among.items;

	if (told != NULL && a->code_of != NULL)
		told = a->code_of(told);
	if (!a->detect || told == NULL || !engine_name_ok(told))
		return a->lang;
	for (size_t i = 0; i < a->among.n; i++)
		if (lang_covers(told, strlen(told), c[i]) ||
		    lang_covers(c[i], strlen(c[i]), told))
			return c[i];
	return text_lower(mem, told);
}

enum err
asr_remote_read(const struct asr *a, const struct engine_call *en, const char *path,
    const struct http_answer *answer, struct heard *to)
{
	const struct json *said = engine_object(en, answer);
	const char *text = said != NULL ? json_get_text(said, "text") : NULL;

	if (text == NULL)
		return engine_refuse(en, path, "the answer has no text");
	to->text = text_trim(en->mem, text, BLANK);
	to->lang = spell(a, en->mem, json_get_text(said, "language"));
	return OK;
}
