#include "doctor/supervisor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A unit of the gateway in the folder that starts the one of this installation. */
static bool
has_unit(struct arena *mem, const char *folder, const char *prefix)
{
	const char *start = arena_printf(mem, "ExecStart=%s/bin/gateway\n", prefix);
	FILE *f = fopen(arena_printf(mem, "%s/dragoman-gateway.service", folder), "re");
	char line[4096];
	bool has = false;

	if (f == NULL)
		return false;
	while (!has && fgets(line, sizeof(line), f) != NULL)
		has = strcmp(line, start) == 0;
	fclose(f);
	return has;
}

bool
supervisor_is_systemd(struct arena *mem, const char *prefix)
{
	const char *folder = getenv("SYSTEMD_UNIT_PATH"); /* as systemd has it */

	if (folder != NULL)
		return has_unit(mem, folder, prefix);
	return has_unit(mem, "/etc/systemd/system", prefix) ||
	       has_unit(mem, "/lib/systemd/system", prefix);
}
