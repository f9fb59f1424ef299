/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/workers.h"

#include <stdio.h>
#include <stdlib.h>

#include "service/cli.h"

/* clang-format off */
const struct worker_program	 worker_programs[] = {
	{ "blob_check", "Checks that uploaded files are what they were declared to be.",
	  "pictures are not shown" },
	{ "channel_retry", "Creates, changes and removes channels where the broadcasting backend was away.",
	  "channels stay `creating` or `deleting`", "broadcast" },
	{ "gateway", "Serves the WebSockets of sessions and channels.",
	  "no client can stream", "stream", WORKER_STAYS },
	{ "glossary_import", "Reads the terms of glossaries from their files.",
	  "glossaries stay `pending`" },
	{ "janitor", "Removes what has expired, and files without an owner; stores recordings.",
	  "the disk fills, recordings are not listed" },
	{ "stats_export", "Writes exports of events, finishes events, and takes their final statistics.",
	  "exports are old, events stay `live`" },
	{ "voice_clone", "Makes voices from their samples, and a spoken sample of each.",
	  "voices stay `pending`" },
	{ "webhook_send", "Sends messages to webhooks, and repeats those that failed.",
	  "deliveries stay `pending`", "webhook" },
	{ NULL },
};
/* clang-format on */

static const char crontab_head[] =
    "# Dragoman's workers.  Add these lines with `crontab -e`, as the user that the\n"
    "# programs behind the web server run as: they share the database and var/.\n"
    "#\n"
    "# Every minute: each worker stays for a minute and watches for work, so a job is\n"
    "# begun within a fraction of a second, and a worker that died is missing for a\n"
    "# minute at most.  Where a host forbids that, add --once: then work waits for "
    "the\n"
    "# minute, and no process stays.\n";

static const char crontab_stays[] =
    "# It stays for good, so the later ones find it there and end.  It does not know\n"
    "# --once.\n";

int
workers_crontab(struct cli *c)
{
	fputs(crontab_head, stdout);
	for (const struct worker_program *w = worker_programs; w->name != NULL; w++)
		printf("\n# %s\n%s* * * * * \"%s/cron/run\" %s\n", w->does,
		    w->mode == WORKER_STAYS ? crontab_stays : "", c->conf.prefix,
		    w->name);
	return EXIT_SUCCESS;
}
