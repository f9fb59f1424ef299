/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_VOICE_SELECT_H
#define SPEECH_VOICE_SELECT_H

#include "base/arena.h"
#include "speech/registry.h"

/* A voice from the database. */
struct voice_found {
	const char *voice;      /* its cloned form (clone.h), or NULL */
	const char *external;   /* its name at speech.external, or NULL */
	const char *sample_url; /* the address of a recording of it, or NULL */
};

/*
 * Looks up a voice by its id, a uuid in lower case: a voice of the account that is
 * ready, or a built-in one. False: there is none.
 */
typedef bool voice_finder(void *, const char *id, struct voice_found *);

/* The chosen voice, for tts_text; warning: for the client, or NULL. */
struct voice_chosen {
	const char *voice;
	bool high;
	bool other; /* a low voice instead of a high one, or the reverse */
	const char *sample_url;
	const char *warning;
};

/*
 * Choose the voice of this engine for a client's `id`: default_low, default_high, or a
 * voice that is found and that the engine has, because its section has voice.ID,
 * because the voice was cloned there, or because the engine clones. Any other id
 * becomes default_low, with a warning. Engines have different voices: call it for each.
 */
struct voice_chosen voice_choose(struct arena *, const struct registry_engine *,
    const char *id, voice_finder *, void *);
/*
 * Returns registry_want.model for a wish: the model itself if an engine has that name,
 * else the first engine that speaks the language and has the voice. An engine that has
 * only the other one of a low and a high voice is taken before an engine of
 * TTS_PROFILE, which is harder to understand. If there is none, the model.
 */
struct voice_wish {
	const char *id;
	const char *lang;
	const char *model; /* the client's model, or NULL */
};
const char *voice_model(struct arena *, struct registry *, const struct voice_wish *,
    voice_finder *, void *);
/*
 * Returns the engine for a voice made of the speaker: the one named `model`; for
 * another name, "auto" or NULL, the first that speaks the language. It must speak from
 * profiles, or be a server that clones, see voice_clones_at(). server: the id of the
 * only such server that is allowed; NULL: no server; "": any. Returns NULL if there is
 * no engine.
 */
const struct registry_engine *voice_live_engine(
    struct registry *, const char *lang, const char *model, const char *server);
/*
 * True if the engine is the server of speech.clone or speech.external, where voices are
 * cloned.
 */
bool voice_clones_at(const struct registry_engine *);
/* Returns default_low, with the warning that `id` is not available. */
struct voice_chosen voice_instead(
    struct arena *, const struct registry_engine *, const char *id);

#endif
