/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a workbook (ECMA-376, part 2). The name of a part is found by
 * relationships, whose targets are relative to the part that has them.
 */
#include <string.h>

#include "base/zip.h"
#include "service/xlsx_internal.h"

#define MOST 1000       /* relationships and sheets that are read */
#define NAME_BYTES 1000 /* longer names are ignored */

/* A relationship, or a sheet, whose type is then its state. */
struct link {
	const char *id, *type, *target;
};

struct links {
	struct arena *mem;
	const char *element; /* Relationship or sheet */
	bool from_1904, workbook;
	int n;
	struct link links[MOST];
};

static const char *
short_attribute(struct arena *mem, const char *const *a, const char *name)
{
	const char *s = xml_attribute(a, name);

	return s != NULL && strlen(s) <= NAME_BYTES ? arena_str(mem, s) : NULL;
}

static void
begin_link(void *arg, const char *name, const char *const *a)
{
	struct links *l = arg;
	const char *is;

	l->workbook |= strcmp(name, "workbook") == 0;
	if (strcmp(name, "workbookPr") == 0) {
		is = xml_attribute(a, "date1904");
		l->from_1904 =
		    is != NULL && strcmp(is, "0") != 0 && strcmp(is, "false") != 0;
	}
	if (strcmp(name, l->element) != 0 || l->n == MOST)
		return;
	is = xml_attribute(a, "TargetMode");
	if (is == NULL || strcmp(is, "External") != 0)
		l->links[l->n++] = (struct link){
			short_attribute(l->mem, a, *name == 's' ? "id" : "Id"),
			short_attribute(l->mem, a, *name == 's' ? "state" : "Type"),
			short_attribute(l->mem, a, "Target"),
		};
}

static enum err
read_links(struct arena *mem, struct zip_reader *z, const char *part,
    const char *element, struct links **to)
{
	struct links *l = *to = arena_alloc(mem, sizeof(*l));
	struct buf b = { .mem = mem };
	enum err e = zip_read(z, part, &b);

	l->mem = mem;
	l->element = element;
	if (e == OK && !xml_read_elements(b.p, b.len,
			   &(struct xml_reader){ .begin = begin_link, .arg = l }))
		e = ERR_REFUSED;
	return e;
}

/* The relationships of a part: those of "xl/a.xml" are in "xl/_rels/a.xml.rels". */
static enum err
read_relations(
    struct arena *mem, struct zip_reader *z, const char *part, struct links **to)
{
	const char *slash = strrchr(part, '/'),
		   *name = slash != NULL ? slash + 1 : part;

	return read_links(mem, z,
	    arena_printf(mem, "%.*s_rels/%s.rels", (int)(name - part), part, name),
	    "Relationship", to);
}

/* The name of the entry that a part's relationship leads to. */
static const char *
resolve(struct arena *mem, const char *part, const char *target)
{
	const char *slash = strrchr(part, '/');
	size_t folder = *target != '/' && slash != NULL ? (size_t)(slash - part) : 0, n;
	char *path = arena_alloc(mem, folder + strlen(target) + 2);
	char *end = path + folder;

	memcpy(path, part, folder);
	for (const char *s = target; *s != '\0'; s += n + (s[n] == '/')) {
		n = strcspn(s, "/");
		if (n == 2 && memcmp(s, "..", 2) == 0) {
			while (end > path && *--end != '/')
				continue;
		} else if (n > 0 && !(n == 1 && *s == '.')) {
			if (end > path)
				*end++ = '/';
			memcpy(end, s, n);
			end += n;
		}
	}
	*end = '\0';
	return path;
}

/* Types are addresses, which differ in the two forms of the standard but for the end.
 */
static bool
is_type(const struct link *l, const char *type)
{
	const char *end = l->type != NULL ? strrchr(l->type, '/') : NULL;

	return end != NULL && strcmp(end + 1, type) == 0 && l->target != NULL;
}

static const char *
find_type(const struct links *l, const char *part, const char *type)
{
	for (int i = 0; i < l->n; i++)
		if (is_type(&l->links[i], type))
			return resolve(l->mem, part, l->links[i].target);
	return NULL;
}

/* The sheet of cells that this row of the workbook names, or NULL. */
static const char *
find_sheet(const struct links *relations, const char *part, const struct link *sheet)
{
	for (int i = 0; i < relations->n && sheet->id != NULL; i++) {
		const struct link *l = &relations->links[i];

		if (l->id != NULL && strcmp(l->id, sheet->id) == 0 &&
		    is_type(l, "worksheet"))
			return resolve(relations->mem, part, l->target);
	}
	return NULL;
}

/* The first sheet of cells that is not hidden; or the first one. */
static const char *
first_sheet(const struct links *relations, const char *part, const struct links *sheets)
{
	const char *hidden = NULL, *found;

	for (int i = 0; i < sheets->n; i++) {
		const struct link *sheet = &sheets->links[i];

		if ((found = find_sheet(relations, part, sheet)) == NULL)
			continue;
		if (sheet->type == NULL || strcmp(sheet->type, "visible") == 0)
			return found;
		hidden = hidden != NULL ? hidden : found;
	}
	return hidden;
}

enum err
xlsx_find_parts(struct arena *mem, struct zip_reader *z, struct xlsx_parts *to)
{
	struct links *relations, *sheets;
	const char *part;
	enum err e;

	if ((e = read_relations(mem, z, "", &relations)) != OK)
		return e;
	part = find_type(relations, "", "officeDocument");
	if (part == NULL)
		return ERR_NOT_FOUND;
	if ((e = read_links(mem, z, part, "sheet", &sheets)) != OK)
		return e;
	if (!sheets->workbook)
		return ERR_NOT_FOUND;
	if ((e = read_relations(mem, z, part, &relations)) != OK)
		return e;
	*to = (struct xlsx_parts){ sheets->from_1904,
		first_sheet(relations, part, sheets),
		find_type(relations, part, "sharedStrings"),
		find_type(relations, part, "styles") };
	return OK;
}
