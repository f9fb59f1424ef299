// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Drives Debian's Firefox without a screen, by its protocol Marionette over TCP. A message is its
// length, a colon, and a JSON array. The microphone is a tone.
const { spawn } = require("node:child_process");
const { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { connect } = require("node:net");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { nap, until } = require("./chromium.js");

const PREFERENCES = {
	"marionette.port": 0, // Firefox chooses a free port and writes it to a file of the profile
	"media.navigator.streams.fake": true,
	"media.navigator.permission.disabled": true,
	"media.autoplay.default": 0,
	"media.cubeb.force_mock_context": true, // lets pages play sound on a machine without a sound card
	"browser.shell.checkDefaultBrowser": false,
	"browser.startup.page": 0,
	"app.update.enabled": false,
	"datareporting.policy.dataSubmissionEnabled": false,
	"toolkit.telemetry.reportingpolicy.firstRun": false,
	"network.captive-portal-service.enabled": false,
	"network.connectivity-service.enabled": false,
};

// Runs in the page: returns the value of the expression, or the error.
const ASK = `const done = arguments[1];
	(async () => window.eval(arguments[0]))().then(value => done({ value }), e => done({ fail: String(e.stack || e) }));`;

// As ASK, for a page whose policy forbids eval; only members of window are visible.
const plain = expression => `const done = arguments[0];
	(async () => (${expression}))().then(value => done({ value }), e => done({ fail: String(e.stack || e) }));`;

class FirefoxPage {
	constructor(browser, handle) {
		Object.assign(this, { browser, handle, complaints: [], requests: [] }); // Firefox reports no such events
	}

	// Commands of one window wait for those of another, so that they do not disturb each other.
	inside(work) {
		return this.browser.in_turn(async () => {
			await this.browser.send("WebDriver:SwitchToWindow", { handle: this.handle });
			return work();
		});
	}

	// before: a script that fills the page's storage; the page is then loaded again.
	async open(url, before) {
		await this.inside(() => this.browser.send("WebDriver:Navigate", { url }));
		if (before) {
			await this.ask(`(() => { ${before} })()`);
			await this.inside(() => this.browser.send("WebDriver:Refresh"));
		}
		return this;
	}

	async ask(expression) {
		const { value } = await this.inside(() => this.browser.send("WebDriver:ExecuteAsyncScript",
			{ ...this.browser.strict ? { script: plain(expression), args: [] } : { script: ASK, args: [expression] },
				sandbox: null, newSandbox: false, scriptTimeout: 30000 }));
		if (value.fail !== undefined)
			throw new Error(value.fail);
		return value.value;
	}

	click(id) {
		return this.ask(`document.getElementById("${id}").click()`);
	}

	text(id) {
		return this.ask(`document.getElementById("${id}").textContent`);
	}

	until(expression, seconds, what) {
		return until(this, expression, seconds, what);
	}

	// Clear the storage before the next page.
	async close() {
		await this.ask("localStorage.clear()").catch(() => {});
		await this.inside(() => this.browser.send("WebDriver:CloseWindow"));
	}
}

class Firefox {
	// strict: true when the pages have a Content-Security-Policy.
	constructor(strict) {
		this.strict = strict;
		this.folder = mkdtempSync(join(tmpdir(), "dragoman-firefox-"));
		writeFileSync(join(this.folder, "user.js"), Object.entries(PREFERENCES).map(([name, value]) =>
			`user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(""));
		this.asked = new Map();
		this.left = Buffer.alloc(0);
		this.turn = Promise.resolve();
		this.process = spawn(process.env.FIREFOX || "firefox-esr", ["--headless", "--marionette",
			"--no-remote", "--profile", this.folder], { stdio: "ignore", detached: true,
			env: { ...process.env, HOME: this.folder } });
		this.gone = new Promise(done => this.process.on("exit", done));
		this.gone.then(() => this.asked.forEach(({ fail }) => fail(new Error("Firefox is gone"))));
	}

	async connect() {
		const file = join(this.folder, "MarionetteActivePort");
		for (const end = Date.now() + 60000; !existsSync(file) || !readFileSync(file).length;) {
			if (Date.now() > end)
				throw new Error("Firefox does not tell its port");
			await nap(100);
		}
		this.socket = connect(+readFileSync(file), "127.0.0.1");
		const greeted = new Promise(done => this.asked.set(undefined, { done }));
		this.socket.on("data", bytes => this.read(bytes));
		await greeted;
		await this.send("WebDriver:NewSession", { timeouts: { script: 60000 } });
		this.first = (await this.send("WebDriver:GetWindowHandles"))[0];
	}

	read(bytes) {
		this.left = Buffer.concat([this.left, bytes]);
		for (;;) {
			const colon = this.left.indexOf(":");
			const end = colon + 1 + Number(this.left.subarray(0, Math.max(colon, 0)));
			if (colon < 0 || this.left.length < end)
				return;
			this.take(JSON.parse(this.left.subarray(colon + 1, end)));
			this.left = this.left.subarray(end);
		}
	}

	take(message) {
		const [, id, error, result] = Array.isArray(message) ? message : [];
		const { done, fail } = this.asked.get(id);
		this.asked.delete(id);
		if (error)
			fail(new Error(`${error.error}: ${error.message}`));
		else
			done(result);
	}

	send(command, parameters = {}) {
		const id = this.next = (this.next || 0) + 1;
		const text = JSON.stringify([0, id, command, parameters]);
		this.socket.write(`${Buffer.byteLength(text)}:${text}`);
		return new Promise((done, fail) => this.asked.set(id, { done, fail }));
	}

	in_turn(work) {
		const mine = this.turn.then(work);
		this.turn = mine.catch(() => {});
		return mine;
	}

	async page() {
		this.ready = this.ready || this.connect();
		await this.ready;
		const { handle } = await this.in_turn(async () => {
			await this.send("WebDriver:SwitchToWindow", { handle: this.first }); // the last window may not be closed
			return this.send("WebDriver:NewWindow", { type: "tab" });
		});
		return new FirefoxPage(this, handle);
	}

	async close() {
		if (this.socket)
			this.send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
		await Promise.race([this.gone, nap(5000)]);
		try {
			process.kill(-this.process.pid, "SIGKILL"); // kills its children, too
		} catch {
			// already ended
		}
		rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
	}
}

module.exports = { Firefox };
