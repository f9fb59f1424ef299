/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <jansson.h>
#include <stdbool.h>

/*
 * The service as its contract describes it, without its implementation. A thing is the
 * record that a client reads. In a predicted record the text "?" stands for a value
 * that the service chooses: an id, a time, an address. It is learnt when it is first
 * seen, and must not change then.
 */
enum kind { GLOSSARY, VOICE, EVENT, CHANNEL, SESSION, UPLOAD, KINDS };

/*
 * Predicts the record that a request creates. A channel also needs its event, else
 * NULL.
 */
json_t *model_glossary(const json_t *data, const char *user);
json_t *model_voice(const json_t *data, const char *user);
json_t *model_event(const json_t *data);
json_t *model_channel(const json_t *data, const char *user, const json_t *event);
json_t *model_session(void);

/* Predicts the record after a change; absent fields stay. */
json_t *model_changed(enum kind, const json_t *is, const json_t *data);
/*
 * Predicts the worker's result: a glossary with this number of terms, or a faulty row.
 */
json_t *model_imported(const json_t *glossary, int terms, int wrong_row);
json_t *model_cloned(const json_t *voice, bool good);

/* Sets the members of an event that depend on its channels, given oldest first. */
void model_gather(json_t *event, const json_t *channels);
/* Returns the public view of the event, including captcha_required. */
json_t *model_public(const json_t *event);
/* The different target languages of a list of channels. */
json_t *model_languages(const json_t *channels, const char *member);

/* ---- comparing ---- */

/* Returns a record for comparison: problems by kind, without members that differ in
   each answer. */
json_t *model_seen(enum kind, const json_t *record);
/*
 * True if the seen record agrees with the prediction; learnt values are then filled in.
 * Else *where is the differing member, in memory that stays.
 */
bool model_agrees(json_t *is, const json_t *seen, const char **where);
/* True if the prediction says that nothing changes; utc_updated_at is ignored. */
bool model_same(const json_t *after, const json_t *is);

#define unknown() json_string("?")

#endif
