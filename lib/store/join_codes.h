/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_JOIN_CODES_H
#define STORE_JOIN_CODES_H

#include "db/db.h"

/*
 * Join codes: digits that name an event, short enough to type from a poster.  A code
 * has six digits; seven when a tenth of those with six are taken, and so on.  It stays
 * with its event for 30 days after the event's end or deletion, then it is free.
 */
#define JOIN_CODE_MAX 12 /* digits */

extern const struct sql join_code_sql[];

/* Draw a free code, in the transaction that stores the event. */
enum err join_code_draw(struct db *, struct arena *, const char *event, int64_t end_us,
    const char **code) MUST_CHECK;
/* The event now ends at end_us: its code is freed some time after that. */
enum err join_code_move(struct db *, const char *event, int64_t end_us) MUST_CHECK;
/*
 * The event is deleted now: its code no longer names it, and is freed some time later.
 */
enum err join_code_detach(struct db *, const char *event) MUST_CHECK;
/* False: an event that ends then no longer has a code. */
bool join_code_kept(int64_t end_us, int64_t now_us);
/* Find the event of a code, if its account is active; ERR_NOT_FOUND. */
enum err join_code_find(
    struct db *, struct arena *, const char *code, const char **event) MUST_CHECK;
/* Find the code of an event; ERR_NOT_FOUND. */
enum err join_code_of(
    struct db *, struct arena *, const char *event, const char **code) MUST_CHECK;
/*
 * The last characters of a stage's id, which name it beside its event's code, and the
 * stage of an event that they name; ERR_NOT_FOUND.
 */
const char *join_code_hall(const char *stage);
enum err join_code_stage(struct db *, struct arena *, const char *event,
    const char *hall, const char **stage) MUST_CHECK;
/* Free up to `most` codes that were due before before_us; *n is their number. */
enum err join_code_expire(
    struct db *, int64_t before_us, int most, int64_t *n) MUST_CHECK;

#endif
