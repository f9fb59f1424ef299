// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node prism.js OPENAPI RECORDING...
//
// Checks recordings with prism, as a validating proxy: its upstream server returns the recorded
// answer to each request.  Some exchanges of every operation and status are sent.  Faults are
// prism's findings in answers, and those in requests that the service accepted.
const { spawn } = require("node:child_process");
const { readFileSync } = require("node:fs");
const http = require("node:http");
const { Judge } = require("./judge.js");
const { exchanges } = require("./traffic.js");

const EACH = 12;
const [file, ...recordings] = process.argv.slice(2);
const judge = new Judge(JSON.parse(readFileSync(file)));
const nap = ms => new Promise(done => setTimeout(done, ms));

// True for exchanges that prism cannot check; only judge.js checks them.
function beyond_prism({ request, answer }, operation) {
	return request.method === "HEAD" || // prism would read a body after HEAD
		/%(?![0-9a-f]{2})/i.test(request.target) || // prism would crash
		answer.status === 501 || // prism would take the headers of other answers for its own
		operation.says.requestBody?.content["multipart/form-data"] !== undefined || // prism reads only forms whose fields are texts
		/problem/.test(answer.headers["content-type"] || "") || // prism would use the schema of application/json
		/html|xml|csv|audio|video|image|text/.test(answer.headers["content-type"] || ""); // prism has no parser for these types
}

// In accepted requests prism does not support: names in any case, lists with commas, an ignored
// body, credentials' header names in any case, an empty JSON body.
const LENIENT = /equal to one of the allowed values|request included a non-empty body|Invalid security scheme|Request body must be object/;

function chosen() {
	const some = new Map(), all = [];
	for (const recording of recordings)
		for (const exchange of exchanges(recording)) {
			const { request, answer } = exchange;
			const operation = request && request.body && judge.find(request.method, request.target);
			if (!operation || answer.status < 200 || !operation.says.responses[answer.status] || beyond_prism(exchange, operation))
				continue;
			const key = `${operation.key} ${answer.status}`, n = some.get(key) || 0;
			some.set(key, n + 1);
			if (n < EACH)
				all.push({ ...exchange, key });
		}
	return all;
}

function listen(server) {
	return new Promise(done => server.listen(0, "127.0.0.1", () => done(server.address().port)));
}

const flat = headers => Object.fromEntries(Object.entries(headers).filter(([name]) =>
	!["connection", "transfer-encoding", "content-length", "content-encoding", "host", "expect", "upgrade", "http2-settings"].includes(name))
	.map(([name, texts]) => [name, texts.join(", ")]));

function send(port, { request }, i) {
	return new Promise((done, fail) => {
		const asked = http.request({ host: "127.0.0.1", port, method: request.method, path: request.target,
			headers: { ...flat(request.headers), ...request.body.length > 0 ? { "Content-Length": request.body.length } : {}, "x-replay": i } },
		answer => answer.resume().on("end", () => done(answer)));
		asked.on("error", fail);
		asked.end(request.body);
	});
}

(async () => {
	const all = chosen();
	const upstream = http.createServer((asked, told) => {
		const { answer } = all[Number(asked.headers["x-replay"])];
		asked.resume();
		told.writeHead(answer.status, flat(answer.headers)).end(answer.body);
	});
	const at = await listen(upstream), probe = http.createServer(), port = await listen(probe);
	await new Promise(done => probe.close(done));
	const prism = spawn(process.env.PRISM, ["proxy", file, `http://127.0.0.1:${at}`, "-p", port, "-h", "127.0.0.1",
		"--validate-request", "true", "-v", "error"], { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, NO_COLOR: "1" } });
	for (let i = 0; i < 300; i++, await nap(100))
		if (await fetch(`http://127.0.0.1:${port}/`, { headers: { "x-replay": "0" } }).then(() => true, () => false))
			break;
	const found = new Map();
	let through = 0;
	for (const [i, one] of all.entries()) {
		const answer = await send(port, one, i);
		through++;
		for (const fault of JSON.parse(answer.headers["sl-violations"] || "[]")) {
			const [side] = fault.location;
			if (side === "request" && (one.answer.status >= 300 || LENIENT.test(fault.message)))
				continue;
			found.set(`${one.key}: ${fault.location.join(".")}: ${fault.message}`, one.request.target);
		}
	}
	prism.kill();
	upstream.close();
	upstream.closeAllConnections();
	for (const [text, target] of [...found].sort())
		console.log(`VIOLATION ${text}\n\t${target}`);
	console.log(`prism: ${through} exchanges through it: ${found.size} violations`);
	process.exit(found.size > 0 ? 1 : 0);
})();
