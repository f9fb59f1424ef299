/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a program that last longer than a request. */
#include <string.h>

#include "base/log.h"
#include "web/credential_cache.h"
#include "web/metrics.h"
#include "web/ratelimit.h"
#include "web/request_log.h"
#include "web/web.h"

static void
log_no_database(void)
{
	log_error("cannot open the database now; every request tries again");
}

const char *
target_below(const struct conf *c, const char *target)
{
	const char *base = strstr(c->server_base_url, "://");
	size_t n;

	base = base != NULL ? strchr(base + 3, '/') : NULL;
	n = base != NULL ? strlen(base) : 0;
	return n > 0 && strncmp(target, base, n) == 0 ? target + n : target;
}

static enum err
open_db(struct app *app)
{
	if (db_open(&app->db, app->conf.db_url, (int)app->conf.db_busy_ms, false) != OK)
		return ERR_BUSY;
	db_seal(app->db, &app->conf);
	return OK;
}

/* Prepare every statement of the program. Otherwise the database is closed;
   ERR_REFUSED: a table of fields does not fit its statement, which another one would
   not change. */
static enum err
prepare_all(struct app *app)
{
	enum err e = OK;

	for (int i = 0; app->prepared[i] != NULL && e == OK; i++)
		e = db_prepare(app->db, app->prepared[i]);
	app->is_ready = e == OK;
	if (e == OK)
		return OK;
	db_close(app->db);
	app->db = NULL;
	return e;
}

enum err
app_connect(struct app *app)
{
	enum err e = open_db(app);

	return e == OK ? prepare_all(app) : e;
}

void
app_open_db(struct app *app)
{
	if (open_db(app) != OK)
		log_no_database();
}

/*
 * The first request waits only for its own statements. The others are checked then.
 * False: they do not fit the program, which must end.
 */
bool
app_check(struct app *app)
{
	enum err e = prepare_all(app);

	if (e != OK && e != ERR_REFUSED)
		log_no_database();
	return e != ERR_REFUSED;
}

enum err
app_begin(struct app *app, struct arena *mem, const struct program *is)
{
	enum err e;

	*app = (struct app){
		.name = is->name, .routes = is->routes, .prepared = is->prepared
	};
	if ((e = conf_read(mem, &app->conf)) != OK)
		return e;
	conf_key(&app->conf, "page token", app->page_key);
	app->limits = limits_open(mem, app->conf.state_dir);
	app->credentials = credential_cache_new(mem);
	app->metrics = metrics_open(mem, app->conf.state_dir, is->name, is->routes);
	app->requests = request_log_open(mem, app->conf.state_dir);
	db_share(&app->conf);
	return OK;
}

void
app_add(struct app *app, struct arena *mem, const struct app *first,
    const struct program *is)
{
	*app = *first;
	app->name = is->name;
	app->routes = is->routes;
	app->prepared = is->prepared;
	app->metrics = metrics_open(mem, app->conf.state_dir, is->name, is->routes);
}

enum err
app_open(struct app *app, struct arena *mem, const char *name,
    const struct route *routes, const struct sql *const *prepared)
{
	const struct program is = { name, routes, prepared };
	enum err e = app_begin(app, mem, &is);

	if (e != OK)
		return e;
	if ((e = app_connect(app)) == ERR_REFUSED) {
		app_close(app);
		return e;
	}
	if (e != OK)
		log_no_database();
	return OK;
}

void
app_close(struct app *app)
{
	db_close(app->db);
	limits_close(app->limits);
	metrics_close(app->metrics);
	request_log_close(app->requests);
}
