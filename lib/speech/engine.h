/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ENGINE_H
#define SPEECH_ENGINE_H

#include <stdio.h>

#include "base/conf.h"
#include "speech/asr.h"
#include "speech/clone.h"
#include "speech/mt.h"
#include "speech/tts.h"

/*
 * The kinds of engines; a new kind needs a file and a line here. A line has the value
 * of `kind` in a section [engine.ID]; a sentence for operators; the conf_engine_keys
 * that it reads besides kind and languages, with ! before required ones; the default
 * timeout_ms, or 0 if the kind requires a section; and its tables of functions.
 */
/* clang-format off */
#define ENGINE_KINDS \
	KIND("pocketsphinx", "recognizes English in the gateway; model: a folder like its package's.", "model partial", 5000, ASR(asr_pocketsphinx)) \
	KIND("apertium", "translates in child processes; model: its modes, with blanks between.", "model", 3000, MT(mt_apertium)) \
	KIND("espeak", "eSpeak NG, speaks in child processes, with cloned profiles, too.", "", 4000, TTS(tts_espeak)) \
	KIND("flite", "flite, speaks English in child processes, far clearer than espeak.", "", 4000, TTS(tts_flite)) \
	KIND("profile", "clones a voice for espeak: it measures the speaker.", "", 30000, CLONE(clone_profile)) \
	KIND("openai", "a server like OpenAI's: recognizes, speaks, clones.", "!url key model detect parallel partial", 0, ASR(asr_openai) TTS(tts_openai) CLONE(clone_openai)) \
	KIND("elevenlabs", "a server like ElevenLabs': speaks, clones.", "!url key model parallel", 0, TTS(tts_elevenlabs) CLONE(clone_elevenlabs)) \
	KIND("websocket", "a server that recognizes speech over a WebSocket.", "!url key model protocol partial", 0, ASR(asr_websocket)) \
	KIND("libretranslate", "a server of LibreTranslate: translates.", "!url key parallel", 0, MT(mt_libretranslate)) \
	KIND("openai_chat", "a server of chat models like OpenAI's: translates.", "!url key model parallel", 0, MT(mt_openai_chat)) \
	KIND("deepl", "DeepL: translates.", "!url key parallel", 0, MT(mt_deepl)) \
	KIND("process", "a program of yours that keeps running: translates, over lines of JSON.", "!command", 0, MT(mt_process)) \
	KIND("sherpa", "sherpa-onnx in child processes: recognizes speech as it arrives; speaks.", "!library !model !languages threads parallel partial", 0, ASR(asr_sherpa) TTS(tts_sherpa)) \
	KIND("whisper", "whisper.cpp in child processes: recognizes a phrase at a time.", "!library !model threads parallel", 0, ASR(asr_whisper)) \
	KIND("http", "a server of your own: recognizes, translates, speaks.", "!url key parallel partial", 0, ASR(asr_http) MT(mt_http) TTS(tts_http)) \
	KIND("script", "for tests: recognizes its lines, speaks in sines.", "lines partial", 10000, ASR(asr_script) MT(mt_script) TTS(tts_script))

#define KIND(name, help, settings, timeout_ms, tables) tables
#define ASR(table) extern const struct asr_engine table;
#define MT(table) extern const struct mt_engine table;
#define TTS(table) extern const struct tts_engine table;
#define CLONE(table) extern const struct clone_engine table;
ENGINE_KINDS
#undef KIND
#undef ASR
#undef MT
#undef TTS
#undef CLONE
/* clang-format on */

struct engine_kind {
	const char *name, *help, *settings;
	int timeout_ms;               /* default timeout; 0: the kind needs a section */
	const struct asr_engine *asr; /* NULL: cannot recognize, and so on */
	const struct mt_engine *mt;
	const struct tts_engine *tts;
	const struct clone_engine *clone;
};

extern const struct engine_kind engine_kinds[]; /* the last has no name */

/* Returns the kind of that name; NULL: there is none. */
const struct engine_kind *engine_find(const char *name);

/*
 * Find the section [engine.ID], whose id has n bytes, or the kind of that name that
 * needs no section; its texts are borrowed from the settings.  False: there is none.
 */
bool engine_section(
    const struct conf *, const char *id, size_t n, struct conf_engine *);
/*
 * The first setting that the kind requires and the section does not have, as "url: is
 * missing", in the arena, or NULL.  *later: a file is missing, which may change.
 */
const char *engine_lacks(struct arena *, const struct conf_engine *, bool *later);
/* The engine of a section, with copies of its texts. */
struct engine_at engine_at_section(
    struct arena *, const struct conf *, const struct conf_engine *);

/* As conf_print(), with the engines' sections; keys are masked there, too. */
void engine_conf_print(const struct conf *, FILE *);
/* As conf_print_example(), with the optional sections. */
void engine_conf_print_example(FILE *);

#endif
