/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A mode is a file with a line of shell: programs, quoted arguments, pipes, $1 for an
 * option of the generator and $2 for one of the tagger. Like Apertium's
 * apertium-wblank-mode, this adds -z and the programs that carry word-bound blanks
 * around the tagger. No shell runs the line.
 */
#include "speech/mt_apertium_mode.h"

#include <dirent.h>
#include <pthread.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/log.h"

#define MODES "/usr/share/apertium/modes"
#define PROGRAMS "/usr/bin"
#define UNMARKED "-n" /* option of the generator: unknown words without an asterisk */
#define NAMES 4
#define MODES_MAX 512         /* modes that are read at most */
#define RESCAN_US (30 * S_US) /* time between two searches for installed modes */
#define WORDS 32
#define LINE_BYTES (64 * 1024)
/* limit; it takes 10 ms on a quiet host, and no caller waits */
#define START_MS 20000

/* The names of a language in modes. The first name that has a mode is used. */
/* clang-format off */
static const struct name {
	const char *code;
	const char *is[NAMES];
} names[] = {
	{ "ar", { "ara" } },        { "az", { "aze" } },        { "be", { "bel" } },
	{ "bg", { "bul" } },        { "bn", { "ben" } },        { "ca", { "cat" } },
	{ "cs", { "ces" } },        { "cy", { "cym" } },        { "da", { "dan" } },
	{ "de", { "deu" } },        { "el", { "ell" } },        { "en", { "eng" } },
	{ "en-us", { "eng_US" } },  { "en-gb", { "eng_GB" } },  { "eo", { "epo" } },
	{ "es", { "spa" } },        { "et", { "est" } },        { "eu", { "eus" } },
	{ "fa", { "fas", "pes" } }, { "fi", { "fin" } },        { "fr", { "fra" } },
	{ "ga", { "gle" } },        { "gl", { "glg" } },        { "he", { "heb" } },
	{ "hi", { "hin" } },        { "hu", { "hun" } },        { "hy", { "hye" } },
	{ "ia", { "ina" } },        { "id", { "ind" } },        { "is", { "isl" } },
	{ "it", { "ita" } },        { "ja", { "jpn" } },        { "kk", { "kaz" } },
	{ "ko", { "kor" } },        { "lt", { "lit" } },        { "lv", { "lav", "lvs" } },
	{ "mk", { "mkd" } },        { "mn", { "mon", "khk" } }, { "mr", { "mar" } },
	{ "ms", { "zlm", "zsm" } }, { "mt", { "mlt" } },        { "nl", { "nld" } },
	{ "no", { "nob", "nb", "nno", "nn" } },                 { "pl", { "pol" } },
	{ "pt", { "por" } },        { "pt-br", { "por_BR", "pt_BR" } },
	{ "ro", { "ron" } },        { "ru", { "rus" } },        { "sk", { "slk" } },
	{ "sl", { "slv" } },        { "sv", { "swe" } },        { "sw", { "swa", "swh" } },
	{ "tr", { "tur" } },        { "ug", { "uig" } },        { "uk", { "ukr" } },
	{ "ur", { "urd" } },        { "vi", { "vie" } },        { "zh", { "zho" } },
	{ "bs", { "hbs_BS", "bos", "hbs" } },
	{ "hr", { "hbs_HR", "hrv", "hbs" } },
	{ "sr", { "hbs_SR", "srp", "hbs" } },
};
/* clang-format on */

/* Returns the i-th name of a language, the last being our own code; NULL: no more. */
static const char *
name(const char *code, int i)
{
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (strcmp(names[k].code, code) == 0) {
			if (i < NAMES && names[k].is[i] != NULL)
				return names[k].is[i];
			return i > 0 && i <= NAMES && names[k].is[i - 1] != NULL ? code
										 : NULL;
		}
	return NULL;
}

/* ---- installed modes ---- */

/* guards the following variables */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct arena *known_mem;  /* arena of names and order */
static const char *const *known; /* names of modes, then NULL */
static int64_t known_until_us;   /* next search, monotonic */

static const char *
mode_of(struct arena *mem, const char *file)
{
	const char *dot = strrchr(file, '.');

	if (dot == NULL || strcmp(dot, ".mode") != 0)
		return NULL;
	return arena_dup(mem, file, (size_t)(dot - file));
}

static void
rescan_modes(void)
{
	DIR *dir = opendir(MODES);
	const char **is;
	size_t n = 0;

	arena_free(known_mem);
	known_mem = arena_new();
	known = is = arena_alloc(known_mem, (MODES_MAX + 1) * sizeof(*is));
	for (struct dirent *d; n < MODES_MAX && dir != NULL;) {
		if ((d = readdir(dir)) == NULL)
			break;
		n += (is[n] = mode_of(known_mem, d->d_name)) != NULL;
	}
	if (dir != NULL)
		closedir(dir);
	known_until_us = monotonic_us() + RESCAN_US;
}

static bool
installed(const char *mode)
{
	size_t i = 0;
	bool is;

	pthread_mutex_lock(&lock);
	if (monotonic_us() >= known_until_us)
		rescan_modes();
	while (known[i] != NULL && strcmp(known[i], mode) != 0)
		i++;
	is = known[i] != NULL;
	pthread_mutex_unlock(&lock);
	return is;
}

static bool
is_listed(const char *of, const char *mode)
{
	size_t n = strlen(mode);

	while (of != NULL && *(of += strspn(of, " ")) != '\0') {
		if (strcspn(of, " ") == n && strncmp(of, mode, n) == 0)
			return true;
		of += strcspn(of, " ");
	}
	return of == NULL;
}

const char *
apertium_mode(struct arena *mem, const char *of, const char *from, const char *to)
{
	const char *a, *b, *mode;

	for (int i = 0; (a = name(from, i)) != NULL; i++)
		for (int k = 0; (b = name(to, k)) != NULL; k++) {
			mode = arena_printf(mem, "%s-%s", a, b);
			if (is_listed(of, mode) && installed(mode))
				return mode;
		}
	return NULL;
}

void
apertium_modes(struct arena *mem, const char *of, struct list *to)
{
	size_t n = sizeof(names) / sizeof(names[0]);
	struct mt_pair *p = arena_alloc(mem, n * n * sizeof(*p));
	struct arena *tmp = arena_new();

	*to = (struct list){ .items = p };
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			const char *a = names[i].code, *b = names[k].code;

			if (strcmp(lang_base(tmp, a), lang_base(tmp, b)) != 0 &&
			    apertium_mode(tmp, of, a, b) != NULL)
				p[to->n++] = (struct mt_pair){ a, b };
			arena_reset(tmp);
		}
	arena_free(tmp);
}

/* ---- the programs of a mode ---- */

/* Take the next word of the line without its quotes; NULL: the stage ends. */
static const char *
read_word(struct arena *mem, const char **line)
{
	struct buf b = { .mem = mem };
	const char *s = *line + strspn(*line, " \t\n"), *end;

	if (*s == '|' || *s == '\0') {
		*line = s;
		return NULL;
	}
	while (*s != '\0' && strchr(" \t\n|", *s) == NULL) {
		if ((*s == '\'' || *s == '"') && (end = strchr(s + 1, *s)) != NULL) {
			buf_put(&b, s + 1, (size_t)(end - s) - 1);
			s = end + 1;
		} else
			buf_put(&b, s++, 1);
	}
	*line = s;
	return buf_text(&b);
}

/* Take the next program of the line; NULL: it is too long or empty. */
static const char *const *
read_stage(struct arena *mem, const char **line)
{
	const char **argv = arena_alloc(mem, WORDS * sizeof(*argv)), *word;
	size_t n = 0;

	while ((word = read_word(mem, line)) != NULL) {
		if (strcmp(word, "$2") == 0)
			continue;
		if (n == WORDS - 1)
			return NULL;
		argv[n++] = strcmp(word, "$1") == 0 ? UNMARKED : word;
	}
	if (n == 0)
		return NULL;
	if (*argv[0] != '/')
		argv[0] = arena_printf(mem, PROGRAMS "/%s", argv[0]);
	return argv;
}

static enum err
read_stages(struct arena *mem, const char *line, struct child_pipe_plan *to)
{
	const char *const **stage = arena_alloc(mem, CHILD_STAGES * sizeof(*stage));

	to->stage = stage;
	for (to->n = 0; to->n < CHILD_STAGES; line++) {
		if ((stage[to->n] = read_stage(mem, &line)) == NULL)
			break;
		to->n++;
		if (*line == '\0')
			return OK;
	}
	log_error("apertium: %s: the pipeline is not supported", to->name);
	return ERR_FAILED;
}

enum err
apertium_stages(struct arena *mem, const char *mode, struct child_pipe_plan *to)
{
	size_t n = strcspn(mode, APERTIUM_ANALYSER);
	const char *const argv[] = { PROGRAMS "/apertium-wblank-mode", "-z",
		arena_printf(mem, MODES "/%.*s.mode", (int)n, mode), NULL };
	const struct child c = { .argv = argv,
		.timeout_ms = START_MS,
		.memory_bytes = (size_t)256 << 20,
		.out_bytes = LINE_BYTES };
	struct child_end end;
	enum err e;

	to->name = mode;
	if ((e = child_run(&c, mem, &end)) != OK)
		return e;
	if (end.status != 0)
		return ERR_FAILED;
	e = read_stages(mem, arena_dup(mem, end.out, end.out_len), to);
	if (e == OK && mode[n] != '\0')
		to->n = 1;
	return e;
}
