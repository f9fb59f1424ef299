/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_EVENTS_H
#define STORE_EVENTS_H

#include <string.h>

#include "base/conf.h"
#include "db/db.h"

struct event_channel {
	const char *id;
	const char *stage;
	const char *broadcast; /* or NULL */
	const char *name, *input_type;
	const char *lifecycle; /* creating, ready, failed, deleting */
	const char *runtime;   /* pending, active, failed, stopped, or NULL */
	const char *source_language;
	const char *target_languages; /* JSON array of texts */
	const char *unserved; /* JSON array: the targets that no engine serves */
	int64_t created_us;
	int64_t nth; /* index of its event in the list given to stage_list() */
};

struct stage {
	const char *id, *event, *name;
	const char *status;      /* setup_required, ready, live; computed */
	const char *qr_url;      /* see event_fill_view() */
	const char *greenscreen; /* JSON object, or NULL */
	/* nth: as in struct event_channel; position: in its event */
	int64_t nth, position;
	int64_t created_us, updated_us;
	struct list channels; /* struct event_channel */
};

struct agenda_item {
	const char *id, *stage;
	int64_t stage_index; /* input only: index of the stage in the list */
	const char *title;
	const char *description; /* or NULL */
	int64_t start_us, end_us;
	struct list speakers; /* struct speaker */
};

struct speaker {
	const char *name;
	const char *title, *photo_url; /* or NULL */
};

struct event {
	const char *id, *title;
	const char *description; /* or NULL, as the next four */
	const char *type;        /* in-person, online */
	const char *location, *timezone;
	int64_t start_us, end_us;
	bool recurring;
	const char *cover_key,
	    *cover_url;     /* cover_url: a blob's id until event_fill_view() */
	const char *qr_url; /* see event_fill_view() */
	/* live, finished, setup_required, ready, upcoming; computed */
	const char *lifecycle;
	int64_t finished_us;     /* NULL_INT: not finished */
	const char *access_code; /* or NULL */
	const char *join_code;   /* see join_codes.h; NULL: the event ended long ago */
	const char *input_languages, *output_languages, *languages; /* JSON arrays */
	const char *listener_mode; /* off, approval, auto */
	const char *transcript;    /* off, organizer, public */
	const char *room_suffix;
	struct list stages; /* struct stage, in order */
	const char *agenda; /* JSON array of sessions, by start */
	int64_t created_us, updated_us;
	const char *account;
	int64_t version;
	int64_t seq; /* increases with each new event */
};

/* The input of clients that create or change an event. */
struct event_in {
	struct event event;
	struct list languages; /* const char * */
	struct list stages;    /* struct stage; id: of an existing stage, or NULL */
	struct list sessions;  /* struct agenda_item */
	/* Set by the program: true if the list was given. */
	bool new_stages, new_sessions;
};

struct event_query {
	int64_t before; /* seq of the last event read; NULL_INT: start at the newest */
	int64_t limit;
	const char *status; /* a lifecycle status, or NULL */
	const char *q;      /* words that must all match, or NULL */
};

struct event_page {
	struct list events; /* struct event, newest first */
	/* If fewer events than requested were found: the seq at which the search
	   continues; INT64_MIN: there are no more. */
	int64_t rest;
};

/* The owner's view; the public view without the fields that change with time alone; the
   whole public view. */
extern const struct field event_fields[], event_public_fields[], event_view_fields[];
extern const struct field agenda_item_fields[], stage_fields[], public_stage_fields[];
extern const struct field event_channel_fields[];
extern const struct field event_in_fields[], stage_in_fields[]; /* input of clients */
extern const char *const event_statuses[], *const event_types[], *const event_modes[];
extern const struct sql event_sql[], stage_sql[];

/*
 * SQL for the lifecycle status of events e at the time `now`, a parameter such as "$2".
 */
#define EVENT_LIFECYCLE(now)                                                           \
	"CASE WHEN e.channels_active > 0 THEN 'live'"                                  \
	" WHEN e.finished_us IS NOT NULL OR e.end_us < " now " THEN 'finished'"        \
	" WHEN e.channels_ready = 0 THEN 'setup_required'"                             \
	" WHEN e.start_us <= " now " THEN 'ready' ELSE 'upcoming' END"

/* Read an event with its stages and channels. event_get_public(): of any account. */
enum err event_get(struct db *, struct arena *, const char *account, const char *id,
    struct event *) MUST_CHECK;
enum err event_get_public(
    struct db *, struct arena *, const char *id, struct event *) MUST_CHECK;
enum err event_list(struct db *, struct arena *, const char *account,
    const struct event_query *, struct event_page *) MUST_CHECK;
/* Set the addresses of QR codes and of a cover image that is not a blob. */
void event_fill_view(const struct conf *, struct arena *, struct event *);

/* Store a new event with its stages, under the write lock; sets created_us. */
enum err event_add(struct db *, struct arena *, struct event *) MUST_CHECK;
/* Replace the event `was`, as it was read, and its stages by `now`; sets version and
   updated_us.  Stages that are missing in `now` are deleted.  ERR_STALE. */
enum err event_put(
    struct db *, struct arena *, const struct event *was, struct event *now) MUST_CHECK;
/* Delete an event.  Its channels and event_purge() remove the rest later. */
enum err event_drop(struct db *, const char *account, const char *id) MUST_CHECK;
/* Delete up to n rows that a deleted event left; *left: there are more. */
enum err event_purge(struct db *, const char *id, int n, bool *left) MUST_CHECK;

/* Read the stages and channels of up to STAGES_OF events, as event_get() does. */
#define STAGES_OF 21
enum err stage_list(struct db *, struct arena *, const struct list *events) MUST_CHECK;
/* Replace the stored stages of an event by these. */
enum err stage_replace(struct db *, const struct event *) MUST_CHECK;

static inline bool
event_channel_deleting(const struct event_channel *c)
{
	return strcmp(c->lifecycle, "deleting") == 0;
}

static inline bool
event_channel_active(const struct event_channel *c)
{
	return c->runtime != NULL && strcmp(c->runtime, "active") == 0;
}

/* Call this in every transaction that changes a channel of the event: it counts the
   channels again and drops the event's public view. event NULL: does nothing. */
enum err event_channels_changed(struct db *, const char *event) MUST_CHECK;

#endif
