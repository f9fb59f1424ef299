#include "web/access_code.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"

#define GUESSES_OF_ADDRESS 30 /* wrong access codes a minute, for an event */
#define GUESSES_OF_EVENT 300  /* the same of all addresses */

/* In constant time, whatever the length; case does not count.  Two codes are none. */
static bool
is_code(struct request *rq, const struct json *given, const char *code)
{
	const char *a, *b;

	if (given->type != JSON_TEXT || strlen(given->u.s) != given->n)
		return false;
	a = text_lower(rq->mem, given->u.s);
	b = text_lower(rq->mem, code);
	return same_bytes(hash_hex(rq->mem, a, strlen(a)),
	    hash_hex(rq->mem, b, strlen(b)), 2 * SHA256_BYTES);
}

/* The guesses of one address use up no more than its share of the event's. */
static bool
may_guess(struct request *rq, const char *event, struct reply *no)
{
	const char *here = arena_printf(rq->mem, "%s %s", event, rq->network);

	return auth_guess(rq, 'g', here, GUESSES_OF_ADDRESS, no) &&
	       auth_guess(rq, 'e', event, GUESSES_OF_EVENT, no);
}

/* None is no guess: a hall behind one address comes without a code at first. */
bool
access_code_admit(
    struct request *rq, const char *event, const char *code, struct reply *no)
{
	const struct json *given = json_get(query_read(rq), "code");

	if (code == NULL || (given != NULL && is_code(rq, given, code)))
		return true;
	if (given != NULL && !may_guess(rq, event, no))
		return false;
	*no = problem_at(rq, P_ACCESS_CODE, NULL, "code",
	    "This event is open to those who have its access code.");
	return false;
}
