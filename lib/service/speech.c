/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/speech.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "blob/blob.h"
#include "media/media.h"
#include "speech/builtin_voices.h"
#include "speech/engine.h"
#include "store/accounts.h"
#include "store/voices.h"
#include "work/queue.h"

static bool
is_own(const char *provider)
{
	return strcmp(provider, OWN_PROVIDER) == 0;
}

/* The kind of the engine with this id, and its address; NULL: there is none. */
static const struct engine_kind *
find_engine(
    const struct conf *c, struct arena *mem, const char *id, struct engine_at *at)
{
	struct conf_engine section;

	if (!engine_section(c, id, strlen(id), &section))
		return NULL;
	*at = engine_at_section(mem, c, &section);
	if (at->url == NULL)
		at->url = "";
	at->timeout_ms = (int)c->engine_timeout_ms;
	at->allow_private = c->engine_allow_private;
	return engine_find(section.kind);
}

const struct clone_engine *
speech_cloner(
    const struct conf *c, struct arena *mem, const char *provider, struct engine_at *at)
{
	const char *id = is_own(provider) ? c->speech_clone : c->speech_external;
	const struct engine_kind *k = find_engine(c, mem, id, at);

	return k != NULL ? k->clone : NULL;
}

const struct clone_engine *
speech_holder(const struct conf *c, struct arena *mem, const char *ref,
    struct engine_at *at, const char **name)
{
	const char *slash = strchr(ref, '/');
	const char *id = slash == NULL ? c->speech_external
				       : arena_dup(mem, ref, (size_t)(slash - ref));
	const struct engine_kind *k = find_engine(c, mem, id, at);

	*name = slash == NULL ? ref : slash + 1;
	return k != NULL && *at->url != '\0' ? k->clone : NULL;
}

static enum err
store(
    const struct conf *c, struct arena *mem, const struct media_file *f, struct blob *b)
{
	struct blob_facts facts;
	struct blob_in *in;
	enum err e;

	b->file = blob_name(mem, b->id);
	if ((e = blob_begin(c, mem, (int64_t)f->n, &in)) != OK ||
	    (e = blob_put(in, f->bytes, f->n)) != OK ||
	    (e = blob_end(in, b->file, &facts)) != OK)
		return e;
	b->bytes = facts.bytes;
	b->sha256 = facts.sha256;
	return OK;
}

static struct tts_sample
describe(struct arena *mem, const struct voice_processing *m, const char *provider,
    const char *model, const struct tts_text *said, const struct media_file *f)
{
	return (struct tts_sample){
		.voice = m->id,
		.account = m->account,
		.provider = provider,
		.audio = { f->format, f->codec, round(f->duration_s * 100) / 100,
		    f->mime_type },
		.text = { said->text, said->lang },
		.model = model != NULL ? model : "default",
		.filename = arena_printf(mem, "%s-%s.%s", m->id, said->lang, f->format),
		.mime_type = f->mime_type,
		.display_name = m->name,
		.created_us = now_us(),
	};
}

/* *model: the engine's model; NULL: its default. */
static enum err
speak(const struct conf *c, struct arena *mem, const char *provider,
    struct tts_text *said, const char **model, struct media_file *f)
{
	struct media_at media = { arena_printf(mem, "%s/dragoman-media", c->bin_dir),
		(int)c->engine_timeout_ms };
	const char *id = is_own(provider) ? c->speech_sample : c->speech_external;
	struct engine_at at;
	const struct engine_kind *k = find_engine(c, mem, id, &at);
	struct pcm pcm;
	bool profile;
	enum err e;

	if (k == NULL || k->tts == NULL || !k->tts->speaks(said->lang) ||
	    said->text == NULL)
		return ERR_UNSUPPORTED;
	*model = at.model;
	/*
	 * only engines that shape speech understand a profile, and only the others a
	 * name
	 */
	profile = said->voice != NULL && said->voice[0] == '{';
	if (profile != ((k->tts->can & TTS_PROFILE) != 0))
		said->voice = NULL;
	e = tts_sample(k->tts, &at, mem, said, &pcm);
	if (e == ERR_BUSY)
		return ERR_REFUSED; /* the caller does not wait */
	return e != OK ? e : media_encode(&media, mem, &pcm, "mp3", f);
}

enum err
speech_make(const struct conf *c, struct arena *mem, const struct voice_processing *m,
    const struct speech_want *w, struct spoken *to)
{
	struct tts_text said = {
		.lang = strcmp(w->lang, "auto") == 0 ? "en" : w->lang,
		.voice = is_own(w->provider) ? m->own_voice : m->external_voice,
	};
	const char *model;
	struct media_file f;
	enum err e;

	said.text = speech_sample_text(said.lang);
	if ((e = speak(c, mem, w->provider, &said, &model, &f)) != OK)
		return e;
	to->sample = describe(mem, m, w->provider, model, &said, &f);
	to->sample.blob = to->sample.url = w->blob_id;
	to->blob = (struct blob){
		.id = w->blob_id,
		.account = m->account,
		.kind = "tts_sample",
		.state = "checked",
		.mime_type = f.mime_type,
		.filename = to->sample.filename,
		.voice = m->id,
		.min_bytes = 0,
		.max_bytes = (int64_t)f.n,
		.created_us = to->sample.created_us,
		.stored_us = to->sample.created_us,
	};
	return store(c, mem, &f, &to->blob);
}

enum err
speech_store(struct db *db, const struct spoken *sp)
{
	enum err e;

	if ((e = blob_add(db, &sp->blob)) != OK)
		return e;
	if (sp->blob.account != NULL &&
	    (e = account_store(db, sp->blob.account, sp->blob.bytes)) != OK)
		return e;
	return sample_add(db, &sp->sample);
}

enum err
speech_replace(struct db *db, struct arena *mem, const struct conf *c,
    const struct voice_processing *m, const char *lang, struct tts_sample *to)
{
	struct speech_want w = { OWN_PROVIDER, lang, id_new(mem) };
	struct voice_processing still;
	struct spoken sp;
	enum err e;

	if ((e = speech_make(c, mem, m, &w, &sp)) != OK ||
	    (e = db_begin(db, m->account)) != OK ||
	    (e = voice_making(db, mem, m->id, &still)) != OK ||
	    (e = sample_drop_all(db, m->account, m->id)) != OK)
		return e;
	*to = sp.sample;
	return speech_store(db, &sp);
}

/* ---- built-in voices ---- */

static enum err
write_voice(struct db *db, struct arena *mem, const struct builtin_voice *b,
    const struct spoken *sp)
{
	struct voice_new v = {
		.voice = { .id = b->id,
		    .name = b->name,
		    .description = b->description,
		    .status = "ready",
		    .lang = b->lang_code,
		    .attributes = "[]",
		    .labels = { b->gender, b->age_group, b->mood },
		    .created_us = now_us() },
		.own_voice = b->voice,
	};
	enum err e;

	if ((e = db_begin(db, DB_ROWS)) != OK || (e = voice_add(db, mem, &v)) != OK ||
	    (sp != NULL && (e = speech_store(db, sp)) != OK))
		return e;
	return db_commit(db);
}

/* Make a voice. Without an engine the voice is created, too, but without a sample. */
static enum err
make_voice(struct db *db, struct arena *mem, const struct conf *conf,
    const struct builtin_voice *b, struct builtin_report *r)
{
	struct voice_processing m = { .id = b->id,
		.name = b->name,
		.lang = b->lang_code,
		.own_voice = b->voice };
	struct speech_want w = { OWN_PROVIDER, b->lang_code,
		id_derived(mem, b->id, OWN_PROVIDER) };
	struct spoken sp;
	enum err spoke = speech_make(conf, mem, &m, &w, &sp);

	if (spoke != OK) {
		log_warn("%s has no sample: %s", b->name, err_name(spoke));
		r->silent++;
	}
	r->made++;
	return write_voice(db, mem, b, spoke == OK ? &sp : NULL);
}

enum err
builtin_install(
    struct db *db, struct arena *mem, const struct conf *conf, struct builtin_report *r)
{
	enum err e = OK;

	*r = (struct builtin_report){ 0 };
	for (const struct builtin_voice *b = builtin_voices; b->id && e == OK; b++) {
		struct voice_processing there;

		e = voice_making(db, mem, b->id, &there);
		r->there += e == OK;
		if (e == ERR_NOT_FOUND)
			e = make_voice(db, mem, conf, b, r);
	}
	return e;
}

/* ---- copies of voices on servers ---- */

/* The worker reads the ref "ENGINE/NAME". */
static enum err
forget_copy(struct db *db, struct arena *mem, const char *account, const char *engine,
    const char *name)
{
	if (name == NULL)
		return OK;
	return queue_add(
	    db, mem, "voice.forget", account, arena_printf(mem, "%s/%s", engine, name));
}

enum err
voice_copies_forget(struct db *db, struct arena *mem, const struct conf *conf,
    const char *account, const char *id)
{
	struct list l;
	enum err e = voice_copies(db, mem, account, id, &l);

	for (size_t i = 0; i < l.n && e == OK; i++) {
		const struct voice_copy *c = (struct voice_copy *)l.items + i;

		e = forget_copy(db, mem, account, conf->speech_clone, c->own);
		if (e == OK)
			e = forget_copy(
			    db, mem, account, conf->speech_external, c->external);
	}
	return e;
}
