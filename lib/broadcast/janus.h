/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BROADCAST_JANUS_H
#define BROADCAST_JANUS_H

#include "base/buf.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_writer.h"

/*
 * The part of Janus's Admin API that passes requests to a plugin. Each request is a
 * POST; all requests of one broadcast_driver call share one deadline. Janus 1.1.2.
 */
struct janus {
	const struct conf *conf;
	struct arena *mem;
	int64_t until_us; /* monotonic */
};

struct janus_plugin {
	const char *name;
	const char *id; /* the member that names an object */
	/* error codes */
	int exists; /* it exists already, or cannot be created */
	int none;
	int unauthorized; /* wrong secret or admin_key */
};

extern const struct janus_plugin janus_audiobridge, janus_streaming;

struct janus_request {
	const struct janus *at;
	const struct janus_plugin *plugin;
	const char *what; /* "create"; for logs too */
	const char *id;   /* NULL: for no single object */
	struct buf body;
	struct json_writer json;
	/* Set by janus_ask(): */
	int code; /* the plugin's error code; 0: done */
	const struct json *answer;
};

/*
 * Prepare for the requests of one function of the driver: all must end within
 * backend.timeout_ms from now. Results live in the arena.
 */
struct janus janus_start(const struct conf *, struct arena *);
/* The host in the address of the Admin API; "127.0.0.1" for this machine. */
const char *janus_host(const struct janus *);

/* Begin a request; the caller may add members to `json`. */
void janus_open(struct janus_request *, const struct janus *,
    const struct janus_plugin *, const char *what, const char *id);
/* Log the failure of a request; why NULL: the plugin's own text. Returns e. */
enum err janus_complain(const struct janus_request *, enum err e, const char *why);
/*
 * Send the request. OK: done, or the plugin answered with the error `fine`.
 * ERR_REFUSED: it answered with another error, or Janus rejected the request.
 * ERR_TIMEOUT: no connection, no answer, or an invalid one. Errors are logged.
 */
enum err janus_ask(struct janus_request *, int fine) MUST_CHECK;

/*
 * Secrets derived from an object's id: the password to join or watch, and the one to
 * manage it.
 */
const char *janus_pin(const struct conf *, struct arena *, const char *id);
const char *janus_secret(const struct conf *, struct arena *, const char *id);

#endif
