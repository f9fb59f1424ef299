// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node main.js [WORD...]  Runs the cases whose names contain one of the words.
const { join } = require("node:path");
const assert = require("node:assert/strict");
const { Chromium, nap, tell, tell_waiting } = require("./chromium.js");
const { Firefox } = require("./firefox.js");
const { microphone, waiting } = require("./service.js");

// The longest cases first.  With BROWSER_BASE only the organiser's day runs.
const all = (process.env.BROWSER_BASE ? ["walk"] : ["walk", "tasks", "hls", "listen", "speak", "screen", "links", "first", "quickstart", "samples", "console", "console_events", "console_event", "console_account", "console_team", "console_palette", "console_moderation", "console_look", "console_streams", "console_recordings", "console_edits", "console_glossaries", "console_imports",
	"console_voices", "console_languages", "console_agenda", "console_developer", "bad_days", "markup", "rooms", "livekit", "janus", "pages"]).flatMap(name => require(`./${name}.js`).cases);
const MOST = 240000; // default time limit of a case, ms
const CLOSED = 15000; // time limit for closing a page, ms
const words = process.argv.slice(2).map(word => word.replace(/ /g, "_"));
const have_words = ({ name }) => words.length === 0 || words.some(word => name.includes(word));
const wanted = all.filter(have_words), others = process.env.BROWSER_BASE ? [] : require("./other_browser.js").cases.filter(have_words);
assert.ok(wanted.length + others.length, `no case has ${words} in its name`);

// Console messages of cases that cut a connection or cause a refusal; any other message fails its
// case.
const EXPECTED = /status of [45]\d\d|WebSocket connection to|net::ERR_|Failed to load resource/;

function are_quiet(pages) {
	assert.deepEqual(pages.flatMap(page => page.complaints).filter(text => !EXPECTED.test(text)), []);
}

// A page that hangs or crashed must not stop the other cases.
async function leave(browser, page, name) {
	const done = (async () => {
		if (process.env.BROWSER_PICTURES && browser.pages?.has(page.session))
			await page.picture?.(join(process.env.BROWSER_PICTURES, `${name}.png`));
		await page.close();
	})();
	await Promise.race([done, nap(CLOSED).then(() => assert.fail("it does not answer"))])
		.catch(error => console.log(`browser: page ${name} is not closed: ${error.message}`));
}

async function run(browser, one) {
	const begun = Date.now();
	let pages = [], how = "ok";
	const mine = { page: async like => (pages.push(await browser.page(like)), pages[pages.length - 1]) };
	try {
		await Promise.race([one(mine), nap(one.most || MOST).then(() => assert.fail("it takes too long"))]);
		if (!one.complains)
			are_quiet(pages);
	} catch (error) {
		process.exitCode = 1;
		how = `FAILED: ${error.stack}`;
		for (const line of [...(await Promise.all(pages.map(tell))).flat(), ...tell_waiting(waiting)])
			how += `\nbrowser:   ${line}`;
	}
	const name = one.name.replace(/_/g, " ");
	console.log(`browser: ${name}: ${how} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
	for (const [i, page] of pages.entries())
		await leave(browser, page, `${one.name}-${i}`);
}

// Cases wait most of the time, so AT_ONCE of them run in parallel. Cases that kill the gateway or
// Janus, which others use, run afterwards, one at a time.
const AT_ONCE = 3;

async function run_others() {
	if (others.length === 0)
		return;
	const browser = new Firefox(true);
	try {
		for (const one of others)
			await run(browser, one);
	} finally {
		await browser.close();
	}
}

async function run_all(browser) {
	const alone = wanted.filter(one => one.alone), waiting = wanted.filter(one => !one.alone);
	const lane = async () => {
		while (waiting.length > 0)
			await run(browser, waiting.shift());
	};
	await Promise.all(Array.from({ length: AT_ONCE }, lane));
	await Promise.all([...new Set(alone.map(one => one.alone))].map(async what => {
		for (const one of alone.filter(one => one.alone === what))
			await run(browser, one);
	}));
}

(async () => {
	const browser = new Chromium(microphone);
	try {
		await run_all(browser);
		await run_others();
	} finally {
		await browser.close();
		process.exit(); // closes all connections
	}
})();
