// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The organisers' console: the look builder of a hall's screen.
const assert = require("node:assert/strict");
const { enter, is_clean, make_event, press, shows, type } = require("./console.js");
const { is_accessible, be_phone, fits } = require("./looks.js");
const { base, call } = require("./service.js");

async function the_look_of_a_screen_is_made_in_the_console(browser) {
	const { event_id } = await make_event(), channel = await call("POST", "/saas/channel", { type: "event", event_id, name: "Red hall", source_language: "en", target_languages: ["es", "de"] });
	const page = await enter(browser, `#/event/${event_id}`);
	await press(page, "Screen");
	await press(page, "Look of the screen");
	await page.until("document.querySelector('iframe')?.contentDocument?.querySelector('.board .line')", 20, "the preview");
	await type(page, "lines", "2");
	await type(page, "font", "serif");
	await type(page, "bg", "transparent");
	await type(page, "x", "center");
	await page.ask("document.querySelector('[name=l][value=de]').click()");
	const link = "new URLSearchParams(document.querySelector('[name=link]').value.split('#')[1])";
	await page.until(`${link}.get("l") === "es,de"`, 15, "both languages");
	const made = await page.ask("document.querySelector('[name=link]').value");
	assert.ok(made.startsWith(`${base}/screen/?e=${event_id}&s=${channel.stage_id}#`), made);
	assert.deepEqual(Object.fromEntries(new URLSearchParams(made.split("#")[1])), { l: "es,de", lines: "2", font: "serif", bg: "transparent", x: "center" });
	await page.until("document.querySelector('iframe')?.contentDocument?.querySelectorAll('.board').length === 2", 20, "two languages");
	await shows(page, "Preview");
	await is_accessible(page);
	await be_phone(page, { width: 320, height: 640 });
	await fits(page);
	is_clean(page);
}

module.exports = { cases: [the_look_of_a_screen_is_made_in_the_console] };
