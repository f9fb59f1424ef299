/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the similarity of a cloned voice to its speaker. The voice is made from one
 * half of a speaker's recordings and compared with the other half, after each step of
 * the shaping, so that the effect of each step is seen.
 *
 *	resemble PROGRAM LANG TEXT SAMPLE REST [SOUND]
 *
 * PROGRAM is dragoman-speech; TEXT a file in LANG to be spoken; SAMPLE and REST are
 * signed 16-bit mono at 22050 Hz; SOUND.N receives what was said at step N and
 * SOUND.profile the voice. One line of tab-separated figures for each step:
 *
 *	STEP  F0 off, semitones  formant scale, ratio  LTAS off, dB  MFCC off
 *	rate, ratio
 *
 *	resemble wer SAID HEARD
 *
 * The two files' lines are one utterance each; answers errors and words.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "speech/engine.h"
#include "speech/utterance.h"
#include "speech/voice_analysis.h"
#include "tests/words.h"

#define MFCC_RATE_HZ 16000
#define MFCC_FRAME 400
#define MFCC_STEP 400
#define MFCC_DFT 512
#define MELS 26
#define CEPSTRA 12

static struct arena *mem;

static struct buf
read_file(const char *path)
{
	struct buf b = { .mem = mem };
	FILE *f = fopen(path, "rb");
	char part[65536];
	size_t n;

	if (f == NULL) {
		perror(path);
		exit(1);
	}
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_put(&b, part, n);
	fclose(f);
	return b;
}

static struct pcm
read_sound(const char *path)
{
	struct buf b = read_file(path);
	struct pcm pcm = { .n = b.len / 2, .rate_hz = UTTERANCE_RATE_HZ };

	pcm.s = arena_alloc(mem, (pcm.n + 1) * sizeof(*pcm.s));
	for (size_t i = 0; i < pcm.n; i++) {
		int16_t v;

		memcpy(&v, b.p + i * sizeof(v), sizeof(v));
		pcm.s[i] = (float)v / 32768;
	}
	return pcm;
}

static void
write_sound(const char *path, int step, const struct pcm *pcm)
{
	FILE *f = fopen(arena_printf(mem, "%s.%d", path, step), "wb");

	for (size_t i = 0; f != NULL && i < pcm->n; i++) {
		int16_t v = (int16_t)lrintf(pcm->s[i] * 32767);

		fwrite(&v, sizeof(v), 1, f);
	}
	if (f == NULL || fclose(f) != 0) {
		perror(path);
		exit(1);
	}
}

static void
write_text(const char *path, const char *text)
{
	FILE *f =
	    path != NULL ? fopen(arena_printf(mem, "%s.profile", path), "w") : NULL;

	if (f != NULL) {
		fputs(text, f);
		fclose(f);
	}
}

static double
mel(double hz)
{
	return 2595 * log10(1 + hz / 700);
}

/* Power of a windowed frame at one line of the DFT. */
static double
line_power(const double *w, const double *turn, int line)
{
	double re = 0, im = 0;

	for (int i = 0; i < MFCC_FRAME; i++) {
		int at = line * i % MFCC_DFT;

		re += w[i] * turn[at];
		im += w[i] * turn[(at + MFCC_DFT / 4) % MFCC_DFT];
	}
	return re * re + im * im;
}

static void
powers(const float *s, double p[MFCC_DFT / 2])
{
	double turn[MFCC_DFT], w[MFCC_FRAME];

	for (int i = 0; i < MFCC_DFT; i++)
		turn[i] = cos(2 * M_PI * i / MFCC_DFT);
	for (int i = 0; i < MFCC_FRAME; i++)
		w[i] = s[i] * (0.54 - 0.46 * cos(2 * M_PI * i / (MFCC_FRAME - 1)));
	for (int k = 0; k < MFCC_DFT / 2; k++)
		p[k] = line_power(w, turn, k);
}

/* Log energies of triangular mel bands from 60 Hz to 7 kHz. */
static void
mel_bands(const float *s, double db[MELS])
{
	double low = mel(60), step = (mel(7000) - low) / (MELS + 1);
	double p[MFCC_DFT / 2];

	powers(s, p);
	for (int b = 0; b < MELS; b++)
		db[b] = 1e-9;
	for (int k = 0; k < MFCC_DFT / 2; k++) {
		double at = (mel((double)k * MFCC_RATE_HZ / MFCC_DFT) - low) / step;

		for (int b = 0; b < MELS; b++)
			db[b] += p[k] * fmax(0, 1 - fabs(at - (b + 1)));
	}
	for (int b = 0; b < MELS; b++)
		db[b] = log(db[b]);
}

/* Mean of the cepstral coefficients 1 to 12 (HTK's scaling) over speech. */
static void
mfcc_mean(const struct pcm *pcm, double mean[CEPSTRA])
{
	struct frames f = voice_analysis_frames(mem, pcm);
	struct pcm p = voice_analysis_resample(
	    mem, pcm, MFCC_RATE_HZ, (size_t)30 * MFCC_RATE_HZ); /* is enough */
	int n = 0;

	memset(mean, 0, CEPSTRA * sizeof(*mean));
	for (size_t at = 0; at + MFCC_FRAME < p.n; at += MFCC_STEP) {
		size_t i = at * MEASURE_RATE_HZ / MFCC_RATE_HZ / MEASURE_STEP;
		double db[MELS];

		if (i >= f.n || f.db[i] <= f.speech_db)
			continue;
		mel_bands(p.s + at, db);
		for (int c = 0; c < CEPSTRA; c++)
			for (int b = 0; b < MELS; b++)
				mean[c] += sqrt(2.0 / MELS) * db[b] *
					   cos(M_PI * (c + 1) * (b + 0.5) / MELS);
		n++;
	}
	for (int c = 0; c < CEPSTRA; c++)
		mean[c] /= n > 0 ? n : 1;
}

struct voice {
	struct voice_profile p;
	double mfcc[CEPSTRA];
};

static struct voice
know(const struct pcm *pcm)
{
	struct voice v;

	if (voice_analysis_profile(mem, pcm, &v.p) != OK)
		exit(1);
	mfcc_mean(pcm, v.mfcc);
	return v;
}

/* Root mean square over the bands that both have, after their levels are made equal. */
static double
ltas_off(const struct voice_profile *a, const struct voice_profile *b)
{
	double mean = 0, sum = 0;
	int n = 0;

	for (int i = 0; i < PROFILE_BANDS; i++)
		if (isfinite(a->ltas_db[i] - b->ltas_db[i])) {
			mean += a->ltas_db[i] - b->ltas_db[i];
			n++;
		}
	mean /= n;
	for (int i = 0; i < PROFILE_BANDS; i++)
		if (isfinite(a->ltas_db[i] - b->ltas_db[i]))
			sum += pow(a->ltas_db[i] - b->ltas_db[i] - mean, 2);
	return sqrt(sum / n);
}

static void
compare(const char *step, const struct voice *a, const struct voice *b)
{
	double mfcc = 0;

	for (int c = 0; c < CEPSTRA; c++)
		mfcc += pow(a->mfcc[c] - b->mfcc[c], 2);
	printf("%s\t%.2f\t%.3f\t%.1f\t%.2f\t%.2f\n", step,
	    12 * log2(a->p.f0_hz / b->p.f0_hz), a->p.formant_scale / b->p.formant_scale,
	    ltas_off(&a->p, &b->p), sqrt(mfcc), a->p.syllables_s / b->p.syllables_s);
}

/* The voice after some steps of the shaping. An unknown variant: no shaping. */
static const char *
up_to(const struct voice_profile *whole, int step)
{
	struct voice_profile p = *whole, none = voice_profile_none();

	if (step < 2)
		p.f0_hz = NAN;
	if (step < 3)
		p.formant_scale = NAN;
	if (step < 4)
		p.syllables_s = NAN;
	if (step < 5)
		memcpy(p.eq_db, none.eq_db, sizeof(p.eq_db));
	return step == 0 ? "{\"variant\":\"none\"}" : voice_profile_write(mem, &p);
}

static void
resemble(char **argv)
{
	static const char *const steps[] = { "eSpeak NG's own", "softer", "+ pitch",
		"+ formants", "+ rate", "+ spectrum" };
	const struct engine_at at = { .bin_dir = argv[1], .timeout_ms = 60000 };
	struct clone_sample sample = {
		.name = "x", .ref = "x", .lang = argv[2], .pcm = read_sound(argv[4])
	};
	struct pcm rest = read_sound(argv[5]), said;
	struct voice human = know(&rest), machine = know(&sample.pcm);
	struct tts_text t = { .lang = argv[2] };
	struct voice_profile whole;
	struct buf text = read_file(argv[3]);

	t.text = buf_text(&text);
	if (clone_profile.clone(&at, mem, &sample, &t.voice) != OK ||
	    voice_profile_read(mem, t.voice, &whole) != OK)
		exit(1);
	write_text(argv[6], t.voice);
	compare("the speaker again", &machine, &human);
	for (int i = 0; i < 6; i++) {
		t.voice = up_to(&whole, i);
		if (tts_sample(&tts_espeak, &at, mem, &t, &said) != OK)
			exit(1);
		machine = know(&said);
		compare(steps[i], &machine, &human);
		if (argv[6] != NULL)
			write_sound(argv[6], i, &said);
	}
}

static void
compare_files(char **argv)
{
	FILE *said = fopen(argv[2], "r"), *heard = fopen(argv[3], "r");
	char a[4096], b[4096];
	int wrong = 0, words = 0;

	if (said == NULL || heard == NULL)
		exit(1);
	while (fgets(a, sizeof(a), said) != NULL) {
		if (fgets(b, sizeof(b), heard) == NULL)
			b[0] = '\0';
		wrong += word_errors(a, b, &words);
	}
	printf("%d\t%d\n", wrong, words);
	fclose(said);
	fclose(heard);
}

int
main(int argc, char **argv)
{
	mem = arena_new();
	if (argc == 4 && strcmp(argv[1], "wer") == 0)
		compare_files(argv);
	else if (argc == 6 || argc == 7)
		resemble(argv);
	else
		return 2;
	arena_free(mem);
	return 0;
}
