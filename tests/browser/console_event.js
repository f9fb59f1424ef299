// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: join requests, posters, transcript and statistics of an event.
const assert = require("node:assert/strict");
const { nap } = require("./chromium.js");
const { enter, is_clean, make_event, press, shows, soon, type } = require("./console.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { base, call } = require("./service.js");

const make_hall = (event_id, more = {}) => call("POST", "/saas/channel", { type: "event", event_id, name: "Red hall",
	source_language: "en", target_languages: ["es"], ...more });

const ask_for = (event_id, language) => call("POST", `/saas/v2/event/public/${event_id}/requests`, { type: "add_language", payload: { language } });

async function looks_right(page) {
	await is_accessible(page);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	is_clean(page);
}

async function requests_are_approved_and_declined_in_the_console(browser) {
	const { event_id } = await make_event(), { channel_id } = await make_hall(event_id);
	await ask_for(event_id, "fr");
	const page = await enter(browser, `#/event/${event_id}/requests`);
	await shows(page, "Asked for by: 1");
	await press(page, "Approve");
	await shows(page, "Added: French");
	await shows(page, "No requests wait.");
	assert.deepEqual((await call("GET", `/saas/channel/${channel_id}`)).target_languages.sort(), ["es", "fr"]);
	await ask_for(event_id, "de");
	await shows(page, "German"); // by itself
	await type(page, "reason", "No time");
	await looks_right(page);
	await press(page, "Decline");
	await shows(page, "Declined.");
	assert.equal((await ask_for(event_id, "de")).status, "rejected");
	assert.deepEqual((await call("GET", `/saas/channel/${channel_id}`)).target_languages.sort(), ["es", "fr"]);
}

async function the_audiences_links_are_shared_in_the_console(browser) {
	const { event_id, join_code, stages } = await make_event({ access_code: "FORUM26", stages: [{ name: "Red" }, { name: "Blue" }] });
	await make_hall(event_id, { stage_id: stages[0].stage_id });
	const page = await enter(browser, `#/event/${event_id}`);
	await page.until("document.querySelector('img.qr')?.naturalWidth > 0", 20, "the QR code");
	await shows(page, `${new URL(base).host}/${join_code}`);
	await shows(page, "FORUM26");
	const link = await page.ask("[...document.querySelectorAll('a')].find(e => e.textContent === 'Poster').href");
	await looks_right(page);
	const posters = await (await browser.page()).open(link);
	await posters.until("document.querySelectorAll('.code img').length === 2 && [...document.querySelectorAll('.code img')].every(e => e.naturalWidth > 0)", 20, "two QR codes");
	for (const text of ["Hear it in your language", "Español", join_code.replace(/^(...)/, "$1 "), "FORUM26", new URL(base).host])
		await shows(posters, text);
	assert.ok(link.startsWith(`${base}/poster/?e=${event_id}`), link);
	for (const text of ["Scan the code", "Escanee"])
		await shows(posters, text);
	assert.equal(await posters.ask("back.href"), `${base}/console/#/event/${event_id}`);
	await is_accessible(posters);
	assert.equal(await posters.ask("[...document.querySelectorAll('button')].filter(e => getComputedStyle(e).backgroundColor === getComputedStyle(document.getElementById('print')).backgroundColor).length"), 1, "one first act");
	await posters.ask("(real => { URL.createObjectURL = blob => ((window.taken ||= []).push(blob), real(blob)); })(URL.createObjectURL.bind(URL))");
	await press(posters, "Save as PNG");
	await posters.until("window.taken?.length === 2", 20, "two pictures");
	assert.deepEqual(await posters.ask("createImageBitmap(window.taken[0]).then(({ width, height }) => [width, height])"), [1680, 2368]);
	await posters.send("Emulation.setEmulatedMedia", { media: "print" });
	assert.equal(await posters.ask("document.getElementById('print').checkVisibility()"), false);
	assert.equal(await posters.ask("getComputedStyle(document.querySelector('.a4')).breakAfter"), "page");
	assert.deepEqual(await posters.ask("(({ width, height }) => [width, height].map(one => Math.round(one * 25.4 / 96)))(document.querySelector('.a4').getBoundingClientRect())"), [210, 296]);
	is_clean(posters);
}

async function speak(browser, channel, until) {
	const page = await (await browser.page()).open(`${base}/speak/#${new URLSearchParams({ ws_url: channel.input.url, token: channel.input.token })}`);
	await page.until("document.body.dataset.state", 15);
	await page.click("start");
	await until();
}

async function a_transcript_is_found_corrected_and_taken_away_in_the_console(browser) {
	const { event_id } = await make_event({ transcript: "organizer" }), channel = await make_hall(event_id);
	const path = `/saas/v2/event/${event_id}/transcript`;
	await speak(browser, channel, async () => {
		for (let i = 0; i < 600 && (await call("GET", path)).items.length === 0; i++)
			await new Promise(done => setTimeout(done, 200));
	});
	const page = await enter(browser, `#/event/${event_id}/transcript`);
	await shows(page, "hello world", 20);
	await type(page, "words", "no line has this");
	await press(page, "Find");
	await shows(page, "There are no lines.");
	await type(page, "words", "HELLO");
	await press(page, "Find");
	await shows(page, "hello world");
	await press(page, "Correct", "document.querySelector('#lines')");
	await type(page, "text", "Hello, <b>Madrid</b>");
	await type(page, "speaker", "Ada Lovelace", "document.querySelector('#lines')");
	await press(page, "Save", "document.querySelector('#lines')");
	await shows(page, "Hello, <b>Madrid</b>");
	assert.ok((await call("GET", path)).items.some(one => one.text === "Hello, <b>Madrid</b>" && one.original_text));
	await page.ask("(real => { URL.createObjectURL = blob => (window.taken = blob, real(blob)); })(URL.createObjectURL.bind(URL))");
	for (const [format, first] of [["SRT", /^1\r?\n00:/], ["VTT", /^WEBVTT/], ["TXT", /Hello, <b>Madrid/], ["CSV", /^start,end,original/], ["DOCX", /^PK/], ["JSON", /"text":"Hello, <b>Madrid/]]) {
		await page.ask("window.taken = null");
		await press(page, format);
		await page.until("!!window.taken", 15, format);
		assert.match(await page.ask("window.taken.text()"), first);
	}
	await shows(page, "Ada Lovelace");
	const lines = () => page.ask("document.querySelectorAll('#lines li').length"), before = await lines();
	await type(page, "words", "ADA LOVELÀCE");
	await press(page, "Find");
	await page.until("document.querySelectorAll('#lines li').length >= 1", 15, "a line of the speaker");
	await type(page, "words", "");
	await press(page, "Find");
	await page.until(`document.querySelectorAll('#lines li').length >= ${before}`, 15, "all lines");
	await speak(browser, channel, () => page.until(`document.querySelectorAll('#lines li').length > ${before}`, 60, "lines that come"));
	await looks_right(page);
}

async function an_empty_transcript_says_how_it_is_filled(browser) {
	const page = await enter(browser), none = "document.querySelector('#view .empty')";
	for (const [transcript, more, act] of [["off", {}, "Transcript for you"], ["organizer", {}, "Halls"], ["organizer", { utc_start_dt: soon(1) }, "Halls"], ["organizer", { utc_start_dt: soon(-3), utc_end_dt: soon(-1) }, ""]]) {
		const { event_id } = await make_event({ transcript, ...more });
		await make_hall(event_id);
		await page.ask(`location.hash = "#/event/${event_id}/transcript"`);
		await page.until(`${none}?.innerText.includes("There are no lines.") && ${none}.querySelector(".row").innerText.trim() === ${JSON.stringify(act)}`, 15, `${transcript}: ${act || "no act"}`);
		assert.deepEqual(await page.ask("[...document.querySelectorAll('#view button')].filter(e => e.checkVisibility() && /SRT|Find/.test(e.textContent)).map(e => e.textContent)"), [], "no file, no search");
		if (transcript === "off") {
			await press(page, act);
			await page.until(`${none}.querySelector(".row").innerText.trim() === "Halls" && document.querySelector("[name=transcript]").value === "organizer"`, 15, "that it is kept");
			assert.equal((await call("GET", `/saas/v2/event/${event_id}`)).transcript, "organizer");
			await is_accessible(page);
			await page.ask(`window.kept = ${none}.querySelector("a")`);
			await nap(4000);
			assert.ok(await page.ask("kept.isConnected"), "it is not drawn again at each look for lines");
		}
	}
	await looks_right(page);
}

async function an_events_numbers_are_in_the_console(browser) {
	const { event_id } = await make_event();
	await make_hall(event_id);
	for (const language of ["es", "es", "original"])
		await call("POST", `/saas/v2/event/public/${event_id}/join`, { language });
	const page = await enter(browser, `#/event/${event_id}/numbers`);
	await page.until("document.querySelectorAll('tbody tr').length === 2", 20, "two languages");
	assert.deepEqual(await page.ask("[...document.querySelectorAll('tbody tr')].map(e => e.innerText.replace(/\\s+/g, ' ').trim())"), ["Spanish 2", "Original 1"]);
	assert.equal(await page.ask("document.querySelector('.tiles .large').textContent"), "3");
	await shows(page, "No listeners so far.");
	// One hall runs until the event ends, in three hours, at 80 credits an hour.
	await shows(page, "3 hours of halls, until the event ends");
	assert.match(await page.ask("[...document.querySelectorAll('.tiles .large')].at(-1).textContent"), /^(23[5-9]|240)$/);
	await looks_right(page);
}

// The forecast counts agenda items that are not over, in halls that have a channel.
async function the_cost_of_an_event_is_forecast_in_the_console(browser) {
	const { event_id, stages } = await make_event({ stages: [{ name: "Red" }, { name: "Blue" }], sessions: [
		{ stage_index: 0, title: "Over", utc_start_dt: soon(-1), utc_end_dt: soon(-0.5) },
		{ stage_index: 0, title: "Next", utc_start_dt: soon(1), utc_end_dt: soon(2) },
		{ stage_index: 0, title: "At once", utc_start_dt: soon(1.5), utc_end_dt: soon(2.5) }] });
	await make_hall(event_id, { stage_id: stages[0].stage_id });
	const page = await enter(browser, `#/event/${event_id}/numbers`);
	await shows(page, "1.5 hours of halls, by the agenda");
	const ahead = "[...document.querySelectorAll('.tiles .large')].at(-1).textContent";
	assert.match(await page.ask(ahead), /^12[01]$/); // the forecast counts seconds
	is_clean(page);
}

async function listeners_over_time_are_drawn_in_the_console(browser) {
	const { event_id } = await make_event();
	await make_hall(event_id, { target_languages: ["es", "ar"] });
	const audience = await (await browser.page()).open(`${base}/`);
	for (const language of ["es", "es", "ar"]) {
		const { ws_url, token } = await call("POST", `/saas/v2/event/public/${event_id}/join`, { language });
		await audience.ask(`(window.sockets ||= []).push(new WebSocket("${ws_url}?token=${token}&audio=0"))`);
	}
	const page = await enter(browser, `#/event/${event_id}/numbers`);
	await page.until("document.querySelector('svg.chart')", 120, "a chart, once a minute was counted");
	await page.until("[...document.querySelectorAll('svg.chart title')].some(e => /: 3 · Spanish 2 · Arabic 1$/.test(e.textContent))", 60, "three in a column");
	assert.deepEqual(await page.ask("[...document.querySelectorAll('.legend li')].map(e => e.textContent)"), ["Spanish", "Arabic"]);
	assert.equal(await page.ask("document.querySelector('svg.chart').getAttribute('aria-label')"), "Most at once: 3");
	await page.ask("document.querySelector('details').open = true");
	await page.until("[...document.querySelectorAll('details tbody td')].map(e => e.textContent).slice(-3).join() === '3,2,1'", 15, "the table");
	await looks_right(page);
	assert.equal(await page.ask("document.querySelector('details').open"), true);
}

module.exports = { cases: [a_transcript_is_found_corrected_and_taken_away_in_the_console, requests_are_approved_and_declined_in_the_console,
	the_audiences_links_are_shared_in_the_console, an_empty_transcript_says_how_it_is_filled, an_events_numbers_are_in_the_console,
	the_cost_of_an_event_is_forecast_in_the_console] };
module.exports.cases.unshift(listeners_over_time_are_drawn_in_the_console); // the longest language name
