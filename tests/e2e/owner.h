/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_OWNER_H
#define E2E_OWNER_H

#include "routes.h"

/*
 * An account with records of every kind, and every place where a route takes an id. The
 * places come from the description that the programs print, so they are complete.
 */
enum thing_kind {
	VOICE_READY,
	VOICE_CREATED,
	VOICE_HIDDEN,
	VOICE_FAILED,
	FILE_STORED,
	FILE_AWAITED,
	FILE_SAMPLE,
	FILE_SPOKEN,
	GLOSSARY,
	EVENT,
	STAGE,
	ITEM, /* an item of the agenda */
	REQUEST,
	LISTENER,
	CHANNEL,
	LINE, /* a line of the channel's transcript */
	HELD, /* a text of the channel that waits */
	RECORDING,
	SESSION,
	WEBHOOK, /* disabled, so that nothing is sent */
	DELIVERY,
	KEY,
	PERSON, /* a member */
	SIGN_IN,
	COVER,       /* the key of a stored file */
	COVER_TAKEN, /* as COVER; a case may move it to another account's folder */
	NO_THING
};

struct owner {
	struct account as;
	const char *thing[NO_THING];
};

/*
 * Creates the account, with a voice in every state; or, with an owner, creates new
 * records in place of deleted ones.
 */
struct owner owner_new(const char *name, bool every_state);

/* ---- where ids go ---- */

enum place { IN_PATH, IN_QUERY, IN_BODY };

struct hole {
	enum place place;
	const char *name; /* "event_id"; in a body "data.stages.0.stage_id" */
	/*
	 * The records of the right kind, first to last; NO_THING: the id of no record.
	 */
	enum thing_kind first, last;
};

struct holes {
	struct hole hole[24];
	int n;
};

/* Returns the places; fails when a path has a parameter without a value here. */
struct holes holes_of(const struct route_line *);

/* A request with that value in one place, and the owner's ids in all others. */
struct ask request_with(const struct route_line *, const struct hole *,
    const struct owner *own, const char *value);

/* Returns all that GET shows to the owner as text, without signatures that differ each
   time. */
const char *all_shown(const struct owner *);
/* Replaces parts that differ in each answer (signatures, times) by a word; with ids
   also all ids, times and random names. */
const char *steadied(const char *text, bool ids);

#endif
