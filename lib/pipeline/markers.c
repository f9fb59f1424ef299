/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/markers.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/text.h"

#define BLANKS " \t\r\n"
#define SEPARATORS " \t\r\n_-.,!:;|/"
#define MOST 80 /* longest marker in bytes */

static const struct {
	const char *open, *close;
} brackets[] = { { "[", "]" }, { "(", ")" }, { "*", "*" }, { "{", "}" }, { "<", ">" },
	{ "【", "】" }, { "（", "）" } };

static const char *const notes[] = { "♪", "♫", "♬", "♩" };

/* Words for noises in the languages of common models. */
static const char *const noises[] = { "music", "musics", "applause", "applauds",
	"applauding", "clapping", "claps", "laughter", "laughs", "laugh", "laughing",
	"chuckles", "chuckling", "giggles", "giggling", "cough", "coughs", "coughing",
	"sneeze", "sneezes", "sneezing", "sniffs", "sniffing", "sigh", "sighs",
	"sighing", "breath", "breathes", "breathing", "inhales", "exhales", "gasp",
	"gasps", "groans", "grunts", "yawns", "sobbing", "sobs", "crying", "cries",
	"screams", "screaming", "cheers", "cheering", "singing", "humming", "whistling",
	"silence", "silent", "blank", "audio", "inaudible", "unintelligible",
	"indistinct", "chatter", "chattering", "crosstalk", "noise", "noises", "sound",
	"sounds", "static", "beep", "beeps", "beeping", "bell", "buzzing", "ringing",
	"rings", "click", "clicks", "clicking", "typing", "knocking", "footsteps",
	"thud", "pause", "musik", "applaus", "gelächter", "lachen", "husten", "stille",
	"musique", "applaudissements", "rires", "toux", "música", "aplausos", "risas",
	"risa", "tos", "silencio", "silêncio", "musica", "applausi", "risate", "muzyka",
	"oklaski", "śmiech", "музыка", "аплодисменты", "смех", "音楽", "拍手", "音乐",
	"掌声", "笑", "笑声" };

/* Words that may accompany the words above but are no marker alone. */
static const char *const others[] = { "a", "the", "of", "in", "and", "to", "is",
	"background", "playing", "plays", "continues", "ends", "stops", "upbeat",
	"soft", "softly", "loud", "loudly", "dramatic", "gentle", "light", "heavy",
	"audience", "crowd", "phone", "door", "keyboard", "intro", "outro", "throat",
	"clears" };

static bool
is_among(const char *const *words, size_t n, const char *word, size_t bytes)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == bytes &&
		    strncasecmp(words[i], word, bytes) == 0)
			return true;
	return false;
}

#define IS_AMONG(words, p, n) is_among(words, sizeof(words) / sizeof(*(words)), p, n)

/* True if all words name noises, as "clears throat" does. */
static bool
names_noise(struct arena *mem, const char *s, size_t n)
{
	const char *p = arena_dup(mem, s, n);
	size_t found = 0;

	if (strcasecmp(p, "clears throat") == 0)
		return true;
	while (*(p += strspn(p, SEPARATORS)) != '\0') {
		size_t bytes = strcspn(p, SEPARATORS);

		if (IS_AMONG(noises, p, bytes))
			found++;
		else if (!IS_AMONG(others, p, bytes))
			return false;
		p += bytes;
	}
	return found > 0;
}

/* Length in bytes of the marker at s; 0: none. */
static size_t
marker_at(struct arena *mem, const char *s)
{
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (strncmp(s, notes[i], strlen(notes[i])) == 0)
			return strlen(notes[i]);
	for (size_t i = 0; i < sizeof(brackets) / sizeof(*brackets); i++) {
		size_t a = strlen(brackets[i].open), z = strlen(brackets[i].close);
		const char *end;

		if (strncmp(s, brackets[i].open, a) != 0 ||
		    (end = strstr(s + a, brackets[i].close)) == NULL)
			continue;
		if (end - s < MOST && names_noise(mem, s + a, (size_t)(end - s) - a))
			return (size_t)(end - s) + z;
	}
	return 0;
}

/* False for punctuation only, which may remain when the markers are removed. */
static bool
has_words(const char *s)
{
	uint32_t cp;

	while (*s != '\0') {
		s = text_next(s, &cp);
		if (text_is_word(cp))
			return true;
	}
	return false;
}

const char *
markers_remove(struct arena *mem, const char *text)
{
	struct buf b = { .mem = mem };
	bool any = false;
	const char *left;

	for (const char *p = text; *p != '\0';) {
		size_t n = marker_at(mem, p);

		if (n == 0) {
			buf_put(&b, p++, 1);
			continue;
		}
		any = true;
		p += n;
		if (b.len == 0 || strchr(BLANKS, b.p[b.len - 1]) != NULL)
			p += strspn(p, BLANKS);
	}
	if (!any)
		return text;
	left = text_trim(mem, buf_text(&b), BLANKS);
	return has_words(left) ? left : "";
}
