// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node asyncapi.js ASYNCAPI RECORDING...
//
// Checks /asyncapi.json with AsyncAPI's own parser, and recorded socket messages (recorder.js) with
// the description.  Faults are: a message of the server that differs from the description, has
// additional members, or was sent to the wrong client; a client's message that the description
// forbids and the service accepted; a described message that was never seen.
const { readFileSync } = require("node:fs");
const { Parser } = require("@asyncapi/parser");
const Ajv = require("ajv/dist/2020");
const formats = require("ajv-formats");
const { sockets } = require("./traffic.js");

const [file, ...recordings] = process.argv.slice(2);
const text = readFileSync(file, "utf8");
const doc = JSON.parse(text);
const found = new Map(), seen = new Map();
let judged = 0;

const named = ref => ref.slice(2).split("/").reduce((at, step) => at[step], doc);
const note = (what, where) => found.has(what) || found.set(what, where);

// Messages of the server may have no undescribed members. A task also has the members that the
// client sent.
function strict(schema, name) {
	if (typeof schema !== "object" || schema === null || Array.isArray(schema) || name === "CurrentTask")
		return schema;
	const to = Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, strict(one)]));
	return schema.properties && !("additionalProperties" in schema) ? { ...to, additionalProperties: false } : to;
}

const ajv = new Ajv({ strict: false, allErrors: true });
formats(ajv);
const validators = Object.fromEntries(Object.entries(doc.components.schemas).map(([name, schema]) =>
	[name, { received: ajv.compile(schema), sent: ajv.compile(strict(schema, name)) }]));

// A listener's token contains "write": false.
function channel_of({ target, headers }) {
	const [path, query] = target.split("?");
	const token = new URLSearchParams(query).get("token") ||
		(headers.authorization || [""])[0].replace(/^Bearer /, "");
	const claims = /^[^.]+[.][^.]+[.][^.]+$/.test(token) ? JSON.parse(Buffer.from(token.split(".")[1], "base64url")) : {};
	const reads = ["subscriber", "listener"].includes(claims.role);
	return Object.keys(doc.channels).find(name => name === (reads ? "listener" : "speaker") ||
		!["listener", "speaker"].includes(name) ? new RegExp(`^${doc.channels[name].address.replace("{any}/", "([^/]+/)?")}$`)
			.test(path) && (name !== "listener" || reads) && (name !== "speaker" || !reads) : false);
}

function parse({ data }) {
	try {
		const value = JSON.parse(data.toString());
		return typeof value.data === "string" ? { ...value, data: JSON.parse(value.data) } : value;
	} catch {
		return undefined;
	}
}

// The ids of a channel's messages that the server sends, or that clients send.
const ids = (channel, action) => Object.values(doc.operations)
	.filter(one => one.action === action && one.channel.$ref === `#/channels/${channel}`)
	.flatMap(one => one.messages.map(({ $ref }) => $ref.split("/").pop()));

function faults(channel, action, value) {
	const type = value && (value.message_type || value.type);
	const id = ids(channel, action).find(one => doc.components.messages[one].name === type);
	if (!id)
		return { type, errors: [`${channel} has no ${type}`] };
	const validate = validators[doc.components.messages[id].payload.$ref.split("/").pop()][action === "send" ? "sent" : "received"];
	if (validate(value))
		seen.set(`${channel} ${id}`, true);
	return { type, errors: validate(value) ? [] : validate.errors.map(one =>
		`${one.instancePath} ${one.message} ${one.params.additionalProperty || ""}`) };
}

function judge({ request, received, sent }) {
	const channel = channel_of(request);
	if (!channel)
		return;
	const answers = sent.map(parse);
	for (const value of answers) {
		const { type, errors } = faults(channel, "send", value);
		judged++;
		for (const one of errors)
			note(`${channel} sends ${type}: ${one}`, JSON.stringify(value).slice(0, 400));
	}
	const refusals = answers.filter(one => one?.message_type === "error").map(one => one.data.code);
	for (const one of received) {
		if (channel === "speechToText" && one.binary) {
			seen.set(`${channel} audio`, true);
			continue;
		}
		const value = parse(one);
		if (!value) // the first texts of a starting task may be dropped without a message
			continue;
		const { type, errors } = faults(channel, "receive", value);
		judged++;
		if (!refusals.some(code => ["VALIDATION_ERROR", "PERMISSION_DENIED"].includes(code)))
			for (const error of errors)
				note(`${channel} takes ${type}: ${error}`, one.data.toString().slice(0, 400));
	}
}

(async () => {
	const { document, diagnostics } = await new Parser().parse(text);
	for (const one of diagnostics)
		if (one.code !== "asyncapi-latest-version") // only readers of version 3.0 exist
			note(`${one.code}: ${one.message}`, one.path.join("."));
	if (!document)
		note("it is no AsyncAPI", file);
	for (const recording of recordings)
		for (const socket of sockets(recording))
			judge(socket);
	const wanted = Object.keys(doc.channels).flatMap(name => Object.keys(doc.channels[name].messages).map(id => `${name} ${id}`));
	const missing = recordings.length > 0 ? wanted.filter(one => !seen.has(one)) : [];
	for (const [what, where] of [...found].sort())
		console.log(`VIOLATION ${what}\n\t${where}`);
	for (const one of missing)
		console.log(`NEVER SEEN ${one}`);
	console.log(`asyncapi: ${judged} messages on sockets: ${found.size} violations; ` +
		`${wanted.length - missing.length} of ${wanted.length} kinds seen`);
	process.exitCode = found.size + missing.length > 0 ? 1 : 0;
})();
