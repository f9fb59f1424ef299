/* What a task at work asks of its engines. */
#include "tests/engine-server.h"
#include "tests/unit/gateway_house.h"

static struct engine_server server;

static void
open_house(void)
{
	gate_open();
	server = engine_server_start();
}

static void
close_house(void)
{
	gate_close();
	engine_server_stop(&server);
}

/* Until the task that was asked for so far hears. */
static void
await_shift(const struct socket *s, int number)
{
	for (int i = 0; i < 3000 && s->client->room->now->number != number; i++)
		gate_turn();
	ck_assert_int_eq(s->client->room->now->number, number);
}

/* ---- hints ---- */

static void
add_hot_terms(const char *terms)
{
	const char *id = id_new(house.mem);

	sql(arena_printf(house.mem,
	    "INSERT INTO glossaries (id, account, created_us, updated_us, name,"
	    " enabled, type, source_lang, status) VALUES ('%s', '%s', 1, 1, 'Names',"
	    " 1, 'asr_hot', 'en', 'ready');"
	    "INSERT INTO glossary_terms (glossary, csv) VALUES ('%s', '%s')",
	    id, house.account, id, terms));
}

START_TEST(hot_terms_go_to_the_recogniser_as_hints)
{
	struct socket *s;

	add_hot_terms("Kubernetes\nDragoman\n");
	gate_engines(arena_printf(house.mem,
	    "[speech]\nasr = whisper\nmt = script\ntts = script\n"
	    "[engine.whisper]\nkind = openai\nurl = http://127.0.0.1:%d\n"
	    "key = test-key\n",
	    server.port));
	s = start_task(TASK("", ""));
	send_phrase(s);
	await_seen(s, "validated_transcription", "prompt 'Kubernetes, Dragoman'", 1);
	tell(s, "set_task",
	    "{\"input_stream\":{\"source\":{\"sample_rate\":16000}},\"pipeline\":{"
	    "\"transcription\":{\"source_language\":\"en\","
	    "\"allow_hotwords_glossaries\":false},\"translations\":[]}}");
	await_shift(s, 2);
	send_phrase(s);
	await_seen(s, "validated_transcription", "prompt ''", 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway_engines");
	TCase *t = tcase_create("engines");
	SRunner *r;
	int failed;

	tcase_add_checked_fixture(t, open_house, close_house);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, hot_terms_go_to_the_recogniser_as_hints);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
