/* What happens when the broadcasting backend is there again. */
#include "service/backend_health.h"

#include <string.h>

#include "base/clock.h"
#include "service/backend.h"
#include "service/channel.h"

#define EACH_US (S_US / 50)     /* from one that waited to the next */
#define WAKE_US (20 * S_US)     /* and all are due within this */
#define NEXT_WAKE_US (4 * S_US) /* less than from one look to the next */
#define WOKEN "broadcast: what waited was woken"

static const char *const kinds[] = { CHANNEL_CREATE, CHANNEL_RESTORE, CHANNEL_REMOVE,
	CHANNEL_LANGUAGE, NULL };

static bool
waits(const struct queue_row *row)
{
	const char *const *k = kinds;

	while (*k != NULL && strcmp(*k, row->kind) != 0)
		k++;
	return *k != NULL && strcmp(row->state, "ready") == 0;
}

/* Few are due at once, many spread. */
static enum err
find_spread(struct db *db, struct arena *mem, int64_t *us)
{
	struct list l;
	enum err e = queue_counts(db, mem, &l);
	int64_t n = 0;

	for (size_t i = 0; e == OK && i < l.n; i++) {
		const struct queue_row *row = (const struct queue_row *)l.items + i;

		n += waits(row) ? row->n : 0;
	}
	*us = n < WAKE_US / EACH_US ? (n + 1) * EACH_US : WAKE_US;
	return e;
}

enum err
backend_health_over(struct db *db, struct arena *mem)
{
	int64_t woken_us, spread_us, now = now_us();
	bool silent;
	enum err e = backend_known_silent(db, mem, &silent);

	if (e != OK || !silent)
		return e;
	if ((e = backend_heard(db, mem)) != OK ||
	    (e = chore_last(db, WOKEN, &woken_us)) != OK)
		return e;
	if (woken_us != NULL_INT && woken_us <= now && woken_us >= now - NEXT_WAKE_US)
		return OK;
	e = find_spread(db, mem, &spread_us);
	for (const char *const *k = kinds; e == OK && *k != NULL; k++)
		e = queue_wake(db, *k, spread_us);
	return e != OK ? e : chore_done(db, WOKEN);
}
