#include "base/clock.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "base/field.h"

#define DAY_S 86400

/* What four digits of a year can say. */
#define FIRST_S INT64_C(-62167219200) /* 0000-01-01T00:00:00Z */
#define LAST_S INT64_C(253402300799)  /* 9999-12-31T23:59:59Z */

static int64_t
read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * S_US + ts.tv_nsec / 1000;
}

int64_t
now_us(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t
monotonic_us(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/* n decimal digits; -1 when there are fewer. */
static int
digits(const char **s, int n)
{
	int v = 0;

	for (; n > 0; n--, (*s)++) {
		if (!isdigit((unsigned char)**s))
			return -1;
		v = v * 10 + (**s - '0');
	}
	return v;
}

static bool
one_of(const char **s, const char *set)
{
	if (**s == '\0' || strchr(set, **s) == NULL)
		return false;
	(*s)++;
	return true;
}

/* "2026-02-03"; -1 in tm_mday when there is no such day. */
static bool
parse_date(const char **s, struct tm *tm)
{
	struct tm same;

	tm->tm_year = digits(s, 4) - 1900;
	if (!one_of(s, "-"))
		return false;
	tm->tm_mon = digits(s, 2) - 1;
	if (!one_of(s, "-"))
		return false;
	tm->tm_mday = digits(s, 2);
	same = *tm;
	return tm->tm_year >= -1900 && timegm(&same) != -1 &&
	       same.tm_mday == tm->tm_mday && same.tm_mon == tm->tm_mon;
}

/* "04:05:06.789"; second 60 may be a leap second. */
static bool
parse_clock(const char **s, struct tm *tm)
{
	tm->tm_hour = digits(s, 2);
	if (!one_of(s, ":"))
		return false;
	tm->tm_min = digits(s, 2);
	if (!one_of(s, ":"))
		return false;
	tm->tm_sec = digits(s, 2);
	if (one_of(s, ".")) {
		if (!isdigit((unsigned char)**s))
			return false;
		*s += strspn(*s, "0123456789");
	}
	return tm->tm_hour >= 0 && tm->tm_hour < 24 && tm->tm_min >= 0 &&
	       tm->tm_min < 60 && tm->tm_sec >= 0 && tm->tm_sec <= 60;
}

/* "Z", "+01:00" or nothing, in seconds east of UTC. */
static bool
parse_offset(const char *s, int *east_s)
{
	int sign = *s == '-' ? -1 : 1, h, m;

	*east_s = 0;
	if (*s == '\0' || strcmp(s, "Z") == 0 || strcmp(s, "z") == 0)
		return true;
	if (!one_of(&s, "+-"))
		return false;
	h = digits(&s, 2);
	if (!one_of(&s, ":"))
		return false;
	m = digits(&s, 2);
	*east_s = sign * (h * 3600 + m * 60);
	return *s == '\0' && h >= 0 && h < 24 && m >= 0 && m < 60;
}

bool
time_parse(const char *s, int64_t *to)
{
	struct tm tm = { 0 };
	int64_t at_s;
	int east_s;
	bool leap; /* only 23:59:60 UTC is one; it is taken as the second after it */

	if (!parse_date(&s, &tm) || !one_of(&s, "Tt ") || !parse_clock(&s, &tm) ||
	    !parse_offset(s, &east_s))
		return false;
	leap = tm.tm_sec == 60;
	at_s = (int64_t)timegm(&tm) - east_s;
	if (at_s < FIRST_S || at_s > LAST_S || (leap && at_s % DAY_S != 0))
		return false;
	*to = at_s * S_US;
	return true;
}

/* n decimal digits and what follows them. */
static void
put_digits(char *to, int v, int n, char then)
{
	to[n] = then;
	for (; n > 0; v /= 10)
		to[--n] = (char)('0' + v % 10);
}

const char *
time_text(int64_t us, char to[TIME_TEXT])
{
	time_t t = (time_t)(us / S_US - (us % S_US < 0));
	struct tm tm;

	if (us == NULL_INT || gmtime_r(&t, &tm) == NULL)
		return NULL;
	put_digits(to, tm.tm_year + 1900, 4, '-');
	put_digits(to + 5, tm.tm_mon + 1, 2, '-');
	put_digits(to + 8, tm.tm_mday, 2, 'T');
	put_digits(to + 11, tm.tm_hour, 2, ':');
	put_digits(to + 14, tm.tm_min, 2, ':');
	put_digits(to + 17, tm.tm_sec, 2, 'Z');
	to[20] = '\0';
	return to;
}
