/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sherpa-onnx, https://github.com/k2-fsa/sherpa-onnx. Declares the functions of its C
 * API that are needed, and the beginnings of its structs, which have been the same
 * since 1.10, or 1.13 for hot words. Later members are zero, which selects the
 * library's defaults.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "speech/model_library.h"
#include "speech/model_sherpa_offline.h"

#define VERSIONS "1.12. 1.13. 2.0."
#define SPEAKING "1.12. 1.13." /* later ones take phonemes, not texts */
#define HOT_WORDS "1.13. 2.0." /* versions with the same struct for them */
#define HOT_SCORE 1.5F         /* the library's default bonus of a token */
#define PATHS 4                /* and its number of texts in a beam search */
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SMALL "abcdefghijklmnopqrstuvwxyz"
#define TERMS 1024 /* bytes of the hot words of a phrase */
#define RATE_HZ 16000
/* samples of silence to append, as a network looks ahead */
#define TAIL (RATE_HZ * 2 / 3)
#define REST 2048 /* bytes of later members, more than in any version */

struct online_config {
	int32_t rate_hz, features;
	const char *encoder, *decoder, *joiner;
	const char *paraformer_encoder, *paraformer_decoder;
	const char *zipformer2_ctc;
	const char *tokens;
	int32_t threads;
	const char *provider;
	int32_t debug;
	const char *model_type, *modeling_unit, *bpe_vocab, *tokens_text;
	int32_t tokens_bytes;
	const char *nemo_ctc, *t_one_ctc;
	const char *method;
	int32_t paths, endpoints;
	float endpoint_rules_s[3];
	const char *hot_words_file;
	float hot_score;
	char rest[REST];
};

struct online_result {
	const char *text;
};

struct tts_config {
	struct {
		const char *model, *lexicon, *tokens, *data_dir;
		float noise_scale, noise_scale_w, length_scale;
		const char *dict_dir;
	} vits;
	int32_t threads, debug;
	const char *provider;
	struct {
		const char *acoustic_model, *vocoder, *lexicon, *tokens, *data_dir;
		float noise_scale, length_scale;
		const char *dict_dir;
	} matcha;
	struct {
		const char *model, *voices, *tokens, *data_dir;
		float length_scale;
		const char *dict_dir, *lexicon, *lang;
	} kokoro;
	char rest[REST];
};

/* Returns 0 to stop. */
typedef int32_t audio_callback(const float *, int32_t n, void *);

static struct {
	const char *(*version)(void);
	const void *(*create_recognizer)(const struct online_config *);
	const void *(*create_stream)(const void *recognizer);
	/* terms: separated by slashes */
	const void *(*create_hot_stream)(const void *recognizer, const char *terms);
	void (*destroy_stream)(const void *);
	void (*accept)(const void *stream, int32_t rate_hz, const float *, int32_t n);
	int32_t (*is_ready)(const void *recognizer, const void *stream);
	void (*decode)(const void *recognizer, const void *stream);
	const struct online_result *(*result)(
	    const void *recognizer, const void *stream);
	void (*destroy_result)(const struct online_result *);
	void (*end_input)(const void *stream);
	const void *(*create_tts)(const struct tts_config *);
	int32_t (*tts_rate)(const void *);
	int32_t (*tts_speakers)(const void *);
	const void *(*generate)(const void *, const char *text, int32_t speaker,
	    float speed, audio_callback *, void *);
	void (*destroy_audio)(const void *);
} api;

static bool is_offline; /* the model recognizes a phrase after its end */
static const void *recognizer, *stream, *tts;
static struct buf heard; /* the phrase so far */
/* true if the model can prefer hot words, and how its tokens write letters */
static bool has_hot_words, is_capital, is_small;
static char terms[TERMS]; /* hot words of the phrase, as the library takes them */

/* clang-format off */
static const struct model_symbol recognizing[] = {
		{ "SherpaOnnxGetVersionStr",                 &api.version },
		{ "SherpaOnnxCreateOnlineRecognizer",        &api.create_recognizer },
		{ "SherpaOnnxCreateOnlineStream",            &api.create_stream },
		{ "SherpaOnnxCreateOnlineStreamWithHotwords", &api.create_hot_stream },
		{ "SherpaOnnxDestroyOnlineStream",           &api.destroy_stream },
		{ "SherpaOnnxOnlineStreamAcceptWaveform",    &api.accept },
		{ "SherpaOnnxIsOnlineStreamReady",           &api.is_ready },
		{ "SherpaOnnxDecodeOnlineStream",            &api.decode },
		{ "SherpaOnnxGetOnlineStreamResult",         &api.result },
		{ "SherpaOnnxDestroyOnlineRecognizerResult", &api.destroy_result },
		{ "SherpaOnnxOnlineStreamInputFinished",     &api.end_input },
		{ NULL, NULL }
};

static const struct model_symbol speaking[] = {
		{ "SherpaOnnxGetVersionStr",                 &api.version },
		{ "SherpaOnnxCreateOfflineTts",              &api.create_tts },
		{ "SherpaOnnxOfflineTtsSampleRate",          &api.tts_rate },
		{ "SherpaOnnxOfflineTtsNumSpeakers",         &api.tts_speakers },
		{ "SherpaOnnxOfflineTtsGenerateWithCallbackWithArg", &api.generate },
		{ "SherpaOnnxDestroyOfflineTtsGeneratedAudio", &api.destroy_audio },
		{ NULL, NULL }
};
/* clang-format on */

static void
load(const struct model_want *want, const struct model_symbol *symbols,
    const char *versions)
{
	model_load(want->library, symbols);
	model_check_version(api.version(), versions);
}

#define FILE_OF(...) model_file(mem, want, (const char *const[]){ __VA_ARGS__, NULL })

/* ---- recognition ---- */

/*
 * Learn how the tokens of the model write letters. Marks such as <blk> are no tokens of
 * a text.
 */
static void
read_tokens(const char *file)
{
	char line[256];
	FILE *f = fopen(file, "r");
	bool capital = false, small = false;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		capital |= *line != '<' && strpbrk(line, CAPITALS) != NULL;
		small |= *line != '<' && strpbrk(line, SMALL) != NULL;
	}
	if (f != NULL)
		fclose(f);
	is_capital = capital && !small;
	is_small = small && !capital;
}

/*
 * A transducer prefers hot words in a beam search, if its folder has the vocabulary
 * that divides words into tokens.
 */
static void
prepare_hot_words(
    struct arena *mem, const struct model_want *want, struct online_config *c)
{
	c->bpe_vocab = FILE_OF("bpe.vocab", "*bpe*.vocab");
	has_hot_words = c->joiner != NULL && c->bpe_vocab != NULL &&
			model_is_version(api.version(), HOT_WORDS);
	if (!has_hot_words) {
		c->bpe_vocab = NULL;
		return;
	}
	c->modeling_unit = "bpe";
	c->method = "modified_beam_search";
	c->paths = PATHS;
	c->hot_score = HOT_SCORE;
	read_tokens(c->tokens);
}

/* "Ann Lee, A/B" -> "ANN LEE/A B", or in small letters as the tokens are. */
static void
hint(const char *text)
{
	size_t n = 0;

	for (; has_hot_words && *text != '\0' && n + 1 < sizeof(terms); text++) {
		char c = *text;

		if (c == ',' && text[1] == ' ') {
			terms[n++] = '/';
			text++;
		} else if (c == '/')
			terms[n++] = ' ';
		else if (is_capital && c >= 'a' && c <= 'z')
			terms[n++] = (char)(c - 'a' + 'A');
		else if (is_small && c >= 'A' && c <= 'Z')
			terms[n++] = (char)(c - 'A' + 'a');
		else
			terms[n++] = c;
	}
	terms[n] = '\0';
}

static void
recognize(struct arena *mem, const struct model_want *want)
{
	const char *encoder = FILE_OF("*encoder*.int8.onnx", "*encoder*.onnx");
	const char *decoder = FILE_OF("*decoder*.int8.onnx", "*decoder*.onnx");
	struct online_config c = { .joiner =
				       FILE_OF("*joiner*.int8.onnx", "*joiner*.onnx"),
		.tokens = FILE_OF("*tokens.txt"),
		.threads = want->threads };

	if ((is_offline = sherpa_offline_load(mem, want)))
		return;
	if (c.joiner != NULL) {
		c.encoder = encoder;
		c.decoder = decoder;
	} else if (encoder != NULL) {
		c.paraformer_encoder = encoder;
		c.paraformer_decoder = decoder;
	} else
		c.zipformer2_ctc = FILE_OF("*.int8.onnx", "*.onnx");
	if ((encoder != NULL) != (decoder != NULL) || c.tokens == NULL ||
	    (encoder == NULL && c.zipformer2_ctc == NULL))
		model_fault("%s has no model: encoder*.onnx, decoder*.onnx,"
			    " joiner*.onnx, tokens.txt",
		    want->model);
	load(want, recognizing, VERSIONS);
	prepare_hot_words(mem, want, &c);
	if ((recognizer = api.create_recognizer(&c)) == NULL)
		model_fault("%s cannot be loaded", want->model);
	heard.mem = mem;
}

/* Decode the frames that are ready; returns the text so far. */
static const char *
decode(void)
{
	const struct online_result *r;

	while (api.is_ready(recognizer, stream))
		api.decode(recognizer, stream);
	heard.len = 0;
	if ((r = api.result(recognizer, stream)) != NULL) {
		buf_str(&heard, r->text != NULL ? r->text : "");
		api.destroy_result(r);
	}
	return buf_text(&heard);
}

static const char *
feed(const float *s, size_t n)
{
	if (is_offline)
		return sherpa_offline_feed(s, n);
	if (stream == NULL)
		stream = terms[0] != '\0' ? api.create_hot_stream(recognizer, terms)
					  : api.create_stream(recognizer);
	if (stream == NULL)
		model_fault("no stream");
	api.accept(stream, RATE_HZ, s, (int32_t)n);
	return decode();
}

static void
drop(void)
{
	sherpa_offline_drop();
	if (stream != NULL)
		api.destroy_stream(stream);
	stream = NULL;
	terms[0] = '\0';
}

static const char *
finish(struct arena *mem, const struct model_end *end, struct model_final *to)
{
	static const float silence[TAIL];
	const char *text;

	(void)to;
	if (is_offline)
		return sherpa_offline_finish(mem, end);
	feed(silence, TAIL);
	api.end_input(stream);
	text = decode();
	drop();
	return text;
}

/* ---- speech ---- */

/* Choose the files in a model's folder. They show its family: Kokoro has voices. */
static void
choose_files(struct arena *mem, const struct model_want *want, struct tts_config *c)
{
	const char *model = FILE_OF("*.int8.onnx", "*.onnx");
	const char *voices = FILE_OF("voices.bin"), *tokens = FILE_OF("tokens.txt");
	const char *data = FILE_OF("espeak-ng-data"),
		   *lexicon = FILE_OF("lexicon*.txt");

	if (model == NULL || tokens == NULL)
		model_fault("%s has no model: *.onnx, tokens.txt", want->model);
	if (voices != NULL) {
		c->kokoro.model = model;
		c->kokoro.voices = voices;
		c->kokoro.tokens = tokens;
		c->kokoro.data_dir = data;
		c->kokoro.lexicon = lexicon;
		return;
	}
	c->vits.model = model;
	c->vits.tokens = tokens;
	c->vits.data_dir = data;
	c->vits.lexicon = data != NULL ? NULL : lexicon;
}

static void
speak(struct arena *mem, const struct model_want *want)
{
	struct tts_config c = { .threads = want->threads };

	choose_files(mem, want, &c);
	load(want, speaking, SPEAKING);
	if ((tts = api.create_tts(&c)) == NULL)
		model_fault("%s cannot be loaded", want->model);
}

struct listener {
	model_sink *sink;
	void *arg;
	int rate_hz;
};

static int32_t
receive_audio(const float *s, int32_t n, void *arg)
{
	const struct listener *to = arg;

	return n <= 0 || to->sink(to->arg, s, (size_t)n, to->rate_hz);
}

static void
synthesize(const char *text, float rate, int speaker, model_sink *sink, void *arg)
{
	struct listener to = { sink, arg, api.tts_rate(tts) };
	int speakers = api.tts_speakers(tts);
	const void *audio;

	if (speaker < 0 || speaker >= speakers)
		speaker = 0;
	audio = api.generate(tts, text, speaker, rate, receive_audio, &to);
	if (audio != NULL)
		api.destroy_audio(audio);
}

const struct model_library model_sherpa = { .name = "sherpa",
	.recognize = recognize,
	.hint = hint,
	.feed = feed,
	.finish = finish,
	.drop = drop,
	.speak = speak,
	.synthesize = synthesize };
