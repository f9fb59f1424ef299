/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recognizes a recording with a pipeline, faster than real time, and measures the
 * result:
 *
 *	speech-hear [-p] SOUND [REFERENCE [WORDS]]
 *
 * SOUND is raw PCM, signed 16-bit, 16 kHz, mono; REFERENCE is what is said in it.  The
 * settings are those of $DRAGOMAN_CONF.  A line for each final text: when it began and
 * ended in the sound, how much sound had been fed when it came, and the text; -p: not
 * that.  Then a line of figures:
 *
 *	phrases N words N errors N s N.N cpu N.N delay N.N p95 N.N longest N.N shown N
 *	false N terms N right N
 *
 * WORDS: of an event, lines of "hot TERM", "name OF A SPEAKER" or "title OF A SESSION",
 * which are learnt if stream.learn_words says so.  terms: how often hot words and names
 * are in the reference, right: how many of these were heard.
 *
 * shown: phrases that had a partial text, false: those of them without a final one.
 * delay is from the end of a word to the text that has it, half of the words and 95 %
 * of them took at most that long; cpu is processor time per second of sound.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "pipeline/glossary.h"
#include "pipeline/pipeline.h"
#include "protocol/output.h"
#include "speech/model_process.h"
#include "speech/registry.h"
#include "tests/words.h"

#define HZ 16000
#define CHUNK (HZ * 320 / 1000)
#define SOUND_S 3600
#define WORDS 20000

static struct {
	struct mailbox *events;
	struct pipeline *pipeline;
	bool ready, gone, quiet;
	double fed_s;
	double delays[WORDS];
	const char *heard[WORDS];
	int n, phrases, n_delays;
	double longest_s;
	char partial[20]; /* id of the phrase whose final text is missing; "": none */
	int shown, unsaid;
} hear;

static _Noreturn void
die(const char *what)
{
	fprintf(stderr, "speech-hear: %s\n", what);
	exit(EXIT_FAILURE);
}

static void
wake(void *arg)
{
	(void)arg;
}

static double
seconds(const json_t *j, const char *name)
{
	return json_number_value(json_object_get(j, name));
}

static void
take_words(const json_t *segment)
{
	const json_t *w;
	size_t i;

	json_array_foreach(json_object_get(segment, "words"), i, w)
	{
		if (hear.n_delays < WORDS)
			hear.delays[hear.n_delays++] = hear.fed_s - seconds(w, "end");
	}
}

static const json_t *
transcription(const json_t *j)
{
	return json_object_get(json_object_get(j, "data"), "transcription");
}

static void
take_partial(const struct pipeline_event *e)
{
	json_t *j = json_loadb(e->text, e->n, 0, NULL);
	const char *id =
	    json_string_value(json_object_get(transcription(j), "transcription_id"));

	if (strcmp(hear.partial, id) != 0) {
		hear.unsaid += hear.partial[0] != '\0';
		hear.shown++;
		snprintf(hear.partial, sizeof(hear.partial), "%s", id);
	}
	json_decref(j);
}

static void
take_text(const struct pipeline_event *e)
{
	json_t *j = json_loadb(e->text, e->n, 0, NULL);
	const json_t *t = transcription(j);
	const json_t *segment = json_array_get(json_object_get(t, "segments"), 0);
	const char *text = json_string_value(json_object_get(t, "text"));
	double from = seconds(segment, "start"), to = seconds(segment, "end");

	if (!hear.quiet)
		printf("%7.2f %7.2f %7.2f  %s\n", from, to, hear.fed_s, text);
	if (strcmp(hear.partial,
		json_string_value(json_object_get(t, "transcription_id"))) == 0)
		hear.partial[0] = '\0';
	hear.phrases++;
	hear.longest_s = to - from > hear.longest_s ? to - from : hear.longest_s;
	take_words(segment);
	hear.n += words_of(strdup(text), hear.heard + hear.n, WORDS - hear.n);
	json_decref(j);
}

static void
take_events(void)
{
	struct actor_message *m = mailbox_drain(hear.events), *next;

	for (; m != NULL; m = next) {
		struct pipeline_event *e = (struct pipeline_event *)m;

		next = m->next;
		if (e->kind == PIPELINE_FAILED)
			die("no recogniser");
		hear.ready |= e->kind == PIPELINE_READY;
		hear.gone |= e->kind == PIPELINE_GONE;
		if (e->kind == PIPELINE_TEXT && e->final)
			take_text(e);
		else if (e->kind == PIPELINE_TEXT && e->starred == OUTPUT_PARTIAL)
			take_partial(e);
		arena_free(m->mem);
	}
}

static void
await(bool (*done)(void))
{
	struct timespec nap = { 0, 500000 };

	for (take_events(); !done(); take_events())
		nanosleep(&nap, NULL);
}

static bool
is_ready(void)
{
	return hear.ready;
}

static bool
is_gone(void)
{
	return hear.gone;
}

static bool
is_read(void)
{
	return pipeline_decoded_us(hear.pipeline) >=
	       (int64_t)(hear.fed_s * S_US) - 2000;
}

static void
feed(const int16_t *s, size_t n)
{
	for (size_t i = 0, some; i < n; i += some) {
		some = n - i < CHUNK ? n - i : CHUNK;
		pipeline_feed(
		    hear.pipeline, s + i, some * sizeof(*s), (int64_t)some * S_US / HZ);
		hear.fed_s += (double)some / HZ;
		await(is_read);
		take_events();
	}
}

/* ---- the words of an event ---- */

#define TERMS 1000

static struct {
	const char *hot[TERMS], *names[TERMS], *titles[TERMS];
	size_t n_hot, n_names, n_titles;
} event;

static void
read_event(char *text)
{
	char *save;

	for (char *line = strtok_r(text, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "hot ", 4) == 0 && event.n_hot < TERMS)
			event.hot[event.n_hot++] = line + 4;
		else if (strncmp(line, "name ", 5) == 0 && event.n_names < TERMS)
			event.names[event.n_names++] = line + 5;
		else if (strncmp(line, "title ", 6) == 0 && event.n_titles < TERMS)
			event.titles[event.n_titles++] = line + 6;
		else
			die("a line of WORDS");
	}
}

static void
set_event(struct pipeline_config *w)
{
	static struct glossary_term terms[TERMS];
	const struct glossary_task task = { .source = "en" };

	for (size_t i = 0; i < event.n_hot; i++)
		terms[i] = (struct glossary_term){ .type = GLOSSARY_HOTWORD,
			.glossary = "words",
			.source = "en",
			.a = event.hot[i] };
	if (event.n_hot > 0)
		w->glossary = glossary_index_new(
		    w->mem, &task, terms, event.n_hot, &w->truncated);
	w->speakers = (struct list){ event.names, event.n_names };
	w->sessions = (struct list){ event.titles, event.n_titles };
}

/* Returns how often the words of a term occur among n words. */
static int
count_term(const char *term, const char **words, int n)
{
	const char *t[WORDS_MAX];
	int k = words_of(strdup(term), t, WORDS_MAX), found = 0;

	for (int i = 0, same; i + k <= n; i++, found += same == k)
		for (same = 0; same < k && strcmp(words[i + same], t[same]) == 0;)
			same++;
	return found;
}

static void
count_terms(const char **terms, size_t n, const char **said, int n_said, int of[2])
{
	for (size_t i = 0; i < n; i++) {
		int is = count_term(terms[i], said, n_said);
		int heard = count_term(terms[i], hear.heard, hear.n);

		of[0] += is;
		of[1] += heard < is ? heard : is;
	}
}

static struct pipeline *
start(const struct conf *conf, struct arena *mem)
{
	struct pipeline_config *w = arena_alloc(mem, sizeof(*w));
	struct pipeline_host host = {
		.conf = conf, .pool = pool_start(1, NULL), .events = hear.events
	};
	const struct language_code english = { "en", "en" };

	*w = (struct pipeline_config){ .mem = mem,
		.task = { .source = TASK_WS,
		    .in = TASK_PCM,
		    .sample_rate = HZ,
		    .channels = 1,
		    .language = english,
		    .asr_model = "auto",
		    .silence_s = 0.7,
		    .splitter = true,
		    .splitter_characters = 80,
		    .splitter_s = 4,
		    .vad = true,
		    .vad_threshold = 0.5,
		    .starred = 1u << OUTPUT_VALIDATED | 1u << OUTPUT_PARTIAL } };
	set_event(w);
	if (registry_new(conf, &w->registry) != OK)
		die("no engines");
	return pipeline_start(&host, NULL, w);
}

/* Processor time of this process and of its model processes, ended ones as well. */
static double
processor_s(void)
{
	struct rusage ended;

	getrusage(RUSAGE_CHILDREN, &ended);
	return (double)clock() / CLOCKS_PER_SEC + (double)model_used_us() / S_US +
	       (double)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec) +
	       (double)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec) / S_US;
}

static size_t
read_all(const char *name, char **to, size_t most)
{
	FILE *f = fopen(name, "rb");
	size_t n;

	if (f == NULL || (*to = malloc(most + 1)) == NULL)
		die(name);
	n = fread(*to, 1, most, f);
	(*to)[n] = '\0';
	fclose(f);
	return n;
}

static int
by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double
share(double of)
{
	return hear.n_delays > 0 ? hear.delays[(int)(of * (hear.n_delays - 1))] : 0;
}

static void
tell(const char *reference, double cpu_s)
{
	static const char *said[WORDS];
	static int row[WORDS + 1];
	char *text;
	int n = 0, terms[2] = { 0, 0 };

	if (reference != NULL) {
		read_all(reference, &text, 1 << 20);
		n = words_of(text, said, WORDS);
	}
	count_terms(event.hot, event.n_hot, said, n, terms);
	count_terms(event.names, event.n_names, said, n, terms);
	qsort(hear.delays, (size_t)hear.n_delays, sizeof(*hear.delays), by_size);
	printf(
	    "phrases %d words %d errors %d s %.1f cpu %.3f delay %.2f p95 %.2f longest "
	    "%.1f shown %d false %d terms %d right %d\n",
	    hear.phrases, n, words_apart(said, n, hear.heard, hear.n, row), hear.fed_s,
	    cpu_s / hear.fed_s, share(0.5), share(0.95), hear.longest_s, hear.shown,
	    hear.unsaid + (hear.partial[0] != '\0'), terms[0], terms[1]);
}

int
main(int argc, char **argv)
{
	struct arena *mem = arena_new();
	struct conf conf;
	char *sound, *words;
	size_t n;
	double begun;

	hear.quiet = argc > 1 && strcmp(argv[1], "-p") == 0;
	argc -= hear.quiet;
	argv += hear.quiet;
	if (argc < 2 || argc > 4)
		die("[-p] SOUND [REFERENCE [WORDS]]");
	if (conf_read(mem, &conf) != OK)
		die("no settings");
	n = read_all(argv[1], &sound, (size_t)SOUND_S * HZ * 2);
	if (argc > 3) {
		read_all(argv[3], &words, 1 << 20);
		read_event(words);
	}
	asr_learn_words(conf.stream_learn_words);
	asr_words_patient(true);
	hear.events = mailbox_new(mem, wake, NULL);
	hear.pipeline = start(&conf, arena_new());
	await(is_ready);
	begun = processor_s();
	pipeline_begin(hear.pipeline, 0, 0);
	feed((const int16_t *)(const void *)sound, n / 2);
	pipeline_cut(hear.pipeline);
	pipeline_leave(hear.pipeline, false);
	await(is_gone);
	tell(argc > 2 ? argv[2] : NULL, processor_s() - begun);
	return EXIT_SUCCESS;
}
