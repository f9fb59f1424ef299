/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks how many sockets the web server can hold, and how many one address may open.
 */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/check.h"

#define NESTED_MOST 16

/* Settings in the configuration files of a web server, or its defaults. */
struct front {
	struct arena *mem;
	const char *folder, *ours; /* folder of relative names; our file */
	bool has_ours;             /* our file is included */
	int nested;
	int64_t most;          /* most connections */
	int64_t each, sockets; /* Apache: threads of a process; of these for sockets */
};

typedef void read_line(struct front *, const char *line);

static void
read_file(struct front *f, const char *path, read_line *take)
{
	FILE *in = fopen(path, "re");
	char line[4096], real[PATH_MAX];

	if (in == NULL)
		return;
	f->has_ours =
	    f->has_ours || (realpath(path, real) != NULL && strcmp(real, f->ours) == 0);
	while (fgets(line, sizeof(line), in) != NULL)
		take(f, line + strspn(line, " \t"));
	fclose(in);
}

static void
include(struct front *f, const char *pattern, read_line *take)
{
	const char *whole = pattern[0] == '/'
				? pattern
				: arena_printf(f->mem, "%s/%s", f->folder, pattern);
	glob_t found;

	if (f->nested == NESTED_MOST || glob(whole, 0, NULL, &found) != 0)
		return;
	f->nested++;
	for (size_t i = 0; i < found.gl_pathc; i++)
		read_file(f, found.gl_pathv[i], take);
	f->nested--;
	globfree(&found);
}

static void
read_apache_line(struct front *f, const char *line)
{
	char name[32], value[4000];

	if (sscanf(line, "Define DRAGOMAN_SOCKETS %3999[0-9]", value) == 1) {
		if (f->sockets == 0) /* our file keeps an earlier definition */
			f->sockets = atoll(value);
		return;
	}
	if (sscanf(line, "%31[A-Za-z] \"%3999[^\"\n]", name, value) != 2 &&
	    sscanf(line, "%31[A-Za-z] %3999[^ \t\r\n]", name, value) != 2)
		return;
	if (strcasecmp(name, "Include") == 0 ||
	    strcasecmp(name, "IncludeOptional") == 0)
		include(f, value, read_apache_line);
	else if (strcasecmp(name, "MaxRequestWorkers") == 0)
		f->most = atoll(value);
	else if (strcasecmp(name, "ThreadsPerChild") == 0)
		f->each = atoll(value);
}

static void
read_lighttpd_line(struct front *f, const char *line)
{
	char value[4000];

	if (sscanf(line, "include \"%3999[^\"]", value) == 1)
		include(f, value, read_lighttpd_line);
	else if (sscanf(line, "server.max-connections%*[ :=]%3999[0-9]", value) == 1)
		f->most = atoll(value);
}

/* Read a configuration.  False: it does not include our file. */
static bool
read_configuration(struct check *k, struct front *f, const char *path, const char *ours,
    read_line *take)
{
	const char *slash = strrchr(path, '/');
	char real[PATH_MAX];

	f->mem = k->mem;
	f->folder = arena_printf(k->mem, "%.*s", (int)(slash - path), path);
	if (realpath(arena_printf(k->mem, "%s/etc/%s", k->conf->prefix, ours), real) ==
	    NULL)
		return false;
	f->ours = real;
	read_file(f, path, take);
	f->ours = NULL;
	return f->has_ours;
}

static void
check_apache(struct check *k, const char *path)
{
	struct front f = { .most = 400, .each = 25 };
	int64_t sockets_held;

	if (!read_configuration(k, &f, path, "apache.conf", read_apache_line) ||
	    f.each < 1)
		return;
	sockets_held = f.most / f.each * (f.sockets < f.each ? f.sockets : f.each);
	if (f.sockets >= f.each)
		check_warn(k, path,
		    "Define DRAGOMAN_SOCKETS an eighth below ThreadsPerChild, and "
		    "restart Apache.",
		    "sockets may take all %lld threads of each process of Apache, "
		    "leaving none for other requests",
		    (long long)f.each);
	else if (sockets_held < k->conf->stream_max_connections)
		check_warn(k, path,
		    arena_printf(k->mem,
			"Raise MaxRequestWorkers with ServerLimit, or ThreadsPerChild "
			"with DRAGOMAN_SOCKETS, or set stream.max_connections to %lld.",
			(long long)sockets_held),
		    "Apache holds %lld sockets (%lld threads, %lld of each %lld for "
		    "sockets), stream.max_connections is %lld",
		    (long long)sockets_held, (long long)f.most, (long long)f.sockets,
		    (long long)f.each, (long long)k->conf->stream_max_connections);
	else
		check_ok(k, path, "Apache holds %lld sockets", (long long)sockets_held);
}

static void
check_lighttpd(struct check *k, const char *path)
{
	struct front f = { 0 };

	if (!read_configuration(k, &f, path, "lighttpd.conf", read_lighttpd_line) ||
	    f.most == 0)
		return;
	if (f.most <= k->conf->stream_max_connections)
		check_warn(k, path,
		    "Raise server.max-connections and server.max-fds, or lower "
		    "stream.max_connections.",
		    "lighttpd holds %lld connections, and stream.max_connections "
		    "(%lld) leaves none for other requests",
		    (long long)f.most, (long long)k->conf->stream_max_connections);
	else
		check_ok(k, path, "lighttpd holds %lld connections", (long long)f.most);
}

/* ---- which files ---- */

/* Read the command line of a process: true if it is this web server, started with "-f
   FILE"; *path is the file. */
static bool
read_command(const char *from, const char *server, const char **path, struct arena *mem)
{
	FILE *in = fopen(from, "re");
	char line[4096];
	size_t n = in != NULL ? fread(line, 1, sizeof(line) - 1, in) : 0;
	const char *arg = line, *slash, *end = line + n;

	if (in != NULL)
		fclose(in);
	line[n] = '\0';
	slash = strrchr(line, '/');
	if (strcmp(slash != NULL ? slash + 1 : line, server) != 0)
		return false;
	while (arg < end && strcmp(arg, "-f") != 0)
		arg += strlen(arg) + 1;
	if (arg >= end || arg[3] != '/')
		return false;
	*path = arena_str(mem, arg + 3);
	return true;
}

/* Call look_at() for each file of a running server, and for the usual file. */
static void
for_each_file(struct check *k, const char *server, const char *usual,
    void (*look_at)(struct check *, const char *path))
{
	const char *path, *last = NULL;
	glob_t all;

	if (glob("/proc/[0-9]*/cmdline", 0, NULL, &all) != 0)
		return;
	for (size_t i = 0; i < all.gl_pathc; i++)
		if (read_command(all.gl_pathv[i], server, &path, k->mem) &&
		    (last == NULL || strcmp(last, path) != 0))
			look_at(k, last = path);
	globfree(&all);
	if (last == NULL || strcmp(last, usual) != 0)
		look_at(k, usual);
}

void
check_sockets(struct check *k)
{
	const char *folder = getenv("APACHE_CONFDIR"); /* apache2ctl reads it too */

	check_ok(k, "stream.max_per_address",
	    "%lld sockets for one address; a venue whose listeners share an address "
	    "needs one for each of them",
	    (long long)k->conf->stream_max_per_address);
	for_each_file(k, "apache2",
	    arena_printf(
		k->mem, "%s/apache2.conf", folder != NULL ? folder : "/etc/apache2"),
	    check_apache);
	for_each_file(k, "lighttpd", "/etc/lighttpd/lighttpd.conf", check_lighttpd);
}
