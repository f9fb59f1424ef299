/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory, strings, hashes, ids and text, on which all other code is built. */
#include <malloc.h>

#include "base/lang.h"
#include "base/mime.h"
#include "base/text.h"
#include "tests/unit/unit.h"

static struct arena *mem;

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

/* ---- arena, buf ---- */

static bool
is_zero(const unsigned char *p, size_t n)
{
	while (n > 0 && p[n - 1] == 0)
		n--;
	return n == 0;
}

/* Thousands of connections have an arena each, and put a few texts into it. */
START_TEST(small_arenas_stay_small)
{
	const size_t text = strlen("the name of a stream") + 1,
		     before = mallinfo2().uordblks;
	struct arena *all[1000];

	for (int i = 0; i < COUNT(all); i++) {
		all[i] = arena_small(64);
		for (int k = 0; k < 8; k++)
			arena_str(all[i], "the name of a stream");
	}
	ck_assert_uint_lt(mallinfo2().uordblks - before, COUNT(all) * 8 * 8 * text);
	for (int i = 0; i < COUNT(all); i++)
		arena_free(all[i]);
}
END_TEST

START_TEST(allocations_are_zeroed_aligned_and_apart)
{
	static const size_t sizes[] = { 0, 1, 7, 16, 17, 4096, 65536, 1 << 20 };
	unsigned char *p[COUNT(sizes)];

	for (int round = 0; round < 3; round++, arena_reset(mem))
		for (int i = 0; i < COUNT(sizes); i++) {
			p[i] = arena_alloc(mem, sizes[i]);
			ck_assert_uint_eq((uintptr_t)p[i] % _Alignof(max_align_t), 0);
			ck_assert(is_zero(p[i], sizes[i]));
			if (sizes[i] > 0)
				memset(p[i], 0xff, sizes[i]);
		}
}
END_TEST

static int deferred[3], ndeferred;

static void
note(void *n)
{
	deferred[ndeferred++] = (int)(intptr_t)n;
}

START_TEST(deferred_calls_run_last_first_and_once)
{
	ndeferred = 0;
	for (intptr_t i = 1; i <= 3; i++)
		arena_defer(mem, note, (void *)i);
	arena_reset(mem);
	ck_assert_int_eq(ndeferred, 3);
	ck_assert(deferred[0] == 3 && deferred[1] == 2 && deferred[2] == 1);
	arena_reset(mem);
	ck_assert_int_eq(ndeferred, 3);
}
END_TEST

START_TEST(copies_end_with_a_nul)
{
	ck_assert_str_eq(arena_dup(mem, "abc", 2), "ab");
	ck_assert_str_eq(arena_dup(mem, NULL, 0), "");
	ck_assert_ptr_null(arena_str(mem, NULL));
	ck_assert_str_eq(arena_printf(mem, "%s-%d", "x", 5), "x-5");
	arena_free(NULL);
}
END_TEST

START_TEST(a_buf_grows_and_keeps_what_it_has)
{
	struct buf b = { .mem = mem };

	ck_assert_str_eq(buf_text(&b), "");
	for (int i = 0; i < 10000; i++)
		buf_printf(&b, "%04d", i);
	ck_assert_uint_eq(b.len, 40000);
	ck_assert_int_eq(memcmp(b.p + 4 * 1234, "1234", 4), 0);
	ck_assert_uint_eq(strlen(buf_text(&b)), 40000);
	buf_put(&b, NULL, 0);
	ck_assert_uint_eq(b.len, 40000);
}
END_TEST

#ifndef ARENA_DEBUG /* where the buffer has no room after it */
START_TEST(what_grows_stays_where_it_is_when_there_is_room)
{
	char *p = arena_grow(mem, NULL, 0, 20), *q;

	memcpy(p, "twenty bytes, a NUL", 20);
	ck_assert_ptr_eq(arena_grow(mem, p, 20, 4000), p);
	memset(p + 20, 0xff, 4000 - 20);
	q = arena_alloc(mem, 100);
	ck_assert(q >= p + 4000);
	ck_assert(is_zero((unsigned char *)q, 100));
	q = arena_grow(mem, p, 4000, 5000);
	ck_assert_ptr_ne(q, p); /* another allocation follows it */
	ck_assert_str_eq(q, "twenty bytes, a NUL");
	p = arena_grow(mem, q, 5000, 1 << 20);
	ck_assert_ptr_ne(q, p);
	ck_assert_str_eq(p, "twenty bytes, a NUL");
}
END_TEST
#endif

START_TEST(numbers_are_put_in_decimal)
{
	static const int64_t numbers[] = { 0, 9, 10, -1, 1234567890, INT64_MAX,
		INT64_MIN };
	struct buf b = { .mem = mem };

	for (int i = 0; i < COUNT(numbers); i++) {
		b.len = 0;
		buf_int(&b, numbers[i]);
		ck_assert_str_eq(
		    buf_text(&b), arena_printf(mem, "%lld", (long long)numbers[i]));
	}
}
END_TEST

/* ---- hashes ---- */

START_TEST(hashes_are_those_of_the_standards)
{
	static const char larger[] =
	    "Test Using Larger Than Block-Size Key - Hash Key First";
	unsigned char mac[SHA256_BYTES], key[131];
	struct sha256 *h = sha256_new(mem);

	ck_assert_str_eq(hash_hex(mem, "abc", 3),
	    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_put(h, "a", 1);
	sha256_put(h, "bc", 2);
	ck_assert_str_eq(sha256_hex(mem, h), hash_hex(mem, "abc", 3));
	hmac("Jefe", 4, "what do ya want for nothing?", 28, mac); /* RFC 4231 */
	ck_assert_str_eq(hex(mem, mac, sizeof(mac)),
	    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof(key));
	hmac(key, sizeof(key), larger, sizeof(larger) - 1, mac);
	ck_assert_str_eq(hex(mem, mac, sizeof(mac)),
	    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
	hmac_sha1("Jefe", 4, "what do ya want for nothing?", 28, mac); /* RFC 2202 */
	ck_assert_str_eq(
	    hex(mem, mac, SHA1_BYTES), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
	hash_md5("abc", 3, mac); /* RFC 1321 */
	ck_assert_str_eq(hex(mem, mac, MD5_BYTES), "900150983cd24fb0d6963f7d28e17f72");
	ck_assert_uint_eq(crc("123456789", 9), 0xcbf43926);
	ck_assert(same_bytes("abc", "abd", 2) && !same_bytes("abc", "abd", 3));
}
END_TEST

static const struct {
	const char *plain, *base64, *url;
} codes[] = { { "", "", "" }, { "f", "Zg==", "Zg" }, { "fo", "Zm8=", "Zm8" },
	{ "foo", "Zm9v", "Zm9v" }, { "foob", "Zm9vYg==", "Zm9vYg" },
	{ "\xff\xef\xbf", "/++/", "_--_" } };

START_TEST(base64_is_written_and_read_in_both_alphabets)
{
	const char *s = codes[_i].plain;
	size_t n;

	ck_assert_str_eq(base64(mem, s, strlen(s)), codes[_i].base64);
	ck_assert_str_eq(base64url(mem, s, strlen(s)), codes[_i].url);
	ck_assert_str_eq(
	    (char *)base64_read(mem, codes[_i].base64, strlen(codes[_i].base64), &n),
	    s);
	ck_assert_uint_eq(n, strlen(s));
	ck_assert_str_eq(
	    (char *)base64_read(mem, codes[_i].url, strlen(codes[_i].url), &n), s);
}
END_TEST

static const char *const not_base64[] = { "A", "AAAAA", "A=", "AA=", "A===", "AA==A",
	"====", "AA AA", "AA\nA", "A*AA", "AAA==", "AA===" };

START_TEST(what_is_no_base64_is_refused)
{
	size_t n;

	ck_assert_ptr_null(
	    base64_read(mem, not_base64[_i], strlen(not_base64[_i]), &n));
}
END_TEST

/* ---- ids ---- */

START_TEST(new_ids_are_uuids_of_version_4)
{
	const char *a = id_new(mem), *b = id_new(mem);

	ck_assert_str_ne(a, b);
	ck_assert_str_eq(id_read(mem, a), a);
	ck_assert_int_eq(a[14], '4');
	ck_assert_ptr_nonnull(strchr("89ab", a[19]));
	ck_assert_str_eq(id_derived(mem, "x", "y"), id_derived(mem, "x", "y"));
	ck_assert_str_ne(id_derived(mem, "x", "y"), id_derived(mem, "x", "z"));
	ck_assert_ptr_nonnull(id_read(mem, id_derived(mem, "x", "y")));
}
END_TEST

START_TEST(ids_are_taken_in_any_case_and_of_any_version)
{
	ck_assert_str_eq(id_read(mem, "0AB0CD00-1111-7222-C333-44445555ABCD"),
	    "0ab0cd00-1111-7222-c333-44445555abcd");
	ck_assert_str_eq(id_read(mem, ID_NIL), ID_NIL);
	ck_assert_ptr_null(id_read(mem, ""));
	ck_assert_ptr_null(id_read(mem, "{0ab0cd00-1111-7222-c333-44445555abc}"));
	ck_assert_ptr_null(id_read(mem, "0ab0cd00-1111-7222-c333-44445555abcg"));
	ck_assert_ptr_null(id_read(mem, "0ab0cd001111-7222-c333-44445555abcd-"));
}
END_TEST

/* ---- text ---- */

static const struct {
	const char *text, *folded;
} folds[] = { { "M\xc3\xbcnchen", "munchen" }, { "MU\xcc\x88NCHEN", "munchen" },
	{ "stra\xc3\x9f"
	  "e",
	    "strasse" },
	{ "\xc3\x89t\xc3\xa9", "ete" },
	{ "\xce\xa3\xce\xaf\xcf\x83\xcf\x85\xcf\x86\xce\xbf\xcf\x82",
	    "\xcf\x83\xce\xb9\xcf\x83\xcf\x85\xcf\x86\xce\xbf\xcf\x83" },
	{ "\xd0\x99", "\xd0\xb8" }, { "A%_\\b", "a%_\\b" }, { "", "" } };

START_TEST(folding_takes_case_and_marks_away)
{
	ck_assert_str_eq(text_fold(mem, folds[_i].text), folds[_i].folded);
}
END_TEST

START_TEST(patterns_find_plain_characters)
{
	ck_assert_str_eq(text_like(mem, "50%_\\A"), "%50\\%\\_\\\\a%");
	ck_assert_str_eq(text_like(mem, ""), "%%");
}
END_TEST

START_TEST(text_is_utf8_and_counted_in_code_points)
{
	ck_assert(text_valid("a\xc3\xbc\xf0\x9f\x98\x80", 7));
	ck_assert(text_valid("a\0b", 3) && text_valid("", 0));
	ck_assert(!text_valid("\xc3", 1) && !text_valid("\xc3\xbc", 1));
	ck_assert(!text_valid("\xed\xa0\x80", 3) && !text_valid("\xc0\x80", 2));
	ck_assert(!text_valid("\xf4\x90\x80\x80", 4) && !text_valid("\x80", 1));
	ck_assert_uint_eq(text_length("a\xc3\xbc\xf0\x9f\x98\x80"), 3);
	ck_assert_str_eq(text_lower(mem, "ZH-Hant\xc3\x9c"), "zh-hant\xc3\x9c");
}
END_TEST

START_TEST(code_points_go_out_and_in)
{
	static const uint32_t cps[] = { 'a', 0xfc, 0x20ac, 0x1f600, 0x10ffff };
	char text[8];
	uint32_t cp;

	for (int i = 0; i < COUNT(cps); i++) {
		size_t n = text_put(text, cps[i]);

		text[n] = '\0';
		ck_assert_ptr_eq(text_next(text, &cp), text + n);
		ck_assert_uint_eq(cp, cps[i]);
	}
	ck_assert_uint_eq(text_put(text, 0xd800), 0);
	ck_assert_uint_eq(text_put(text, 0x110000), 0);
	ck_assert_ptr_eq(text_next(memcpy(text, "\xff\x61", 3), &cp), text + 1);
}
END_TEST

static const struct {
	const char *text;
	bool only;
} onlys[] = { { "Anna 2", true },
	{ "\xd0\x99\xd9\xa3"
	  "e\xcc\x81",
	    true },
	{ "", true }, { "\xe4\xb8\xad\xe6\x96\x87", true }, { "a_-. (b)", true },
	{ "a/b", false }, { "a\nb", false }, { "\xf0\x9f\x98\x80", false },
	{ "\xc2\xbd", false }, { "a\xe2\x80\x8b", false }, { "\xff", false },
	{ "a'b", false } };

START_TEST(names_have_letters_digits_and_what_is_listed)
{
	ck_assert_int_eq(text_only(onlys[_i].text, "_-. ()"), onlys[_i].only);
}
END_TEST

START_TEST(tables_of_codes_have_as_many_as_the_contract)
{
	int voices = 0, uploads = 0, clones = 0;

	while (lang_voice[voices] != NULL)
		voices++;
	while (mime_upload[uploads] != NULL)
		uploads++;
	while (mime_clone[clones] != NULL)
		clones++;
	ck_assert_int_eq(voices, 78);
	ck_assert_int_eq(uploads, 8);
	ck_assert_int_eq(clones, 12);
	ck_assert_str_eq(lang_base(mem, "es-mx"), "es");
	ck_assert_str_eq(lang_base(mem, "fil"), "fil");
	ck_assert_ptr_null(filename_check("a 'b' \"c\" (d)_-.wav"));
	ck_assert_ptr_nonnull(filename_check("a;b"));
}
END_TEST

START_TEST(codes_are_one_in_any_spelling)
{
	char code[LANG_BYTES];

	ck_assert_str_eq(lang_fold(mem, "zh_Hant-TW"), "zh-hant-tw");
	ck_assert(lang_spell("ES_mx", code));
	ck_assert_str_eq(code, "es-mx");
	ck_assert(!lang_spell("zh-hant-tw-x-long", code));
	ck_assert(lang_same_base("es", "es-mx") && !lang_same_base("es", "est"));
	ck_assert(lang_covers("EN", 2, "en_gb") && !lang_covers("en-us", 5, "en"));
	ck_assert(!lang_covers("en", 2, "eng") && lang_covers("zh-hant", 7, "zh-Hant"));
	ck_assert(lang_covered("de, Es_MX", "es-mx") && lang_covered(NULL, "de"));
	ck_assert(!lang_covered("de es-mx", "es") && !lang_covered(" ,", "de"));
	ck_assert(lang_is_auto("Auto") && !lang_is_auto("en"));
}
END_TEST

static const struct {
	const char *tag, *code;
	bool is;
} named[] = {
	{ "lt", "lt", true },
	{ "lit", "lt", true },
	{ "lit", "lt-lt", true },
	{ "bul", "bg", true },
	{ "lav", "lv", true },
	{ "ell", "el", true },
	{ "gre", "el", true },
	{ "GER", "de", true },
	{ "deu", "de", true },
	{ "bos", "bs", true },
	{ "mlt", "mt", true },
	{ "fil", "fil", true },
	{ "nob", "no", true },
	{ "chi", "zh-hans", true },
	{ "en-US", "en", true },
	{ "eng,spa", "es-mx", true },
	{ "eng,spa", "fr", false },
	{ "slo", "sk", true },
	{ "slo", "sl", false },
	{ "slv", "sl", true },
	{ "fil", "fi", false },
	{ "fin", "fi", true },
	{ "est", "es", false },
	{ "mal", "ma", false },
	{ "und", "auto", false },
	{ "", "en", false },
	{ ",", "en", false },
	{ "a-tag-that-is-too-long", "a", false },
	{ "wel", "cy", true },
	{ "bel", "be", true },
	{ "may", "ms", true },
};

START_TEST(a_tag_names_a_language)
{
	ck_assert_int_eq(lang_is_named(named[_i].tag, named[_i].code), named[_i].is);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("base");
	TCase *t = tcase_create("all");

	tcase_add_loop_test(
	    t, a_tag_names_a_language, 0, sizeof(named) / sizeof(named[0]));
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, allocations_are_zeroed_aligned_and_apart);
	tcase_add_test(t, small_arenas_stay_small);
	tcase_add_test(t, deferred_calls_run_last_first_and_once);
	tcase_add_test(t, copies_end_with_a_nul);
	tcase_add_test(t, a_buf_grows_and_keeps_what_it_has);
#ifndef ARENA_DEBUG
	tcase_add_test(t, what_grows_stays_where_it_is_when_there_is_room);
#endif
	tcase_add_test(t, numbers_are_put_in_decimal);
	tcase_add_test(t, hashes_are_those_of_the_standards);
	tcase_add_loop_test(
	    t, base64_is_written_and_read_in_both_alphabets, 0, COUNT(codes));
	tcase_add_loop_test(t, what_is_no_base64_is_refused, 0, COUNT(not_base64));
	tcase_add_test(t, new_ids_are_uuids_of_version_4);
	tcase_add_test(t, ids_are_taken_in_any_case_and_of_any_version);
	tcase_add_loop_test(t, folding_takes_case_and_marks_away, 0, COUNT(folds));
	tcase_add_test(t, patterns_find_plain_characters);
	tcase_add_test(t, text_is_utf8_and_counted_in_code_points);
	tcase_add_test(t, code_points_go_out_and_in);
	tcase_add_loop_test(
	    t, names_have_letters_digits_and_what_is_listed, 0, COUNT(onlys));
	tcase_add_test(t, tables_of_codes_have_as_many_as_the_contract);
	tcase_add_test(t, codes_are_one_in_any_spelling);
	suite_add_tcase(s, t);
	return unit_run(s);
}
