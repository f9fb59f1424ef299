#!/bin/sh
# Names that were given up, and the term to use instead.  A few mean something else
# outside the realtime half: a room of a Janus, a letter of a text.  Run in the root of
# the tree.

# SPDX-License-Identifier: GPL-3.0-or-later
exec awk '
BEGIN {
	n = split("room:session client:connection shift:pipeline_slot writer:publisher " \
	    "gate:gateway desk:db_thread visitor:connection_request errand:thread_call " \
	    "letter:actor_message parcel:shared_buffer cue:bridge_call booth:bridge_room " \
	    "studio:rtp_bridge lane:output_track ears:recognizer mouth:synthesizer " \
	    "tongue:tts_worker onair:channel_session gloss:glossary flaw:validation_error " \
	    "flaws:validation_errors spot:json_path intake:audio_input caps:capability_probe " \
	    "hall:channel_session", pair, " ")
	for (i = 1; i <= n; i++) {
		split(pair[i], p, ":")
		term[p[1]] = p[2]
		names = names (i > 1 ? "|" : "") p[1]
	}
}

# struct room, or a function room_end()
FNR == 1 {
	realtime = FILENAME ~ /^lib\/(server|session|pipeline|protocol|audio|bridge)\//
}

match($0, "struct (" names ")[^a-z_]|(^|[^a-z_])(" names ")_[a-z_]+[(]") {
	word = substr($0, RSTART, RLENGTH)
	sub(/^struct |^[^a-z]/, "", word)
	sub(/[^a-z].*/, "", word)
	if (!realtime && word ~ /^(client|room|writer|letter|errand)$/)
		next
	printf "%s:%d: \"%s\" was given up: %s\n", FILENAME, FNR, word, term[word]
	bad = 1
}

# In folders whose comments name the thing that does something.
FILENAME ~ /^(workers|lib\/(audio|bridge|net|protocol|server|service|session|work))\// &&
tolower($0) ~ /(^|[^a-z_])(whoever|nobody|somebody)([^a-z_]|$)/ {
	printf "%s:%d: name the thing, not \"whoever\", \"nobody\", \"somebody\"\n", FILENAME, FNR
	bad = 1
}

END { exit bad }
' $(find lib workers cgi-bin tests -name '*.[ch]' | sort)
