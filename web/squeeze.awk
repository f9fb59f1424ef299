# SPDX-License-Identifier: GPL-3.0-or-later
# usage: LC_ALL=C awk -f squeeze.awk FILE
#
# Prints a module without the spaces and line breaks that JavaScript does not need. Strings,
# templates and regular expressions stay as they are. A slash begins a regular expression after a
# character that no value ends with.
function put(text) { out = out text; last = substr(text, length(text)) }

# Copies a string or a regular expression that begins at `at`; returns the place after it.
function copy(at, closes,    from, c, class) {
	from = at++
	while ((c = substr(all, at, 1)) != closes || class) {
		if (c == "" || c == "\n") { print "squeeze: a string does not end: " substr(all, from, 60) > "/dev/stderr"; exit 1 }
		if (closes == "/" && (c == "[" || c == "]")) class = c == "["
		at += c == "\\" ? 2 : 1
	}
	put(substr(all, from, at + 1 - from))
	return at + 1
}

# Copies the text of a template up to its end or its next "${".
function copy_template(at,    from, c) {
	from = at
	while ((c = substr(all, at, 1)) != "`" && substr(all, at, 2) != "${") at += c == "\\" ? 2 : 1
	if (c == "`") open--
	else depth[open]++
	at += c == "`" ? 1 : 2
	put(substr(all, from, at - from))
	return at
}

# Prints the spaces that a module needs at `at`, and returns the place after them.
function space(at,    breaks, c) {
	while ((c = substr(all, at, 1)) ~ /[ \t\n]/ && c != "") { if (c == "\n") breaks = 1; at++ }
	if (breaks ? last !~ /[{;,(\[=>?:&|\n]/ && last != "" && c !~ /[,).?:&|]/ : last ~ word && c ~ word || last c ~ /^(\+\+|--)$/)
		put(breaks ? "\n" : " ")
	return at
}

{ all = all $0 "\n" }

END {
	word = "[A-Za-z0-9_$\200-\377]"
	for (at = 1; at <= length(all);) {
		c = substr(all, at, 1)
		if (match(substr(all, at, 120), /^[^ \t\n"'`\/{}]+/)) { put(substr(all, at, RLENGTH)); at += RLENGTH }
		else if (c ~ /[ \t\n]/) at = space(at)
		else if (c == "\"" || c == "'" || c == "/" && last ~ /[(,=:\[!&|?{};>\n]/) at = copy(at, c)
		else if (c == "`") { put(c); depth[++open] = 0; at = copy_template(at + 1) }
		else if (open && c == "{") { depth[open]++; put(c); at++ }
		else if (open && c == "}" && --depth[open] == 0) { put(c); at = copy_template(at + 1) }
		else { put(c); at++ }
	}
	print out
}
