#include "service/channel_input.h"
#include <math.h>
#include <string.h>

#include "base/id.h"
#include "base/lang.h"
#include "store/languages.h"

static const char *
region_check(const char *s)
{
	return s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0'
		   ? NULL
		   : "may have a-z, 0-9 and - only";
}

/* Whatever it says. */
static const char *
fixed_check(const char *s)
{
	(void)s;
	return "cannot be changed";
}

static const char *const types[] = { "event", "standalone", NULL };
static const char *const protocols[] = { "webrtc_push", "rtmp_push", "srt_push",
	"hls_pull", NULL };

/* clang-format off */
#define AT(m) offsetof(struct output_in, m)
static const struct field	 heard[] = { { "", F_ENUM, 0, 0, 0, F_IO | F_NOCASE, .names = lang_heard } };
static const struct field	 output_fields[] = {
	{ "protocol",   F_ENUM, AT(protocol),   0, 0,    F_IO | F_REQUIRED, .names = protocols },
	{ "lang_code",  F_ENUM, AT(lang_code),  0, 0,    F_IO | F_OPT | F_NOCASE, .names = lang_heard },
	{ "server",     F_TEXT, AT(server),     1, 2083, F_IO | F_OPT },
	{ "stream_key", F_TEXT, AT(stream_key), 1, 1024, F_IO | F_OPT },
	{ "lang_codes", F_LIST, AT(lang_codes), 1, 67,   F_IO | F_OPT, .of = heard,
	                .size = sizeof(const char *) },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct channel_in, m)
static const struct field	 target[] = { { "", F_ENUM, 0, 0, 0, F_IN | F_NOCASE, .names = lang_target } };

#define NAME { "name", F_TEXT, AT(name), 1, 100, F_IN | F_REQUIRED }
#define OTHERS                                                                           \
	{ "source_language",  F_ENUM, AT(source_language), 0, 0, F_IN | F_NOCASE,        \
	                      .names = lang_spoken },                                    \
	{ "target_languages", F_LIST, AT(languages),  0, 66, F_IN | F_NULLABLE,          \
	                      .of = target, .size = sizeof(const char *) },              \
	{ "region",           F_TEXT, AT(region),     1, 32, F_IN, region_check },       \
	{ "ignore_video",     F_BOOL, AT(ignore_video), 0, 0, F_IN },                    \
	{ "original_delay_seconds", F_REAL, AT(original_delay_s), 0, 30, F_IN },         \
	{ "original_ducked_volume", F_REAL, AT(original_volume),  0, 1,  F_IN },         \
	{ "audio_settings",   F_JSON, AT(audio_settings), 0, 16384, F_IN | F_NULLABLE }, \
	{ "outputs",          F_LIST, AT(outputs),    0, 20, F_IN | F_NULLABLE,          \
	                      .of = output_fields, .size = sizeof(struct output_in) },   \
	{ "translation_pipeline", F_JSON, AT(pipeline), 0, 65536, F_IN | F_NULLABLE }
#define FIXED(name, m) { name, F_TEXT, AT(m), 0, 0, F_IN, fixed_check }

const struct field	 channel_new_fields[] = {
	{ "type",       F_ENUM, AT(type),       0, 0,    F_IN | F_REQUIRED, .names = types },
	NAME,
	{ "event_id",   F_TEXT, AT(event),      0, 0,    F_IN, id_check },
	{ "stage_id",   F_TEXT, AT(stage),      0, 0,    F_IN, id_check },
	{ "input_type", F_ENUM, AT(input_type), 0, 0,    F_IN, .names = protocols },
	{ "input_url",  F_TEXT, AT(input_url),  0, 0,    F_IN },
	OTHERS, FIELDS_END,
};
const struct field	 channel_edit_fields[] = {
	{ "channel_id", F_TEXT, AT(id),         0, 0,    F_IN },
	FIXED("type", type), NAME, FIXED("event_id", event), FIXED("stage_id", stage),
	FIXED("input_type", input_type), FIXED("input_url", input_url),
	OTHERS, FIELDS_END,
};
/* clang-format on */

/* ---- rules ---- */

/* What is wrong so far; the first of them. */
struct rules {
	struct arena *mem;
	const struct json *data;
	const struct channel_in *in;
	struct fault *faults;
};

#define WRONG(r, sentence, ...)                                                        \
	((r)->faults = fault_add((r)->mem, (r)->faults,                                \
	     arena_printf((r)->mem, __VA_ARGS__), "%s", sentence))

/* A member that is not there, or null; one that is wrong was told of already. */
static bool
absent(const struct json *obj, const char *name)
{
	const struct json *v = json_get(obj, name);

	return v == NULL || v->type == JSON_NONE;
}

/* An id is received in any case. */
static const char *
as_stored(struct rules *r, const char *id)
{
	return id != NULL ? id_read(r->mem, id) : NULL;
}

static void
forbid(struct rules *r, const char *name, const char *value, const char *why)
{
	if (value != NULL)
		WRONG(r, why, "/data/%s", name);
}

/* An event's channel says which event's; a standalone one has none. */
static void
check_place(struct rules *r, struct channel_in *in)
{
	static const char none[] = "A standalone channel has no event and no stage.";

	if (in->type != NULL && strcmp(in->type, "standalone") == 0) {
		forbid(r, "event_id", in->event, none);
		forbid(r, "stage_id", in->stage, none);
		in->event = in->stage = NULL;
		return;
	}
	if (in->type != NULL && absent(r->data, "event_id"))
		WRONG(r, "event_id is required.", "/data/event_id");
	in->event = as_stored(r, in->event);
	in->stage = as_stored(r, in->stage);
}

static void
check_input(struct rules *r)
{
	const char *type = r->in->input_type;

	if (type == NULL && absent(r->data, "input_type"))
		type = "webrtc_push";
	if (type == NULL)
		return;
	if (strcmp(type, "hls_pull") != 0)
		forbid(r, "input_url", r->in->input_url,
		    "input_url belongs to input_type hls_pull.");
	else if (absent(r->data, "input_url"))
		WRONG(r, "input_url is required.", "/data/input_url");
}

static void
check_languages(struct rules *r)
{
	const char *const *code = r->in->languages.items;

	for (size_t i = 0; i < r->in->languages.n; i++)
		if (code[i] != NULL &&
		    languages_have(
			&(struct list){ r->in->languages.items, i }, code[i]))
			WRONG(r, "The language is there twice.",
			    "/data/target_languages/%zu", i);
}

/* The members that one output needs. */
static void
check_output(struct rules *r, const char *protocol, const struct json *v, size_t i)
{
	static const char *const pushed[] = { "lang_code", "server", "stream_key",
		NULL };
	static const char *const pulled[] = { "lang_codes", NULL };
	static const char *const none[] = { NULL };
	const char *const *needs = strcmp(protocol, "webrtc_push") == 0 ? none
				   : strcmp(protocol, "hls_pull") == 0  ? pulled
									: pushed;

	for (; *needs != NULL; needs++)
		if (v->type == JSON_OBJ && absent(v, *needs))
			WRONG(r, arena_printf(r->mem, "%s is required.", *needs),
			    "/data/outputs/%zu/%s", i, *needs);
}

static void
check_outputs(struct rules *r)
{
	const struct output_in *o = r->in->outputs.items;
	const struct json *list = json_get(r->data, "outputs"), *v;
	bool webrtc = false;

	v = list != NULL ? list->kids : NULL;
	for (size_t i = 0; i < r->in->outputs.n && v != NULL; i++, v = v->next) {
		bool is =
		    o[i].protocol != NULL && strcmp(o[i].protocol, "webrtc_push") == 0;

		if (is && webrtc)
			WRONG(r, "Only one output may be webrtc_push.",
			    "/data/outputs/%zu", i);
		webrtc |= is;
		if (o[i].protocol != NULL)
			check_output(r, o[i].protocol, v, i);
	}
}

struct fault *
channel_new_rules(struct arena *mem, const struct json *data, struct channel_in *in)
{
	struct rules r = { .mem = mem, .data = data, .in = in };

	check_place(&r, in);
	check_input(&r);
	check_languages(&r);
	check_outputs(&r);
	return r.faults;
}

struct fault *
channel_edit_rules(struct arena *mem, const struct json *data,
    const struct channel_in *in, const char *id)
{
	struct rules r = { .mem = mem, .data = data, .in = in };
	const char *said = in->id != NULL ? id_read(mem, in->id) : NULL;

	if (in->id != NULL && (said == NULL || strcmp(said, id) != 0))
		WRONG(&r, "channel_id must be that of the path.", "/data/channel_id");
	check_languages(&r);
	check_outputs(&r);
	return r.faults;
}

/* ---- as a channel ---- */

/* Members of another protocol's shape are nothing here. */
static struct output_in
shaped(const struct output_in *o)
{
	struct output_in to = { .protocol = o->protocol };

	if (strcmp(o->protocol, "hls_pull") == 0) {
		to.lang_codes = o->lang_codes;
	} else if (strcmp(o->protocol, "webrtc_push") != 0) {
		to = *o;
		to.lang_codes = (struct list){ 0 };
	}
	return to;
}

/* An array of what the contract has of each. */
static const char *
outputs_json(struct arena *mem, const struct list *l)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_list(&j, NULL);
	for (size_t i = 0; i < l->n; i++) {
		struct output_in o = shaped((const struct output_in *)l->items + i);

		field_write(&j, NULL, output_fields, &o);
	}
	jw_close(&j);
	return buf_text(&b);
}

void
channel_edit(struct arena *mem, const struct json *data, const struct channel_in *in,
    struct channel *c)
{
	if (in->name != NULL)
		c->name = c->title = in->name;
	if (in->source_language != NULL)
		c->source_language = in->source_language;
	if (in->region != NULL)
		c->region = in->region;
	if (!isnan(in->original_delay_s))
		c->original_delay_s = in->original_delay_s;
	if (!isnan(in->original_volume))
		c->original_volume = in->original_volume;
	if (!absent(data, "ignore_video"))
		c->ignore_video = in->ignore_video;
	/* These may be given as null. */
	if (json_get(data, "target_languages") != NULL)
		c->target_languages = texts_json(mem, &in->languages);
	if (json_get(data, "outputs") != NULL)
		c->outputs = outputs_json(mem, &in->outputs);
	if (json_get(data, "audio_settings") != NULL)
		c->audio_settings = in->audio_settings;
	if (json_get(data, "translation_pipeline") != NULL)
		c->pipeline = in->pipeline;
}

void
channel_new(struct arena *mem, const struct json *data, const struct channel_in *in,
    struct channel *c)
{
	const char *languages = c->target_languages;

	channel_edit(mem, data, in, c);
	if (absent(data, "target_languages"))
		c->target_languages = languages;
	c->type = in->type;
	if (in->input_type != NULL)
		c->input_type = in->input_type;
	c->input_url = in->input_url;
}
