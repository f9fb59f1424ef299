/*
 * /saas/voice: voices cloned from a recording, and the built-in ones.
 */
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/lang.h"
#include "base/mime.h"
#include "base/text.h"
#include "blob/link.h"
#include "blob/target.h"
#include "service/speech.h"
#include "store/blobs.h"
#include "store/making.h"
#include "store/voices.h"
#include "web/web.h"

#define LOCK_US (120 * S_US) /* the longest that making a TTS sample takes */

/* ---- input ---- */

struct sample_in {
	const char *filename, *mime_type, *lang, *display_name, *description, *item_id;
	bool denoise, normalise;
};

struct voice_in {
	const char *name, *description;
	struct labels labels;
	struct list attributes; /* const char * */
	struct list samples;    /* struct sample_in */
	bool hidden;
};

struct list_in {
	struct page page;
	const char *search;
	struct list gender, age_group, mood, provider;
	const char *lang, *is_favorite;
};

struct lang_in {
	const char *lang;
};

static const char *
name_check(const char *s)
{
	return text_only(s, "_-. ()")
		   ? NULL
		   : "may have letters, digits, space and _ - . ( ) only";
}

static const char *const providers[] = { "own_provider", "external_provider", NULL };
static const char *const yes_no[] = { "true", "false", NULL };

/* clang-format off */
#define AT(m) offsetof(struct sample_in, m)
static const struct field	 sample_in_fields[] = {
	{ "filename",     F_TEXT, AT(filename),     3, 255,  F_IN | F_REQUIRED, filename_check },
	{ "mime_type",    F_ENUM, AT(mime_type),    0, 0,    F_IN | F_REQUIRED | F_NOCASE,
	                  .names = mime_clone },
	{ "lang_code",    F_ENUM, AT(lang),         0, 0,    F_IN | F_REQUIRED | F_NOCASE,
	                  .names = lang_voice },
	{ "display_name", F_TEXT, AT(display_name), 1, 255,  F_IN },
	{ "description",  F_TEXT, AT(description),  0, 2000, F_IN },
	{ "item_id",      F_TEXT, AT(item_id),      1, 36,   F_IN },
	{ "denoise",      F_BOOL, AT(denoise),      0, 0,    F_IN },
	{ "speech_normalization", F_BOOL, AT(normalise), 0, 0, F_IN | F_TRUE },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct voice_in, m)
static const struct field	 attribute[] = {
	{ "", F_TEXT, 0, 1, 64, F_IN },
};
#define NAME        { "name", F_TEXT, AT(name), 3, 64, F_IN | F_REQUIRED, name_check }
#define DESCRIPTION { "description", F_TEXT, AT(description), 0, 2000, F_IN | F_NULLABLE }
#define LABELS      { "labels", F_OBJ, AT(labels), 0, 0, F_IN | F_NULLABLE, .of = label_fields }
#define ATTRIBUTES  { "attributes", F_LIST, AT(attributes), 0, 20, F_IN | F_NULLABLE, .of = attribute, \
                      .size = sizeof(const char *) }

static const struct field	 clone_fields[] = {
	NAME, DESCRIPTION, LABELS, ATTRIBUTES,
	{ "samples", F_LIST, AT(samples), 1, 1, F_IN | F_REQUIRED, .of = sample_in_fields,
	             .size = sizeof(struct sample_in) },
	{ "skip_external_voice", F_BOOL, AT(hidden), 0, 0, F_IN },
	FIELDS_END,
};
static const struct field	 edit_fields[] = { NAME, DESCRIPTION, LABELS, ATTRIBUTES, FIELDS_END };
#undef AT
#define AT(m) offsetof(struct list_in, m)
#define CHOICE(name, member, item)                                                       \
	{ name, F_LIST, AT(member), 0, 10, F_IO | F_OPT, .of = item, .size = sizeof(const char *) }
static const struct field	 provider[] = { { "", F_ENUM, 0, 0, 0, F_IO, .names = providers } };
static const struct field	 list_fields[] = {
	PAGE_FIELDS,
	{ "search",      F_TEXT, AT(search), 2, 100, F_IO | F_OPT },
	CHOICE("gender", gender, gender_label), CHOICE("age_group", age_group, age_label),
	CHOICE("mood", mood, mood_label), CHOICE("provider", provider, provider),
	{ "lang",        F_TEXT, AT(lang), 1, 10, F_IO | F_OPT },
	{ "is_favorite", F_ENUM, AT(is_favorite), 0, 0, F_IO | F_OPT, .names = yes_no },
	FIELDS_END,
};
static const struct field	 page_fields[] = { PAGE_FIELDS, FIELDS_END };
static const struct field	 lang_fields[] = {
	{ "lang_code", F_ENUM, 0, 0, 0, F_IN | F_REQUIRED | F_NOCASE, .names = lang_voice },
	FIELDS_END,
};
static const struct field	 favorite_fields[] = {
	{ "voice_id",    F_TEXT, offsetof(struct voice, id),       .flags = F_OUT },
	{ "is_favorite", F_BOOL, offsetof(struct voice, favorite), .flags = F_OUT },
	FIELDS_END,
};
/* clang-format on */

/* ---- what clients see ---- */

static void
finish_sample(struct request *rq, struct tts_sample *s)
{
	if (s->blob != NULL)
		s->url = link_make(rq->conf, rq->mem, s->blob, now_us());
}

static void
finish_voice(struct request *rq, struct voice *v)
{
	voice_tell(rq->mem, v, rq->conf->server_base_url);
	finish_sample(rq, &v->sample);
}

static struct reply
reply_voice(struct request *rq, struct voice *v)
{
	finish_voice(rq, v);
	return reply_one(rq, 200, voice_fields, v, v->version);
}

static const char *
attributes_json(struct request *rq, const struct list *l)
{
	struct buf b = { .mem = rq->mem };
	struct jw j = { .out = &b };

	jw_list(&j, NULL);
	for (size_t i = 0; i < l->n; i++)
		jw_text(&j, NULL, ((const char *const *)l->items)[i]);
	jw_close(&j);
	return buf_text(&b);
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
	return reply_voice(rq, rq->it);
}

static struct reply
built_in(struct request *rq)
{
	return problem(rq, P_READ_ONLY, "Built-in voices cannot be changed.");
}

static bool
same_voice(const struct voice *a, const struct voice *b)
{
	struct arena *mem = arena_new();
	struct buf x = { .mem = mem }, y = { .mem = mem };
	bool same;

	field_write(&(struct jw){ .out = &x }, NULL, voice_fields, a);
	field_write(&(struct jw){ .out = &y }, NULL, voice_fields, b);
	same = x.len == y.len && memcmp(x.p, y.p, x.len) == 0;
	arena_free(mem);
	return same;
}

static struct reply
edit_voice(struct request *rq)
{
	struct voice *v = rq->it, before = *v;
	struct voice_in in = {
		.name = v->name, .description = v->description, .labels = v->labels
	};
	enum err e;

	if (v->account == NULL)
		return built_in(rq);
	input_over(rq, &in);
	v->name = in.name;
	v->description = in.description;
	v->labels = in.labels;
	if (input_has(rq, "attributes"))
		v->attributes = attributes_json(rq, &in.attributes);
	if (!same_voice(v, &before) && (e = voice_put(rq->db, rq->mem, v)) != OK)
		return problem_err(rq, e);
	return reply_voice(rq, v);
}

static struct reply
drop_voice(struct request *rq)
{
	const struct voice *v = rq->it;
	enum err e;

	if (v->account == NULL)
		return built_in(rq);
	if ((e = voice_drop(rq->db, v->account, v->id)) != OK)
		return problem_err(rq, e);
	return reply_null(rq, 200);
}

static struct reply
drop_voices(struct request *rq)
{
	enum err e;

	if ((e = voice_drop_all(rq->db, rq->who->account)) != OK)
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

static enum err
add_blob(struct request *rq, const struct sample_in *s, const char *voice,
    const char *blob, int64_t now)
{
	const struct plan *plan = &rq->who->plan;

	return blob_add(rq->db, &(struct blob){ .id = blob,
				    .account = rq->who->account,
				    .kind = "voice_sample",
				    .state = "awaiting",
				    .mime_type = s->mime_type,
				    .filename = s->filename,
				    .display_name = s->display_name,
				    .description = s->description,
				    .voice = voice,
				    .min_bytes = plan->upload_min_bytes,
				    .max_bytes = plan->upload_max_bytes,
				    .bytes = NULL_INT,
				    .created_us = now,
				    .stored_us = NULL_INT });
}

/* The limits of the plan; false: *no says which one is reached. */
static bool
within_plan(struct request *rq, struct reply *no)
{
	const struct plan *plan = &rq->who->plan;
	int64_t voices, stored;
	enum err e;

	if ((e = voice_count(rq->db, rq->who->account, &voices)) != OK ||
	    (e = account_stored(rq->db, rq->who->account, &stored)) != OK)
		*no = problem_err(rq, e);
	else if (plan->voices > 0 && voices >= plan->voices)
		*no = problem(rq, P_VOICE_LIMIT, "The plan allows %lld voices.",
		    (long long)plan->voices);
	else if (plan->storage_bytes > 0 &&
		 stored + plan->upload_min_bytes > plan->storage_bytes)
		*no = problem(rq, P_STORAGE_LIMIT, "The plan allows %lld stored bytes.",
		    (long long)plan->storage_bytes);
	else
		return true;
	return false;
}

static struct reply
tell_clone(struct request *rq, struct voice *v, const struct upload_target *t)
{
	struct jw j;

	finish_voice(rq, v);
	header(rq, "ETag", "\"v%lld\"", (long long)v->version);
	j = reply_open(rq);
	jw_open(&j, "data");
	field_write_into(&j, voice_fields, v);
	jw_list(&j, "samples");
	field_write(&j, NULL, target_fields, t);
	jw_close(&j);
	jw_close(&j);
	return reply_close(rq, &j, 200);
}

static struct voice_new
new_voice(struct request *rq, const struct sample_in *s, int64_t now)
{
	const struct voice_in *in = rq->in;

	return (struct voice_new){
		.id = id_new(rq->mem),
		.account = rq->who->account,
		.name = in->name,
		.description = in->description,
		.status = "created",
		.lang = s->lang,
		.attributes = attributes_json(rq, &in->attributes),
		.labels = in->labels,
		.hidden = in->hidden,
		.denoise = s->denoise,
		.normalise = s->normalise,
		.sample = id_new(rq->mem),
		.created_us = now,
	};
}

static struct reply
clone_voice(struct request *rq)
{
	const struct sample_in *s = ((struct voice_in *)rq->in)->samples.items;
	const struct plan *plan = &rq->who->plan;
	int64_t now = now_us();
	struct voice_new new = new_voice(rq, s, now);
	struct upload_target t;
	struct voice v;
	struct reply no;
	enum err e;

	if ((e = db_begin(rq->db)) != OK)
		return problem_err(rq, e);
	if (!within_plan(rq, &no))
		return no;
	if ((e = voice_add(rq->db, rq->mem, &new)) != OK ||
	    (e = add_blob(rq, s, new.id, new.sample, now)) != OK ||
	    (e = voice_get(rq->db, rq->mem, new.account, new.id, &v)) != OK)
		return problem_err(rq, e);
	t = target_make(rq->mem, rq->conf,
	    &(struct upload_want){ .account = new.account,
		.blob_id = new.sample,
		.item_id = s->item_id != NULL ? s->item_id : id_new(rq->mem),
		.mime_type = s->mime_type,
		.min_bytes = plan->upload_min_bytes,
		.max_bytes = plan->upload_max_bytes },
	    now);
	return tell_clone(rq, &v, &t);
}

/* ---- TTS samples ---- */

/* The new sample takes the place of all earlier ones. */
static enum err
replace_samples(struct request *rq, const struct making *m, const struct spoken *sp)
{
	enum err e;

	if ((e = db_begin(rq->db)) != OK ||
	    (e = sample_drop_all(rq->db, m->account, m->id)) != OK)
		return e;
	return speech_keep(rq->db, sp);
}

static struct reply
speak_locked(struct request *rq, const struct making *m, const char *lang)
{
	struct tts_sample s;
	struct spoken sp;
	enum err e;

	if ((e = speech_make(rq->conf, rq->mem, m, OWN_PROVIDER, lang, id_new(rq->mem),
		 &sp)) != OK ||
	    (e = replace_samples(rq, m, &sp)) != OK)
		return problem_err(rq, e);
	s = sp.sample;
	finish_sample(rq, &s);
	return reply_one(rq, 200, sample_fields, &s, 0);
}

static const char *
language_of(const struct making *m, const char *asked)
{
	if (strcmp(asked, "auto") != 0)
		return asked;
	return strcmp(m->lang, "auto") != 0 ? m->lang : "en";
}

static struct reply
make_sample(struct request *rq)
{
	const struct voice *v = rq->it;
	const struct lang_in *in = rq->in;
	int64_t until = now_us() + LOCK_US;
	struct making m;
	struct reply rep;
	enum err e;

	if (v->account == NULL)
		return built_in(rq);
	if (strcmp(v->status, "ready") != 0)
		return problem(
		    rq, P_VOICE_NOT_READY, "The voice is %s, not ready.", v->status);
	if ((e = voice_making(rq->db, rq->mem, v->id, &m)) != OK)
		return problem_err(rq, e);
	if ((e = voice_lock(rq->db, v->id, until)) == ERR_CONFLICT)
		return problem(
		    rq, P_LOCKED, "A TTS sample of this voice is being made.");
	if (e != OK)
		return problem_err(rq, e);
	rep = speak_locked(rq, &m, language_of(&m, in->lang));
	if (rep.status >= 400)
		db_rollback(rq->db);
	if ((e = voice_unlock(rq->db, v->id, until)) != OK && rep.status < 400)
		rep = problem_err(rq, e);
	return rep;
}

/* ---- lists ---- */

static void
voice_place(const void *item, int64_t *created_us, const char **id)
{
	const struct voice *v = item;

	*created_us = v->created_us;
	*id = v->id;
}

static void
sample_place(const void *item, int64_t *created_us, const char **id)
{
	const struct tts_sample *s = item;

	*created_us = s->created_us;
	*id = s->blob;
}

static struct voice_query
position(const struct page *p)
{
	return (struct voice_query){
		.ascending = page_ascending(p),
		.after_us = p->after_us,
		.after_id = p->after_id,
		.limit = page_limit(p) + 1,
		.favorite = NULL_INT,
	};
}

static struct voice_query
filters(struct request *rq)
{
	const struct list_in *in = rq->query;
	struct voice_query q = position(&in->page);

	q.search = in->search;
	q.gender = in->gender;
	q.age_group = in->age_group;
	q.mood = in->mood;
	q.provider = in->provider;
	q.lang = in->lang != NULL ? text_lower(rq->mem, in->lang) : NULL;
	if (in->is_favorite != NULL)
		q.favorite = strcmp(in->is_favorite, "true") == 0;
	return q;
}

static struct reply
reply_voices(struct request *rq, const struct voice_query *q)
{
	struct list voices;
	enum err e = voice_list(rq->db, rq->mem, rq->who->account, q, &voices);

	if (e != OK)
		return problem_err(rq, e);
	for (size_t i = 0; i < voices.n; i++)
		finish_voice(rq, (struct voice *)voices.items + i);
	return reply_page(rq, voice_fields, voices, sizeof(struct voice), voice_place);
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
	struct voice_query q = position(rq->query);

	q.hidden = true;
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
	struct voice_query q = position(rq->query);
	struct list samples;
	enum err e = sample_list(rq->db, rq->mem, rq->who->account, &q, &samples);

	if (e != OK)
		return problem_err(rq, e);
	for (size_t i = 0; i < samples.n; i++)
		finish_sample(rq, (struct tts_sample *)samples.items + i);
	return reply_page(
	    rq, sample_fields, samples, sizeof(struct tts_sample), sample_place);
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
	  BODY(clone_fields, struct voice_in), .summary = "Clone a voice from one recording",
	  .shape = A_ONE, .out = voice_fields, .also = "507" },
	{ "GET",    VOICE, get_voice, "voices:read", 0, find_voice,
	  .summary = "Read one voice", .shape = A_ONE, .out = voice_fields, .also = "304" },
	{ "POST",   VOICE, edit_voice, "voices:write", JSON_BODY | PARTIAL | IF_MATCH | LOCKED,
	  find_voice, BODY(edit_fields, struct voice_in), .summary = "Change a voice",
	  .shape = A_ONE, .out = voice_fields },
	{ "DELETE", VOICE, drop_voice, "voices:write", IF_MATCH | LOCKED, find_voice,
	  .summary = "Delete a voice" },
	{ "POST",   VOICE "/tts-sample", make_sample, "voices:write", JSON_BODY | IDEMPOTENT,
	  find_voice, BODY(lang_fields, struct lang_in), .summary = "Make the TTS sample anew",
	  .shape = A_ONE, .out = sample_fields, .also = "409 502 504 507" },
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

#ifndef UNIT_TEST
int
main(int argc, char **argv)
{
	static const struct sql *const prepared[] = { account_sql, blob_sql, voice_sql,
		making_sql, NULL };

	return serve("voices", voice_routes, prepared, argc, argv);
}
#endif
