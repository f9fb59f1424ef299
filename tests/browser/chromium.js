// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Drives Debian's Chromium without a screen, by the DevTools protocol over a pipe. A message is a
// JSON object and a NUL byte. The microphone is a file that is repeated.
const { spawn } = require("node:child_process");
const { mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

const { recorder } = require("./ear.js");

const nap = ms => new Promise(done => setTimeout(done, ms));

// For the log: the page's text and its open requests, one per line.
async function tell(page) {
	const open = tell_waiting(page.waiting || new Map());
	const asked = page.ask("({ url: location.href, ...document.body.dataset, says: document.body.innerText.slice(-500) })");
	const says = await Promise.race([asked.then(JSON.stringify, error => error.message), nap(3000).then(() => "does not answer")]);
	return [`page: ${without_tokens(says)}`, ...open];
}

const without_tokens = text => text.replace(/(token=)[\w.-]+/g, "$1…");
const tell_waiting = waiting => [...waiting.values()].map(({ what, since }) => `  open for ${((Date.now() - since) / 1000).toFixed(1)} s: ${without_tokens(what)}`);

async function until(page, expression, seconds, what) {
	const end = Date.now() + seconds * 3000; // three times the limit, for a busy machine
	for (;;) {
		const value = await page.ask(expression).catch(error => /navigated or closed/.test(error.message) ? null : Promise.reject(error)); // another page comes
		if (value)
			return value;
		if (Date.now() > end)
			throw new Error(`${what || expression} is awaited in vain; the page says: ` +
				await page.ask("document.body && document.body.innerText"));
		await nap(50);
	}
}

class Page {
	constructor(browser, target, session) {
		Object.assign(this, { browser, target, session });
		this.requests = [];   // addresses of requests and sockets
		this.complaints = []; // console errors, exceptions, violations of the page's policy
		this.bytes = 0;       // bytes received, without those of sockets
		this.waiting = new Map(); // open requests, sockets and commands of tests
	}

	send(method, params) {
		const id = Symbol(method);
		if (method === "Emulation.setDeviceMetricsOverride")
			this.size = params;
		this.waiting.set(id, { what: `${method} ${params?.expression || ""}`.slice(0, 200), since: Date.now() });
		return this.browser.send(method, params, this.session).finally(() => this.waiting.delete(id));
	}

	take(method, params) {
		if (method === "Fetch.requestPaused")
			this.send("Fetch.fulfillRequest", { requestId: params.requestId, responseCode: 200,
				responseHeaders: [{ name: "Content-Type", value: "text/javascript" }],
				body: Buffer.from(recorder).toString("base64") }).catch(() => {});
		else if (method === "Network.requestWillBeSent")
			this.begin(params.requestId, params.request.method, params.request.url);
		else if (method === "Network.webSocketCreated")
			this.begin(params.requestId, "socket", params.url);
		else if (/^Network\.(loadingFinished|loadingFailed|webSocketClosed)$/.test(method)) {
			this.waiting.delete(params.requestId);
			this.bytes += params.encodedDataLength || 0;
		}
		else if (method === "Runtime.exceptionThrown")
			this.complaints.push(params.exceptionDetails.exception.description);
		else if (method === "Runtime.consoleAPICalled" && params.type === "error")
			this.complaints.push(params.args.map(arg => arg.value).join(" "));
		else if (method === "Log.entryAdded" && params.entry.level === "error")
			this.complaints.push(`${params.entry.text} ${params.entry.url || ""}`);
		else if (method === "Audits.issueAdded")
			this.complaints.push(JSON.stringify(params.issue));
	}

	begin(id, how, url) {
		this.requests.push(url);
		this.waiting.set(id, { what: `${how} ${url}`, since: Date.now() });
	}

	async open(url, before) {
		for (const domain of ["Network", "Runtime", "Log", "Page", "Audits"])
			await this.send(`${domain}.enable`);
		// Serve recorder.js to the page, because the page's policy allows no script from
		// elsewhere.
		await this.send("Fetch.enable", { patterns: [{ urlPattern: "*/recorder.js" }] });
		if (before)
			await this.send("Page.addScriptToEvaluateOnNewDocument", { source: before });
		await this.send("Page.navigate", { url });
		await this.until("document.readyState === 'complete'", 10, "the page to be loaded");
		return this;
	}

	// Evaluates an expression as after a touch of the page by a user.
	async ask(expression) {
		const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
			expression, awaitPromise: true, returnByValue: true, userGesture: true });
		if (exceptionDetails)
			throw new Error(exceptionDetails.exception.description);
		return result.value;
	}

	text(id) {
		return this.ask(`document.getElementById("${id}").textContent`);
	}

	click(id) {
		return this.ask(`document.getElementById("${id}").click()`);
	}

	until(expression, seconds, what) {
		return until(this, expression, seconds, what);
	}

	// A picture of the whole page, including the part that needs scrolling.
	async picture(file) {
		const { cssContentSize: size, cssVisualViewport: seen } = await this.send("Page.getLayoutMetrics");
		const clip = { x: 0, y: 0, width: size.width, height: Math.max(seen.clientHeight, Math.min(size.height, 5000)), scale: 1 };
		const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: true, clip });
		writeFileSync(file, Buffer.from(data, "base64"));
	}

	async close() {
		if (!this.browser.pages.delete(this.session))
			return;
		await this.browser.send("Target.closeTarget", { targetId: this.target });
	}
}

class Chromium {
	constructor(microphone) {
		this.folder = mkdtempSync(join(tmpdir(), "dragoman-chromium-"));
		this.asked = new Map();
		this.pages = new Map();
		this.left = "";
		this.process = spawn(process.env.CHROMIUM || "chromium", [
			"--headless=new", "--remote-debugging-pipe", `--user-data-dir=${this.folder}`,
			...process.getuid() === 0 ? ["--no-sandbox"] : [],
			"--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--window-size=1280,900",
			"--disable-background-networking", "--disable-component-update", "--disable-sync",
			// Pages of a browser without a screen count as hidden, which would slow
			// their timers.
			"--disable-background-timer-throttling", "--disable-renderer-backgrounding",
			"--disable-backgrounding-occluded-windows",
			"--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
			`--use-file-for-fake-audio-capture=${microphone}`,
			"--autoplay-policy=no-user-gesture-required",
			// Allow WebRTC connections to a Janus or gateway on this machine.
			"--allow-loopback-in-peer-connection", "--disable-features=WebRtcHideLocalIpsWithMdns",
		], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });
		this.gone = new Promise(done => this.process.on("exit", done));
		this.gone.then(() => this.asked.forEach(({ fail }) => fail(new Error("Chromium is gone"))));
		this.process.stdio[4].setEncoding("utf8").on("data", text => this.read(text));
	}

	read(text) {
		const messages = (this.left + text).split("\0");
		this.left = messages.pop();
		for (const { id, result, error, method, params, sessionId } of messages.map(JSON.parse)) {
			const { done, fail } = this.asked.get(id) || {};
			if (error && fail)
				fail(new Error(error.message));
			else if (done)
				done(result);
			else if (this.pages.has(sessionId))
				this.pages.get(sessionId).take(method, params);
			this.asked.delete(id);
		}
	}

	send(method, params = {}, sessionId = undefined) {
		const id = this.next = (this.next || 0) + 1;
		this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
		return new Promise((done, fail) => this.asked.set(id, { done, fail }));
	}

	// like: a page whose browser storage the new page shares; without it the storage is empty.
	async page(like) {
		const { browserContextId } = like || await this.send("Target.createBrowserContext");
		const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId });
		const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
		const page = Object.assign(new Page(this, targetId, sessionId), { browserContextId });
		this.pages.set(sessionId, page);
		return page;
	}

	async close() {
		this.send("Browser.close").catch(() => {});
		await Promise.race([this.gone, nap(5000)]);
		try {
			process.kill(-this.process.pid, "SIGKILL"); // kills its children, too
		} catch {
			// already ended
		}
		rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
	}
}

module.exports = { Chromium, nap, tell, tell_waiting, until };
