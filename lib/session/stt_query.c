/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts the query of an STT socket to a task.
 */
#include <string.h>

#include "base/lang.h"
#include "session/stt_query.h"
#include "session/task_engines.h"

#define RATE_HZ 16000

/* ---- the task ---- */

bool
stt_query_task(struct arena *mem, struct registry *reg, const char *json,
    struct task *to, struct validation_errors *errors)
{
	const struct task_engines engines = task_engines_of(reg);
	const char *why;
	const struct json *tree = json_read(mem, json, strlen(json), &why);

	*errors = (struct validation_errors){ .mem = mem };
	return task_read(mem, tree, &engines, to, errors);
}

/*
 * Write the targets; s: languages, comma-separated, with or without blanks; NULL: none.
 */
static void
put_targets(struct json_writer *j, struct arena *mem, const char *s)
{
	jw_list(j, "translations");
	for (; s != NULL && s[strspn(s, " ")] != '\0'; s += *s == ',') {
		size_t n;

		s += strspn(s, " ");
		n = strcspn(s, ", ");
		jw_open(j, NULL);
		jw_text(j, "target_language", arena_dup(mem, s, n));
		jw_null(j, "speech_generation");
		jw_close(j);
		s += strcspn(s, ",");
	}
	jw_close(j);
}

/* The JSON of the task.  stt_params.sound has the audio format, not the task. */
static const char *
task_text(struct arena *mem, const struct stt_in *in)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	jw_open(&j, "input_stream");
	jw_open(&j, "source");
	jw_int(&j, "sample_rate", RATE_HZ);
	jw_close(&j);
	jw_close(&j);
	jw_null(&j, "output_stream");
	jw_open(&j, "pipeline");
	jw_open(&j, "transcription");
	jw_text(&j, "source_language", in->language != NULL ? in->language : "auto");
	jw_open(&j, "sentence_splitter");
	jw_bool(&j, "enabled", false);
	jw_close(&j);
	jw_close(&j);
	put_targets(&j, mem, in->targets);
	jw_close(&j);
	jw_close(&j);
	return buf_text(&b);
}

/* ---- the audio format ---- */

/* clang-format off */
static const struct form {
	const char *name;
	enum audio_encoding form;
	bool tells_rate; /* sample_rate is optional; pcm_s16le: RATE_HZ */
	bool file;       /* decoded by a child process */
} forms[] = {
	{ "pcm_s16le", AUDIO_PCM, true },
	{ "pcm_s32le", AUDIO_S32LE },
	{ "pcm_s32be", AUDIO_S32BE },
	{ "pcm_f32le", AUDIO_F32LE },
	{ "pcm_f32be", AUDIO_F32BE },
	{ "mulaw",     AUDIO_MULAW },
	{ "alaw",      AUDIO_ALAW },
	{ "wav",       AUDIO_WAV, true },
	{ "aac",       AUDIO_PCM, true, true },
	{ "flac",      AUDIO_PCM, true, true },
	{ "mp3",       AUDIO_PCM, true, true },
	{ "ogg",       AUDIO_PCM, true, true },
	{ "webm",      AUDIO_PCM, true, true },
	{ NULL },
};
/* clang-format on */

/* NULL: the first format.  Returns NULL if the name is unknown. */
static const struct form *
find_form(const char *name)
{
	const struct form *f = forms;

	while (f->name != NULL && name != NULL && strcmp(f->name, name) != 0)
		f++;
	return f->name != NULL ? f : NULL;
}

static struct fault *
read_sound(struct arena *mem, const struct stt_in *in, struct stt_params *to)
{
	const struct form *f = find_form(in->format);

	if (f == NULL)
		return fault_add(mem, NULL, "/format",
		    "format %s cannot be decoded by this server.", in->format);
	if (!f->tells_rate && in->sample_rate == NULL_INT)
		return fault_add(mem, NULL, "/sample_rate",
		    "sample_rate is required with format %s.", f->name);
	to->file = f->file ? f->name : NULL;
	to->sound = (struct audio_format){ .form = f->form,
		.rate_hz = in->sample_rate == NULL_INT ? RATE_HZ : (int)in->sample_rate,
		.channels = 1 };
	return NULL;
}

/* ---- both ---- */

/* Convert errors in the task to faults of the parameters they come from. */
static struct fault *
as_faults(
    struct arena *mem, struct fault *first, const struct validation_errors *errors)
{
	static const char targets[] = "pipeline.translations";

	for (size_t i = 0; i < errors->n; i++) {
		const struct validation_error *f = &errors->of[i];
		bool target = strncmp(f->path, targets, sizeof(targets) - 1) == 0;
		const char *name = target ? "translate_languages" : "language";

		first = fault_add(
		    mem, first, arena_printf(mem, "/%s", name), "%s %s.", name, f->msg);
	}
	return first;
}

bool
stt_query_read(struct arena *mem, struct registry *reg, const struct stt_in *in,
    struct stt_params *to, struct fault **faults)
{
	struct validation_errors errors;
	struct task t;

	to->task = task_text(mem, in);
	*faults = read_sound(mem, in, to);
	if (!stt_query_task(mem, reg, to->task, &t, &errors))
		*faults = as_faults(mem, *faults, &errors);
	if (*faults != NULL)
		return false;
	to->language = arena_str(mem, t.language.said);
	to->manual =
	    in->finalization != NULL && strcmp(in->finalization, "manual") == 0;
	to->unfilled = in->filter != NULL ? strcmp(in->filter, "true") == 0
					  : !lang_same_base(t.language.code, "ja");
	return true;
}
