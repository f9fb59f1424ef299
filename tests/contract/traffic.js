// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Reads requests and answers from the files of recorder.js.
const { readFileSync } = require("node:fs");
const { gunzipSync } = require("node:zlib");

const CRLF2 = Buffer.from("\r\n\r\n");

// Returns the bytes of each connection, separately for both ends.
function connections(file) {
	const all = readFileSync(file), found = new Map();
	for (let at = 0; at + 9 <= all.length;) {
		const id = all.readUInt32BE(at), who = all.readUInt8(at + 4), n = all.readUInt32BE(at + 5);
		if (!found.has(id))
			found.set(id, [[], []]);
		if (who < 2)
			found.get(id)[who].push(all.subarray(at + 9, at + 9 + n));
		at += 9 + n;
	}
	return [...found.values()].map(ends => ends.map(parts => Buffer.concat(parts)));
}

// Returns the start line and the headers by names in lower case; several of one name are a list.
function head_of(bytes) {
	const end = bytes.indexOf(CRLF2);
	if (end < 0)
		return null;
	const [line, ...rest] = bytes.subarray(0, end).toString("latin1").split("\r\n");
	const headers = {};
	for (const text of rest) {
		const colon = text.indexOf(":"), name = text.slice(0, colon).toLowerCase();
		(headers[name] = headers[name] || []).push(text.slice(colon + 1).trim());
	}
	return { line, headers, rest: bytes.subarray(end + 4) };
}

function chunks(bytes) {
	const parts = [];
	for (;;) {
		const end = bytes.indexOf("\r\n");
		const n = end < 0 ? NaN : parseInt(bytes.subarray(0, end).toString(), 16);
		if (!(end + 2 + n + 2 <= bytes.length))
			return null;
		parts.push(bytes.subarray(end + 2, end + 2 + n));
		bytes = bytes.subarray(end + 4 + n);
		if (n === 0)
			return { body: Buffer.concat(parts), rest: bytes };
	}
}

// Returns how the end of a message's body is found; null: the message was cut.
function body_of({ headers, rest }, to_the_end) {
	const length = headers["content-length"];
	if (headers["transfer-encoding"])
		return chunks(rest);
	if (length)
		return rest.length < Number(length[0]) ? null :
			{ body: rest.subarray(0, Number(length[0])), rest: rest.subarray(Number(length[0])) };
	return to_the_end ? { body: rest, rest: Buffer.alloc(0) } : { body: Buffer.alloc(0), rest };
}

function read_request(bytes) {
	const head = head_of(bytes);
	const match = head && /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(head.line);
	const body = match && body_of(head, false);
	return match && { method: match[1], target: match[2].replace(/^http:\/\/[^/]*/, ""),
		headers: head.headers, body: body && body.body, rest: body && body.rest };
}

function read_answer(bytes, method) {
	const head = head_of(bytes);
	const match = head && /^HTTP\/1\.[01] (\d{3})/.exec(head.line);
	if (!match)
		return null;
	const status = Number(match[1]);
	if (status === 100)
		return read_answer(head.rest, method);
	const none = method === "HEAD" || status === 204 || status === 304 || status === 101;
	const body = none ? { body: Buffer.alloc(0), rest: head.rest } : body_of(head, true);
	const plain = body && /gzip/.test(head.headers["content-encoding"]) ? gunzipSync(body.body) : body?.body;
	return body && { status, headers: head.headers, body: plain, rest: body.rest };
}

// Pairs each request with its answer.  A request that is cut or cannot be parsed may also have an
// answer, which is the last of its connection.
function* exchanges(file) {
	for (let [asked, answered] of connections(file))
		while (asked && answered && answered.length > 0) {
			const request = asked.length > 0 ? read_request(asked) : null;
			const answer = read_answer(answered, request && request.method);
			if (request && answer)
				yield { request, answer };
			asked = request && request.rest;
			answered = answer && answer.rest;
		}
}

// ---- WebSockets ----

// The texts and binaries that one end sent (RFC 6455), with fragments joined and masks removed.
function* messages_of(bytes) {
	let parts = [], opcode = 0;
	while (bytes.length >= 2) {
		const masked = bytes[1] & 0x80, short = bytes[1] & 0x7f;
		const wide = short === 126 ? 2 : short === 127 ? 8 : 0;
		const head = 2 + wide + (masked ? 4 : 0);
		if (bytes.length < head)
			return;
		const n = wide === 2 ? bytes.readUInt16BE(2) : wide === 8 ? Number(bytes.readBigUInt64BE(2)) : short;
		if (bytes.length < head + n)
			return;
		const mask = masked ? bytes.subarray(head - 4, head) : Buffer.alloc(4);
		const data = Buffer.from(bytes.subarray(head, head + n)).map((one, i) => one ^ mask[i % 4]);
		const code = bytes[0] & 0x0f, is_last = bytes[0] & 0x80;
		bytes = bytes.subarray(head + n);
		if (code >= 8)
			continue;
		opcode = code || opcode;
		parts.push(data);
		if (is_last) {
			yield { binary: opcode === 2, data: Buffer.concat(parts) };
			parts = [];
		}
	}
}

// Each opened socket: its request, and the messages of both ends.
function* sockets(file) {
	for (const [asked, answered] of connections(file)) {
		const request = read_request(asked), answer = request && read_answer(answered, request.method);
		if (answer && answer.status === 101)
			yield { request, received: [...messages_of(request.rest)], sent: [...messages_of(answer.rest)] };
	}
}

module.exports = { exchanges, sockets };
