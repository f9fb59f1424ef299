/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/field.h"

#define DAY_S 86400

/* The range of four-digit years. */
#define FIRST_S INT64_C(-62167219200)                      /* 0000-01-01T00:00:00Z */
#define LAST_S INT64_C(253402300799)                       /* 9999-12-31T23:59:59Z */
#define MARCH_S (FIRST_S + (60 - INT64_C(146097)) * DAY_S) /* see put_date() */

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
 * True if s begins with this form: 0 stands for a digit, T for the separator of date
 * and time, + for a sign, all else for itself.
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
	/* only 23:59:60 UTC is a leap second; it is read as the second after it */
	bool leap;

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

/* Write two decimal digits, and the character that follows them. */
static char *
put_two(char *to, unsigned v, char then)
{
	to[0] = (char)('0' + v / 10 % 10);
	to[1] = (char)('0' + v % 10);
	to[2] = then;
	return to + 3;
}

/*
 * The date of a day, counted from the first of March 400 years before year 0, so that
 * leap days end years and eras (H. Hinnant, "chrono-Compatible Low-Level Date
 * Algorithms", civil_from_days).
 */
static char *
put_date(char *to, unsigned day)
{
	unsigned era = day / 146097, of_era = day % 146097;
	unsigned year =
	    (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
	unsigned month = (5 * of_year + 2) / 153; /* 0: March */

	year += era * 400 - 400 + (month >= 10);
	to = put_two(to, year / 100, '\0') - 1;
	to = put_two(to, year, '-');
	to = put_two(to, month < 10 ? month + 3 : month - 9, '-');
	return put_two(to, of_year - (153 * month + 2) / 5 + 1, 'T');
}

const char *
time_text(int64_t us, char to[TIME_TEXT])
{
	uint64_t s = (uint64_t)(us / S_US - (us % S_US < 0) - MARCH_S);
	unsigned of_day = (unsigned)(s % DAY_S);
	char *at;

	if (us == NULL_INT)
		return NULL;
	at = put_date(to, (unsigned)(s / DAY_S));
	at = put_two(at, of_day / 3600, ':');
	at = put_two(at, of_day / 60 % 60, ':');
	*put_two(at, of_day % 60, 'Z') = '\0';
	return to;
}

const char *
time_http(int64_t us, char to[TIME_TEXT])
{
	time_t s = (time_t)(us / S_US);
	struct tm tm;

	strftime(to, TIME_TEXT, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&s, &tm));
	return to;
}

/* ---- names of time zones ---- */

#define DATABASE "/usr/share/zoneinfo"
#define NAME_BYTES 64
#define PATH_BYTES 512

enum found { FOUND, NOT_FOUND, NO_LIST };

/* "Area/Location", "Etc/GMT+3", "UTC": no segment is empty or begins with a dot. */
static bool
well_formed(const char *s)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789_+-";
	size_t n = strlen(s);

	if (n == 0 || n > NAME_BYTES)
		return false;
	for (; *s != '\0'; s += s[n] == '/' && s[n + 1] != '\0' ? n + 1 : n)
		if ((n = strspn(s, allowed)) == 0 || (s[n] != '/' && s[n] != '\0'))
			return false;
	return true;
}

static FILE *
open_in(const char *folder, const char *name)
{
	char path[PATH_BYTES];
	int n = snprintf(path, sizeof(path), "%s/%s", folder, name);

	return n > 0 && n < PATH_BYTES ? fopen(path, "re") : NULL;
}

/*
 * True if the line, "Z Europe/Vienna ..." or "L Europe/Zurich Europe/Vaduz", defines
 * name.
 */
static bool
makes(const char *line, const char *name)
{
	size_t n;

	if (strncmp(line, "Z ", 2) != 0 && strncmp(line, "L ", 2) != 0)
		return false;
	n = line[0] == 'L' ? strcspn(line + 2, " ") : 0;
	line += 2 + n;
	line += *line == ' ';
	n = strcspn(line, " \n");
	return n == strlen(name) && memcmp(line, name, n) == 0;
}

/* The file with the source of the database, which lists only its own zones. */
static enum found
find_listed(const char *folder, const char *name)
{
	FILE *f = open_in(folder, "tzdata.zi");
	bool found = false;
	char line[512];

	if (f == NULL)
		return NO_LIST;
	while (!found && fgets(line, sizeof(line), f) != NULL)
		found = makes(line, name);
	fclose(f);
	return found ? FOUND : NOT_FOUND;
}

/*
 * Entries beside the zones that systems add: the local setting, and copies of all
 * zones.
 */
static bool
is_copy(const char *name)
{
	return strcmp(name, "localtime") == 0 || strcmp(name, "posixrules") == 0 ||
	       strncmp(name, "right/", 6) == 0 || strncmp(name, "posix/", 6) == 0;
}

/* True for a compiled zone, which begins with these bytes (RFC 8536). */
static bool
is_zone(const char *folder, const char *name)
{
	char magic[4] = { 0 };
	FILE *f = open_in(folder, name);
	size_t n;

	if (f == NULL)
		return false;
	n = fread(magic, 1, sizeof(magic), f);
	fclose(f);
	return n == sizeof(magic) && memcmp(magic, "TZif", 4) == 0;
}

const char *
zone_check_in(const char *folder, const char *name)
{
	enum found listed;

	if (!well_formed(name))
		return "must be the name of a time zone, such as Europe/Vienna";
	listed = find_listed(folder, name);
	if (listed == FOUND || (listed == NO_LIST && !is_zone(folder, "UTC")) ||
	    (listed == NO_LIST && is_zone(folder, name) && !is_copy(name)))
		return NULL;
	return "is not a time zone of the IANA database";
}

const char *
zone_check(const char *name)
{
	return zone_check_in(DATABASE, name);
}
