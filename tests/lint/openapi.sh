#!/bin/sh
# openapi.json uses only features that client generators support in every language; each
# line of output is a place that breaks a rule.
#
# BUILD: folder of the built file; or the file itself as an argument.

# SPDX-License-Identifier: GPL-3.0-or-later
cd "$(dirname "$0")/../.." || exit 1
file=${1:-${BUILD:-build}/share/openapi.json}
[ -e "$file" ] || {
	echo "openapi: $file is not built" >&2
	exit 1
}
found=$(jq -r '
	def at($what; f): path(.. | objects | select(f)) | "\($what): /\(map(tostring) | join("/"))";
	def constants: .["x-enum-varnames"] // .enum // [] | .[];
	at("null alone is no type of Go, Java and Python"; .type == "null" and . != { type: "null" }),
	at("\\p is no regular expression of Python"; (.pattern | type) == "string" and (.pattern | test("\\\\[pP][{]"))),
	at("an enumeration of null alone is no type of Rust"; .enum == [null]),
	at("a default beside a choice"; has("default") and (has("anyOf") or has("oneOf"))),
	at("a default beside null"; has("default") and (.type | type) == "array" and (.type | index("null"))),
	at("a constant without a type"; has("const") and (has("type") or has("properties") | not)),
	at("a constant boolean is not read by Python"; .const | type == "boolean"),
	at("an enumeration without a type"; (.enum | type) == "array" and (has("type") | not)),
	at("a choice without a discriminator"; has("oneOf") and (has("discriminator") | not)),
	([.components.schemas[] | constants | strings] | group_by(.)[] | select(length > 1) | "two constants are called \(.[0])"),
	(.webhooks | to_entries[] | select(.value.post.requestBody.content["application/json"].schema["$ref"] | not) |
		"a message without a name: \(.key)"),
	([.paths[][].tags[]?] as $tags | .webhooks[].post.tags[] | select(IN($tags[])) | "messages and routes share the tag \(.)"),
	(.components.schemas.Problem.properties.status | select(.minimum != 400) | "a problem has a status from 400 on"),
	(.paths["/saas/voice"].get.parameters[] | select(.name == "is_favorite" and .schema.type != "boolean") |
		"is_favorite is a boolean")
' "$file") || exit 1
[ -z "$found" ] || {
	echo "$found"
	exit 1
}
