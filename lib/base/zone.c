#include "base/zone.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DATABASE "/usr/share/zoneinfo"
#define NAME_BYTES 64

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

/* Compiled zones begin so (RFC 8536). */
static bool
is_zone(const char *path)
{
	char magic[4] = { 0 };
	FILE *f = fopen(path, "re");
	size_t n;

	if (f == NULL)
		return false;
	n = fread(magic, 1, sizeof(magic), f);
	fclose(f);
	return n == sizeof(magic) && memcmp(magic, "TZif", 4) == 0;
}

const char *
zone_check(const char *name)
{
	char path[sizeof(DATABASE) + NAME_BYTES + 2];

	if (!well_formed(name))
		return "must be the name of a time zone, such as Europe/Vienna";
	snprintf(path, sizeof(path), DATABASE "/%s", name);
	if (access(DATABASE "/UTC", R_OK) == 0 && !is_zone(path))
		return "is no time zone of the IANA database";
	return NULL;
}
