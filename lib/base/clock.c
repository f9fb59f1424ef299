#include "base/clock.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
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

/*
 * Whether it begins like the form: 0 stands for a digit, T for what is between date and
 * clock, + for a sign, all else for itself.
 */
static bool
has_form(const char *s, const char *form)
{
	bool fits = true;

	for (; fits && *form != '\0'; s++, form++)
		fits = *form == '0'   ? isdigit((unsigned char)*s) != 0
		       : *form == 'T' ? *s == 'T' || *s == 't' || *s == ' '
		       : *form == '+' ? *s == '+' || *s == '-'
				      : *s == *form;
	return fits;
}

/* "Z", "+01:00" or nothing, in seconds east of UTC. */
static bool
parse_offset(const char *s, int *east_s)
{
	int h = 0, m = 0;

	if (*s != '\0' && strcasecmp(s, "Z") != 0 &&
	    (!has_form(s, "+00:00") || s[6] != '\0' ||
		sscanf(s + 1, "%2d:%2d", &h, &m) != 2))
		return false;
	*east_s = (*s == '-' ? -1 : 1) * (h * 3600 + m * 60);
	return h < 24 && m < 60;
}

/* Second 60 may be a leap second. */
static bool
is_date(const struct tm *tm)
{
	struct tm day = {
		.tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday
	};

	return timegm(&day) != -1 && day.tm_mday == tm->tm_mday &&
	       day.tm_mon == tm->tm_mon && tm->tm_hour < 24 && tm->tm_min < 60 &&
	       tm->tm_sec <= 60;
}

bool
time_parse(const char *s, int64_t *to)
{
	static const char form[] = "0000-00-00T00:00:00";
	struct tm tm = { 0 };
	int64_t at_s;
	int east_s;
	bool leap; /* only 23:59:60 UTC is one; it is taken as the second after it */

	if (!has_form(s, form) ||
	    sscanf(s, "%4d-%2d-%2d%*c%2d:%2d:%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		&tm.tm_hour, &tm.tm_min, &tm.tm_sec) != 6)
		return false;
	s += strlen(form);
	if (has_form(s, ".0"))
		s += 1 + strspn(s + 1, "0123456789");
	tm.tm_year -= 1900;
	tm.tm_mon--;
	if (!is_date(&tm) || !parse_offset(s, &east_s))
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
