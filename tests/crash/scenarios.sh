# SPDX-License-Identifier: GPL-3.0-or-later
# Steps to interrupt with faults.  A step has two functions: the step, and the facts that a
# good answer reports to its client.  run sources this file.

# ---- an account, and recordings ----

with_account() {
	operate account add --name crash --json
	account=$(jq -r .user_id "$dir/out") key=$(jq -r .api_key "$dir/out")
	printf 'account\t%s\tcrash\n' "$account" >>"$dir/told"
	printf 'credential\t%s\n' "$(printf %s "$key" | hash_of)" >>"$dir/told"
	printf 'key\t%s\n' "$(hash_of "$dir/i/var/state/secret.key")" >>"$dir/told"
}

# form JQ-PATH FILE: fill in the upload form of the last answer, as $dir/form.
form() {
	local name value boundary=crashBoundary
	while IFS=$'\t' read -r name value; do
		printf -- '--%s\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' \
			"$boundary" "$name" "$value"
	done < <(said "$1 | to_entries[] | \"\\(.key)\\t\\(.value)\"") >"$dir/form.new"
	{
		printf -- '--%s\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n' "$boundary"
		printf 'Content-Type: audio/wav\r\n\r\n'
		cat "$2"
		printf '\r\n--%s--\r\n' "$boundary"
	} >>"$dir/form.new"
	mv "$dir/form.new" "${3-$dir/form}"
}
post_form() { ask blobs POST /blobs "$1" 'multipart/form-data; boundary=crashBoundary'; }
tell_file() { tell file "$1" "$(hash_of "$2")" "$(wc -c <"$2")"; }

# ---- uploads ----

step_target() {
	ask uploads POST /saas/upload '{"data":[{"filename":"a.wav","mime_type":"audio/wav"}]}'
}
told_target() {
	blob=$(said '.data[0].blob_id')
	form '.data[0].form_data' "$share/short.wav" "$dir/form"
	form '.data[0].form_data' "$share/long.wav" "$dir/form2"
	tell awaited "$blob"
}
step_upload() { tell try "$blob"; post_form "$dir/form"; }
told_upload() { tell_file "$blob" "$share/short.wav"; }
step_upload_again() { tell try "$blob"; post_form "$dir/form2"; }
told_upload_again() { tell_file "$blob" "$share/long.wav"; }
step_check() { work blob_check; }
told_check() { :; }
step_delete_blob() { tell try "$blob"; ask blobs DELETE "/blobs/$blob"; }
told_delete_blob() { tell no-file "$blob"; }
step_clean() { time_passes; work janitor; }
told_clean() { :; }

scenario_upload() {
	with_account
	steps target upload upload_again check delete_blob clean
}

# ---- voices ----

step_clone() {
	ask voices POST /saas/voice/clone '{"data":{"name":"Anna","samples":[
		{"filename":"a.wav","mime_type":"audio/wav","lang_code":"en"}]}}'
}
told_clone() {
	voice=$(said .data.voice_id)
	form '.data.samples[0].form_data' "$share/long.wav"
	sample=$(said '.data.samples[0].form_data.key')
	sample=${sample##*/}
	tell voice "$voice" Anna
}
step_sample() { post_form "$dir/form"; }
told_sample() { tell_file "$sample" "$share/long.wav"; }
step_make() { work voice_clone; }
told_make() {
	[ "$(sqlite3 "$dir/i/var/dragoman.db" "SELECT status FROM voices WHERE id = '$voice'")" != ready ] ||
		tell ready-voice "$voice"
}
step_speak() { ask samples POST "/saas/voice/m/$voice/tts-sample" '{"data":{"lang_code":"de"}}'; }
told_speak() { tell ready-voice "$voice"; }
step_rename() { tell try "$voice"; ask voices POST "/saas/voice/m/$voice" '{"data":{"name":"Berta"}}'; }
told_rename() { tell voice "$voice" Berta; }
step_delete_voice() { tell try "$voice"; tell try "$sample"; ask voices DELETE "/saas/voice/m/$voice"; }
told_delete_voice() { tell no-voice "$voice"; }

scenario_clone() {
	with_account
	steps clone sample make speak rename delete_voice clean
}

# ---- glossaries ----

step_glossary() {
	ask glossaries POST /saas/glossary '{"data":{"name":"Terms","glossary_type":"translation",
		"source_lang":"en","target_lang":"de"}}'
}
told_glossary() { glossary=$(said .data.glossary_id); tell glossary "$glossary" Terms; }
# terms FILE: write a glossary file, for the form that the last step sends.
terms() {
	{
		printf -- '--crashBoundary\r\nContent-Disposition: form-data; name="glossary"; filename="t.csv"\r\n'
		printf 'Content-Type: text/csv\r\n\r\n'
		cat "$1"
		printf '\r\n--crashBoundary--\r\n'
	} >"$dir/form"
	ask glossaries POST "/saas/glossary/$glossary/upload" "$dir/form" \
		'multipart/form-data; boundary=crashBoundary'
}
step_wrong_terms() { terms "$share/wrong.csv"; }
told_wrong_terms() { :; }
step_import_wrong() { work glossary_import; }
told_import_wrong() { :; }
step_terms() { terms "$share/terms.csv"; }
told_terms() { tell terms "$glossary" 2000; }
step_import() { work glossary_import; }
told_import() { :; }
step_delete_glossary() { tell try "$glossary"; ask glossaries DELETE "/saas/glossary/$glossary"; }
told_delete_glossary() { tell no-glossary "$glossary"; }

scenario_glossary() {
	with_account
	steps glossary wrong_terms import_wrong terms import delete_glossary clean
}

# ---- events ----

step_event() {
	ask events POST /saas/v2/event '{"data":{"title":"Forum","event_type":"online",
		"stages":[{"name":"Hall"},{"name":"Foyer"}],"listener_requests":"auto",
		"utc_start_dt":"2020-01-01T08:00:00Z","utc_end_dt":"2036-12-02T08:00:00Z"}}'
}
told_event() { event=$(said .data.event_id); tell event "$event" Forum; }
step_channel() {
	ask channels POST /saas/channel "{\"data\":{\"name\":\"Hall\",\"type\":\"event\",
		\"event_id\":\"$event\",\"target_languages\":[\"de\",\"fr\"]}}"
}
told_channel() { channel=$(said .data.channel_id); tell channel "$channel" Hall; }
step_view() { ask listeners GET "/saas/v2/event/public/$event"; }
told_view() { :; }
step_join() { ask listeners POST "/saas/v2/event/public/$event/join" '{"data":{"language":"de"}}'; }
told_join() { tell joined "$event" $(($(grep -c '^joined' "$dir/told") + 1)); }
step_wish() {
	ask listeners POST "/saas/v2/event/public/$event/requests" \
		'{"data":{"type":"add_language","payload":{"language":"es"}}}'
}
told_wish() { tell asked "$event" es; }
step_languages() { work channel_retry; }
told_languages() { :; }
step_export() { work stats_export; }
told_export() { :; }
step_edit_channel() {
	tell try "$channel"
	ask channels PATCH "/saas/channel/$channel" '{"data":{"name":"Great hall"}}'
}
told_edit_channel() { tell channel "$channel" 'Great hall'; }
step_edit_event() {
	tell try "$event"
	ask events PATCH "/saas/v2/event/$event" '{"data":{"title":"Over","utc_end_dt":"2020-01-02T08:00:00Z"}}'
}
told_edit_event() { tell event "$event" Over; }
step_finish() { time_passes; work stats_export; }
told_finish() { :; }
step_delete_event() {
	tell try "$event"
	tell try "$channel"
	ask events DELETE "/saas/v2/event/$event"
}
told_delete_event() { tell no-event "$event"; tell no-channel "$channel"; }
step_remove() { work channel_retry; }
told_remove() { :; }
step_purge() { work stats_export; }
told_purge() { :; }

scenario_event() {
	with_account
	steps event channel view join wish languages join export edit_channel edit_event \
		finish delete_event remove purge
}

# ---- credits, sessions ----

# A repeated call with the same reference is refused because it is booked, which is good.
credit() {
	operate account credit "$account" --credits "$1" --reference "$2"
	[ ${#under[@]} -gt 0 ] || ! tail -n 1 "$dir/errors" | grep -q 'is booked already' || rc=0
}
step_grant() { tell try "$account"; credit 7.5 grant-1; }
told_grant() { tell entry grant-1 7500000; tell account "$account" crash; }
step_take() { credit -2 take-1; }
told_take() { tell entry take-1 -2000000; tell balance "$account" 1005500000; }
scenario_ledger() {
	with_account
	steps grant take
}

step_session() { ask sessions POST /session-storage/session '{"data":{"intent":"publish"}}'; }
told_session() { session=$(said .data.id); tell session "$session" publish; }
step_delete_session() { tell try "$session"; ask sessions DELETE "/session-storage/sessions/$session"; }
told_delete_session() { tell no-session "$session"; }
scenario_session() {
	with_account
	steps session delete_session
}

# ---- the database itself ----

step_migrate() { operate migrate; }
told_migrate() {
	tell schema "$(find "$dir/i/share/schema" -name '*.sql' | wc -l)"
	tell key "$(hash_of "$dir/i/var/state/secret.key")"
}
step_account() { operate account add --name new --json; }
told_account() {
	tell account "$(jq -r .user_id "$dir/out")" new
	tell credential "$(jq -r .api_key "$dir/out" | tr -d '\n' | hash_of)"
}

scenario_fresh() {
	rm -f "$dir"/i/var/dragoman.db* "$dir/i/var/state/"*
	steps migrate account
}

# older VERSION: make an instance of that schema version, with an account and its entries.
older() {
	local f db=$dir/i/var/dragoman.db v
	rm -f "$db"*
	sqlite3 "$db" "PRAGMA journal_mode = WAL; CREATE TABLE schema_versions (version INTEGER
		PRIMARY KEY, name TEXT NOT NULL, applied_us INTEGER NOT NULL)" >"$dir/out"
	for f in "$dir"/i/share/schema/*.sql; do
		v=${f##*/} v=$((10#${v%%_*}))
		[ "$v" -le "$1" ] || continue
		sqlite3 "$db" <"$f"
		sqlite3 "$db" "INSERT INTO schema_versions (version, name, applied_us) VALUES ($v, '${f##*/}', 1)"
	done
	sqlite3 "$db" "INSERT INTO accounts (id, name, status, created_us) VALUES ('a', 'old', 'active', 1);
		INSERT INTO credentials VALUES ('c', 'a', 'key', 'h', '*', '', 1, NULL);
		INSERT INTO ledger (id, account, kind, amount_micro, reference, created_us) VALUES
			('1', 'a', 'grant', 500, 'r1', 1), ('2', 'a', 'usage', -300, 'r2', 2)"
	printf 'entry\tr1\t500\nentry\tr2\t-300\naccount\ta\told\ncredential\th\n' >>"$dir/told"
}
scenario_upgrade1() { older 1; steps migrate; }
scenario_upgrade2() { older 2; steps migrate; }

step_backup() {
	rm -f "$dir"/i/var/copy.db*
	operate backup "$dir/i/var/copy.db"
}
told_backup() { tell copy copy.db; }
step_restore() { operate restore --yes "$dir/i/var/copy.db"; }
told_restore() { :; }
# An unfinished copy used as the database must be refused, or be complete.
cut_backup() { [ ! -e "$dir/i/var/copy.db" ] || operate restore --yes "$dir/i/var/copy.db"; }
scenario_backup() {
	with_account
	operate account credit "$account" --credits 3 --reference kept
	printf 'entry\tkept\t3000000\n' >>"$dir/told"
	steps backup restore
}
