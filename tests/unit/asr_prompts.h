/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_ASR_PROMPTS_H
#define TESTS_UNIT_ASR_PROMPTS_H

#include "base/child.h"
#include "tests/unit/unit.h"
#include "tests/words.h"

/*
 * Recordings of human speech, 16 kHz, and their texts: a studio voice of the package
 * asterisk-core-sounds-en-g722, then readers of LibriVox, from pocketsphinx-testdata.
 */
#define STUDIO "/usr/share/asterisk/sounds/en_US_f_Allison/"
#define READERS "/usr/share/pocketsphinx/test/data/librivox/"
#define READER READERS "sense_and_sensibility_01_austen_64kb-"

static const struct prompt {
	const char *file, *text;
} prompts[] = {
	/* clang-format off */
	{ STUDIO "cannot-complete-as-dialed.g722", "your call cannot be completed as dialed" },
	{ STUDIO "check-number-dial-again.g722", "please check the number and dial again" },
	{ STUDIO "agent-pass.g722", "please enter your password followed by the pound key" },
	{ STUDIO "conf-invalid.g722", "that is not a valid conference number please try again" },
	{ STUDIO "conf-invalidpin.g722", "that pin is invalid for this conference" },
	{ STUDIO "conf-kicked.g722", "you have been kicked from this conference" },
	{ STUDIO "conf-onlyone.g722", "there is currently one other participant in the conference" },
	{ STUDIO "conf-onlyperson.g722", "you are currently the only person in this conference" },
	{ STUDIO "conf-placeintoconf.g722", "you will now be placed into the conference" },
	{ STUDIO "conf-waitforleader.g722", "the conference will begin when the leader arrives" },
	{ STUDIO "confbridge-lock-no-join.g722", "the conference is currently locked and cannot be joined" },
	{ STUDIO "confbridge-removed.g722", "you have been removed from the conference" },
	{ STUDIO "confbridge-rest-talk-vol-in.g722", "to reset your speaking volume to the default level" },
	{ STUDIO "demo-nomatch.g722", "i'm sorry there are no matches for those keywords" },
	{ STUDIO "dir-nomore.g722", "there are no more compatible entries in the directory" },
	{ STUDIO "enter-num-blacklist.g722", "please enter the number to be blacklisted" },
	{ STUDIO "feature-not-avail-line.g722", "that feature is not available on this line" },
	{ STUDIO "invalid.g722", "i am sorry that's not a valid extension please try again" },
	{ STUDIO "pls-hold-while-try.g722", "please hold while we try to connect you" },
	{ STUDIO "privacy-prompt.g722", "please enter your phone number starting with the area code" },
	{ STUDIO "transfer.g722", "please hold while i try that extension" },
	{ STUDIO "vm-rec-name.g722", "after the tone say your name and then press the pound key" },
	{ READER "0870.wav", "and mister john dashwood had then leisure to consider how much there might be prudently in his power to do for them" },
	{ READER "0880.wav", "he was not an ill disposed young man" },
	{ READER "0890.wav", "unless to be rather cold hearted and rather selfish is to be ill disposed" },
	{ READER "0920.wav", "had he married a more amiable woman he might have been made still more respectable than he was" },
	{ READER "0930.wav", "he might even have been made amiable himself" },
	/* clang-format on */
};
#define LONGEST 22 /* length of the longest text */

struct sound {
	const int16_t *s;
	size_t n;
};

static inline struct sound
prompt_sound(struct arena *mem, const struct prompt *p)
{
	const char *const argv[] = { "/usr/bin/ffmpeg", "-nostdin", "-v", "error", "-i",
		p->file, "-ar", "16000", "-ac", "1", "-f", "s16le", "-", NULL };
	const struct child c = { .argv = argv,
		.timeout_ms = 60000,
		.memory_bytes = (size_t)2 << 30,
		.out_bytes = 4 << 20 };
	struct child_end end;

	ck_assert_msg(access(p->file, R_OK) == 0, "%s is not installed", p->file);
	ck_assert_int_eq(child_run(&c, mem, &end), OK);
	ck_assert_int_eq(end.status, 0);
	return (
	    struct sound){ (const int16_t *)(const void *)end.out, end.out_len / 2 };
}

#endif
