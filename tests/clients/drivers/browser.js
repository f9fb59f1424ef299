// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Opens a page in Chromium that uses the client's modules, as the page of an organiser would.
const { createServer } = require("node:http");
const { createReadStream, existsSync } = require("node:fs");
const { join, normalize } = require("node:path");
const { Chromium } = require("../../browser/chromium.js");

const folder = join(process.env.CLIENT_HOME, "node_modules");
const blank = "<!DOCTYPE html><meta charset=utf-8><title>client</title><body>";

async function open() {
	const server = createServer(({ url }, answer) => {
		const file = join(folder, normalize(decodeURI(url)));
		if (url === "/")
			answer.writeHead(200, { "Content-Type": "text/html" }).end(blank);
		else if (existsSync(file))
			createReadStream(file).pipe(answer.writeHead(200, { "Content-Type": "text/javascript" }));
		else
			answer.writeHead(404).end();
	});
	await new Promise(done => server.listen(0, "127.0.0.1", done));
	const chromium = new Chromium(join(process.env.SOUNDS, "phrases-48000.wav"));
	const page = await chromium.page();
	await page.open(`http://127.0.0.1:${server.address().port}/`);
	return { page, close: async () => { await chromium.close(); server.close(); } };
}

module.exports = { open };
