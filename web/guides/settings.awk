# SPDX-License-Identifier: GPL-3.0-or-later
# usage: awk -f settings.awk dragoman.conf
#
# Prints the settings as a guide in Markdown: a heading for each one, its help and its default.
BEGIN { print "# Settings\n\nLines of `etc/dragoman.conf`; the environment variable\n`DRAGOMAN_SECTION_KEY` comes before a line." }
/^\[/ { section = substr($0, 2, length($0) - 2); help = ""; print "\n## " section }
/^# / { line = substr($0, 3); gsub(/[<*_\\]/, "\\\\&", line); help = help line "\n" }
/^;/ {
	key = substr($1, 2)
	value = substr($0, index($0, " = ") + 3)
	printf "\n### %s.%s\n\n%s\n%s\n", section, key, help, value == "" || $0 ~ / =$/ ? "Default: empty" : "Default: `" value "`"
	help = ""
}
