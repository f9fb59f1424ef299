/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recordings that speech is measured with, of people in Debian's packages and of
 * noise made here, the same each time:
 *
 *	speech-sounds DIRECTORY
 *
 * NAME.s16 (raw PCM, signed 16-bit, 16 kHz, mono) and NAME.txt, what is said in it:
 *
 *	clean     prompts with a second and a half between them
 *	endless   the same without a pause
 *	music     clean over music, 20 dB below
 *	phone     clean at 8 kHz, 300 to 3,400 Hz, 8 bits
 *	noisy     clean over white noise, 10 dB below
 *	far       clean by a microphone at the other end of a room that rings for 0.6 s
 *	second    clean, and another speaker 10 dB below
 *	office    ten minutes of a room without speech: clicks, coughs, paper, hum,
 *	          chairs, and talk behind a wall
 *	tune, applause, silence   ten minutes of nothing else
 *	italian, spanish, french  two minutes of another language, half a second between
 *	          prompts
 */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/asr_prompts.h"

#define HZ 16000
#define PAUSE (HZ * 3 / 2)
#define FRAME (HZ / 50)
#define OFFICE_S 600
#define FOREIGN_S 120
#define ECHO_S 0.6 /* seconds until the reverberation has fallen by 60 dB */

struct track {
	float *s;
	size_t n;
};

static struct arena *mem;

/* ---- numbers ---- */

static uint32_t state = 1;

/* 0 to 1 */
static double
draw(void)
{
	state = state * 1664525 + 1013904223;
	return state / 4294967296.0;
}

static double
between(double a, double b)
{
	return a + (b - a) * draw();
}

static double
gain(double db)
{
	return pow(10, db / 20);
}

static double
noise(void)
{
	return draw() + draw() + draw() + draw() - 2;
}

/* ---- tracks ---- */

static struct track
track(size_t n)
{
	return (struct track){ arena_alloc(mem, (n + 1) * sizeof(float)), n };
}

static void
append(struct track *t, const float *s, size_t n)
{
	memcpy(t->s + t->n, s, n * sizeof(*s));
	t->n += n;
}

static double
level(const float *s, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)s[i] * s[i];
	return 10 * log10(sum / (double)n + 1e-12);
}

/* Level of the frames that are not silent. */
static double
loudness(const struct track *t)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i + FRAME <= t->n; i += FRAME) {
		double db = level(t->s + i, FRAME);

		if (db < -45)
			continue;
		sum += pow(10, db / 10);
		n++;
	}
	return n > 0 ? 10 * log10(sum / (double)n) : -100;
}

static struct track
recording(const char *file)
{
	const char *const argv[] = { "/usr/bin/ffmpeg", "-nostdin", "-v", "error", "-i",
		file, "-ar", "16000", "-ac", "1", "-f", "s16le", "-", NULL };
	const struct child c = { .argv = argv,
		.timeout_ms = 60000,
		.memory_bytes = (size_t)2 << 30,
		.out_bytes = 4 << 20 };
	struct child_end end;
	const int16_t *s;
	struct track t;

	if (child_run(&c, mem, &end) != OK || end.status != 0) {
		fprintf(stderr, "speech-sounds: %s is not installed\n", file);
		exit(EXIT_FAILURE);
	}
	s = (const int16_t *)(const void *)end.out;
	t = track(end.out_len / sizeof(*s));
	for (size_t i = 0; i < t.n; i++)
		t.s[i] = s[i] / 32768.0F;
	return t;
}

/* Append loud frames, and up to five soft frames between them. */
static void
append_speech(struct track *to, const struct track *t)
{
	double top = -100;
	size_t soft = 0, from = to->n;

	for (size_t i = 0; i + FRAME <= t->n; i += FRAME)
		top = fmax(top, level(t->s + i, FRAME));
	for (size_t i = 0; i + FRAME <= t->n; i += FRAME) {
		bool loud = level(t->s + i, FRAME) > top - 32;

		soft = loud ? 0 : soft + 1;
		if (loud || (to->n > from && soft <= 5))
			append(to, t->s + i, FRAME);
	}
}

static void
save(const char *dir, const char *name, const struct track *t, const char *said)
{
	FILE *f = fopen(arena_printf(mem, "%s/%s.s16", dir, name), "wb");

	for (size_t i = 0; i < t->n; i++) {
		double x = fmax(-1, fmin(1, t->s[i]));
		int16_t s = (int16_t)lrint(32767 * x);

		fwrite(&s, sizeof(s), 1, f);
	}
	fclose(f);
	f = fopen(arena_printf(mem, "%s/%s.txt", dir, name), "w");
	fputs(said, f);
	fclose(f);
}

/* ---- noises ---- */

static void
add_ring(struct track *t, double at_s, double s, double hz, double db, int partials)
{
	size_t from = (size_t)(at_s * HZ), n = (size_t)(s * HZ);

	for (size_t i = 0; i < n && from + i < t->n; i++) {
		double x = (double)i / HZ, y = 0;

		for (int k = 1; k <= partials; k++)
			y += sin(2 * M_PI * hz * k * x) / k * exp(-x * k);
		t->s[from + i] += (float)(gain(db) * y * fmin(1, (s - x) * 20));
	}
}

/*
 * Add noise in a band around hz that swells and fades; rough: interruptions per second.
 */
static void
add_burst(struct track *t, double at_s, double s, double hz, double db, double rough)
{
	size_t from = (size_t)(at_s * HZ), n = (size_t)(s * HZ);
	double r = 0.97, c = 2 * r * cos(2 * M_PI * hz / HZ), y1 = 0, y2 = 0, jolt = 1;

	for (size_t i = 0; i < n && from + i < t->n; i++) {
		double y = noise() * (1 - r) * 4 + c * y1 - r * r * y2;

		y2 = y1;
		y1 = y;
		if (draw() < rough / HZ)
			jolt = between(0.1, 1.5);
		t->s[from + i] +=
		    (float)(gain(db) * y * jolt * sin(M_PI * (double)i / (double)n));
	}
}

static void
add_squeak(struct track *t, double at_s, double s, double hz, double db)
{
	size_t from = (size_t)(at_s * HZ), n = (size_t)(s * HZ);
	double phase = 0;

	for (size_t i = 0; i < n && from + i < t->n; i++) {
		double x = (double)i / (double)n;

		phase += 2 * M_PI * hz * (1 + 0.4 * sin(7 * x)) / HZ;
		t->s[from + i] +=
		    (float)(gain(db) * sin(M_PI * x) *
			    (sin(phase) + sin(2 * phase) / 2 + sin(3 * phase) / 3));
	}
}

/* Add speech as heard through a wall: without frequencies above 600 Hz. */
static void
add_talk(struct track *t, double at_s, const struct track *talk, double db)
{
	size_t from = (size_t)(at_s * HZ);
	double y = 0, z = 0, loud = loudness(talk);

	for (size_t i = 0; i < talk->n && from + i < t->n; i++) {
		y += 0.2 * (talk->s[i] - y);
		z += 0.2 * (y - z);
		t->s[from + i] += (float)(z * gain(db - loud));
	}
}

static void
add_white(struct track *t, double db)
{
	for (size_t i = 0; i < t->n; i++)
		t->s[i] += (float)(gain(db) * noise() * 1.73);
}

static void
add_event(struct track *t, double at_s, const struct track talk[3])
{
	double kind = draw(), db = between(-38, -22);

	if (kind < 0.35) /* a key, a pen, a cup */
		for (int k = 0, n = 1 + (int)(draw() * 6); k < n; k++)
			add_burst(t, at_s + k * between(0.08, 0.25),
			    between(0.01, 0.05), between(1200, 5000), db, 0);
	else if (kind < 0.5) /* a cough: two bursts with the throat's resonance */
		for (int k = 0; k < 2; k++) {
			add_burst(t, at_s + k * 0.35, between(0.15, 0.3),
			    between(500, 1200), db + 8, 60);
			add_ring(
			    t, at_s + k * 0.35 + 0.05, 0.15, between(110, 220), db, 8);
		}
	else if (kind < 0.7) /* paper, a jacket */
		add_burst(t, at_s, between(0.4, 2), between(2000, 5000), db, 40);
	else if (kind < 0.8) /* a chair, a door */
		add_squeak(t, at_s, between(0.2, 0.7), between(250, 700), db - 4);
	else if (kind < 0.9) /* a telephone, a machine */
		add_ring(t, at_s, between(0.5, 3), between(300, 900), db - 6, 3);
	else
		add_talk(t, at_s, &talk[(int)(draw() * 3)], between(-52, -42));
}

static void
make_office(const char *dir)
{
	const struct track talk[] = {
		recording("/usr/share/asterisk/sounds/es_MX_f_Allison/vm-intro.wav"),
		recording("/usr/share/asterisk/sounds/fr_CA_f_June/vm-intro.wav"),
		recording("/usr/share/asterisk/sounds/it_IT_m_Carlo/vm-intro.wav"),
	};
	struct track t = track((size_t)OFFICE_S * HZ);

	for (double at = 2; at < OFFICE_S - 5; at += between(0.5, 6))
		add_event(&t, at, talk);
	/* a fan, and mains hum that comes and goes */
	add_white(&t, -62);
	for (double at = 20; at < OFFICE_S; at += 90)
		for (size_t i = 0; i < (size_t)30 * HZ; i++)
			if ((size_t)(at * HZ) + i < t.n)
				for (int k = 1; k <= 6; k++)
					t.s[(size_t)(at * HZ) + i] +=
					    (float)(gain(-46) / k *
						    sin(2 * M_PI * 120 * k * (double)i /
							HZ));
	save(dir, "office", &t, "");
}

/* Add chords of plucked strings, two a second, and a melody. */
static void
add_music(struct track *t, double db)
{
	static const int chords[][3] = { { 0, 4, 7 }, { 5, 9, 12 }, { 7, 11, 14 },
		{ 9, 12, 16 } };
	struct track m = track(t->n);
	double more;

	for (double at = 0; at * HZ < (double)m.n; at += 0.5) {
		const int *chord = chords[(int)(at / 2) % 4];

		for (int k = 0; k < 3; k++)
			add_ring(&m, at, 1.2, 130.8 * pow(2, chord[k] / 12.0), -12, 6);
		add_ring(&m, at + (draw() < 0.5 ? 0.25 : 0), 0.6,
		    523.3 * pow(2, chord[(int)(draw() * 3)] / 12.0), -14, 4);
	}
	more = gain(db - level(m.s, m.n));
	for (size_t i = 0; i < t->n; i++)
		t->s[i] += (float)(m.s[i] * more);
}

/* A telephone: first-order filters on both sides, every second sample, 8 bits. */
static void
make_phone(struct track *t)
{
	double low = 0, lower = 0, high = 0;

	for (int pass = 0; pass < 3; pass++, low = lower = high = 0)
		for (size_t i = 0; i < t->n; i++) {
			low += 0.75 * (t->s[i] - low);
			high += 0.11 * (low - high);
			t->s[i] = (float)(low - high);
		}
	for (size_t i = 0; i + 1 < t->n; i += 2) {
		double x = t->s[i], mu = 255;
		double y = copysign(log1p(mu * fabs(x)) / log1p(mu), x);

		y = lrint(y * 127) / 127.0;
		x = copysign((pow(1 + mu, fabs(y)) - 1) / mu, y);
		t->s[i] = (float)x;
		lower = i + 2 < t->n ? t->s[i + 2] : x;
		t->s[i + 1] = (float)((x + lower) / 2);
	}
}

static void
make_applause(const char *dir)
{
	struct track t = track((size_t)OFFICE_S * HZ);

	add_white(&t, -65);
	for (double at = 3; at < OFFICE_S - 15; at += 15)
		for (double s = 0; s < 10; s += between(0, 0.01))
			add_burst(&t, at + s, 0.008, between(900, 2500),
			    -14 - 20 * fabs(s - 4) / 6, 0);
	save(dir, "applause", &t, "");
}

static void
make_quiet(const char *dir)
{
	struct track t = track((size_t)OFFICE_S * HZ), part = track((size_t)60 * HZ);

	add_white(&t, -75);
	save(dir, "silence", &t, "");
	add_music(&part, -22);
	for (size_t i = 0; i < t.n; i++)
		t.s[i] += part.s[i % part.n];
	save(dir, "tune", &t, "");
}

/* Append prompts of a package until the sound is long enough. */
static struct track
prompts_of(const char *folder)
{
	struct track t = track((size_t)FOREIGN_S * HZ), one;
	glob_t files;

	if (glob(arena_printf(mem, "/usr/share/asterisk/sounds/%s/*.wav", folder), 0,
		NULL, &files) != 0) {
		fprintf(stderr, "speech-sounds: %s is not installed\n", folder);
		exit(EXIT_FAILURE);
	}
	for (size_t n = t.n, i = t.n = 0; i < files.gl_pathc; i++) {
		one = recording(files.gl_pathv[i]);
		if (one.n < 2 * HZ || t.n + one.n + HZ / 2 > n)
			continue;
		append(&t, one.s, one.n);
		t.n += HZ;
		if (t.n + 3 * HZ > n)
			break;
	}
	globfree(&files);
	return t;
}

/* Add to the direct sound an echo 6 dB louder that fades, made from noise. */
static void
make_far(struct track *t, double db)
{
	uint32_t was = state; /* keeps the sets that are made later unchanged */
	size_t n = (size_t)(ECHO_S * HZ);
	double *room = arena_alloc(mem, n * sizeof(*room)), power = 0, loud;
	float *wet = arena_alloc(mem, (t->n + 1) * sizeof(*wet));

	for (size_t i = 0; i < n; i += 4) {
		room[i] = noise() * pow(10, -3.0 * (double)i / (double)n);
		power += room[i] * room[i];
	}
	for (size_t i = 0; i < t->n; i++) {
		double y = t->s[i];

		for (size_t k = 160; k < n && k <= i; k += 4)
			y += room[k] * t->s[i - k] * 2 / sqrt(power);
		wet[i] = (float)y;
	}
	memcpy(t->s, wet, t->n * sizeof(*wet));
	loud = gain(db - 12 - loudness(t));
	for (size_t i = 0; i < t->n; i++)
		t->s[i] *= (float)loud;
	add_white(t, db - 12 - 25);
	state = was;
}

static struct track
copy(const struct track *t)
{
	struct track to = track(t->n);

	memcpy(to.s, t->s, t->n * sizeof(*t->s));
	return to;
}

static void
add_second(struct track *t, double db)
{
	struct track other = prompts_of("it_IT_m_Carlo");
	double loud = gain(db - loudness(&other));

	for (size_t i = 0; i < t->n; i++)
		t->s[i] += (float)(other.s[i % other.n] * loud);
}

static void
make_talk(const char *dir)
{
	const size_t most = (size_t)300 * HZ;
	struct track clean = track(most), endless = track(most), t;
	struct buf said = { .mem = mem };
	const char *text;
	double db;

	clean.n = endless.n = HZ;
	for (size_t i = 0; i < sizeof(prompts) / sizeof(prompts[0]); i++) {
		t = recording(prompts[i].file);
		append(&clean, t.s, t.n);
		clean.n += PAUSE;
		append_speech(&endless, &t);
		buf_printf(&said, "%s\n", prompts[i].text);
	}
	endless.n += PAUSE;
	text = buf_text(&said);
	db = loudness(&clean);
	save(dir, "clean", &clean, text);
	save(dir, "endless", &endless, text);
	t = copy(&clean);
	add_music(&t, db - 20);
	save(dir, "music", &t, text);
	t = copy(&clean);
	add_white(&t, db - 10);
	save(dir, "noisy", &t, text);
	t = copy(&clean);
	make_phone(&t);
	save(dir, "phone", &t, text);
	t = copy(&clean);
	make_far(&t, db);
	save(dir, "far", &t, text);
	add_second(&clean, db - 10);
	save(dir, "second", &clean, text);
}

static void
make_foreign(const char *dir)
{
	static const char *const all[][2] = { { "italian", "it_IT_m_Carlo" },
		{ "spanish", "es_MX_f_Allison" }, { "french", "fr_CA_f_June" } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct track t = prompts_of(all[i][1]);

		save(dir, all[i][0], &t, "");
	}
}

int
main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: speech-sounds DIRECTORY\n");
		return 2;
	}
	mem = arena_new();
	mkdir(argv[1], 0755);
	make_talk(argv[1]);
	make_office(argv[1]);
	make_applause(argv[1]);
	make_quiet(argv[1]);
	make_foreign(argv[1]);
	return EXIT_SUCCESS;
}
