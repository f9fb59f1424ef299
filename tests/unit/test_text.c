/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the words of a recognizer to the text that is sent, translated and spoken. */
#include "store/glossaries.h"
#include "tests/unit/gateway_fixture.h"

#define ENGINES(line)                                                                  \
	"[speech]\nasr = script\nmt = apertium\ntts = script\n[engine.script]\n"       \
	"kind = script\nlines = " line "\n"

static void
add_hot_term(const char *term)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO glossaries (id, account, created_us, updated_us, name,"
	    " enabled, type, source_lang, status) VALUES ('%s', '%s', 1, 1, 'Names',"
	    " 1, 'asr_hot', 'en', 'ready');"
	    "INSERT INTO glossary_terms (glossary, terms) VALUES ('%s', '%s" TERMS_END
	    "')",
	    id, fixture.account, id, term));
}

START_TEST(a_question_is_restored_translated_and_spoken_as_one)
{
	struct websocket *s;

	gateway_engines(ENGINES("can you hear me."));
	s = start_task(TASK(TO("es"), ALL_TYPES));
	send_phrase(s);
	await_seen(s, FINAL, "\"text\":\"Can you hear me?\"", 1);
	/* the words keep their texts and times */
	await_seen(s, FINAL, "{\"word\":\"can\",\"start\":0.0,", 1);
	await_seen(s, "\"translated_transcription\"", "\"text\":\"¿Me oyen?\"", 1);
	await_seen(s, "\"tts_text\"", "\"text\":\"¿Me oyen?\"", 1);
}
END_TEST

#define SO_FAR "\"partial_transcription\""

START_TEST(a_partial_text_gets_no_more_than_its_names)
{
	struct websocket *s;

	gateway_engines(ENGINES("now i think so."));
	s = start_task(TASK("", ALL_TYPES));
	send_sound(s, 400, true);
	for (int i = 0; i < 1000 && count_seen(s, SO_FAR, "") == 0; i++) {
		send_sound(
		    /* the next partial text is requested after 0.3 s at the earliest */
		    s, 1, true);
		gateway_wait(20);
	}
	await_seen(s, SO_FAR, "\"text\":\"now I", 1);
	send_sound(s, 1000, true);
	send_sound(s, 1000, false);
	await_seen(s, FINAL, "\"text\":\"Now, I think so.\"", 1);
}
END_TEST

START_TEST(a_hot_term_stays_as_it_is_written)
{
	struct websocket *s;

	add_hot_term("ePub");
	gateway_engines(ENGINES("epub is for you."));
	s = start_task(TASK("", ""));
	send_phrase(s);
	await_seen(s, FINAL, "\"text\":\"ePub is for you.\"", 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("text");
	TCase *tc = tcase_create("text");

	tcase_add_checked_fixture(tc, gateway_open, gateway_close);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, a_question_is_restored_translated_and_spoken_as_one);
	tcase_add_test(tc, a_partial_text_gets_no_more_than_its_names);
	tcase_add_test(tc, a_hot_term_stays_as_it_is_written);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
