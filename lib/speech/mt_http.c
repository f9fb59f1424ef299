/* A server of the operator's own: {"text","source","target"} -> {"text"}. */
#include "speech/http_engine.h"
#include "speech/placeholders.h"

static bool
pairs(const struct engine_at *at, const char *from, const char *to)
{
	(void)from;
	(void)to;
	return at->url != NULL;
}

static enum err
translate(const struct engine_at *at, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	struct engine_at where = *at;
	struct engine_call en;
	struct buf body = { .mem = mem };
	struct json_writer j = { .out = &body };
	struct http_answer a;
	const char *text;
	enum err e;

	where.timeout_ms = mt_time_ms(at, t);
	en = engine_start(&where, mem, "Authorization: Bearer ");
	jw_open(&j, NULL);
	jw_text(&j, "text", mt_tokens(mem, t));
	jw_text(&j, "source", t->from);
	jw_text(&j, "target", t->to);
	jw_close(&j);
	if ((e = engine_ask_sound(&en, "", &body, &a)) != OK ||
	    (e = engine_verdict(&en, "", &a)) != OK)
		return e;
	if ((text = json_get_text(engine_object(&en, &a), "text")) == NULL)
		return engine_refuse(&en, "", "the answer has no text");
	*out = mt_fill(mem, t, mt_untoken(mem, t, text));
	*guarded = *out != NULL;
	return OK;
}

const struct mt_engine mt_http = { false, false, pairs, translate, mt_list_any, NULL };
