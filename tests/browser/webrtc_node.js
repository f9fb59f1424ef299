// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// @livekit/rtc-node. It has the same Rust core as LiveKit's packages for Python.
const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const { join } = require("node:path");
const { createInterface } = require("node:readline");
const { nap } = require("./chromium.js");
const { by_wire, packages, session_of, task } = require("./webrtc_service.js");

const versions = process.env.WEBRTC_VERSIONS.split(/\s+/).filter(name => name.startsWith("@livekit/rtc-node@"))
	.map(name => name.replace("@livekit/rtc-node@", ""));

const newest = versions[versions.length - 1];

// Each client is a process of its own, because both versions load native libraries.
class Program {
	constructor(version, url, token) {
		this.events = [];
		this.process = spawn(process.execPath, [join(__dirname, "rtc_node.mjs"),
			join(packages, `rtc-node-${version}`, "dist", "index.js"), url, token], {
			stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, TASK: JSON.stringify(task()) } });
		this.errors = "";
		this.process.stderr.on("data", text => this.errors += text);
		createInterface(this.process.stdout).on("line", line => line.startsWith("{") && this.events.push(JSON.parse(line)));
		this.gone = new Promise(done => this.process.on("exit", (code, signal) => done(signal || code)));
		this.gone.then(code => this.code = code);
	}

	async until(look, seconds, what) {
		for (const end = Date.now() + seconds * 1000; Date.now() < end; await nap(50)) {
			const found = this.events.find(look);
			if (found)
				return found;
			assert.equal(this.code, undefined, `${what}: ${this.code} ${this.errors}`);
		}
		throw new Error(`${what} is awaited in vain: ${JSON.stringify(this.events.slice(-10))} ${this.errors.slice(-1000)}`);
	}

	event(what, seconds, from = 0) {
		return this.until(e => e.what === what && e.at >= from, seconds, what);
	}

	// Waits until so many seconds of the sine were heard; returns the first moment.
	async hears(track, from = 0, seconds = 15) {
		const heard = () => this.events.filter(({ what, at, ms }) => what === "heard" && at >= from && ms);
		await this.until(() => heard().reduce((sum, { ms }) => sum + ms, 0) > 500, seconds, "half a second of sound");
		const pitches = heard().map(({ hz }) => hz).sort((a, b) => a - b);
		assert.ok(Math.abs(pitches[pitches.length >> 1] - 220) < 60, JSON.stringify(pitches));
		assert.ok(heard().every(({ sid }) => sid === track.sid));
		return heard()[0].at;
	}

	async end() {
		this.process.stdin.end();
		const code = await Promise.race([this.gone, nap(20000)]);
		assert.equal(code, 0, `${code} ${this.errors}`);
	}

	kill() {
		this.process.kill("SIGKILL");
	}
}

// The client resumes when its signalling is cut.
async function resumes(test, program, wire, track) {
	wire.cut();
	const { at: lost } = await program.event("reconnecting", 10);
	const { at: back } = await program.event("reconnected", 20);
	test.seen.push(`resumed ${((back - lost) / 1000).toFixed(1)} s after`);
	await program.hears(track, back);
	assert.equal(program.events.filter(({ what }) => what === "track").length, 1);
}

async function run(test, version, server) {
	const session = await session_of(test, server);
	const { wire, url } = await by_wire(session.webrtc_url);
	const program = new Program(version, url, session.publisher);
	try {
		const { at: connected } = await program.event("connected", 15);
		const { identity } = await program.event("translator", 1);
		assert.match(identity, /^palabra_translator_/);
		const { at: published } = await program.event("published", 15);
		const track = await program.event("track", 5);
		assert.equal(track.name, "translation_es");
		const first = await program.hears(track);
		test.seen.push(`connected ${connected} ms`,
			`first sound ${((first - published) / 1000).toFixed(1)} s after the microphone`);

		if (version === newest) // the old version ends by SIGSEGV once in 50 runs
			await resumes(test, program, wire, track);
		await program.end();
		assert.ok(!program.events.some(e => e.message_type === "error" && e.data.code !== "NOT_FOUND"));
	} finally {
		program.kill();
		wire.close();
	}
}

module.exports = { cases: versions.flatMap(version => ["apache", "lighttpd"].map(server => ({
	title: `rtc-node ${version} by ${server}`, run: test => run(test, version, server) }))) };
