/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /saas/voice: built-in voices, and voices cloned from a recording. */
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/text.h"
#include "blob/signed_url.h"
#include "service/speech.h"
#include "service/upload.h"
#include "store/idempotent_responses.h"
#include "store/voices.h"
#include "web/web.h"
#include "work/queue.h"

/* ---- input ---- */

struct list_in {
	struct page page;
	const char *search;
	struct list gender, age_group, mood, provider;
	const char *lang, *is_favorite;
};

static const char *const providers[] = { "own_provider", "external_provider", NULL };
static const char *const yes_no[] = { "true", "1", "false", "0", NULL };

/* clang-format off */
#define CHOICE(name, member, item)                                                       \
	{ name, F_LIST, MEMBER(list_in, member), 0, 10, F_IO | F_OPT, .of = item, .size = sizeof(const char *) }
static const struct field	 provider[] = FIELDS( { "", F_ENUM, 0, 0, 0, F_IO, .names = providers } };
static const struct field	 list_fields[] = {
	PAGE_FIELDS,
	{ "search",      F_TEXT, MEMBER(list_in, search), 2, 100, F_IO | F_OPT },
	CHOICE("gender", gender, gender_label), CHOICE("age_group", age_group, age_label),
	CHOICE("mood", mood, mood_label), CHOICE("provider", provider, provider),
	{ "lang",        F_TEXT, MEMBER(list_in, lang), 1, 10, F_IO | F_OPT },
	{ "is_favorite", F_ENUM, MEMBER(list_in, is_favorite), 0, 0, F_IO | F_OPT | F_NOCASE, .names = yes_no }
);
static const struct field	 page_fields[] = FIELDS(PAGE_FIELDS);
static const struct field	 favorite_fields[] = FIELDS(
	{ "voice_id",    F_TEXT, MEMBER(voice, id),       .flags = F_OUT },
	{ "is_favorite", F_BOOL, MEMBER(voice, favorite), .flags = F_OUT }
);
/* clang-format on */

/* ---- output ---- */

static void
finish_sample(struct request *rq, struct tts_sample *s)
{
	if (s->blob != NULL)
		s->url = signed_url_make(rq->conf, rq->mem, s->blob, now_us());
}

static void
finish_voice(struct request *rq, struct voice *v)
{
	voice_fill_view(rq->mem, v, rq->conf->server_base_url);
	finish_sample(rq, &v->sample);
}

/* ---- one voice ---- */

static enum err
find_voice(struct request *rq)
{
	struct voice *v = rq->it = arena_alloc(rq->mem, sizeof(*v));
	enum err e = voice_get(rq->db, rq->mem, rq->who->account, rq->args[0], v);

	rq->version = v->version;
	return e;
}

static struct reply
get_voice(struct request *rq)
{
	struct voice *v = rq->it;

	finish_voice(rq, v);
	return reply_one(rq, 200, voice_fields, v, v->version);
}

static struct reply
built_in(struct request *rq)
{
	return problem(rq, P_READ_ONLY, "Built-in voices cannot be changed.");
}

static struct reply
edit_voice(struct request *rq)
{
	struct voice *v = rq->it, before = *v;
	struct voice_in in = { .voice = *v };
	enum err e;

	if (v->account == NULL)
		return built_in(rq);
	input_over(rq, &in);
	*v = in.voice;
	if (input_has(rq, "attributes"))
		v->attributes = texts_json(rq->mem, &in.attributes);
	if (!field_same(rq->mem, voice_fields, v, &before) &&
	    (e = voice_put(rq->db, rq->mem, v)) != OK)
		return problem_err(rq, e);
	return get_voice(rq);
}

/* id NULL: the samples of all voices. */
static enum err
forget_copies(struct request *rq, const char *id)
{
	return voice_copies_forget(rq->db, rq->mem, rq->conf, rq->who->account, id);
}

static struct reply
drop_voice(struct request *rq)
{
	const struct voice *v = rq->it;
	enum err e;

	if (v->account == NULL)
		return built_in(rq);
	if ((e = forget_copies(rq, v->id)) != OK ||
	    (e = voice_drop(rq->db, v->account, v->id)) != OK)
		return problem_err(rq, e);
	return reply_null(rq, 200);
}

static struct reply
drop_voices(struct request *rq)
{
	enum err e;

	if ((e = forget_copies(rq, NULL)) != OK ||
	    (e = voice_drop_all(rq->db, rq->who->account)) != OK)
		return problem_err(rq, e);
	return reply_null(rq, 200);
}

static struct reply
mark(struct request *rq, bool on)
{
	struct voice *v = rq->it;
	enum err e;

	if ((e = voice_favorite(rq->db, rq->who->account, v->id, on)) != OK)
		return problem_err(rq, e);
	v->favorite = on;
	return reply_one(rq, 200, favorite_fields, v, 0);
}

static struct reply
add_favorite(struct request *rq)
{
	return mark(rq, true);
}

static struct reply
drop_favorite(struct request *rq)
{
	return mark(rq, false);
}

/* ---- cloning ---- */

/* Check the limits of the plan; false: *no names the one that is reached. */
static bool
within_plan(struct request *rq, struct reply *no)
{
	const struct plan *plan = &rq->who->plan;
	bool allowed;
	enum err e;

	if (!problem_within_limit(
		rq, plan->voices, voice_count, P_VOICE_LIMIT, "voices", no))
		return false;
	if ((e = pending_upload_allowed(rq->db, rq->who, 1, &allowed)) != OK)
		*no = problem_err(rq, e);
	else if (!allowed)
		*no = problem(rq, P_STORAGE_LIMIT, "The plan allows %lld stored bytes.",
		    (long long)plan->storage_bytes);
	else
		return true;
	return false;
}

static struct reply
reply_clone(struct request *rq, struct voice *v, const struct upload_form *t)
{
	struct json_writer j;

	finish_voice(rq, v);
	header(rq, "ETag", "\"v%lld\"", (long long)v->version);
	j = reply_open(rq);
	jw_open(&j, "data");
	field_write_into(&j, voice_fields, v);
	jw_list(&j, "samples");
	field_write(&j, NULL, upload_form_fields, t);
	jw_close(&j);
	jw_close(&j);
	return reply_close(rq, &j, 200);
}

static struct voice_new
new_voice(struct request *rq, const struct sample_in *s)
{
	const struct voice_in *in = rq->in;

	return (struct voice_new){
		.voice = { .id = id_new(rq->mem),
		    .account = rq->who->account,
		    .name = in->voice.name,
		    .description = in->voice.description,
		    .status = "created",
		    .lang = s->lang,
		    .attributes = texts_json(rq->mem, &in->attributes),
		    .labels = in->voice.labels,
		    .created_us = now_us() },
		.hidden = in->hidden,
		.denoise = s->denoise,
		.normalise = s->normalise,
		.sample = id_new(rq->mem),
	};
}

static struct reply
clone_voice(struct request *rq)
{
	const struct sample_in *s = ((struct voice_in *)rq->in)->samples.items;
	struct voice_new new = new_voice(rq, s);
	struct upload_form t = { .item_id = s->item_id };
	struct blob b = { .id = new.sample,
		.kind = "voice_sample",
		.mime_type = s->mime_type,
		.filename = s->filename,
		.display_name = s->display_name,
		.description = s->description,
		.voice = new.voice.id };
	enum err room = pending_upload_room(rq->conf, rq->who, 1), e;
	struct voice v;
	struct reply no;

	if ((e = db_begin(rq->db, rq->who->account)) != OK)
		return problem_err(rq, e);
	if (!within_plan(rq, &no))
		return no;
	if ((e = room) != OK || (e = voice_add(rq->db, rq->mem, &new)) != OK ||
	    (e = pending_upload_add(rq->db, rq->mem, rq->conf, rq->who, &b, &t)) !=
		OK ||
	    (e = voice_get(rq->db, rq->mem, rq->who->account, new.voice.id, &v)) != OK)
		return problem_err(rq, e);
	return reply_clone(rq, &v, &t);
}

/* ---- lists ---- */

static struct list_cursor
cursor_of(const struct page *p)
{
	return (struct list_cursor){ page_ascending(p), p->after_us, p->after_id,
		page_limit(p) + 1 };
}

static struct voice_query
filters(struct request *rq)
{
	const struct list_in *in = rq->query;

	return (struct voice_query){
		.from = cursor_of(&in->page),
		.search = in->search,
		.gender = in->gender,
		.age_group = in->age_group,
		.mood = in->mood,
		.provider = in->provider,
		.lang = in->lang != NULL ? text_lower(rq->mem, in->lang) : NULL,
		.favorite = in->is_favorite == NULL
				? NULL_INT
				: strcmp(in->is_favorite, "true") == 0 ||
				      strcmp(in->is_favorite, "1") == 0,
	};
}

static struct reply
reply_voices(struct request *rq, const struct voice_query *q)
{
	struct voice_page p;
	enum err e = voice_list(rq->db, rq->mem, rq->who->account, q, &p);

	if (e != OK)
		return problem_err(rq, e);
	for (size_t i = 0; i < p.voices.n; i++)
		finish_voice(rq, (struct voice *)p.voices.items + i);
	return reply_page_part(rq, voice_fields, p.voices, ITEM(voice, created_us, id),
	    p.rest_us, p.rest_id);
}

static struct reply
list_voices(struct request *rq)
{
	struct voice_query q = filters(rq);

	return reply_voices(rq, &q);
}

static struct reply
list_hidden(struct request *rq)
{
	const struct voice_query q = {
		.from = cursor_of(rq->query), .hidden = true, .favorite = NULL_INT
	};

	return reply_voices(rq, &q);
}

static struct reply
list_builtin(struct request *rq)
{
	struct voice_query q = filters(rq);

	q.builtin = true;
	return reply_voices(rq, &q);
}

static struct reply
list_samples(struct request *rq)
{
	const struct list_cursor from = cursor_of(rq->query);
	struct list samples;
	enum err e = sample_list(rq->db, rq->mem, rq->who->account, &from, &samples);

	if (e != OK)
		return problem_err(rq, e);
	for (size_t i = 0; i < samples.n; i++)
		finish_sample(rq, (struct tts_sample *)samples.items + i);
	return reply_page(
	    rq, sample_fields, samples, ITEM(tts_sample, created_us, blob));
}

static struct reply
get_limits(struct request *rq)
{
	struct voice_limits l;
	enum err e =
	    voice_limits(rq->db, rq->mem, rq->who->account, rq->who->plan.voices, &l);

	if (e != OK)
		return problem_err(rq, e);
	return reply_one(rq, 200, voice_limit_fields, &l, 0);
}

/* clang-format off */
#define VOICE  "/saas/voice/m/{voice_id}"
#define FILTER QUERY(list_fields, struct list_in), .token = "token"
#define PAGES  QUERY(page_fields, struct page), .token = "token"

const struct route	 voice_routes[] = {
	{ "POST",   "/saas/voice/clone", clone_voice, "voices:write", JSON_BODY | IDEMPOTENT,
	  BODY(voice_clone_fields, struct voice_in), .summary = "Clone a voice from one recording",
	  .shape = A_ONE, .out = voice_fields, .also = "507" },
	{ "GET",    VOICE, get_voice, "voices:read", 0, find_voice,
	  .summary = "Read one voice", .shape = A_ONE, .out = voice_fields, .also = "304" },
	{ "POST",   VOICE, edit_voice, "voices:write", JSON_BODY | PARTIAL | IF_MATCH | LOCKED,
	  find_voice, BODY(voice_edit_fields, struct voice_in), .summary = "Change a voice",
	  .shape = A_ONE, .out = voice_fields },
	{ "DELETE", VOICE, drop_voice, "voices:write", IF_MATCH | LOCKED, find_voice,
	  .called = MEMBER(voice, name), .summary = "Delete a voice" },
	{ "POST",   VOICE "/favorite", add_favorite, "voices:write", LOCKED, find_voice,
	  .summary = "Mark a voice as favorite", .shape = A_ONE, .out = favorite_fields },
	{ "DELETE", VOICE "/favorite", drop_favorite, "voices:write", LOCKED, find_voice,
	  .summary = "Remove the favorite mark", .shape = A_ONE, .out = favorite_fields },
	{ "GET",    "/saas/voice", list_voices, "voices:read", FILTER,
	  .summary = "List own voices", .shape = A_PAGE, .out = voice_fields },
	{ "DELETE", "/saas/voice", drop_voices, "voices:write", LOCKED,
	  .summary = "Delete all own voices" },
	{ "GET",    "/saas/voice/hidden", list_hidden, "voices:read", PAGES,
	  .summary = "List hidden voices", .shape = A_PAGE, .out = voice_fields },
	{ "GET",    "/saas/voice/builtin", list_builtin, "voices:read", FILTER,
	  .summary = "List built-in voices", .shape = A_PAGE, .out = voice_fields },
	{ "GET",    "/saas/voice/sample/tts", list_samples, "voices:read", PAGES,
	  .summary = "List TTS samples of own voices", .shape = A_PAGE, .out = sample_fields },
	{ "GET",    "/saas/voice/limits", get_limits, "voices:read",
	  .summary = "Voice limits", .shape = A_ONE, .out = voice_limit_fields },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("voices", voice_routes, account_sql, idempotent_response_sql, blob_sql,
    voice_sql, voice_processing_sql, queue_sql)
