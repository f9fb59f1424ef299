/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/vad_silero.h"

#include <glob.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "audio/onnx.h"
#include "base/log.h"

#define WINDOW 512
#define BEFORE 64
#define STATE (2 * 128)

struct silero {
	struct onnx_run *run; /* NULL: it failed */
	float input[BEFORE + WINDOW];
	float state[STATE], next[STATE];
	int64_t rate;
	float probability;
	size_t n; /* samples in the window so far */
};

/* The network, shared by all detectors of this process. */
static struct {
	pthread_mutex_t lock;
	bool tried;
	struct onnx *net; /* NULL: not loaded */
	atomic_bool missing;
} loaded = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- its files ---- */

/* Patterns of paths; a pattern without a leading slash is below models.dir. */
static const char *const libraries[] = { "sherpa-library/libonnxruntime.so",
	"/usr/local/lib/libonnxruntime.so*", "/usr/lib/libonnxruntime.so*",
	"/usr/lib/*-linux-gnu*/libonnxruntime.so*", NULL };
static const char *const models[] = { "silero/silero_vad.onnx",
	"/usr/local/share/silero-vad/silero_vad.onnx",
	"/usr/share/silero-vad/silero_vad.onnx", NULL };

/* Returns the first file that fits a pattern; NULL: there is no such file. */
static const char *
first_of(struct arena *mem, const char *folder, const char *const *patterns)
{
	const char *found = NULL;

	for (; *patterns != NULL && found == NULL; patterns++) {
		glob_t files;

		if (glob(**patterns == '/'
			     ? *patterns
			     : arena_printf(mem, "%s/%s", folder, *patterns),
			0, NULL, &files) == 0)
			found = arena_str(mem, files.gl_pathv[0]);
		globfree(&files);
	}
	return found;
}

static const char *
find(struct arena *mem, const struct conf *conf, const char *set,
    const char *const *patterns)
{
	if (strcmp(set, "none") == 0)
		return NULL;
	return *set != '\0' ? set : first_of(mem, conf->models_dir, patterns);
}

struct silero_files
silero_find(struct arena *mem, const struct conf *conf)
{
	const struct silero_files f = {
		find(mem, conf, conf->vad_library, libraries),
		find(mem, conf, conf->vad_model, models),
	};

	return f.library != NULL && f.model != NULL ? f : (struct silero_files){ NULL };
}

/* ---- loading ---- */

static struct onnx *
load_once(const char *library, const char *model)
{
	pthread_mutex_lock(&loaded.lock);
	if (!loaded.tried && onnx_load(library, model, &loaded.net) != OK) {
		loaded.missing = true;
		log_error("vad: cannot use %s and %s; speech is detected by level",
		    library, model);
	}
	loaded.tried = true;
	pthread_mutex_unlock(&loaded.lock);
	return loaded.net;
}

bool
silero_missing(void)
{
	return loaded.missing;
}

struct silero *
silero_new(struct arena *mem, const struct silero_files *f)
{
	static const int64_t input[] = { 1, BEFORE + WINDOW }, state[] = { 2, 1, 128 },
			     one[] = { 1, 1 };
	struct silero *s = arena_alloc(mem, sizeof(*s));
	const struct onnx_tensor tensors[] = {
		{ "input", ONNX_FLOAT, s->input, input, 2 },
		{ "state", ONNX_FLOAT, s->state, state, 3 },
		{ "sr", ONNX_INT64, &s->rate, NULL, 0 },
		{ "output", ONNX_FLOAT, &s->probability, one, 2 },
		{ "stateN", ONNX_FLOAT, s->next, state, 3 },
	};
	struct onnx *net = NULL;

	if (f->library != NULL && f->model != NULL)
		net = load_once(f->library, f->model);
	s->rate = HEARD_HZ;
	if (net == NULL || onnx_run_new(net, mem, tensors, 3, 2, &s->run) != OK)
		return NULL;
	/* run the network on silence, to check that it is the right one */
	if (onnx_run(s->run) == OK) {
		memset(s->next, 0, sizeof(s->next));
		return s;
	}
	loaded.missing = true;
	return NULL;
}

static void
ask(struct silero *s)
{
	s->n = 0;
	if (onnx_run(s->run) != OK) {
		s->run = NULL;
		return;
	}
	memcpy(s->state, s->next, sizeof(s->state));
	memcpy(s->input, s->input + WINDOW, BEFORE * sizeof(*s->input));
}

float
silero_frame(struct silero *s, const int16_t *samples)
{
	for (size_t i = 0; i < VAD_FRAME && s->run != NULL; i++) {
		s->input[BEFORE + s->n++] = (float)samples[i] / 32768;
		if (s->n == WINDOW)
			ask(s);
	}
	return s->run != NULL ? s->probability : -1;
}
