/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Words of an event, their phones and their language model: lib/speech/vocabulary.c,
 * arpabet.c, ngram_text.c.
 */
#include "base/buf.h"
#include "speech/arpabet.h"
#include "speech/asr_pocketsphinx_words.h"
#include "speech/vocabulary.h"
#include "tests/unit/unit.h"

static struct arena *mem;

static void
setup(void)
{
	(void)fixture;
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

static struct vocabulary *
vocabulary_of(const char *hint, const char *name, const char *title)
{
	const struct list hints = { &hint, hint != NULL },
			  names = { &name, name != NULL },
			  titles = { &title, title != NULL };

	return vocabulary_new(mem, &hints, &names, &titles);
}

/* Returns terms as "word=key", separated by blanks. */
static const char *
text_of(const struct vocabulary *v)
{
	struct buf b = { .mem = mem };
	const struct vocabulary_term *t = v != NULL ? v->terms.items : NULL;

	for (size_t i = 0; v != NULL && i < v->terms.n; i++) {
		buf_str(&b, i > 0 ? " | " : "");
		for (size_t k = 0; k < t[i].n; k++)
			buf_printf(&b, "%s%s=%s", k > 0 ? " " : "", t[i].words[k].text,
			    t[i].words[k].key);
	}
	return buf_text(&b);
}

#define ZALGO "\xcc\x81\xcc\x82\xcc\x83" /* three accents on one letter */

static const struct {
	const char *text, *terms;
} texts[] = {
	/* clang-format off */
	{ "", "" },
	{ " \t\r\n", "" },
	{ "Kubernetes", "Kubernetes=kubernetes" },
	{ "Anneliese Brandt", "Anneliese=anneliese Brandt=brandt" },
	{ "front-end", "front=front end=end" },
	{ "Łódź and Zürich", "and=and Zürich=zurich" },
	{ "Maeve O\xe2\x80\x99""Brien's", "Maeve=maeve O'Brien's=o'brien's" },
	{ "the speakers' 'own' words", "the=the speakers=speakers | own=own words=words" },
	{ "Reading, and: writing", "Reading=reading | and=and | writing=writing" },
	{ "<b>Markup</b> &amp; <script>", "Markup=markup | amp=amp | script=script" },
	{ "Part 2 of IPv6 or so", "Part=part | of=of | or=or so=so" },
	{ "J. Doe", "Doe=doe" },
	{ "Привет \xe4\xb8\x96\xe7\x95\x8c \xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "" },
	{ "one\x01two\x7fthree", "one=one | two=two | three=three" },
	{ "\xff\xfe broken", "" },
	{ "a veryveryveryveryverylongwordindeed b or", "or=or" },
	{ "<UNK> </s> word(2) \\data\\", "UNK=unk | word=word | data=data" },
	{ "Zu\xcc\x88rich Vie\xcc\x82\xcc\xa3t", "Zu\xcc\x88rich=zurich Vie\xcc\x82\xcc\xa3t=viet" },
	{ "Za" ZALGO "lgo text", "text=text" },
	{ ZALGO "Zalgo text", "text=text" },
	{ "rock''n roll", "rock=rock | roll=roll" },
	/* clang-format on */
};

START_TEST(a_text_becomes_words_of_latin_letters)
{
	ck_assert_str_eq(
	    text_of(vocabulary_of(texts[_i].text, NULL, NULL)), texts[_i].terms);
	if (texts[_i].terms[0] == '\0')
		ck_assert_ptr_null(vocabulary_of(texts[_i].text, NULL, NULL));
}
END_TEST

START_TEST(hot_words_come_first_then_names_and_titles)
{
	const struct vocabulary *v =
	    vocabulary_of("Apertium", "Ada King", "Opening: Now");
	const struct vocabulary_term *t = v->terms.items;

	ck_assert_str_eq(text_of(v),
	    "Apertium=apertium | Ada=ada King=king | Opening=opening | Now=now");
	ck_assert_uint_eq(t[0].of, 0);
	ck_assert_uint_eq(t[1].of, 0);
	ck_assert_uint_eq(t[2].of, 1);
	ck_assert_uint_eq(t[3].of, 1);
}
END_TEST

static const struct {
	const char *title, *terms;
} titles[] = {
	{ "Life in the lagoon", "Life=life" },
	{ "from letters to meaning", "" },
	{ "The Art of Reading", "The=the Art=art | Reading=reading" },
	{ "\xc3\x89lan vital", "\xc3\x89lan=elan" },
	{ "WebAssembly at O'Brien's", "WebAssembly=webassembly | O'Brien's=o'brien's" },
};

START_TEST(of_a_title_names_are_taken)
{
	ck_assert_str_eq(
	    text_of(vocabulary_of(NULL, NULL, titles[_i].title)), titles[_i].terms);
}
END_TEST

START_TEST(ten_thousand_words_are_some_hundred)
{
	enum { MANY = 10000 };
	const char **many = arena_alloc(mem, MANY * sizeof(*many));
	const struct list all = { many, MANY }, none = { 0 };
	struct buf b = { .mem = mem };
	const char *one;

	for (int i = 0; i < MANY; i++) {
		many[i] =
		    arena_printf(mem, "word%c%c", 'a' + i % 26, 'a' + i / 26 % 26);
		buf_printf(&b, "%s ", many[i]);
	}
	ck_assert_uint_eq(
	    vocabulary_new(mem, &all, &all, &all)->terms.n, VOCABULARY_WORDS);
	one = buf_text(&b);
	ck_assert_uint_eq(
	    ((const struct vocabulary_term *)vocabulary_of(one, NULL, NULL)
		    ->terms.items)
		->n,
	    VOCABULARY_WORDS);
	for (int i = 0; i < MANY; i++)
		many[i] = i < VOCABULARY_TEXTS ? "1" : "late";
	ck_assert_ptr_null(vocabulary_new(mem, &all, &none, &none));
}
END_TEST

START_TEST(a_vocabulary_is_written_and_read)
{
	struct vocabulary *a = vocabulary_of("Ada King", "Łukasz", "On Cats and Dogs");
	struct buf b = { .mem = mem }, again = { .mem = mem };
	size_t n;

	vocabulary_write(&b, a, SIZE_MAX);
	n = b.len;
	buf_put(&b, "", 1);
	ck_assert_str_eq(text_of(vocabulary_read(mem, b.p)), text_of(a));
	vocabulary_write(&again, a, n - 1);
	ck_assert_uint_lt(again.len, n);
	buf_put(&again, "", 1);
	ck_assert_ptr_nonnull(vocabulary_read(mem, again.p));
}
END_TEST

static const char *const malformed[] = { "0", "0 0", "0 0 ada", "0 0 ada Ada", "\n",
	"0 0 ada Ada\n0 1" };

START_TEST(a_malformed_vocabulary_is_not_read)
{
	ck_assert_ptr_null(vocabulary_read(mem, arena_str(mem, malformed[_i])));
}
END_TEST

static const struct {
	const char *mnemonics, *phones;
} words[] = {
	{ "k j ,u: b 3 n 'i: t s", "K Y UW B ER N IY T S" },
	{ "r 'eI d I2 ; ,oU", "R EY D IY OW" },
	{ "r 'I ? n-", "R IH T AH N" },
	{ "s 'E l 3 r ,eI t", "S EH L ER EY T" },
	{ "k 'o@ r I n", "K AO R IH N" },
	{ "a# k 'A@ r i ;", "AH K AA R IY" },
	{ "'eI p i: 'aI\n", "EY P IY AY" },
	{ "b 'A: x", "B AA K" },
	{ "", NULL },
	{ " ' , ", NULL },
	{ "_:", NULL },
	{ "k Y: t", NULL }, /* of German */
	{ "(de) k a t", NULL },
};

START_TEST(mnemonics_become_phones)
{
	const char *phones = arpabet_phones(mem, words[_i].mnemonics);

	if (words[_i].phones == NULL)
		ck_assert_ptr_null(phones);
	else
		ck_assert_str_eq(phones, words[_i].phones);
}
END_TEST

START_TEST(a_model_has_its_words_and_pairs)
{
	struct ngram_word w[] = { { "Ada", 0.1 }, { "King", 0.01 },
		{ "Lovelace", 0.01 } };
	struct ngram_pair p[] = { { 0, 1 }, { 0, 2 } };
	const struct list all = { w, 3 }, pairs = { p, 2 }, none = { 0 };

	ck_assert_str_eq(ngram_text(mem, &all, &pairs),
	    "\\data\\\nngram 1=6\nngram 2=2\n\n\\1-grams:\n"
	    "-5.0000 <UNK> 0\n-5.0000 <s> 0\n-5.0000 </s> 0\n"
	    "-1.0000 Ada -1.0000\n-2.0000 King 0.0000\n-2.0000 Lovelace 0.0000\n"
	    "\n\\2-grams:\n-0.3468 Ada King\n-0.3468 Ada Lovelace\n\n\\end\\\n");
	ck_assert_ptr_nonnull(
	    strstr(ngram_text(mem, &none, &none), "ngram 1=3\nngram 2=0\n"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("vocabulary");
	TCase *t = tcase_create("vocabulary");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, a_text_becomes_words_of_latin_letters, 0, COUNT(texts));
	tcase_add_test(t, hot_words_come_first_then_names_and_titles);
	tcase_add_loop_test(t, of_a_title_names_are_taken, 0, COUNT(titles));
	tcase_add_test(t, ten_thousand_words_are_some_hundred);
	tcase_add_test(t, a_vocabulary_is_written_and_read);
	tcase_add_loop_test(t, a_malformed_vocabulary_is_not_read, 0, COUNT(malformed));
	tcase_add_loop_test(t, mnemonics_become_phones, 0, COUNT(words));
	tcase_add_test(t, a_model_has_its_words_and_pairs);
	suite_add_tcase(s, t);
	return unit_run(s);
}
