/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BROADCAST_JANUS_H
#define BROADCAST_JANUS_H

#include "base/buf.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_writer.h"

/*
 * Janus's Admin API, as far as it lets requests through to a plugin: a POST
 * each, all of one broadcast_driver call within one deadline.  Janus 1.1.2.
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
	int exists; /* or cannot be made */
	int none;
	int unauthorized; /* wrong secret or admin_key */
};

extern const struct janus_plugin janus_audiobridge, janus_streaming;

struct janus_request {
	const struct janus *at;
	const struct janus_plugin *plugin;
	const char *what; /* "create"; for logs too */
	const char *id;   /* NULL: of no object */
	struct buf body;
	struct json_writer json;
	/* once answered */
	int code; /* the plugin's error code; 0: done */
	const struct json *answer;
};

/* What follows has backend.timeout_ms from now on; it lives in the arena. */
struct janus janus_start(const struct conf *, struct arena *);
/* Where it is, by the address of its Admin API; "127.0.0.1": on this machine. */
const char *janus_host(const struct janus *);

/* A request, open for more members (json). */
void janus_open(struct janus_request *, const struct janus *,
    const struct janus_plugin *, const char *what, const char *id);
/* Log what happened to a request; NULL: the plugin's own words.  Answers e. */
enum err janus_complain(const struct janus_request *, enum err e, const char *why);
/*
 * Send it.  OK: done, or the plugin's error is `fine`.  ERR_REFUSED: it has another
 * one, or Janus let the request not through.  ERR_TIMEOUT: unreachable, silent or
 * garbled.  What is not OK was logged.
 */
enum err janus_ask(struct janus_request *, int fine) MUST_CHECK;

/* What is derived from a name: the password to join or watch, that to manage. */
const char *janus_pin(const struct conf *, struct arena *, const char *id);
const char *janus_secret(const struct conf *, struct arena *, const char *id);

#endif
