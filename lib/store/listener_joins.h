#ifndef STORE_LISTENER_JOINS_H
#define STORE_LISTENER_JOINS_H

#include "db/db.h"

/* Where in an event a listener wants to be; NULL: anywhere. */
struct listener_join_place {
	const char *event, *account; /* never NULL; account: the owner's */
	const char *stage, *channel;
};

struct listener_join_channel {
	const char *id, *stage;
	const char *broadcast; /* its name on the backend; NULL: not there just now */
	const char *node;      /* whose gateway serves it; NULL: the first one asked */
	const char *outputs;   /* JSON array of objects */
};

extern const struct sql listener_join_sql[];

/* ERR_NOT_FOUND: the stage is not of this event. */
enum err listener_join_find_stage(
    struct db *, const struct listener_join_place *) MUST_CHECK;
/* ERR_NOT_FOUND: not of this event and stage, or being deleted. */
enum err listener_join_find_channel(
    struct db *, const struct listener_join_place *) MUST_CHECK;
/*
 * The oldest channel there that is ready and has the language, which is a code
 * or "original".  ERR_NOT_FOUND: none.
 */
enum err listener_join_choose(struct db *, struct arena *,
    const struct listener_join_place *, const char *language,
    struct listener_join_channel *) MUST_CHECK;

/* Whether the event is over for its listeners; one that is not there is, too. */
enum err listener_join_event_finished(
    struct db *, const char *event, int64_t now_us, bool *finished) MUST_CHECK;
/* How often the event's access code was set to another one. */
enum err listener_join_code(
    struct db *, const char *event, int64_t *version) MUST_CHECK;

/*
 * A listener listens in a language: recorded once and counted, in the caller's
 * transaction.  *first: the event did not know the listener before.
 * ERR_NOT_FOUND: the event is gone.
 */
enum err listener_join_record(struct db *, const char *event, const char *listener,
    const char *language, int64_t now_us, bool *first) MUST_CHECK;
/*
 * The same, in a transaction that it begins only where there is something to record:
 * a listener that comes back does not wait for a writer.  The caller commits.
 */
enum err listener_join_once(struct db *, const char *event, const char *listener,
    const char *language, int64_t now_us, bool *first) MUST_CHECK;

#endif
