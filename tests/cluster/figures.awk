# SPDX-License-Identifier: GPL-3.0-or-later
# Reads what tests/cluster/live printed, a file for each channel, and prints figures as
# assignments for the shell:
#
#	phrases     that were sent completely
#	cuts        phrases during which the speaker lost its connection
#	lost        phrases that listeners did not get, summed over listeners
#	doubled     texts that listeners got twice
#	failed      requests that failed
#	heard_s     longest time since `at` in which no phrase of a speaker was heard
#	reads_s     longest pause of a listener's texts since `at`, beyond that of the speaker

FNR == 1 { file++ }
$1 == "say" { begins[file, ++said[file]] = $2; phrases++ }
$1 == "cut" { cut[file]++; cuts++ }
$1 == "failed" { failed++ }
$1 == "text" {
	who = file SUBSEP $2
	channel[who] = file
	got[who] += seen[who, $4]++ == 0
	doubled += seen[who, $4] > 1
	if (who in last && $3 > at && $3 - last[who] > pause)
		pause = $3 - last[who]
	texts[file, ++m[file]] = $3
	last[who] = $3
}

# The longest time between the begins of two phrases whose texts came, the second of them
# after `at`, beyond the two seconds of a phrase.
function unheard_of(f,    i, k, last, longest) {
	for (i = 1; i <= said[f]; i++) {
		while (k < m[f] && texts[f, k] <= begins[f, i] + 600000)
			k++
		if (texts[f, k] <= begins[f, i] + 600000 || texts[f, k] > begins[f, i] + 3600000)
			continue
		if (last && begins[f, i] > at && begins[f, i] - last > longest)
			longest = begins[f, i] - last
		last = begins[f, i]
	}
	return last > at ? (longest > 2e6 ? (longest - 2e6) / 1e6 : 0) : 999
}

END {
	for (who in got) {
		missing = said[channel[who]] - got[who]
		lost += missing > 0 ? missing : 0
		doubled += -missing > cut[channel[who]] ? -missing - cut[channel[who]] : 0
	}
	for (f = 1; f <= file; f++)
		if (unheard_of(f) > heard)
			heard = unheard_of(f)
	printf "phrases=%d cuts=%d lost=%d doubled=%d failed=%d heard_s=%.1f reads_s=%.1f\n",
		phrases, cuts, lost, doubled, failed, heard, (pause > 2e6 ? (pause - 2e6) / 1e6 : 0)
}
