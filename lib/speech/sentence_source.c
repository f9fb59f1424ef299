/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds capitals and marks to English text. An uncertain rule leaves the text unchanged,
 * because a wrong mark misleads the translation more than a missing one.
 */
#include "speech/sentence.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/text.h"

#define WORDS 512 /* longest text in words; a longer text is unchanged */

/* Words with a blank on both sides. */
#define PRONOUNS " i you he she it we they everyone everybody anyone anybody "
#define PRONOUNS_SHORT                                                                 \
	" i'm i've i'll it's that's we're we've they're you're he's she's there's "
#define SUBJECTS PRONOUNS "this that these those the there my your his her our their "
#define BE " is are was were isn't aren't wasn't weren't am "
#define MODALS                                                                         \
	" can could would should can't couldn't wouldn't shouldn't does did doesn't "  \
	"didn't "
#define DO " do don't "
#define HAVE " have has had haven't hasn't hadn't "
#define WILL " will won't shall may might must "
/* Words that are no subject after a verb that begins the sentence. */
#define NO_SUBJECTS                                                                    \
	" a an not very really also in on at to of for from with by about why how "    \
	"what because always never still just so too be been "
#define OPENINGS " so and but now well okay ok then also yes no please sorry "

/* A comma follows these words when a sentence begins with them and continues. */
static const char *const openings[] = { "yes", "okay", "ok", "however", "unfortunately",
	"fortunately", "finally", "therefore", "meanwhile", "hello", "hi",
	"for example", "of course", "in fact", "first of all", "by the way",
	"on the other hand", "in my opinion", "in other words", "ladies and gentlemen",
	"dear colleagues", "dear friends" };
/* A comma follows these words, too, if a pronoun is next. */
static const char *const short_openings[] = { "no", "well", "now", "sorry" };
/* A comma precedes these words when a sentence ends with them. */
static const char *const closings[] = { "please", "of course", "for example",
	"isn't it", "aren't you", "don't you", "doesn't it", "aren't they",
	"don't they", "didn't you" };
/* A comma precedes these words, too, after a greeting. */
static const char *const greetings[] = { "good morning", "good afternoon",
	"good evening", "welcome", "thank you", "hello", "hi" };
static const char *const greeted[] = { "everyone", "everybody", "ladies and gentlemen",
	"dear colleagues", "dear friends" };

/* Words that always have a capital. */
#define NAMES                                                                          \
	" monday tuesday wednesday thursday friday saturday sunday january february "  \
	"april june july august september october november december english spanish "  \
	"french german italian portuguese dutch greek russian chinese japanese "       \
	"arabic european american british african asian latin europe africa asia "     \
	"america england britain scotland ireland spain france germany italy "         \
	"portugal greece russia china japan india canada mexico brazil argentina "     \
	"london paris madrid barcelona berlin rome lisbon brussels vienna mr mrs ms "  \
	"dr mr. mrs. ms. dr. "

struct words {
	char *w[WORDS];
	bool comma[WORDS]; /* a comma follows the word */
	size_t n;
	bool final;
};

/*
 * Returns the number of these words if they are in the text from its i-th word on, else
 * 0.
 */
static size_t
match(const struct words *t, size_t i, const char *these)
{
	size_t n = 0, len;

	for (; *these != '\0'; these += len + (these[len] == ' '), n++) {
		len = strcspn(these, " ");
		if (i + n >= t->n || strlen(t->w[i + n]) != len ||
		    strncmp(t->w[i + n], these, len) != 0)
			return 0;
	}
	return n;
}

/* Returns the i-th word; "" after the last. */
static const char *
word(const struct words *t, size_t i)
{
	return i < t->n ? t->w[i] : "";
}

/* ---- is it a question? ---- */

/* True for "does the", "are there", "have you"; after "do" and "have" only for words
   that make no request. */
static bool
is_inverted(const char *verb, const char *next)
{
	if (*next == '\0' || text_has_word(NO_SUBJECTS, next))
		return false;
	if (text_has_word(DO, verb))
		return text_has_word(PRONOUNS " the these those people ", next);
	if (text_has_word(HAVE WILL, verb))
		return text_has_word(PRONOUNS, next);
	return text_has_word(BE MODALS, verb);
}

static bool
is_verb(const char *w)
{
	return text_has_word(BE, w) || text_has_word(MODALS, w) ||
	       text_has_word(DO, w) || text_has_word(HAVE, w) || text_has_word(WILL, w);
}

/* True for "what's the time", but not for "what's important is ...". */
static bool
asks_shortly(const struct words *t, size_t i)
{
	for (size_t k = i + 1; k < t->n; k++)
		if (text_has_word(BE, t->w[k]))
			return false;
	return i + 1 < t->n;
}

/* True for "what time does ...", but not for "what we need ..." or "how to ...". */
static bool
asks_what(const struct words *t, size_t i)
{
	if (text_has_word(" about happens happened else ", word(t, i + 1)) ||
	    match(t, i, "how many") > 0 || match(t, i, "how often") > 0)
		return true;
	for (size_t k = i + 1; k < t->n && k <= i + 5; k++) {
		if (is_verb(t->w[k]))
			return k > i + 1 || asks_shortly(t, k);
		if (text_has_word(SUBJECTS " a an to ", t->w[k]) &&
		    strcmp(t->w[k - 1], "of") != 0)
			return false;
	}
	return false;
}

static bool
asks_elliptically(const struct words *t, size_t i)
{
	const char *last = t->w[t->n - 1];

	if (text_has_word(" any ", t->w[i]) && t->n - i <= 5)
		return text_has_word(
			   " question questions comment comments remark remarks idea "
			   "ideas volunteer volunteers ",
			   word(t, i + 1)) ||
		       text_has_word(" question questions comments ", last);
	return text_has_word(" anyone anybody anything someone somebody ", t->w[i]) &&
	       strcmp(word(t, i + 1), "else") == 0;
}

/* True for "..., isn't it". */
static bool
has_tag(const struct words *t)
{
	return t->n > 3 &&
	       text_has_word(" isn't aren't don't doesn't didn't ", t->w[t->n - 2]) &&
	       text_has_word(" it you they ", t->w[t->n - 1]);
}

static bool
is_question(const struct words *t)
{
	const char *w;
	size_t i = 0;

	while (i + 1 < t->n && text_has_word(OPENINGS, t->w[i]))
		i++;
	w = t->w[i];
	if (has_tag(t) || asks_elliptically(t, i))
		return true;
	if (text_has_word(" what's where's who's how's when's ", w))
		return asks_shortly(t, i);
	if (strcmp(w, "who") == 0)
		return i + 1 < t->n && !text_has_word(SUBJECTS, t->w[i + 1]);
	if (strcmp(w, "which") == 0 && is_verb(word(t, i + 1)))
		return false; /* "which is why ..." continues the sentence before */
	if (text_has_word(" what which how whose ", w))
		return asks_what(t, i);
	if (text_has_word(" where when why ", w))
		return is_verb(word(t, i + 1)) || match(t, i, "why not") > 0;
	return is_inverted(w, word(t, i + 1));
}

/* ---- commas ---- */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void
put_opening(struct words *t)
{
	size_t n;

	for (size_t i = 0; i < COUNT(openings); i++)
		if ((n = match(t, 0, openings[i])) > 0 && n < t->n)
			t->comma[n - 1] = true;
	for (size_t i = 0; i < COUNT(short_openings); i++)
		if (match(t, 0, short_openings[i]) > 0 &&
		    text_has_word(PRONOUNS, word(t, 1)))
			t->comma[0] = true;
}

static void
put_closing(struct words *t)
{
	size_t n, words;

	for (size_t i = 0; i < COUNT(closings); i++) {
		words = 1;
		for (const char *s = closings[i]; (s = strchr(s, ' ')) != NULL; s++)
			words++;
		n = t->n > words ? match(t, t->n - words, closings[i]) : 0;
		if (n > 0 && t->n - n >= 2)
			t->comma[t->n - n - 1] = true;
	}
}

static void
put_greeting(struct words *t)
{
	size_t n, more;

	for (size_t i = 0; i < COUNT(greetings); i++)
		if ((n = match(t, 0, greetings[i])) > 0)
			for (size_t k = 0; k < COUNT(greeted); k++)
				if ((more = match(t, n, greeted[k])) > 0) {
					t->comma[n - 1] = true;
					t->comma[n + more - 1] = n + more < t->n;
				}
}

/* Put a comma into "... but we ...": between two whole clauses. */
static void
put_clauses(struct words *t)
{
	for (size_t i = 2; i + 2 < t->n; i++)
		if (strcmp(t->w[i], "but") == 0 &&
		    (text_has_word(PRONOUNS, t->w[i + 1]) ||
			text_has_word(PRONOUNS_SHORT, t->w[i + 1])))
			t->comma[i - 1] = true;
}

/* ---- capitals ---- */

bool
sentence_is_name(const char *w)
{
	char bare[32];
	size_t n = strcspn(w, "'");

	if (w[0] == 'i' && (w[1] == '\0' || w[1] == '\''))
		return true;
	if (n >= sizeof(bare))
		return false;
	memcpy(bare, w, n);
	bare[n] = '\0';
	return text_has_word(NAMES, bare);
}

/* "x." is a spelt letter: its full stop is removed. */
static void
set_capital(char *w)
{
	bool letter = isalpha((unsigned char)w[0]) && w[1] == '.' && w[2] == '\0';

	if (letter)
		w[1] = '\0';
	if (letter || sentence_is_name(w))
		w[0] = (char)toupper((unsigned char)w[0]);
}

/* ---- all of it ---- */

bool
sentence_is_bare(const char *text)
{
	const char *first = text + strspn(text, " ");

	for (const char *s = first; *s != '\0'; s++)
		if (strchr(",;:?!", *s) != NULL ||
		    (isupper((unsigned char)*s) && s != first &&
			!(*s == 'I' && s[-1] == ' ' && strchr(" '.", s[1]) != NULL)))
			return false;
	return true;
}

static bool
split(struct words *t, char *text)
{
	char *last, *rest = NULL;

	for (char *w = strtok_r(text, " ", &rest); w != NULL;
	     w = strtok_r(NULL, " ", &rest)) {
		if (t->n == WORDS)
			return false;
		if (strcmp(w, ".") != 0)
			t->w[t->n++] = w;
		t->final |= strcmp(w, ".") == 0;
	}
	if (t->n == 0)
		return false;
	last = t->w[t->n - 1];
	if (!t->final && (t->final = last[strlen(last) - 1] == '.'))
		last[strlen(last) - 1] = '\0';
	return *last != '\0';
}

static void
put_marks(struct words *t)
{
	put_opening(t);
	put_closing(t);
	put_greeting(t);
	put_clauses(t);
}

static const char *
join(struct arena *mem, const struct words *t, const char *end)
{
	struct buf b = { .mem = mem };
	size_t n;

	for (size_t i = 0; i < t->n; i++)
		buf_printf(
		    &b, "%s%s%s", i > 0 ? " " : "", t->w[i], t->comma[i] ? "," : "");
	n = strlen(t->w[t->n - 1]);
	/* "etc." has its own full stop */
	buf_str(&b, *end == '.' && t->w[t->n - 1][n - 1] == '.' ? "" : end);
	return buf_text(&b);
}

const char *
sentence_source(struct arena *mem, const char *lang, const char *text)
{
	struct words *t = arena_alloc(mem, sizeof(*t));
	const char *end = "";

	if (!lang_same_base("en", lang_fold(mem, lang)) || !sentence_is_bare(text) ||
	    !split(t, arena_str(mem, text)))
		return text;
	if (t->final) {
		t->w[0][0] = (char)tolower((unsigned char)t->w[0][0]);
		end = is_question(t) ? "?" : ".";
		put_marks(t);
	}
	for (size_t i = 0; i < t->n; i++)
		set_capital(t->w[i]);
	if (t->final)
		t->w[0][0] = (char)toupper((unsigned char)t->w[0][0]);
	return join(mem, t, end);
}
