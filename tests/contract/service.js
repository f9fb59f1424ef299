// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Access to an instance, with the operator's command and the database.
const { execFileSync, spawn } = require("node:child_process");
const { readdirSync, readlinkSync } = require("node:fs");
const http = require("node:http");
const { join } = require("node:path");

const nap = ms => new Promise(done => setTimeout(done, ms));

class Service {
	constructor(instance, root) {
		Object.assign(this, instance, { root });
		this.url = new URL(this.base_url);
	}

	// Runs the operator's command; returns its output.
	dragoman(...args) {
		const env = { ...process.env, DRAGOMAN_CONF: join(this.dir, "etc/dragoman.conf") };
		return JSON.parse(execFileSync(join(this.dir, "bin/dragoman"), [...args, "--json"], { env }));
	}

	account(name) {
		return this.dragoman("account", "add", "--name", name);
	}

	// { method, path, as, headers, json, type, body, from } -> { status, headers, body, data }
	ask({ method = "GET", path, as, headers = {}, json, type, body, from }) {
		if (as)
			headers = { Authorization: `Bearer ${as.api_key}`, ...headers };
		if (json !== undefined) {
			body = typeof json === "string" ? json : JSON.stringify(json);
			type = type || "application/json";
		}
		if (type)
			headers = { "Content-Type": type, ...headers };
		if (body !== undefined)
			headers = { "Content-Length": Buffer.byteLength(body), ...headers };
		const wish = { host: this.url.hostname, port: this.url.port, method, path, headers, localAddress: from, agent: false };
		return new Promise((done, fail) => {
			const request = http.request(wish, answer => {
				const parts = [];
				answer.on("data", part => parts.push(part)).on("error", fail).on("end", () => {
					const text = Buffer.concat(parts).toString();
					const json = /json/.test(answer.headers["content-type"]) ? JSON.parse(text) : {};
					done({ status: answer.statusCode, headers: answer.headers, body: text, data: json.data });
				});
			});
			// A server that refuses a large body may close the connection before the
			// whole body is sent.
			request.on("error", error => error.code === "EPIPE" || fail(error));
			request.end(body);
		});
	}

	// As ask(), but any other status is an error.
	async must(status, wish) {
		const answer = await this.ask(wish);
		if (answer.status !== status)
			throw new Error(`${wish.method || "GET"} ${wish.path}: wanted ${status}, got ${answer.status}: ` +
				answer.body.slice(0, 500));
		return answer;
	}

	async until(what, wish, holds) {
		for (let i = 0; i < 300; i++, await nap(100)) {
			const answer = await this.ask(typeof wish === "function" ? wish() : wish);
			if (holds(answer))
				return answer;
		}
		throw new Error(`${what} is awaited in vain`);
	}

	// Sends a form as /saas/upload or /saas/voice/clone returned it.
	async send(target, bytes) {
		const form = new FormData();
		for (const [name, value] of Object.entries(target.form_data))
			form.append(name, value);
		form.append("file", new Blob([bytes]), "file");
		return fetch(target.url, { method: "POST", body: form });
	}

	// Finds or ends the processes of one program, or of all programs.
	end_programs(name = "") {
		for (const pid of readdirSync("/proc").filter(one => /^\d+$/.test(one))) {
			let exe;
			try {
				exe = readlinkSync(`/proc/${pid}/exe`);
			} catch {
				continue;
			}
			if (exe.startsWith(join(this.dir, "cgi-bin", name)))
				process.kill(Number(pid), "SIGKILL");
		}
	}
}

// A psql session on the database. Its locks are held until the session ends.
class Psql {
	constructor(url) {
		this.process = spawn("psql", ["-qAt", "-v", "ON_ERROR_STOP=1", url], { stdio: ["pipe", "pipe", "inherit"] });
		this.said = "";
		this.process.stdout.on("data", data => this.said += data);
	}

	async run(sql) {
		const mark = `done-${Math.random()}`;
		this.process.stdin.write(`${sql};\n\\echo ${mark}\n`);
		while (!this.said.includes(mark)) {
			if (this.process.exitCode !== null)
				throw new Error(`psql: ${sql}`);
			await nap(5);
		}
	}

	end() {
		this.process.stdin.end();
		return new Promise(done => this.process.on("exit", done));
	}
}

// A proxy in front of a backend or an engine. It passes calls while door.fault is 0. Otherwise it
// answers with that status, sends no answer ("silent"), or answers as a Janus that refuses
// ("refused").
async function door_before(target) {
	const { host, pathname } = new URL(target);
	const server = http.createServer((asked, told) => {
		if (door.fault === "silent")
			return;
		if (door.fault === "refused") {
			told.end(JSON.stringify({ janus: "error", error: { code: 403, reason: "not today" } }));
			return;
		}
		if (door.fault > 0) {
			told.writeHead(door.fault).end();
			return;
		}
		const { method, url, headers } = asked, [hostname, port] = host.split(":");
		const on = http.request({ hostname, port, method, path: url, headers, agent: false }, answer => {
			told.writeHead(answer.statusCode, answer.headers);
			answer.pipe(told);
		});
		on.on("error", () => told.destroy());
		asked.pipe(on);
	});
	const door = { fault: 0, end: () => { server.close(); server.closeAllConnections(); } };
	await new Promise(done => server.listen(0, "127.0.0.1", done));
	door.url = `http://127.0.0.1:${server.address().port}${pathname.replace(/\/$/, "")}`;
	return door;
}

// A program of build/tests/ that prints its port and runs until its input ends.
async function server_of(program) {
	const child = spawn(program, [], { stdio: ["pipe", "pipe", "inherit"] });
	const port = Number(await new Promise(done => child.stdout.once("data", done)));
	return { url: `http://127.0.0.1:${port}`, end: () => child.stdin.end() };
}

module.exports = { Service, Psql, door_before, server_of, nap };
