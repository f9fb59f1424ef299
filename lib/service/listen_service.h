/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_LISTEN_SERVICE_H
#define SERVICE_LISTEN_SERVICE_H

#include "base/json.h"
#include "service/cli.h"

/* Nouns: listen. */

struct listener {
	struct cli *cli;
	const char *server, *to, *key;
	const char *webhook;           /* path of the webhook */
	bool server_away, target_away; /* reported as unreachable */
};

/* SIGINT and SIGTERM end all waiting from now on. */
void listen_catch_signals(void);
bool listen_is_stopped(void *);
/* Wait for some seconds, or until a signal. */
void listen_wait(int64_t s);
/* Report once that the other side is away, and once that it is back. */
void listen_away(bool *was, bool is, const char *url);

/*
 * Call the service; *data is that of its answer.  ERR_TIMEOUT, ERR_BUSY: the same call
 * may succeed later.  ERR_STALE: 412.  ERR_REFUSED was printed.
 */
enum err listen_call(struct listener *, struct arena *, const char *method,
    const char *path, const char *body, const struct json **data) MUST_CHECK;
/* As listen_call(), until the service can be reached. */
enum err listen_call_patiently(struct listener *, struct arena *, const char *method,
    const char *path, const char *body, const struct json **data) MUST_CHECK;

/* Make the pulled webhook of l->to, or enable it again. */
enum err listen_begin(struct listener *) MUST_CHECK;
/* Disable it: no messages are stored until the next listen_begin(). */
void listen_end(struct listener *);

#endif
