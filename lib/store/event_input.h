#ifndef STORE_EVENT_INPUT_H
#define STORE_EVENT_INPUT_H

#include "store/events.h"

/* What clients say of an event, when they make it and when they change it. */
struct stage_in {
	const char *id; /* of one that is kept, or NULL */
	const char *name, *greenscreen;
};

struct event_in {
	const char *title, *description, *type, *location, *timezone;
	int64_t start_us, end_us;
	bool recurring;
	const char *cover_key, *access_code;
	struct list languages; /* const char * */
	const char *listener_mode;
	struct list stages;   /* struct stage_in */
	struct list sessions; /* struct session */
	/* Not clients' words: which of the lists above were given. */
	bool new_stages, new_sessions;
};

extern const struct field event_in_fields[];

/* The event as its owner would have said it; the lists are empty and not given. */
struct event_in event_as_input(struct arena *, const struct event *);

/*
 * Rules over several fields; nulls are passed over.  before: what a change goes
 * over; NULL: the event is new.
 */
struct fault *event_rules(
    struct arena *, const struct event_in *, const struct event *before);
/*
 * JSON Pointer to the first stage or session that is named and not there, or
 * NULL.
 */
const char *event_unknown(
    struct arena *, const struct event_in *, const struct event *before);

/*
 * Lay what was said over an event; one whose id is NULL is new and gets its id,
 * suffix and a stage.  What is missing in a list goes, and with a stage its
 * sessions.
 */
void event_apply(
    struct arena *, const struct event_in *, int64_t now_us, struct event *);

/* A stage of before that is not in after though channels stand on it, or NULL. */
const struct stage *event_stage_in_use(
    const struct event *before, const struct event *after);

#endif
