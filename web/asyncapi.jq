# The description of the sockets, AsyncAPI 3.0: made from the tables that `gateway --asyncapi`
# prints (the input) and $doc (asyncapi.json: everything that is in no table).

def camel: split("_") | .[0] + (.[1:] | map((.[:1] | ascii_upcase) + .[1:]) | join(""));
def pascal: camel | (.[:1] | ascii_upcase) + .[1:];
def ref($path): { "$ref": "#/\($path)" };

# Ids of messages. When two sockets have a message of the same name, STT and TTS put their own
# before it.
def id: (.name | camel) as $name | if .socket == "stt" then "stt\(.name | pascal)" else $name end;
def schema_name: id | (.[:1] | ascii_upcase) + .[1:];

# The schema of a message, with its members in `data` or flat, and the message's name.
def enveloped($key; $flat): . as $m | .schema as $s |
	if $flat then $s | .properties = { ($key): { const: $m.name } } + .properties | .required = [$key] + .required
	else ($m.sent or ($s.required | length) > 0) as $always |
		{ type: "object", properties: { ($key): { const: $m.name }, data: ($s | if $always then . else .type = ["object", "null"] end) },
			required: ([$key] + if $always then ["data"] else [] end) } end;

def payload($task):
	if .sent then (if .task then .schema.properties = ($task.properties | map_values(del(.default))) + .schema.properties else . end |
		enveloped("message_type"; .socket == "stt"))
	elif .socket == "tts" then enveloped("type"; true)
	else enveloped("message_type"; .socket == "stt") end;

def message: {
	name, title: .name, summary: (.description | split(". ")[0] | rtrimstr(".")),
	description: (.description + if .limit then " Limit: \(.limit)." else "" end +
		if .starred then " Only if `allowed_message_types` names it." else "" end),
	contentType: "application/json", payload: ref("components/schemas/\(schema_name)"),
	examples: [{ name, payload: .example }] };

# The content of binary frames.
def sound: { name: "audio", title: "audio", summary: "A chunk of audio in a binary frame",
	description: "Mono, in the format of the address, at most 512 KiB, best 320 ms at the pace of speech.",
	contentType: "application/octet-stream", payload: { type: "string", format: "binary" } };

# The messages of one socket and one direction.
def of($socket; $with): map(select((.socket == $socket or .sent and (.name | IN("warning", "error"))) and
	(.with | index($with) or $socket != "s2s")));

# $query: the schema of its parameters, from the table.
def channel($all; $address; $query; $socket; $with; $title; $description): {
	address: $address, title: $title, description: $description,
	messages: ([$all | of($socket; $with)[] | { (id): ref("components/messages/\(id)") }] | add +
		if $socket == "stt" then { audio: ref("components/messages/audio") } else {} end),
	bindings: { ws: ({ method: "GET", bindingVersion: "0.1.0" } + if $query.properties == {} then {} else { query: $query } end) } } +
	if $address | contains("{any}") then { parameters: { any: {
		description: "Any name of 1 to 128 unreserved characters; or leave out the whole segment" } } } else {} end;

# An operation for each message of clients, and one for all messages of the server.
def operations($all; $channel; $socket; $with):
	def refs: map(ref("channels/\($channel)/messages/\(id)"));
	def title: if $channel == "listener" then "listener\(.name | pascal)" else id end;
	($all | of($socket; $with)) as $mine |
	([$mine[] | select(.sent | not) | { (title): ({ action: "receive", channel: ref("channels/\($channel)"),
		title: .name, summary: (.description | split(". ")[0] | rtrimstr(".")), messages: ([.] | refs) } +
		({ get_task: "current_task", finalize: "transcription" }[.name] as $reply |
			if $reply then { reply: { channel: ref("channels/\($channel)"),
				messages: ([$mine[] | select(.sent and .name == $reply)] | refs) } } else {} end)) }] | add) +
	{ "\($channel)Sent": { action: "send", channel: ref("channels/\($channel)"),
		title: "What the server sends", summary: "All that the server sends", messages: ([$mine[] | select(.sent)] | refs) } };

"/streaming-api/{any}/v1/speech-to-speech/stream" as $s2s | "/asr/v1/speech-to-text/stream" as $stt |
"/tts-api/v1/text-to-speech/stream" as $tts |
.addresses as $addresses |
([.received[] + { sent: false }] + [.sent[] + { sent: true }]) as $all |
($all[] | select(.name == "set_task") | .schema) as $task |
$doc[0] * {
	channels: {
		speaker: channel($all; $s2s; { properties: {} }; "s2s"; "speaker"; "Speech to speech"; "Audio in; texts, translations and speech out. With the token of a session's publisher or an API key. Send `set_task`, then `get_task` until `current_task` is answered, then audio."),
		listener: channel($all; $s2s; $addresses[$s2s]; "s2s"; "listener"; "Listening"; "Texts and speech of one language. With the token of a listener or subscriber; the messages and their members are those of speech to speech."),
		speechToText: channel($all; $stt; $addresses[$stt]; "stt"; "speaker"; "Speech to text"; "Audio in, as binary frames; texts and translations out."),
		textToSpeech: channel($all; $tts; $addresses[$tts]; "tts"; "speaker"; "Text to speech"; "Texts in; speech out.")
	},
	operations: (operations($all; "speaker"; "s2s"; "speaker") + operations($all; "listener"; "s2s"; "listener") +
		operations($all; "speechToText"; "stt"; "speaker") + { audio: { action: "receive", channel: ref("channels/speechToText"),
			title: "audio", summary: "A chunk of audio", messages: [ref("channels/speechToText/messages/audio")] } } +
		operations($all; "textToSpeech"; "tts"; "speaker")),
	components: {
		messages: ([$all[] | { (id): message }] | add + { audio: sound }),
		schemas: ([$all[] | { (schema_name): payload($task) }] | add)
	}
}
