/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A shared library that replaces sherpa-onnx where that is not available or would not
 * fail as required.  It has the same functions, checks their arguments, and does what
 * the file tokens.txt of the model says:
 *
 *	count   recognize the number of samples
 *	refuse  refuse to load, with a reason; exit: end the process
 *	crash, hang, spin, eat (memory)  at the first audio
 *	thieve  report what the host gives access to beyond its task
 *	endless speak until the caller stops; begin: each text with a click
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PART 1600

struct online_config {
	int32_t rate_hz, features;
	const char *encoder, *decoder, *joiner, *paraformer[2], *ctc, *tokens;
	int32_t threads;
	const char *provider;
};

struct tts_config {
	const char *model, *lexicon, *tokens, *data_dir;
	float scales[3];
	const char *dict_dir;
	int32_t threads, debug;
};

struct result {
	const char *text;
};

typedef int32_t audio_callback(const float *, int32_t, void *);

/* As whisper.cpp does. */
const char *whisper_print_system_info(void);

const char *
whisper_print_system_info(void)
{
	const char *set = getenv("MODEL_LIBRARY_INFO");

	return set != NULL ? set : "";
}

static char what[32], text[128];
static long samples;
static int streams;

static void
check(int good, const char *is)
{
	if (good)
		return;
	fprintf(stderr, "wrong: %s\n", is);
	abort();
}

#define CHECK(condition) check((condition), #condition)

static int
ends(const char *path, const char *with)
{
	size_t n = path != NULL ? strlen(path) : 0, w = strlen(with);

	return n >= w && strcmp(path + n - w, with) == 0;
}

/*
 * Read the behaviour that the model's file requests, and follow it. 0: loading fails.
 */
static int
load(const char *tokens)
{
	FILE *f = fopen(tokens, "r");

	CHECK(f != NULL && fgets(what, sizeof(what), f) != NULL);
	fclose(f);
	what[strcspn(what, "\n")] = '\0';
	if (strcmp(what, "exit") == 0) {
		fprintf(stderr, "this model ends the process\n");
		exit(3);
	}
	if (strcmp(what, "refuse") == 0)
		fprintf(stderr, "this model is refused\n");
	return strcmp(what, "refuse") != 0;
}

const char *SherpaOnnxGetVersionStr(void);
const char *
SherpaOnnxGetVersionStr(void)
{
	return "1.13.99";
}

/* ---- recognition ---- */

const void *SherpaOnnxCreateOnlineRecognizer(const struct online_config *);
const void *
SherpaOnnxCreateOnlineRecognizer(const struct online_config *c)
{
	CHECK(ends(c->encoder, "/encoder-1.int8.onnx"));
	CHECK(ends(c->decoder, "/decoder-1.onnx") && ends(c->joiner, "/joiner-1.onnx"));
	CHECK(c->paraformer[0] == NULL && c->paraformer[1] == NULL && c->ctc == NULL);
	CHECK(c->rate_hz == 0 && c->features == 0 && c->provider == NULL);
	CHECK(c->threads == 2);
	return load(c->tokens) ? what : NULL;
}

const void *SherpaOnnxCreateOnlineStream(const void *);
const void *
SherpaOnnxCreateOnlineStream(const void *r)
{
	CHECK(r == what && streams++ == 0);
	samples = 0;
	return text;
}

const void *SherpaOnnxCreateOnlineStreamWithHotwords(const void *, const char *);
const void *
SherpaOnnxCreateOnlineStreamWithHotwords(const void *r, const char *terms)
{
	CHECK(r == NULL && terms == NULL); /* its models have no bpe.vocab */
	return NULL;
}

void SherpaOnnxDestroyOnlineStream(const void *);
void
SherpaOnnxDestroyOnlineStream(const void *s)
{
	CHECK(s == text && --streams == 0);
}

/* Allocate more than the process may have, which is less than 2 GB. */
static void
eat(void)
{
	for (int mb = 0; mb < 2048; mb++) {
		char *p = malloc(1 << 20);

		CHECK(p != NULL);
		memset(p, 1, 1 << 20);
	}
}

static void *
run(void *arg)
{
	return arg;
}

/* Report in capitals each access that should be denied. */
static void
thieve(void)
{
	pthread_t thread;
	pid_t child;

	text[0] = '\0';
	strcat(text, open("/etc/passwd", O_RDONLY) >= 0 ? "FILES " : "");
	strcat(text,
	    open("/tmp/dragoman", O_WRONLY | O_CREAT, 0600) >= 0 ? "WRITES " : "");
	strcat(text, socket(AF_INET, SOCK_STREAM, 0) >= 0 ? "NETWORK " : "");
	strcat(text, kill(getppid(), 0) == 0 ? "SIGNALS " : "");
	if ((child = fork()) == 0)
		_exit(0);
	strcat(text, child > 0 ? "PROCESSES " : "");
	execl("/bin/true", "true", (char *)NULL);
	if (pthread_create(&thread, NULL, run, NULL) == 0) {
		pthread_join(thread, NULL);
		strcat(text, "threads");
	}
}

void SherpaOnnxOnlineStreamAcceptWaveform(
    const void *, int32_t, const float *, int32_t);
void
SherpaOnnxOnlineStreamAcceptWaveform(
    const void *s, int32_t rate_hz, const float *sound, int32_t n)
{
	static volatile int *nowhere;

	CHECK(s == text && rate_hz == 16000 && n > 0);
	CHECK(sound[0] >= -1 && sound[n - 1] <= 1);
	samples += n;
	if (strcmp(what, "crash") == 0)
		*nowhere = 1;
	while (strcmp(what, "hang") == 0)
		sleep(1000);
	while (strcmp(what, "spin") == 0)
		samples ^= 1;
	if (strcmp(what, "eat") == 0)
		eat();
	if (strcmp(what, "thieve") == 0)
		thieve();
}

int32_t SherpaOnnxIsOnlineStreamReady(const void *, const void *);
int32_t
SherpaOnnxIsOnlineStreamReady(const void *r, const void *s)
{
	CHECK(r == what && s == text);
	return 0;
}

void SherpaOnnxDecodeOnlineStream(const void *, const void *);
void
SherpaOnnxDecodeOnlineStream(const void *r, const void *s)
{
	CHECK(r == NULL && s == NULL); /* no audio is ready */
}

const struct result *SherpaOnnxGetOnlineStreamResult(const void *, const void *);
const struct result *
SherpaOnnxGetOnlineStreamResult(const void *r, const void *s)
{
	struct result *to = malloc(sizeof(*to));

	CHECK(r == what && s == text && to != NULL);
	if (strcmp(what, "count") == 0)
		snprintf(text, sizeof(text), "%ld", samples);
	to->text = text;
	return to;
}

void SherpaOnnxDestroyOnlineRecognizerResult(struct result *);
void
SherpaOnnxDestroyOnlineRecognizerResult(struct result *r)
{
	free(r);
}

void SherpaOnnxOnlineStreamInputFinished(const void *);
void
SherpaOnnxOnlineStreamInputFinished(const void *s)
{
	CHECK(s == text);
}

/* ---- recognition of a whole phrase ---- */

struct offline_config {
	int32_t rate_hz, features;
	const char *encoder, *decoder, *joiner, *paraformer, *nemo_ctc;
	struct {
		const char *encoder, *decoder, *language, *task;
		int32_t numbers[3];
	} whisper;
	const char *tdnn, *tokens;
	int32_t threads, debug;
	const char *provider, *model_type, *unit, *vocabulary, *telespeech;
	struct {
		const char *model, *language;
		int32_t use_itn;
	} sense_voice;
	const char *moonshine[5], *fire_red[2], *dolphin, *zipformer;
	struct {
		const char *encoder, *decoder, *from, *to;
		int32_t use_pnc;
	} canary;
};

static char spoken[16]; /* the language */

void SherpaOnnxOfflineRecognizerSetConfig(const void *, const struct offline_config *);
void
SherpaOnnxOfflineRecognizerSetConfig(const void *r, const struct offline_config *c)
{
	const char *lang = c->whisper.encoder != NULL     ? c->whisper.language
			   : c->sense_voice.model != NULL ? c->sense_voice.language
							  : c->canary.to;

	CHECK(r == what);
	snprintf(spoken, sizeof(spoken), "%s", lang != NULL ? lang : "-");
}

const void *SherpaOnnxCreateOfflineRecognizer(const struct offline_config *);
const void *
SherpaOnnxCreateOfflineRecognizer(const struct offline_config *c)
{
	int families = (c->joiner != NULL) + (c->whisper.encoder != NULL) +
		       (c->sense_voice.model != NULL) + (c->moonshine[1] != NULL) +
		       (c->canary.encoder != NULL);

	CHECK(families == 1 && c->threads == 2 && c->debug == 0);
	CHECK(c->joiner == NULL || strcmp(c->model_type, "nemo_transducer") == 0);
	CHECK(c->whisper.encoder == NULL ||
	      (ends(c->whisper.decoder, "tiny-decoder.int8.onnx") &&
		  strcmp(c->whisper.task, "transcribe") == 0));
	CHECK(c->moonshine[1] == NULL || ends(c->moonshine[0], "/preprocess.onnx"));
	CHECK(c->moonshine[1] == NULL ||
	      ends(c->moonshine[3], "/cached_decode.int8.onnx"));
	CHECK(c->canary.encoder == NULL || c->canary.use_pnc == 1);
	if (!load(c->tokens))
		return NULL;
	SherpaOnnxOfflineRecognizerSetConfig(what, c);
	return what;
}

const void *SherpaOnnxCreateOfflineStream(const void *);
const void *
SherpaOnnxCreateOfflineStream(const void *r)
{
	return SherpaOnnxCreateOnlineStream(r);
}

void SherpaOnnxDestroyOfflineStream(const void *);
void
SherpaOnnxDestroyOfflineStream(const void *s)
{
	SherpaOnnxDestroyOnlineStream(s);
}

void SherpaOnnxAcceptWaveformOffline(const void *, int32_t, const float *, int32_t);
void
SherpaOnnxAcceptWaveformOffline(
    const void *s, int32_t rate_hz, const float *sound, int32_t n)
{
	CHECK(samples == 0);
	SherpaOnnxOnlineStreamAcceptWaveform(s, rate_hz, sound, n);
}

void SherpaOnnxDecodeOfflineStream(const void *, const void *);
void
SherpaOnnxDecodeOfflineStream(const void *r, const void *s)
{
	CHECK(r == what && s == text);
}

const struct result *SherpaOnnxGetOfflineStreamResult(const void *);
const struct result *
SherpaOnnxGetOfflineStreamResult(const void *s)
{
	struct result *to = malloc(sizeof(*to));

	CHECK(s == text && to != NULL);
	snprintf(text, sizeof(text), "%ld %s", samples, spoken);
	to->text = text;
	return to;
}

void SherpaOnnxDestroyOfflineRecognizerResult(struct result *);
void
SherpaOnnxDestroyOfflineRecognizerResult(struct result *r)
{
	free(r);
}

/* ---- speech ---- */

const void *SherpaOnnxCreateOfflineTts(const struct tts_config *);
const void *
SherpaOnnxCreateOfflineTts(const struct tts_config *c)
{
	CHECK(ends(c->model, "/decoder-1.onnx") || ends(c->model, ".int8.onnx"));
	CHECK(c->lexicon == NULL && c->data_dir == NULL && c->scales[0] == 0);
	CHECK(c->threads == 2 && c->debug == 0);
	return load(c->tokens) ? what : NULL;
}

int32_t SherpaOnnxOfflineTtsSampleRate(const void *);
int32_t
SherpaOnnxOfflineTtsSampleRate(const void *tts)
{
	CHECK(tts == what);
	return strcmp(what, "crash") == 0 ? 7 : 22050;
}

int32_t SherpaOnnxOfflineTtsNumSpeakers(const void *);
int32_t
SherpaOnnxOfflineTtsNumSpeakers(const void *tts)
{
	CHECK(tts == what);
	return 3;
}

/* Each letter is PART samples; the loudness is the speaker's number. */
const void *SherpaOnnxOfflineTtsGenerateWithCallbackWithArg(
    const void *, const char *, int32_t, float, audio_callback *, void *);
const void *
SherpaOnnxOfflineTtsGenerateWithCallbackWithArg(const void *tts, const char *said,
    int32_t speaker, float speed, audio_callback *take, void *arg)
{
	float part[PART];

	CHECK(tts == what && speed > 0);
	for (int i = 0; i < PART; i++)
		part[i] = (float)speaker / 4;
	while (strcmp(what, "hang") == 0)
		sleep(1000);
	if (strcmp(what, "begin") == 0)
		part[0] = 1;
	for (size_t n = strlen(said); n > 0; n -= strcmp(what, "endless") != 0) {
		if (take(part, PART, arg) == 0)
			break;
		part[0] = part[1];
	}
	return NULL;
}

void SherpaOnnxDestroyOfflineTtsGeneratedAudio(const void *);
void
SherpaOnnxDestroyOfflineTtsGeneratedAudio(const void *audio)
{
	CHECK(audio == NULL && "it was handed none");
}

/* ---- of whisper.cpp only the version is asked for, which is unknown ---- */

const char *whisper_version(void);
const char *
whisper_version(void)
{
	return "0.9.1";
}

/* clang-format off */
#define NEVER(name) void name(void); void name(void) { abort(); }
/* clang-format on */
NEVER(whisper_init_from_file_no_state)
NEVER(whisper_init_state)
NEVER(whisper_is_multilingual)
NEVER(whisper_lang_id)
NEVER(whisper_lang_str)
NEVER(whisper_full_default_params)
NEVER(whisper_full_with_state)
NEVER(whisper_full_n_segments_from_state)
NEVER(whisper_full_get_segment_text_from_state)
