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
	const char *unserved; /* JSON array: those of them that no engine serves */
	int64_t created_us;
	int64_t nth; /* its event's, of those that stage_list() was asked for */
};

struct stage {
	const char *id, *event, *name;
	const char *status;      /* setup_required, ready, live; computed */
	const char *qr_url;      /* see event_tell() */
	const char *greenscreen; /* JSON object, or NULL */
	int64_t nth, position;   /* its event's, as above; its own in the event */
	int64_t created_us, updated_us;
	struct list channels; /* struct event_channel */
};

struct agenda_item {
	const char *id, *stage;
	int64_t stage_index; /* input only: the stage's place in the list */
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
	const char *cover_key, *cover_url; /* url: a blob's id until event_tell() */
	const char *qr_url;                /* see event_tell() */
	const char *lifecycle;             /* live, finished, setup_required, ready,
					      upcoming; computed */
	int64_t finished_us;               /* NULL_INT: not yet */
	const char *access_code;           /* or NULL */
	const char *input_languages, *output_languages, *languages; /* JSON arrays */
	const char *listener_mode; /* off, approval, auto */
	const char *transcript;    /* off, organizer, public */
	const char *room_suffix;
	struct list stages; /* struct stage, in order */
	const char *agenda; /* JSON array of sessions, by start */
	int64_t created_us, updated_us;
	const char *account;
	int64_t version;
	int64_t seq; /* the order in which they were made */
};

/* What clients say of an event, when they make it and when they change it. */
struct event_in {
	struct event event;
	struct list languages; /* const char * */
	struct list stages;    /* struct stage; id: of one that is kept, or NULL */
	struct list sessions;  /* struct agenda_item */
	/* Not clients' words: which of the lists above were given. */
	bool new_stages, new_sessions;
};

struct event_query {
	int64_t before; /* this seq; NULL_INT: from the newest on */
	int64_t limit;
	const char *status; /* a lifecycle status, or NULL */
	const char *q;      /* words that each must be found, or NULL */
};

struct event_page {
	struct list events; /* struct event, newest first */
	/*
	 * With fewer events than asked for: where a search that was cut short goes on;
	 * INT64_MIN: there are no more.
	 */
	int64_t rest;
};

/* The owner's view; the public one, but for what changes with time alone. */
extern const struct field event_fields[], event_public_fields[], event_view_fields[];
extern const struct field agenda_item_fields[], stage_fields[], public_stage_fields[];
extern const struct field event_channel_fields[];
extern const struct field event_in_fields[], stage_in_fields[]; /* clients' words */
extern const char *const event_statuses[], *const event_types[], *const event_modes[];
extern const struct sql event_sql[], stage_sql[];

/* The lifecycle status of events e at a moment, a parameter such as "$2", in SQL. */
#define EVENT_LIFECYCLE(now)                                                           \
	"CASE WHEN e.channels_active > 0 THEN 'live'"                                  \
	" WHEN e.finished_us IS NOT NULL OR e.end_us < " now " THEN 'finished'"        \
	" WHEN e.channels_ready = 0 THEN 'setup_required'"                             \
	" WHEN e.start_us <= " now " THEN 'ready' ELSE 'upcoming' END"

/* An event with its stages and channels. event_get_public(): anybody's. */
enum err event_get(struct db *, struct arena *, const char *account, const char *id,
    struct event *) MUST_CHECK;
enum err event_get_public(
    struct db *, struct arena *, const char *id, struct event *) MUST_CHECK;
enum err event_list(struct db *, struct arena *, const char *account,
    const struct event_query *, struct event_page *) MUST_CHECK;
/* Addresses of QR codes, and of a cover image that is no blob. */
void event_tell(const struct conf *, struct arena *, struct event *);

/* A new event with its stages; sets created_us, under the write lock. */
enum err event_add(struct db *, struct arena *, struct event *) MUST_CHECK;
/*
 * The event and its stages as they are now, in the place of what they were when
 * they were read; version and updated_us follow.  Stages that are not among them
 * go.  ERR_STALE.
 */
enum err event_put(
    struct db *, struct arena *, const struct event *was, struct event *now) MUST_CHECK;
/* Without what its channels and a worker still have to do; see event_purge(). */
enum err event_drop(struct db *, const char *account, const char *id) MUST_CHECK;
/* Remove up to n rows that a dropped event left behind; *left: there are more. */
enum err event_purge(struct db *, const char *id, int n, bool *left) MUST_CHECK;

/* Give up to STAGES_OF events their stages and channels, as event_get() does. */
#define STAGES_OF 21
enum err stage_list(struct db *, struct arena *, const struct list *events) MUST_CHECK;
/* These stages in the place of those there are. */
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

/*
 * To be called in the transaction of whatever changes a channel of the event:
 * counts them anew and drops the event's public view.  Event NULL: nothing.
 */
enum err event_channels_changed(struct db *, const char *event) MUST_CHECK;

#endif
