// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node pages.js SCRIPT BASE CHANNEL TOKEN
//
// Clients of WHIP and WHEP from npm, in pages of another origin in Chromium. SCRIPT: the bundle of
// clients.mjs. BROWSER_MICROPHONE: sound of the encoders. Prints a line of JSON for each client, as
// client.py does.
const { once } = require("node:events");
const { readFileSync } = require("node:fs");
const { createServer } = require("node:http");
const { Chromium, nap } = require("../browser/chromium.js");

const [script, base, channel, token] = process.argv.slice(2);
const whip = `${base}/whip/${channel}`, whep = `${base}/whep/${channel}?language=es`;

async function serve() {
	const server = createServer(({ url }, answer) => answer.setHeader("Content-Type", url === "/clients.js" ? "text/javascript" : "text/html")
		.end(url === "/clients.js" ? readFileSync(script) : `<!doctype html><link rel="icon" href="data:,"><script src="clients.js"></script>`));
	await once(server.listen(0, "127.0.0.1"), "listening");
	return server;
}

// Speaks by a client of WHIP while one of WHEP listens.
async function run(browser, url, speak) {
	const listener = await (await browser.page()).open(url), speaker = await (await browser.page()).open(url);
	await listener.ask(`clients.whep("${whep}", "")`);
	await speaker.ask(`clients.${speak}("${whip}", "${token}")`);
	await speaker.until("seen.connected", 10, "the connection").catch(() => {});
	await listener.until("seen.loud > 20", 20, "the translation").catch(() => {});
	for (const [name, page] of [[speak, speaker], ["whep", listener]]) {
		console.log(JSON.stringify({ name, ...await page.ask("seen") }));
		await page.ask("end()");
		await page.close();
	}
	await nap(3000); // the last phrase is spoken
}

(async () => {
	const browser = new Chromium(process.env.BROWSER_MICROPHONE), server = await serve();
	try {
		for (const speak of ["whip", "eyevinn"])
			await run(browser, `http://127.0.0.1:${server.address().port}/`, speak);
	} finally {
		await browser.close();
		server.close();
	}
})();
