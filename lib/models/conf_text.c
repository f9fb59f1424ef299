/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/conf_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"

#define BLANKS " \t\r"

/* Lines of the text, each without its end. */
struct lines {
	struct arena *mem;
	const char **line;
	size_t n;
};

static struct lines
split(struct arena *mem, const char *text)
{
	struct lines l = { .mem = mem };
	size_t most = 8;

	for (const char *p = text; *p != '\0'; p++)
		most += *p == '\n';
	l.line = arena_alloc(mem, most * sizeof(*l.line));
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");

		l.line[l.n++] = arena_dup(mem, text, n);
		text += n + (text[n] != '\0');
	}
	return l;
}

/* Join the lines; those that are NULL are left out. */
static const char *
join(const struct lines *l)
{
	struct buf b = { .mem = l->mem };

	for (size_t i = 0; i < l->n; i++)
		if (l->line[i] != NULL)
			buf_printf(&b, "%s\n", l->line[i]);
	return buf_text(&b);
}

static void
insert(struct lines *l, size_t at, const char *line)
{
	memmove(l->line + at + 1, l->line + at, (l->n - at) * sizeof(*l->line));
	l->line[at] = line;
	l->n++;
}

static const char *
skip_blanks(const char *s)
{
	return s + strspn(s, BLANKS);
}

/* True if the line is "[name]", with a name of n bytes. */
static bool
is_head(const char *line, const char *name, size_t n)
{
	line = skip_blanks(line);
	return line[0] == '[' && strncmp(line + 1, name, n) == 0 && line[n + 1] == ']';
}

static bool
is_any_head(const char *line)
{
	return *skip_blanks(line) == '[';
}

static bool
sets_key(const char *line, const char *key)
{
	size_t n = strlen(key);

	line = skip_blanks(line);
	if (strncmp(line, key, n) != 0)
		return false;
	line = skip_blanks(line + n);
	return *line == '=' || *line == ':';
}

/* True for a comment or an empty line. */
static bool
is_empty(const char *line)
{
	line = skip_blanks(line);
	return *line == '\0' || *line == '#' || *line == ';';
}

/* Length of the section's name in "section.key", or in "engine.ID.key", whose key may
   have a dot. */
static size_t
section_length(const char *setting)
{
	bool engine = strncmp(setting, "engine.", 7) == 0;

	return (size_t)((engine ? strchr(setting + 7, '.') : strrchr(setting, '.')) -
			setting);
}

/* The index of the last line that sets the setting, which is the effective one; l->n:
   none. */
static size_t
find_setting(const struct lines *l, const char *setting)
{
	size_t n = section_length(setting), found = l->n;
	bool inside = false;

	for (size_t i = 0; i < l->n; i++)
		if (is_any_head(l->line[i]))
			inside = is_head(l->line[i], setting, n);
		else if (inside && sets_key(l->line[i], setting + n + 1))
			found = i;
	return found;
}

/* The index after the last setting of the section; 0: there is no section. */
static size_t
end_of_section(const struct lines *l, const char *setting)
{
	size_t end = 0;
	bool inside = false;

	for (size_t i = 0; i < l->n; i++) {
		if (is_any_head(l->line[i]))
			inside = is_head(l->line[i], setting, section_length(setting));
		if (inside && !is_empty(l->line[i]))
			end = i + 1;
	}
	return end;
}

const char *
conf_text_set(
    struct arena *mem, const char *text, const char *setting, const char *value)
{
	size_t n = section_length(setting);
	const char *line = arena_printf(mem, "%s = %s", setting + n + 1, value);
	struct lines l = split(mem, text);
	size_t at = find_setting(&l, setting);

	if (at < l.n) {
		l.line[at] = line;
	} else if ((at = end_of_section(&l, setting)) > 0) {
		insert(&l, at, line);
	} else {
		if (l.n > 0)
			l.line[l.n++] = "";
		l.line[l.n++] = arena_printf(mem, "[%.*s]", (int)n, setting);
		l.line[l.n++] = line;
	}
	return join(&l);
}

/* Remove the headers of this section if nothing but blank lines follows them. */
static void
drop_empty_sections(struct lines *l, const char *setting)
{
	size_t n = section_length(setting);

	for (size_t i = 0; i < l->n; i++) {
		size_t k = i + 1;

		if (l->line[i] == NULL || !is_head(l->line[i], setting, n))
			continue;
		while (k < l->n &&
		       (l->line[k] == NULL || *skip_blanks(l->line[k]) == '\0'))
			k++;
		if (k < l->n && !is_any_head(l->line[k]))
			continue;
		while (k > i)
			l->line[--k] = NULL;
		if (i > 0 && i + 1 >= l->n && l->line[i - 1] != NULL &&
		    *skip_blanks(l->line[i - 1]) == '\0')
			l->line[i - 1] = NULL;
	}
}

const char *
conf_text_unset(struct arena *mem, const char *text, const char *setting)
{
	struct lines l = split(mem, text);
	size_t at;

	while ((at = find_setting(&l, setting)) < l.n) {
		memmove(l.line + at, l.line + at + 1, (l.n - at - 1) * sizeof(*l.line));
		l.n--;
	}
	drop_empty_sections(&l, setting);
	return join(&l);
}

bool
conf_list_has(const char *list, const char *word)
{
	for (size_t n; *(list += strspn(list, " ,")) != '\0'; list += n) {
		n = strcspn(list, " ,");
		if (n == strlen(word) && strncmp(list, word, n) == 0)
			return true;
	}
	return false;
}

const char *
conf_list_remove(struct arena *mem, const char *list, const char *word)
{
	struct buf b = { .mem = mem };

	for (size_t n; *(list += strspn(list, " ,")) != '\0'; list += n) {
		n = strcspn(list, " ,");
		if (n != strlen(word) || strncmp(list, word, n) != 0)
			buf_printf(&b, "%s%.*s", b.len > 0 ? " " : "", (int)n, list);
	}
	return buf_text(&b);
}

const char *
conf_list_add(struct arena *mem, const char *list, const char *word)
{
	const char *rest = conf_list_remove(mem, list, word);

	return arena_printf(mem, "%s%s%s", word, *rest != '\0' ? " " : "", rest);
}
