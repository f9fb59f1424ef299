#!/bin/sh
# Refuse old names, with the term to use instead, and words that comments must not use.  A
# few names have another meaning outside the realtime part: a room of a Janus, a letter of a
# text.  Run in the root of the tree.

# SPDX-License-Identifier: GPL-3.0-or-later
set -- "$(find lib workers cgi-bin tests bench -name '*.[ch]' 2>/dev/null | sort)"
others=$(find lib workers cgi-bin tests bench web cron schema docs \
    '(' -name node_modules -o -name golden -o -name corpus ')' -prune -o \
    -type f '(' -name '*.js' -o -name '*.sh' -o -name '*.sql' -o -name '*.md' -o \
    -name '*.jq' -o -name '*.css' -o ! -name '*.*' ')' -print 2>/dev/null | sort)
# shellcheck disable=SC2086
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

function report(why) { printf "%s:%d: %s\n", FILENAME, FNR, why; bad = 1 }

FNR == 1 {
	realtime = FILENAME ~ /^lib\/(server|session|pipeline|protocol|audio|bridge)\//
	product = FILENAME ~ /^(lib|cgi-bin|workers)\//
	c = FILENAME ~ /\.[ch]$/
	in_comment = in_block = 0
}

# struct room, or a function room_end()
c && match($0, "struct (" names ")[^a-z_]|(^|[^a-z_])(" names ")_[a-z_]+[(]") {
	word = substr($0, RSTART, RLENGTH)
	sub(/^struct |^[^a-z]/, "", word)
	sub(/[^a-z].*/, "", word)
	if (realtime || word !~ /^(client|room|writer|letter|errand)$/)
		report("\"" word "\" was given up: " term[word])
}

# Literals in tests, lists of words, and examples in docs may contain these words.
{ text = tolower($0) }
FILENAME ~ /\.md$/ && /^ *```/ { in_block = !in_block }
FILENAME ~ /\.md$/ { gsub(/`[^`]*`/, "", text) }
FILENAME ~ /\.js$/ { gsub(/`[^`]*`/, "", text) }
in_block || text ~ /^    / && FILENAME ~ /\.md$/ { text = "" }
!product || FILENAME ~ /^lib\/(pipeline|speech)\// {
	gsub(/\\"/, "", text)
	gsub(/"[^"]*"/, "", text)
	sub(/^[\t ]*" .*\\$/, "", text) # a line of a word list
}
c && !in_comment && text !~ /"|\/\*/ { text = "" } # an identifier
FILENAME !~ /^tests\/lint\// && text ~ /(^|[^a-z_])(whoever|nobody|somebody)([^a-z_]|$)/ {
	report("name the thing, not \"whoever\", \"nobody\", \"somebody\"")
}
c && /(^|[^a-z])(who|whoever|nobody)_[a-z]|[a-z]_(who|whoever|nobody)([^a-z]|$)/ {
	report("name the thing, not \"who\", \"whoever\", \"nobody\"")
}

# Only standing comments are checked, not code.
product && c && text ~ /\/\* *(the same (as|of|for|with|without|by|but|in|when|at|if|from|over|to)|likewise|as above)([^a-z]|$)/ {
	report("name what the comment refers to, not \"the same\", \"likewise\", \"as above\"")
}
product && c && text ~ /\/\* *of [a-z]/ { report("a comment needs a subject before \"of\"") }

# A comment line begins with a star and a blank.
c && in_comment && /^[\t ]*\*[A-Za-z0-9]/ { report("no blank after the star of a comment") }
c {
	line = $0
	gsub(/"([^"\\]|\\.)*"/, "", line)
	if (in_comment && sub(/^.*\*\//, "", line))
		in_comment = 0
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line)
	if (line ~ /\/\*/)
		in_comment = 1
}

END { exit bad }
' $1 $others
