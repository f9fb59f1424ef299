// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The page for the screen in a hall.
const assert = require("node:assert/strict");
const { inflateSync } = require("node:zlib");
const { is_accessible } = require("./looks.js");
const { hall, say_words } = require("./halls.js");
const { open, end, says, lines, is_clean, icy_way } = require("./pages.js");
const { base, call } = require("./service.js");

const view = (event, hash = "", host = base) => `${host}/screen/?${new URLSearchParams({ e: event.event_id,
	s: event.stages[0].stage_id })}#${hash}`;

async function show(browser, url, size = { width: 1280, height: 720 }, before = "") {
	const page = await browser.page();
	await page.send("Emulation.setDeviceMetricsOverride", { ...size, deviceScaleFactor: 1, mobile: false });
	await page.open(url, before);
	await page.until("document.querySelectorAll('.board').length > 0", 10, "boards");
	return page;
}

async function a_screen_shows_two_languages_and_is_no_participant(browser) {
	const { event, speaker } = await hall({ target_languages: ["es", "de"] });
	const page = await show(browser, view(event, "l=es,en&lines=2&qr=1"));
	const talker = await open(browser, speaker);
	await says(page, "es", 1, 15);
	await says(page, "en", 1, 5);
	assert.deepEqual(await page.ask("[...document.querySelectorAll('.board')].map(one => one.querySelector('.line p').lang)"), ["es", "en"]);
	const { letters, high, wide, over } = await page.ask(`({
		letters: parseFloat(getComputedStyle(document.querySelector(".board")).fontSize),
		high: document.querySelector(".view").clientHeight, wide: document.querySelector(".view").clientWidth,
		over: document.documentElement.scrollHeight - innerHeight })`);
	assert.ok(letters > 40, `letters of ${letters}`);
	assert.ok(Math.abs(high - 2 * 1.3 * letters) < 3, `two lines are ${high} high`);
	assert.ok(wide / letters > 20 && over <= 0);
	await page.until("qr.complete && qr.naturalWidth > 0", 5, "the QR code");
	await page.ask("dispatchEvent(new KeyboardEvent('keydown', { key: '+' }))");
	assert.ok(await page.ask("parseFloat(getComputedStyle(document.querySelector('.board')).fontSize)") > letters);
	assert.equal(await page.ask("getComputedStyle(document.body).cursor"), "none");
	const { participants_count } = await call("GET", `/saas/v2/event/${event.event_id}/stats`);
	assert.equal(participants_count, 0);
	await is_accessible(page);
	await end(talker);
	is_clean(page);
}

// Red, green, blue and opacity of a picture's first pixel. PNG filters do not change the first
// pixel.
function first_pixel(png) {
	const parts = [];
	for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
		if (png.toString("latin1", at + 4, at + 8) === "IDAT")
			parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
	assert.equal(png[25], 6, "a picture with opacity");
	return inflateSync(Buffer.concat(parts)).subarray(1, 5);
}

// A browser source of OBS uses the same address, and the page has no background.
async function an_overlay_has_no_background(browser) {
	const { event } = await hall({ target_languages: ["es"] });
	const page = await show(browser, view(event, "l=es&bg=transparent&lines=1&align=center"));
	await page.send("Emulation.setDefaultBackgroundColorOverride", { color: { r: 0, g: 0, b: 0, a: 0 } });
	const { data } = await page.send("Page.captureScreenshot", { format: "png" });
	assert.equal(first_pixel(Buffer.from(data, "base64"))[3], 0);
	assert.equal(await page.ask("getComputedStyle(document.body).backgroundColor"), "rgba(0, 0, 0, 0)");
}

async function a_screen_keeps_its_lines_and_comes_back(browser) {
	const { event, speaker } = await hall({ target_languages: ["es"] });
	const path = await icy_way();
	const page = await show(browser, view(event, "l=es", `http://${path.host}`), undefined, path.leads);
	const talker = await open(browser, speaker);
	await says(page, "es", 1, 15);
	path.freeze(true);
	await page.until("!dot.hidden", 60, "the dot");
	assert.ok((await lines(page, "es")).length > 0);
	assert.equal(await page.ask("document.body.innerText.includes('rror')"), false);
	path.thaw();
	const then = (await lines(page, "es")).length;
	await page.until("dot.hidden", 30, "no dot");
	await says(page, "es", Math.min(then + 1, 8), 20);
	await end(talker);
}

module.exports = { cases: [a_screen_keeps_its_lines_and_comes_back, a_screen_shows_two_languages_and_is_no_participant,
	an_overlay_has_no_background] };
