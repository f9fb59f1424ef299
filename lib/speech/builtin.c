#include "speech/builtin.h"

#include <string.h>
#include <strings.h>

/* A profile from the numbers that set voices apart; see profile.h. */
#define SPEAKER(median, low, high, scale, rate)                                        \
	"{\"f0_hz\":" #median ",\"f0_low_hz\":" #low ",\"f0_high_hz\":" #high          \
	",\"formant_scale\":" #scale ",\"syllables_s\":" #rate "}"
/* The same with the timbre of one of eSpeak's variants. */
#define VARIANT(name, median, low, high, rate)                                         \
	"{\"variant\":\"" name "\",\"f0_hz\":" #median ",\"f0_low_hz\":" #low          \
	",\"f0_high_hz\":" #high ",\"syllables_s\":" #rate "}"

/* clang-format off */
const struct builtin_voice builtin_voices[] = {
	{ "b43f9a12-9bbe-4ceb-ab71-60722e462278", BUILTIN_LOW,
	  "The low voice of the engine that speaks.",
	  "Male",   "Middle-aged", "Neutral", "auto",    "{\"f0_hz\":100,\"f0_low_hz\":85,\"f0_high_hz\":125}" },
	{ "b3ba4db8-b208-4e7d-b339-768ff2af00b6", BUILTIN_HIGH,
	  "The high voice of the engine that speaks.",
	  "Female", "Middle-aged", "Neutral", "auto",
	  "{\"f0_hz\":190,\"f0_low_hz\":160,\"f0_high_hz\":235,\"formant_scale\":1.08}" },
	{ "f559e0ff-ce02-41fe-882b-307b81ebfcd1", "Clara",
	  "A clear, even voice for announcements, American English.",
	  "Female", "Middle-aged", "Neutral", "en-us",   SPEAKER(190, 165, 220, 1.15, 4.6) },
	{ "81c2c467-56df-475e-a50e-517a0be41303", "Martin",
	  "A calm, low voice, American English.",
	  "Male",   "Middle-aged", "Calm",    "en-us",   SPEAKER( 98,  84, 115, 0.98, 4.2) },
	{ "0db4d59e-036f-4e43-b02e-2cc99bb7f395", "Harold",
	  "A deep, unhurried old voice, British English.",
	  "Male",   "Old",         "Calm",    "en-gb",   SPEAKER( 82,  70, 104, 0.88, 3.9) },
	{ "50637a34-6662-4669-80cd-4f3618f2770f", "Daisy",
	  "A bright young voice with much melody, British English.",
	  "Female", "Young",       "Happy",   "en-gb",   VARIANT("f2", 245, 195, 330, 5.0) },
	{ "e1948a22-d428-4e3a-807e-2114eb5d7758", "Lucia",
	  "A warm voice, Spanish of Spain.",
	  "Female", "Middle-aged", "Happy",   "es",      SPEAKER(205, 165, 260, 1.2, 5.0) },
	{ "819ac0c3-386d-4a47-9e28-16beae6035d0", "Diego",
	  "A lively voice, Spanish of Mexico.",
	  "Male",   "Young",       "Energetic", "es-mx", SPEAKER(135, 105, 185, 1.04, 5.4) },
	{ "294b4f0a-fb1c-4cb6-b78c-a61c9c8d10b2", "Amelie",
	  "A soft, breathy voice, French.",
	  "Female", "Young",       "Calm",    "fr",      VARIANT("f5", 210, 180, 245, 4.4) },
	{ "1c05f5a3-2614-4810-8458-2bebb01552f6", "Konrad",
	  "A firm voice with little melody, German.",
	  "Male",   "Middle-aged", "Neutral", "de",      SPEAKER(112, 101, 124, 1.0, 4.6) },
	{ "fe38a02a-8930-4ad9-9a38-a950722475fd", "Giulio",
	  "A lively announcer, Italian.",
	  "Male",   "Middle-aged", "Energetic", "it",    SPEAKER(155, 115, 215, 1.02, 5.2) },
	{ "c79e1477-85d1-473b-b5aa-30c65a67f604", "Beatriz",
	  "A friendly voice, Portuguese of Brazil.",
	  "Female", "Middle-aged", "Happy",   "pt-br",   SPEAKER(220, 178, 275, 1.17, 4.9) },
	{ "9254215e-a950-4b89-bbf6-0a01589bd6b3", "Sergei",
	  "A low voice, Russian.",
	  "Male",   "Middle-aged", "Neutral", "ru",      VARIANT("m3", 105, 88, 128, 4.7) },
	{ "82e8cb91-05ee-4cc2-a02e-1a6a816af416", "Babcia Zofia",
	  "The slow voice of an old woman, Polish.",
	  "Female", "Old",         "Calm",    "pl",      SPEAKER(170, 140, 205, 1.08, 3.8) },
	{ "e7f9a851-c6d6-4ff7-8493-c4b8c72a83ac", "Robin",
	  "A voice between high and low, English.",
	  "Neutral", "Young",      "Neutral", "en",      SPEAKER(150, 128, 178, 1.08, 4.8) },
	{ NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL },
};
/* clang-format on */

const struct builtin_voice *
builtin_find(const char *id)
{
	for (const struct builtin_voice *v = builtin_voices; v->id != NULL; v++)
		if (strcasecmp(v->id, id) == 0)
			return v;
	return NULL;
}
