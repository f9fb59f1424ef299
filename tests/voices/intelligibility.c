/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures how well the default voices are understood. It prints a line `voice WER%`
 * for each, such as "espeak/default_low 38.1%".  An engine that is not installed is
 * left out.
 *
 *	make build/tests/intelligibility && build/tests/intelligibility [PROFILE ...]
 *
 * PROFILE: further voices of espeak, as lib/speech/voice_profile.h describes them.
 */
#include <libgen.h>
#include <unistd.h>

#include "tests/voices/intelligible.h"

#define ALL 1000 /* sentences */

static ps_decoder_t *recogniser;

static bool
try_one(const char *kind, const struct engine_at *at, const char *name,
    const struct tts_text *t)
{
	const struct tts_engine *en = engine_find(kind)->tts;
	struct intelligibility of;

	if (!tts_knows(en, at, t->lang))
		return true;
	if (!try_voice(recogniser, en, at, *t, ALL, &of)) {
		fprintf(stderr, "%s/%s: could not be tried\n", kind, name);
		return false;
	}
	printf("%s/%s %.1f%%\n", kind, name, wer_percent(of));
	fflush(stdout);
	return true;
}

int
main(int argc, char **argv)
{
	static const char *const kinds[] = { "flite", "espeak", NULL };
	struct arena *mem = arena_new();
	char self[1024] = "";
	struct engine_at at = { .id = "it", .timeout_ms = 20000 };
	bool ok = (recogniser = load_recogniser()) != NULL &&
		  readlink("/proc/self/exe", self, sizeof(self) - 1) > 0;

	at.bin_dir = arena_printf(mem, "%s/../bin", dirname(self));
	for (const char *const *kind = kinds; ok && *kind != NULL; kind++) {
		const struct tts_text low = { .lang = "en", .rate = 1 },
				      high = { .lang = "en", .high = true, .rate = 1 };

		ok = engine_find(*kind) == NULL ||
		     (try_one(*kind, &at, "default_low", &low) &&
			 try_one(*kind, &at, "default_high", &high));
	}
	for (int i = 1; ok && i < argc; i++) {
		const struct tts_text t = { .lang = "en", .voice = argv[i], .rate = 1 };

		ok = try_one("espeak", &at, argv[i], &t);
	}
	if (recogniser != NULL)
		ps_free(recogniser);
	arena_free(mem);
	return ok ? 0 : 1;
}
