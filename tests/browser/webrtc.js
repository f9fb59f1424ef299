// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node webrtc.js [WORD...]
// Tests LiveKit's clients from npm at two instances. Runs the cases whose names contain
// one of the words.
const { Chromium } = require("./chromium.js");
const { Firefox } = require("./firefox.js");
const { close, open } = require("./webrtc_service.js");

const all = [...require("./webrtc_pages.js").cases, ...require("./webrtc_life.js").cases,
	...require("./webrtc_node.js").cases, ...require("./webrtc_whip.js").cases];
const words = process.argv.slice(2);
const wanted = all.filter(({ title }) => words.length === 0 || words.some(word => title.includes(word)));

async function run(browsers, one) {
	const begun = Date.now();
	const pages = [], seen = [], after = [];
	let how = "ok";
	const mine = { seen, after,
		page: async (name = "chromium") => (pages.push(await browsers[name]().page()), pages[pages.length - 1]) };
	try {
		await one.run(mine);
	} catch (error) {
		process.exitCode = 1;
		how = `FAILED: ${error.stack}`;
		for (const page of pages)
			how += `\n${await page.ask("client.story()").catch(String)}`;
	}
	const seconds = ((Date.now() - begun) / 1000).toFixed(1);
	console.log(`webrtc: ${one.title}: ${how} (${[`${seconds} s`, ...seen].join(", ")})`);
	for (const page of pages)
		await page.close().catch(() => {});
	for (const work of after)
		await work().catch(error => console.log(`webrtc: ${one.title}: ${error.message}`));
}

// Cases wait most of the time, so AT_ONCE of them run in parallel. Cases that change the network
// run afterwards.
const AT_ONCE = 2;

async function run_all(browsers) {
	const waiting = wanted.filter(one => !one.alone);
	const lane = async () => {
		while (waiting.length > 0)
			await run(browsers, waiting.shift());
	};
	await Promise.all(Array.from({ length: AT_ONCE }, lane));
	for (const one of wanted.filter(({ alone }) => alone))
		await run(browsers, one);
}

(async () => {
	const open_ones = {};
	const browser = (name, make) => () => open_ones[name] = open_ones[name] || make();
	const browsers = { chromium: browser("chromium", () => new Chromium(process.env.WEBRTC_MICROPHONE)),
		firefox: browser("firefox", () => new Firefox()) };
	try {
		await open();
		await run_all(browsers);
	} catch (error) {
		process.exitCode = 1;
		console.log(`webrtc: ${error.stack}`);
	} finally {
		await Promise.all(Object.values(open_ones).map(one => one.close()));
		close();
		process.exit(); // closes all connections
	}
})();
