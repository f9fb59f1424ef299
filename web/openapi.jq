# The description of the REST interface, made from the tables that the programs print (the input: an
# object of paths for each), $doc (openapi.json: everything but paths), and $text
# (openapi-text.json: descriptions of the names in the tables). A description of a name that is in
# no table is an error.

# ---- schemas ----

# Overlays o on a schema of the tables; a reference replaces the schema.
def over(o):
	if (o | type) != "object" or o["$ref"] or o.anyOf or type != "object" then o
	else reduce (o | keys_unsorted[]) as $k (.;
		if $k == "properties" and has("properties") then
			reduce (o.properties | keys_unsorted[]) as $p (.;
				if .properties[$p] then .properties[$p] |= over(o.properties[$p])
				else error("no table has \($p)") end)
		elif .[$k] == null then .[$k] = o[$k]
		else .[$k] |= over(o[$k]) end)
	end;

# Removes contradictions that the tables print: an array with members, and an object with members
# or an array that accepts any other member.
def settled:
	if type == "object" then
		(if .type == "array" and has("properties") then del(.properties, .required) else . end) |
		(if .additionalProperties == true and (has("properties") or .type == "array") then del(.additionalProperties) else . end) |
		with_entries(.value |= settled)
	elif type == "array" then map(settled) else . end;

# Adds the descriptions of fields to the properties of a schema, at any depth.
def with_text($fields):
	if type == "object" then
		(if .properties | type == "object" then
			.properties |= with_entries(.key as $k |
				if .value["$ref"] or .value.anyOf then .
				else .value = ($fields[$k] // {}) + .value end)
		else . end) | with_entries(.value |= with_text($fields))
	elif type == "array" then map(with_text($fields)) else . end;

# Removes keywords that do not fit a schema's type, such as the format of an array.
def is_of($types): [.type] | flatten | any(IN($types[]));
def fits:
	if type == "object" then
		(if has("type") and (is_of(["string"]) | not) then del(.format, .pattern, .minLength, .maxLength) else . end) |
		(if has("type") and (is_of(["integer", "number"]) | not) then del(.minimum) else . end) |
		with_entries(.value |= fits)
	elif type == "array" then map(fits) else . end;

# Query parameters accept several words for true: describes them as booleans.
def booleans: (.paths[][] | .parameters[]?.schema? | objects | select(.enum == ["true", "1", "false", "0"])) |=
	(.type = "boolean" | del(.enum, .["x-any-case"]));

# Moves long enumerations to named schemas.
def named($lists):
	if type == "object" then
		if .enum then
			(.enum - [null]) as $e | ([$lists[] | select(.enum == $e) | .name][0]) as $n |
			if $n == null then .
			elif .enum != $e then { anyOf: [{ "$ref": "#/components/schemas/\($n)" }, { type: "null" }] } + del(.enum, .type)
			else { "$ref": "#/components/schemas/\($n)" } + del(.enum, .type) end
		else with_entries(.value |= named($lists)) end
	elif type == "array" then map(named($lists)) else . end;

# ---- operations ----

def ref($to; $name): { "$ref": "#/components/\($to)/\($name)" };
def headers($names): reduce $names[] as $n ({}; .[$n | sub("-Perhaps$"; "")] = ref("headers"; $n));

# The path of the record in a success: data, its items, or the items of its page.
def record_path: .properties.data |
	if .properties.items.items and .properties.next then ["properties", "data", "properties", "items", "items"]
	elif .type == "array" then ["properties", "data", "items"] else ["properties", "data"] end;

# Adds a parameter's description; all other members of its text go into its schema.
def parameter($text):
	($text.parameters[.name] // $text.fields[.name] // error("no words for \(.name)")) as $w |
	.description = $w.description | .schema = ($w | del(.description)) + .schema;

def extra_headers($key; $o; $code):
	["X-Request-Id"] +
	(if .responses["429"] then ["RateLimit", "RateLimit-Policy"] else [] end) +
	(if .responses["304"] and .list then ["ETag-Perhaps"] elif .responses["304"] or (($o.record | IN("Voice", "ClonedVoice", "Glossary", "Event", "Channel", "Webhook", "WebhookWithSecret")) and .list == false)
		then ["ETag"] else [] end) +
	(if $o.location and $code == "201" then ["Location"] else [] end) +
	(if .paged or .deprecated then ["Link"] else [] end) +
	(if .deprecated then ["Deprecation", "Sunset"] else [] end) +
	(if any(.parameters[]; .["$ref"] == "#/components/parameters/IdempotencyKey") then ["Idempotency-Replayed"] else [] end) +
	(if any(.parameters[]; .["$ref"] == "#/components/parameters/Prefer") then ["Preference-Applied"] else [] end);

# Describes a success: headers, description, and the record by its name.
def success($key; $o; $code):
	. as $op | .responses[$code] |= (
		.description = (if $code == "202" then "Accepted; a worker goes on" elif $code == "201" then "Created" else "Done" end) |
		if .["$ref"] then . else
			($o.answers[$code] // {}) as $a | .content as $tables | . + ($a | del(.headers)) |
			if $o.record then .content = $tables + .content else . end |
			if .content == {} then del(.content) else . end |
			.headers = headers($op | extra_headers($key; $o; $code)) + headers($a.headers // []) |
			if $o.html then .content["text/html"] = { schema: { type: "string" } } else . end |
			if $o.record then .content["application/json"].schema |= (
				record_path as $p | setpath($p; ref("schemas"; $o.record)) |
				if $o.beside then .properties[$o.beside] = { type: ["string", "null"], description: "The token of the next page; null: this is the last one." } |
					.required += [$o.beside] else . end)
			else . end
		end);

# Describes an answer that is no success, from the texts: a redirection, or a page beside a problem.
def other($a; $code): {
	description: $a.description, headers: headers(["X-Request-Id"] + ($a.headers // [])),
	content: ($a.content + (if $code | startswith("4") then {
		"application/json": { schema: ref("schemas"; "Problems") },
		"application/problem+json": { schema: ref("schemas"; "FlatProblem") } } else {} end)) } |
	if .content == {} then del(.content) else . end;

def operation($key; $text):
	($text.operations[$key] // error("no words for \($key)")) as $o |
	(.responses | to_entries | map(select(.value.content["application/json"].schema) | .value.content["application/json"].schema)[0]) as $s |
	.list = ($s != null and ($s | record_path | length) > 2) |
	.paged = ($o.beside != null or ($s != null and ($s | record_path | length) > 3)) |
	.tags |= map($text.tags[.] // error("no tag for \(.)")) |
	.operationId = ($o.id // error("no id for \($key)")) |
	.description = $o.description |
	(if $o.security then .security = $o.security else . end) |
	(if $o.body then .requestBody = { required: true } + .requestBody + { content: $o.body } else . end) |
	(if $o.example then .requestBody.content["application/json"].example = { data: $o.example } else . end) |
	(if $o.body_fields then .requestBody.content["application/json"].schema.properties.data |= over({ properties: $o.body_fields }) else . end) |
	.parameters |= map(if .["$ref"] then . else parameter($text) end) |
	reduce (.responses | keys_unsorted[] | select(startswith("2"))) as $code (.;
		if .responses[$code]["$ref"] then . else success($key; $o; $code) end) |
	reduce ($o.answers // {} | keys_unsorted[] | select(startswith("2") | not)) as $code (.;
		.responses[$code] = other($o.answers[$code]; $code)) |
	(if $o.declares then .responses["200"] = { description: $o.declares, content: .responses["201"].content } else . end) |
	del(.list, .paged);

# Schemas of records, each from the first operation that names it.
def records($text):
	reduce (.paths | to_entries[] | .key as $path | .value | to_entries[] |
		{ key: "\(.key | ascii_upcase) \($path)", op: .value }) as $r ({};
		($text.operations[$r.key] // {}) as $o |
		([$r.op.responses[] | .content["application/json"].schema | values][0]) as $s |
		if $o.record and $s then
			($s | getpath(record_path)) as $schema | ($o.of // $o.record) as $name |
			if .[$name] and .[$name] != $schema then error("\($r.key): another \($name)") else .[$name] = $schema end
		else . end);

# Webhook messages: one for each type in the table of webhooks.
def pascal: split("[._]"; "") | map((.[:1] | ascii_upcase) + .[1:]) | join("");
def message_name($type): "\($type | pascal)Message";
def message($type; $words): { type: "object", description: "\($words[0]).",
	required: ["type", "timestamp", "data"], properties: {
		type: { const: $type, description: "What happened." },
		timestamp: { type: "string", format: "date-time", description: "When it happened." },
		data: ref("schemas"; $words[1]) } };
def webhook($type; $words): { post: {
	operationId: "on\($type | pascal)",
	summary: $words[0], description: "A message of type `\($type)`, signed as the Standard Webhooks specification 1.0 has it.",
	tags: ["Messages"], security: [],
	parameters: (["WebhookId", "WebhookTimestamp", "WebhookSignature"] | map(ref("parameters"; .))),
	requestBody: { required: true, content: { "application/json": { schema: ref("schemas"; message_name($type)) } } },
	responses: { "2XX": { description: "Taken" }, "410": { description: "The webhook is to be disabled" },
		default: { description: "It is sent again" } } } };

def webhooks($text): [.. | objects | select(.post.operationId? == "createWebhook")][0] |
	(.post.requestBody.content["application/json"].schema.properties.data.properties.events.items.enum - ["*"]) as $types |
	if $types - ($text.webhooks | keys) + (($text.webhooks | keys) - $types) != [] then error("webhooks: \($types) are other types") else . end |
	reduce $types[] as $type ({}; .[$type] = webhook($type; $text.webhooks[$type]));

# Records as webhooks contain them: without signed links, and requests with their event.
def told: .Voice as $voice | .TtsSample as $sample | .LanguageRequests as $requests | .
	+ { ToldVoice: ($voice | .description = "A voice; what was said with it has no address." |
		.properties.tts_sample = ($sample | .properties.url = { type: "null", description: "Ask for the voice." })),
	ToldRequest: ($requests.properties.requests.items | .description = "A listener's request." |
		.properties = { event_id: { type: "string", format: "uuid", description: "The event." } } + .properties |
		.properties.status = { type: "string", enum: ["pending", "approved", "rejected"], description: "How it is." } |
		.required = ["event_id"] + .required) };

def problems($text):
	$text.problems | with_entries(.key as $code | .value = { description: .value,
		headers: headers(["X-Request-Id-Perhaps"] +
			(if $code == "401" then ["WWW-Authenticate"] elif $code == "403" then ["WWW-Authenticate-Perhaps"]
			 elif $code == "429" then ["Retry-After"] elif $code | IN("409", "503") then ["Retry-After-Perhaps"] else [] end)),
		content: { "application/json": { schema: ref("schemas"; "Problems") },
			"application/problem+json": { schema: ref("schemas"; "FlatProblem") } } } | .key = "Problem\($code)");

# The list of codes that a body's field accepts; see "lists".
def lists($text; $paths):
	[$text.lists | to_entries[] | { name: .key, words: .value[2], enum:
		(.value[1] as $at | $paths[.value[0]].post.requestBody.content["application/json"].schema |
			.properties.data.properties | getpath($at) | .enum - [null]) }];

def check_words($text):
	(($text.operations | keys) - [.paths | to_entries[] | .key as $p | .value | keys[] | "\(ascii_upcase) \($p)"]) as $unknown |
	([$text.operations[].id] | group_by(.) | map(select(length > 1)[0])) as $twice |
	if $unknown != [] then error("no table has \($unknown)")
	elif $twice != [] then error("two operations are called \($twice)") else . end;

# Ids in paths are UUIDs, except these, which are plain strings.
def uuids: (.. | objects | select(.in? == "path" and (.name | test("_id$")) and (.name | IN("voice_id", "session_id", "line_id", "transcription_id") | not)) | .schema.format) = "uuid";

# ---- for the generators of clients ----

# The two forms of a new channel, which differ by their type.
def channel_forms:
	.paths["/saas/channel"].post.requestBody.content["application/json"].schema.properties.data as $new |
	.components.schemas += {
		NewEventChannel: ($new | .description = "A channel of an event." | .properties.type.enum = ["event"] |
			.properties.event_id.type = "string" | .required += ["event_id"]),
		NewStandaloneChannel: ($new | .description = "A channel of its own." | .properties.type.enum = ["standalone"] |
			(.properties.event_id, .properties.stage_id) = { type: "null", description: "An event's channel has it." }) } |
	.paths["/saas/channel"].post.requestBody.content["application/json"].schema.properties.data = {
		oneOf: [ref("schemas"; "NewEventChannel"), ref("schemas"; "NewStandaloneChannel")],
		discriminator: { propertyName: "type", mapping: {
			event: "#/components/schemas/NewEventChannel", standalone: "#/components/schemas/NewStandaloneChannel" } } };

# Turns "[\p{L}_]" into a pattern without Unicode categories: excludes the ASCII characters that are
# not in it.
def ascii_pattern:
	def hex: [., 16] | [(.[0] / 16 | floor), .[0] % 16] | map("0123456789abcdef"[.:. + 1]) | add;
	(capture("^\\^\\[(\\\\p[{][A-Za-z]+[}])+(?<plain>.*)\\]\\+\\$$").plain | explode) as $plain |
	("^[^" + ([range(128)] - [range(48; 58)] - [range(65; 91)] - [range(97; 123)] - $plain |
		map("\\x\(hex)") | add) + "]+$");

# Enumerations of one value in two schemas get constants with two names.
def constants: .components.schemas |= with_entries(.key as $name | if .value.enum then
	.value["x-enum-varnames"] = (.value.enum | map("\($name)_\(.)" | gsub("[^A-Za-z0-9]"; "_") | if . == "\($name)__" then "\($name)_all" else . end)) else . end);

# Rewrites a schema so that every generator understands it. A default beside null or a choice moves
# into the description. Constants get a type and are no booleans (Python reads true as another
# value). Integers without a bound get 64 bits (Go, Java and Rust use 32 otherwise). A pattern with
# Unicode categories becomes one that lists the refused ASCII characters.
def plain:
	if type == "object" then
		(if has("default") and (.anyOf or (.type | type) == "array") then
			.description = "\(.description // "" | if . == "" then . else . + " " end)Left out: \(.default)." | del(.default)
		else . end) |
		(if has("const") and (has("type") | not) then .type = (.const | type) else . end) |
		(if .const | type == "boolean" then .examples = [.const] | del(.const) else . end) |
		(if .type == "null" and . != { type: "null" } then .type = ["string", "null"] | .const = null else . end) |
		(if ([.type] | flatten | index("integer")) and (has("format") | not) and (.maximum // infinite) > 2147483647
			then .format = "int64" else . end) |
		(if (.pattern | type) == "string" and (.pattern | test("\\\\p[{]")) then .pattern |= ascii_pattern else . end) |
		with_entries(.value |= plain)
	elif type == "array" then map(plain) else . end;

reduce .[] as $p ({}; . + $p) | . as $paths | $doc[0] as $d | $text[0] as $t |
lists($t; $paths) as $lists | $d + { paths: $paths } | check_words($t) | records($t) as $records |
.components.schemas |= with_entries(.value as $o | .value =
	if $records[.key] then $records[.key] | over($o) else $o end) |
.paths |= with_entries(.key as $path | .value |= with_entries(.key as $method |
	.value |= operation("\($method | ascii_upcase) \($path)"; $t))) |
.paths |= uuids |
.webhooks = webhooks($t) |
.components.schemas += ([.webhooks | keys[] | { key: message_name(.), value: message(.; $t.webhooks[.]) }] | from_entries) |
.components.responses += problems($t) |
.components.schemas |= (settled | told) |
with_text($t.fields) | named($lists) |
.components.schemas += ($lists | map({ key: .name, value: { type: "string", enum, description: .words } }) | from_entries) |
fits | booleans | channel_forms | plain | constants
