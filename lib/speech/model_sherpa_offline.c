/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The struct is the beginning of the library's SherpaOnnxOfflineRecognizerConfig, which
 * is the same from 1.13.0 to 2.0.1.
 */
#include "speech/model_sherpa_offline.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define VERSIONS "1.13. 2.0."
#define RATE_HZ 16000
#define PHRASE (32 * RATE_HZ) /* most samples of a phrase */
#define REST 2048             /* bytes of later members, more than in any version */
#define CODE_BYTES 16

struct offline_config {
	int32_t rate_hz, features;
	struct {
		const char *encoder, *decoder, *joiner;
	} transducer;
	const char *paraformer, *nemo_ctc;
	struct {
		const char *encoder, *decoder, *language, *task;
		int32_t tail_paddings, token_timestamps, segment_timestamps;
	} whisper;
	const char *tdnn, *tokens;
	int32_t threads, debug;
	const char *provider, *model_type, *modeling_unit, *bpe_vocab, *telespeech;
	struct {
		const char *model, *language;
		int32_t use_itn;
	} sense_voice;
	struct {
		const char *preprocessor, *encoder, *uncached_decoder, *cached_decoder,
		    *merged_decoder;
	} moonshine;
	const char *fire_red[2], *dolphin, *zipformer_ctc;
	struct {
		const char *encoder, *decoder, *source, *target;
		int32_t punctuation;
	} canary;
	char rest[REST];
};

struct offline_result {
	const char *text;
};

static struct {
	const char *(*version)(void);
	const void *(*create)(const struct offline_config *);
	void (*configure)(const void *recognizer, const struct offline_config *);
	const void *(*create_stream)(const void *recognizer);
	void (*destroy_stream)(const void *);
	void (*accept)(const void *stream, int32_t rate_hz, const float *, int32_t n);
	void (*decode)(const void *recognizer, const void *stream);
	const struct offline_result *(*result)(const void *stream);
	void (*destroy_result)(const struct offline_result *);
} api;

static const void *recognizer;
static struct offline_config config;
static char language[CODE_BYTES] = "en"; /* the language of the last phrase */
static float phrase[PHRASE];
static size_t n_phrase;

/* ---- the family of a model ---- */

#define FILE_OF(...) model_file(mem, want, (const char *const[]){ __VA_ARGS__, NULL })

/* True if the folder's name matches: two families have files of the same names. */
static bool
is_named(const struct model_want *want, const char *pattern)
{
	const char *name = strrchr(want->model, '/');

	return fnmatch(pattern, name != NULL ? name + 1 : want->model, FNM_CASEFOLD) ==
	       0;
}

static bool
find_moonshine(
    struct arena *mem, const struct model_want *want, struct offline_config *c)
{
	c->moonshine.preprocessor = FILE_OF("preprocess*.onnx");
	c->moonshine.merged_decoder = FILE_OF("decoder_model_merged*.ort");
	if (c->moonshine.merged_decoder != NULL) {
		c->moonshine.encoder = FILE_OF("encoder_model*.ort");
		return c->moonshine.encoder != NULL;
	}
	c->moonshine.encoder = FILE_OF("encode.int8.onnx", "encode*.onnx");
	c->moonshine.uncached_decoder =
	    FILE_OF("uncached_decode.int8.onnx", "uncached_decode*.onnx");
	c->moonshine.cached_decoder =
	    FILE_OF("cached_decode.int8.onnx", "cached_decode*.onnx");
	return c->moonshine.preprocessor != NULL && c->moonshine.encoder != NULL &&
	       c->moonshine.uncached_decoder != NULL &&
	       c->moonshine.cached_decoder != NULL;
}

/* The families with an encoder and a decoder. */
static bool
find_pair(struct arena *mem, const struct model_want *want, struct offline_config *c)
{
	const char *encoder = FILE_OF("*encoder*.int8.onnx", "*encoder*.onnx");
	const char *decoder = FILE_OF("*decoder*.int8.onnx", "*decoder*.onnx");
	const char *joiner = FILE_OF("*joiner*.int8.onnx", "*joiner*.onnx");

	if (encoder == NULL || decoder == NULL)
		return false;
	if (joiner != NULL && is_named(want, "*parakeet*")) {
		c->transducer.encoder = encoder;
		c->transducer.decoder = decoder;
		c->transducer.joiner = joiner;
		c->model_type = "nemo_transducer";
	} else if (joiner == NULL && is_named(want, "*canary*")) {
		c->canary.encoder = encoder;
		c->canary.decoder = decoder;
		c->canary.source = c->canary.target = language;
		c->canary.punctuation = 1;
	} else if (joiner == NULL &&
		   (is_named(want, "*whisper*") || FILE_OF("*-tokens.txt") != NULL)) {
		c->whisper.encoder = encoder;
		c->whisper.decoder = decoder;
		c->whisper.language = language;
		c->whisper.task = "transcribe";
	} else
		return false;
	return true;
}

static bool
find_sense_voice(
    struct arena *mem, const struct model_want *want, struct offline_config *c)
{
	c->sense_voice.model = FILE_OF("*.int8.onnx", "*.onnx");
	c->sense_voice.language = language;
	c->sense_voice.use_itn = 1; /* with punctuation */
	return c->sense_voice.model != NULL && (is_named(want, "*sense*voice*"));
}

/* Set the files of the first family that the folder has. */
static bool
find_family(struct arena *mem, const struct model_want *want)
{
	static bool (*const find[])(struct arena *, const struct model_want *,
	    struct offline_config *) = { find_moonshine, find_pair, find_sense_voice };

	for (size_t i = 0; i < sizeof(find) / sizeof(find[0]); i++) {
		config = (struct offline_config){ .tokens = FILE_OF("*tokens.txt"),
			.threads = want->threads };
		if (config.tokens != NULL && find[i](mem, want, &config))
			return true;
	}
	return false;
}

/* ---- recognition ---- */

bool
sherpa_offline_load(struct arena *mem, const struct model_want *want)
{
	/* clang-format off */
	static const struct model_symbol symbols[] = {
		{ "SherpaOnnxGetVersionStr",                 &api.version },
		{ "SherpaOnnxCreateOfflineRecognizer",       &api.create },
		{ "SherpaOnnxOfflineRecognizerSetConfig",    &api.configure },
		{ "SherpaOnnxCreateOfflineStream",           &api.create_stream },
		{ "SherpaOnnxDestroyOfflineStream",          &api.destroy_stream },
		{ "SherpaOnnxAcceptWaveformOffline",         &api.accept },
		{ "SherpaOnnxDecodeOfflineStream",           &api.decode },
		{ "SherpaOnnxGetOfflineStreamResult",        &api.result },
		{ "SherpaOnnxDestroyOfflineRecognizerResult", &api.destroy_result },
		{ NULL, NULL }
	};
	/* clang-format on */

	if (!find_family(mem, want))
		return false;
	model_load(want->library, symbols);
	model_check_version(api.version(), VERSIONS);
	if ((recognizer = api.create(&config)) == NULL)
		model_fault("%s cannot be loaded", want->model);
	return true;
}

const char *
sherpa_offline_feed(const float *s, size_t n)
{
	size_t room = PHRASE - n_phrase;

	n = n < room ? n : room;
	memcpy(phrase + n_phrase, s, n * sizeof(*s));
	n_phrase += n;
	return NULL;
}

/* The language is a part of the configuration. */
static void
set_language(const char *code)
{
	if (strcmp(code, "auto") == 0 || strcmp(code, language) == 0)
		return;
	snprintf(language, sizeof(language), "%s", code);
	if (config.whisper.language != NULL || config.sense_voice.language != NULL ||
	    config.canary.source != NULL)
		api.configure(recognizer, &config);
}

const char *
sherpa_offline_finish(struct arena *mem, const struct model_end *end)
{
	const struct offline_result *r;
	const void *stream;
	const char *text = "";

	set_language(end->lang);
	if ((stream = api.create_stream(recognizer)) == NULL)
		model_fault("no stream");
	api.accept(stream, RATE_HZ, phrase, (int32_t)n_phrase);
	api.decode(recognizer, stream);
	if ((r = api.result(stream)) != NULL) {
		text = arena_str(mem, r->text != NULL ? r->text : "");
		api.destroy_result(r);
	}
	api.destroy_stream(stream);
	n_phrase = 0;
	return text;
}

void
sherpa_offline_drop(void)
{
	n_phrase = 0;
}
