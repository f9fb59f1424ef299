/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lib/speech/clause.c cuts a text for engines that return its whole sound at once. */
#include <string.h>

#include "base/buf.h"
#include "speech/clause.h"
#include "tests/unit/suite.h"

/* Returns the text with a bar at each cut. */
static const char *const texts[] = {
	"",
	"Yes, thank you.",
	"Good morning, and welcome to the second day of our conference.",
	"Good morning to all of you,| and welcome to the second day of our conference.",
	"Yesterday we talked about rivers;| today we will talk about people.",
	"The result surprised everybody:| almost half of the water was lost.",
	("We put it into the ground,| waited for one summer,| looked at the numbers "
	 "together,| and went home before night."),
	"We put it into the ground –| not too deep – and waited for one summer.",
	"There were 1,000,000 visitors at 10:30 in the morning of that day.",
	"A price of 3,50 euros is more than any of us would have paid.",
	"This is a sentence without any mark however long it goes on and on and on.",
	"We went to see the river and Dr. Brown. Nobody was there to tell us its name.",
	"What did we find there? Nothing but stones and a dry bed of mud.",
	"Nous avons commencé à mesurer,| et personne ne nous a aidés.",
	"尊敬的各位来宾，|欢迎参加今天的会议。",
	"大家好，欢迎。",
	"أهلا وسهلا بكم جميعا في مؤتمرنا،| ونتمنى لكم يوما سعيدا.",
	"सम्मेलन में आप सभी का स्वागत है। आज हम नदियों के बारे में बात करेंगे।",
};

START_TEST(text_is_cut_behind_marks)
{
	struct arena *mem = arena_new();
	struct buf plain = { .mem = mem }, cut = { .mem = mem };

	for (const char *s = texts[_i]; *s != '\0'; s++)
		if (*s != '|')
			buf_put(&plain, s, 1);
	for (const char *s = buf_text(&plain), *end; *s != '\0'; s = end) {
		end = clause_end(s);
		ck_assert_ptr_ne(end, s);
		buf_put(&cut, s, (size_t)(end - s));
		if (*end != '\0')
			buf_str(&cut, "|");
	}
	ck_assert_str_eq(buf_text(&cut), texts[_i]);
	arena_free(mem);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("clause");
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, text_is_cut_behind_marks, 0, COUNT(texts));
	suite_add_tcase(s, t);
	return unit_run(s);
}
