/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <jansson.h>
#include <stdbool.h>

/*
 * The service as its contract tells it, and nothing of how it is made.  A thing is
 * the record that a client reads.  In one that is predicted the text "?" stands for
 * what the service chooses: an id, a time, an address.  It is learnt where it is
 * first seen, and must stay.
 */
enum kind { GLOSSARY, VOICE, EVENT, CHANNEL, SESSION, UPLOAD, KINDS };

/* A thing made out of the data of a request; of a channel also its event, or NULL. */
json_t *model_glossary(const json_t *data, const char *user);
json_t *model_voice(const json_t *data, const char *user);
json_t *model_event(const json_t *data);
json_t *model_channel(const json_t *data, const char *user, const json_t *event);
json_t *model_session(void);

/* What becomes of it with that data: fields that are left out stay. */
json_t *model_changed(enum kind, const json_t *is, const json_t *data);
/* What a worker makes of it: a glossary with so many terms, or a wrong row. */
json_t *model_imported(const json_t *glossary, int terms, int wrong_row);
json_t *model_cloned(const json_t *voice, bool good);

/* Members of an event that follow from its channels, which are in order of age. */
void model_gather(json_t *event, const json_t *channels);
/* The same event as everybody sees it; its captcha_required included. */
json_t *model_public(const json_t *event);
/* Distinct target languages of a list of channels. */
json_t *model_languages(const json_t *channels, const char *member);

/* ---- comparing ---- */

/* A record as it is compared: problems by kind, without what is made anew at
   each reading. */
json_t *model_seen(enum kind, const json_t *record);
/*
 * Whether seen is what was predicted; if so what was learnt is filled in.  Else
 * *where is the member at fault, in memory that lives on.
 */
bool model_agrees(json_t *is, const json_t *seen, const char **where);
/* Whether the prediction says that nothing changes; utc_updated_at is not asked. */
bool model_same(const json_t *after, const json_t *is);

#define unknown() json_string("?")

#endif
