/*
 * The settings as text, in the form of dragoman.conf: those in force, and an
 * example that has all of them commented out.
 */
#include <inttypes.h>
#include <string.h>

#include "base/conf_parts.h"
#include "base/credits.h"

/* Where a section begins it is named; the answer is the length of its name. */
static size_t
begin_section(const struct setting *s, FILE *to)
{
	size_t n = strcspn(s->name, ".");

	if (s == conf_settings)
		fprintf(to, "[%.*s]\n", (int)n, s->name);
	else if (strncmp(s->name, s[-1].name, n + 1) != 0)
		fprintf(to, "\n[%.*s]\n", (int)n, s->name);
	return n;
}

static void
print_value(struct arena *mem, const struct conf *c, const struct setting *s, FILE *to)
{
	const void *at = (const char *)c + s->at;

	switch (s->type) {
	case SET_INT:
		fprintf(to, "%" PRId64 "\n", *(const int64_t *)at);
		break;
	case SET_MICRO:
		fprintf(to, "%s\n", credits_text(mem, *(const int64_t *)at));
		break;
	case SET_BOOL:
		fprintf(to, "%s\n", *(const bool *)at ? "yes" : "no");
		break;
	case SET_SECRET:
		fprintf(to, "%s\n", **(const char *const *)at ? "********" : "");
		break;
	case SET_TEXT:
	case SET_PATH:
		fprintf(to, "%s\n", *(const char *const *)at);
		break;
	}
}

void
conf_print(const struct conf *c, FILE *to)
{
	struct arena *mem = arena_new();
	size_t n;

	for (const struct setting *s = conf_settings; s->name != NULL; s++) {
		n = begin_section(s, to);
		fprintf(to, "; %s Default: %s\n%s%s = ", s->meaning,
		    s->preset[0] != '\0' ? s->preset : "none.",
		    s->type == SET_SECRET ? "; " : "", s->name + n + 1);
		print_value(mem, c, s, to);
	}
	arena_free(mem);
}

/* "From 60 to 604800", as in dragoman.conf(5); nothing where every number is good. */
static void
print_limits(struct arena *mem, const struct setting *s, FILE *to)
{
	bool micro = s->type == SET_MICRO;
	const char *least =
	    micro ? credits_text(mem, s->min) : arena_printf(mem, "%" PRId64, s->min);
	const char *most =
	    micro ? credits_text(mem, s->max) : arena_printf(mem, "%" PRId64, s->max);

	if (s->type != SET_INT && !micro)
		return;
	if (s->max < INT64_MAX)
		fprintf(to, "# From %s to %s.\n", least, most);
	else if (s->min > 0)
		fprintf(to, "# At least %s.\n", least);
}

void
conf_print_example(FILE *to)
{
	static const char head[] =
	    "# All settings, with their defaults, as `dragoman config example` prints\n"
	    "# them.  etc/dragoman.conf needs only what differs: take the ; away from\n"
	    "# the line of a setting, and from none else.  Lines must not be "
	    "indented.\n"
	    "\n";
	struct arena *mem = arena_new();
	size_t n;

	fputs(head, to);
	for (const struct setting *s = conf_settings; s->name != NULL; s++) {
		n = begin_section(s, to);
		fprintf(to, "# %s\n", s->meaning);
		print_limits(mem, s, to);
		fprintf(to, ";%s =%s%s\n", s->name + n + 1,
		    s->preset[0] != '\0' ? " " : "", s->preset);
	}
	arena_free(mem);
}
