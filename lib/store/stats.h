#ifndef STORE_STATS_H
#define STORE_STATS_H

#include "base/clock.h"
#include "store/events.h"

/* Distinct listeners of one language, or of the original. */
struct heard {
	const char *language;
	int64_t participants;
};

/* What happened at an event. */
struct stats {
	int64_t stages, channels, channels_live, translations;
	const char *input_languages, *output_languages; /* JSON arrays */
	double minutes;                                 /* streamed; 2 decimals */
	int64_t participants, languages;                /* languages heard */
	double credits;                                 /* used; 4 decimals */
	struct list heard; /* struct heard: most participants, then by language */
	int64_t fresh_us;
	bool final;
	/*
	 * JSON of the final statistics, and nothing else is set; NULL: not final.
	 * It is told as it was taken, so a change that adds a member to stats_fields
	 * adds it to the stored ones, too, with the change of the schema.
	 */
	const char *snapshot;
	/* Who listens now, of stats_now(): not in the snapshot. */
	struct {
		int64_t listeners;
		struct list by_channel; /* struct listening */
	} now;
};

/* Something a worker has to do for an event, and since when. */
struct stats_due {
	const char *event, *account;
	int64_t since_us;
};

/*
 * Which of them: since then or later and until then, without the first few, which
 * were passed over; n at most.
 */
struct stats_page {
	enum { STATS_CHANGED, STATS_ENDED, STATS_AWAITED } duty;
	int64_t from_us, until_us;
	int64_t passed, n;
};

/* How long the last usage of a finished event may take to be booked. */
#define STATS_WAIT_US (30 * S_US)

extern const struct field stats_fields[];      /* without what is now */
extern const struct field stats_now_fields[];  /* of struct stats */
extern const struct field stats_told_fields[]; /* both */
extern const struct sql stats_sql[];

/*
 * As of now.  The work does not depend on how many listened: stages and channels
 * are those of the event, which event_get() has read.
 */
enum err stats_get(
    struct db *, struct arena *, const struct event *, struct stats *) MUST_CHECK;
enum err stats_now(
    struct db *, struct arena *, const struct event *, struct stats *) MUST_CHECK;
/*
 * The export, "language,participants" in CSV: as a worker wrote it last, made
 * now while there is none.
 */
enum err stats_csv(
    struct db *, struct arena *, const struct event *, const char **) MUST_CHECK;

/* What is counted of a stretch of use. */
struct stats_use {
	int64_t micro, streamed_us;
	int64_t active_us; /* when something was heard last */
};

/*
 * Count it; for ledger.c, which books it in the same transaction.  The final
 * snapshot waits STATS_WAIT_US from active_us on, and stays what it is.  Nothing
 * is counted of an event that is gone.
 */
enum err stats_used(struct db *, const char *account, const char *event,
    const struct stats_use *) MUST_CHECK;

/* The final snapshot was taken: the event's end stays what it is. */
enum err stats_finalized(struct db *, const char *event, bool *) MUST_CHECK;
/* The event is not finished any more (events.c clears finished_us): no snapshot. */
enum err stats_reopened(struct db *, const char *event) MUST_CHECK;

/* The last moment since which an export is due; NULL_INT: none is. */
enum err stats_newest(struct db *, int64_t *) MUST_CHECK;
/*
 * What is due, as a list of struct stats_due, by the time since when; and doing
 * it, in a transaction.  What has changed or gone since it was listed is let be.
 *
 * STATS_CHANGED: joins since then are not in the export.
 * STATS_ENDED: the event ended then, no channel of it is active.
 * STATS_AWAITED: it was found to be finished then, nothing was heard of it
 * until_us or later, no channel is active, and the final snapshot is missing.
 */
enum err stats_list(
    struct db *, struct arena *, const struct stats_page *, struct list *) MUST_CHECK;

/* Write the export anew. */
enum err stats_export(struct db *, struct arena *, const struct stats_due *) MUST_CHECK;
/* Set finished_us, the end or the last activity behind it; start the wait. */
enum err stats_finish(struct db *, struct arena *, const struct stats_due *) MUST_CHECK;
/*
 * Statistics and export as they are now, for good, if nothing happened for
 * STATS_WAIT_US.  finished_us moves to an activity behind it.
 */
enum err stats_freeze(struct db *, struct arena *, const struct stats_due *) MUST_CHECK;

#endif
