# SPDX-License-Identifier: GPL-3.0-or-later
# usage: awk -v entry=FILE -v version=VERSION -f bundle.awk
#
# Writes a page's main.js and all files that it imports as one file, each before the files that
# import it.
#
# Each file of the page's folder that is imported later, by import("./PART.js"), becomes such a
# file, too: a part. A part imports from main.js, which also contains all that two parts need, so
# that no code is loaded twice. A file of another folder that is imported later stays unchanged, as
# several pages use it; it must not import files of these pages.
#
# Writes FILE.new for each, which replaces FILE. Fails if a file breaks these rules, or if two
# declarations of one file have the same name.
function fail(what) { print "bundle: " what > "/dev/stderr"; failed = 1; exit 1 }
function folder_of(file) { sub(/[^\/]*$/, "", file); return file }
function resolve(from, name) {
	sub(/\?.*/, "", name)
	return name ~ /^\.\// ? folder_of(from) substr(name, 3) : substr(name, 4)
}
function imported(file, line,    part) { split(line, part, "\""); return resolve(file, part[2]) }

function look_later(file, line,    name) {
	if (line ~ /^[ \t]*\*/) return
	gsub(/\/\*\*[^*]*(\*\/|$)/, "", line) # types name files that are not loaded
	while (match(line, /import\("[^"]*"/)) {
		name = resolve(file, substr(line, RSTART + 8, RLENGTH - 9))
		line = substr(line, RSTART + RLENGTH)
		if (name in is_later) continue
		is_later[name] = 1
		if (folder_of(name) == folder_of(entry)) part[++parts] = name
		else other[++others] = name
	}
}

function read(file,    line) {
	if (file in lines) return
	for (lines[file] = 0; (getline line < file) > 0; text[file, ++lines[file]] = line)
		if (line ~ /^import /) {
			if (line !~ / from "[^"]*";$/ || line ~ / as /) fail(file ": " line)
			imports[file] = imports[file] imported(file, line) " "
		} else look_later(file, line)
	close(file)
	if (lines[file] == 0) fail(file " is not there")
}

# Assigns each file to the part that needs it, or to main.js when two parts or main.js need it.
function reach(file, from,    i, n, all) {
	if ((file, from) in reached || file in in_main) return
	reached[file, from] = 1
	read(file)
	if (from == entry || ++needed[file] == 2) {
		in_main[file] = 1
		main[++mains] = file
	}
	n = split(imports[file], all, " ")
	for (i = 1; i <= n; i++) reach(all[i], from)
}

function take_names(line, to,    i, n, all) {
	gsub(/^import *\{ *| *\} *from.*/, "", line)
	n = split(line, all, / *, */)
	for (i = 1; i <= n; i++) {
		if ((to, all[i]) in taken) continue
		taken[to, all[i]] = 1
		define(all[i], to, "main.js")
		from_main[to] = from_main[to] (from_main[to] == "" ? "" : ", ") all[i]
		if (!(all[i] in given)) gives = gives (gives == "" ? "" : ", ") all[i]
		given[all[i]] = 1
	}
}

function define(name, to, file) {
	if ((to, name) in known) fail(name " is in " known[to, name] " and in " file)
	known[to, name] = file
}

function put(file, to,    i, n, all, line, plain) {
	if ((file, to) in placed) return
	placed[file, to] = placed[file] = 1
	n = split(imports[file], all, " ")
	for (i = 1; i <= n; i++)
		if (to == entry || !(all[i] in in_main)) put(all[i], to)
	for (i = 1; i <= lines[file]; i++) {
		line = plain = text[file, i]
		if (line ~ /^import /) {
			if (to != entry && imported(file, line) in in_main) take_names(line, to)
			continue
		}
		sub(/^export /, "", plain)
		if (match(plain, /^(const|let|class|function|async function\*?) +[A-Za-z_0-9]+/)) {
			all[0] = substr(plain, RSTART, RLENGTH)
			sub(/.* /, "", all[0])
			define(all[0], to, file)
		}
		if (file != to || to == entry) line = plain
		if (file ~ /^shared\//) gsub(/import\("\.\//, "import(\"../shared/", line)
		if (to == entry && line ~ /^await /) awaits = 1
		out[to] = out[to] line "\n"
	}
}

function stand_alone(file, later,    i, n, all) {
	read(file)
	if (file in placed) fail(file ", imported later, is needed at once, too")
	n = split(imports[file], all, " ")
	for (i = 1; i <= n; i++) {
		if (all[i] in placed) fail(later ", imported later, imports what is there")
		stand_alone(all[i], later)
	}
}

BEGIN {
	reach(entry, entry)
	for (i = 1; i <= parts; i++) reach(part[i], part[i])
	for (i = 1; i <= mains; i++)
		if (!((main[i], entry) in reached)) put(main[i], entry)
	put(entry, entry)
	for (i = 1; i <= parts; i++) {
		if (part[i] in in_main) fail(part[i] ", imported later, is needed at once, too")
		put(part[i], part[i])
	}
	for (i = 1; i <= others; i++) stand_alone(other[i], other[i])
	# A part waits for main.js, so main.js must not wait at its top for a part.
	if (gives != "" && awaits) fail(entry " awaits at its top, and has parts that import it")
	printf "%s%s", out[entry], gives == "" ? "" : "export { " gives " };\n" > (entry ".new")
	for (i = 1; i <= parts; i++)
		printf "%s%s", from_main[part[i]] == "" ? "" : "import { " from_main[part[i]] " } from \"./main.js?v=" version "\";\n",
			out[part[i]] > (part[i] ".new")
}
