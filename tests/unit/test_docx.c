/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transcripts as documents of word processors, read by other programs. */
#include "tests/unit/transcripts_fixture.h"

/* Runs a shell command on the document at $1 and returns its output. */
static const char *
output_of(const char *document, const char *command)
{
	struct buf b = { .mem = fixture.mem };
	char piece[4096];
	size_t n;
	FILE *p =
	    popen(arena_printf(fixture.mem, "set -- %s; %s", document, command), "r");

	ck_assert_ptr_nonnull(p);
	while ((n = fread(piece, 1, sizeof(piece), p)) > 0)
		buf_put(&b, piece, n);
	ck_assert_msg(pclose(p) == 0, "%s: %s", command, buf_text(&b));
	return buf_text(&b);
}

static const char *
saved(const struct response *a)
{
	const char *path = arena_printf(fixture.mem, "%s/talk.docx", fixture.dir);
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(a->body, 1, a->body_len, f), a->body_len);
	ck_assert_int_eq(fclose(f), 0);
	return path;
}

#define PART(name) "unzip -p $1 " name
#define VALID(name) PART(name) " | xmllint --noout -"
#define TEXTS                                                                          \
	PART("word/document.xml")                                                      \
	" | xmllint --xpath \"//*[local-name() = 't']/text()\" - | tr '\\n' '|'"

START_TEST(other_programs_read_a_document)
{
	struct response a;
	const char *path;

	put_talk(channel);
	sql("UPDATE transcript_lines SET speaker = 'A & B' WHERE segment = 'bb'");
	a = get("?format=docx");
	answered(a, 200);
	ck_assert_str_eq(head_of(&a, "Content-Type"),
	    "application/vnd.openxmlformats-officedocument.wordprocessingml.document");
	ck_assert_pstr_eq(head_of(&a, "Content-Disposition"),
	    arena_printf(fixture.mem,
		"attachment; filename=\"channel-%s-original.docx\"", channel));
	path = saved(&a);
	ck_assert_str_eq(output_of(path, "unzip -Z1 $1"),
	    "[Content_Types].xml\n_rels/.rels\nword/document.xml\n");
	output_of(path, VALID("'\\[Content_Types\\].xml'"));
	output_of(path, VALID("_rels/.rels"));
	output_of(path, VALID("word/document.xml"));
	ck_assert_str_eq(output_of(path, TEXTS),
	    "00:00:00 |Good morning, everyone.|00:00:03 |A &amp; B: |Fish &amp; &lt;"
	    "chips&gt; --&gt; now|");
	sql("UPDATE transcript_lines SET speaker = NULL");
	a = ask_with(arena_printf(fixture.mem,
			 "GET /saas/channel/%s/transcript?format=docx", channel),
	    NULL,
	    HEADS(arena_printf(fixture.mem, "If-None-Match: %s", head_of(&a, "ETag"))));
	answered(a, 200);
}
END_TEST

START_TEST(a_document_is_written_from_right_to_left)
{
	struct response a;
	const char *path;

	put_line(channel, "aa", "ar", "مرحبا\nبكم", 1000, 1500);
	a = get("?format=docx&language=ar");
	answered(a, 200);
	path = saved(&a);
	ck_assert_str_eq(output_of(path, TEXTS), "00:00:00 |مرحبا بكم|");
	ck_assert_ptr_nonnull(strstr(output_of(path, PART("word/document.xml")),
	    "<w:p><w:pPr><w:bidi/></w:pPr>"));
}
END_TEST

START_TEST(libreoffice_opens_a_document)
{
	struct response a;
	const char *path;

	if (system("command -v soffice >/dev/null") != 0)
		return; /* where it is not installed, the parts are checked above */
	put_talk(channel);
	a = get("?format=docx");
	path = saved(&a);
	output_of(path, "soffice -env:UserInstallation=file://${1%/*}/office --headless"
			" --convert-to txt:Text --outdir ${1%/*} $1 >/dev/null 2>&1");
	ck_assert_str_eq(output_of(path, "sed 's/^\\xef\\xbb\\xbf//' ${1%.docx}.txt"),
	    "00:00:00 Good morning, everyone.\n00:00:03 Fish & <chips> --> now\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("transcripts: documents");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, begin, fixture_close);
	tcase_add_test(t, other_programs_read_a_document);
	tcase_add_test(t, a_document_is_written_from_right_to_left);
	tcase_add_test(t, libreoffice_opens_a_document);
	suite_add_tcase(s, t);
	return unit_run(s);
}
