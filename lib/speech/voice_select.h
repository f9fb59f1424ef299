/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_VOICE_SELECT_H
#define SPEECH_VOICE_SELECT_H

#include "base/arena.h"
#include "speech/registry.h"

/* A voice as the database has it. */
struct voice_found {
	const char *voice;      /* its cloned form, or NULL */
	const char *external;   /* its name at speech.external, or NULL */
	const char *sample_url; /* the address of a recording of it, or NULL */
};

/*
 * Look for a voice by its id, a uuid in lower case: one of the account's own that
 * is ready, or a built-in one.  False: there is none.
 */
typedef bool voice_look(void *, const char *id, struct voice_found *);

/* For tts_text; warning: for the client, or NULL. */
struct voice_chosen {
	const char *voice;
	bool high;
	const char *sample_url;
	const char *warning;
};

/*
 * The voice of this engine for a client's `id`: default_low, default_high, or a voice
 * that is found and that the engine has, by its section's voice.ID, because it was
 * cloned there, or because the engine clones.  Anything else is default_low, with a
 * warning.  Other engines have other voices: call it for each.
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
 * The engine for a voice that is made of the speaker: the one named `model`; for
 * another name, "auto" or NULL the first that speaks the language.  It must speak from
 * profiles, or be a server that clones, see voice_clones_at().  server: the id of the
 * only such server that is allowed; NULL: none of them; "": any.  NULL: there is no
 * engine.
 */
const struct registry_engine *voice_live_engine(
    struct registry *, const char *lang, const char *model, const char *server);
/*
 * True if it is a server where voices are cloned: of speech.clone or speech.external.
 */
bool voice_clones_at(const struct registry_engine *);
/* default_low, with the warning that `id` is not available. */
struct voice_chosen voice_instead(
    struct arena *, const struct registry_engine *, const char *id);

#endif
