/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/language_sample.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lang.h"
#include "base/log.h"
#include "media/media.h"
#include "speech/builtin_voices.h"
#include "speech/voice_select.h"

/* A sentence to speak, and the file for its sound. */
struct sentence {
	const struct conf *conf;
	struct arena *mem;
	struct registry *registry;
	const struct registry_engine *engine;
	struct tts_text text;
	const char *folder, *file;
};

static bool
find_no_voice(void *none, const char *id, struct voice_found *to)
{
	(void)none, (void)id, (void)to;
	return false;
}

static enum err
choose(struct sentence *s, const char *language)
{
	const struct voice_wish wish = { BUILTIN_LOW, language, NULL };
	struct registry_want which = { voice_model(s->mem, s->registry, &wish,
					   find_no_voice, NULL),
		NULL, monotonic_us() };
	struct voice_chosen voice;

	s->engine = registry_tts(s->registry, language, &which);
	s->text.text = speech_sample_text(language);
	if (s->engine == NULL || s->text.text == NULL)
		return ERR_NOT_FOUND;
	voice = voice_choose(s->mem, s->engine, BUILTIN_LOW, find_no_voice, NULL);
	s->text.lang = language;
	s->text.voice = voice.voice;
	s->text.high = voice.high;
	s->text.rate = 1;
	return OK;
}

/* Name the file after all that its sound depends on. */
static void
name_file(struct sentence *s)
{
	const struct engine_at *at = &s->engine->at;
	const char *const parts[] = { at->id, at->kind, at->url, at->model, at->library,
		s->text.text, s->text.voice };
	struct sha256 *sum = sha256_new(s->mem);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sha256_put(sum, parts[i] != NULL ? parts[i] : "",
		    parts[i] != NULL ? strlen(parts[i]) + 1 : 1);
	s->folder = arena_printf(s->mem, "%s/language-samples", s->conf->state_dir);
	s->file = arena_printf(s->mem, "%s/%s.%.16s.mp3", s->folder, s->text.lang,
	    sha256_hex(s->mem, sum));
}

static bool
open_file(const struct sentence *s, struct language_sample *to)
{
	struct stat st;

	to->fd = open(s->file, O_RDONLY | O_CLOEXEC);
	if (to->fd < 0 || fstat(to->fd, &st) != 0)
		return false;
	to->bytes = st.st_size;
	return true;
}

/* Delete the language's sounds of earlier settings. */
static void
delete_others(const struct sentence *s)
{
	glob_t found;

	if (glob(arena_printf(s->mem, "%s/%s.*.mp3", s->folder, s->text.lang), 0, NULL,
		&found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
	globfree(&found);
}

static enum err
write_file(const struct sentence *s, const struct media_file *f)
{
	const char *new = arena_printf(s->mem, "%s/new", s->folder);
	int fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool written = fd >= 0 && file_write(fd, f->bytes, f->n);

	if (fd >= 0)
		close(fd);
	if (written)
		delete_others(s);
	if (written && rename(new, s->file) == 0)
		return OK;
	log_error("%s: %s", s->file, strerror(errno));
	return ERR_FAILED;
}

/* Speak the sentence into its file, unless another process has just done so. */
static enum err
make_file(const struct sentence *s)
{
	const struct media_at media = { arena_printf(s->mem, "%s/dragoman-media",
					    s->conf->bin_dir),
		(int)s->conf->engine_timeout_ms };
	struct tts_collected all = { .samples.mem = s->mem };
	struct media_file file;
	struct pcm pcm;
	enum err e;

	if (access(s->file, F_OK) == 0)
		return OK;
	if ((e = registry_speak(
		 s->registry, s->engine, s->mem, &s->text, tts_collect, &all)) != OK)
		return e;
	pcm = tts_collected(&all);
	if (pcm.n == 0)
		return ERR_REFUSED;
	e = media_encode(&media, s->mem, &pcm, "mp3", &file);
	return e != OK ? e : write_file(s, &file);
}

enum err
language_sample(const struct conf *conf, struct arena *mem, struct registry *reg,
    const char *language, struct language_sample *to)
{
	struct sentence s = { .conf = conf, .mem = mem, .registry = reg };
	char code[LANG_BYTES];
	enum err e;
	int lock;

	if (!lang_spell(language, code))
		return ERR_NOT_FOUND;
	if ((e = choose(&s, code)) != OK)
		return e;
	name_file(&s);
	if (open_file(&s, to))
		return OK;
	mkdir(s.folder, 0700);
	if ((lock = file_lock(arena_printf(mem, "%s/lock", s.folder), LOCK_EX)) < 0) {
		log_error("%s/lock: %s", s.folder, strerror(errno));
		return ERR_FAILED;
	}
	e = make_file(&s);
	close(lock);
	return e != OK || open_file(&s, to) ? e : ERR_FAILED;
}
