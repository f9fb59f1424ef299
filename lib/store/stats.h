#ifndef STORE_STATS_H
#define STORE_STATS_H

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
	/* JSON of the final statistics, and nothing else is set; NULL: not final. */
	const char *snapshot;
};

/* Something a worker has to do for an event, and since when. */
struct stats_due {
	const char *event, *account;
	int64_t since_us;
};

extern const struct field stats_fields[];
extern const struct sql stats_sql[];

/*
 * As of now.  The work does not depend on how many listened: stages and channels
 * are those of the event, which event_get() has read.
 */
enum err stats_get(
    struct db *, struct arena *, const struct event *, struct stats *) MUST_CHECK;
/*
 * The export, "language,participants" in CSV: as a worker wrote it last, made
 * now while there is none.
 */
enum err stats_csv(
    struct db *, struct arena *, const char *event, const char **) MUST_CHECK;

/* The final snapshot was taken: the event's end stays what it is. */
enum err stats_finalized(struct db *, const char *event, bool *) MUST_CHECK;
/* The event is not finished any more (events.c clears finished_us): no snapshot. */
enum err stats_reopened(struct db *, const char *event) MUST_CHECK;

/*
 * What is due, at most n, as lists of struct stats_due; and doing it, in a
 * transaction.  What has changed or gone since it was listed is let be.
 *
 * stats_changed(): joins up to then are not in the export.
 * stats_ended(): the event ended before then, no channel of it is active.
 * stats_awaited(): finished before then, and the final snapshot is missing.
 */
enum err stats_changed(
    struct db *, struct arena *, int64_t until_us, int n, struct list *) MUST_CHECK;
enum err stats_ended(
    struct db *, struct arena *, int64_t before_us, int n, struct list *) MUST_CHECK;
enum err stats_awaited(
    struct db *, struct arena *, int64_t before_us, int n, struct list *) MUST_CHECK;

/* Write the export anew. */
enum err stats_export(struct db *, struct arena *, const struct stats_due *) MUST_CHECK;
/* Set finished_us, the end or the last activity behind it; start the wait. */
enum err stats_finish(struct db *, struct arena *, const struct stats_due *) MUST_CHECK;
/* Statistics and export as they are now, for good. */
enum err stats_freeze(struct db *, struct arena *, const struct stats_due *) MUST_CHECK;

#endif
