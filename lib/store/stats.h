/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_STATS_H
#define STORE_STATS_H

#include "base/clock.h"
#include "store/events.h"

/* Number of distinct listeners of one language, or of "original". */
struct language_count {
	const char *language;
	int64_t participants;
};

/* The statistics of an event. */
struct stats {
	int64_t stages, channels, channels_live, translations;
	const char *input_languages, *output_languages; /* JSON arrays */
	double minutes;                  /* streamed minutes; 2 decimals */
	int64_t participants, languages; /* number of languages heard */
	double credits;                  /* credits used; 4 decimals */
	struct list
	    heard; /* struct language_count: most participants, then by language */
	int64_t fresh_us;
	bool final;
	/*
	 * JSON of the final statistics; if set, all other members are unset. NULL: not
	 * final. It is returned unchanged, so a migration that adds a member to
	 * stats_fields must also add it to the stored snapshots.
	 */
	const char *snapshot;
	/* Current listeners, set by stats_now(); not in the snapshot. */
	struct {
		int64_t listeners;
		struct list by_channel; /* struct listening */
	} now;
};

/* Work to do for an event, and since when it is due. */
struct stats_due {
	const char *event, *account;
	int64_t since_us;
};

/* A page of due work: due between from_us and until_us, skipping the first `passed`, at
   most n. */
struct stats_page {
	enum { STATS_CHANGED, STATS_ENDED, STATS_AWAITED } duty;
	int64_t from_us, until_us;
	int64_t passed, n;
};

/* How long booking the last usage of a finished event may take. */
#define STATS_WAIT_US (30 * S_US)

extern const struct field stats_fields[];      /* without the current listeners */
extern const struct field stats_now_fields[];  /* fields of struct stats */
extern const struct field stats_view_fields[]; /* fields of both */
extern const struct sql stats_sql[];

/* Read the current statistics.  The cost does not depend on the number of listeners:
   stages and channels are taken from the event, as event_get() read it. */
enum err stats_get(
    struct db *, struct arena *, const struct event *, struct stats *) MUST_CHECK;
enum err stats_now(
    struct db *, struct arena *, const struct event *, struct stats *) MUST_CHECK;
/* Get the export, "language,participants" in CSV: the one that a worker stored last, or
   a new one if there is none. */
enum err stats_csv(
    struct db *, struct arena *, const struct event *, const char **) MUST_CHECK;

/* Usage to count. */
struct stats_use {
	int64_t micro, streamed_us;
	int64_t active_us; /* time of the last audio */
};

/*
 * Count usage, for ledger.c, which books it in the same transaction.  The final
 * snapshot is taken STATS_WAIT_US after active_us at the earliest and never changes.
 * For a deleted event nothing is counted.
 */
enum err stats_used(struct db *, const char *account, const char *event,
    const struct stats_use *) MUST_CHECK;

/* Set the result to true if the final snapshot was taken: the event's end cannot change
   any more. */
enum err stats_finalized(struct db *, const char *event, bool *) MUST_CHECK;
/* Call it when the event is open again (events.c clears finished_us): cancels the
   snapshot. */
enum err stats_reopened(struct db *, const char *event) MUST_CHECK;

/* Get the newest time since which an export is due; NULL_INT: none is due. */
enum err stats_newest(struct db *, int64_t *) MUST_CHECK;
/*
 * List the due work as struct stats_due, by the time since when; the functions below do
 * it, each in a transaction.  Events that changed or were deleted since they were
 * listed are skipped.
 *
 * STATS_CHANGED: the export lacks joins since that time.
 *
 * STATS_ENDED: the event ended at that time and has no active channel.
 *
 * STATS_AWAITED: the event was found to be finished at that time, has had no activity
 * since until_us, has no active channel, and the final snapshot is missing.
 */
enum err stats_list(
    struct db *, struct arena *, const struct stats_page *, struct list *) MUST_CHECK;

/* Write the export again. */
enum err stats_export(struct db *, struct arena *, const struct stats_due *) MUST_CHECK;
/* Set finished_us to the event's end or to later activity; start the wait. */
enum err stats_finish(struct db *, struct arena *, const struct stats_due *) MUST_CHECK;
/* Store the final statistics and export if nothing happened for STATS_WAIT_US.
   finished_us moves to the last activity if that is later. */
enum err stats_freeze(struct db *, struct arena *, const struct stats_due *) MUST_CHECK;

#endif
