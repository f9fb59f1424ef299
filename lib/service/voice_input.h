#ifndef SERVICE_VOICE_INPUT_H
#define SERVICE_VOICE_INPUT_H

#include "store/voices.h"

/* What clients say of a voice: when it is cloned, and when it is changed. */
struct sample_in {
	const char *filename, *mime_type, *lang, *display_name, *description, *item_id;
	bool denoise, normalise;
};

struct voice_in {
	const char *name, *description;
	struct labels labels;
	struct list attributes; /* const char * */
	struct list samples;    /* struct sample_in */
	bool hidden;
};

extern const struct field voice_clone_fields[]; /* all of struct voice_in */
extern const struct field voice_edit_fields[];  /* all but samples and hidden */

#endif
