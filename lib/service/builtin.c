#include "service/builtin.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "service/speech.h"
#include "speech/builtin_voices.h"

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

	if ((e = db_begin(db)) != OK || (e = voice_add(db, mem, &v)) != OK ||
	    (sp != NULL && (e = speech_keep(db, sp)) != OK))
		return e;
	return db_commit(db);
}

/* Without an engine the voice is there all the same, but says nothing yet. */
static enum err
make(struct db *db, struct arena *mem, const struct conf *conf,
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
			e = make(db, mem, conf, b, r);
	}
	return e;
}
