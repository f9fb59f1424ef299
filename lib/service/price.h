/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_PRICE_H
#define SERVICE_PRICE_H

#include "base/conf.h"
#include "base/field.h"

/* The metered services, each with a price in the settings. */
enum metered {
	/* microseconds, at a price per hour */
	METER_S2S,
	METER_CAPTIONS,
	METER_STT,
	METER_BROADCAST,
	/* code points, at a price per 1,000 */
	METER_TTS,
};

extern const char *const price_names[]; /* "s2s", by enum metered */

/* Started seconds, or code points, between from and to. */
int64_t price_units(enum metered, int64_t from, int64_t to);
/*
 * Credits x 1,000,000 for a part of an interval, which begins at `from` and ends at
 * `to`, both counted from the interval's beginning.
 *
 * An interval costs its seconds, with the last one as a whole once it has started. The
 * sum is rounded down to a micro-credit, but it is at least one micro-credit unless the
 * price is 0. A part costs what it adds to the sum, so the parts of an interval cost as
 * much as the whole, however it is divided; a part may cost 0.
 */
int64_t price_micro(const struct conf *, enum metered, int64_t from, int64_t to);

#define PRICE_MINUTES_MOST INT64_C(99999999999999)

/*
 * Returns the minutes of S2S that a balance lasts, in hundredths, rounded down; 0 for a
 * debt. PRICE_MINUTES_MOST if it is more, or if S2S costs nothing.
 */
int64_t price_minutes(const struct conf *, int64_t balance_micro);

#define PRICE_CENTS_MOST INT64_C(999999999999999)

/* The value of a balance in cents, rounded to the nearest, between -PRICE_CENTS_MOST
   and PRICE_CENTS_MOST. */
int64_t price_cents(const struct conf *, int64_t balance_micro);

/* The balance of an account, as clients see it. */
struct balance {
	/* quotients of integers, so as exact as JSON readers can be */
	double credits, usd;
};

extern const struct field balance_fields[];

struct balance balance_of(const struct conf *, int64_t micro);

#endif
