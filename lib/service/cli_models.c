/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/cli_models.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "models/install.h"
#include "service/cli_engines.h"

#define MOST_ROWS (CLI_NAMES * 4)

/* A row as `models list` shows it. */
struct shown {
	const char *name, *purpose, *languages, *state, *speed, *licence, *licence_url;
	int64_t size_mb, memory_mb;
	bool installed, tried;
};

/* clang-format off */
static const struct field shown_fields[] = FIELDS(
	{ "name",        F_TEXT, MEMBER(shown, name),        .flags = F_OUT },
	{ "for",         F_TEXT, MEMBER(shown, purpose),     .flags = F_OUT },
	{ "languages",   F_TEXT, MEMBER(shown, languages),   .flags = F_OUT },
	{ "size_mb",     F_INT,  MEMBER(shown, size_mb),     .flags = F_OUT },
	{ "memory_mb",   F_INT,  MEMBER(shown, memory_mb),   .flags = F_OUT },
	{ "speed",       F_TEXT, MEMBER(shown, speed),       .flags = F_OUT },
	{ "licence",     F_TEXT, MEMBER(shown, licence),     .flags = F_OUT },
	{ "licence_url", F_TEXT, MEMBER(shown, licence_url), .flags = F_OUT },
	{ "tried",       F_BOOL, MEMBER(shown, tried),       .flags = F_OUT },
	{ "installed",   F_BOOL, MEMBER(shown, installed),   .flags = F_OUT }
);
/* clang-format on */

/* The download whose progress a terminal shows. */
static struct shown_progress {
	struct arena *mem; /* arena of a line */
	struct progress is;
	int64_t next_us;
} shown_progress;

static void
clear_progress(void)
{
	if (shown_progress.mem != NULL)
		fprintf(stderr, "\r%79s\r", "");
	arena_free(shown_progress.mem);
	shown_progress = (struct shown_progress){ 0 };
}

static void
print_line(const char *line)
{
	clear_progress();
	puts(line);
	fflush(stdout);
}

/* On a terminal, show the progress on one line that is overwritten. */
static void
show_progress(void *arg, int64_t bytes, int64_t of)
{
	struct shown_progress *s = &shown_progress;
	int64_t now = monotonic_us();

	(void)arg;
	if (s->mem == NULL)
		s->is = (struct progress){ .began_us = now, .began_bytes = bytes };
	if (now < s->next_us)
		return;
	arena_free(s->mem);
	s->mem = arena_new();
	s->next_us = now + S_US / 5;
	s->is.bytes = bytes;
	s->is.of = of;
	fprintf(stderr, "\r  %-77s", progress_line(s->mem, &s->is, now));
}

static bool
begin(struct cli *c, struct models *m)
{
	m->say = print_line;
	m->progress = isatty(STDERR_FILENO) ? show_progress : NULL;
	if (models_open(m, c->mem, &c->conf))
		return true;
	cli_error("%s", m->why);
	return false;
}

/* Root may do it for the user of the programs; others must be that user. */
static bool
begin_change(struct cli *c, struct models *m, const char *command)
{
	if (geteuid() != 0 && !cli_is_their_user(c, command))
		return false;
	if (!begin(c, m))
		return false;
	if (models_lock(m))
		return true;
	cli_error("%s", m->why);
	return false;
}

/* ---- rows ---- */

struct choice {
	const struct model_row *rows[MOST_ROWS];
	size_t n;
};

static bool
is_bundle(const struct model_row *row)
{
	return strcmp(row->purpose, "bundle") == 0;
}

/* Choose a row, after the rows that it needs; each only once. */
static void
choose(const struct models *m, struct choice *to, const struct model_row *row)
{
	const struct json *v = row->needs != NULL ? row->needs->kids : NULL;

	for (; v != NULL; v = v->next)
		choose(m, to, catalogue_find(&m->catalogue, v->u.s));
	if (is_bundle(row))
		return;
	for (size_t i = 0; i < to->n; i++)
		if (to->rows[i] == row)
			return;
	if (to->n < MOST_ROWS)
		to->rows[to->n++] = row;
}

/* The models of a bundle that are installed. */
static void
choose_installed(
    const struct models *m, struct choice *to, const struct model_row *bundle)
{
	for (const struct json *v = bundle->needs->kids; v != NULL; v = v->next) {
		const struct model_row *row = catalogue_find(&m->catalogue, v->u.s);

		if (models_has(m, row) && to->n < MOST_ROWS)
			to->rows[to->n++] = row;
	}
}

static bool
choose_named(
    const struct cli *c, const struct models *m, bool needed, struct choice *to)
{
	const struct model_row *row;

	for (int i = 0; i < c->nnames; i++) {
		if ((row = catalogue_find(&m->catalogue, c->names[i])) == NULL) {
			cli_error("there is no model %s; see dragoman models list",
			    c->names[i]);
			return false;
		}
		if (needed)
			choose(m, to, row);
		else if (is_bundle(row))
			choose_installed(m, to, row);
		else
			to->rows[to->n++] = row;
	}
	return true;
}

/* ---- list ---- */

static const char *
state_of(const struct models *m, const struct model_row *row)
{
	if (is_bundle(row))
		return "";
	if (models_has(m, row))
		return "installed";
	return row->tried ? "tried" : "not tried";
}

int
cli_models_list(struct cli *c)
{
	struct models m = { 0 };
	struct buf rows = { .mem = c->mem };
	struct list all;

	if (!begin(c, &m))
		return EXIT_FAILURE;
	for (size_t i = 0; i < m.catalogue.n; i++) {
		const struct model_row *r = &m.catalogue.rows[i];
		const struct shown s = { r->name, r->purpose, r->languages,
			state_of(&m, r), r->speed, r->licence, r->licence_url,
			is_bundle(r) ? catalogue_whole_mb(&m.catalogue, r) : r->size_mb,
			r->memory_mb, models_has(&m, r), r->tried };

		buf_put(&rows, &s, sizeof(s));
	}
	all = (struct list){ rows.p, m.catalogue.n };
	if (c->json) {
		cli_show_list(c, shown_fields, &all, sizeof(struct shown));
		return EXIT_SUCCESS;
	}
	printf("%-22s %-10s %-14s %6s %7s  %-10s %-14s %s\n", "name", "for",
	    "languages", "MB", "memory", "state", "licence", "speed");
	for (size_t i = 0; i < all.n; i++) {
		const struct shown *s = (const struct shown *)all.items + i;

		printf("%-22s %-10s %-14s %6lld %7lld  %-10s %-14s %s\n", s->name,
		    s->purpose, s->languages, (long long)s->size_mb,
		    (long long)s->memory_mb, s->state, s->licence, s->speed);
	}
	return EXIT_SUCCESS;
}

/* ---- get ---- */

/* Show the licences, and ask once. */
static bool
accept_licences(const struct cli *c, const struct models *m, const struct choice *all)
{
	char answer[8] = "";

	for (size_t i = 0; i < all->n; i++)
		if (!models_has(m, all->rows[i]))
			printf("%-22s %4lld MB  %s, %s\n", all->rows[i]->name,
			    (long long)all->rows[i]->size_mb, all->rows[i]->licence,
			    all->rows[i]->licence_url);
	if (c->yes)
		return true;
	if (!isatty(STDIN_FILENO)) {
		cli_error("these licences have to be accepted: add --yes");
		return false;
	}
	printf("Install them under these licences? [y/N] ");
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) != NULL &&
	       (answer[0] == 'y' || answer[0] == 'Y');
}

/* The first row that this one needs and that is not installed; NULL: none. */
static const char *
lacks(const struct models *m, const struct model_row *row)
{
	const struct json *v = row->needs != NULL ? row->needs->kids : NULL;

	while (v != NULL && models_has(m, catalogue_find(&m->catalogue, v->u.s)))
		v = v->next;
	return v != NULL ? v->u.s : NULL;
}

/*
 * Install the missing models. A model that is not available does not prevent the
 * installation of others.
 */
static bool
install_missing(struct models *m, const struct choice *all)
{
	struct choice missing = { .n = 0 };
	const char *needed;
	bool whole = true;

	for (size_t i = 0; i < all->n; i++)
		if (!models_has(m, all->rows[i]))
			missing.rows[missing.n++] = all->rows[i];
	if (!models_has_room(m, missing.rows, missing.n)) {
		cli_error("%s", m->why);
		return false;
	}
	for (size_t i = 0; i < missing.n; i++) {
		const struct model_row *row = missing.rows[i];

		if ((needed = lacks(m, row)) != NULL)
			m->why = arena_printf(m->mem,
			    "%s is not installed: it needs %s", row->name, needed);
		if (needed == NULL && models_install(m, row)) {
			print_line(arena_printf(m->mem, "%s is installed.", row->name));
			continue;
		}
		clear_progress();
		cli_error("%s", m->why);
		whole = false;
	}
	return whole;
}

/* Send the gateway SIGHUP, if one runs on this host. */
static void
reload_gateway(const struct cli *c)
{
	const char *path = arena_printf(c->mem, "%s/gateway.lock", c->conf.state_dir);
	FILE *f = fopen(path, "re");
	int lock = f != NULL ? file_lock(path, LOCK_SH | LOCK_NB) : -1;
	long pid = 0;

	if (f == NULL || lock >= 0 || errno != EWOULDBLOCK) {
		print_line("No gateway runs here; the next one reads the settings.");
	} else if (fscanf(f, "%ld", &pid) == 1 && pid > 1 &&
		   kill((pid_t)pid, SIGHUP) == 0) {
		print_line("The gateway reads its settings again.");
	} else
		print_line(
		    "The gateway has to read its settings again: send it SIGHUP.");
	if (lock >= 0)
		close(lock);
	if (f != NULL)
		fclose(f);
}

/*
 * Try the engines with the current settings; translate between the languages of the
 * rows.
 */
static int
try_engines(struct cli *c, const struct choice *all)
{
	struct buf codes = { .mem = c->mem };

	if (conf_read(c->mem, &c->conf) != OK)
		return cli_error("the settings are wrong now; see above");
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->rows[i]->purpose, "translate") == 0)
			buf_printf(&codes, "%s ", all->rows[i]->languages);
	return cli_engines_check_pairs(c, buf_text(&codes));
}

static int
get(struct cli *c, struct models *m, const struct choice *all)
{
	bool whole = install_missing(m, all), any = false;

	for (size_t i = 0; i < all->n; i++) {
		if (!models_has(m, all->rows[i]) || lacks(m, all->rows[i]) != NULL)
			continue;
		any = true;
		if (!models_configure(m, all->rows[i], true))
			return cli_error("%s", m->why);
		if (conf_read(c->mem, &c->conf) != OK) /* the list in force */
			return cli_error("the settings are wrong now; see above");
	}
	if (!any)
		return EXIT_FAILURE;
	reload_gateway(c);
	models_unlock(m);
	return try_engines(c, all) == EXIT_SUCCESS && whole ? EXIT_SUCCESS
							    : EXIT_FAILURE;
}

int
cli_models_get(struct cli *c)
{
	struct models m = { .lock = -1 };
	struct choice all = { .n = 0 };
	int end = EXIT_FAILURE;

	if (c->nnames == 0)
		return cli_usage("models get needs names; see dragoman models list");
	if (!begin_change(c, &m, "models get"))
		return EXIT_FAILURE;
	if (choose_named(c, &m, true, &all) && accept_licences(c, &m, &all))
		end = get(c, &m, &all);
	models_unlock(&m);
	return end;
}

/* ---- remove ---- */

/* An installed row that needs this one and is not removed itself; NULL: none. */
static const char *
needed_by(
    const struct models *m, const struct model_row *row, const struct choice *gone)
{
	for (size_t i = 0; i < m->catalogue.n; i++) {
		const struct model_row *r = &m->catalogue.rows[i];
		const struct json *v = r->needs != NULL ? r->needs->kids : NULL;
		bool goes = !models_has(m, r);

		for (size_t k = 0; k < gone->n; k++)
			goes |= gone->rows[k] == r;
		for (; v != NULL && !goes; v = v->next)
			if (strcmp(v->u.s, row->name) == 0)
				return r->name;
	}
	return NULL;
}

static int
remove_all(struct cli *c, struct models *m, const struct choice *gone)
{
	const char *other;

	for (size_t i = 0; i < gone->n; i++) {
		if (!models_has(m, gone->rows[i]))
			return cli_error("%s is not installed", gone->rows[i]->name);
		if ((other = needed_by(m, gone->rows[i], gone)) != NULL)
			return cli_error(
			    "%s needs %s: remove it, too", other, gone->rows[i]->name);
	}
	for (size_t i = 0; i < gone->n; i++)
		if (!models_configure(m, gone->rows[i], false) ||
		    conf_read(c->mem, &c->conf) != OK)
			return cli_error(
			    "%s", m->why != NULL ? m->why : "the settings");
	reload_gateway(c);
	for (size_t i = 0; i < gone->n; i++)
		if (!models_remove(m, gone->rows[i]))
			return cli_error("%s", m->why);
	return EXIT_SUCCESS;
}

int
cli_models_remove(struct cli *c)
{
	struct models m = { .lock = -1 };
	struct choice gone = { .n = 0 };
	int end = EXIT_FAILURE;

	if (c->nnames == 0)
		return cli_usage("models remove needs names; see dragoman models list");
	if (!begin_change(c, &m, "models remove"))
		return EXIT_FAILURE;
	if (choose_named(c, &m, false, &gone))
		end = remove_all(c, &m, &gone);
	models_unlock(&m);
	return end;
}

/* ---- check ---- */

int
cli_models_check(struct cli *c)
{
	struct models m = { 0 };
	int end = EXIT_SUCCESS;

	if (!begin(c, &m))
		return EXIT_FAILURE;
	for (size_t i = 0; i < m.catalogue.n; i++) {
		const struct model_row *row = &m.catalogue.rows[i];

		if (!models_has(&m, row))
			continue;
		if (models_verify(&m, row))
			printf("ok      %s\n", row->name);
		else {
			printf("WRONG   %s: %s\n", row->name, m.why);
			end = EXIT_FAILURE;
		}
	}
	return end;
}
