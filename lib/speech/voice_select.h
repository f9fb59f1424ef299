#ifndef SPEECH_VOICE_SELECT_H
#define SPEECH_VOICE_SELECT_H

#include "base/arena.h"
#include "speech/registry.h"

/* What the database knows of a voice. */
struct voice_found {
	const char *voice;      /* what cloning made of it, or NULL */
	const char *external;   /* its name at speech.external, or NULL */
	const char *sample_url; /* where a recording of it can be had, or NULL */
};

/*
 * Look for a voice by its id, a uuid in lower case: one of the account's own that
 * is ready, or a built-in one.  False: there is none.
 */
typedef bool voice_look(void *, const char *id, struct voice_found *);

/* For tts_text; warning: what the client is to be told, or NULL. */
struct voice_chosen {
	const char *voice;
	bool high;
	const char *sample_url;
	const char *warning;
};

/*
 * What this engine is to speak with when a client asks for `id`: default_low,
 * default_high, or a voice that is found and that the engine has, by its section's
 * voice.ID, because it was cloned there, or because it clones.  Everything else is
 * default_low, with a warning. Other engines have other voices: ask again for each.
 */
struct voice_chosen voice_choose(struct arena *, const struct registry_engine *,
    const char *id, voice_look *, void *);
/*
 * registry_want.model for it: the model itself if an engine has that name, else the
 * first engine that speaks the language and has the voice; none: the model.
 */
struct voice_wish {
	const char *id;
	const char *lang;
	const char *model; /* or NULL */
};
const char *voice_model(
    struct arena *, struct registry *, const struct voice_wish *, voice_look *, void *);
/*
 * The engine for a voice that is made of the speaker: the one of that name; for another
 * name, "auto" or NULL the first that speaks the language.  It speaks from profiles, or
 * voice_clones_at() it.  server: the id of the only one of these that may be it; NULL:
 * none of them; "": any.  NULL: none.
 */
const struct registry_engine *voice_live_engine(
    struct registry *, const char *lang, const char *model, const char *server);
/* Whether it is a server where voices are made: of speech.clone, or speech.external. */
bool voice_clones_at(const struct registry_engine *);
/* default_low, with the warning that `id` cannot be had. */
struct voice_chosen voice_instead(
    struct arena *, const struct registry_engine *, const char *id);

#endif
