/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commands of the operator about the installation: its hosts, its database, its copies.
 */
#include "service/cli_installation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blob/blob.h"
#include "service/backup.h"
#include "service/node.h"
#include "service/speech.h"
#include "service/workers.h"
#include "store/blobs.h"
#include "store/schema.h"
#include "work/queue.h"

int
cli_node_accept(struct cli *c)
{
	enum err e;

	if ((e = db_begin(c->db, DB_ROWS)) != OK ||
	    (e = node_accept(c->db, c->mem, &c->conf)) != OK ||
	    (e = db_commit(c->db)) != OK)
		return cli_fail("node accept", e);
	return EXIT_SUCCESS;
}

int
cli_migrate(struct cli *c)
{
	const char *dir = arena_printf(c->mem, "%s/schema", c->conf.share_dir);
	int applied;
	enum err e;

	if ((e = schema_migrate(c->db, c->mem, dir, &applied)) != OK)
		return cli_fail("migrate", e);
	printf(c->json ? "{\"applied\":%d,\"version\":%d}\n"
		       : "%d applied, the schema is at version %d\n",
	    applied, SCHEMA_VERSION);
	return EXIT_SUCCESS;
}

int
cli_builtin(struct cli *c)
{
	struct builtin_report r;
	enum err e;

	if ((e = builtin_install(c->db, c->mem, &c->conf, &r)) != OK)
		return cli_fail("builtin", e);
	printf(c->json ? "{\"made\":%d,\"there\":%d,\"silent\":%d}\n"
		       : "%d voices created, %d existed, %d without a sample\n",
	    r.made, r.there, r.silent);
	return EXIT_SUCCESS;
}

static bool
is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The name has a dot, so it is not the folder of a disk that is not mounted. */
static bool
may_be_file(const char *path)
{
	const char *name = strrchr(path, '/');

	return strchr(name != NULL ? name : path, '.') != NULL;
}

/* True, and said, if the database has its own programs for copies. */
static bool
has_own_copies(const struct cli *c)
{
	if (db_is_file(c->db))
		return false;
	cli_error("PostgreSQL's database is copied by pg_dump and restored by "
		  "pg_restore: see Backup and restore in docs/operators-guide.md; "
		  "nothing was changed");
	return true;
}

/* The part of the data that a copy, a folder or a file, does not hold. */
static const char *
left_out(const struct cli *c)
{
	if (!is_folder(c->arg))
		return "; it is the database alone, without files and key.";
	if (strcmp(c->conf.blob_store, blob_disk.name) == 0)
		return ".";
	return "; the files themselves are in the bucket: copy it, too.";
}

/* Print the contents of a copy, whose database is at path. */
static enum err
print_contents(struct cli *c, const char *path)
{
	struct holdings h;
	enum err e = backup_count(c->mem, &c->conf, path, &h);

	if (e == OK)
		fprintf(stderr,
		    "%s holds %lld accounts, %lld events and %lld files%s\n", c->arg,
		    (long long)h.accounts, (long long)h.events, (long long)h.files,
		    left_out(c));
	return e;
}

static int
back_up_folder(struct cli *c)
{
	struct backup_report r;
	enum err e;

	if ((e = backup_make(c->db, c->mem, &c->conf, c->arg, &r)) != OK)
		return cli_fail(c->arg, e);
	cli_show(c, backup_fields, &r);
	e = print_contents(c, arena_printf(c->mem, "%s/dragoman.db", c->arg));
	if (e != OK)
		return cli_fail(c->arg, e);
	return r.missing == 0 ? EXIT_SUCCESS
			      : cli_error("files are missing; the log names them");
}

int
cli_backup(struct cli *c)
{
	enum err e;

	if (c->arg == NULL)
		return cli_usage("backup needs a folder, or a file");
	if (has_own_copies(c))
		return EXIT_FAILURE;
	umask(077);
	if (!is_folder(c->arg) && !may_be_file(c->arg))
		return cli_error("%s: the folder does not exist: is its disk mounted? "
				 "For the database "
				 "alone give a name with a dot, such as copy.db",
		    c->arg);
	if (!is_folder(c->arg)) {
		if ((e = db_backup(c->db, c->arg)) == OK)
			e = print_contents(c, c->arg);
		return e == OK ? EXIT_SUCCESS : cli_fail(c->arg, e);
	}
	if (!c->yes && backup_disk_gone(c->mem, &c->conf, c->arg))
		return cli_error("%s: the last backup was on another disk, and here is "
				 "none: is it mounted?  For a new disk repeat it with "
				 "--yes",
		    c->arg);
	return back_up_folder(c);
}

static enum err
put_back(struct cli *c)
{
	struct backup_report r;
	bool new_key;
	enum err e;

	umask(077);
	e = backup_put_back(c->db, c->mem, &c->conf, c->arg, &r, &new_key);
	if (e != OK)
		return e;
	cli_show(c, backup_fields, &r);
	if (new_key)
		fputs("the key file has changed: running programs must be "
		      "started again\n",
		    stderr);
	return OK;
}

/* Migrate, and accept this host with the restored key file. */
static int
bring_up_to_date(struct cli *c)
{
	int end;

	if (conf_read(c->mem, &c->conf) != OK)
		return EXIT_FAILURE;
	db_seal(c->db, &c->conf);
	end = cli_migrate(c);
	return end == EXIT_SUCCESS ? cli_node_accept(c) : end;
}

/* Print which files are replaced, and ask for consent unless --yes was given. */
static bool
agrees(struct cli *c, const char *path)
{
	struct holdings here;
	char answer[8] = "";

	if (print_contents(c, path) != OK ||
	    backup_count(c->mem, &c->conf, NULL, &here) != OK)
		return cli_error("%s: cannot be counted", path), false;
	fprintf(stderr, "It replaces %lld accounts, %lld events and %lld files.\n",
	    (long long)here.accounts, (long long)here.events, (long long)here.files);
	if (c->yes)
		return true;
	if (!isatty(STDIN_FILENO))
		return cli_error("nothing was changed: repeat it with --yes"), false;
	fputs("Replace it? Type yes: ", stderr);
	return fgets(answer, sizeof(answer), stdin) != NULL &&
	       strcmp(answer, "yes\n") == 0;
}

int
cli_restore(struct cli *c)
{
	const char *path;
	enum err e;

	if (c->arg == NULL)
		return cli_usage("restore needs a copy that backup made");
	if (has_own_copies(c))
		return EXIT_FAILURE;
	path =
	    is_folder(c->arg) ? arena_printf(c->mem, "%s/dragoman.db", c->arg) : c->arg;
	if ((e = backup_check_copy(c->mem, &c->conf, path)) != OK)
		return cli_fail(c->arg, e);
	if (!agrees(c, path))
		return EXIT_FAILURE;
	e = is_folder(c->arg) ? put_back(c) : db_restore(c->db, c->arg);
	return e == OK ? bring_up_to_date(c) : cli_fail(c->arg, e);
}

struct status {
	int64_t schema, stored_bytes;
	struct list workers, queues, dead;
};

/* clang-format off */
#define AT(m) offsetof(struct status, m)
static const struct field	 status_fields[] = {
	{ "schema_version", F_INT,  AT(schema),       .flags = F_OUT },
	{ "stored_bytes",   F_INT,  AT(stored_bytes), .flags = F_OUT },
	{ "workers", F_LIST, AT(workers), .flags = F_OUT, .of = worker_fields,
	             .size = sizeof(struct worker_row) },
	{ "queues",  F_LIST, AT(queues),  .flags = F_OUT, .of = queue_fields,
	             .size = sizeof(struct queue_row) },
	{ "dead_jobs", F_LIST, AT(dead),  .flags = F_OUT, .of = dead_fields,
	             .size = sizeof(struct dead_row) },
	FIELDS_END,
};
/* clang-format on */

int
cli_status(struct cli *c)
{
	struct status s;
	enum err e;

	if ((e = schema_version(c->db, &s.schema)) != OK ||
	    (e = blob_total(c->db, &s.stored_bytes)) != OK ||
	    (e = worker_list(c->db, c->mem, c->conf.node, &s.workers)) != OK ||
	    (e = queue_counts(c->db, c->mem, &s.queues)) != OK ||
	    (e = queue_deads(c->db, c->mem, &s.dead)) != OK)
		return cli_fail("status", e);
	cli_show(c, status_fields, &s);
	return EXIT_SUCCESS;
}
