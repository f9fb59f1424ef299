# SPDX-License-Identifier: GPL-3.0-or-later
# usage: awk -v name=NAME -v list=FILE -v found=FILE -f guide.awk template GUIDE
#
# Prints the page of a guide: template with the guide's title, the links of the file `list` and
# GUIDE, a piece of HTML. Headings get the anchors that Markdown viewers give them. Appends a line
# "HEADING<TAB>NAME#ANCHOR" for each heading to the file `found`.
function plain(s) {
	gsub(/<[^>]*>/, "", s); gsub(/&quot;/, "\"", s); gsub(/&lt;/, "<", s); gsub(/&gt;/, ">", s)
	gsub(/&amp;/, "\\&", s)
	return s
}

function anchor(s,    a) {
	a = tolower(plain(s))
	gsub(/[^a-z0-9 _-]/, "", a); gsub(/ /, "-", a)
	return seen[a]++ ? a "-" seen[a] - 1 : a
}

NR == FNR { page = page $0 "\n"; next }

match($0, /^<h[1-6]>/) {
	text = substr($0, 5, length($0) - 9)
	id = anchor(text)
	if (title == "") title = plain(text)
	print plain(text) "\t" name "#" id >>found
	$0 = substr($0, 1, 3) " id=\"" id "\">" text substr($0, length($0) - 4)
}

{ body = body $0 "\n" }

END {
	while ((getline line <list) > 0) links = links line "\n"
	put("@TITLE@", title); put("@LIST@", links); put("@BODY@", body)
	printf "%s", page
}

function put(mark, text,    at) {
	at = index(page, mark)
	page = substr(page, 1, at - 1) text substr(page, at + length(mark))
}
