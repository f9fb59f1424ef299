/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of an installed model in dragoman.conf. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "models/conf_text.h"
#include "models/install.h"

#define PATH(...) arena_printf(m->mem, __VA_ARGS__)

static bool
fail(struct models *m, const char *why)
{
	m->why = why;
	return false;
}

static bool
write_to(int fd, const char *text)
{
	bool good = fd >= 0 && file_write(fd, text, strlen(text)) && fsync(fd) == 0;

	return fd >= 0 && close(fd) == 0 && good;
}

/* Replace a file in one step, or overwrite it if no file can be created beside it. */
static bool
write_file(struct arena *mem, const char *path, const char *text)
{
	const char *new = arena_printf(mem, "%s.new", path);
	struct stat st = { .st_mode = 0600, .st_uid = geteuid(), .st_gid = getegid() };
	bool there = stat(path, &st) == 0;
	int fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EACCES && there)
		return write_to(open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), text);
	if (fd >= 0 && (fchmod(fd, st.st_mode & 0777) != 0 ||
			   (geteuid() == 0 && fchown(fd, st.st_uid, st.st_gid) != 0))) {
		close(fd);
		return false;
	}
	return write_to(fd, text) && rename(new, path) == 0;
}

#define SHARE "@share/"

/* A word of n bytes: see model_row.settings. */
static void
put_word(struct models *m, const struct model_row *row, const char *s, size_t n,
    struct buf *to)
{
	size_t name = strcspn(s, "/ ");

	if (*s != '@' || (name > 1 && s[name] != '/'))
		buf_put(to, s, n);
	else if (strncmp(s, SHARE, strlen(SHARE)) == 0)
		buf_printf(to, "%s%.*s", m->conf->share_dir, (int)(n - name), s + name);
	else if (name == 1)
		buf_printf(
		    to, "%s/%s%.*s", m->conf->models_dir, row->name, (int)n - 1, s + 1);
	else
		buf_printf(to, "%s/%.*s", m->conf->models_dir, (int)n - 1, s + 1);
}

static const char *
expand(struct models *m, const struct model_row *row, const char *value)
{
	bool many = strchr(value, ' ') != NULL;
	struct buf b = { .mem = m->mem };

	while (*value != '\0') {
		size_t n = strcspn(value, " "), blanks = strspn(value + n, " ");

		struct buf word = { .mem = m->mem };
		const char *quote;

		put_word(m, row, value, n, &word);
		quote = many && strchr(buf_text(&word), ' ') != NULL ? "\"" : "";
		buf_printf(&b, "%s%s%s", quote, buf_text(&word), quote);
		buf_put(&b, value + n, blanks);
		value += n + blanks;
	}
	return buf_text(&b);
}

/* The current value of a list. */
static const char *
list_now(const struct conf *c, const char *setting)
{
	if (strcmp(setting, "speech.asr") == 0)
		return c->speech_asr;
	return strcmp(setting, "speech.mt") == 0 ? c->speech_mt : c->speech_tts;
}

struct edit {
	struct models *m;
	const char *text;
	bool in;
};

static void
change(struct edit *e, const char *setting, const char *value)
{
	struct models *m = e->m;
	const char *variable = conf_variable(m->mem, setting);
	const char *was = e->text;

	e->text = value != NULL ? conf_text_set(m->mem, was, setting, value)
				: conf_text_unset(m->mem, was, setting);
	if (strcmp(was, e->text) != 0)
		m->say(value != NULL ? PATH("dragoman.conf: %s = %s", setting, value)
				     : PATH("dragoman.conf: %s is removed", setting));
	if (getenv(variable) != NULL)
		m->say(PATH(
		    "The environment sets %s, which wins: change it there.", variable));
}

static void
change_all(struct edit *e, const struct model_row *row)
{
	const struct json *v = row->settings != NULL ? row->settings->kids : NULL;
	struct models *m = e->m;
	const char *now;

	for (; v != NULL; v = v->next) {
		const char *setting =
		    strchr(v->key, '.') != NULL && strncmp(v->key, "voice.", 6) != 0
			? v->key
			: PATH("engine.%s.%s", row->name, v->key);

		if (v->type == JSON_TEXT)
			change(e, setting, e->in ? expand(m, row, v->u.s) : NULL);
	}
	if (*row->list == '\0')
		return;
	now = list_now(m->conf, row->list);
	change(e, row->list,
	    e->in ? conf_list_add(m->mem, now, row->name)
		  : conf_list_remove(m->mem, now, row->name));
}

bool
models_configure(struct models *m, const struct model_row *row, bool in)
{
	const char *file = conf_file(m->mem);
	struct buf text = { .mem = m->mem };
	struct edit e = { m, NULL, in };

	if (file == NULL || (!file_read(file, &text) && errno != ENOENT))
		return fail(m, PATH("%s: %s", file, strerror(errno)));
	e.text = buf_text(&text);
	change_all(&e, row);
	if (strcmp(e.text, buf_text(&text)) == 0 || write_file(m->mem, file, e.text))
		return true;
	return fail(m, PATH("%s cannot be written: %s; add the lines above by hand",
			   file, strerror(errno)));
}
