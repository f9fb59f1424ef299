// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The page of docs/quickstart.md. The guide's own commands make it, another address serves it, and
// it has only the permissions that the guide names.
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const { mkdtempSync, readFileSync } = require("node:fs");
const { createServer } = require("node:http");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { base, key } = require("./service.js");

const GUIDE = join(__dirname, "../../docs/quickstart.md");

// Runs the commands of a section in a folder.
function follow(section) {
	const [, text] = readFileSync(GUIDE, "utf8").split(`## ${section}\n`);
	const commands = text.match(/^```sh\n(.*?)^```$/ms)[1];
	const folder = mkdtempSync(join(tmpdir(), "quickstart-"));
	execFileSync("bash", ["-euc", commands], { cwd: folder, env: { ...process.env, BASE: base, KEY: key } });
	return name => readFileSync(join(folder, name), "utf8");
}

function serve(page) {
	const policy = `default-src 'none'; script-src 'unsafe-inline' blob:; connect-src ${base} ${base.replace(/^http/, "ws")}`;
	const server = createServer((request, answer) => request.url === "/translate.html"
		? answer.writeHead(200, { "Content-Type": "text/html", "Content-Security-Policy": policy }).end(page)
		: answer.writeHead(404).end());
	return new Promise(done => server.listen(0, "127.0.0.1", () => done(server)));
}

// Records each piece of sound that the page plays.
const RECORDER = `window.played = [];
	AudioBufferSourceNode.prototype.start = (was => function (at) {
		const { duration, sampleRate } = this.buffer, samples = this.buffer.getChannelData(0);
		const ups = samples.filter((one, i) => i > 0 && samples[i - 1] < 0 && one >= 0).length;
		played.push({ at, duration, hz: ups / duration, height: Math.max(...samples) });
		return was.call(this, at);
	})(AudioBufferSourceNode.prototype.start)`;

async function the_guides_page_translates_a_microphone(browser) {
	const made = follow("In a browser");
	const server = await serve(made("translate.html"));
	const link = made("link").trim().replace(/^http:\/\/[^/]+/, `http://127.0.0.1:${server.address().port}`);
	const page = await (await browser.page()).open(link, RECORDER);
	const heard = "[...document.querySelectorAll('#heard li')].map(e => e.textContent)";
	await page.click("start");
	await page.until(`${heard}.length >= 2`, 20, "two translations");
	await page.click("stop");
	await page.until("!document.getElementById('start').disabled", 15, "the end");
	for (const text of await page.ask(heard))
		assert.equal(text, "[es] hello world");

	const played = await page.ask("played");
	const seconds = played.reduce((sum, one) => sum + one.duration, 0);
	assert.ok(seconds > 1.8, `${seconds} s of speech`); // the script engine speaks 60 ms for each letter
	const whole = played.filter(one => one.duration > 0.1);
	assert.ok(whole.every(one => Math.abs(one.hz - 220) < 12 && one.height > 0.1), JSON.stringify(played));
	for (const [i, one] of played.entries())
		assert.ok(i === 0 || one.at >= played[i - 1].at + played[i - 1].duration - 1e-6, JSON.stringify(played));
	await page.click("start"); // once more
	const before = (await page.ask(heard)).length;
	await page.until(`${heard}.length > ${before}`, 20, "another translation");
	server.close();
}

module.exports = { cases: [the_guides_page_translates_a_microphone] };
