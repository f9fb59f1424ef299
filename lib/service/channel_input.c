/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/channel_input.h"

#include <string.h>

#include "base/id.h"
#include "net/url.h"
#include "store/served.h"

/* ---- rules ---- */

/* The faults found so far. */
struct rules {
	struct arena *mem;
	const struct json *data;
	const struct channel_in *in;
	struct fault *faults;
};

#define WRONG(r, sentence, ...)                                                        \
	((r)->faults = fault_add((r)->mem, (r)->faults,                                \
	     arena_printf((r)->mem, __VA_ARGS__), "%s", sentence))

/* True if a member is missing or null. A wrong member has been reported already. */
static bool
absent(const struct json *obj, const char *name)
{
	const struct json *v = json_get(obj, name);

	return v == NULL || v->type == JSON_NONE;
}

static void
forbid(struct rules *r, const char *name, const char *value, const char *why)
{
	if (value != NULL)
		WRONG(r, why, "/data/%s", name);
}

/* A channel of an event names the event; a standalone one must not. */
static void
check_event(struct rules *r, struct channel *in)
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
	in->event = in->event != NULL ? id_read(r->mem, in->event) : NULL;
	in->stage = in->stage != NULL ? id_read(r->mem, in->stage) : NULL;
}

static void
check_input(struct rules *r)
{
	const char *type = r->in->channel.input_type;

	if (type == NULL && absent(r->data, "input_type"))
		type = "webrtc_push";
	if (type == NULL)
		return;
	if (strcmp(type, "hls_pull") != 0)
		forbid(r, "input_url", r->in->channel.input_url,
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
			WRONG(r, "The language is listed twice.",
			    "/data/target_languages/%zu", i);
}

/* The members that one output needs. */
static void
check_output(struct rules *r, const char *protocol, const struct json *v, size_t i)
{
	static const char *const pushed[] = { "lang_code", "server", "stream_key",
		NULL };
	static const char *const pulled[] = { "lang_codes", NULL };
	static const char *const posted[] = { "lang_code", "url", NULL };
	static const char *const radio[] = { "lang_code", "server", "mount",
		"stream_key", NULL };
	static const char *const recorded[] = { "lang_codes", "format", NULL };
	static const char *const none[] = { NULL };
	const char *const *needs = strcmp(protocol, "webrtc_push") == 0     ? none
				   : strcmp(protocol, "hls_pull") == 0      ? pulled
				   : strcmp(protocol, "captions_push") == 0 ? posted
				   : strcmp(protocol, "icecast_push") == 0  ? radio
				   : strcmp(protocol, "recording") == 0     ? recorded
									    : pushed;

	for (; *needs != NULL; needs++)
		if (v->type == JSON_OBJ && absent(v, *needs))
			WRONG(r, arena_printf(r->mem, "%s is required.", *needs),
			    "/data/outputs/%zu/%s", i, *needs);
}

/* The addresses to which a stream can be pushed: the schemes of each protocol; SRT
   needs a port. */
static const struct pushed {
	const char *protocol, *schemes[2], *why;
} pushed_to[] = {
	{ "rtmp_push", { "rtmp://", "rtmps://" },
	    "server must be an address such as rtmp://live.example.org/app." },
	{ "srt_push", { "srt://", "srt://" },
	    "server must be an address such as srt://live.example.org:9000." },
	{ "icecast_push", { "http://", "https://" },
	    "server must be an address such as https://radio.example.org:8443." },
};

static bool
is_address(const struct pushed *p, const char *server)
{
	const char *host = NULL;

	for (int i = 0; i < 2; i++)
		if (strncmp(server, p->schemes[i], strlen(p->schemes[i])) == 0)
			host = server + strlen(p->schemes[i]);
	if (host == NULL || *host == '\0' || *host == '/' || *host == ':')
		return false;
	for (const char *c = server; *c != '\0'; c++)
		if (*c <= ' ' || *c > '~' || *c == '@' || *c == '\\')
			return false;
	return strcmp(p->protocol, "srt_push") != 0 || strrchr(host, ':') != NULL;
}

static void
check_server(struct rules *r, const struct output_in *o, size_t i)
{
	for (size_t k = 0; k < sizeof(pushed_to) / sizeof(pushed_to[0]); k++)
		if (strcmp(o->protocol, pushed_to[k].protocol) == 0 &&
		    o->server != NULL && !is_address(&pushed_to[k], o->server))
			WRONG(r, pushed_to[k].why, "/data/outputs/%zu/server", i);
	if (strcmp(o->protocol, "srt_push") == 0 && o->stream_key != NULL &&
	    (strlen(o->stream_key) < 10 || strlen(o->stream_key) > 79))
		WRONG(r, "stream_key is the passphrase of SRT: 10 to 79 bytes.",
		    "/data/outputs/%zu/stream_key", i);
}

/* Check the languages: each becomes a file, a track or a rendition. */
static void
check_codes(struct rules *r, const struct output_in *o, size_t i)
{
	const char *const *code = o->lang_codes.items;

	for (size_t k = 0; (strcmp(o->protocol, "recording") == 0 ||
			       strcmp(o->protocol, "hls_pull") == 0) &&
			   k < o->lang_codes.n;
	     k++)
		if (code[k] != NULL &&
		    languages_have(&(struct list){ o->lang_codes.items, k }, code[k]))
			WRONG(r, "The language is listed twice.",
			    "/data/outputs/%zu/lang_codes/%zu", i, k);
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
		if (o[i].protocol == NULL)
			continue;
		check_output(r, o[i].protocol, v, i);
		check_server(r, o + i, i);
		check_codes(r, o + i, i);
	}
}

/* True if the query of an address has a member "seq", which Dragoman adds itself. */
static bool
has_seq(const char *url)
{
	const char *at = strchr(url, '?');

	for (; at != NULL; at = strchr(at + 1, '&'))
		if (strncmp(at + 1, "seq=", 4) == 0)
			return true;
	return false;
}

static const char *
address_fault(const struct conf *conf, struct arena *mem, const struct output_in *o,
    const struct output_in *first)
{
	if (conf->captions_allow_private ? !url_is_http(mem, o->url)
					 : !url_is_public_http(mem, o->url))
		return "url must be an http or https URL of a public address.";
	if (strchr(o->url, '#') != NULL || has_seq(o->url))
		return "url must have no fragment, and no seq, which is added.";
	for (; first < o; first++)
		if (first->url != NULL && strcmp(first->url, o->url) == 0)
			return "Only one output may post to an address.";
	return NULL;
}

struct fault *
channel_address_rules(const struct conf *conf, struct arena *mem,
    const struct channel_in *in, struct fault *faults)
{
	const struct output_in *o = in->outputs.items;

	for (size_t i = 0; i < in->outputs.n; i++) {
		const char *why = o[i].url != NULL && o[i].protocol != NULL &&
					  strcmp(o[i].protocol, "captions_push") == 0
				      ? address_fault(conf, mem, o + i, o)
				      : NULL;

		if (why != NULL)
			faults = fault_add(mem, faults,
			    arena_printf(mem, "/data/outputs/%zu/url", i), "%s", why);
	}
	return faults;
}

static void
check_transcript(struct rules *r, bool of_event)
{
	if (of_event && r->in->channel.keep_transcript)
		WRONG(r, "The event says whether its channels have transcripts.",
		    "/data/keep_transcript");
}

struct fault *
channel_new_rules(struct arena *mem, const struct json *data, struct channel_in *in)
{
	struct rules r = { .mem = mem, .data = data, .in = in };

	check_event(&r, &in->channel);
	check_input(&r);
	check_languages(&r);
	check_outputs(&r);
	check_transcript(&r, in->channel.event != NULL);
	return r.faults;
}

struct fault *
channel_edit_rules(struct arena *mem, const struct json *data,
    const struct channel_in *in, const struct channel *was)
{
	struct rules r = { .mem = mem, .data = data, .in = in };
	const char *given = in->channel.id;
	const char *said = given != NULL ? id_read(mem, given) : NULL;

	if (given != NULL && (said == NULL || strcmp(said, was->id) != 0))
		WRONG(&r, "channel_id must be that of the path.", "/data/channel_id");
	check_languages(&r);
	check_outputs(&r);
	check_transcript(&r, was->event != NULL);
	return r.faults;
}

/* ---- as a channel ---- */

/* Keep only the members that belong to the output's protocol. */
static struct output_in
shaped(const struct output_in *o)
{
	struct output_in to = { .protocol = o->protocol };

	if (strcmp(o->protocol, "hls_pull") == 0) {
		to.lang_codes = o->lang_codes;
		to.attendees = o->attendees;
	} else if (strcmp(o->protocol, "recording") == 0) {
		to.lang_codes = o->lang_codes;
		to.format = o->format;
	} else if (strcmp(o->protocol, "captions_push") == 0) {
		to.lang_code = o->lang_code;
		to.url = o->url;
	} else if (strcmp(o->protocol, "webrtc_push") != 0) {
		to = *o;
		to.url = to.format = to.attendees = NULL;
		to.lang_codes = (struct list){ 0 };
		if (strcmp(o->protocol, "srt_push") != 0)
			to.stream_id = NULL;
		if (strcmp(o->protocol, "icecast_push") != 0)
			to.mount = NULL;
	}
	return to;
}

/* The outputs as a JSON array, with the members that the contract has for each. */
static const char *
outputs_json(struct arena *mem, const struct list *l)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_list(&j, NULL);
	for (size_t i = 0; i < l->n; i++) {
		struct output_in o = shaped((const struct output_in *)l->items + i);

		field_write(&j, NULL, output_in_fields, &o);
	}
	jw_close(&j);
	return buf_text(&b);
}

void
channel_edit(struct arena *mem, const struct json *data, const struct channel_in *in,
    struct channel *c)
{
	struct channel_in over = { .channel = *c };

	/* Read the input over the stored channel: missing members keep their values. */
	field_read(mem, channel_new_fields, data, "/data", FIELD_PARTIAL, &over);
	field_copy(channel_new_fields, &over.channel, c);
	c->title = c->name;
	/* these may be given as null */
	if (json_get(data, "target_languages") != NULL)
		c->target_languages = texts_json(mem, &in->languages);
	if (json_get(data, "outputs") != NULL)
		c->outputs = outputs_json(mem, &in->outputs);
	if (json_get(data, "blocked_words") != NULL)
		c->blocked_words = texts_json(mem, &in->blocked);
}

void
channel_new(struct arena *mem, const struct json *data, const struct channel_in *in,
    struct channel *c)
{
	const char *languages = c->target_languages;

	channel_edit(mem, data, in, c);
	if (absent(data, "target_languages"))
		c->target_languages = languages;
	c->type = in->channel.type;
	if (in->channel.input_type != NULL)
		c->input_type = in->channel.input_type;
	c->input_url = in->channel.input_url;
}
