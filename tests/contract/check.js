// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node check.js OPENAPI RECORDING...
//
// Checks every recorded request and answer (recorder.js) with judge.js.  Faults are: an answer that
// differs from the description or has additional members; a request that the description forbids
// and the service accepted; a request that the description allows and the service refused for its
// form; a status of an operation that was never answered.
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { Judge } = require("./judge.js");
const { exchanges } = require("./traffic.js");

// Reads a table; each line has a text, " # " and the reason.
function table(name) {
	const lines = readFileSync(join(__dirname, name), "utf8").split("\n");
	return lines.filter(line => line && !line.startsWith("#")).map(line => line.split(" # ")[0].trim());
}

const [file, ...recordings] = process.argv.slice(2);
const judge = new Judge(JSON.parse(readFileSync(file)));
const beyond = table("rules").map(line => new RegExp(line));
const unseen = table("unseen");
const found = new Map(), statuses = new Set();
let judged = 0, refused = 0;

function note(key, what, request, answer) {
	const text = `${key} ${answer.status}: ${what}`;
	if (!found.has(text))
		found.set(text, `${request.method} ${request.target}\n\t${request.body.subarray(0, 300)}\n\t` +
			`${answer.body.subarray(0, 500)}`);
}

// Answers that any path may give, and answers that the web server gives before a program runs. The
// latter have no request id, or an unknown one.
function of_any_path({ status, headers, body }) {
	return [405, 408, 414, 431].includes(status) || (status >= 400 && !headers["x-request-id"] &&
		(body.length === 0 || body.includes("00000000-0000-0000-0000-000000000000")));
}

const details = answer => {
	try {
		const said = JSON.parse(answer.body.toString());
		return (said.errors || [said]).map(problem => problem.detail);
	} catch {
		return [answer.body.toString()];
	}
};

function judge_one({ request, answer }) {
	const operation = judge.find(request.method, request.target);
	if (!operation || !request.body || answer.status === 101)
		return;
	judged++;
	if (request.method === operation.method)
		statuses.add(`${operation.key} ${answer.status}`);
	const any = of_any_path(answer);
	for (const what of any ? judge.refusal(request, answer) : judge.answer(operation, request, answer))
		note(operation.key, what, request, answer);
	if (any)
		return;
	const faults = judge.request(operation, request);
	refused += faults.length > 0;
	if (faults.length > 0 && answer.status < 300)
		note(operation.key, `taken, although ${faults.join("; ")}`, request, answer);
	if (faults.length === 0 && [400, 422].includes(answer.status))
		for (const detail of details(answer).filter(one => !beyond.some(rule => rule.test(one))))
			note(operation.key, `refused, although allowed: ${detail}`, request, answer);
}

for (const recording of recordings)
	for (const exchange of exchanges(recording))
		if (exchange.request)
			judge_one(exchange);

const wanted = judge.operations.flatMap(one => Object.keys(one.says.responses).map(status => `${one.key} ${status}`));
const missing = wanted.filter(one => !statuses.has(one) && !unseen.includes(one));
const seen = unseen.filter(one => statuses.has(one));
for (const [text, where] of [...found].sort())
	console.log(`VIOLATION ${text}\n\t${where}`);
for (const one of missing.sort())
	console.log(`NEVER ANSWERED ${one}`);
for (const one of seen)
	console.log(`ANSWERED AFTER ALL, see unseen: ${one}`);
console.log(`${judged} exchanges of ${judge.operations.length} operations, ${refused} of them requests that the description ` +
	`refuses: ${found.size} violations; ${wanted.length - missing.length - unseen.length} of ${wanted.length} statuses answered, ` +
	`${unseen.length} that cannot be, ${missing.length} never`);
process.exitCode = found.size + missing.length + seen.length > 0 ? 1 : 0;
