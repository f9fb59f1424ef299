// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: the moderation of a hall.
const assert = require("node:assert/strict");
const { nap } = require("./chromium.js");
const { enter, is_clean, make_event, press, shows, type } = require("./console.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { call } = require("./service.js");

async function a_hall_is_moderated_stopped_and_resumed_in_the_console(browser) {
	const { event_id } = await make_event(), { channel_id } = await call("POST", "/saas/channel", { type: "event", event_id, name: "Red hall", source_language: "en", target_languages: ["es"] });
	const now = () => call("GET", `/saas/channel/${channel_id}`), page = await enter(browser, `#/event/${event_id}`);
	await shows(page, "Waiting for the speaker");
	await press(page, "Moderation");
	await type(page, "hold_seconds", "5");
	await type(page, "blocked", "world\n\n  darn \nworld");
	await press(page, "Save", "document.querySelector('form:has([name=blocked])')");
	await shows(page, "Saved.");
	const { hold_seconds, blocked_words } = await now();
	assert.deepEqual([hold_seconds, blocked_words], [5, ["world", "darn"]]);
	await is_accessible(page);
	await press(page, "Stop this hall now");
	await shows(page, "The hall is stopped");
	await page.until("document.querySelector('.light').textContent === 'Stopped'", 15, "the state");
	assert.ok((await now()).utc_stopped_at);
	await press(page, "Resume");
	await shows(page, "Waiting for the speaker");
	assert.equal((await now()).utc_stopped_at, null);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	is_clean(page);
}

async function a_line_that_waits_is_dropped_or_changed_in_the_console(browser) {
	const { event_id } = await make_event({ transcript: "organizer" }), { channel_id } = await call("POST", "/saas/channel", { type: "event", event_id, name: "Red hall", source_language: "en", target_languages: ["es"] });
	await call("PATCH", `/saas/channel/${channel_id}`, { hold_seconds: 20 });
	const speaker = await (await browser.page()).open((await call("GET", `/saas/channel/${channel_id}/speaker-token`)).short_url);
	await speaker.until("document.body.dataset.state === 'none'", 15);
	await speaker.click("start");
	const page = await enter(browser, `#/event/${event_id}`), rows = "document.querySelectorAll('.held li')";
	await press(page, "Moderation");
	await page.until(`${rows}.length > 0`, 60, "a line that waits");
	const held = () => call("GET", `/saas/channel/${channel_id}/held`), first = await page.ask(`${rows}[0].dataset.key`);
	await type(page, "held", "Good morning", `${rows}[0]`);
	await press(page, "Send", `${rows}[0]`);
	await page.until(`![...${rows}].some(e => e.dataset.key === ${JSON.stringify(first)})`, 15, "the line to be gone");
	const said = async () => (await call("GET", `/saas/v2/event/${event_id}/transcript`)).items.some(one => one.text === "Good morning");
	for (let i = 0; i < 100 && !await said(); i++)
		await nap(200);
	assert.ok(await said());
	await page.until(`${rows}.length > 0`, 60, "another line");
	const second = await page.ask(`${rows}[0].dataset.key`);
	await press(page, "Drop", `${rows}[0]`);
	await page.until(`![...${rows}].some(e => e.dataset.key === ${JSON.stringify(second)})`, 15, "it to be gone");
	assert.ok((await held()).every(one => one.transcription_id !== second || one.action === "drop"));
	is_clean(page);
}

module.exports = { cases: [a_line_that_waits_is_dropped_or_changed_in_the_console, a_hall_is_moderated_stopped_and_resumed_in_the_console] };
