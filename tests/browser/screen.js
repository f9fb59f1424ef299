// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The page for the screen in a hall.
const assert = require("node:assert/strict");
const { inflateSync } = require("node:zlib");
const { is_accessible } = require("./looks.js");
const { hall, hours, say_words } = require("./halls.js");
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
	assert.deepEqual(await page.ask("[...document.querySelectorAll('.board > b')].map(one => one.textContent)"), ["Español", "English"]);
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

const shown = (page, id) => page.ask(`document.getElementById("${id}").checkVisibility()`);

async function a_screen_invites_before_the_first_word_and_in_a_long_break(browser) {
	const { event, input, channel_id } = await hall({ target_languages: ["es", "ar"], stages: [{ name: "Aula" }] });
	const [{ stage_id }] = event.stages;
	await call("PATCH", `/saas/v2/event/${event.event_id}`, { sessions: [
		{ stage_id, title: "The first hour", utc_start_dt: hours(0.5), utc_end_dt: hours(1), speakers: [] }] });
	const page = await show(browser, view(event, "l=es&pause=0.05"));
	await page.until("idle.checkVisibility() && idle_qr.complete && idle_qr.naturalWidth > 0", 10, "the slide");
	assert.deepEqual([await page.text("hall"), await page.text("idle_title")], ["Aula", "The first hour"]);
	assert.equal((await page.text("digits")).replace(" ", ""), event.join_code);
	assert.deepEqual(await page.ask("[...invites.children].map(one => one.lang + ' ' + one.dir)"), ["en ltr", "es ltr", "ar rtl"]);
	assert.match(await page.ask("invites.textContent"), /^Translation begins at \d+:\d\d.*La traducción empieza a las/);
	assert.deepEqual(await page.ask("[...names.children].map(one => one.textContent)"), ["English", "Español", "العربية"]);
	assert.equal(await shown(page, "boards"), false);
	await is_accessible(page);
	await say_words(browser, { input }, ["Welcome."]);
	await says(page, "es", 1, 20);
	assert.deepEqual([await shown(page, "idle"), await shown(page, "boards")], [false, true]);
	await page.until("idle.checkVisibility() && !boards.checkVisibility()", 10, "the slide in a break");
	// A hall that an organiser stops shows nothing, and goes on.
	await call("POST", `/saas/channel/${channel_id}/stop`);
	await page.until("document.body.classList.contains('stopped') && !idle.checkVisibility()", 15, "nothing");
	assert.equal(await page.ask("[...document.querySelectorAll('p, b, h2, img')].filter(one => one.textContent !== '' && one.checkVisibility()).length"), 0);
	await call("POST", `/saas/channel/${channel_id}/resume`);
	await page.until("!document.body.classList.contains('stopped')", 15, "the hall again");
	is_clean(page);
}

async function a_look_is_read_from_the_address(browser) {
	const { event, input } = await hall({ target_languages: ["es", "de"] });
	const page = await show(browser, view(event, "l=es,de&bg=transparent&lines=1&color=ffd54a,0f0&box=102030cc&font=serif&x=center&y=top&safe=10"));
	await say_words(browser, { input }, ["Welcome."]);
	await says(page, "es", 1, 20);
	await says(page, "de", 1, 20);
	const boards = await page.ask(`[...document.querySelectorAll(".board")].map(one => {
		const p = one.querySelector(".line p"), { top, left, bottom, right } = p.getBoundingClientRect(), style = getComputedStyle(p);
		return { top, bottom, side: Math.round(left - (innerWidth - right)), colour: style.color, box: style.backgroundColor, font: style.fontFamily.split(",")[0],
			rule: getComputedStyle(one).borderTopWidth };
	})`);
	assert.deepEqual(boards.map(({ colour, box, font, rule, side }) => [colour, box, font, rule, Math.abs(side) < 3]), [
		["rgb(255, 213, 74)", "rgba(16, 32, 48, 0.8)", "Georgia", "0px", true], ["rgb(0, 255, 0)", "rgba(16, 32, 48, 0.8)", "Georgia", "0px", true]]);
	assert.ok(boards[0].top >= 71 && boards[1].top >= boards[0].bottom && boards[1].top < boards[0].bottom + 40, JSON.stringify(boards));
	assert.equal(await shown(page, "idle"), false); // an overlay has no slide
	const odd = await show(browser, view(event, "l=es&lines=x&size=0&color=red;}&box=nonsense&font=a%22;b&safe=1e9&bg=javascript:1&idle=0"));
	assert.deepEqual(await odd.ask("[getComputedStyle(document.body).backgroundColor, document.documentElement.style.cssText]"), ["rgb(14, 13, 12)", "--safe: 20vmin;"]);
	for (const one of [page, odd])
		is_clean(one);
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

module.exports = { cases: [a_screen_invites_before_the_first_word_and_in_a_long_break, a_look_is_read_from_the_address, a_screen_keeps_its_lines_and_comes_back, a_screen_shows_two_languages_and_is_no_participant,
	an_overlay_has_no_background] };
