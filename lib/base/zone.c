#include "base/zone.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* "Z Europe/Vienna ..." and "L Europe/Zurich Europe/Vaduz": whether it makes name. */
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

/* The source of the database in one file, which only has what is in it. */
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

/* What systems put beside the zones: their own setting, and all zones again. */
static bool
is_copy(const char *name)
{
	return strcmp(name, "localtime") == 0 || strcmp(name, "posixrules") == 0 ||
	       strncmp(name, "right/", 6) == 0 || strncmp(name, "posix/", 6) == 0;
}

/* Compiled zones begin so (RFC 8536). */
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
	return "is no time zone of the IANA database";
}

const char *
zone_check(const char *name)
{
	return zone_check_in(DATABASE, name);
}
